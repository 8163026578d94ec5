//! `cargo xtask test-web`: the playground in headless Chromium, against the native program.
//!
//! Invariant: nothing is installed here, and the browser asks for nothing but the page's own files. The script `trying.cjs` and those in
//! `trying/` know the page, and no crate.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use crate::cargo::{finish, root};
use crate::{pages, simulate};

/// Builds the playground, and tries the parts that are named, or all: lessons, controls, access, speed, digests and shots.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let (playwright, browser) = match pages::tools() {
        Ok(tools) => tools,
        Err(missing) => {
            eprintln!("{missing}");
            return ExitCode::FAILURE;
        }
    };
    let folder = match super::build() {
        Ok(folder) => folder,
        Err(faults) => {
            eprintln!("{faults}");
            return ExitCode::FAILURE;
        }
    };
    let program = match simulate::build() {
        Ok(program) => program,
        Err(failed) => return failed,
    };
    let mut trying = Command::new("node");
    trying.arg(root().join("xtask/src/web/trying.cjs")).args([playwright, browser]).arg(folder).arg(program);
    trying.args(arguments);
    finish(trying)
}
