//! What a scenario asks to watch, written down at each sample.
//!
//! Invariant: looking changes nothing.

use packet::{Lane, NodeId, PortId, QpNumber};
use scenario::{Plan, WatchSpec};
use telemetry::Watched;

use crate::state::world::World;

/// What is watched, and what was seen.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    places: Vec<Place>,
    pub(crate) seen: Watched,
}

/// Where to look.
#[derive(Clone, Copy, Debug)]
enum Place {
    Queue { switch: usize, output: PortId, lane: Lane },
    Control { node: NodeId, queue_pair: QpNumber },
}

impl Watch {
    /// Creates the watch that a plan asks for, on this world.
    pub(crate) fn new(plan: &Plan, world: &World) -> Self {
        let mut all = Self::default();
        for watch in plan.watch() {
            match watch {
                WatchSpec::Queue { switch, port, lane } => {
                    let node = plan.graph().find(switch).expect("a checked plan");
                    let switch_number = node.index() - plan.graph().hosts();
                    let (output, lane) = (PortId(port - 1), Lane(*lane));
                    all.places.push(Place::Queue { switch: switch_number, output, lane });
                    let of_lane =
                        if plan.link().data_lanes == 1 { String::new() } else { format!("_vl{}", lane.0) };
                    all.seen.columns.push(format!("{switch}:{port}{of_lane}_queue_bytes"));
                }
                WatchSpec::Control { flow: name } => {
                    let flows = &plan.workload().flows;
                    let flow = flows.iter().position(|flow| flow.name == *name).expect("a checked plan");
                    let (node, queue_pair) = world.flows[flow].source;
                    all.places.push(Place::Control { node, queue_pair });
                    let columns = ["rate_bps", "target_bps", "alpha"].map(|what| format!("{name}_{what}"));
                    all.seen.columns.extend(columns);
                }
            }
        }
        all
    }

    /// Looks at the world, once everything of a sample's instant has happened.
    pub(crate) fn look(&mut self, world: &World) {
        if self.places.is_empty() {
            return;
        }
        let mut row = Vec::with_capacity(self.seen.columns.len());
        for place in &self.places {
            match *place {
                Place::Queue { switch, output, lane } => {
                    row.push(world.switches[switch].waiting(output, lane).get() as f64);
                }
                Place::Control { node, queue_pair } => {
                    let adapter = &world.adapters[node.index()];
                    let rate = adapter.flow_rate(queue_pair, world.now()).expect("a checked plan");
                    row.extend([rate.current.get() as f64, rate.target.get() as f64, rate.alpha]);
                }
            }
        }
        self.seen.rows.push(row);
    }
}
