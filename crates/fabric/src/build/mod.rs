//! A plan's world at rest, and its instruments.
//!
//! Invariant: the world depends on the plan alone. Building computes no physics and checks nothing: both is done when a
//! scenario is resolved to its plan.
//!
//! | module | builds |
//! |---|---|
//! | here | the interconnect and the instruments |
//! | `nodes` | channel adapters and switches |
//! | `flows` | queue pairs, and the generators of messages |

mod flows;
mod nodes;

use core::ops::Range;

use ca_transport::Adapter;
use event_kernel::Lookahead;
use packet::{NodeId, PortId};
use scenario::Plan;
use topology::Partition;
use units::Span;

use self::flows::Hosts;
use self::nodes::NodeBuilder;
use crate::observe::Instruments;
use crate::observe::goodput::GoodputProbe;
use crate::observe::margins::ThresholdCrossings;
use crate::observe::port_series::PortProbe;
use crate::observe::source_series::SourceProbe;
use crate::observe::trees::TreeFinder;
use crate::observe::watch::QuantityWatch;
use crate::state::division::{Layout, Lookaheads, Nodes};
use crate::state::world::World;

/// Builds a plan's world, at rest at time zero, in one part or in the parts of a partition.
pub(crate) fn world<'a>(plan: &Plan, partition: Option<&Partition>) -> World<'a> {
    nodes(plan, |_| true).into_world(partition)
}

/// Builds some parts of a plan's world, at rest at time zero, without the nodes of others. `inner` has the lookahead
/// within each part, of all parts, and `between` the lookahead between parts.
pub(crate) fn share<'a>(
    plan: &Plan,
    partition: &Partition,
    parts: Range<usize>,
    (between, inner): (Option<Span>, &[Lookahead]),
) -> World<'a> {
    let layout = Layout::of(plan.graph(), Some(partition));
    nodes(plan, |node| parts.contains(&layout.part(node))).share(layout, parts, inner, between)
}

/// Builds the nodes of a plan's world that are asked for.
fn nodes(plan: &Plan, is_asked: impl Fn(NodeId) -> bool) -> Nodes {
    let mut builder = NodeBuilder::new(plan);
    let (mut adapters, mut positions) = (Vec::new(), Vec::new());
    let mut numbers = (0..).map(NodeId);
    for (adapter, node) in plan.nodes().adapters.iter().zip(&mut numbers) {
        let position = is_asked(node).then_some(adapters.len() as u32);
        adapters.extend(position.map(|_| builder.adapter(node, adapter)));
        positions.push(position);
    }
    let switches = plan.nodes().switches.iter().zip(numbers).filter(|(_, node)| is_asked(*node));
    let switches = switches.map(|(switch, node)| builder.switch(node, switch)).collect();
    if plan.keeps_completions() {
        adapters.iter_mut().for_each(Adapter::log_messages);
    }
    let flows = flows::connect(plan, Hosts { adapters: &mut adapters, positions: &positions });
    let lanes = usize::from(plan.link().data_lanes);
    Nodes { graph: plan.shared_graph(), adapters, switches, flows, lanes }
}

/// Returns the lookaheads of a plan's world: between parts, and within each.
pub(crate) fn lookaheads(plan: &Plan, partition: &Partition) -> (Option<Span>, Vec<Lookahead>) {
    let (graph, nodes) = (plan.graph(), plan.nodes());
    let layout = Layout::of(graph, Some(partition));
    let numbers = (0..graph.nodes() as u32).map(NodeId);
    let ports =
        numbers.flat_map(|node| (0..graph.ports(node).len() as u16).map(move |port| (node, PortId(port))));
    let of_ports = ports.map(|(node, port)| nodes.port(node, port).build(port).lookahead());
    let lookaheads = Lookaheads::of(of_ports, graph, &layout);
    (lookaheads.between, (0..layout.parts()).map(|part| lookaheads.of_part(part)).collect())
}

/// Builds the instruments of a plan's world at rest.
pub(crate) fn instruments(plan: &Plan, world: &World<'_>) -> Instruments {
    Instruments {
        goodput: GoodputProbe::new(plan),
        trees: TreeFinder::new(plan),
        crossings: ThresholdCrossings::default(),
        watch: QuantityWatch::new(plan, world),
        ports: (!plan.series().ports.is_empty()).then(|| PortProbe::new(plan)),
        timeline: None,
        sources: (!plan.series().sources.is_empty()).then(|| SourceProbe::new(plan)),
    }
}
