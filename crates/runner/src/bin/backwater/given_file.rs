//! Texts of files that the command line names.
//!
//! Invariant: a pipe is read to its end. A device may have no end, so no more than the limit is taken.

use std::io::{self, BufReader};
use std::path::Path;

use settings::files::{LimitedFile, limited_text};

use crate::failure::Failure;

/// Most bytes of such a file: the forwarding tables of ten thousand hosts have less than 1 GiB.
const MOST: u64 = 4 << 30;

pub(crate) fn text(file: &Path) -> Result<String, Failure> {
    limited_text(file, MOST).map_err(|cause| unreadable(file, cause))
}

/// Reads a text line by line.
pub(crate) fn by_lines(
    file: &Path,
    read: impl FnOnce(BufReader<LimitedFile>) -> io::Result<String>,
) -> Result<String, Failure> {
    let read = LimitedFile::open(file, MOST).and_then(|file| read(BufReader::new(file)));
    read.map_err(|cause| unreadable(file, cause))
}

fn unreadable(file: &Path, cause: io::Error) -> Failure {
    Failure::Unreadable { file: file.display().to_string(), cause }
}
