//! The paths of flows over lanes, and cycles in which their packets could wait for each other.
//!
//! Invariant: only the paths and lanes of the scenario's own flows count, data one way and acknowledgements the other; a
//! packet that nobody sends cannot wait.

use link_layer::LinkPlan;
use packet::{NodeId, ServiceLevel};
use topology::{ChannelDependencies, Graph, Routes, VirtualChannel};
use workload::Flow;

/// Largest number of outputs that a message names.
const MOST_NAMED: usize = 16;

/// Returns a cycle in which packets of these flows could wait for each other, output by output.
pub(crate) fn cycle(link: &LinkPlan, graph: &Graph, routes: &Routes, flows: &[Flow]) -> Option<String> {
    let mut paths = Vec::with_capacity(2 * flows.len());
    for flow in flows {
        for (from, to) in [(flow.source, flow.destination), (flow.destination, flow.source)] {
            let level = service_level(routes, flow.service_level, from, to);
            paths.push((to, link.lanes[usize::from(level.0)], from));
        }
    }
    paths.sort_unstable();
    let mut dependencies = ChannelDependencies::new(graph, routes, link.data_lanes);
    for same in paths.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        dependencies.add(same[0].0, same[0].1, same.iter().map(|path| path.2));
    }
    dependencies.cycle().map(|cycle| spell(graph, &cycle))
}

/// Returns the service level of packets from one host to another. Where the routing has L layers, each of the flows'
/// levels 0, 1, ... takes L levels, one for each layer. With one layer the level is the flow's own.
///
/// In IBA the path record gives this level (`PathRecord:SL`); OpenSM's torus-2QoS uses it so.
pub(crate) fn service_level(routes: &Routes, asked: ServiceLevel, from: NodeId, to: NodeId) -> ServiceLevel {
    let level = u32::from(asked.0) * routes.layers() + routes.layer(from, to);
    ServiceLevel(u8::try_from(level).expect("levels have been checked"))
}

/// Names the outputs on a cycle, in order, the first again at the end.
fn spell(graph: &Graph, cycle: &[VirtualChannel]) -> String {
    let one = |channel: &VirtualChannel| format!("`{}` port {}", graph.name(channel.switch), channel.port);
    let first = &cycle[0];
    let mut named: Vec<String> = cycle.iter().take(MOST_NAMED).map(one).collect();
    if cycle.len() > MOST_NAMED {
        named.push(format!("{} more", cycle.len() - MOST_NAMED));
    }
    named.push(one(first));
    format!("{}, on {}", named.join(" -> "), first.lane)
}
