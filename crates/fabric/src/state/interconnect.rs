//! The interconnect of a part: the clock, scheduled events, packets and cables that its nodes share. Each node uses
//! them through an interface of its own.
//!
//! Invariant: [`Interconnect::send`] is the only way from node to node, and its events lie at least the lookahead in
//! the future. An event for a node of another part leaves by the [outgoing mail](super::mail), with its packet taken
//! out of the pool.
//!
//! Nodes, ports and cables are numbered within the part: node 0 is its first. A world of one part has the numbers of
//! the plan.

use core::marker::PhantomData;

use event_kernel::{EventOrder, EventQueue, Lookahead, WindowLengths};
use link_layer::{InvariantViolation, NodeContext, Signal};
use packet::{Lane, NodeId, PacketId, PacketPool, PortId};
use prefetch::prefetch_bytes;
use units::Time;

use crate::state::event::{Event, EventKind, MOST_NODES};
use crate::state::mail::{Cargo, Letter, Mailbag, Outgoing};
use crate::state::part_id::PartId;

/// The far end of a cable: a node, by its number within its part, and a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FarEnd(u32);

const PORT_BITS: u32 = 8;

impl FarEnd {
    /// Makes the far end at this port of a node.
    pub(crate) fn new(node: NodeId, port: PortId) -> Self {
        assert!(node.index() < MOST_NODES && port.0 < 1 << PORT_BITS, "{node:?} and {port:?} take 28 bits");
        Self(node.0 << PORT_BITS | u32::from(port.0))
    }

    #[inline]
    const fn node(self) -> NodeId {
        NodeId(self.0 >> PORT_BITS)
    }

    #[inline]
    const fn port(self) -> PortId {
        PortId((self.0 % (1 << PORT_BITS)) as u16)
    }
}

/// The extent of a part: all nodes, or some of them. A type, so that a world of one part pays nothing for the others.
pub(crate) trait Extent {
    /// True if cables may lead to other parts.
    const IS_DIVIDED: bool;
}

/// True where a world may have several parts. WebAssembly has one thread: its module leaves out the event loop of
/// [`Divided`] parts.
pub(crate) const CAN_DIVIDE: bool = cfg!(not(target_family = "wasm"));

/// The only part of its world.
#[derive(Debug)]
pub(crate) struct Whole;

/// A part among several.
#[derive(Debug)]
pub(crate) struct Divided;

impl Extent for Whole {
    const IS_DIVIDED: bool = false;
}

impl Extent for Divided {
    const IS_DIVIDED: bool = true;
}

/// Everything that the nodes of a part share.
#[derive(Debug)]
pub(crate) struct Interconnect {
    pub(crate) queue: EventQueue<Event>,
    pub(crate) pool: PacketPool,
    /// The far end of each cable, by node and port.
    far_ends: Box<[FarEnd]>,
    /// The parts of these far ends; empty if all nodes are of one part.
    far_parts: Box<[PartId]>,
    /// The position of each node's first port in `far_ends`: of an adapter, its own number.
    first_port: Box<[u32]>,
    pub(crate) now: Time,
    /// Packets that crossed a link, each counted once a link, by the part that sent it.
    pub(crate) packet_hops: u64,
    /// The earliest violation that a node reported.
    pub(crate) broken: Option<NodeViolation>,
    /// Number of adapters, which are the first nodes.
    hosts: u32,
    lookahead: Lookahead,
    /// True if no cable leads from an adapter of this part to another part: adapters send no mail.
    pub(crate) adapters_send_no_mail: bool,
    part: PartId,
    pub(crate) outgoing: Outgoing,
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

state_codec::value!(NodeViolation { at, node, port, lane, what });

impl Interconnect {
    /// Creates the interconnect of a part at time zero. `far_ends` has the cables of its nodes, node by node, and
    /// `first_port` the position of each node's first cable. `far_parts` has the parts that cables lead to; it is
    /// empty if there is a single part. Its first `hosts` nodes are adapters. No wire between two of its nodes takes
    /// less than the lookahead to its far end.
    pub(crate) fn new(
        part: PartId,
        (far_ends, far_parts): (Box<[FarEnd]>, Box<[PartId]>),
        first_port: Box<[u32]>,
        (hosts, lookahead): (u32, Lookahead),
    ) -> Self {
        assert!(first_port.len() <= MOST_NODES, "a part has at most {MOST_NODES} nodes");
        let of_adapters = first_port.iter().take(hosts as usize);
        assert!((0..).zip(of_adapters).all(|(node, first)| *first == node), "an adapter has one port");
        Self {
            adapters_send_no_mail: far_parts.iter().take(hosts as usize).all(|far| *far == part),
            queue: EventQueue::with_leaves(first_port.len(), hosts, lookahead),
            pool: PacketPool::default(),
            far_ends,
            far_parts,
            first_port,
            now: Time::ZERO,
            packet_hops: 0,
            broken: None,
            hosts,
            lookahead,
            part,
            outgoing: Outgoing::default(),
        }
    }

    /// Drops all events. Events before `handled` are handled.
    pub(crate) fn start_over(&mut self, handled: Time) {
        self.queue = EventQueue::with_leaves(self.first_port.len(), self.hosts, self.lookahead);
        self.queue.resume(handled);
        self.now = Time::from_ps(handled.ps().saturating_sub(1));
    }

    /// Returns the lengths of the windows of the event list.
    pub(crate) fn window_lengths(&self) -> WindowLengths {
        WindowLengths::of(self.lookahead)
    }

    /// Returns the interconnect as this adapter may use it.
    #[inline]
    pub(crate) fn adapter_access<X: Extent>(&mut self, node: NodeId) -> NodeAccess<'_, X> {
        NodeAccess { node, first_port: node.index(), interconnect: self, extent: PhantomData }
    }

    /// Returns the interconnect as this node may use it.
    #[inline]
    pub(crate) fn access<X: Extent>(&mut self, node: NodeId) -> NodeAccess<'_, X> {
        let first_port = self.first_port[node.index()] as usize;
        NodeAccess { node, first_port, interconnect: self, extent: PhantomData }
    }

    /// Prefetches the far ends of a node's cables.
    #[inline]
    pub(crate) fn prefetch_cables(&self, node: NodeId) {
        let first = self.first_port[node.index()] as usize;
        let end = self.first_port.get(node.index() + 1).map_or(self.far_ends.len(), |next| *next as usize);
        if let Some(cables) = self.far_ends.get(first..end).filter(|cables| !cables.is_empty()) {
            prefetch_bytes(&cables[0], size_of_val(cables));
        }
    }

    /// Schedules an event at the node that the cable of this place in `far_ends` leads to; `kind` makes it of the far
    /// end's port.
    #[inline]
    fn send<X: Extent>(
        &mut self,
        cable: usize,
        at: Time,
        sequence: u32,
        kind: impl FnOnce(PortId) -> EventKind,
    ) {
        let far = self.far_ends[cable];
        let kind = kind(far.port());
        // The constant comes first: a fabric of one part has no table of parts, and pays nothing for the comparison.
        if X::IS_DIVIDED && self.far_parts[cable] != self.part {
            return self.send_away(self.far_parts[cable], at, (far.node(), kind), sequence);
        }
        self.schedule(at, (far.node(), kind), sequence);
    }

    /// Sends an event to another part, with its packet.
    #[inline(never)]
    fn send_away(&mut self, part: PartId, at: Time, (node, kind): (NodeId, EventKind), sequence: u32) {
        let mail = self.outgoing.bag(part, at);
        match kind {
            // The packet travels by value: the other part cannot look into this pool.
            EventKind::Arrive(port, packet) => mail.push_packet(at, (node, port), self.pool.remove(packet)),
            EventKind::Signal(port, signal) => mail.push_signal(at, (node, port), signal, sequence),
            EventKind::Adapter(_) | EventKind::Switch(_) => {
                unreachable!("a timer for another node: {kind:?}")
            }
        }
    }

    /// Schedules all events that another part sent.
    pub(crate) fn receive(&mut self, mail: &mut Mailbag) {
        let (letters, mut packets) = mail.open();
        for Letter { at, node, sequence, cargo } in letters {
            let kind = match cargo {
                Cargo::Packet(port) => {
                    let packet = packets.next().expect("each packet that is announced is in the bag");
                    EventKind::Arrive(port, self.pool.insert(packet))
                }
                Cargo::Signal(port, signal) => EventKind::Signal(port, signal),
            };
            self.schedule(at, (node, kind), sequence);
        }
    }

    // The order of an event depends on its kind, which each caller knows: inlined there, it costs nothing.
    #[inline(always)]
    fn schedule(&mut self, at: Time, (node, kind): (NodeId, EventKind), sequence: u32) {
        self.push(at, kind.order(sequence), Event::new(node, kind));
    }

    #[inline(never)]
    fn push(&mut self, at: Time, order: EventOrder, event: Event) {
        self.queue.push(at, order, event);
    }
}

/// The interconnect, lent to one node while it handles its events.
pub(crate) struct NodeAccess<'a, X> {
    node: NodeId,
    /// The position of its first port in `far_ends`.
    first_port: usize,
    interconnect: &'a mut Interconnect,
    extent: PhantomData<X>,
}

impl<X> NodeAccess<'_, X> {
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

impl<W, X: Extent> NodeContext<W> for NodeAccess<'_, X>
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
        self.interconnect
            .send::<X>(self.first_port + port.index(), at, 0, |port| EventKind::Arrive(port, packet));
    }

    #[inline]
    fn send_signal(&mut self, port: PortId, at: Time, signal: Signal, sequence: u32) {
        self.interconnect
            .send::<X>(self.first_port + port.index(), at, sequence, |port| EventKind::Signal(port, signal));
    }

    #[inline(always)]
    fn set_timer(&mut self, at: Time, timer: W) {
        self.interconnect.schedule(at, (self.node, timer.into()), 0);
    }

    fn report_violation(&mut self, port: PortId, lane: Lane, violation: InvariantViolation) {
        let (at, node) = (self.interconnect.now, self.node);
        // Nodes take their turns in any order within a window, so the first report need not be the earliest
        // violation.
        if self.interconnect.broken.is_none_or(|first| (at, node) < (first.at, first.node)) {
            self.interconnect.broken = Some(NodeViolation { at, node, port, lane, what: violation });
        }
    }
}
