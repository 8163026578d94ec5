//! `cargo xtask mutants`: small faults put into the code one by one, each of which a test must catch.
//!
//! Invariant: the work is that of the package `mutants`, which this verb alone builds: it reads Rust, and no simulation
//! waits for its compilation.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::cargo::{cargo, finish};

/// Runs the mutants of the crates that the arguments name.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let mut command = cargo(&["run", "--quiet", "--locked", "--package", "mutants", "--"]);
    command.args(arguments);
    finish(command)
}
