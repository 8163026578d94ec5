//! The compiler for `wasm32-unknown-unknown`: rustup's target where it is installed, else Debian's compiler, which builds the standard
//! library itself.
//!
//! Invariant: both compile the same sources with the same profile; results of a run do not depend on the compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo::root;

const TARGET: &str = "wasm32-unknown-unknown";
/// Profile of the module: as small as can be, since it is loaded before the first run, but for the crates of the event loop (`fabric`, `switch-arch`,
/// `ca-transport`, `link-layer`, `cc-policies`, `event-kernel`, `packet`, `units`). Packages that the
/// release profile names have their settings there, and need their own here. `"*"` means packages of others.
const PROFILE: [&str; 22] = [
    "profile.release.lto=true",
    "profile.release.strip=true",
    "profile.release.package.\"*\".opt-level=\"s\"",
    "profile.release.package.annotate-snippets.opt-level=\"z\"",
    "profile.release.package.schemars.opt-level=\"z\"",
    "profile.release.package.serde_json.opt-level=\"z\"",
    "profile.release.package.strsim.opt-level=\"z\"",
    "profile.release.package.scenario.opt-level=\"z\"",
    "profile.release.package.results.opt-level=\"z\"",
    "profile.release.package.results.codegen-units=1",
    "profile.release.package.figures.opt-level=\"z\"",
    "profile.release.package.figures.codegen-units=1",
    "profile.release.package.page.opt-level=\"z\"",
    "profile.release.package.page.codegen-units=1",
    "profile.release.package.settings.opt-level=\"z\"",
    "profile.release.package.web.opt-level=\"z\"",
    "profile.release.package.topology.opt-level=\"z\"",
    "profile.release.package.workload.opt-level=\"z\"",
    "profile.release.package.telemetry.opt-level=\"z\"",
    "profile.release.package.traces.opt-level=\"z\"",
    "profile.release.package.state-codec.opt-level=\"z\"",
    "profile.release.package.parallel.opt-level=\"z\"",
];
/// Debian's compiler and cargo, and the standard library that the package `rust-web-src` links into its place.
const DEBIAN: [&str; 3] = ["/usr/bin/rustc", "/usr/bin/cargo", "/usr/lib/rustlib/src/rust/library/std"];
/// Help for a machine with neither.
const MISSING: &str = "error: there is no compiler for wasm32-unknown-unknown\n\
    help: `rustup target add wasm32-unknown-unknown`, or, on Debian, `apt-get update`, since the compiler of an older list\n\
    is refused by our minimum version, and then `apt-get install rustc-web cargo-web rust-web-src`";

/// A compiler for the target.
#[derive(Clone, Debug)]
pub(super) enum Compiler {
    /// That of the toolchain, whose standard library for the target is installed.
    Toolchain,
    /// Debian's, with the linker of the toolchain.
    Debian {
        /// The linker.
        linker: PathBuf,
    },
}

impl Compiler {
    /// Finds a compiler, or says how to get one.
    pub(super) fn find() -> Result<Self, String> {
        let sysroot = Command::new("rustc").args(["--print", "sysroot"]).stdin(Stdio::null()).output();
        let sysroot = sysroot.ok().filter(|output| output.status.success());
        let sysroot = sysroot.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
        let libraries = sysroot.map(|sysroot| sysroot.join("lib/rustlib")).ok_or(MISSING)?;
        if libraries.join(TARGET).is_dir() {
            return Ok(Self::Toolchain);
        }
        let linker = libraries.join("x86_64-unknown-linux-gnu/bin/rust-lld");
        let has_debian = DEBIAN.iter().all(|path| Path::new(path).exists()) && linker.is_file();
        if has_debian { Ok(Self::Debian { linker }) } else { Err(MISSING.to_owned()) }
    }

    /// Compiles the module, and returns its path.
    pub(super) fn module(&self) -> Result<PathBuf, String> {
        let target = root().join("target/web-compiler");
        let mut command = match self {
            Self::Toolchain => Command::new("cargo"),
            Self::Debian { linker } => {
                let mut command = Command::new(DEBIAN[1]);
                // The library is built with the module, which stable compilers allow to themselves only.
                command.env("RUSTC_BOOTSTRAP", "1").env("RUSTC", DEBIAN[0]);
                command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
                command
            }
        };
        // No other lint sees what is compiled for this target only. Cargo caps the lints of the library and of others' packages.
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Dwarnings");
        command.args(["build", "--quiet", "--locked", "--release", "--package", "web", "--target", TARGET]);
        command.arg("--manifest-path").arg(root().join("Cargo.toml")).arg("--target-dir").arg(&target);
        PROFILE.iter().for_each(|setting| {
            command.args(["--config", setting]);
        });
        if matches!(self, Self::Debian { .. }) {
            command.arg("-Zbuild-std=std,panic_abort");
        }
        super::succeeded(command)?;
        Ok(target.join(TARGET).join("release/web.wasm"))
    }
}
