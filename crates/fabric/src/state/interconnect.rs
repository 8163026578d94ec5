//! The interconnect: the clock, the scheduled events, the packets and the cables that all nodes share, and the
//! interface through which one node uses them.
//!
//! Invariant: [`Interconnect::send`] is the only way from one node to another, and its events lie at least the
//! lookahead in the future.
//!
//! A run split over threads or machines gives each part a `World` of its own nodes, and so its own interconnect. An
//! event for a node of another part then leaves `send` by a mailbox, with its packet taken out of the pool; the loop
//! (`run::Run::run_until`) exchanges mailboxes between windows.

use event_kernel::{EventOrder, EventQueue};
use link_layer::{InvariantViolation, NodeContext, Signal};
use packet::{Lane, NodeId, PacketId, PacketPool, PortId};
use units::{Span, Time};

use crate::state::event::{Event, EventKind};

/// Everything that nodes share.
#[derive(Debug)]
pub(crate) struct Interconnect {
    pub(crate) queue: EventQueue<Event>,
    pub(crate) pool: PacketPool,
    /// The far end of each cable, by node and port.
    pub(crate) peers: Vec<(NodeId, PortId)>,
    /// The position of each node's first port in `peers`.
    pub(crate) first_port: Vec<u32>,
    pub(crate) now: Time,
    /// Packets that crossed a link, each counted once a link.
    pub(crate) packet_hops: u64,
    /// The earliest violation that a node reported.
    pub(crate) broken: Option<NodeViolation>,
}

/// A violation, as the node that found it reports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeViolation {
    pub(crate) at: Time,
    pub(crate) node: NodeId,
    pub(crate) port: PortId,
    pub(crate) lane: Lane,
    pub(crate) what: InvariantViolation,
}

impl Interconnect {
    /// Creates an interconnect at time zero. `peers[node][port]` is the far end of the cable at that port, and no wire
    /// is shorter than `lookahead`.
    pub(crate) fn new(peers: &[Vec<(NodeId, PortId)>], lookahead: Span) -> Self {
        let first_port = peers.iter().scan(0, |next, ports| {
            let first = *next;
            *next += ports.len() as u32;
            Some(first)
        });
        Self {
            queue: EventQueue::new(peers.len(), lookahead),
            pool: PacketPool::default(),
            first_port: first_port.collect(),
            peers: peers.concat(),
            now: Time::ZERO,
            packet_hops: 0,
            broken: None,
        }
    }

    /// Returns the interconnect as this node may use it.
    #[inline]
    pub(crate) fn access(&mut self, node: NodeId) -> NodeAccess<'_> {
        NodeAccess { node, interconnect: self }
    }

    /// Returns the far end of the cable at a port.
    #[inline]
    pub(crate) fn peer(&self, node: NodeId, port: PortId) -> (NodeId, PortId) {
        self.peers[self.first_port[node.index()] as usize + port.index()]
    }

    /// Schedules an event at the node that the cable of `port` leads to; `kind` makes it of the far end's port.
    #[inline]
    fn send(
        &mut self,
        (node, port): (NodeId, PortId),
        at: Time,
        sequence: u32,
        kind: impl FnOnce(PortId) -> EventKind,
    ) {
        let (node, port) = self.peer(node, port);
        self.schedule(at, Event { node, kind: kind(port) }, sequence);
    }

    // The order of an event depends on its kind, which each caller knows: inlined there, it costs nothing.
    #[inline(always)]
    fn schedule(&mut self, at: Time, event: Event, sequence: u32) {
        self.push(at, event.order(sequence), event);
    }

    #[inline(never)]
    fn push(&mut self, at: Time, order: EventOrder, event: Event) {
        self.queue.push(at, order, event);
    }
}

/// The interconnect, lent to one node while it handles its events.
pub(crate) struct NodeAccess<'a> {
    node: NodeId,
    interconnect: &'a mut Interconnect,
}

impl NodeAccess<'_> {
    /// Takes the node's next event in the open window, and advances the clock to it.
    #[inline]
    pub(crate) fn next_instant(&mut self) -> Option<Event> {
        let (now, event) = self.interconnect.queue.pop()?;
        self.interconnect.now = now;
        Some(event)
    }

    /// Takes the node's next event if it belongs to the present instant.
    #[inline]
    pub(crate) fn next_of_instant(&mut self) -> Option<Event> {
        self.interconnect.queue.pop_at(self.interconnect.now)
    }
}

impl<W> NodeContext<W> for NodeAccess<'_>
where
    EventKind: From<W>,
{
    #[inline]
    fn now(&self) -> Time {
        self.interconnect.now
    }

    #[inline]
    fn packets(&mut self) -> &mut PacketPool {
        &mut self.interconnect.pool
    }

    #[inline]
    fn deliver(&mut self, port: PortId, at: Time, packet: PacketId) {
        self.interconnect.packet_hops += 1;
        self.interconnect.send((self.node, port), at, 0, |port| EventKind::Arrive(port, packet));
    }

    #[inline]
    fn send_signal(&mut self, port: PortId, at: Time, signal: Signal, sequence: u32) {
        self.interconnect.send((self.node, port), at, sequence, |port| EventKind::Signal(port, signal));
    }

    #[inline(always)]
    fn set_timer(&mut self, at: Time, timer: W) {
        let event = Event { node: self.node, kind: timer.into() };
        self.interconnect.schedule(at, event, 0);
    }

    fn report_violation(&mut self, port: PortId, lane: Lane, violation: InvariantViolation) {
        let (at, node) = (self.interconnect.now, self.node);
        if self.interconnect.broken.is_none_or(|first| (at, node) < (first.at, first.node)) {
            self.interconnect.broken = Some(NodeViolation { at, node, port, lane, what: violation });
        }
    }
}
