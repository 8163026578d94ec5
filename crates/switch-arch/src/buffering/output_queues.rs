//! Queues at the outputs, behind the crossbar of [`CombinedInputOutput`](super::CombinedInputOutput).
//!
//! Invariant: a queue is charged for a packet from the time the packet starts to cross until its tail has left on the
//! wire, and never beyond its size. Packets leave in the order in which they started to cross. No output is written
//! faster than its limit, except by a single packet, which is written at the rate of its wire.

use link_layer::LaneSet;
use packet::{Lane, Packet, PacketId, PacketPool, PacketQueue, PortId};
use telemetry::LaneInput;
use units::{Bytes, Rate, Time};

use crate::tables::LaneTable;

/// The queues of all outputs and lanes, and the write bandwidth of each output.
#[derive(Clone, Debug)]
pub struct OutputQueues {
    /// Size of each queue.
    size: Bytes,
    queues: LaneTable<OutputQueue>,
    /// By output.
    writers: Box<[OutputWriter]>,
}

/// One queue and the record of its charge.
#[derive(Clone, Debug, Default)]
struct OutputQueue {
    packets: PacketQueue,
    /// All bytes that the queue is charged for, those on their way in or out included.
    charged: LaneInput,
}

/// Write side of one output's queues.
#[derive(Clone, Debug)]
struct OutputWriter {
    /// Lanes with a packet that has not started on the wire.
    waiting: LaneSet,
    /// Lane of the packet that was the last to start to cross.
    last: Lane,
    /// Write bandwidth in use, in bit/s.
    writing: u64,
    /// Write bandwidth available, in bit/s.
    limit: u64,
}

impl OutputQueues {
    /// Creates empty queues of this size. `limits` is the write bandwidth of each output, in bit/s.
    pub(super) fn new(size: Bytes, lanes: usize, limits: &[u64]) -> Self {
        let writer = |limit: &u64| OutputWriter {
            waiting: LaneSet::default(),
            last: Lane(0),
            writing: 0,
            limit: *limit,
        };
        Self {
            size,
            queues: LaneTable::new(limits.len(), lanes, OutputQueue::default()),
            writers: limits.iter().map(writer).collect(),
        }
    }

    /// Returns true if `output` can be written at `rate` in addition to the present writes. An idle output always can.
    pub(crate) fn can_write(&self, output: PortId, rate: Rate) -> bool {
        let OutputWriter { writing, limit, .. } = self.writers[output.index()];
        writing == 0 || writing + rate.get() <= limit
    }

    /// Returns the write bandwidth of `output`, in bit/s.
    pub(crate) fn write_limit(&self, output: PortId) -> u64 {
        self.writers[output.index()].limit
    }

    /// Returns true if the queue has room for a packet of this length.
    pub(crate) fn has_room(&self, output: PortId, lane: Lane, length: Bytes) -> bool {
        self.queues[(output, lane)].charged.held() + length <= self.size
    }

    /// Returns the next lane in turn of those that are ready to cross to `output`.
    pub(crate) fn next_lane(&self, output: PortId, ready: LaneSet) -> Option<Lane> {
        ready.next_after(self.writers[output.index()].last)
    }

    /// Appends a packet that starts to cross to `output` and is written at `rate`.
    ///
    /// # Panics
    /// If the queue has no room for the packet.
    pub(crate) fn push(
        &mut self,
        output: PortId,
        id: PacketId,
        rate: Rate,
        pool: &mut PacketPool,
        now: Time,
    ) {
        let (lane, length) = (pool[id].lrh.lane, pool[id].wire_bytes());
        assert!(self.has_room(output, lane, length), "no room for {length} at output {output}, {lane}");
        let queue = &mut self.queues[(output, lane)];
        queue.charged.stored(length, now);
        queue.packets.push(id, pool);
        let writer = &mut self.writers[output.index()];
        writer.waiting.insert(lane);
        writer.last = lane;
        writer.writing += rate.get();
    }

    /// Ends the write of a packet at `rate`, whose tail has crossed.
    pub(crate) fn end_write(&mut self, output: PortId, rate: Rate) {
        self.writers[output.index()].writing -= rate.get();
    }

    /// Returns the lanes of `output` with a packet that could start on the wire.
    pub(crate) fn waiting(&self, output: PortId) -> LaneSet {
        self.writers[output.index()].waiting
    }

    /// Returns the packet at the head of a queue.
    ///
    /// # Panics
    /// If the queue is empty.
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
    pub(crate) fn pop(&mut self, output: PortId, lane: Lane, pool: &PacketPool) -> PacketId {
        let queue = &mut self.queues[(output, lane)].packets;
        let id = queue.pop(pool).expect("a lane that waits has a packet");
        if queue.is_empty() {
            self.writers[output.index()].waiting.remove(lane);
        }
        id
    }

    /// Releases the room of a packet whose tail has left on the wire.
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

    /// Returns true if no packet crosses, waits or leaves.
    pub(crate) fn is_empty(&self) -> bool {
        self.writers.iter().all(|writer| writer.writing == 0)
            && self.queues.entries().iter().all(|queue| queue.charged.held() == Bytes::ZERO)
    }
}
