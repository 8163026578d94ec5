//! The outputs by which the data of a flow leave, with the shares of its packets that are expected there.
//!
//! Invariant: the shares of a flow add up to 1 over the outputs of each hop. A flow whose packets no selector chooses
//! ports for has a single path, that of its hash in the run. Others are taken to be spread evenly at each switch, as
//! every selector does on equally loaded ports.

use packet::{NodeId, PortId};
use workload::Flow;

use crate::plan::Plan;

/// An output and the share of a flow's packets that is expected to leave by it.
pub(crate) type OutputShare = ((NodeId, PortId), f64);

/// Follows the data of flows, one after the other.
pub(crate) struct DataPaths<'a> {
    plan: &'a Plan,
    /// Shares by output; all 0 between flows.
    by_output: Vec<f64>,
    /// Shares by node that is to be left; all 0 between flows.
    by_node: Vec<f64>,
    /// Nodes of the present and of the next hop.
    nodes: [Vec<NodeId>; 2],
}

impl<'a> DataPaths<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        let graph = plan.graph();
        let outputs = (0..graph.nodes() as u32).map(|node| graph.ports(NodeId(node)).len()).sum();
        let by_node = vec![0.0; graph.nodes()];
        Self { plan, by_output: vec![0.0; outputs], by_node, nodes: Default::default() }
    }

    /// Returns every output by which data of a flow may leave, hop by hop, its host's first.
    pub(crate) fn of(&mut self, flow: &Flow, key: u64) -> Vec<OutputShare> {
        let (plan, graph, to) = (self.plan, self.plan.graph(), flow.destination);
        if !plan.packets_may_overtake() {
            return plan.path_of_data(flow, key).into_iter().map(|output| (output, 1.0)).collect();
        }
        let level = plan.service_level(flow.service_level, flow.source, to);
        // Switches hash a number that differs from packet to packet.
        let is_sprayed = !plan.nodes().adapter(flow.source).entropy.is_usual();
        let first = (flow.source, PortId(0));
        let mut outputs = vec![first];
        self.by_output[graph.position(first)] = 1.0;
        let mut share = 1.0;
        let leave =
            |(node, port): (NodeId, PortId), share: f64, by_node: &mut [f64], next: &mut Vec<NodeId>| {
                let peer = graph.ports(node)[port.index()].peer;
                if peer != to {
                    if by_node[peer.index()] == 0.0 {
                        next.push(peer);
                    }
                    by_node[peer.index()] += share;
                }
            };
        let [mut present, mut next] = core::mem::take(&mut self.nodes);
        leave(first, share, &mut self.by_node, &mut present);
        // Routes are checked to have no loops, so each hop leads nearer to the host.
        while !present.is_empty() {
            for node in present.drain(..) {
                share = core::mem::take(&mut self.by_node[node.index()]);
                let selection = plan.nodes().switch(node).selection;
                let is_selected = is_sprayed
                    || selection
                        .is_some_and(|selection| selection.packets.may_contain(level, flow.transport));
                let ports = plan.routes().table(node).outputs_of(to.lid(), || key, is_selected);
                let each = share / ports.clone().count() as f64;
                for port in ports {
                    let place = &mut self.by_output[graph.position((node, port))];
                    if *place == 0.0 {
                        outputs.push((node, port));
                    }
                    *place += each;
                    leave((node, port), each, &mut self.by_node, &mut next);
                }
            }
            core::mem::swap(&mut present, &mut next);
        }
        self.nodes = [present, next];
        let shares = outputs
            .into_iter()
            .map(|output| (output, core::mem::take(&mut self.by_output[graph.position(output)])));
        shares.collect()
    }
}
