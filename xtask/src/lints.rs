//! `cargo xtask lints`: the objections of the compiler and of clippy, and casts that cut numbers where pointers have 32 bits.
//!
//! Invariant: one run of clippy tells both, since other arguments would check the whole workspace again. Of its lint for casts that
//! may truncate only those to `usize` in libraries and their unit tests count: a cast from `u64` to `u32` says what it does, on every target alike.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{ExitCode, Stdio};

use serde_json::Value;

use crate::cargo::cargo;

/// Clippy's lint for casts.
const CASTS: &str = "clippy::cast_possible_truncation";

/// Words of its message on a cast that keeps its number with 64 bits and not with 32.
const NARROW: &str = "32-bit wide pointers";

/// Runs clippy over the packages that `arguments` choose, all of them if there are none, and fails if it objects.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let mut clippy = cargo(&["clippy", "--all-targets", "--locked", "--message-format=json"]);
    if arguments.is_empty() {
        clippy.arg("--workspace");
    }
    // The lint for casts stays a warning under `--deny warnings`, since most of its warnings are no faults here.
    clippy.args(arguments).args(["--", "--deny", "warnings", "--force-warn", CASTS]);
    let mut child = match clippy.stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("error: cargo clippy does not start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut found = BTreeSet::new();
    let messages = child.stdout.take().map(BufReader::new);
    for line in messages.into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
        match objection(&line) {
            Some(Objection::Cast(text)) => _ = found.insert(text),
            Some(Objection::Other(text)) => eprintln!("{text}"),
            None => {}
        }
    }
    let is_fine = child.wait().is_ok_and(|status| status.success());
    found.iter().for_each(|text| eprintln!("{text}"));
    println!("casts: {} of `u64` or `u128` to `usize`", found.len());
    if is_fine && found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A message of clippy that matters.
#[derive(Debug, PartialEq, Eq)]
enum Objection {
    Cast(String),
    Other(String),
}

/// Returns the objection in a line of cargo's messages, as clippy prints it.
fn objection(line: &str) -> Option<Objection> {
    let message: Value = serde_json::from_str(line).ok()?;
    let diagnostic = message.get("message")?;
    let text = diagnostic["rendered"].as_str()?.trim_end().to_owned();
    if diagnostic["code"]["code"] != CASTS {
        return Some(Objection::Other(text));
    }
    let kinds = message["target"]["kind"].as_array();
    let is_library = kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib"));
    let is_narrow = diagnostic["message"].as_str().is_some_and(|words| words.contains(NARROW));
    (is_library && is_narrow).then_some(Objection::Cast(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: &str, lint: &str, words: &str) -> String {
        format!(
            r#"{{"reason":"compiler-message","target":{{"kind":["{kind}"]}},
               "message":{{"code":{{"code":"{lint}"}},"message":"{words}","rendered":"warning: {words}\n"}}}}"#
        )
    }

    #[test]
    fn only_casts_of_libraries_to_the_width_of_a_pointer_count() {
        let cut = "casting `u64` to `usize` may truncate the value on targets with 32-bit wide pointers";
        let cast = |kind| objection(&line(kind, CASTS, cut));
        assert_eq!(cast("lib"), Some(Objection::Cast(format!("warning: {cut}"))));
        assert_eq!(cast("test"), None);
        assert_eq!(objection(&line("lib", CASTS, "casting `u64` to `u32` may truncate the value")), None);
        let other = objection(&line("test", "unused_variables", "unused variable: `a`"));
        assert_eq!(other, Some(Objection::Other("warning: unused variable: `a`".to_owned())));
        assert_eq!(objection(r#"{"reason":"build-finished","success":true}"#), None);
    }
}
