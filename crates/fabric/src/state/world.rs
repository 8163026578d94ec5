//! The nodes of a fabric, and where its flows begin and end.
//!
//! Invariant: channel adapters have the first node numbers, switches those that follow. Each node belongs to one
//! [part](super::part). Instruments see nodes by their numbers in the fabric, and so see the same for any number of parts.
//!
//! A process that shares a run with others holds its own parts alone. The nodes of other parts are *away*: rank 0 knows of them
//! what it has [asked](self::away) for.

pub(crate) mod away;
pub(crate) mod question;
pub(crate) mod seen;

use ca_transport::{Adapter, FiniteMessages};
use cc_policies::ControlState;
use link_layer::Port;
use packet::{FlowId, Lane, NodeId, PacketPool, PortId, QpNumber};
use switch_arch::Switch;
use telemetry::{LaneInput, LaneOutput};
use units::{Bytes, Rate, Span, Time};

use crate::state::event::EventKind;
use crate::state::interconnect::NodeViolation;
use crate::state::part::Part;
use crate::state::part_id::PartId;
use crate::state::wiring::Wiring;
use away::{Away, Counts};
use question::Question;

/// All nodes, and the cables between them.
#[derive(Debug)]
pub(crate) struct World<'a> {
    /// By node number.
    pub(crate) names: Vec<String>,
    /// In the workload's order.
    pub(crate) flows: Vec<FlowEnds>,
    pub(crate) wiring: Wiring,
    /// By node number.
    pub(crate) places: Vec<Place>,
    /// Number of channel adapters.
    pub(crate) hosts: usize,
    /// Number of data lanes of each port.
    pub(crate) lanes: usize,
    /// The parts of this process, at least one: all, unless it shares the run with others.
    pub(crate) parts: Vec<Part>,
    /// Number of the first of them among all parts.
    pub(crate) first_part: usize,
    /// Lookahead of the shortest wire between parts; `None` if no cable leads from part to part.
    pub(crate) between: Option<Span>,
    /// The present instant, up to which all events of all parts are handled.
    pub(crate) now: Time,
    /// End of the last window that all parts have handled, exclusive.
    pub(crate) window_end: Time,
    /// The parts of other processes: only of rank 0, and while it does not hold all parts itself.
    pub(crate) away: Option<Away<'a>>,
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

/// Finite traffic that is worked on, and flows that have failed.
#[derive(Debug)]
pub(crate) struct Unfinished {
    /// True if a message of a finite flow is open at an endpoint that has not given up.
    pub(crate) works: bool,
    /// Flows whose endpoint has given up, and the time at which it did.
    pub(crate) failed: Vec<(Time, FlowId)>,
}

state_codec::value!(Unfinished { works, failed });

impl Unfinished {
    fn and(mut self, other: Self) -> Self {
        self.failed.extend(other.failed);
        Self { works: self.works || other.works, ..self }
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

/// A node, by its kind.
pub(crate) enum Node<'a> {
    Adapter(&'a Adapter),
    Switch(&'a Switch),
    /// A node of another process.
    Away,
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

    /// Returns the part of a node, and its position there; `None` if it is away.
    fn place(&self, node: NodeId) -> Option<(&Part, usize)> {
        let Place { part, index } = self.places[node.index()];
        let part = self.parts.get(part.index().wrapping_sub(self.first_part))?;
        Some((part, index as usize))
    }

    /// Returns true if another process has the node.
    pub(crate) fn is_away(&self, node: NodeId) -> bool {
        self.place(node).is_none()
    }

    /// Returns the node of this number.
    pub(crate) fn node(&self, node: NodeId) -> Node<'_> {
        match self.place(node) {
            None => Node::Away,
            Some((part, index)) if self.is_host(node) => Node::Adapter(&part.adapters[index]),
            Some((part, index)) => Node::Switch(&part.switches[index]),
        }
    }

    /// Returns the channel adapter of this number.
    ///
    /// # Panics
    /// If the node is a switch, or away.
    pub(crate) fn adapter(&self, node: NodeId) -> &Adapter {
        match self.node(node) {
            Node::Adapter(adapter) => adapter,
            Node::Switch(_) | Node::Away => panic!("{node:?} is a channel adapter of this process"),
        }
    }

    /// Returns the switch of this number.
    ///
    /// # Panics
    /// If the node is an adapter, or away.
    pub(crate) fn switch(&self, node: NodeId) -> &Switch {
        match self.node(node) {
            Node::Switch(switch) => switch,
            Node::Adapter(_) | Node::Away => panic!("{node:?} is a switch of this process"),
        }
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
        self.wiring.peer(node, port)
    }

    /// Returns the number of a node's ports.
    pub(crate) fn radix(&self, node: NodeId) -> usize {
        self.wiring.of_node(node).len()
    }

    /// Returns a port of a node of this process.
    ///
    /// # Panics
    /// If the node is away.
    pub(crate) fn port(&self, node: NodeId, port: PortId) -> &Port {
        match self.node(node) {
            Node::Adapter(adapter) => adapter.port(),
            Node::Switch(switch) => switch.view().link(port),
            Node::Away => panic!("{node:?} is of this process"),
        }
    }

    /// Returns the ports of this process, by node number and port number.
    pub(crate) fn ports(&self) -> impl Iterator<Item = &Port> {
        let of_switches = self.switches().flat_map(|(_, switch)| switch.view().links());
        self.adapters().map(Adapter::port).chain(of_switches)
    }

    /// Returns the data rate of the cable at a port.
    pub(crate) fn rate(&self, node: NodeId, port: PortId) -> Rate {
        match (&self.away, self.place(node)) {
            (Some(away), None) => away.rate(node, port),
            _ => self.port(node, port).wire().rate(),
        }
    }

    /// Returns the counts of a port and lane of this process: of arrivals and of departures.
    ///
    /// # Panics
    /// If the node is away.
    pub(crate) fn lane_counts(&self, node: NodeId, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput) {
        match self.node(node) {
            Node::Adapter(adapter) => adapter.observed(lane),
            Node::Switch(switch) => switch.view().observed(port, lane),
            Node::Away => panic!("{node:?} is of this process"),
        }
    }

    /// Returns the payload of a flow that its destination's host has taken.
    pub(crate) fn delivered(&self, flow: FlowId) -> Bytes {
        let (node, queue_pair) = self.flows[flow.index()].sink;
        match (&self.away, self.node(node)) {
            (Some(away), Node::Away) => away.seen.delivered(flow),
            _ => self.adapter(node).sink(queue_pair).delivered,
        }
    }

    /// Returns the state of congestion control at a flow's source, and the rate of the link there.
    pub(crate) fn control(&self, flow: FlowId) -> (ControlState, Rate) {
        let (node, queue_pair) = self.flows[flow.index()].source;
        let state = match (&self.away, self.node(node)) {
            (Some(away), Node::Away) => away.seen.control(flow),
            _ => self.adapter(node).control_state(queue_pair, self.now()).unwrap_or_default(),
        };
        (state, self.rate(node, PortId(0)))
    }

    /// Returns the messages of finite flows that are posted, delivered, and to come.
    pub(crate) fn finite_messages(&self, now: Time) -> FiniteMessages {
        let each = self.adapters().map(|adapter| adapter.finite_messages(now));
        let away = self.away.iter().flat_map(|away| away.all::<FiniteMessages>(now, &Question::Finite));
        each.chain(away).fold(FiniteMessages::default(), FiniteMessages::plus)
    }

    /// Returns the finite traffic that is worked on, and the flows that have failed, of all processes.
    pub(crate) fn unfinished(&self) -> Unfinished {
        let away =
            self.away.iter().flat_map(|away| away.all::<Unfinished>(self.now(), &Question::Unfinished));
        let mut all = away.fold(self.own_unfinished(), Unfinished::and);
        all.failed.sort_unstable();
        all
    }

    /// Returns the same of this process.
    pub(crate) fn own_unfinished(&self) -> Unfinished {
        Unfinished {
            works: self.adapters().any(Adapter::works_on_finite),
            failed: self.adapters().flat_map(Adapter::failures).map(|(flow, at)| (at, flow)).collect(),
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

    /// Returns what other ranks have counted; nothing if there are none.
    pub(crate) fn counts_away(&self) -> impl Iterator<Item = &Counts> {
        self.away.iter().flat_map(|away| &away.counts)
    }

    /// Returns the number of packets that crossed a link, each counted once a link.
    pub(crate) fn packet_hops(&self) -> u64 {
        let own: u64 = self.parts.iter().map(|part| part.interconnect.packet_hops).sum();
        own + self.counts_away().map(|counts| counts.packet_hops).sum::<u64>()
    }

    /// Returns the number of packets under way in this process.
    pub(crate) fn packets(&self) -> usize {
        self.parts.iter().map(|part| part.interconnect.pool.len()).sum()
    }

    /// Returns the earliest violation that a node reported; of several at one instant, that of the first node.
    pub(crate) fn broken(&self) -> Option<NodeViolation> {
        let away = self.counts_away().filter_map(|counts| counts.broken);
        self.parts.iter().filter_map(Part::broken).chain(away).min_by_key(|found| (found.at, found.node))
    }

    /// Hands over all mail between the parts of this process.
    pub(crate) fn exchange_mail(&mut self) {
        for from in 0..self.parts.len() {
            for to in (0..self.parts.len() as u16).map(PartId) {
                let Some(mail) = self.parts[from].interconnect.outgoing.to(to) else { continue };
                let mut mail = core::mem::take(mail);
                self.parts[to.index()].interconnect.receive(&mut mail);
                self.parts[from].interconnect.outgoing.give_back(to, mail);
            }
        }
    }

    /// Returns the name of a node.
    pub(crate) fn name(&self, node: NodeId) -> &str {
        &self.names[node.index()]
    }
}
