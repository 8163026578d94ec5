//! Standard output.

use std::io::{self, Write};

/// Prints to standard output. A reader that has gone away (`backwater list | head -1`) is no error.
pub(crate) fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}
