//! Input queueing with virtual output queues.
//!
//! Invariant: a packet waits for its own output only; no other output's packet stands before it.

use cc_policies::policy::Place;
use link_layer::{LaneSet, PortSet};
use packet::{Lane, PacketId, PacketPool, PacketQueue, PortId};

use super::{Buffering, Taken};

/// Packets wait at their input, in a queue for each output and lane: virtual output queues.
#[derive(Clone, Debug)]
pub struct InputVoq {
    ports: usize,
    lanes: usize,
    /// By (output, lane, input).
    queues: Vec<PacketQueue>,
    /// By (output, lane).
    contenders: Vec<PortSet>,
    /// By output.
    waiting: Vec<LaneSet>,
}

impl InputVoq {
    /// Empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self {
            ports,
            lanes,
            queues: vec![PacketQueue::default(); ports * ports * lanes],
            contenders: vec![PortSet::EMPTY; ports * lanes],
            waiting: vec![LaneSet::default(); ports],
        }
    }

    fn output(&self, output: PortId, lane: Lane) -> usize {
        output.index() * self.lanes + lane.index()
    }

    fn queue(&self, place: Place) -> usize {
        self.output(place.output, place.lane) * self.ports + place.input.index()
    }
}

impl Buffering for InputVoq {
    fn store(&mut self, place: Place, packet: PacketId, pool: &mut PacketPool) {
        let (output, queue) = (self.output(place.output, place.lane), self.queue(place));
        self.queues[queue].push(packet, pool);
        self.contenders[output].insert(place.input);
        self.waiting[place.output.index()].insert(place.lane);
    }

    fn lanes(&self, output: PortId) -> LaneSet {
        self.waiting[output.index()]
    }

    fn contenders(&self, output: PortId, lane: Lane) -> PortSet {
        self.contenders[self.output(output, lane)]
    }

    fn head(&self, place: Place) -> PacketId {
        self.queues[self.queue(place)].head().expect("a contender has a packet")
    }

    fn take(&mut self, place: Place, pool: &PacketPool) -> Taken {
        let (output, queue) = (self.output(place.output, place.lane), self.queue(place));
        let packet = self.queues[queue].pop(pool).expect("a contender has a packet");
        if self.queues[queue].is_empty() {
            self.contenders[output].remove(place.input);
            if self.contenders[output].is_empty() {
                self.waiting[place.output.index()].remove(place.lane);
            }
        }
        Taken { packet, exposed: None }
    }

    fn reads_at_inputs(&self) -> bool {
        true
    }
}
