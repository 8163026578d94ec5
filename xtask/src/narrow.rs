//! `cargo xtask test-32-bit`: tests of counts and layouts on a target whose pointers have 32 bits, interpreted by Miri.
//!
//! Invariant: the tests are those of the workspace, as they are. On this target 64-bit numbers are aligned as in `WebAssembly`, so layouts
//! are those of the playground's module too, whose digests `cargo xtask test-web` compares.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use crate::cargo::root;
use crate::nightly;

/// A target with pointers of 32 bits that Miri interprets.
const TARGET: &str = "armv7-unknown-linux-gnueabihf";

/// Tests, as arguments of `cargo test`: of the crates that count and lay out what a run holds, and of those the quick ones. Crates with
/// benchmarks are left out: their tests need a C compiler for the target.
const TESTS: [&str; 5] = [
    "--package units --lib",
    "--package packet --lib",
    "--package telemetry --lib",
    "--package ca-transport --lib -- adapter:: endpoint:: message::",
    "--package state-codec --test contract -- --skip values_are_loaded",
];

/// Cases that a property test draws: Miri takes about a thousand times as long as the processor.
const CASES: &str = "4";

/// Runs the tests, up to the first that fails.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(failed) = nightly::refused("test-32-bit", arguments) {
        return failed;
    }
    for tests in TESTS {
        let passed = match command(tests).status() {
            Ok(status) => status.success(),
            Err(error) => {
                eprintln!("error: rustup does not start: {error}");
                return ExitCode::FAILURE;
            }
        };
        if !passed {
            eprintln!("error: with pointers of 32 bits `cargo test {tests}` fails");
            return ExitCode::FAILURE;
        }
        println!("with pointers of 32 bits `cargo test {tests}` passes");
    }
    ExitCode::SUCCESS
}

fn command(tests: &str) -> Command {
    let mut command = nightly::miri("test");
    command.args(["--target", TARGET]).args(tests.split(' '));
    command.env("PROPTEST_CASES", CASES).current_dir(root());
    command
}
