//! Texts of files that the command line names.
//!
//! Invariant: a pipe is read to its end, and no device without one is: no more than the limit is taken.

use std::path::Path;

use settings::files::limited_text;

use crate::failure::Failure;

/// Most bytes of such a file: the forwarding tables of ten thousand hosts have less than one GiB.
const MOST: u64 = 4 << 30;

/// Reads a text.
pub(crate) fn text(file: &Path) -> Result<String, Failure> {
    limited_text(file, MOST).map_err(|cause| Failure::Unreadable { file: file.display().to_string(), cause })
}
