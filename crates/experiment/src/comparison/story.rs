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
    /// The cause of the worst losses in words, with the label of its run.
    pub(super) cause: String,
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
        let cause = cause(runs).unwrap_or_default();
        let interrupted = runs.iter().filter(|run| run.record.ended == RunEnding::Interrupted);
        let at = |run: &ComparedRun<'_>| format!("{} at {}", run.label, instant(run.summary.simulated_s));
        let interrupted = interrupted.map(at).collect();
        let of_traffic = |run: &ComparedRun<'_>| {
            matches!(run.record.ended, RunEnding::Done | RunEnding::NotDone | RunEnding::GaveUp)
        };
        let until_done = runs.iter().all(of_traffic);
        let undelivered = runs.iter().filter_map(undelivered).collect();
        let victim = victim.map(str::to_owned);
        Self { measure, victim, phase, cause, is_finite, interrupted, until_done, undelivered }
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

/// Returns the cause that the run with the most lost bytes names itself, with its label; of equal runs the first's. Of
/// two runs the other's cause follows, if it is another.
fn cause(runs: &[ComparedRun<'_>]) -> Option<String> {
    let lost = |run: &&ComparedRun<'_>| run.summary.congestion.lost_bytes;
    let run = runs.iter().rev().max_by_key(lost)?;
    let with = |run: &ComparedRun<'_>| format!("With {}: {}", run.label, run.summary.verdict.cause);
    let other = runs.iter().filter(|_| runs.len() == 2);
    let other = other.filter(|other| other.summary.verdict.cause != run.summary.verdict.cause);
    Some([run].into_iter().chain(other).map(with).collect::<Vec<_>>().join(" "))
}
