//! `cargo xtask test [ARGS]`: every test of the workspace.
//!
//! Invariant: plain `cargo test`, which every toolchain has; its closing lines are printed as they
//! are.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::cargo::{cargo, finish};

/// Runs the tests, with `arguments` for `cargo test`.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let mut command = cargo(&["test", "--workspace"]);
    command.args(arguments);
    finish(command)
}
