//! The path on which a flow would meet the least load, of all that the switches on its way could choose for it.
//!
//! Invariant: paths are those of the groups of ports that a selector may choose from. An output that the flow takes in
//! any case counts only if it is full.

use std::collections::BTreeMap;

use packet::{NodeId, PortId};

use crate::data_paths::DataPaths;
use crate::plan::Plan;

/// An output of a path, and its load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusiestOutput {
    /// The output; `None` if no output of the path counts.
    pub at: Option<(NodeId, PortId)>,
    /// Its load.
    pub load: f64,
}

/// Paths of the flows of a plan, and the load of every output.
pub struct OtherPaths<'a> {
    plan: &'a Plan,
    /// What switches hash of each flow.
    keys: Vec<u64>,
    paths: DataPaths<'a>,
    /// Load of every output, by its [position](topology::Graph::position).
    loads: &'a [f64],
}

/// A search for the paths from a flow's switches to its destination.
struct Search<'a> {
    plan: &'a Plan,
    loads: &'a [f64],
    to: NodeId,
    /// Outputs that the flow takes as it is.
    own: Vec<(NodeId, PortId)>,
    /// Load from which an output of its own counts.
    full: f64,
    found: BTreeMap<NodeId, BusiestOutput>,
}

impl<'a> OtherPaths<'a> {
    /// Prepares the search.
    #[must_use]
    pub fn new(plan: &'a Plan, loads: &'a [f64]) -> Self {
        Self { plan, keys: plan.flow_keys(), paths: DataPaths::new(plan), loads }
    }

    /// Returns the busiest output of the path on which this is least, of all paths that switches could choose for a
    /// flow. Outputs that the flow takes as it is count from the load `full` on, since a part of their load is its own.
    ///
    /// # Panics
    /// If the plan has no flow of this number.
    pub fn freest(&mut self, flow: usize, full: f64) -> BusiestOutput {
        let Self { plan, keys, paths, loads } = self;
        let (key, flow) = (keys[flow], &plan.workload().flows[flow]);
        let own: Vec<_> = paths.of(flow, key).into_iter().map(|output| output.at).collect();
        let first = plan.graph().far_end((flow.source, PortId(0))).0;
        let to = flow.destination;
        Search { plan, loads, to, own, full, found: BTreeMap::new() }.from(first)
    }
}

impl Search<'_> {
    /// Returns the busiest output of the freest path from a node. Checked routes have no loops, so this ends.
    fn from(&mut self, node: NodeId) -> BusiestOutput {
        if node == self.to {
            return BusiestOutput { at: None, load: 0.0 };
        }
        if let Some(known) = self.found.get(&node) {
            return *known;
        }
        let plan = self.plan;
        // Every port of a group that a selector may choose from, whatever the hash of the flow is.
        let ports = plan.routes().table(node).outputs_of(self.to.lid(), Some(0), true);
        let of_port = |port: PortId| {
            let at = (node, port);
            let rest = self.from(plan.graph().far_end(at).0);
            let load = self.loads[plan.graph().position(at)];
            let counts = load >= self.full || !self.own.contains(&at);
            if counts && load >= rest.load { BusiestOutput { at: Some(at), load } } else { rest }
        };
        let freest = ports.map(of_port).min_by(|one, other| one.load.total_cmp(&other.load));
        let freest = freest.expect("checked routes lead to every destination");
        self.found.insert(node, freest);
        freest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, ScenarioText};

    /// Two leaves with two spines between them: a flow has its own path and one other.
    #[test]
    fn the_freest_path_avoids_loads_where_it_can() {
        let mut text = ScenarioText::find("paths-permutation").expect("it ships");
        for set in [
            "topology=FatTree(down: [2, 2], up: [2], host_cable: \"host\", trunk_cable: \"trunk\")",
            "traffic=[]",
            "flows=[(name: \"F\", from: \"h1\", to: \"h3\", start: \"0 s\", message: \"4 KiB\", load: Saturate(outstanding: 4))]",
        ] {
            text.set(set).expect("a field");
        }
        let plan = Scenario::read(&text).and_then(|read| read.check(&text));
        let plan = plan.unwrap_or_else(|fault| panic!("{fault}"));
        let graph = plan.graph();
        let own: Vec<_> = DataPaths::new(&plan).of(&plan.workload().flows[0], plan.flow_keys()[0]);
        let own: Vec<_> = own.into_iter().map(|output| output.at).collect();
        let position = |at: &(NodeId, PortId)| graph.position(*at);
        let mut loads = vec![0.3; graph.far_ends().len()];
        own.iter().for_each(|at| loads[position(at)] = 0.9);
        let freest = |loads: &[f64], full| OtherPaths::new(&plan, loads).freest(0, full);
        // By the other spine; the host's own link is not full.
        let found = freest(&loads, 1.0);
        assert_eq!(found.load, 0.0, "its own path is not full: {found:?}");
        let cut = |loads: &mut Vec<f64>| own[..3].iter().for_each(|at| loads[position(at)] = 1.0);
        cut(&mut loads);
        let found = freest(&loads, 1.0);
        assert_eq!(found.load, 0.3);
        assert!(!own.contains(&found.at.expect("an output")));
        // Where the last link is full, no path helps.
        loads[position(&own[3])] = 1.0;
        assert_eq!(freest(&loads, 1.0).load, 1.0);
    }
}
