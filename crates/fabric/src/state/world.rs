//! The nodes of a fabric, and where its flows begin and end.
//!
//! Invariant: channel adapters have the first node numbers, switches the numbers that follow. Each node belongs to a
//! single [part](super::part). Instruments see nodes by their numbers in the fabric, and so see the same for any
//! number of parts.
//!
//! A process that shares a run with others holds its own parts alone. Questions about nodes of all processes are in
//! [`observed`]; this module is about nodes of this process.

pub(crate) mod observed;

use std::sync::Arc;

use ca_transport::{Adapter, FlowEnd};
use link_layer::Port;
use packet::{FlowId, Lane, NodeId, PacketPool, PortId, QpNumber};
use scenario::Plan;
use switch_arch::Switch;
use telemetry::{LaneInput, LaneOutput};
use topology::Graph;
use units::{Span, Time};

use crate::state::event::EventKind;
use crate::state::part::Part;
use crate::state::part_id::PartId;
use observed::Others;

/// All nodes, and the cables between them.
#[derive(Debug)]
pub(crate) struct World<'a> {
    /// Names and cables.
    pub(crate) graph: Arc<Graph>,
    /// In the workload's order.
    pub(crate) flows: Vec<FlowEnds>,
    /// By node number.
    pub(crate) places: Vec<NodePlace>,
    /// Number of channel adapters.
    pub(crate) hosts: usize,
    /// Number of data lanes of each port.
    pub(crate) lanes: usize,
    /// The parts of this process: all parts, unless it shares the run with other processes.
    pub(crate) parts: Vec<Part>,
    /// Number of the first of `parts` among all parts.
    pub(crate) first_part: usize,
    /// Lookahead of the shortest wire between parts; `None` if no cable leads from part to part.
    pub(crate) between: Option<Span>,
    /// The present instant, up to which all events of all parts are handled.
    pub(crate) now: Time,
    /// End of the last window that all parts have handled, exclusive.
    pub(crate) window_end: Time,
    /// The parts of other processes.
    pub(crate) others: Others<'a>,
}

/// The place of a node: its part, and its position among the adapters or the switches there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodePlace {
    pub(crate) part: PartId,
    pub(crate) index: u32,
}

/// A port and lane of a node; of its output, where packets wait for it.
pub(crate) type OutputLane = (NodeId, PortId, Lane);

/// The two queue pairs of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowEnds {
    /// Sends the payload.
    pub(crate) source: (NodeId, QpNumber),
    /// Receives the payload.
    pub(crate) sink: (NodeId, QpNumber),
}

impl FlowEnds {
    /// Returns an end of a flow, as the adapter `own` needs to know it, with the queue pair at the other end.
    pub(crate) fn end(
        plan: &Plan,
        number: FlowId,
        own: NodeId,
        (peer, peer_qp): (NodeId, QpNumber),
    ) -> FlowEnd {
        let flow = &plan.workload().flows[number.index()];
        FlowEnd {
            flow: number,
            peer: peer.lid(),
            peer_qp,
            service_level: plan.service_level(flow.service_level, own, peer),
            transport: flow.transport,
            operation: flow.operation,
            finite: flow.finite,
        }
    }
}

/// A pending event of any part.
pub(crate) struct PendingEvent<'a> {
    /// The node, by its number in the fabric.
    pub(crate) node: NodeId,
    pub(crate) kind: EventKind,
    /// The packets of its part.
    pub(crate) pool: &'a PacketPool,
}

/// A node of this process, by its kind.
#[derive(Clone, Copy)]
pub(crate) enum Node<'a> {
    Adapter(&'a Adapter),
    Switch(&'a Switch),
}

impl<'a> Node<'a> {
    fn port(self, port: PortId) -> &'a Port {
        match self {
            Self::Adapter(adapter) => adapter.port(),
            Self::Switch(switch) => switch.view().link(port),
        }
    }

    fn adapter(self) -> &'a Adapter {
        match self {
            Self::Adapter(adapter) => adapter,
            Self::Switch(_) => panic!("a channel adapter, not a switch"),
        }
    }

    fn switch(self) -> &'a Switch {
        match self {
            Self::Switch(switch) => switch,
            Self::Adapter(_) => panic!("a switch, not a channel adapter"),
        }
    }
}

impl World<'_> {
    /// Returns the present instant.
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// Returns true if the node of this number is a channel adapter.
    pub(crate) fn is_host(&self, node: NodeId) -> bool {
        node.index() < self.hosts
    }

    /// Returns the part of a node, and its position there; `None` if another process has it.
    fn place(&self, node: NodeId) -> Option<(&Part, usize)> {
        let NodePlace { part, index } = self.places[node.index()];
        // An index below the first part wraps to a number beyond all parts.
        let part = self.parts.get(part.index().wrapping_sub(self.first_part))?;
        Some((part, index as usize))
    }

    /// Returns the node of this number; `None` if another process has it.
    pub(crate) fn own_node(&self, node: NodeId) -> Option<Node<'_>> {
        let (part, index) = self.place(node)?;
        Some(match self.is_host(node) {
            true => Node::Adapter(&part.adapters[index]),
            false => Node::Switch(&part.switches[index]),
        })
    }

    /// Returns the node of this number.
    ///
    /// # Panics
    /// If another process has it, as for all functions below.
    pub(crate) fn node(&self, node: NodeId) -> Node<'_> {
        self.own_node(node).unwrap_or_else(|| panic!("{node:?} is of this process"))
    }

    pub(crate) fn adapter(&self, node: NodeId) -> &Adapter {
        self.node(node).adapter()
    }

    pub(crate) fn switch(&self, node: NodeId) -> &Switch {
        self.node(node).switch()
    }

    /// Returns the numbers of all nodes, of other processes too.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.places.len() as u32).map(NodeId)
    }

    /// Returns the channel adapters of this process, by node number.
    pub(crate) fn adapters(&self) -> impl Iterator<Item = &Adapter> + Clone {
        let hosts = (0..self.hosts as u32).map(NodeId).filter_map(|node| self.place(node));
        hosts.map(|(part, index)| &part.adapters[index])
    }

    /// Returns the switches of this process with their numbers, in order.
    pub(crate) fn switches(&self) -> impl Iterator<Item = (NodeId, &Switch)> + Clone {
        let switches = self.switch_numbers().filter_map(|node| Some((node, self.place(node)?)));
        switches.map(|(node, (part, index))| (node, &part.switches[index]))
    }

    /// Returns the numbers of all switches, of other processes too.
    pub(crate) fn switch_numbers(&self) -> impl Iterator<Item = NodeId> + Clone + use<> {
        (self.hosts as u32..self.places.len() as u32).map(NodeId)
    }

    /// Returns the channel adapters of this process, in no particular order.
    pub(crate) fn adapters_mut(&mut self) -> impl Iterator<Item = &mut Adapter> {
        self.parts.iter_mut().flat_map(|part| &mut part.adapters)
    }

    /// Returns the packets of the part that a node belongs to.
    pub(crate) fn pool(&self, node: NodeId) -> &PacketPool {
        &self.place(node).expect("a node of this process").0.interconnect.pool
    }

    /// Returns the far end of the cable at a port.
    pub(crate) fn peer(&self, node: NodeId, port: PortId) -> (NodeId, PortId) {
        self.graph.far_end((node, port))
    }

    /// Returns the number of a node's ports.
    pub(crate) fn radix(&self, node: NodeId) -> usize {
        self.graph.ports(node).len()
    }

    /// Returns the ports and lanes of a node of any process, in order.
    pub(crate) fn lanes_of(&self, node: NodeId) -> impl Iterator<Item = OutputLane> + Clone + use<> {
        let lanes = self.lanes as u8;
        let ports = (0..self.radix(node) as u16).map(PortId);
        ports.flat_map(move |port| (0..lanes).map(move |lane| (node, port, Lane(lane))))
    }

    /// Returns a port of a node of this process.
    pub(crate) fn port(&self, node: NodeId, port: PortId) -> &Port {
        self.node(node).port(port)
    }

    /// Returns the ports of this process, by node number and port number.
    pub(crate) fn ports(&self) -> impl Iterator<Item = &Port> {
        let of_switches = self.switches().flat_map(|(_, switch)| switch.view().links());
        self.adapters().map(Adapter::port).chain(of_switches)
    }

    /// Returns the counts of a port and lane of this process: of arrivals and of departures.
    pub(crate) fn lane_counts(&self, node: NodeId, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput) {
        match self.node(node) {
            Node::Adapter(adapter) => adapter.observed(lane),
            Node::Switch(switch) => switch.view().observed(port, lane),
        }
    }

    /// Returns all pending events of this process, in any order.
    pub(crate) fn pending(&self) -> impl Iterator<Item = PendingEvent<'_>> {
        self.parts.iter().flat_map(|part| {
            let pool = &part.interconnect.pool;
            let of_part = part.interconnect.queue.pending();
            of_part.map(move |event| PendingEvent {
                node: part.number(event.node()),
                kind: event.kind(),
                pool,
            })
        })
    }

    /// Returns the number of packets under way in this process.
    pub(crate) fn packets(&self) -> usize {
        self.parts.iter().map(|part| part.interconnect.pool.len()).sum()
    }

    /// Hands over all mail between the parts of this process.
    pub(crate) fn exchange_mail(&mut self) {
        for from in 0..self.parts.len() {
            for to in (0..self.parts.len() as u16).map(PartId) {
                // By part of the sender, then of the receiver. The order of letters has no effect: events are ordered
                // by time and contents.
                let Some(mail) = self.parts[from].interconnect.outgoing.to(to) else { continue };
                let mut mail = core::mem::take(mail);
                self.parts[to.index()].interconnect.receive(&mut mail);
                // The emptied bag keeps its memory, so that later windows do not allocate.
                self.parts[from].interconnect.outgoing.give_back(to, mail);
            }
        }
    }

    pub(crate) fn name(&self, node: NodeId) -> &str {
        self.graph.name(node)
    }
}
