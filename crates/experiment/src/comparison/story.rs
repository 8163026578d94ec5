//! Facts of the first seed that the answer of a comparison names: its measure, its victim, and the cause.
//!
//! Invariant: the cause stands in the words of the run's own verdict.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use measures::spelling::instant;
use measures::{ALL, Measure};
use results::comparison::{ComparedRun, ComparisonRow};
use results::format::{grouped, listed};
use results::verdict::stuck::took;
use telemetry::{JobRecord, RunEnding};

use super::headline;
use crate::cost::{depends_on, times_differ};

/// Names with numbers that are of unlike things in two runs.
#[derive(Debug, Default)]
pub(super) struct Unlike {
    /// Names of the first run's phases, in order.
    names: Vec<String>,
    /// Phases that are longer in a run than in another.
    phases: BTreeSet<String>,
    /// True if a run is longer than another.
    times: bool,
    /// Jobs with other messages in a run than in another, or that a run does not have.
    jobs: BTreeSet<String>,
}

impl Unlike {
    fn of(runs: &[ComparedRun<'_>]) -> Self {
        let names = runs.iter().flat_map(|run| &run.summary.phases).map(|phase| phase.name.clone());
        let differs = |name: &String| {
            let of_run = |run: &ComparedRun<'_>| {
                let own = run.summary.phases.iter().filter(|phase| phase.name == *name);
                own.map(|phase| phase.to_s - phase.from_s).sum::<f64>()
            };
            times_differ(runs.iter().map(of_run).filter(|span| *span > 0.0))
        };
        let is_alike = |name: &str| {
            let of_run = |run: &ComparedRun<'_>| {
                let job = run.record.jobs.iter().find(|job| job.name == name);
                job.map(|JobRecord { messages, bytes, .. }| (*messages, *bytes))
            };
            runs.iter().all(|run| of_run(run) == of_run(&runs[0]))
        };
        let jobs = runs.iter().flat_map(|run| &run.record.jobs).map(|job| job.name.clone());
        Self {
            names: runs.first().map_or_else(Vec::new, |run| {
                run.summary.phases.iter().map(|phase| phase.name.clone()).collect()
            }),
            phases: names.filter(differs).collect(),
            times: times_differ(runs.iter().map(|run| run.summary.simulated_s)),
            jobs: jobs.filter(|name| !is_alike(name)).collect(),
        }
    }

    /// Returns true if a rate of a flow or group in a phase, or over the run, is of the same traffic and time in every
    /// run.
    pub(super) fn allows_rate(&self, group: &str, phase: Option<&str>) -> bool {
        let is_of_equal_time = phase.map_or(!self.times, |phase| !self.phases.contains(phase));
        is_of_equal_time && self.allows_messages(group)
    }

    /// Returns true if a measure is of the same traffic and time in every run, as far as it depends on them.
    pub(super) fn allows(&self, measure: &Measure) -> bool {
        let of_number = |number: NonZeroU32| self.names.get(number.get() as usize - 1);
        let phase = measure.phase.and_then(of_number).map(String::as_str);
        match depends_on(measure.quantity) {
            (true, _) => self.allows_rate(&measure.group, phase),
            (false, true) => self.allows_messages(&measure.group),
            (false, false) => true,
        }
    }

    /// Returns true if the times of a flow's or group's messages are of the same messages in every run.
    fn allows_messages(&self, group: &str) -> bool {
        if group == ALL { self.jobs.is_empty() } else { !self.jobs.contains(group) }
    }
}

/// Facts of the first seed.
#[derive(Debug)]
pub(super) struct Story {
    /// The measure that the answer is about.
    pub(super) measure: Measure,
    /// The worst victim's name, unless the user has named the measure.
    pub(super) victim: Option<String>,
    /// Name of the measure's phase, if it has one.
    pub(super) phase: Option<String>,
    /// Label of each run, and the cause of its losses in words.
    pub(super) causes: Vec<(String, String)>,
    /// Place of the run with the most lost bytes.
    most_lost: usize,
    /// True if every run has finite traffic, so that it can go on until that is delivered.
    pub(super) is_finite: bool,
    /// Interrupted runs, with the time that each had simulated, in words; empty if every run came to its end.
    pub(super) interrupted: Vec<String>,
    /// True if every run was to end when its finite traffic was delivered.
    pub(super) until_done: bool,
    /// Messages that were not delivered, by run, in words.
    pub(super) undelivered: Vec<String>,
    /// Jobs that were stuck, by run, in words.
    pub(super) stuck: Vec<String>,
    /// Jobs that took messages of other sizes, by run, in words.
    pub(super) unequal: Vec<String>,
    /// The first run with a job of either kind.
    pub(super) first_wrong: Option<usize>,
    /// Names with numbers that no cost is made of.
    pub(super) unlike: Unlike,
}

impl Story {
    pub(super) fn of(runs: &[ComparedRun<'_>], rows: &[ComparisonRow], measures: Option<&[Measure]>) -> Self {
        let named = measures.and_then(<[Measure]>::first).cloned();
        // A job's completion comes before losses of flows, most of them the job's own.
        let named = named.or_else(|| headline::of_job(runs));
        let of_verdicts = headline::of_verdicts(runs);
        let lost = || of_verdicts.as_ref().map(|measure| measure.group.as_str());
        let victim = if named.is_some() { None } else { lost().or_else(|| headline::victim(rows)) };
        let measure = named.unwrap_or_else(|| headline::of(runs, victim, of_verdicts.as_ref()));
        let of_phase = |phase: NonZeroU32| {
            let phases = &runs.first()?.summary.phases;
            Some(phases.get(phase.get() as usize - 1)?.name.clone())
        };
        let phase = measure.phase.and_then(of_phase);
        let is_finite = runs.iter().all(|run| run.record.finite.is_some());
        let causes = runs.iter().map(|run| (run.label.to_owned(), run.summary.verdict.cause.clone()));
        let (causes, most_lost) = (causes.collect(), most_lost(runs));
        let interrupted = runs.iter().filter(|run| run.record.ended == RunEnding::Interrupted);
        let at = |run: &ComparedRun<'_>| format!("{} at {}", run.label, instant(run.summary.simulated_s));
        let interrupted = interrupted.map(at).collect();
        let of_traffic = |run: &ComparedRun<'_>| {
            matches!(
                run.record.ended,
                RunEnding::Done | RunEnding::NotDone | RunEnding::GaveUp | RunEnding::Stuck
            )
        };
        let until_done = runs.iter().all(of_traffic);
        let undelivered = runs.iter().filter_map(undelivered).collect();
        let victim = victim.map(str::to_owned);
        let first_wrong = runs.iter().position(|run| stuck(run).or_else(|| unequal(run)).is_some());
        let stuck = runs.iter().filter_map(stuck).collect();
        let unequal = runs.iter().filter_map(unequal).collect();
        let unlike = Unlike::of(runs);
        Self {
            measure,
            victim,
            phase,
            causes,
            most_lost,
            is_finite,
            interrupted,
            until_done,
            undelivered,
            stuck,
            unequal,
            first_wrong,
            unlike,
        }
    }

    /// Returns the causes that runs name themselves, with their labels. Of two runs the one with the most lost bytes
    /// is told first, and the other's cause follows, if it is another. Of more runs the first and the best are told,
    /// or the one with the most lost bytes in place of the best, if that is the first or is not known.
    pub(super) fn cause(&self, best: Option<usize>) -> String {
        let most = self.most_lost;
        let told = match self.causes.len() {
            2 => [most, 1 - most],
            _ => [0, best.filter(|best| *best > 0).unwrap_or(most)],
        };
        let mut told: Vec<_> = told.iter().filter_map(|run| self.causes.get(*run)).collect();
        told.dedup_by_key(|(_, cause)| cause);
        let with = |(label, cause): &&(String, String)| format!("With {label}: {cause}");
        told.iter().map(with).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the number of messages of a run that were not delivered, with its label; `None` if all were.
fn undelivered(run: &ComparedRun<'_>) -> Option<String> {
    let all = run.summary.completions.as_ref()?;
    let left = all.posted_messages.saturating_sub(all.delivered_messages);
    (left > 0).then(|| {
        let (left, posted) = (grouped(left as u64), grouped(all.posted_messages as u64));
        format!("{left} of {posted} messages of {}", run.label)
    })
}

/// Returns the jobs of a run that could not go on, with its label; `None` if it ended otherwise.
fn stuck(run: &ComparedRun<'_>) -> Option<String> {
    let jobs = run.record.jobs.iter().filter(|job| job.end.is_none()).map(|job| job.name.clone());
    (run.record.ended == RunEnding::Stuck)
        .then(|| format!("{} with {}", listed(&jobs.collect::<Vec<_>>()), run.label))
}

/// Returns the first job of a run that took a message of another size, with its label, and the operations.
fn unequal(run: &ComparedRun<'_>) -> Option<String> {
    let (job, sizes) = run.record.unequal()?;
    Some(format!("with {}, rank {} of {} {}", run.label, sizes.receive.0, job.name, took(&sizes)))
}

/// Returns the place of the run with the most lost bytes, of equal runs the first.
fn most_lost(runs: &[ComparedRun<'_>]) -> usize {
    let lost = |run: &usize| runs[*run].summary.congestion.lost_bytes;
    (0..runs.len()).rev().max_by_key(lost).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::SeededComparison;
    use super::*;
    use crate::simulation::{Outcome, plan, simulate};

    /// Runs two jobs on hosts of their own: `a`, which begins with a computation of this time, and a ring of these
    /// bytes.
    fn run(compute: &str, bytes: &str) -> Outcome {
        let a = format!(
            "(name: \"a\", hosts: [\"h1..h4\"], program: Sequence([Compute(\"{compute}\"), AllToAll(bytes: \"64 KiB\")]))"
        );
        let b = format!(
            "(name: \"b\", hosts: [\"h7..h10\"], program: AllReduce(bytes: \"{bytes}\", algorithm: Ring))"
        );
        let plan = plan("ring-all-reduce", &[format!("jobs=[{a}, {b}]")], Some(1));
        let plan = plan.unwrap_or_else(|fault| panic!("{fault}"));
        simulate(&plan, fabric::RunOptions::default(), &mut |_| {}).unwrap_or_else(|fault| panic!("{fault}"))
    }

    fn compared(runs: [(&str, &Outcome); 2]) -> String {
        let runs = runs.map(|(label, run)| ComparedRun {
            label,
            asked: label,
            summary: &run.summary,
            record: &run.record,
            ends: &run.posting,
        });
        let measures =
            ["job_completion(a)", "goodput(a)", "goodput(all)", "p99(a)", "p99(b)", "job_completion(b)"];
        let measures = measures.map(|measure| measure.parse().expect(measure));
        let mut comparison = SeededComparison::new(Some(&measures));
        let _ = comparison.add(&runs);
        let folders = ["x", "y"].map(str::to_owned);
        let command = super::super::CompareCommand {
            words: "backwater compare x y",
            folders: &folders,
            until_done: false,
            drain: false,
            own_seeds: false,
            draws_at_random: false,
            seeds: None,
        };
        comparison.verdict(command).to_string()
    }

    /// Job `a` is sooner done in the longer run: over its time the goodput of `a` is lower, and the other ring has
    /// larger messages. Neither is a cost, and that the ring takes longer is one.
    #[test]
    fn rates_over_unequal_times_and_times_of_other_messages_are_no_cost() {
        let (short, long) = (run("5 us", "64 KiB"), run("1 us", "1 MiB"));
        let goodput = |run: &Outcome| {
            let measure = "goodput(a)".parse().expect("a measure");
            measures::run::one(run.measured(), &measure).value.expect("a number")
        };
        assert!(goodput(&long) < 0.5 * goodput(&short), "there is a cost to be invented");
        let told = compared([("short", &short), ("long", &long)]);
        assert!(told.contains(" long has a cost: job_completion(b) is "), "{told}");
        for wrong in ["goodput(", "p99("] {
            assert!(
                !told.contains(&format!("{wrong}a) is ")) && !told.contains(&format!("{wrong}b) is ")),
                "{told}"
            );
            assert!(!told.contains(&format!("{wrong}all) is ")), "{told}");
        }
    }

    /// A stuck job is told with its run, and neither a drain nor a longer run is advised.
    #[test]
    fn a_stuck_job_is_told_first_and_no_longer_run_is_advised() {
        let (sound, mut stuck) = (run("1 us", "64 KiB"), run("1 us", "64 KiB"));
        stuck.record.ended = RunEnding::Stuck;
        (stuck.record.jobs[0].end, stuck.record.completions) = (None, None);
        let told = compared([("sound", &sound), ("stuck", &stuck)]);
        assert!(told.starts_with("Found     STUCK: a with stuck; no rank of it could go on."), "{told}");
        assert!(told.contains("no known number with stuck"), "{told}");
        assert!(
            told.ends_with("The page of stuck, which names the operations: `backwater report y`"),
            "{told}"
        );
        assert!(!told.contains("--drain") && !told.contains("--until-done"), "{told}");
    }
}
