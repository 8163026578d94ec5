//! Commands to copy: a verb of the program with the scenario of a run.
//!
//! Invariant: a shell reads each word as it is meant, whatever names and values hold.

use names::shell;
use settings::path_of;

/// The scenario of a run, as a command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedScenario {
    /// File, or name of a shipped scenario.
    pub scenario: String,
    /// Overrides, `PATH=VALUE`.
    pub sets: Vec<String>,
    /// Seed, if it is not the scenario's.
    pub seed: Option<u64>,
}

/// A command to copy, for any scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// A verb with options.
    Verb(&'static str, Vec<String>),
    /// A simulation with another override.
    With(String),
    /// A comparison with another value of a field.
    Comparison(&'static str, String),
    /// The headroom of the scenario's ports.
    Headroom,
}

/// A reason, and the command that it recommends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    pub(super) reason: String,
    pub(super) command: Command,
}

impl Advice {
    pub(super) fn new(reason: impl Into<String>, command: Command) -> Self {
        Self { reason: reason.into(), command }
    }

    /// Returns the advice in words, for a scenario as a command line names it.
    pub(crate) fn sentence(&self, asked: &AskedScenario) -> String {
        let command = match &self.command {
            Command::Verb(verb, words) => asked.command(verb, words),
            Command::With(set) => asked.with("sim", &[set], &[]),
            Command::Comparison(field, value) => asked.comparison(field, value),
            Command::Headroom => {
                asked.command("headroom", &[]).replacen(" headroom ", " headroom --scenario ", 1)
            }
        };
        format!("{}: `{command}`", self.reason)
    }
}

impl Command {
    /// Returns a verb with words behind the scenario.
    pub(super) fn verb(verb: &'static str, words: &[&str]) -> Self {
        Self::Verb(verb, words.iter().map(|word| (*word).to_owned()).collect())
    }
}

impl Default for AskedScenario {
    /// The resolved scenario that stands in a run's result folder.
    fn default() -> Self {
        Self { scenario: "plan.ron".to_owned(), sets: Vec::new(), seed: None }
    }
}

impl AskedScenario {
    /// Returns `backwater VERB SCENARIO --set ... WORDS`. Overrides that another one of `words` replaces are left out.
    fn command(&self, verb: &str, words: &[String]) -> String {
        let given = [verb.to_owned(), self.scenario.clone()].into_iter();
        let words = words.iter().cloned();
        line(given.chain(self.options(&[])).chain(words))
    }

    /// Returns a command with further overrides.
    pub(super) fn with(&self, verb: &str, sets: &[&str], words: &[&str]) -> String {
        let given = [verb.to_owned(), self.scenario.clone()].into_iter();
        let added = sets.iter().flat_map(|set| ["--set".to_owned(), (*set).to_owned()]);
        let words = words.iter().map(|word| (*word).to_owned());
        line(given.chain(self.options(sets)).chain(added).chain(words))
    }

    /// Returns a comparison with the same scenario under another value of a field.
    fn comparison(&self, field: &str, value: &str) -> String {
        let (own, common): (Vec<_>, Vec<_>) =
            self.sets.iter().partition(|set| path_of(set).starts_with(field));
        let own: Vec<_> = own.into_iter().map(String::as_str).collect();
        let now = match own.as_slice() {
            [] => self.scenario.clone(),
            own => format!("{}:{}", self.scenario, own.join(";")),
        };
        let other = format!("{}:{field}={value}", self.scenario);
        let common = common.into_iter().flat_map(|set| ["--set".to_owned(), set.clone()]);
        let seed = self.seed.into_iter().flat_map(|seed| ["--seed".to_owned(), seed.to_string()]);
        line(["compare".to_owned(), now, other].into_iter().chain(common).chain(seed))
    }

    /// Returns the options for overrides and the seed, without overrides of the same paths as `replaced`.
    fn options(&self, replaced: &[&str]) -> Vec<String> {
        let kept =
            self.sets.iter().filter(|set| !replaced.iter().any(|other| path_of(other) == path_of(set)));
        let sets = kept.flat_map(|set| ["--set".to_owned(), set.clone()]);
        sets.chain(self.seed.into_iter().flat_map(|seed| ["--seed".to_owned(), seed.to_string()])).collect()
    }
}

fn line(words: impl Iterator<Item = String>) -> String {
    shell::line(core::iter::once("backwater".to_owned()).chain(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_and_replace_overrides() {
        let asked = AskedScenario {
            scenario: "my fabric.ron".to_owned(),
            sets: vec!["congestion_control=Off".to_owned(), "duration=25 ms".to_owned()],
            seed: Some(7),
        };
        assert_eq!(
            asked.command("sim", &["--drain".to_owned()]),
            "backwater sim 'my fabric.ron' --set congestion_control=Off --set 'duration=25 ms' --seed 7 --drain"
        );
        assert_eq!(
            asked.with("sim", &["duration=1 s"], &[]),
            "backwater sim 'my fabric.ron' --set congestion_control=Off --seed 7 --set 'duration=1 s'"
        );
        assert_eq!(
            asked.comparison("congestion_control", "Iba()"),
            "backwater compare 'my fabric.ron:congestion_control=Off' 'my fabric.ron:congestion_control=Iba()' \
             --set 'duration=25 ms' --seed 7"
        );
        assert_eq!(AskedScenario::default().command("check", &[]), "backwater check plan.ron");
    }
}
