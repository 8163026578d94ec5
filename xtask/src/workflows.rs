//! `cargo xtask test-workflows`: the workflows of `.github`, judged by zizmor.
//!
//! Invariant: nothing is installed, and nothing is asked of a network. `cargo xtask tidy` has the rules that need no tool.

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::{finish, root};
use crate::help;

/// Lets zizmor judge all workflows.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(refused) = help::refused("test-workflows", arguments) {
        return refused;
    }
    if let Some(message) = missing() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let mut command = Command::new("zizmor");
    command.args(["--offline", "--no-progress", "--config"]).arg(root().join(".github/zizmor.yml"));
    command.arg(root().join(".github/workflows")).stdin(Stdio::null());
    finish(command)
}

/// Returns the message about a missing zizmor, if it is missing.
pub(crate) fn missing() -> Option<String> {
    let version = Command::new("zizmor").arg("--version").stdin(Stdio::null()).output();
    (!version.is_ok_and(|output| output.status.success()))
        .then(|| "error: there is no `zizmor`\nhelp: install it: `pip install zizmor`".to_owned())
}
