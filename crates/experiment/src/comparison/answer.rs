//! The answer of a comparison in four sentences.
//!
//! Invariant: how sure it is stands in the words of [`statistics::Verdict`], which sweeps have too.
//!
//! [`statistics::Verdict`]: crate::statistics::Verdict

use measures::{Measure, Quantity, Reach};
use results::comparison::{ComparedRemark, DONE};
use results::format::{capital, counted, listed, lowered};
use results::tables::brief;
use results::verdict::{Verdict as Answer, VerdictKind};

use super::story::Story;
use super::{SeededComparison, SeededRun};
use crate::seeds;
use crate::statistics::verdict::{Comparison, MOST_MORE, NoVerdict, VerdictQuestion};
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
    /// True if what is under way at the end of a run is delivered.
    pub drain: bool,
    /// True if a run names a seed of its own.
    pub own_seeds: bool,
    /// True if a run draws at random, so that seeds may change it.
    pub draws_at_random: bool,
    /// Seeds that were asked for, more than an interrupted comparison has; `None` for those of the scenarios.
    pub seeds: Option<&'a [u64]>,
}

impl CompareCommand<'_> {
    /// Returns the command with the seeds that were asked for.
    fn with_seeds(&self) -> String {
        match self.seeds {
            None => self.words.to_owned(),
            Some([seed]) => format!("{} --seed {seed}", self.words),
            Some(seeds) => format!("{} --seeds {}", self.words, seeds::list(seeds)),
        }
    }
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
        // The table has differences with the first run; of two runs the other is compared with it in any case.
        let baseline = (settings.len() > 2).then_some(0);
        let best = Verdict::of(VerdictQuestion::of(&story.measure, baseline), &settings);
        Answer {
            loss: self.loss(story, best.as_ref().ok()),
            cause: self.cause(story, best.as_ref().ok()),
            confidence: self.confidence(&best, command),
            advice: self.advice(&best, command),
            kind: VerdictKind::Runs,
            measure: Some(story.measure.to_string()),
        }
    }

    /// Returns the number of each run, the waits of the worst victim, and the cost of the best run elsewhere.
    fn loss(&self, story: &Story, best: Option<&Verdict>) -> String {
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
        let interrupted = (!story.interrupted.is_empty()).then(|| {
            format!("INTERRUPTED: {}; the numbers are of unequal times.", listed(&story.interrupted))
        });
        let stuck = (!story.stuck.is_empty()).then(|| {
            format!("STUCK{}: {}; no rank of it could go on.", self.in_seed(), listed(&story.stuck))
        });
        let unequal = (!story.unequal.is_empty())
            .then(|| format!("SIZES DIFFER{}: {}.", self.in_seed(), story.unequal.join("; ")));
        let done = self.done().filter(|_| story.until_done);
        let costs = best.filter(|_| story.interrupted.is_empty()).and_then(|best| self.costs(best));
        let told_waits =
            story.victim.as_deref().or((measure.quantity == Quantity::Waited).then_some(subject));
        let opposite = told_waits.filter(|_| story.interrupted.is_empty()).and_then(|of| self.opposite(of));
        // A job's completion comes before that of all traffic.
        let is_of_job = measure.quantity.info().reach == Reach::Job;
        let numbers = if is_of_job { [Some(sentence), done] } else { [done, Some(sentence)] };
        let numbers = numbers.into_iter().flatten();
        let faults = interrupted.into_iter().chain(stuck).chain(unequal);
        let all = faults.chain(numbers).chain(waits).chain(opposite).chain(costs);
        all.collect::<Vec<_>>().join(" ")
    }

    /// Returns the sentence about the times at which finite traffic was delivered, of few runs.
    fn done(&self) -> Option<String> {
        let row = self.rows.iter().find(|row| row.row.measure.is_none() && row.row.what.starts_with(DONE))?;
        let unit = Quantity::Last.info().unit;
        let of_run = |(place, run): (usize, &SeededRun)| {
            let at = row.estimate(place, self.seeds.len()).map(|at| at.spelled(unit));
            match at {
                Some(at) => format!("at {at} with {}", run.label),
                None => format!("at an unknown time with {}", run.label),
            }
        };
        let all: Vec<_> = self.runs.iter().enumerate().map(of_run).collect();
        (all.len() <= MOST_RUNS).then(|| format!("All finite traffic was delivered {}.", listed(&all)))
    }

    /// Returns the remarks on the runs behind a label, in lines of at most `width` characters where possible; empty
    /// without a remark.
    #[must_use]
    pub fn remarks_in_words(&self, width: usize) -> String {
        let seed = self.told_seed().map(|seed| format!("in seed {seed}"));
        let note = |one: &ComparedRemark| {
            let is_of_all = one.runs.len() == self.runs.len();
            let runs = (!is_of_all).then(|| format!("with {}", listed(&one.runs)));
            let of: Vec<_> = seed.iter().cloned().chain(runs).collect();
            let of = if of.is_empty() { String::new() } else { format!("{}: ", capital(&of.join(", "))) };
            brief::note(&format!("{of}{}", one.remark.text), width) + "\n"
        };
        self.remarks.iter().map(note).collect()
    }

    /// Returns the remarks on the runs of the first seed.
    #[must_use]
    pub fn remarks(&self) -> &[ComparedRemark] {
        &self.remarks
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

    fn cause(&self, story: &Story, best: Option<&Verdict>) -> String {
        let cause = story.cause(best.map(|best| best.best.place));
        let cause = match self.told_seed() {
            None => cause,
            Some(seed) => format!("In seed {seed}: {}", lowered(&cause)),
        };
        self.same_runs().map_or_else(|| cause.clone(), |same| format!("{cause} {same}"))
    }

    /// Returns true if every seed gives each run the same packets.
    fn is_every_seed_alike(&self) -> bool {
        self.runs.iter().all(|run| run.digests.iter().all(|digest| *digest == run.digests[0]))
    }

    /// Returns the first seed, of which alone the story tells, if others differ from it.
    fn told_seed(&self) -> Option<u64> {
        match self.seeds[..] {
            [first, _, ..] if !self.is_every_seed_alike() => Some(first),
            _ => None,
        }
    }

    /// Returns that seed behind a word; empty if all seeds are alike.
    fn in_seed(&self) -> String {
        self.told_seed().map_or_else(String::new, |seed| format!(" in seed {seed}"))
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

    /// Returns true if a run's number is only a bound.
    fn has_bounds(&self) -> bool {
        let readings = self.runs.iter().flat_map(|run| run.readings.values());
        readings.into_iter().any(|reading| matches!(reading, Reading::AtLeast(_)))
    }

    fn all_are_the_same(&self) -> bool {
        self.runs.iter().all(|run| run.digests == self.runs[0].digests)
    }

    fn confidence(&self, best: &Result<Verdict, NoVerdict>, command: CompareCommand<'_>) -> String {
        let story = self.story.as_ref().expect("a comparison has a seed");
        if !story.interrupted.is_empty() {
            return "Nothing says which is best: runs that were interrupted have simulated unequal times."
                .to_owned();
        }
        let sure = match best {
            Ok(best) if self.seeds.len() == 1 && !command.draws_at_random => best.without_chance(),
            Ok(best) => best.to_string().replace('\n', " "),
            Err(_) if self.has_bounds() => "Nothing can be said: no run has more than a bound.".to_owned(),
            Err(fault) => format!("Nothing can be said: {fault}."),
        };
        let more = if self.seeds.len() > 1 && self.is_every_seed_alike() {
            " Every seed gives the same run: the scenario draws nothing at random, and more seeds say nothing."
        } else if command.own_seeds && self.runs.iter().any(|run| run.own_seeds != self.runs[0].own_seeds) {
            " The runs have different seeds, so a difference may be chance alone."
        } else {
            ""
        };
        let undelivered = if story.undelivered.is_empty() {
            String::new()
        } else {
            format!(" Not delivered{}: {}.", self.in_seed(), listed(&story.undelivered))
        };
        let (seeds, asked) = (self.seeds.len(), command.seeds.map_or(1, <[u64]>::len));
        let left = if seeds < asked {
            format!(" Interrupted after {seeds} of {}.", counted(asked, "seed"))
        } else {
            String::new()
        };
        format!("{sure}{more}{undelivered}{left}")
    }

    /// Returns the advice. A command stands at its end, behind its reason.
    fn advice(&self, best: &Result<Verdict, NoVerdict>, command: CompareCommand<'_>) -> String {
        let CompareCommand { words, until_done, drain, own_seeds, draws_at_random, .. } = command;
        let page = |words: &str, run: usize| format!("{words}: `backwater report {}`", command.folders[run]);
        if self.story.as_ref().is_some_and(|story| !story.interrupted.is_empty()) {
            return format!("The runs to their ends: `{}`", command.with_seeds());
        }
        if let Some(run) = self.story.as_ref().and_then(|story| story.first_wrong) {
            return page(&format!("The page of {}, which names the operations", self.runs[run].label), run);
        }
        let page_of = |run: usize| page(&format!("The page of {}", self.runs[run].label), run);
        let has_bounds = self.has_bounds();
        let can_end = self.story.as_ref().is_some_and(|story| story.is_finite && !story.until_done);
        if has_bounds && can_end && !until_done {
            return format!(
                "Numbers instead of bounds, from runs that end when their messages are delivered: `{} --until-done`",
                command.with_seeds()
            );
        }
        if has_bounds && !until_done && !drain {
            return format!(
                "Numbers instead of bounds, from runs that deliver what is under way at their ends: `{} --drain`",
                command.with_seeds()
            );
        }
        let Ok(best) = best else { return page_of(0) };
        if self.all_are_the_same() {
            return page("Whether anything was marked, and whether sources heard of it", 0);
        }
        let seeds = self.seeds.len();
        if seeds == 1 && own_seeds {
            return "Leave out the seeds of single runs, and give all runs the same by `--seeds 1..=5`."
                .to_owned();
        }
        if seeds == 1 && draws_at_random {
            return format!(
                "More seeds tell chance from difference: `{words} --seeds {}`",
                self.seeds_until(FEW_SEEDS)
            );
        }
        match best.comparison() {
            Some(one) if one.is_impossible() => {
                let run = one.other.place;
                page(&format!("The page of {}, which has no number", self.runs[run].label), run)
            }
            Some(one) if !one.significant && seeds > 1 => match one.more_seeds {
                Some(more) if more <= MOST_MORE => format!(
                    "About {} would settle it: `{words} --seeds {}`",
                    counted(more, "more seed"),
                    self.seeds_until((seeds + more) as u64)
                ),
                _ => format!(
                    "Name another measure by `--measures`, or vary the load: {} do not tell {} from {}.",
                    counted(seeds, "seed"),
                    best.best.name,
                    one.other.name
                ),
            },
            Some(one) if one.is_open() => page_of(best.best.place),
            _ if seeds > 1
                && let Some((one, more)) = next_undecided(best) =>
            {
                format!(
                    "About {} would tell {} from {}: `{words} --seeds {}`",
                    counted(more, "more seed"),
                    best.best.name,
                    one.other.name,
                    self.seeds_until((seeds + more) as u64)
                )
            }
            _ if best.others.iter().any(Comparison::is_equal) => page_of(best.best.place),
            _ => page(&format!("The page of the best, {}", best.best.name), best.best.place),
        }
    }

    /// Returns a list of this many seeds, of which the seeds of this comparison are the first if they are a range.
    fn seeds_until(&self, count: u64) -> String {
        let first = self.seeds[0];
        match first.checked_add(count - 1).filter(|_| seeds::is_range(&self.seeds)) {
            Some(last) => format!("{first}..={last}"),
            None => format!("1..={count}"),
        }
    }
}

/// Returns the first other run that does not differ significantly from the best, if a number of seeds would tell them
/// apart, with that number.
fn next_undecided(best: &Verdict) -> Option<(&Comparison, usize)> {
    let undecided = best.others.iter().filter(|one| !one.significant && !one.is_impossible());
    let mut settled =
        undecided.filter_map(|one| Some((one, one.more_seeds.filter(|more| *more <= MOST_MORE)?)));
    settled.next()
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
