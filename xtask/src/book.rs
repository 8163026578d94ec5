//! `cargo xtask book`: the pages of `docs/` as a book with a search, by mdBook.
//!
//! Invariant: nothing is installed. Where mdBook is missing, the verb says so and how to get it.

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::{finish, root};
use crate::help;

/// Builds the book into target/book.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(refused) = help::refused("book", arguments) {
        return refused;
    }
    if let Some(message) = missing() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let target = root().join("target").join("book");
    let mut command = Command::new("mdbook");
    command.arg("build").arg(root().join("docs")).arg("--dest-dir").arg(&target).stdin(Stdio::null());
    let status = finish(command);
    if status == ExitCode::SUCCESS {
        eprintln!("book: open {}", target.join("index.html").display());
    }
    status
}

/// Returns the message about a missing mdBook, if it is missing.
pub(crate) fn missing() -> Option<String> {
    let version =
        Command::new("mdbook").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    (!version.is_ok_and(|status| status.success())).then(|| {
        "error: mdBook is not installed: run `cargo install --locked mdbook`, then `cargo xtask book` again"
            .to_owned()
    })
}
