//! The log of pauses.
//!
//! Invariant: events stand in order of time, then port and lane.

use scenario::Plan;
use telemetry::{PauseEvent, PauseEvents};

use crate::observe::last_look;
use crate::state::world::World;
use crate::state::world::observed::Rows;

/// Returns the pauses of the outputs that the scenario asks for; `None` if it asks for none.
pub(super) fn events(plan: &Plan, world: &World<'_>, rows: &mut Rows<'_>) -> Option<PauseEvents> {
    let mut all = PauseEvents::default();
    for (index, at) in (0..).zip(plan.lanes()) {
        let logged = rows.next(at.0, || last_look::pause_changes(world, plan, at));
        let Some((changes, lost)) = logged else { continue };
        all.events.extend(changes.iter().map(|change| PauseEvent {
            at: change.at,
            lane: index,
            paused: change.paused,
        }));
        all.lost += lost;
    }
    all.events.sort_unstable();
    (!plan.series().pauses.ports.is_empty()).then_some(all)
}
