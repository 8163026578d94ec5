//! Division: a world made of its nodes, as one part or as several.
//!
//! Invariant: the world is at rest at time zero, without packets and events, so that nodes move from part to part as
//! they are. Within a part nodes keep their order.

use core::ops::Range;
use std::sync::Arc;

use ca_transport::Adapter;
use event_kernel::Lookahead;
use link_layer::Port;
use packet::NodeId;
use switch_arch::Switch;
use topology::{Graph, Partition};
use units::{Span, Time};

use crate::state::interconnect::{CAN_DIVIDE, FarEnd, Interconnect};
use crate::state::part::Part;
use crate::state::part_id::PartId;
use crate::state::world::observed::Others;
use crate::state::world::{FlowEnds, NodePlace, World};

/// The nodes of a world at rest.
pub(crate) struct Nodes {
    pub(crate) graph: Arc<Graph>,
    pub(crate) adapters: Vec<Adapter>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) flows: Vec<FlowEnds>,
    /// Number of data lanes of each port.
    pub(crate) lanes: usize,
}

impl Nodes {
    /// Returns the world of these nodes, in the parts of a partition. It has a single part without a partition, if a
    /// cable between parts takes no time, or where a world [cannot be divided](CAN_DIVIDE).
    pub(crate) fn into_world<'a>(self, partition: Option<&Partition>) -> World<'a> {
        let partition = partition.filter(|_| CAN_DIVIDE);
        let layout = Layout::of(&self.graph, partition);
        let of_switches = self.switches.iter().flat_map(|switch| switch.view().links());
        let ports = self.adapters.iter().map(Adapter::port).chain(of_switches).map(Port::lookahead);
        let lookaheads = Lookaheads::of(ports, &self.graph, &layout);
        if lookaheads.between == Some(Span::ZERO) {
            // Common windows would have no length, and threads would meet without ever advancing.
            return self.into_world(None);
        }
        let parts = 0..layout.hosts_of.len();
        let inner: Vec<Lookahead> = parts.clone().map(|part| lookaheads.of_part(part)).collect();
        self.share(layout, parts, &inner, lookaheads.between)
    }

    /// Returns the world of some parts, made of these nodes, which are in the order of their numbers. `inner` has the
    /// lookahead within each part, of all parts, and `between` the lookahead of the shortest wire between parts.
    pub(crate) fn share<'a>(
        self,
        layout: Layout,
        parts: Range<usize>,
        inner: &[Lookahead],
        between: Option<Span>,
    ) -> World<'a> {
        let first_part = parts.start;
        World {
            parts: layout.share(parts, (self.adapters, self.switches), &self.graph, inner),
            first_part,
            graph: self.graph,
            flows: self.flows,
            lanes: self.lanes,
            hosts: layout.hosts,
            places: layout.places,
            between,
            now: Time::ZERO,
            window_end: Time::ZERO,
            others: Others::default(),
        }
    }
}

/// Deals nodes out to their parts.
fn by_part<T>(nodes: Vec<T>, places: &[NodePlace], parts: usize) -> Vec<Vec<T>> {
    if parts == 1 {
        return vec![nodes];
    }
    let mut dealt: Vec<Vec<T>> = (0..parts).map(|_| Vec::new()).collect();
    for (node, place) in nodes.into_iter().zip(places) {
        dealt[place.part.index()].push(node);
    }
    dealt
}

/// The places of all nodes.
pub(crate) struct Layout {
    /// By node number.
    places: Vec<NodePlace>,
    /// Number of channel adapters.
    hosts: usize,
    /// Number of channel adapters, by part.
    hosts_of: Vec<u32>,
}

impl Layout {
    /// Returns the places of a fabric's nodes.
    pub(crate) fn of(graph: &Graph, partition: Option<&Partition>) -> Self {
        let hosts = graph.hosts();
        let mut counts = vec![[0_u32; 2]; partition.map_or(1, Partition::parts)];
        let place = |node: usize| {
            let part = PartId(partition.map_or(0, |partition| partition.part_of(node)));
            let count = &mut counts[part.index()][usize::from(node >= hosts)];
            *count += 1;
            NodePlace { part, index: *count - 1 }
        };
        let places = (0..graph.nodes()).map(place).collect();
        Self { places, hosts, hosts_of: counts.iter().map(|[hosts, _]| *hosts).collect() }
    }

    pub(crate) fn parts(&self) -> usize {
        self.hosts_of.len()
    }

    pub(crate) fn part(&self, node: NodeId) -> usize {
        self.places[node.index()].part.index()
    }

    /// Returns some parts, made of their own nodes in the order of node numbers. `inner` has the lookahead within
    /// each part, of all parts.
    pub(crate) fn share(
        &self,
        parts: Range<usize>,
        (adapters, switches): (Vec<Adapter>, Vec<Switch>),
        graph: &Graph,
        inner: &[Lookahead],
    ) -> Vec<Part> {
        let (of_hosts, of_switches) = self.places.split_at(self.hosts);
        let own = |places: &[NodePlace]| -> Vec<NodePlace> {
            let own = places.iter().filter(|place| parts.contains(&place.part.index()));
            own.map(|place| NodePlace { part: PartId((place.part.index() - parts.start) as u16), ..*place })
                .collect()
        };
        let adapters = by_part(adapters, &own(of_hosts), parts.len());
        let switches = by_part(switches, &own(of_switches), parts.len());
        let numbers = self.numbers().into_iter().skip(parts.start);
        let nodes = adapters.into_iter().zip(switches).zip(numbers);
        let part = |(part, ((adapters, switches), numbers)): (usize, _)| Part {
            adapters,
            switches,
            interconnect: self.interconnect(PartId(part as u16), graph, inner[part]),
            numbers,
        };
        parts.clone().zip(nodes).map(part).collect()
    }

    /// Returns the numbers in the fabric of each part's nodes, by their numbers within the part.
    fn numbers(&self) -> Vec<Vec<NodeId>> {
        let mut numbers = vec![Vec::new(); self.hosts_of.len()];
        for (node, place) in (0..).map(NodeId).zip(&self.places) {
            numbers[place.part.index()].push(node);
        }
        numbers
    }

    /// Returns the number of a node within its part.
    fn number_within(&self, node: NodeId) -> NodeId {
        let NodePlace { part, index } = self.places[node.index()];
        let is_host = node.index() < self.hosts;
        NodeId(if is_host { index } else { self.hosts_of[part.index()] + index })
    }

    fn interconnect(&self, part: PartId, graph: &Graph, lookahead: Lookahead) -> Interconnect {
        let (mut far_ends, mut far_parts, mut first_port) = (Vec::new(), Vec::new(), Vec::new());
        let nodes = (0..).map(NodeId).zip(&self.places).filter(|(_, place)| place.part == part);
        for (node, _) in nodes {
            first_port.push(far_ends.len() as u32);
            let ends = graph.ports(node);
            far_ends.extend(ends.iter().map(|end| FarEnd::new(self.number_within(end.peer), end.peer_port)));
            // A whole fabric never reads this table, and need not hold it.
            if self.parts() > 1 {
                far_parts.extend(ends.iter().map(|end| self.places[end.peer.index()].part));
            }
        }
        let hosts = self.hosts_of[part.index()];
        Interconnect::new(part, (far_ends.into(), far_parts.into()), first_port.into(), (hosts, lookahead))
    }
}

/// The lookaheads of the shortest cables.
pub(crate) struct Lookaheads {
    /// Between two nodes of a part, by part.
    inner: Vec<Inner>,
    /// Between two parts; `None` if no cable leads from part to part.
    pub(crate) between: Option<Span>,
}

/// The lookaheads of the shortest cables within a part; `None` if there is no such cable.
#[derive(Clone, Copy, Default)]
struct Inner {
    any: Option<Span>,
    /// Of cables to switches, and of cables between two adapters, since adapters have their turns together.
    to_switches: Option<Span>,
}

impl Lookaheads {
    /// Returns the lookaheads of a fabric. `ports` has the lookahead of each port, by node and port.
    pub(crate) fn of(ports: impl Iterator<Item = Span>, graph: &Graph, layout: &Layout) -> Self {
        let numbers = (0..layout.places.len() as u32).map(NodeId);
        let ends = numbers.flat_map(|node| graph.ports(node).iter().map(move |end| (node, end.peer)));
        let (mut inner, mut between) = (vec![Inner::default(); layout.hosts_of.len()], None);
        for (lookahead, (node, peer)) in ports.zip(ends) {
            let [here, there] = [node, peer].map(|node| layout.places[node.index()].part);
            // Counted apart: a cable between parts bounds the common windows, and through them the windows of every
            // part.
            if here != there {
                between = shorter(between, lookahead);
                continue;
            }
            let Inner { any, to_switches } = &mut inner[here.index()];
            *any = shorter(*any, lookahead);
            let [from_adapter, to_adapter] = [node, peer].map(|node| node.index() < layout.hosts);
            // Adapters have their turns after switches, so a packet from a switch to an adapter may arrive within the
            // window.
            if from_adapter || !to_adapter {
                *to_switches = shorter(*to_switches, lookahead);
            }
        }
        Self { inner, between }
    }

    /// Returns the lookahead within a part, which is no longer than the lookahead between parts.
    pub(crate) fn of_part(&self, part: usize) -> Lookahead {
        let Inner { any, to_switches } = self.inner[part];
        let shortest =
            |inner: Option<Span>| inner.into_iter().chain(self.between).min().unwrap_or(Span::ZERO);
        Lookahead { any: shortest(any), to_others: shortest(to_switches) }
    }
}

fn shorter(shortest: Option<Span>, lookahead: Span) -> Option<Span> {
    Some(shortest.map_or(lookahead, |shortest| shortest.min(lookahead)))
}
