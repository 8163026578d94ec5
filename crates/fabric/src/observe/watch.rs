//! Quantities that the scenario asks to watch, recorded at each sample.
//!
//! Invariant: looking changes nothing. Every row has a value for each quantity.

use scenario::{Plan, WatchPlan};
use telemetry::{Watched, WatchedQuantity};

use crate::state::world::World;

/// The watched quantities, and their values so far.
#[derive(Debug)]
pub(crate) struct Watch {
    quantities: Vec<WatchPlan>,
    pub(crate) seen: Watched,
}

impl Watch {
    /// Creates the watch that a plan asks for.
    pub(crate) fn new(plan: &Plan) -> Self {
        let quantities = plan.watch().to_vec();
        let named = quantities.iter().flat_map(|quantity| named(plan, quantity)).collect();
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

/// Returns the names of what is recorded for a quantity of the plan.
fn named(plan: &Plan, quantity: &WatchPlan) -> Vec<WatchedQuantity> {
    match *quantity {
        WatchPlan::Queue { switch, output, lane } => {
            let object = format!("{}:{} VL{}", plan.graph().name(switch), output.0 + 1, lane.0);
            vec![WatchedQuantity { object, quantity: "queue_bytes" }]
        }
        WatchPlan::Control { flow } => {
            let name = &plan.workload().flows[flow.index()].name;
            let named = |quantity| WatchedQuantity { object: name.clone(), quantity };
            ["rate_bps", "target_bps", "alpha"].map(named).into()
        }
    }
}

/// Returns the present values of a quantity, one for each of its names.
fn values(world: &World, quantity: &WatchPlan) -> Vec<f64> {
    match *quantity {
        WatchPlan::Queue { switch, output, lane } => {
            vec![world.switch(switch).view().waiting(output, lane).get() as f64]
        }
        WatchPlan::Control { flow } => {
            let (node, queue_pair) = world.flows[flow.index()].source;
            let control = world.adapters[node.index()].control_state(queue_pair, world.now());
            let rate = control
                .and_then(|control| control.rate)
                .expect("a watched flow has a reaction point of DCQCN");
            vec![rate.current.get() as f64, rate.target.get() as f64, rate.alpha]
        }
    }
}
