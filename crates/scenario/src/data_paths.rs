//! The outputs by which the data of a flow leave, with the shares of its packets that are expected there.
//!
//! Invariant: the shares of a flow add up to 1 over the outputs of each hop. A flow whose packets no selector chooses
//! ports for has a single path, that of its hash in the run. Others are taken to be spread evenly at each switch, as
//! every selector does on equally loaded ports. Detours are not followed: a flow that may take some has the outputs of
//! its minimal route, and [`Plan::may_detour`] says so.

use ca_transport::EntropySpec;
use packet::{NodeId, PortId};
use switch_arch::spec::SelectionSpec;
use workload::Flow;

use crate::plan::Plan;

impl Plan {
    /// Returns true if packets of a flow may take routes that are not minimal.
    #[must_use]
    pub fn may_detour(&self, flow: &Flow) -> bool {
        self.routes().detours().is_some_and(|detours| {
            let [from, to] = [flow.source, flow.destination].map(|host| detours.switch_of(host.lid()));
            !detours.stays(from, to)
        })
    }
}

/// An output by which data of a flow may leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DataOutput {
    pub(crate) at: (NodeId, PortId),
    /// Links between the flow's source host and the output's node.
    pub(crate) hop: u32,
    /// Share of the flow's packets that is expected to leave by it.
    pub(crate) share: f64,
    /// Rule by which packets are spread over the outputs of its hop. A rule of one hop holds for the next ones, too, up
    /// to an output that all packets take.
    pub(crate) spread: Spread,
}

/// Rule by which packets of a flow are spread over several outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spread {
    /// There is a single output.
    Single,
    /// Alike over all, whatever their loads are.
    Evenly,
    /// In bursts, each by a single output. Gaps between packets end them, and so loads decide.
    Bursts,
    /// By load, or by marks and losses of earlier packets.
    ByLoad,
}

impl Spread {
    const fn of_selector(selector: SelectionSpec) -> Self {
        match selector {
            SelectionSpec::Hash | SelectionSpec::Random | SelectionSpec::RoundRobin(_) => Self::Evenly,
            SelectionSpec::LeastLoaded(_) => Self::ByLoad,
            SelectionSpec::Flowlet(_) => Self::Bursts,
        }
    }

    const fn of_entropy(entropy: EntropySpec) -> Self {
        match entropy {
            EntropySpec::Flow | EntropySpec::Random | EntropySpec::RoundRobin => Self::Evenly,
            // Values of marked packets are avoided.
            EntropySpec::Bitmap(_) | EntropySpec::Reps(_) => Self::ByLoad,
        }
    }

    /// Returns true if the shares of packets depend on the loads of the run.
    pub(crate) const fn is_by_load(self) -> bool {
        matches!(self, Self::ByLoad | Self::Bursts)
    }
}

/// Follows the data of flows, one after the other.
#[derive(Debug)]
pub(crate) struct DataPaths<'a> {
    plan: &'a Plan,
    /// Shares by node that is to be left; all 0 between hops.
    by_node: Vec<f64>,
    /// Nodes of the next hop.
    next: Vec<NodeId>,
}

impl<'a> DataPaths<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        Self { plan, by_node: vec![0.0; plan.graph().nodes()], next: Vec::new() }
    }

    /// Returns every output by which data of a flow may leave, hop by hop, its host's first.
    pub(crate) fn of(&mut self, flow: &Flow, key: u64) -> Vec<DataOutput> {
        let Self { plan, by_node, next } = self;
        let (graph, to) = (plan.graph(), flow.destination);
        if !plan.packets_may_overtake() {
            let path = (0..).zip(plan.path_of_data(flow, key));
            let output = |(hop, at)| DataOutput { at, hop, share: 1.0, spread: Spread::Single };
            return path.map(output).collect();
        }
        let level = plan.service_level(flow.service_level, flow.source, to);
        let longest = plan.longest_data_packet(flow);
        // Switches hash a number that differs from packet to packet.
        let entropy = plan.nodes().adapter(flow.source).entropy;
        let key = Some(key).filter(|_| entropy.is_usual());
        let first = (flow.source, PortId(0));
        let mut outputs = vec![DataOutput { at: first, hop: 0, share: 1.0, spread: Spread::Single }];
        let mut present = 0..1;
        // All paths are equally long, so a node is left at one hop alone, and each hop leads nearer to the host.
        while !present.is_empty() {
            for output in &outputs[present.clone()] {
                let (peer, _) = graph.far_end(output.at);
                if peer != to {
                    if by_node[peer.index()] == 0.0 {
                        next.push(peer);
                    }
                    by_node[peer.index()] += output.share;
                }
            }
            let hop = outputs[present.start].hop + 1;
            for node in next.drain(..) {
                let selection = plan.nodes().switch(node).selection;
                let is_selected = selection
                    .is_some_and(|selection| selection.packets.may_contain(level, flow.transport, longest));
                let ports = plan.routes().table(node).outputs_of(to.lid(), key, is_selected);
                let count = ports.clone().count();
                let share = core::mem::take(&mut by_node[node.index()]) / count as f64;
                let spread = match selection.filter(|_| is_selected) {
                    _ if count == 1 => Spread::Single,
                    Some(own) => Spread::of_selector(own.selector),
                    None => Spread::of_entropy(entropy),
                };
                outputs.extend(ports.map(|port| DataOutput { at: (node, port), hop, share, spread }));
            }
            let before = outputs[present.start].spread;
            present = present.end..outputs.len();
            let hop = &mut outputs[present.clone()];
            let spread = match hop.len() {
                1 => Spread::Single,
                _ => hop.iter().map(|output| output.spread).fold(before, Spread::max),
            };
            hop.iter_mut().for_each(|output| output.spread = spread);
        }
        outputs
    }
}
