//! Texts of files that the command line names.
//!
//! Invariant: a pipe is read to its end. A device may have no end, so no more than the limit is taken, before and after
//! decompression.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read};
use std::path::Path;

use interop::import::text::GivenText;
use settings::files::{Limited, limited_text};

use crate::failure::Failure;
use crate::gzip::Unzipped;

/// Most bytes of such a file: the forwarding tables of ten thousand hosts have less than 1 GiB.
const MOST: u64 = 4 << 30;
/// Bytes of a file that show whether it is a text.
const BEGINNING: usize = 64 << 10;
/// First bytes of a compressed file (RFC 1952).
const GZIP: [u8; 2] = [0x1F, 0x8B];

pub(crate) fn text(file: &Path) -> Result<String, Failure> {
    limited_text(file, MOST).map_err(|cause| unreadable(file, cause))
}

/// Reads a file of another program as it comes: compressed, from a terminal, with bytes that are no UTF-8.
pub(crate) fn as_it_comes(file: &Path) -> Result<GivenText, Failure> {
    by_lines(file, |mut source| {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}

/// Reads such a file by a function that takes its lines apart.
pub(crate) fn by_lines(
    file: &Path,
    read: impl FnOnce(Box<dyn BufRead>) -> io::Result<Vec<u8>>,
) -> Result<GivenText, Failure> {
    let text = opened(file).and_then(read).and_then(|bytes| GivenText::of(&bytes).ok_or_else(no_text));
    text.map_err(|cause| unreadable(file, cause))
}

/// Reads the bytes of a file that may be no text, decompressed.
pub(crate) fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    let read = || {
        let mut source = BufReader::with_capacity(BEGINNING, Limited::new(File::open(file)?, MOST));
        let mut bytes = Vec::new();
        if source.fill_buf()?.starts_with(&GZIP) {
            Limited::new(Unzipped::new(source), MOST).read_to_end(&mut bytes)?;
        } else {
            source.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    };
    read().map_err(|cause| unreadable(file, cause))
}

/// Returns the bytes of a file as a text.
pub(crate) fn as_text(file: &Path, bytes: &[u8]) -> Result<GivenText, Failure> {
    let text = Some(bytes).filter(|bytes| !bytes.contains(&0) || is_utf16(bytes)).and_then(GivenText::of);
    text.ok_or_else(|| unreadable(file, no_text()))
}

fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}

fn opened(file: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut source = BufReader::with_capacity(BEGINNING, Limited::new(File::open(file)?, MOST));
    if source.fill_buf()?.starts_with(&GZIP) {
        let plain = Limited::new(Unzipped::new(source), MOST);
        return checked(BufReader::with_capacity(BEGINNING, plain));
    }
    checked(source)
}

/// Checks that the beginning of a source can be a text: a device such as `/dev/zero` would be read for long.
fn checked(mut source: BufReader<impl Read + 'static>) -> io::Result<Box<dyn BufRead>> {
    let beginning = source.fill_buf()?;
    if beginning.contains(&0) && !is_utf16(beginning) { Err(no_text()) } else { Ok(Box::new(source)) }
}

fn no_text() -> Error {
    Error::new(ErrorKind::InvalidData, "it is not a text")
}

fn unreadable(file: &Path, cause: Error) -> Failure {
    Failure::Unreadable { file: file.display().to_string(), cause }
}
