//! Runs of plans, and values from their records.

use fabric::{RunOptions, simulate};
use measures::PhasePart;
use scenario::Plan;
use telemetry::RunRecord;

pub(crate) use crate::plans::{law, shipped};

/// Runs a plan.
pub(crate) fn run(plan: &Plan) -> RunRecord {
    simulate(plan, RunOptions::default(), &mut |_| {}).unwrap_or_else(|violation| panic!("{violation}"))
}

/// Returns the goodput of a flow in the second half of a phase, in bit/s.
pub(crate) fn settled_bps(record: &RunRecord, flow: usize, phase: usize) -> f64 {
    measures::phase::goodput(record, [flow], &record.phases[phase], PhasePart::SecondHalf)
}
