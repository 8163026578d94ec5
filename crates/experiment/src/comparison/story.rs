//! Facts of the first seed that the answer of a comparison names: its measure, its victim, and the cause.
//!
//! Invariant: the cause stands in the words of the run's own verdict.

use std::num::NonZeroU32;

use measures::Measure;
use measures::spelling::instant;
use results::comparison::{ComparedRun, ComparisonRow};
use results::format::grouped;
use telemetry::RunEnding;

use super::headline;

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
            matches!(run.record.ended, RunEnding::Done | RunEnding::NotDone | RunEnding::GaveUp)
        };
        let until_done = runs.iter().all(of_traffic);
        let undelivered = runs.iter().filter_map(undelivered).collect();
        let victim = victim.map(str::to_owned);
        Self { measure, victim, phase, causes, most_lost, is_finite, interrupted, until_done, undelivered }
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

/// Returns the place of the run with the most lost bytes, of equal runs the first.
fn most_lost(runs: &[ComparedRun<'_>]) -> usize {
    let lost = |run: &usize| runs[*run].summary.congestion.lost_bytes;
    (0..runs.len()).rev().max_by_key(lost).unwrap_or(0)
}
