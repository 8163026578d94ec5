//! Input queueing with one queue for each input and lane.
//!
//! Invariant: packets of an input and lane leave in the order in which they became ready, wherever they go. So
//! the head is the only one that contends, and what stands behind it waits with it: head-of-line blocking.

use packet::{Lane, Packet, PacketId, PacketPool, PacketQueue, PortId, VoqId};

use super::{Buffering, Taken};
use crate::ledger::Ledger;

/// Packets wait at their input, in one queue for each lane.
#[derive(Clone, Debug)]
pub struct InputFifo {
    lanes: usize,
    /// By (input, lane).
    queues: Vec<PacketQueue>,
}

impl InputFifo {
    /// Empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { lanes, queues: vec![PacketQueue::default(); ports * lanes] }
    }

    fn at(&self, input: PortId, lane: Lane) -> usize {
        input.index() * self.lanes + lane.index()
    }
}

impl Buffering for InputFifo {
    #[inline(never)]
    fn store<const WORDS: usize>(
        &mut self,
        place: VoqId,
        packet: PacketId,
        ledger: &mut Ledger<WORDS>,
        pool: &mut PacketPool,
    ) {
        let at = self.at(place.input, place.lane);
        if self.queues[at].is_empty() {
            ledger.contend(place);
        }
        self.queues[at].push(packet, pool);
    }

    fn head<const WORDS: usize>(&self, place: VoqId, _: &Ledger<WORDS>) -> PacketId {
        self.queues[self.at(place.input, place.lane)].head().expect("a contender has a packet")
    }

    #[inline(never)]
    fn take<const WORDS: usize>(
        &mut self,
        place: VoqId,
        ledger: &mut Ledger<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        let at = self.at(place.input, place.lane);
        let packet = self.queues[at].pop(pool).expect("a contender has a packet");
        let behind = self.queues[at].head().map(|next| PortId(u16::from(pool[next].output)));
        if behind == Some(place.output) {
            return Taken { packet, exposed: None };
        }
        ledger.withdraw(place);
        if let Some(output) = behind {
            ledger.contend(VoqId { output, ..place });
        }
        Taken { packet, exposed: behind }
    }

    fn packets<'a, const WORDS: usize>(
        &'a self,
        _: &'a Ledger<WORDS>,
        pool: &'a PacketPool,
    ) -> impl Iterator<Item = &'a Packet> {
        self.queues.iter().flat_map(|queue| queue.packets(pool))
    }

    fn reads_at_inputs(&self) -> bool {
        true
    }
}
