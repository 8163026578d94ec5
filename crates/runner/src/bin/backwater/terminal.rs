//! Standard output, and warnings on standard error.

use std::io::{self, Write};

/// Prints to standard output. A reader that has gone away (`backwater list | head -1`) is no error.
pub(crate) fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

/// Prints a warning to standard error.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {text}");
}
