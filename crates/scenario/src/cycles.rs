//! The paths of flows over lanes, and cycles in which their packets could wait for each other.
//!
//! Invariant: only the paths and lanes of the scenario's own flows count, data one way and acknowledgements the other; a
//! packet that nobody sends cannot wait.

use core::ops::Range;

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
    let mut paths = Paths::new(graph.hosts(), flows);
    for flow in flows {
        for (from, to) in both_ways(flow) {
            let level = service_level(routes, flow.service_level, from, to);
            let lane = link.lanes[usize::from(level.0)];
            // Paths that keep the same lane are walked together, whatever their service level.
            paths.add(to, Path { lane, level: changes.then_some(level), from });
        }
    }
    let mut dependencies = if changes {
        ChannelDependencies::with_lane_changes(graph, routes, link.data_lanes)
    } else {
        ChannelDependencies::new(graph, routes, link.data_lanes)
    };
    for (to, paths) in paths.by_destination() {
        for same in paths.chunk_by(|a, b| (a.lane, a.level) == (b.lane, b.level)) {
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

/// The hosts at both ends of a flow, from one to the other: first the way of the data, then that of acknowledgements.
fn both_ways(flow: &Flow) -> [(NodeId, NodeId); 2] {
    [(flow.source, flow.destination), (flow.destination, flow.source)]
}

/// The way of some packets to a host.
#[derive(Clone, Copy)]
struct Path {
    lane: Lane,
    /// Their service level, if switches change lanes by it.
    level: Option<ServiceLevel>,
    from: NodeId,
}

/// All paths, by destination: places in one list that are counted before, since a million flows have two each.
struct Paths {
    all: Vec<Path>,
    /// Places in `all` of the paths to each host that have been added.
    added: Vec<Range<usize>>,
}

impl Paths {
    /// Makes room for the paths of these flows, between hosts 0 to `hosts`.
    fn new(hosts: usize, flows: &[Flow]) -> Self {
        let mut counts = vec![0; hosts];
        flows.iter().flat_map(both_ways).for_each(|(_, to)| counts[to.index()] += 1);
        let mut next = 0;
        let added = counts.iter().map(|count| {
            let first = next;
            next += count;
            first..first
        });
        let added = added.collect();
        let nowhere = Path { lane: Lane(0), level: None, from: NodeId(0) };
        Self { all: vec![nowhere; next], added }
    }

    fn add(&mut self, to: NodeId, path: Path) {
        let added = &mut self.added[to.index()];
        self.all[added.end] = path;
        added.end += 1;
    }

    /// Returns the paths to each host, by lane and level.
    fn by_destination(&mut self) -> impl Iterator<Item = (NodeId, &[Path])> {
        for added in &self.added {
            let here = &mut self.all[added.clone()];
            if !here.is_sorted_by_key(Path::key) {
                here.sort_unstable_by_key(Path::key);
            }
        }
        (0..).map(NodeId).zip(self.added.iter().map(|added| &self.all[added.clone()]))
    }
}

impl Path {
    fn key(&self) -> (Lane, Option<ServiceLevel>) {
        (self.lane, self.level)
    }
}

/// Names the outputs on a cycle, in order, the first again at the end. Their lane stands at the end if they have one.
fn spell(graph: &Graph, cycle: &[VirtualChannel]) -> String {
    let first = &cycle[0];
    let one_lane = cycle.iter().all(|channel| channel.lane == first.lane);
    let one = |channel: &VirtualChannel| {
        let output = format!("`{}` port {}", graph.name(channel.switch), channel.port);
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
