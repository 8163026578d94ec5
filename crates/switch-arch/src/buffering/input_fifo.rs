//! Input queueing with one queue for each input and lane.
//!
//! Invariant: packets of an input and lane leave in the order in which they became ready, wherever they go. So
//! the head is the only one that contends, and what stands behind it waits with it: head-of-line blocking.

use cc_policies::policy::Place;
use link_layer::{LaneSet, PortSet};
use packet::{Lane, PacketId, PacketPool, PacketQueue, PortId};

use super::{Buffering, Taken};

/// Packets wait at their input, in one queue for each lane.
#[derive(Clone, Debug)]
pub struct InputFifo {
    lanes: usize,
    /// By (input, lane).
    queues: Vec<PacketQueue>,
    /// Inputs whose head wants this output, by (output, lane).
    contenders: Vec<PortSet>,
    /// By output.
    waiting: Vec<LaneSet>,
}

impl InputFifo {
    /// Empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self {
            lanes,
            queues: vec![PacketQueue::default(); ports * lanes],
            contenders: vec![PortSet::EMPTY; ports * lanes],
            waiting: vec![LaneSet::default(); ports],
        }
    }

    fn at(&self, port: PortId, lane: Lane) -> usize {
        port.index() * self.lanes + lane.index()
    }

    /// The head of `input` now wants `output`.
    fn contend(&mut self, Place { input, output, lane }: Place) {
        let at = self.at(output, lane);
        self.contenders[at].insert(input);
        self.waiting[output.index()].insert(lane);
    }

    /// The head of `input` no longer wants `output`.
    fn withdraw(&mut self, Place { input, output, lane }: Place) {
        let at = self.at(output, lane);
        self.contenders[at].remove(input);
        if self.contenders[at].is_empty() {
            self.waiting[output.index()].remove(lane);
        }
    }
}

impl Buffering for InputFifo {
    fn store(&mut self, place: Place, packet: PacketId, pool: &mut PacketPool) {
        let queue = self.at(place.input, place.lane);
        if self.queues[queue].is_empty() {
            self.contend(place);
        }
        self.queues[queue].push(packet, pool);
    }

    fn lanes(&self, output: PortId) -> LaneSet {
        self.waiting[output.index()]
    }

    fn contenders(&self, output: PortId, lane: Lane) -> PortSet {
        self.contenders[self.at(output, lane)]
    }

    fn head(&self, place: Place) -> PacketId {
        self.queues[self.at(place.input, place.lane)].head().expect("a contender has a packet")
    }

    fn take(&mut self, place: Place, pool: &PacketPool) -> Taken {
        let queue = self.at(place.input, place.lane);
        let packet = self.queues[queue].pop(pool).expect("a contender has a packet");
        let behind = self.queues[queue].head().map(|next| PortId(pool[next].output));
        if behind == Some(place.output) {
            return Taken { packet, exposed: None };
        }
        self.withdraw(place);
        if let Some(output) = behind {
            self.contend(Place { output, ..place });
        }
        Taken { packet, exposed: behind }
    }

    fn reads_at_inputs(&self) -> bool {
        true
    }
}
