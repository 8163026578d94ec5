//! Input queueing with virtual output queues.
//!
//! Invariant: a packet waits for its own output only; no other output's packet stands before it.

use cc_policies::policy::Place;
use packet::{Packet, PacketId, PacketPool, PacketQueue};

use super::{Buffering, Taken};
use crate::ledger::Ledger;

/// Packets wait at their input, in a queue for each output and lane: virtual output queues.
#[derive(Clone, Debug)]
pub struct InputVoq {
    ports: usize,
    lanes: usize,
    /// By (output, lane, input).
    queues: Box<[PacketQueue]>,
}

impl InputVoq {
    /// Empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { ports, lanes, queues: vec![PacketQueue::default(); ports * ports * lanes].into() }
    }

    fn at(&self, place: Place) -> usize {
        (place.output.index() * self.lanes + place.lane.index()) * self.ports + place.input.index()
    }
}

impl Buffering for InputVoq {
    #[inline(always)]
    fn store<const WORDS: usize>(
        &mut self,
        place: Place,
        packet: PacketId,
        ledger: &mut Ledger<WORDS>,
        pool: &mut PacketPool,
    ) {
        let at = self.at(place);
        self.queues[at].push(packet, pool);
        ledger.contend(place);
    }

    fn head(&self, place: Place) -> PacketId {
        self.queues[self.at(place)].head().expect("a contender has a packet")
    }

    #[inline(always)]
    fn take<const WORDS: usize>(
        &mut self,
        place: Place,
        ledger: &mut Ledger<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        let at = self.at(place);
        let packet = self.queues[at].pop(pool).expect("a contender has a packet");
        if self.queues[at].is_empty() {
            ledger.withdraw(place);
        }
        Taken { packet, exposed: None }
    }

    fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queues.iter().flat_map(|queue| queue.packets(pool))
    }

    fn reads_at_inputs(&self) -> bool {
        true
    }
}
