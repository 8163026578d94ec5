//! `cargo xtask bless`: accepts the present output of the tests as their snapshots.
//!
//! Invariant: snapshots are accepted and nothing else. A test that fails for another reason still fails.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::cargo::{cargo, finish};

/// Runs the tests with every snapshot accepted, and reminds the user to read the difference.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let mut command = cargo(&["test", "--workspace", "--no-fail-fast"]);
    command.args(arguments).env("INSTA_UPDATE", "always");
    let status = finish(command);
    eprintln!(
        "\nwarning: snapshots are now whatever the code does. Read `git diff` line by line: a digest, a \
         summary or a message\nthat changed without your meaning it is a bug you have just hidden. Results \
         that change on purpose are told in\nCHANGELOG.md: which, and why."
    );
    status
}
