//! Standard output and its width, and warnings on standard error.

use std::io::{self, Write};

use console::Term;

/// Prints to standard output. A reader that has gone away (`backwater list | head -1`) is no error.
pub(crate) fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

/// Returns the width of the terminal in characters, and that of files if standard output is none.
pub(crate) fn width() -> usize {
    Term::stdout().size_checked().map_or(report::format::WIDTH, |(_, columns)| usize::from(columns))
}

/// Prints a warning to standard error.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {text}");
}
