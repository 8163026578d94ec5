//! Quantities of all flows over the whole run.
//!
//! Invariant: a quantity that a run cannot have (PAUSE under credits) is a dash, not a zero.

use measures::Quantity;
use measures::censoring::CensoredValue;
use measures::run::of_all_flows;

use super::measured;
use super::row::{ComparedRun, ComparisonRow, RowKind};

/// Topic of these rows.
pub(super) const TOPIC: &str = "run";

/// Title of the row of the time at which finite traffic was delivered.
pub const DONE: &str = "last message of finite traffic delivered";

/// Quantities with a row.
const QUANTITIES: [Quantity; 13] = [
    Quantity::Goodput,
    Quantity::Fairness,
    Quantity::Marks,
    Quantity::Cnps,
    Quantity::Becns,
    Quantity::FlowControl,
    Quantity::Stalled,
    Quantity::PauseFrames,
    Quantity::Paused,
    Quantity::Dropped,
    Quantity::Retransmitted,
    Quantity::MeanLatency,
    Quantity::LongestLatency,
];

/// Returns the row of the time at which finite traffic was delivered. A run that was not done has the end of the run as
/// a lower bound.
fn done_row(runs: &[ComparedRun<'_>]) -> ComparisonRow {
    let cell = |run: &ComparedRun<'_>| {
        let done = run.record.finite?.done;
        let at_least = run.record.simulated.seconds();
        Some(done.map_or(CensoredValue::AtLeast { at_least }, |at| CensoredValue::Exact(at.seconds())))
    };
    let kind = RowKind::of(Quantity::Last);
    let what = kind.named(DONE);
    let cells = runs.iter().map(cell).collect();
    ComparisonRow { cells, ..ComparisonRow::empty(TOPIC, String::new(), what, kind) }
}

/// Returns one row for each quantity, and for the end of finite traffic if a run has some.
pub(super) fn rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let of_runs: Vec<_> = runs.iter().map(|run| of_all_flows(run.measured(), &QUANTITIES)).collect();
    let row = |quantity: &Quantity| measured::titled((TOPIC, ""), *quantity);
    let rows = measured::filled(QUANTITIES.iter().map(row), &of_runs);
    let finite = runs.iter().any(|run| run.record.finite.is_some());
    finite.then(|| done_row(runs)).into_iter().chain(rows).collect()
}
