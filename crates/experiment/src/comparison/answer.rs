//! The answer of a comparison in four sentences.
//!
//! Invariant: how sure it is stands in the words of [`statistics::Verdict`], which sweeps have too.
//!
//! [`statistics::Verdict`]: crate::statistics::Verdict

use measures::{Measure, Quantity};
use results::format::{counted, listed};
use results::verdict::Verdict as Answer;

use super::story::Story;
use super::{SeededComparison, SeededRun};
use crate::statistics::verdict::{NoVerdict, VerdictQuestion};
use crate::statistics::{Estimate, Reading, Setting, Verdict};

/// Largest number of runs with a number of their own in a sentence.
const MOST_RUNS: usize = 4;
/// Number of seeds that the advice asks for where there is a single seed.
const FEW_SEEDS: u64 = 5;

/// The command line of a comparison, for advice that repeats it.
#[derive(Clone, Copy, Debug)]
pub struct CompareCommand<'a> {
    /// The command without seeds and folder, quoted for a shell.
    pub words: &'a str,
    /// The folder of each run with the first seed, quoted for a shell.
    pub folders: &'a [String],
    /// True if the runs go on until finite traffic is delivered.
    pub until_done: bool,
    /// True if a run names a seed of its own.
    pub own_seeds: bool,
}

impl SeededComparison {
    /// Returns the answer.
    ///
    /// # Panics
    /// If there is no seed.
    #[must_use]
    pub fn verdict(&self, command: CompareCommand<'_>) -> Answer {
        let story = self.story.as_ref().expect("a comparison has a seed");
        let setting = |run: &SeededRun| Setting {
            name: run.label.clone(),
            edges: Vec::new(),
            readings: run.readings.clone(),
        };
        let settings: Vec<_> = self.runs.iter().map(setting).collect();
        let best = Verdict::of(VerdictQuestion::of(&story.measure, None), &settings);
        Answer {
            loss: self.loss(story),
            cause: self.cause(story),
            confidence: self.confidence(&best, command),
            advice: self.advice(&best, command),
        }
    }

    /// Returns the number of each run, and the waits of the worst victim.
    fn loss(&self, story: &Story) -> String {
        let measure = &story.measure;
        let all: Vec<_> =
            self.runs.iter().map(|run| format!("{} with {}", number(run, measure), run.label)).collect();
        let numbers = match all.len() {
            0..=MOST_RUNS => listed(&all),
            count => format!(
                "{}; and the numbers of {} below",
                all[..MOST_RUNS].join(", "),
                counted(count - MOST_RUNS, "further run")
            ),
        };
        let subject = if measure.group == measures::ALL { "all flows" } else { &measure.group };
        let of_phase = |phase: &String| format!(", in the second half of phase `{phase}`");
        let phase = story.phase.as_ref().map(of_phase).unwrap_or_default();
        let sentence = match measure.quantity {
            Quantity::Goodput => format!("{subject} got {numbers}{phase}."),
            quantity => format!("{subject}, {}: {numbers}{phase}.", quantity.title()),
        };
        let waits = story.victim.as_ref().and_then(|victim| self.waits(victim));
        waits.map_or(sentence.clone(), |waits| format!("{sentence} {waits}"))
    }

    /// Returns the sentence about the waits of a victim, of few runs.
    fn waits(&self, victim: &str) -> Option<String> {
        let row = self.rows.iter().find(|row| {
            row.row
                .measure
                .as_ref()
                .is_some_and(|one| one.quantity == Quantity::Waited && one.group == victim)
        })?;
        let unit = Quantity::Waited.info().unit;
        let of_run = |(place, run): (usize, &SeededRun)| {
            Some(format!("{} with {}", unit.spelled(row.mean(place)?), run.label))
        };
        let all: Vec<_> = self.runs.iter().enumerate().filter_map(of_run).collect();
        let few = !all.is_empty() && all.len() <= MOST_RUNS;
        few.then(|| format!("It waited behind congestion of others for {}.", listed(&all)))
    }

    fn cause(&self, story: &Story) -> String {
        let cause = &story.cause;
        self.same_runs().map_or_else(|| cause.clone(), |same| format!("{cause} {same}"))
    }

    /// Returns a sentence about runs that are the same, packet for packet, in every seed.
    fn same_runs(&self) -> Option<String> {
        let first = &self.runs[0];
        let same = |run: &&SeededRun| run.digests == first.digests;
        let labels: Vec<_> = self.runs.iter().filter(same).map(|run| run.label.clone()).collect();
        (labels.len() > 1).then(|| {
            format!(
                "{} are the same run, packet for packet: what differs between them had no effect.",
                listed(&labels)
            )
        })
    }

    fn all_are_the_same(&self) -> bool {
        self.runs.iter().all(|run| run.digests == self.runs[0].digests)
    }

    fn confidence(&self, best: &Result<Verdict, NoVerdict>, command: CompareCommand<'_>) -> String {
        let sure = match best {
            Ok(best) => best.to_string().replace('\n', " "),
            Err(fault) => format!("Nothing can be said: {fault}."),
        };
        let alike = |run: &SeededRun| run.digests.iter().all(|digest| *digest == run.digests[0]);
        let more = if self.seeds.len() > 1 && self.runs.iter().all(alike) {
            " Every seed gives the same run: the scenario draws nothing at random, and more seeds say nothing."
        } else if command.own_seeds && self.runs.iter().any(|run| run.own_seeds != self.runs[0].own_seeds) {
            " The runs have different seeds, so a difference may be chance alone."
        } else {
            ""
        };
        format!("{sure}{more}")
    }

    fn advice(&self, best: &Result<Verdict, NoVerdict>, command: CompareCommand<'_>) -> String {
        let CompareCommand { words, folders, until_done, own_seeds } = command;
        let page = |run: usize| format!("`backwater report {}` draws it.", folders[run]);
        let Ok(best) = best else { return page(0) };
        let bounds = best.best.censored + best.others.iter().map(|one| one.other.censored).sum::<usize>();
        let comparison = best.comparison();
        let can_end = self.story.as_ref().is_some_and(|story| story.is_finite);
        if bounds > 0 && can_end && !until_done {
            return format!(
                "`{words} --until-done`: runs that end when their messages are delivered have numbers instead of bounds."
            );
        }
        if self.all_are_the_same() {
            return format!("Look whether anything was marked, and whether sources heard of it: {}", page(0));
        }
        if self.seeds.len() == 1 {
            return if own_seeds {
                "Leave out the seeds of single runs, and give all runs the same by `--seeds 1..=5`."
                    .to_owned()
            } else {
                format!("`{words} --seeds {}` tells chance from difference.", self.seeds_until(FEW_SEEDS))
            };
        }
        match comparison {
            Some(one) if !one.significant => match one.more_seeds {
                Some(more) => format!(
                    "`{words} --seeds {}` would settle it.",
                    self.seeds_until((self.seeds.len() + more) as u64)
                ),
                None => format!(
                    "Name another measure by `--measures`, or vary the load: {} do not tell these runs apart.",
                    counted(self.seeds.len(), "seed")
                ),
            },
            _ => format!("The best is {}: {}", best.best.name, page(best.best.place)),
        }
    }

    /// Returns a list of this many seeds, of which the seeds of this comparison are the first if they are a range.
    fn seeds_until(&self, count: u64) -> String {
        let first = self.seeds[0];
        let is_range = self.seeds.iter().zip(first..).all(|(seed, expected)| *seed == expected);
        match first.checked_add(count - 1).filter(|_| is_range) {
            Some(last) => format!("{first}..={last}"),
            None => format!("1..={count}"),
        }
    }
}

/// Returns the number of a run: its mean with the interval, a bound, or that it is not known.
fn number(run: &SeededRun, measure: &Measure) -> String {
    let unit = measure.quantity.info().unit;
    let known: Option<Vec<f64>> = run.readings.values().map(|reading| reading.known()).collect();
    if let Some(known) = known {
        return Estimate::of(&known).spelled(unit);
    }
    let least = |reading: &Reading| match reading {
        Reading::Known(value) | Reading::AtLeast(value) => Some(*value),
        Reading::Missing => None,
    };
    let bounds: Option<Vec<f64>> = run.readings.values().map(least).collect();
    bounds.map_or_else(
        || "no known number".to_owned(),
        |bounds| format!("at least {}", unit.spelled(Estimate::of(&bounds).mean)),
    )
}
