//! `cargo xtask test-parallel [ARGS]`: every order in which threads may meet, and every value that they may read (loom).
//!
//! Invariant: the tests build apart in `target/loom`, so that no other build begins anew after them.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::cargo::{cargo, finish, root};

/// Explores the meetings of `parallel`, with `arguments` for `cargo test`.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let mut command = cargo(&["test", "--package", "parallel", "--test", "all", "--release", "explored::"]);
    command
        .env("RUSTFLAGS", "--cfg loom")
        .env("CARGO_TARGET_DIR", root().join("target/loom"))
        .args(arguments);
    finish(command)
}
