//! `cargo xtask deny [--advisories]`: licences, sources and bans of all packages that are depended on, by `cargo-deny` and `deny.toml`.
//!
//! Invariant: nothing is installed, and nothing is asked of a network but with `--advisories`, which fetches the list of known faults.

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::{finish, root};

/// Workspaces with a lock file of their own.
const MANIFESTS: [&str; 2] = ["Cargo.toml", "tools/web-bindings/Cargo.toml"];

/// Checks all packages of both lock files.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let checks = match arguments {
        [] => &["bans", "licenses", "sources"][..],
        [advisories] if advisories == "--advisories" => &["advisories", "bans", "licenses", "sources"],
        _ => {
            eprintln!("error: `cargo xtask deny` takes `--advisories`, and nothing else");
            return ExitCode::from(2);
        }
    };
    if let Some(message) = missing() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    for manifest in MANIFESTS {
        let mut command = Command::new("cargo-deny");
        command.arg("--manifest-path").arg(root().join(manifest)).args(["--locked", "--config"]);
        command.arg(root().join("deny.toml")).arg("check").args(checks).stdin(Stdio::null());
        let status = finish(command);
        if status != ExitCode::SUCCESS {
            eprintln!("error: a package that {manifest} depends on is not allowed by deny.toml");
            return status;
        }
    }
    ExitCode::SUCCESS
}

/// Returns the message about a missing `cargo-deny`, if it is missing.
pub(crate) fn missing() -> Option<String> {
    let version = Command::new("cargo-deny").arg("--version").stdin(Stdio::null()).output();
    (!version.is_ok_and(|output| output.status.success())).then(|| {
        "error: there is no `cargo-deny`\nhelp: install it: `cargo install --locked cargo-deny`".to_owned()
    })
}
