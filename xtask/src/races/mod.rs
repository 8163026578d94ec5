//! `cargo xtask test-races`: data races and misuse of memory, looked for where the threads of a run meet (Miri, `ThreadSanitizer`).
//!
//! Invariant: nothing is installed; a component that is missing is named, with the command that installs it. The tests build apart, in
//! `target/miri` and `target/tsan`, so that no other build begins anew after them. Each tool first finds a race that is planted.
//!
//! | tool | what it runs, and how |
//! |---|---|
//! | Miri | the meetings of `parallel` and a small run of `fabric` on two threads, interpreted: every access is checked, and relaxed loads may return older values |
//! | `ThreadSanitizer` | the meetings, compiled, with a standard library that is built for it |

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::cargo::root;
use crate::nightly;

/// The race that each tool has to find, and the manifest of a package of it. The profile is that of our tests, so that the standard library is
/// built once.
const PLANTED: &str = include_str!("planted.rs");
const PLANTED_MANIFEST: &str = "[package]\nname = \"planted\"\nedition = \"2024\"\n\n[workspace]\n\n\
                                [profile.dev]\nopt-level = 1\ndebug = \"line-tables-only\"\n";

/// Tests, as arguments of `cargo test`: meetings of threads, and a run on two threads that is small enough to be interpreted.
const MEETINGS: &str = "--package parallel --test all meetings::";
const SMALL_RUN: &str =
    "--package fabric --test whole parts::a_run_of_microseconds_on_threads_is_that_of_one_part";

/// A tool that looks for races.
#[derive(Clone, Copy, Debug)]
enum Tool {
    Miri,
    ThreadSanitizer,
}

/// Runs the tests by both tools, up to the first that fails.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(failed) = nightly::refused("test-races", arguments) {
        return failed;
    }
    let Some(target) = nightly::host() else {
        eprintln!("error: `rustc -vV` of the nightly toolchain names no host");
        return ExitCode::FAILURE;
    };
    match Tool::ALL.into_iter().try_for_each(|tool| tool.judge(&target)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

type Fault = Box<dyn std::error::Error>;

impl Tool {
    const ALL: [Self; 2] = [Self::Miri, Self::ThreadSanitizer];

    /// Lets the tool find the planted race, and then none in our tests.
    fn judge(self, target: &str) -> Result<(), Fault> {
        self.find_planted(target)?;
        println!("{self:?} finds the race that is planted");
        let tests = match self {
            Self::Miri => &[MEETINGS, SMALL_RUN][..],
            Self::ThreadSanitizer => &[MEETINGS],
        };
        for tests in tests {
            let mut command = self.cargo("test", target);
            if !command.args(tests.split(' ')).current_dir(root()).status()?.success() {
                return Err(format!("{self:?} fails in `cargo test {tests}`").into());
            }
            println!("{self:?} finds nothing in `cargo test {tests}`");
        }
        Ok(())
    }

    fn find_planted(self, target: &str) -> Result<(), Fault> {
        let folder = root().join("target/races");
        plant(&folder)?;
        let output = self.cargo("run", target).current_dir(&folder).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() && self.names_race(&said) {
            return Ok(());
        }
        let what =
            format!("{self:?} does not find the race in xtask/src/races/planted.rs, and would find no other");
        Err(format!("{what}; it says:\n{said}").into())
    }

    /// Returns true if the tool says that there is a race in the file that is planted.
    fn names_race(self, said: &str) -> bool {
        let race = match self {
            Self::Miri => "Data race detected",
            Self::ThreadSanitizer => "ThreadSanitizer: data race",
        };
        said.contains(race) && said.contains("src/main.rs")
    }

    /// Returns a command of the nightly cargo, which builds in a folder of the tool's own.
    fn cargo(self, verb: &str, target: &str) -> Command {
        match self {
            Self::Miri => nightly::miri(verb),
            Self::ThreadSanitizer => {
                let mut command = nightly::cargo("tsan");
                command.args([verb, "-Zbuild-std", "--target", target]);
                command.env("RUSTFLAGS", "-Zsanitizer=thread");
                command
            }
        }
    }
}

/// Writes the package with the race.
fn plant(folder: &Path) -> Result<(), Fault> {
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), PLANTED_MANIFEST)?;
    Ok(fs::write(folder.join("src/main.rs"), PLANTED)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that does not build, or panics, is no race that was found.
    #[test]
    fn only_a_race_that_is_named_counts() {
        let miri = "error: Undefined Behavior: Data race detected between ...\n --> src/main.rs:13:37";
        assert!(Tool::Miri.names_race(miri));
        assert!(!Tool::ThreadSanitizer.names_race(miri));
        let sanitizer = "WARNING: ThreadSanitizer: data race (pid=1)\n  #0 planted::main src/main.rs:13";
        assert!(Tool::ThreadSanitizer.names_race(sanitizer));
        assert!(!Tool::Miri.names_race("error: cannot find `COUNT` in src/main.rs"));
    }
}
