//! The measure that the answer of a comparison is about.
//!
//! Invariant: it follows from the first seed alone, and every run has it where any does. If a run's own verdict names a
//! loss first, it is about the same flow or group.

use std::num::NonZeroU32;

use measures::run::{delivered_at, one};
use measures::{ALL, Measure, Quantity, Reach};
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

/// Returns the completion of a job that a run's own verdict names first, if every run has the job.
pub(super) fn of_job(runs: &[ComparedRun<'_>]) -> Option<Measure> {
    named(runs).find(|measure| is_of_job(measure) && values(runs, measure).is_some())
}

fn is_of_job(measure: &Measure) -> bool {
    measure.quantity.info().reach == Reach::Job
}

/// Returns the measures that the runs' own verdicts name first.
fn named(runs: &[ComparedRun<'_>]) -> impl Iterator<Item = Measure> {
    runs.iter().filter_map(|run| run.summary.verdict.measure.as_ref()?.parse::<Measure>().ok())
}

/// Returns the measure of the loss that the runs' own verdicts name first. Losses of goodput come before others, and
/// those of earlier runs before those of later runs. `None` if no run names a loss of a flow or group that all have.
pub(super) fn of_verdicts(runs: &[ComparedRun<'_>]) -> Option<Measure> {
    let named = named(runs).filter(|measure| !is_of_job(measure));
    let everywhere = |measure: &Measure| {
        let goodput = Measure { quantity: Quantity::Goodput, phase: None, ..measure.clone() };
        values(runs, &goodput).is_some()
    };
    let named: Vec<_> = named.filter(everywhere).collect();
    let of_goodput = named.iter().find(|measure| measure.quantity == Quantity::Goodput);
    of_goodput.or_else(|| named.first()).cloned()
}

/// Returns the measure about a flow or group, or about all flows if there is none: its goodput in the phase that the
/// runs' verdicts name, if the runs differ there, else in the phase in which they differ most. If goodput hardly differs,
/// or verdicts name another loss than goodput, since traffic asks for a rate of its own: the times of its messages, or
/// their wait as victims.
pub(super) fn of(runs: &[ComparedRun<'_>], victim: Option<&str>, named: Option<&Measure>) -> Measure {
    let group = victim.unwrap_or(ALL);
    let measure = |quantity, phase| Measure { group: group.to_owned(), quantity, phase };
    let phases = runs.iter().map(|run| run.summary.phases.len()).min().unwrap_or(0);
    let phases = (1..=phases as u32).filter_map(NonZeroU32::new).map(Some).chain([None]);
    let spread = |phase| {
        // After all has been delivered, goodput is payload by a time that traffic has not made.
        if runs.iter().any(|run| is_over(run, group, phase)) {
            return None;
        }
        let numbers = values(runs, &measure(Quantity::Goodput, phase))?;
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(0.0, f64::max);
        Some((phase, most - least, most))
    };
    let differs = |(_, spread, most): &(Option<NonZeroU32>, f64, f64)| *spread > DIFFERENCE * most;
    let of_named = named.and_then(|named| named.phase).and_then(|phase| spread(Some(phase))).filter(differs);
    let widest = || phases.filter_map(spread).max_by(|one, other| one.1.total_cmp(&other.1));
    let asks_for_a_rate = named.is_some_and(|named| named.quantity != Quantity::Goodput);
    if !asks_for_a_rate && let Some((phase, ..)) = of_named.or_else(widest).filter(differs) {
        return measure(Quantity::Goodput, phase);
    }
    let known = |quantity: &Quantity| is_known(runs, &measure(*quantity, None));
    let waits = asks_for_a_rate.then_some(Quantity::Waited);
    // Of a closed loop that has delivered everything, a verdict names the time of that.
    let last = named.filter(|named| named.quantity == Quantity::Last).map(|_| Quantity::Last);
    let times = last.into_iter().chain([Quantity::P99, Quantity::Last]);
    let other = times.chain(waits).find(known);
    measure(other.unwrap_or(Quantity::Goodput), None)
}

/// Returns true if a run had delivered everything, or all of the group, clearly before the end of the phase, or of the
/// run.
fn is_over(run: &ComparedRun<'_>, group: &str, phase: Option<NonZeroU32>) -> bool {
    let of_phase = |phase: NonZeroU32| Some(run.summary.phases.get(phase.get() as usize - 1)?.to_s);
    let end = phase.and_then(of_phase).unwrap_or(run.summary.simulated_s);
    let clearly = (1.0 - DIFFERENCE) * end;
    if delivered_at(run.measured(), group).is_some_and(|last| last.seconds() < clearly) {
        return true;
    }
    // Traffic without an end goes on when finite traffic is done.
    let last = run.record.flows.iter().filter_map(|flow| flow.last_delivery.get()).max();
    run.summary.done_s.is_some() && last.is_some_and(|last| last.seconds() < clearly)
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
