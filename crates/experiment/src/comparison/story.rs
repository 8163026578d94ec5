//! Facts of the first seed that the answer of a comparison names: its measure, its victim, and the cause.
//!
//! Invariant: the cause stands in the words of the run's own verdict.

use std::num::NonZeroU32;

use measures::Measure;
use results::comparison::{ComparedRun, ComparisonRow};

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
}

impl Story {
    pub(super) fn of(runs: &[ComparedRun<'_>], rows: &[ComparisonRow], measures: Option<&[Measure]>) -> Self {
        let named = measures.and_then(<[Measure]>::first).cloned();
        let victim = if named.is_some() { None } else { headline::victim(rows) };
        let measure = named.unwrap_or_else(|| headline::of(runs, victim));
        let of_phase = |phase: NonZeroU32| {
            let phases = &runs.first()?.summary.phases;
            Some(phases.get(phase.get() as usize - 1)?.name.clone())
        };
        let phase = measure.phase.and_then(of_phase);
        let is_finite = runs.iter().all(|run| run.record.finite.is_some());
        let cause = cause(runs).unwrap_or_default();
        Self { phase, victim: victim.map(str::to_owned), cause, is_finite, measure }
    }
}

/// Returns the cause that the run with the most lost bytes names itself, with its label; of equal runs the first's.
fn cause(runs: &[ComparedRun<'_>]) -> Option<String> {
    let lost = |run: &&ComparedRun<'_>| run.summary.congestion.lost_bytes;
    let run = runs.iter().rev().max_by_key(lost)?;
    Some(format!("With {}: {}", run.label, run.summary.verdict.cause))
}
