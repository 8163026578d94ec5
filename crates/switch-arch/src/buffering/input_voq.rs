//! Input queueing with virtual output queues.
//!
//! Invariant: a packet waits for its own output only; no packet for another output stands before it.

use cc_policies::policy::QueueView;
use packet::{Packet, PacketId, PacketPool, PacketQueue, VoqId};
use units::Time;

use super::{Buffering, Contention, Taken};
use crate::tables::VoqTable;

/// Packets wait at their input, in a queue for each output and lane: virtual output queues.
#[derive(Clone, Debug)]
pub struct InputVoq {
    /// By virtual output queue.
    queues: VoqTable<VirtualQueue>,
}

state_codec::state!(InputVoq { queues: part });

/// A virtual output queue and its length.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))] // No queue spans two cache lines.
struct VirtualQueue {
    bytes: u32,
    packets: PacketQueue,
}

state_codec::value!(VirtualQueue { bytes, packets });

impl InputVoq {
    /// Creates empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { queues: VoqTable::new(ports, lanes) }
    }
}

impl Buffering for InputVoq {
    #[inline(always)]
    fn store<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        packet: PacketId,
        contention: &mut Contention<WORDS>,
        pool: &mut PacketPool,
    ) -> QueueView {
        let (length, line) = (pool[packet].wire, contention.line(voq));
        let queue = &mut self.queues[voq];
        queue.packets.push(packet, pool);
        line.contend(voq.input);
        line.enter(&mut queue.bytes, length)
    }

    fn head(&self, voq: VoqId) -> PacketId {
        self.queues[voq].packets.head().expect("a contender has a packet")
    }

    #[inline(always)]
    fn take<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        let queue = &mut self.queues[voq].packets;
        let packet = queue.pop(pool).expect("a contender has a packet");
        if queue.is_empty() {
            contention.line(voq).withdraw(voq.input);
        }
        Taken { packet, exposed: None }
    }

    #[inline(always)]
    fn depart<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        length: u16,
        contention: &mut Contention<WORDS>,
        now: Time,
    ) -> QueueView {
        contention.line(voq).depart(&mut self.queues[voq].bytes, length, now)
    }

    #[inline(always)]
    fn take_for_wire<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
        now: Time,
    ) -> (Taken, QueueView) {
        // Finds the queue and its output once, unlike the default: `take` and `depart` would each look up both.
        let (queue, line) = (&mut self.queues[voq], contention.line(voq));
        let packet = queue.packets.pop(pool).expect("a contender has a packet");
        if queue.packets.is_empty() {
            line.withdraw(voq.input);
        }
        let view = line.depart(&mut queue.bytes, pool[packet].wire, now);
        (Taken { packet, exposed: None }, view)
    }

    #[inline]
    fn waiting(&self, voq: VoqId) -> &u32 {
        &self.queues[voq].bytes
    }

    fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queues.entries().iter().flat_map(|queue| queue.packets.packets(pool))
    }
}
