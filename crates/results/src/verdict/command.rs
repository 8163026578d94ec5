//! Commands to copy: a verb of the program with the scenario of a run.
//!
//! Invariant: a shell reads each word as it is meant, whatever names and values hold.

use names::shell;
use settings::path_of;

/// Verbs with the options of an end.
const VERBS_WITH_END: [&str; 4] = ["sim", "compare", "sweep", "place"];
/// Option of a run that ends when its finite traffic is delivered, and the option with its longest time.
const UNTIL_DONE: &str = "--until-done";
const AT_MOST: &str = "--at-most";
/// Option of a run that delivers what is under way at its end.
pub(super) const DRAIN: &str = "--drain";
/// Field of the time after which a run ends.
const DURATION: &str = "duration";

/// The scenario of a run, as a command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedScenario {
    /// File, or name of a shipped scenario.
    pub scenario: String,
    /// Overrides, `PATH=VALUE`.
    pub sets: Vec<String>,
    /// Seed, if it is not the scenario's.
    pub seed: Option<u64>,
    /// End of the run, if options give it.
    pub end: AskedEnd,
}

/// The end of a run, as the options of a command line give it: `--until-done`, `--at-most TIME`, `--drain`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskedEnd {
    /// Options, for verbs that run a scenario.
    pub options: Vec<String>,
    /// Overrides that mean the same, for verbs without these options. A drain has none.
    pub sets: Vec<String>,
}

/// A command to copy, for any scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// A verb with options.
    Verb(&'static str, Vec<String>),
    /// A simulation with another override.
    With(String),
    /// A sweep with further overrides, and with options.
    Sweep(Vec<String>, Vec<String>),
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
            Self::Sweep(sets, words) => {
                let sets: Vec<_> = sets.iter().map(String::as_str).collect();
                asked.with("sweep", &sets, words)
            }
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
        Self { scenario: "plan.ron".to_owned(), sets: Vec::new(), seed: None, end: AskedEnd::default() }
    }
}

impl AskedScenario {
    /// Returns `backwater VERB SCENARIO --set ... WORDS`.
    pub(super) fn command(&self, verb: &str, words: &[String]) -> String {
        self.with(verb, &[], words)
    }

    /// Returns a command with further overrides, which replace those of the same paths.
    pub(super) fn with(&self, verb: &str, sets: &[&str], words: &[String]) -> String {
        let given = verb.split(' ').map(str::to_owned).chain([self.scenario.clone()]);
        let (end, sets) = self.end.of_verb(verb, (sets, words));
        let added = sets.iter().flat_map(|set| ["--set".to_owned(), (*set).to_owned()]);
        let has_seeds = words.iter().any(|word| word == "--seeds");
        let seed = self.seed.filter(|_| !has_seeds).into_iter().flat_map(|seed| match verb {
            "sim" => ["--seed".to_owned(), seed.to_string()],
            // Other verbs know a seed as a field alone.
            _ => ["--set".to_owned(), format!("seed={seed}")],
        });
        let mut kept = self.kept(&sets, has_seeds);
        if end.iter().any(|option| option == AT_MOST) {
            // The longest time takes the place of a duration.
            kept.retain(|set| path_of(set) != DURATION);
        }
        let kept = kept.into_iter().flat_map(|set| ["--set".to_owned(), set.clone()]);
        line(given.chain(kept).chain(seed).chain(added).chain(end).chain(words.iter().cloned()))
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
        let end = self.end.options.iter().cloned();
        line(["compare".to_owned(), now, other].into_iter().chain(common).chain(seed).chain(end))
    }

    /// Returns the overrides, without those that other overrides or seeds replace.
    fn kept(&self, sets: &[&str], has_seeds: bool) -> Vec<&String> {
        let is_replaced =
            |path: &str| has_seeds && path == "seed" || sets.iter().any(|other| path_of(other) == path);
        self.sets.iter().filter(|set| !is_replaced(path_of(set))).collect()
    }
}

impl AskedEnd {
    /// Returns the options that a verb takes beside these overrides and words, and the overrides that it then needs. A
    /// longer duration is the longest time of a run that ends when its traffic is delivered.
    fn of_verb<'a>(
        &'a self,
        verb: &str,
        (sets, words): (&[&'a str], &[String]),
    ) -> (Vec<String>, Vec<&'a str>) {
        if !VERBS_WITH_END.contains(&verb) {
            let own = self.sets.iter().map(String::as_str).filter(|own| is_new(own, sets));
            return (Vec::new(), own.chain(sets.iter().copied()).collect());
        }
        let mut options = self.options.clone();
        options.retain(|option| !words.contains(option));
        let mut sets = sets.to_vec();
        // A scenario may ask for such an end itself.
        let is_until_done = options.iter().any(|option| option == UNTIL_DONE || option == AT_MOST);
        if let Some(place) = sets.iter().position(|set| is_until_done && path_of(set) == DURATION) {
            let longest = sets.remove(place).split_once('=').map_or("", |(_, value)| value);
            // The option and its value.
            if let Some(at_most) = options.iter().position(|option| option == AT_MOST) {
                options.drain(at_most..(at_most + 2).min(options.len()));
            }
            options.extend([AT_MOST.to_owned(), longest.to_owned()]);
        }
        (options, sets)
    }
}

/// Returns true if none of the overrides has the path of another.
fn is_new(set: &str, others: &[&str]) -> bool {
    others.iter().all(|other| path_of(other) != path_of(set))
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
            end: AskedEnd::default(),
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
    /// Every command of a verb that runs a scenario ends its runs as the run was ended, and no option stands twice.
    #[test]
    fn the_end_of_a_run_is_kept_in_every_command() {
        let asked = |options: &[&str], set: &str| {
            let options = options.iter().map(|word| (*word).to_owned()).collect();
            let sets = ["until_done=true", "duration=2 ms"].map(str::to_owned).to_vec();
            let end = AskedEnd { options, sets };
            AskedScenario { end, sets: vec![set.to_owned()], ..AskedScenario::default() }
        };
        let all = asked(&[UNTIL_DONE, AT_MOST, "2 ms", DRAIN], "mtu=2 KiB");
        let (own, end) = ("plan.ron --set 'mtu=2 KiB'", "--until-done --at-most '2 ms' --drain");
        let other = "--set until_done=true --set 'duration=2 ms'";
        let cases = [
            (Command::verb("sim", &[]), format!("sim {own} {end}")),
            (Command::With("routing=Par".to_owned()), format!("sim {own} --set routing=Par {end}")),
            (
                Command::With("duration=9 ms".to_owned()),
                format!("sim {own} --until-done --drain --at-most '9 ms'"),
            ),
            (Command::verb("sweep", &["--seeds", "1..=6"]), format!("sweep {own} {end} --seeds 1..=6")),
            (
                Command::Comparison("routing", "Par".to_owned()),
                format!("compare plan.ron plan.ron:routing=Par --set 'mtu=2 KiB' {end}"),
            ),
            (Command::verb("place", &["--job", "A"]), format!("place {own} {end} --job A")),
            // Verbs that run nothing have no such options.
            (Command::verb("export goal", &[]), format!("export goal {own} {other}")),
            (Command::verb("check", &[]), format!("check {own} {other}")),
            (Command::Headroom, format!("headroom --scenario {own} {other}")),
        ];
        for (command, wanted) in cases {
            assert_eq!(command.line(&all), format!("backwater {wanted}"));
        }
        // A scenario that ends itself when its traffic is delivered.
        let own_end = asked(&[AT_MOST, "10 us"], "mtu=2 KiB");
        let longer = Command::With("duration=27 us".to_owned()).line(&own_end);
        assert_eq!(longer, format!("backwater sim {own} --at-most '27 us'"));
        // A duration is given once.
        let short = asked(&[UNTIL_DONE], "duration=200 us");
        let cases = [
            (Command::verb("sim", &["--drain"]), "sim plan.ron --set 'duration=200 us' --until-done --drain"),
            (Command::With("duration=9 ms".to_owned()), "sim plan.ron --until-done --at-most '9 ms'"),
            (Command::verb("check", &[]), &format!("check plan.ron {other}")),
        ];
        for (command, wanted) in cases {
            assert_eq!(command.line(&short), format!("backwater {wanted}"));
        }
        let drained = asked(&[DRAIN], "mtu=2 KiB");
        assert_eq!(Command::verb("sim", &["--drain"]).line(&drained), format!("backwater sim {own} --drain"));
    }
}
