//! The nightly toolchain, which has the tools that a stable one lacks: Miri, which interprets a program, and the source of the
//! standard library, to build it anew.
//!
//! Invariant: nothing is installed; a component that is missing is named, with the command that installs it.

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::root;
use crate::help;

/// Components of the toolchain that the tools need.
const COMPONENTS: [&str; 2] = ["miri", "rust-src"];

/// Refuses a verb that takes no arguments and needs the toolchain, if there are some, or if a component is missing, which it names.
pub(crate) fn refused(verb: &str, arguments: &[OsString]) -> Option<ExitCode> {
    if let Some(refused) = help::refused(verb, arguments) {
        return Some(refused);
    }
    let message = lacking()?;
    eprintln!("{message}");
    Some(ExitCode::FAILURE)
}

/// Returns what the toolchain lacks, with the way to get it; `None` if it lacks nothing.
pub(crate) fn lacking() -> Option<String> {
    let list = ["component", "list", "--installed", "--toolchain", "nightly"];
    missing(&said(Command::new("rustup").args(list)))
}

/// Returns what a toolchain with these components lacks, with the way to get it; `None` if it lacks nothing.
fn missing(installed: &str) -> Option<String> {
    let is_there = |name: &&&str| installed.lines().any(|line| line.starts_with(**name));
    let lacking: Vec<&str> = COMPONENTS.iter().filter(|name| !is_there(name)).copied().collect();
    let list = lacking.join(" and ");
    (!lacking.is_empty()).then(|| {
        format!(
            "error: the nightly toolchain lacks {list}\n\
             help: rustup toolchain install nightly --component {}",
            COMPONENTS.join(",")
        )
    })
}

/// Returns the target that the nightly toolchain runs on.
pub(crate) fn host() -> Option<String> {
    let about = said(Command::new("rustup").args(["run", "nightly", "rustc", "-vV"]));
    about.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

/// Returns what a command prints; nothing if it cannot be started.
fn said(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// Returns a command of Miri: `test` or `run`. The program sees files and the clock of this machine.
pub(crate) fn miri(verb: &str) -> Command {
    let mut command = cargo("miri");
    command.args(["miri", verb]).env("MIRIFLAGS", "-Zmiri-disable-isolation");
    command
}

/// Returns a command of the toolchain's cargo, which builds in the folder `name` of `target`.
pub(crate) fn cargo(name: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).stdin(Stdio::null());
    // Those of the toolchain that runs this.
    ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN", "RUSTFLAGS"].iter().for_each(|name| {
        command.env_remove(name);
    });
    command.env("CARGO_TARGET_DIR", root().join("target").join(name));
    command
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_missing_component_is_named() {
        let both = "cargo-x86_64-unknown-linux-gnu\nmiri-x86_64-unknown-linux-gnu\nrust-src\n";
        assert_eq!(missing(both), None);
        let message = missing("rust-std-x86_64-unknown-linux-gnu\nrust-src\n").expect("no Miri");
        assert!(message.contains("lacks miri\n"), "{message}");
        let message = missing("").expect("nothing");
        assert!(message.contains("lacks miri and rust-src\n"), "{message}");
    }
}
