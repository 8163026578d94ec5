//! `cargo xtask help`: the list of verbs, and the nearest verb to a mistyped one.
//!
//! Invariant: the list is the routing table itself, so it cannot be out of date.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::{Task, VERBS, Verb};

/// Prints the verbs, a line each.
pub(crate) fn run(_: &[OsString]) -> ExitCode {
    print!("{}", text());
    ExitCode::SUCCESS
}

/// Reports an unknown verb, with the nearest one.
#[cfg(feature = "chores")]
pub(crate) fn unknown(given: &str) -> ExitCode {
    eprintln!("error: `{given}` is not a verb of `cargo xtask`{}", hint(given));
    eprintln!("`cargo xtask help` lists them all");
    ExitCode::from(2)
}

/// Refuses the arguments of a verb that takes none; `None` if there are none.
#[cfg(feature = "chores")]
pub(crate) fn refused(verb: &str, arguments: &[OsString]) -> Option<ExitCode> {
    let given = arguments.first()?;
    eprintln!("error: `cargo xtask {verb}` takes no arguments, and there is `{}`", given.to_string_lossy());
    Some(ExitCode::from(2))
}

fn text() -> String {
    let lines = |simulates: bool| {
        VERBS
            .iter()
            .filter(move |verb| matches!(verb.task, Task::Simulate) == simulates)
            .map(|Verb { name, about, .. }| format!("  {name:<14}{about}\n"))
            .collect::<String>()
    };
    format!(
        "cargo xtask VERB [ARGS]\n\nSimulation, by a release build of `backwater` (`VERB --help` tells more):\n{}\n\
         Chores of the repository:\n{}",
        lines(true),
        lines(false)
    )
}

/// `: did you mean ...?`, if some verb is near enough to `given`.
#[cfg(feature = "chores")]
fn hint(given: &str) -> String {
    let nearest = VERBS
        .iter()
        .map(|verb| (strsim::osa_distance(given, verb.name), verb.name))
        .min()
        .filter(|(distance, name)| *distance <= name.len() / 2);
    nearest.map_or(String::new(), |(_, name)| format!(": did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_its_line() {
        let text = text();
        for verb in VERBS {
            assert!(text.contains(&format!("\n  {:<14}{}\n", verb.name, verb.about)), "{}", verb.name);
        }
    }

    #[test]
    fn arguments_of_a_verb_without_any_are_refused() {
        assert_eq!(refused("ci", &[]), None);
        assert_eq!(refused("ci", &["--frob".into()]), Some(ExitCode::from(2)));
    }

    #[test]
    fn a_typing_error_is_corrected_and_nonsense_is_not() {
        assert_eq!(hint("smi"), ": did you mean `sim`?");
        assert_eq!(hint("tidi"), ": did you mean `tidy`?");
        assert_eq!(hint("benhc"), ": did you mean `bench`?");
        assert_eq!(hint("frobnicate"), "");
    }
}
