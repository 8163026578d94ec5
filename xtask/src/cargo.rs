//! Running cargo, and the workspace that it is run on.
//!
//! Invariant: a command that could not be started is told apart from one that failed, and the
//! status of one that failed is passed on.

use std::env;
#[cfg(feature = "chores")]
use std::ffi::OsStr;
#[cfg(feature = "chores")]
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// The cargo that runs this, in the user's own folder, on this workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let (verb, rest) = arguments.split_first().expect("a cargo command has a verb");
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.arg(verb).arg("--manifest-path").arg(root().join("Cargo.toml")).args(rest).stdin(Stdio::null());
    command
}

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR").map_or(env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    here.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Runs a command to its end, its output shown as it comes.
#[cfg(feature = "chores")]
pub(crate) fn finish(mut command: Command) -> ExitCode {
    match command.status() {
        Ok(status) => code(status),
        Err(cause) => {
            eprintln!("error: cannot start {}: {cause}", command.get_program().display());
            ExitCode::FAILURE
        }
    }
}

/// The status of a command as the status of this one. One that a signal ended has failed.
pub(crate) fn code(status: ExitStatus) -> ExitCode {
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Returns the standard output of a command that succeeds. Its errors are shown as they come.
#[cfg(feature = "chores")]
pub(crate) fn output(command: &mut Command) -> io::Result<Vec<u8>> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let named = [command.get_program()].into_iter().chain(command.get_args());
    let named: Vec<_> = named.map(OsStr::to_string_lossy).collect();
    Err(io::Error::other(format!("`{}` failed", named.join(" "))))
}
