//! Input queueing with virtual output queues.
//!
//! Invariant: a packet waits for its own output only; no other output's packet stands before it.

use packet::{Packet, PacketId, PacketPool, VoqId};

use super::{Buffering, Taken};
use crate::ledger::Ledger;

/// Packets wait at their input, in a queue for each output and lane: virtual output queues. These are in the
/// [`Ledger`], which counts what waits in each.
#[derive(Clone, Debug)]
pub struct InputVoq;

impl Buffering for InputVoq {
    #[inline(always)]
    fn store<const WORDS: usize>(
        &mut self,
        place: VoqId,
        packet: PacketId,
        ledger: &mut Ledger<WORDS>,
        pool: &mut PacketPool,
    ) {
        ledger.push(place, packet, pool);
    }

    fn head<const WORDS: usize>(&self, place: VoqId, ledger: &Ledger<WORDS>) -> PacketId {
        ledger.queue(place).head().expect("a contender has a packet")
    }

    #[inline(always)]
    fn take<const WORDS: usize>(
        &mut self,
        place: VoqId,
        ledger: &mut Ledger<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        let packet = ledger.pop(place, pool).expect("a contender has a packet");
        Taken { packet, exposed: None }
    }

    fn packets<'a, const WORDS: usize>(
        &'a self,
        ledger: &'a Ledger<WORDS>,
        pool: &'a PacketPool,
    ) -> impl Iterator<Item = &'a Packet> {
        ledger.queues().flat_map(|queue| queue.packets(pool))
    }

    fn reads_at_inputs(&self) -> bool {
        true
    }
}
