//! The nodes of a fabric, and where its flows begin and end.
//!
//! Invariant: channel adapters have the first node numbers, switches those that follow. Each node belongs to one
//! [part](super::part). Instruments see nodes by their numbers in the fabric, and so see the same for any number of parts.

use ca_transport::{Adapter, FiniteMessages};
use cc_policies::ControlState;
use link_layer::Port;
use packet::{FlowId, Lane, NodeId, PacketPool, PortId, QpNumber};
use switch_arch::Switch;
use telemetry::{LaneInput, LaneOutput};
use units::{Bytes, Rate, Span, Time};

use crate::state::event::{Event, EventKind};
use crate::state::interconnect::NodeViolation;
use crate::state::part::Part;
use crate::state::part_id::PartId;
use crate::state::wiring::Wiring;

/// All nodes, and the cables between them.
#[derive(Debug)]
pub(crate) struct World {
    /// By node number.
    pub(crate) names: Vec<String>,
    /// In the workload's order.
    pub(crate) flows: Vec<FlowEnds>,
    pub(crate) wiring: Wiring,
    /// By node number.
    pub(crate) places: Vec<Place>,
    /// Number of channel adapters.
    pub(crate) hosts: usize,
    /// At least one.
    pub(crate) parts: Vec<Part>,
    /// Lookahead of the shortest wire between parts; `None` if no cable leads from part to part.
    pub(crate) between: Option<Span>,
    /// The present instant, up to which all events of all parts are handled.
    pub(crate) now: Time,
    /// End of the last window that all parts have handled, exclusive.
    pub(crate) window_end: Time,
}

/// The place of a node: its part, and its position among the adapters or the switches there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) part: PartId,
    pub(crate) index: u32,
}

/// The two queue pairs of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowEnds {
    /// Sends the payload.
    pub(crate) source: (NodeId, QpNumber),
    /// Receives the payload.
    pub(crate) sink: (NodeId, QpNumber),
}

/// A pending event of any part.
pub(crate) struct PendingEvent<'a> {
    /// The node, by its number in the fabric.
    pub(crate) node: NodeId,
    pub(crate) kind: EventKind,
    /// The packets of its part.
    pub(crate) pool: &'a PacketPool,
}

/// A node, by its kind.
pub(crate) enum Node<'a> {
    Adapter(&'a Adapter),
    Switch(&'a Switch),
}

impl World {
    /// The present instant.
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// Returns true if the node of this number is a channel adapter.
    pub(crate) fn is_host(&self, node: NodeId) -> bool {
        node.index() < self.hosts
    }

    fn place(&self, node: NodeId) -> (&Part, usize) {
        let Place { part, index } = self.places[node.index()];
        (&self.parts[part.index()], index as usize)
    }

    /// Returns the node of this number.
    pub(crate) fn node(&self, node: NodeId) -> Node<'_> {
        let (part, index) = self.place(node);
        if self.is_host(node) {
            Node::Adapter(&part.adapters[index])
        } else {
            Node::Switch(&part.switches[index])
        }
    }

    /// Returns the channel adapter of this number.
    ///
    /// # Panics
    /// If the node is a switch.
    pub(crate) fn adapter(&self, node: NodeId) -> &Adapter {
        assert!(self.is_host(node), "{node:?} is a channel adapter");
        let (part, index) = self.place(node);
        &part.adapters[index]
    }

    /// Returns the switch of this number.
    ///
    /// # Panics
    /// If the node is an adapter.
    pub(crate) fn switch(&self, node: NodeId) -> &Switch {
        assert!(!self.is_host(node), "{node:?} is a switch");
        let (part, index) = self.place(node);
        &part.switches[index]
    }

    /// All channel adapters, by node number.
    pub(crate) fn adapters(&self) -> impl Iterator<Item = &Adapter> + Clone {
        let hosts = &self.places[..self.hosts];
        hosts.iter().map(|place| &self.parts[place.part.index()].adapters[place.index as usize])
    }

    /// All switches, by node number.
    pub(crate) fn switches(&self) -> impl Iterator<Item = &Switch> + Clone {
        let switches = &self.places[self.hosts..];
        switches.iter().map(|place| &self.parts[place.part.index()].switches[place.index as usize])
    }

    /// Numbers of all switches.
    pub(crate) fn switch_numbers(&self) -> impl Iterator<Item = NodeId> + use<> {
        (self.hosts as u32..self.places.len() as u32).map(NodeId)
    }

    /// All channel adapters, in no particular order.
    pub(crate) fn adapters_mut(&mut self) -> impl Iterator<Item = &mut Adapter> {
        self.parts.iter_mut().flat_map(|part| &mut part.adapters)
    }

    /// Returns the packets of the part that a node belongs to.
    pub(crate) fn pool(&self, node: NodeId) -> &PacketPool {
        &self.place(node).0.interconnect.pool
    }

    /// Returns the far end of the cable at a port.
    pub(crate) fn peer(&self, node: NodeId, port: PortId) -> (NodeId, PortId) {
        self.wiring.peer(node, port)
    }

    /// Returns a port of a node.
    pub(crate) fn port(&self, node: NodeId, port: PortId) -> &Port {
        match self.node(node) {
            Node::Adapter(adapter) => adapter.port(),
            Node::Switch(switch) => switch.view().link(port),
        }
    }

    /// All ports, by node number and port number.
    pub(crate) fn ports(&self) -> impl Iterator<Item = &Port> {
        let of_switches = self.switches().flat_map(|switch| switch.view().links());
        self.adapters().map(Adapter::port).chain(of_switches)
    }

    /// Returns the counts of a port and lane: of arrivals and of departures.
    pub(crate) fn lane_counts(&self, node: NodeId, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput) {
        match self.node(node) {
            Node::Adapter(adapter) => adapter.observed(lane),
            Node::Switch(switch) => switch.view().observed(port, lane),
        }
    }

    /// Returns the payload of a flow that its destination's host has taken.
    pub(crate) fn delivered(&self, flow: FlowId) -> Bytes {
        let (node, queue_pair) = self.flows[flow.index()].sink;
        self.adapter(node).sink(queue_pair).delivered
    }

    /// Returns the state of congestion control at a flow's source, and the rate of the link there.
    pub(crate) fn control(&self, flow: FlowId) -> (ControlState, Rate) {
        let (node, queue_pair) = self.flows[flow.index()].source;
        let adapter = self.adapter(node);
        let state = adapter.control_state(queue_pair, self.now()).unwrap_or_default();
        (state, adapter.port().wire().rate())
    }

    /// Returns the messages of finite flows that are posted, delivered, and to come.
    pub(crate) fn finite_messages(&self, now: Time) -> FiniteMessages {
        let each = self.adapters().map(|adapter| adapter.finite_messages(now));
        each.fold(FiniteMessages::default(), FiniteMessages::plus)
    }

    /// Returns all pending events, in any order.
    pub(crate) fn pending(&self) -> impl Iterator<Item = PendingEvent<'_>> {
        self.parts.iter().flat_map(|part| {
            let pool = &part.interconnect.pool;
            let of_part = part.interconnect.queue.pending();
            of_part.map(move |Event { node, kind }| PendingEvent {
                node: part.number(*node),
                kind: *kind,
                pool,
            })
        })
    }

    /// Returns the number of packets that crossed a link, each counted once a link.
    pub(crate) fn packet_hops(&self) -> u64 {
        self.parts.iter().map(|part| part.interconnect.packet_hops).sum()
    }

    /// Returns the number of packets under way.
    pub(crate) fn packets(&self) -> usize {
        self.parts.iter().map(|part| part.interconnect.pool.len()).sum()
    }

    /// Returns the earliest violation that a node reported; of several at one instant, that of the first node.
    pub(crate) fn broken(&self) -> Option<NodeViolation> {
        self.parts.iter().filter_map(Part::broken).min_by_key(|found| (found.at, found.node))
    }

    /// Hands over all mail between parts.
    pub(crate) fn exchange_mail(&mut self) {
        for from in 0..self.parts.len() {
            for to in (0..self.parts.len() as u16).map(PartId) {
                let Some(mail) = self.parts[from].interconnect.outgoing.to(to) else { continue };
                let mut mail = core::mem::take(mail);
                mail.drain(..).for_each(|mail| self.parts[to.index()].interconnect.receive(mail));
                self.parts[from].interconnect.outgoing.give_back(to, mail);
            }
        }
    }

    /// The name of a node.
    pub(crate) fn name(&self, node: NodeId) -> &str {
        &self.names[node.index()]
    }
}
