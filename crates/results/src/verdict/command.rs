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
        format!("{}: `{}`", self.reason, self.command.line(asked))
    }
}

impl Command {
    /// Returns the command for a scenario as a command line names it.
    pub(super) fn line(&self, asked: &AskedScenario) -> String {
        match self {
            Self::Verb(verb, words) => asked.command(verb, words),
            Self::With(set) => asked.with("sim", &[set], &[]),
            Self::Comparison(field, value) => asked.comparison(field, value),
            Self::Headroom => {
                asked.command("headroom", &[]).replacen(" headroom ", " headroom --scenario ", 1)
            }
        }
    }

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
    /// Returns `backwater VERB SCENARIO --set ... WORDS`.
    pub(super) fn command(&self, verb: &str, words: &[String]) -> String {
        self.with(verb, &[], words)
    }

    /// Returns a command with further overrides, which replace those of the same paths.
    pub(super) fn with(&self, verb: &str, sets: &[&str], words: &[String]) -> String {
        let given = [verb.to_owned(), self.scenario.clone()].into_iter();
        let added = sets.iter().flat_map(|set| ["--set".to_owned(), (*set).to_owned()]);
        let has_seeds = words.iter().any(|word| word == "--seeds");
        let seed = self.seed.filter(|_| !has_seeds).into_iter().flat_map(|seed| match verb {
            "sim" => ["--seed".to_owned(), seed.to_string()],
            // Other verbs know a seed as a field alone.
            _ => ["--set".to_owned(), format!("seed={seed}")],
        });
        let kept = self.kept(sets, has_seeds);
        line(given.chain(kept).chain(seed).chain(added).chain(words.iter().cloned()))
    }

    /// Returns a comparison with the same scenario under another value of a field.
    fn comparison(&self, field: &str, value: &str) -> String {
        let is_own = |set: &&String| {
            path_of(set)
                .strip_prefix(field)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let (own, common): (Vec<_>, Vec<_>) = self.sets.iter().partition(is_own);
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

    /// Returns the options for overrides, without those that other overrides or seeds replace.
    fn kept(&self, sets: &[&str], has_seeds: bool) -> Vec<String> {
        let is_replaced =
            |path: &str| has_seeds && path == "seed" || sets.iter().any(|other| path_of(other) == path);
        let kept = self.sets.iter().filter(|set| !is_replaced(path_of(set)));
        kept.flat_map(|set| ["--set".to_owned(), set.clone()]).collect()
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
        let seeded = AskedScenario { sets: vec!["seed=3".to_owned()], ..asked };
        assert_eq!(seeded.command("check", &[]), "backwater check 'my fabric.ron' --set seed=3 --set seed=7");
        assert_eq!(
            seeded.command("sweep", &["--seeds", "1..=6"].map(str::to_owned)),
            "backwater sweep 'my fabric.ron' --seeds 1..=6"
        );
        assert_eq!(
            AskedScenario { sets: vec!["switch.buffering=Output".to_owned()], ..AskedScenario::default() }
                .comparison("switch.buffer", "8 KiB"),
            "backwater compare plan.ron 'plan.ron:switch.buffer=8 KiB' --set switch.buffering=Output"
        );
    }
}
