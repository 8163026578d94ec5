//! Texts from files that may be anything: a pipe without a writer, or a device without an end.
//!
//! Invariant: no more is read than the limit, and nothing waits for a writer in a result folder.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Most bytes of a file that a user writes: more than any scenario of a million flows.
pub const MOST_TEXT: u64 = 256 << 20;

/// Reads a text of at most `most` bytes.
///
/// # Errors
/// If it cannot be read, is longer, or is not UTF-8.
pub fn limited_text(path: &Path, most: u64) -> Result<String> {
    let mut text = String::new();
    File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        let message = format!("it is longer than {} MiB", most >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

/// Reads a text from a file, and from nothing else: opening a pipe would wait for a writer.
///
/// # Errors
/// If it is no file, cannot be read, or is not UTF-8.
pub fn text_of_file(path: &Path) -> Result<String> {
    check_file(path)?;
    fs::read_to_string(path)
}

/// Reads the bytes of a file, and of nothing else.
///
/// # Errors
/// If it is no file, or cannot be read.
pub fn bytes_of_file(path: &Path) -> Result<Vec<u8>> {
    check_file(path)?;
    fs::read(path)
}

fn check_file(path: &Path) -> Result<()> {
    // The kind is that of the target of a link.
    if fs::metadata(path)?.is_file() {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::InvalidInput, "it is not a file"))
    }
}
