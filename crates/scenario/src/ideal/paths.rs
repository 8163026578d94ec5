//! The paths that packets may take between two hosts, as wires.
//!
//! Invariant: no packet of the run takes a wire that is not on its path here, unless it may take detours: then only the
//! wires of both hosts are known.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use link_layer::Wire;
use packet::{NodeId, PortId};
use smallvec::{SmallVec, smallvec};
use units::Span;
use workload::{Flow, Operation};

use super::spread::{SpreadPath, Stage};
use super::{HostPath, IdealTimes};
use crate::plan::Plan;

impl IdealTimes<'_> {
    /// Returns the paths of a flow's data.
    pub(super) fn path_there(&mut self, flow: &Flow, hash: u64) -> HostPath {
        let (from, to) = (flow.source, flow.destination);
        if self.plan.may_detour(flow) {
            return self.any_route(from, to);
        }
        if self.keys.is_empty() {
            return self.only_path(from, to);
        }
        let outputs = self.data_paths.of(flow, hash);
        let hops: Vec<_> = outputs.into_iter().map(|output| (output.hop, output.at)).collect();
        self.along(&hops, from, to)
    }

    /// Returns the paths of packets from a flow's destination to its source. Requests of READs may take detours.
    pub(super) fn path_back(&mut self, flow: &Flow) -> HostPath {
        let (from, to) = (flow.destination, flow.source);
        if flow.operation == Operation::RdmaRead && self.plan.may_detour(flow) {
            return self.any_route(from, to);
        }
        if self.keys.is_empty() {
            return self.only_path(from, to);
        }
        let (graph, routes) = (self.plan.graph(), self.plan.routes());
        let (mut hops, mut present) =
            (vec![(0, (from, PortId(0)))], vec![graph.far_end((from, PortId(0))).0]);
        // A path with more links than there are nodes is none.
        for hop in 1..graph.nodes() as u32 {
            present.sort_unstable();
            present.dedup();
            let mut next = Vec::new();
            for node in present.into_iter().filter(|node| *node != to) {
                for port in routes.ports(node, to) {
                    hops.push((hop, (node, port)));
                    next.push(graph.far_end((node, port)).0);
                }
            }
            present = next;
            if present.is_empty() {
                break;
            }
        }
        self.along(&hops, from, to)
    }

    /// Returns the path by outputs, each with its distance from the first; those with the same distance are
    /// alternatives.
    fn along(&mut self, hops: &[(u32, (NodeId, PortId))], from: NodeId, to: NodeId) -> HostPath {
        let graph = self.plan.graph();
        let last = hops.last().expect("a path has a first output").0;
        // Some packets of paths of different lengths would not pass a stage.
        if hops.iter().any(|(hop, output)| graph.far_end(*output).0 == to && *hop != last) {
            return self.any_route(from, to);
        }
        let wire = |(node, port): (NodeId, PortId)| self.plan.nodes().port(node, port).wire;
        if hops.len() == last as usize + 1 {
            return self.host_path(hops.iter().map(|(_, output)| wire(*output)).collect(), (from, to), None);
        }
        let mut stages = vec![Stage::default(); last as usize + 1];
        hops.iter().for_each(|(hop, output)| stages[*hop as usize].wires.push(wire(*output)));
        self.host_path(smallvec![wire((from, PortId(0)))], (from, to), Some(stages))
    }

    /// Returns the path by any route: all have the wires of both hosts, and take the least time in between.
    fn any_route(&mut self, from: NodeId, to: NodeId) -> HostPath {
        let plan = self.plan;
        let (first, _) = plan.graph().far_end((from, PortId(0)));
        let (node, port) = plan.graph().far_end((to, PortId(0)));
        if self.around.as_ref().is_none_or(|(known, _)| *known != first) {
            self.around = Some((first, plan.least_times(first)));
        }
        let (_, times) = self.around.as_ref().expect("the times are computed above");
        let wire = |node, port| plan.nodes().port(node, port).wire;
        let (leaves, enters) = (wire(from, PortId(0)), wire(node, port));
        let stages = vec![
            Stage { before: Span::ZERO, wires: vec![leaves] },
            Stage { before: times[node.index()], wires: vec![enters] },
        ];
        self.host_path(smallvec![leaves], (from, to), Some(stages))
    }

    fn only_path(&self, from: NodeId, to: NodeId) -> HostPath {
        let graph = self.plan.graph();
        let hops = self.plan.routes().path(graph, from, to).expect("a checked flow has a path");
        let wires = hops.iter().map(|(node, port)| self.plan.nodes().port(*node, *port).wire);
        self.host_path(wires.collect(), (from, to), None)
    }

    fn host_path(
        &self,
        wires: SmallVec<[Wire; 8]>,
        (from, to): (NodeId, NodeId),
        stages: Option<Vec<Stage>>,
    ) -> HostPath {
        let drain = self.plan.nodes().adapter(to).drain_limit;
        let spread = stages.map(|stages| Box::new(SpreadPath { stages, drain }));
        HostPath { wires, injection: self.plan.nodes().adapter(from).injection_limit, drain, spread }
    }
}

impl Plan {
    /// Returns the least time from a switch to each node on any route, until a receiver may act on a packet.
    fn least_times(&self, from: NodeId) -> Vec<Span> {
        let graph = self.graph();
        let mut times = vec![None; graph.nodes()];
        let mut reached = BinaryHeap::from([Reverse((Span::ZERO, from))]);
        while let Some(Reverse((time, node))) = reached.pop() {
            if times[node.index()].is_some() {
                continue;
            }
            times[node.index()] = Some(time);
            if graph.is_host(node) {
                continue;
            }
            for (port, end) in (0..).map(PortId).zip(graph.ports(node)) {
                let lookahead = self.nodes().port(node, port).wire.lookahead();
                reached.push(Reverse((time + lookahead, end.peer)));
            }
        }
        // Nothing leads to a node that is not reached.
        times.into_iter().map(Option::unwrap_or_default).collect()
    }
}
