//! Quantities that the scenario asks to watch, recorded at each sample.
//!
//! Invariant: looking changes nothing. Every row has a value for each quantity.

use cc_policies::ControlState;
use packet::FlowId;
use scenario::{Plan, WatchPlan};
use telemetry::{Watched, WatchedQuantity};
use units::Rate;

use crate::state::world::World;

/// A quantity of a flow's control: its name with its unit, and its value if the response has it. The rate of the flow's
/// link is given.
type ControlQuantity = (&'static str, fn(&ControlState, Rate) -> Option<f64>);

/// All quantities that a response may have. A response always has the same quantities.
const CONTROL: [ControlQuantity; 6] = [
    ("rate_bps", |state, line| state.allowed_rate(line).map(|rate| rate.get() as f64)),
    ("target_bps", |state, _| state.rate.map(|rate| rate.target.get() as f64)),
    ("alpha", |state, _| state.rate.map(|rate| rate.alpha)),
    ("ccti", |state, _| state.ccti.map(f64::from)),
    ("delay_packet_times", |state, _| state.delay),
    ("window_packets", |state, _| state.window.map(f64::from)),
];

/// The watched quantities, and their values so far.
#[derive(Debug)]
pub(crate) struct QuantityWatch {
    quantities: Vec<WatchPlan>,
    pub(crate) seen: Watched,
}

state_codec::state!(QuantityWatch { quantities: plan, seen: part });

impl QuantityWatch {
    /// Creates the watch that a plan asks for, of its world at rest.
    pub(crate) fn new(plan: &Plan, world: &World) -> Self {
        let quantities = plan.watch().to_vec();
        let named = quantities.iter().flat_map(|quantity| named((plan, world), quantity)).collect();
        Self { quantities, seen: Watched { quantities: named, ..Watched::default() } }
    }

    /// Records all quantities. Called once all events of a sample's instant are handled.
    pub(crate) fn look(&mut self, world: &World) {
        if !self.quantities.is_empty() {
            let row = self.quantities.iter().flat_map(|quantity| values(world, quantity));
            self.seen.rows.push(row.collect());
        }
    }
}

/// Returns the names of the values that are recorded for a quantity of the plan.
fn named((plan, world): (&Plan, &World), quantity: &WatchPlan) -> Vec<WatchedQuantity> {
    match *quantity {
        WatchPlan::Queue { switch, output, lane } => {
            let (name, number) = (plan.graph().name(switch), plan.graph().port_number((switch, output)));
            let object = format!("{name}:{number} VL{}", lane.0);
            vec![WatchedQuantity { object, quantity: "queue_bytes" }]
        }
        WatchPlan::Control { flow } => {
            let object = &plan.workload().flows[flow.index()].name;
            let named = |(quantity, _)| WatchedQuantity { object: object.to_string(), quantity };
            control(world, flow).map(named).collect()
        }
    }
}

/// Returns the present values of a quantity, in the order of its names.
fn values(world: &World, quantity: &WatchPlan) -> Vec<f64> {
    match *quantity {
        WatchPlan::Queue { switch, output, lane } => {
            vec![world.waiting((switch, output, lane)).get() as f64]
        }
        WatchPlan::Control { flow } => control(world, flow).map(|(_, value)| value).collect(),
    }
}

/// Returns the quantities of a flow's control that its response has, with their present values.
fn control(world: &World, flow: FlowId) -> impl Iterator<Item = (&'static str, f64)> {
    let (state, line) = world.control(flow);
    CONTROL.into_iter().filter_map(move |(name, of)| Some((name, of(&state, line)?)))
}
