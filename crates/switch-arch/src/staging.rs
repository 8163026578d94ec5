//! Queues at the outputs, behind the crossbar of a switch that has them.
//!
//! Invariant: a queue is charged for a packet from the time it starts to cross until its tail has left on the
//! wire, never beyond its size, and lets packets go in the order in which they started to cross. No output is
//! written faster than it can be, but for a single packet, which is written at the rate of its wire.

use link_layer::LaneSet;
use packet::{Lane, Packet, PacketId, PacketPool, PacketQueue, PortId};
use telemetry::LaneInput;
use units::{Bytes, Rate, Time};

use crate::port_set::PortSet;

/// The queues of all outputs and lanes, and how fast each output is being written.
#[derive(Debug)]
pub(crate) struct Staging<const WORDS: usize> {
    lanes: usize,
    /// Size of each queue.
    size: Bytes,
    /// By output and lane.
    queues: Vec<StagedLane>,
    outputs: Vec<StagedOutput>,
    /// Outputs whose wire may have something to start in this instant.
    pub(crate) wires: PortSet<WORDS>,
}

/// A queue, and what was observed of it.
#[derive(Clone, Debug, Default)]
struct StagedLane {
    queue: PacketQueue,
    /// All that it is charged for, also what is on its way in or out.
    charged: LaneInput,
}

#[derive(Debug)]
struct StagedOutput {
    /// Lanes with a packet that has not started on the wire.
    waiting: LaneSet,
    /// The lane that crossed last.
    last: Lane,
    /// How fast it is being written, and how fast it can be, in bit/s.
    writing: u64,
    limit: u64,
}

impl<const WORDS: usize> Staging<WORDS> {
    /// Empty queues of this size, at outputs that can be written at most so fast.
    pub(crate) fn new(size: Bytes, lanes: usize, limits: &[u64]) -> Self {
        let output = |limit: &u64| StagedOutput {
            waiting: LaneSet::default(),
            last: Lane(0),
            writing: 0,
            limit: *limit,
        };
        Self {
            lanes,
            size,
            queues: vec![StagedLane::default(); limits.len() * lanes],
            outputs: limits.iter().map(output).collect(),
            wires: PortSet::EMPTY,
        }
    }

    fn at(&self, output: PortId, lane: Lane) -> usize {
        output.index() * self.lanes + lane.index()
    }

    /// Whether `output` can be written at `rate` now. An idle one always can.
    pub(crate) fn can_write(&self, output: PortId, rate: Rate) -> bool {
        let StagedOutput { writing, limit, .. } = self.outputs[output.index()];
        writing == 0 || writing + rate.get() <= limit
    }

    /// How fast `output` can be written, in bit/s.
    pub(crate) fn limit(&self, output: PortId) -> u64 {
        self.outputs[output.index()].limit
    }

    /// Whether the queue has room for a packet of this length.
    pub(crate) fn has_room(&self, output: PortId, lane: Lane, length: Bytes) -> bool {
        self.queues[self.at(output, lane)].charged.held() + length <= self.size
    }

    /// Of the lanes that could cross to `output`, the one whose turn it is.
    pub(crate) fn turn(&self, output: PortId, ready: LaneSet) -> Option<Lane> {
        ready.next_after(self.outputs[output.index()].last)
    }

    /// A packet starts to cross, and is written at `rate`.
    ///
    /// # Panics
    /// If the queue has no room for it.
    pub(crate) fn enter(
        &mut self,
        (output, lane): (PortId, Lane),
        id: PacketId,
        rate: Rate,
        now: Time,
        pool: &mut PacketPool,
    ) {
        let length = pool[id].wire_bytes();
        assert!(self.has_room(output, lane, length), "no room for {length} at output {output}, {lane}");
        let at = self.at(output, lane);
        self.queues[at].charged.stored(length, now);
        self.queues[at].queue.push(id, pool);
        let output = &mut self.outputs[output.index()];
        output.waiting.insert(lane);
        output.last = lane;
        output.writing += rate.get();
    }

    /// A packet that was written at `rate` has crossed.
    pub(crate) fn crossed(&mut self, output: PortId, rate: Rate) {
        self.outputs[output.index()].writing -= rate.get();
    }

    /// Lanes of `output` with a packet that could start on the wire.
    pub(crate) fn waiting(&self, output: PortId) -> LaneSet {
        self.outputs[output.index()].waiting
    }

    /// The packet that goes next.
    ///
    /// # Panics
    /// If none waits.
    pub(crate) fn head(&self, output: PortId, lane: Lane) -> PacketId {
        self.queues[self.at(output, lane)].queue.head().expect("a lane that waits has a packet")
    }

    /// Takes the packet that goes next: it starts on the wire.
    ///
    /// # Panics
    /// If none waits.
    pub(crate) fn take(&mut self, output: PortId, lane: Lane, pool: &PacketPool) -> PacketId {
        let at = self.at(output, lane);
        let id = self.queues[at].queue.pop(pool).expect("a lane that waits has a packet");
        if self.queues[at].queue.is_empty() {
            self.outputs[output.index()].waiting.remove(lane);
        }
        id
    }

    /// A packet's tail has left on the wire.
    pub(crate) fn left(&mut self, output: PortId, lane: Lane, length: Bytes, now: Time) {
        let at = self.at(output, lane);
        self.queues[at].charged.freed(length, now);
    }

    /// The packets that have not started on a wire, each queue from its head on.
    pub(crate) fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queues.iter().flat_map(|lane| lane.queue.packets(pool))
    }

    /// What a queue was charged for over time.
    pub(crate) fn observed(&self, output: PortId, lane: Lane) -> &LaneInput {
        &self.queues[self.at(output, lane)].charged
    }

    /// Whether nothing crosses, waits or leaves.
    pub(crate) fn is_empty(&self) -> bool {
        self.outputs.iter().all(|output| output.writing == 0)
            && self.queues.iter().all(|lane| lane.charged.held() == Bytes::new(0))
    }
}
