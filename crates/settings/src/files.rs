//! Texts from files that may be anything: a pipe without a writer, or a device without an end.
//!
//! Invariant: no more is read than the limit, of what does not begin as a text only its beginning, and nothing waits
//! for a writer in a result folder.

use std::fs::{self, File};
use std::io::{Chain, Cursor, Error, ErrorKind, Read, Result};
use std::path::Path;
use std::str::{self, Utf8Error};

/// Most bytes of a file that a user writes: more than any scenario of a million flows.
pub const MOST_TEXT: u64 = 256 << 20;

/// Bytes of a text that are looked at before the rest is read.
const BEGINNING: u64 = 64 << 10;

/// Reads a text of at most `most` bytes.
///
/// # Errors
/// If it cannot be read, is longer, or is no text in UTF-8.
pub fn limited_text(path: &Path, most: u64) -> Result<String> {
    let mut text = String::new();
    LimitedFile::open(path, most)?.read_to_string(&mut text)?;
    Ok(text)
}

/// A source of which no more can be read than a limit.
#[derive(Debug)]
pub struct Limited<R> {
    source: R,
    most: u64,
    /// Bytes that may yet be read.
    left: u64,
}

/// A file that begins as a text, and of which no more can be read than a limit.
pub type LimitedFile = Limited<Chain<Cursor<Vec<u8>>, File>>;

impl<R: Read> Limited<R> {
    /// Limits a source to `most` bytes.
    pub fn new(source: R, most: u64) -> Self {
        Self { source, most, left: most }
    }
}

impl LimitedFile {
    /// Opens a file, of which at most `most` bytes are to be read.
    ///
    /// # Errors
    /// If it cannot be read, or its beginning is no text in UTF-8.
    pub fn open(path: &Path, most: u64) -> Result<Self> {
        let (mut file, mut beginning) = (File::open(path)?, Vec::new());
        // A device without an end, such as `/dev/zero`, shows at its beginning that it has no text.
        file.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
        check_text(&beginning)?;
        Ok(Self::new(Cursor::new(beginning).chain(file), most))
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        // One byte more tells a file that is too long from a file of the limit.
        let most =
            usize::try_from(self.left.saturating_add(1)).map_or(buffer.len(), |left| left.min(buffer.len()));
        let read = self.source.read(&mut buffer[..most])?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => {
                let message = format!("it is longer than {} MiB", self.most >> 20);
                return Err(Error::new(ErrorKind::FileTooLarge, message));
            }
        }
        Ok(read)
    }
}

/// Checks that bytes can be the beginning of a text: the last letter may be cut.
fn check_text(bytes: &[u8]) -> Result<()> {
    let is_cut = |fault: Utf8Error| fault.error_len().is_none();
    if bytes.contains(&0) || !str::from_utf8(bytes).map_or_else(is_cut, |_| true) {
        return Err(Error::new(ErrorKind::InvalidData, "it is not a text in UTF-8"));
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a test, removed at its end.
    struct Scratch(std::path::PathBuf);

    impl Scratch {
        fn new(name: &str, bytes: &[u8]) -> Self {
            let path = std::env::temp_dir().join(format!("backwater-files-{}-{name}", std::process::id()));
            fs::write(&path, bytes).unwrap();
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn a_text_of_the_limit_is_read_and_a_longer_one_refused() {
        // A letter of two bytes lies across the end of the beginning.
        let text = "x".to_owned() + &"é".repeat(70_000);
        let file = Scratch::new("limit", text.as_bytes());
        let most = text.len() as u64;
        assert_eq!(limited_text(&file.0, most).unwrap(), text);
        for most in [most - 1, 10, 0] {
            assert_eq!(limited_text(&file.0, most).unwrap_err().kind(), ErrorKind::FileTooLarge);
        }
        let empty = Scratch::new("empty", b"");
        assert_eq!(limited_text(&empty.0, 0).unwrap(), "");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let late = [vec![b'x'; 70_000], vec![0xff]].concat();
        for (name, bytes) in [("zero", &b"a\0b"[..]), ("letter", b"a\xffb"), ("late", &late)] {
            let file = Scratch::new(name, bytes);
            assert_eq!(limited_text(&file.0, 1 << 20).unwrap_err().kind(), ErrorKind::InvalidData, "{name}");
        }
        #[cfg(target_os = "linux")]
        for device in ["/dev/zero", "/dev/urandom", "/dev/full"] {
            let error = limited_text(Path::new(device), u64::MAX).unwrap_err();
            assert_eq!(error.to_string(), "it is not a text in UTF-8", "{device}");
        }
    }
}
