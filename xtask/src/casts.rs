//! `cargo xtask casts`: no cast of a library cuts numbers on a target whose pointers have 32 bits.
//!
//! Invariant: the judge is clippy. Of its lint for casts that may truncate only those to `usize` count here: a cast from `u64` to `u32`
//! says what it does, on every target alike.

use std::ffi::OsString;
use std::process::{ExitCode, Stdio};

use crate::cargo::cargo;
use crate::help;

/// Words of clippy's message on a cast that keeps its number with 64 bits and not with 32.
const NARROW: &str = "32-bit wide pointers";

/// Runs clippy over all libraries, and fails if it finds such a cast.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(refused) = help::refused("casts", arguments) {
        return refused;
    }
    let mut clippy = cargo(&["clippy", "--workspace", "--lib", "--locked", "--message-format=short"]);
    clippy.args(["--", "-W", "clippy::cast_possible_truncation"]);
    let output = match clippy.stdout(Stdio::null()).stderr(Stdio::piped()).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("error: cargo clippy does not start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let printed = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        eprint!("{printed}");
        return ExitCode::FAILURE;
    }
    let found = narrow(&printed);
    found.iter().for_each(|line| eprintln!("{line}"));
    println!("casts: {} of `u64` or `u128` to `usize`", found.len());
    if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the lines on casts that are cut at 32 bits, each once.
fn narrow(printed: &str) -> Vec<&str> {
    let mut lines: Vec<_> = printed.lines().filter(|line| line.contains(NARROW)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_casts_to_the_width_of_a_pointer_count() {
        let cut = "a.rs:1:5: warning: casting `u64` to `usize` may truncate the value on targets with 32-bit wide pointers";
        let other = "a.rs:2:5: warning: casting `u64` to `u32` may truncate the value";
        assert_eq!(narrow(&format!("{other}\n{cut}\n{cut}\n")), [cut]);
        assert!(narrow(other).is_empty());
    }
}
