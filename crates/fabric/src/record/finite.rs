//! The finite traffic of a run.
//!
//! Invariant: finite traffic is done only if nothing of it was to come at the end of the run, and all of it is
//! delivered.

use scenario::Plan;
use telemetry::FiniteRecord;
use units::Time;

use crate::observe::last_look;
use crate::state::world::World;
use crate::state::world::observed::RankQuestion;

/// Returns the finite traffic of a run that ended at `end`, before a drain; `None` if there is none.
pub(super) fn of(plan: &Plan, world: &World, end: Time) -> Option<FiniteRecord> {
    let workload = plan.workload();
    if workload.jobs.is_empty() {
        workload.flows.iter().find(|flow| flow.finite)?;
    }
    let last = world.total(&RankQuestion::LastDelivery, last_look::last_delivery(world, plan), Option::max);
    let messages = world.finite_messages(end);
    let done = workload.finite.last_posting <= end && messages.is_all();
    let ended = world.job_ranks().iter().filter_map(|rank| rank.last_end).max();
    Some(FiniteRecord {
        messages: workload.finite.messages,
        posted: messages.posted,
        delivered: messages.delivered,
        done: last.max(ended).filter(|_| done),
    })
}
