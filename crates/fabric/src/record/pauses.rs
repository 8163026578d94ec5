//! The log of pauses.
//!
//! Invariant: events stand in order of time, then port and lane.

use scenario::Plan;
use telemetry::{PauseEvent, PauseEvents};

use crate::state::world::World;

/// Returns the pauses of the outputs that the scenario asks for; `None` if it asks for none.
pub(super) fn events(plan: &Plan, world: &World) -> Option<PauseEvents> {
    let asked = &plan.series().pauses;
    if asked.ports.is_empty() {
        return None;
    }
    let mut all = PauseEvents::default();
    for (index, (node, port, lane)) in (0..).zip(plan.lanes()) {
        if !asked.logs(node, port) {
            continue;
        }
        let Some(log) = world.port(node, port).pause_log() else { continue };
        let (changes, lost) = log.changes(lane);
        all.events.extend(changes.iter().map(|change| PauseEvent {
            at: change.at,
            lane: index,
            paused: change.paused,
        }));
        all.lost += lost;
    }
    all.events.sort_unstable();
    Some(all)
}
