//! Runs of plans, and values from their records.

use fabric::{RunOptions, simulate};
use scenario::Plan;
use telemetry::RunRecord;

pub(crate) use crate::plans::{law, shipped};

/// Runs a plan.
pub(crate) fn run(plan: &Plan) -> RunRecord {
    simulate(plan, RunOptions::default(), &mut |_| {}).unwrap_or_else(|violation| panic!("{violation}"))
}

/// Returns the goodput of a flow in the second half of a phase, in bit/s.
pub(crate) fn settled_bps(record: &RunRecord, flow: usize, phase: usize) -> f64 {
    let phase = &record.phases[phase];
    let at =
        |time| record.snapshots.iter().find(|snapshot| snapshot.at == time).expect("a snapshot is there");
    let (settled, end) = (at(phase.second_half), at(phase.to));
    (end.delivered[flow] - settled.delivered[flow]).bps_over(phase.to - phase.second_half)
}
