//! The load of every cable, in each direction, by paths alone: pairs of hosts, and flows of each pattern.
//!
//! Invariant: pairs depend on the routes only, and flows on the traffic, never on sizes, times and the run.

use packet::{NodeId, PortId};

use crate::data_paths::DataPaths;
use crate::plan::Plan;

/// The paths that leave by an output, which is a direction of a cable.
#[derive(Clone, Debug, PartialEq)]
pub struct CableLoad {
    /// The node that sends.
    pub node: NodeId,
    /// The output.
    pub port: PortId,
    /// Ordered pairs of hosts with paths by this output. A switch that chooses among several ports counts an equal part of
    /// the pair at each.
    pub pairs: f64,
    /// Flows of each pattern that may leave by this output, in the order of the scenario, then the flows of `flows`.
    pub flows: Vec<usize>,
}

impl CableLoad {
    /// Returns the number of all flows.
    #[must_use]
    pub fn all_flows(&self) -> usize {
        self.flows.iter().sum()
    }
}

impl Plan {
    /// Returns the load of every output, node by node.
    #[must_use]
    pub fn cable_loads(&self) -> Vec<CableLoad> {
        let (graph, patterns) = (self.graph(), self.workload().patterns.len());
        let outputs = (0..graph.nodes() as u32)
            .map(NodeId)
            .flat_map(|node| (0..graph.ports(node).len() as u16).map(move |port| (node, PortId(port))));
        let load = |(node, port)| CableLoad { node, port, pairs: 0.0, flows: vec![0; patterns + 1] };
        let mut loads: Vec<CableLoad> = outputs.map(load).collect();
        let mut pairs = PairPaths::new(self);
        graph.host_ids().for_each(|to| pairs.add(to, &mut loads));
        let mut paths = DataPaths::new(self);
        for (flow, key) in self.workload().flows.iter().zip(self.flow_keys()) {
            let column = flow.pattern.map_or(patterns, |pattern| pattern as usize);
            for output in paths.of(flow, key) {
                loads[graph.position(output.at)].flows[column] += 1;
            }
        }
        loads
    }
}

/// The paths of all hosts to a host.
struct PairPaths<'a> {
    plan: &'a Plan,
    /// By switch: number of pairs that pass it.
    passing: Vec<f64>,
    /// By switch: true if a path leads from it to the host; `None` if it has not been visited.
    reaches: Vec<Option<bool>>,
    /// The switches that reach the host, each after those that it leads to.
    order: Vec<NodeId>,
}

impl<'a> PairPaths<'a> {
    fn new(plan: &'a Plan) -> Self {
        let switches = plan.graph().switches();
        Self { plan, passing: vec![0.0; switches], reaches: vec![None; switches], order: Vec::new() }
    }

    /// Adds the pairs that end at a host.
    fn add(&mut self, to: NodeId, loads: &mut [CableLoad]) {
        let graph = self.plan.graph();
        self.passing.fill(0.0);
        self.reaches.fill(None);
        self.order.clear();
        for from in graph.host_ids().filter(|from| *from != to) {
            let first = graph.ports(from)[0].peer;
            if first == to || self.visit(first, to) {
                loads[graph.position((from, PortId(0)))].pairs += 1.0;
                self.pass(first, 1.0);
            }
        }
        // From the far switches on: when a switch passes its pairs on, all of them have arrived.
        for at in core::mem::take(&mut self.order).into_iter().rev() {
            let onward: Vec<PortId> = self.plan.routes().ports(at, to).collect();
            let leads = |port: &PortId| {
                let peer = graph.ports(at)[port.index()].peer;
                peer == to || self.is_known(peer)
            };
            let onward: Vec<PortId> = onward.into_iter().filter(leads).collect();
            let share = self.passing[at.index() - graph.hosts()] / onward.len() as f64;
            for port in onward {
                loads[graph.position((at, port))].pairs += share;
                self.pass(graph.ports(at)[port.index()].peer, share);
            }
        }
    }

    fn pass(&mut self, at: NodeId, pairs: f64) {
        if let Some(switch) = at.index().checked_sub(self.plan.graph().hosts()) {
            self.passing[switch] += pairs;
        }
    }

    fn is_known(&self, at: NodeId) -> bool {
        at.index().checked_sub(self.plan.graph().hosts()).is_some_and(|at| self.reaches[at] == Some(true))
    }

    /// Returns true if a path leads from a node to the host, which is not this node. Paths have no cycles: routes are
    /// checked.
    fn visit(&mut self, at: NodeId, to: NodeId) -> bool {
        let graph = self.plan.graph();
        let Some(switch) = at.index().checked_sub(graph.hosts()) else { return false };
        if let Some(known) = self.reaches[switch] {
            return known;
        }
        let onward: Vec<NodeId> =
            self.plan.routes().ports(at, to).map(|port| graph.ports(at)[port.index()].peer).collect();
        // Every way is visited, since each of them takes a part of the pairs.
        let mut reaches = false;
        for next in onward {
            reaches |= next == to || self.visit(next, to);
        }
        self.reaches[switch] = Some(reaches);
        if reaches {
            self.order.push(at);
        }
        reaches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, ScenarioText};

    fn plan(scenario: &str, sets: &[&str]) -> Plan {
        let mut source = ScenarioText::find(scenario).expect("it ships");
        sets.iter().for_each(|set| source.set(set).expect("a field"));
        Scenario::read(&source).and_then(|scenario| scenario.check(&source)).expect("nothing is wrong")
    }

    /// Every pair takes a step at each node of its path, of which a fabric with tables has a single one.
    #[test]
    fn pairs_add_up_to_the_lengths_of_paths() {
        for (scenario, sets) in [
            ("bench-a32", &[][..]),
            ("bench-a32", &["routing=Ecmp"]),
            ("bench-a32", &["routing=UpDown()"]),
            ("victim", &[]),
        ] {
            let plan = plan(scenario, sets);
            let graph = plan.graph();
            let hosts = || graph.host_ids();
            let ends = hosts().flat_map(|from| hosts().map(move |to| (from, to)));
            let lengths = ends
                .filter(|(from, to)| from != to)
                .map(|(from, to)| plan.routes().path(graph, from, to).expect("there is a path").len());
            let steps: f64 = plan.cable_loads().iter().map(|load| load.pairs).sum();
            assert!((steps - lengths.sum::<usize>() as f64).abs() < 1e-6, "{scenario} {sets:?}: {steps}");
            let loads = plan.cable_loads();
            for host in hosts() {
                assert!(
                    (loads[graph.position((host, PortId(0)))].pairs - (graph.hosts() - 1) as f64).abs()
                        < 1e-9
                );
            }
        }
    }

    #[test]
    fn flows_are_counted_by_pattern() {
        let plan = plan("bench-a32", &[]);
        let loads = plan.cable_loads();
        let uses = plan.pattern_uses();
        for (pattern, used) in uses.iter().enumerate() {
            let (node, port, most) = used.cables.most.expect("flows leave their switch");
            assert_eq!(loads[plan.graph().position((node, port))].flows[pattern], most);
            let sent: usize = loads[..plan.graph().hosts()].iter().map(|load| load.flows[pattern]).sum();
            assert_eq!(sent, used.flows);
        }
    }
}
