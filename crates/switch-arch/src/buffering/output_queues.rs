//! Queues at the outputs: behind the crossbar of [`CombinedInputOutput`](super::CombinedInputOutput), and the memory of
//! [`Output`](super::Output).
//!
//! Invariant: a queue is charged for a packet from the time the packet starts to enter until its tail has left on the
//! wire. The charge never exceeds the size of the queue. Packets leave in the order in which they started to enter.

use cc_policies::policy::BufferView;
use link_layer::LaneSet;
use packet::{Lane, Packet, PacketId, PacketPool, PacketQueue, PortId};
use telemetry::LaneInput;
use units::{Bytes, Time};

use crate::tables::LaneTable;

/// The queues of all outputs and lanes.
#[derive(Clone, Debug)]
pub struct OutputQueues {
    /// Size of each queue.
    size: Bytes,
    queues: LaneTable<OutputQueue>,
    /// By output, the lanes with a packet that has not started on the wire.
    waiting: Box<[LaneSet]>,
}

state_codec::state!(OutputQueues { size: plan, queues: part, waiting: part });

/// A queue and the record of its charge.
#[derive(Clone, Debug, Default)]
struct OutputQueue {
    packets: PacketQueue,
    /// All bytes that the queue is charged for, those on their way in or out included.
    charged: LaneInput,
}

state_codec::value!(OutputQueue { packets, charged });

impl OutputQueues {
    /// Creates empty queues of this size.
    pub(super) fn new(size: Bytes, ports: usize, lanes: usize) -> Self {
        Self {
            size,
            queues: LaneTable::new(ports, lanes, OutputQueue::default()),
            waiting: vec![LaneSet::default(); ports].into(),
        }
    }

    /// Returns true if the queue has room for a packet of this length.
    #[inline]
    pub(crate) fn has_room(&self, output: PortId, lane: Lane, length: Bytes) -> bool {
        self.queues[(output, lane)].charged.held() + length <= self.size
    }

    /// Returns the occupancy of a queue as a marker sees it.
    #[inline]
    pub(crate) fn occupancy(&self, output: PortId, lane: Lane) -> BufferView {
        let held = self.queues[(output, lane)].charged.held();
        BufferView { held, room: self.size - held }
    }

    /// Appends a packet that starts to enter the queue of its lane at `output`.
    ///
    /// # Panics
    /// If the queue has no room for the packet.
    #[inline]
    pub(crate) fn push(&mut self, output: PortId, id: PacketId, pool: &mut PacketPool, now: Time) {
        let (lane, length) = (pool[id].lrh.lane, pool[id].wire_bytes());
        assert!(self.has_room(output, lane, length), "no room for {length} at {output:?}, {lane}");
        let queue = &mut self.queues[(output, lane)];
        queue.charged.stored(length, now);
        queue.packets.push(id, pool);
        self.waiting[output.index()].insert(lane);
    }

    /// Returns the lanes of `output` with a packet that could start on the wire.
    #[inline]
    pub(crate) fn waiting(&self, output: PortId) -> LaneSet {
        self.waiting[output.index()]
    }

    /// Returns the packet at the head of a queue.
    ///
    /// # Panics
    /// If the queue is empty.
    #[inline]
    pub(crate) fn head(&self, output: PortId, lane: Lane) -> PacketId {
        self.queues[(output, lane)].packets.head().expect("a lane that waits has a packet")
    }

    /// Returns the length of the packet at the head of a queue, if a packet waits there.
    pub(crate) fn head_length(&self, output: PortId, lane: Lane, pool: &PacketPool) -> Option<Bytes> {
        self.queues[(output, lane)].packets.head().map(|head| pool[head].wire_bytes())
    }

    /// Takes the packet at the head of a queue, which starts on the wire.
    ///
    /// # Panics
    /// If the queue is empty.
    #[inline]
    pub(crate) fn pop(&mut self, output: PortId, lane: Lane, pool: &PacketPool) -> PacketId {
        let queue = &mut self.queues[(output, lane)].packets;
        let id = queue.pop(pool).expect("a lane that waits has a packet");
        if queue.is_empty() {
            self.waiting[output.index()].remove(lane);
        }
        id
    }

    /// Releases the room of a packet, once its tail has left on the wire.
    #[inline]
    pub(crate) fn release(&mut self, output: PortId, lane: Lane, length: Bytes, now: Time) {
        self.queues[(output, lane)].charged.freed(length, now);
    }

    /// Returns the packets that have not started on a wire, each queue from its head on.
    pub(crate) fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queues.entries().iter().flat_map(|queue| queue.packets.packets(pool))
    }

    /// Returns the room beside the packets that wait in a queue.
    pub(crate) fn room_beside_waiting(&self, output: PortId, lane: Lane, pool: &PacketPool) -> Bytes {
        let waiting: Bytes = self.queues[(output, lane)].packets.packets(pool).map(Packet::wire_bytes).sum();
        self.size - waiting
    }

    /// Returns the record of a queue's charge.
    pub(crate) fn charged(&self, output: PortId, lane: Lane) -> &LaneInput {
        &self.queues[(output, lane)].charged
    }

    /// Returns true if no packet enters, waits or leaves.
    pub(crate) fn is_empty(&self) -> bool {
        self.queues.entries().iter().all(|queue| queue.charged.held() == Bytes::ZERO)
    }
}
