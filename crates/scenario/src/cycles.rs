//! The paths of flows over lanes, and cycles in which their packets could wait for each other.
//!
//! Invariant: only the paths and lanes of the scenario's own flows count, data one way and acknowledgements the
//! other; a packet that nobody sends cannot wait.

use link_layer::LinkPlan;
use packet::{Lane, NodeId, ServiceLevel};
use topology::{ChannelDependencies, Graph, Routes, VirtualChannel};
use workload::Flow;

use crate::layers::service_level;
use crate::plan::NodePlans;

/// Largest number of outputs that a message names.
const MOST_NAMED: usize = 16;

/// Returns a cycle in which packets of these flows could wait for each other, output by output.
pub(crate) fn cycle(
    (link, nodes): (&LinkPlan, &NodePlans),
    (graph, routes): (&Graph, &Routes),
    flows: &[Flow],
) -> Option<String> {
    let changes = nodes.change_lanes();
    // By destination. All in one list would take a sort of twice as many paths as there are flows.
    let mut paths_to: Vec<Vec<Path>> = vec![Vec::new(); graph.hosts()];
    for flow in flows {
        let (source, destination) = (flow.source, flow.destination);
        let of_flow = |from, to| (from, to, service_level(routes, flow.service_level, from, to));
        // Notifications and requests stay on the flow's level where acknowledgements have one of their own.
        let of_acks = nodes.adapter(destination).ack_service_level;
        let of_acks = of_acks.map(|level| (destination, source, ServiceLevel(level)));
        let paths = [of_flow(source, destination), of_flow(destination, source)];
        for (from, to, level) in paths.into_iter().chain(of_acks) {
            let lane = link.lanes[usize::from(level.0)];
            // Paths that keep the same lane are walked together, whatever their service level.
            paths_to[to.index()].push(Path { lane, level: changes.then_some(level), from });
        }
    }
    let mut dependencies = if changes {
        ChannelDependencies::with_lane_changes(graph, routes, link.data_lanes)
    } else {
        ChannelDependencies::new(graph, routes, link.data_lanes)
    };
    for (to, paths) in (0..).map(NodeId).zip(&mut paths_to) {
        paths.sort_by_key(Path::kind);
        for same in paths.chunk_by(|a, b| a.kind() == b.kind()) {
            let Path { lane, level, .. } = same[0];
            let from = same.iter().map(|path| path.from);
            match level {
                None => dependencies.add(to, lane, from),
                Some(level) => dependencies.add_changing(to, from, |switch, input, output| {
                    let tables = nodes.switch(switch).sl_to_vl.as_ref();
                    tables.map_or(lane, |tables| tables.lane((input, output), level))
                }),
            }
        }
    }
    dependencies.cycle().map(|cycle| spell(graph, &cycle))
}

/// The way of some packets to a host.
#[derive(Clone, Copy)]
struct Path {
    lane: Lane,
    /// Their service level, if switches change lanes by it.
    level: Option<ServiceLevel>,
    from: NodeId,
}

impl Path {
    /// All that matters for the dependencies of its packets, besides where they come from.
    fn kind(&self) -> (Lane, Option<ServiceLevel>) {
        (self.lane, self.level)
    }
}

/// Names the outputs on a cycle, in order, the first again at the end. Their lane stands at the end if they have one.
fn spell(graph: &Graph, cycle: &[VirtualChannel]) -> String {
    let first = &cycle[0];
    let one_lane = cycle.iter().all(|channel| channel.lane == first.lane);
    let one = |channel: &VirtualChannel| {
        let output = format!(
            "`{}` port {}",
            graph.name(channel.switch),
            graph.port_number((channel.switch, channel.port))
        );
        if one_lane { output } else { format!("{output} {}", channel.lane) }
    };
    let mut named: Vec<String> = cycle.iter().take(MOST_NAMED).map(one).collect();
    if cycle.len() > MOST_NAMED {
        named.push(format!("{} more", cycle.len() - MOST_NAMED));
    }
    named.push(one(first));
    let cycle = named.join(" -> ");
    if one_lane { format!("{cycle}, on {}", first.lane) } else { cycle }
}
