//! Output queueing: a queue for each output and lane, whatever input its packets came by.
//!
//! Invariant: packets leave an output and lane in the order in which they became ready. An output never idles
//! while something waits for it and there is credit.
//!
//! The memory of an output may be written by all inputs at once, so it is as many times faster than a link as
//! the switch has ports: its internal speed-up (Karol, Hluchyj and Morgan 1987, section III).

use cc_policies::policy::Place;
use link_layer::{LaneSet, PortSet};
use packet::{Lane, PacketId, PacketPool, PacketQueue, PortId};

use super::{Buffering, Taken};

/// Packets wait at their output, in one queue for each lane.
#[derive(Clone, Debug)]
pub struct Output {
    lanes: usize,
    /// By (output, lane).
    queues: Vec<OutputQueue>,
    /// By output.
    waiting: Vec<LaneSet>,
}

/// A queue, and by which input its head came.
#[derive(Clone, Copy, Debug)]
struct OutputQueue {
    packets: PacketQueue,
    input: PortId,
}

impl Output {
    /// Empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        let empty = OutputQueue { packets: PacketQueue::default(), input: PortId(0) };
        Self { lanes, queues: vec![empty; ports * lanes], waiting: vec![LaneSet::default(); ports] }
    }

    fn at(&self, output: PortId, lane: Lane) -> usize {
        output.index() * self.lanes + lane.index()
    }
}

impl Buffering for Output {
    fn store(&mut self, place: Place, packet: PacketId, pool: &mut PacketPool) {
        let at = self.at(place.output, place.lane);
        let queue = &mut self.queues[at];
        if queue.packets.is_empty() {
            queue.input = place.input;
            self.waiting[place.output.index()].insert(place.lane);
        }
        queue.packets.push(packet, pool);
    }

    fn lanes(&self, output: PortId) -> LaneSet {
        self.waiting[output.index()]
    }

    fn contenders(&self, output: PortId, lane: Lane) -> PortSet {
        let queue = &self.queues[self.at(output, lane)];
        let mut contenders = PortSet::EMPTY;
        if !queue.packets.is_empty() {
            contenders.insert(queue.input);
        }
        contenders
    }

    fn head(&self, place: Place) -> PacketId {
        self.queues[self.at(place.output, place.lane)].packets.head().expect("a contender has a packet")
    }

    fn take(&mut self, place: Place, pool: &PacketPool) -> Taken {
        let at = self.at(place.output, place.lane);
        let queue = &mut self.queues[at];
        let packet = queue.packets.pop(pool).expect("a contender has a packet");
        match queue.packets.head() {
            Some(next) => queue.input = PortId(pool[next].input),
            None => self.waiting[place.output.index()].remove(place.lane),
        }
        Taken { packet, exposed: None }
    }

    fn reads_at_inputs(&self) -> bool {
        false
    }
}
