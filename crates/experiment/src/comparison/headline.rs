//! The measure that the answer of a comparison is about.
//!
//! Invariant: it follows from the first seed alone, and every run has it where any does.

use std::num::NonZeroU32;

use measures::run::one;
use measures::{ALL, Measure, Quantity};
use results::comparison::{ComparedRun, ComparisonRow};

use super::row::VICTIMS;

/// Share of the larger goodput by which runs must differ for an answer about goodput. Below, traffic gets the rate that
/// it asks for in every run, and its completion times tell more.
const DIFFERENCE: f64 = 0.05;

/// Returns the flow or group that waited longest as a victim in any run; `None` if nothing did.
pub(super) fn victim(rows: &[ComparisonRow]) -> Option<&str> {
    let first = rows.iter().find(|row| row.topic == VICTIMS)?;
    first.measure.as_ref().map(|measure| measure.group.as_str())
}

/// Returns the measure about the worst victim, or about all flows if there is none: its goodput in the phase in which
/// the runs differ most; or p99 of its completion times, if goodput hardly differs.
pub(super) fn of(runs: &[ComparedRun<'_>], victim: Option<&str>) -> Measure {
    let group = victim.unwrap_or(ALL);
    let measure = |quantity, phase| Measure { group: group.to_owned(), quantity, phase };
    let phases = runs.iter().map(|run| run.summary.phases.len()).min().unwrap_or(0);
    let phases = (1..=phases as u32).filter_map(NonZeroU32::new).map(Some).chain([None]);
    let spread = |phase| {
        let numbers = values(runs, &measure(Quantity::Goodput, phase))?;
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(0.0, f64::max);
        Some((phase, most - least, most))
    };
    let widest = phases.filter_map(spread).max_by(|one, other| one.1.total_cmp(&other.1));
    match widest {
        Some((phase, spread, most)) if spread > DIFFERENCE * most => measure(Quantity::Goodput, phase),
        _ if is_known(runs, &measure(Quantity::P99, None)) => measure(Quantity::P99, None),
        _ => measure(Quantity::Goodput, None),
    }
}

/// Returns true if every run has a number, and some run more than a bound.
fn is_known(runs: &[ComparedRun<'_>], measure: &Measure) -> bool {
    let all: Vec<_> = runs.iter().map(|run| one(run.measured(), measure)).collect();
    all.iter().all(|one| one.value.is_some()) && all.iter().any(|one| !one.censored)
}

/// Returns the number of every run, with bounds as they are; `None` if a run has none.
fn values(runs: &[ComparedRun<'_>], measure: &Measure) -> Option<Vec<f64>> {
    runs.iter().map(|run| one(run.measured(), measure).value).collect()
}
