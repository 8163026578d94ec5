//! Output queueing: a queue for each output and lane, whatever input its packets came by.
//!
//! Invariant: packets leave an output and lane in the order in which they became ready. An output never idles
//! while something waits for it and there is credit.
//!
//! The memory of an output may be written by all inputs at once, so it is as many times faster than a link as
//! the switch has ports: its internal speed-up (Karol, Hluchyj and Morgan 1987, section III).

use packet::{Lane, Packet, PacketId, PacketPool, PacketQueue, PortId, VoqId};

use super::{Buffering, Taken};
use crate::ledger::Ledger;

/// Packets wait at their output, in one queue for each lane.
#[derive(Clone, Debug)]
pub struct Output {
    lanes: usize,
    /// By (output, lane).
    queues: Vec<PacketQueue>,
}

impl Output {
    /// Empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { lanes, queues: vec![PacketQueue::default(); ports * lanes] }
    }

    fn at(&self, output: PortId, lane: Lane) -> usize {
        output.index() * self.lanes + lane.index()
    }
}

impl Buffering for Output {
    #[inline(never)]
    fn store<const WORDS: usize>(
        &mut self,
        place: VoqId,
        packet: PacketId,
        ledger: &mut Ledger<WORDS>,
        pool: &mut PacketPool,
    ) {
        let at = self.at(place.output, place.lane);
        if self.queues[at].is_empty() {
            ledger.contend(place);
        }
        self.queues[at].push(packet, pool);
    }

    fn head<const WORDS: usize>(&self, place: VoqId, _: &Ledger<WORDS>) -> PacketId {
        self.queues[self.at(place.output, place.lane)].head().expect("a contender has a packet")
    }

    #[inline(never)]
    fn take<const WORDS: usize>(
        &mut self,
        place: VoqId,
        ledger: &mut Ledger<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        let at = self.at(place.output, place.lane);
        let packet = self.queues[at].pop(pool).expect("a contender has a packet");
        let next = self.queues[at].head().map(|next| PortId(u16::from(pool[next].input)));
        if next != Some(place.input) {
            ledger.withdraw(place);
            if let Some(input) = next {
                ledger.contend(VoqId { input, ..place });
            }
        }
        Taken { packet, exposed: None }
    }

    fn packets<'a, const WORDS: usize>(
        &'a self,
        _: &'a Ledger<WORDS>,
        pool: &'a PacketPool,
    ) -> impl Iterator<Item = &'a Packet> {
        self.queues.iter().flat_map(|queue| queue.packets(pool))
    }

    fn reads_at_inputs(&self) -> bool {
        false
    }
}
