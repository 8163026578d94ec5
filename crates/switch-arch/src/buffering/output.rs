//! Output queueing: memory belongs to the outputs, a queue for each output and lane, which all inputs share.
//!
//! Invariant: a packet moves from its input's landing buffer to its output's queue as soon as the whole packet has room
//! there. Packets for an output and lane move, and leave, in the order in which they became ready. A packet never waits
//! for a packet to another output. Credits and PFC describe the landing buffers.
//!
//! All inputs may write to an output's memory at once. So the internal speed-up of that memory is the number of ports
//! (Karol, Hluchyj and Morgan 1987, section III).

use cc_policies::policy::QueueView;
use packet::{Packet, PacketId, PacketPool, VoqId};
use units::{Bytes, Time};

use super::{Buffering, Central, Contention, OutputQueues, Taken, TwoStage};
use crate::tables::VoqTable;

/// Packets wait in landing buffers at their inputs for room at their output, and there in a queue for each lane.
#[derive(Clone, Debug)]
pub struct Output {
    /// By output and lane, the packets at all inputs that wait for room.
    landing: Central,
    /// Number of these packets, by virtual output queue.
    landed: VoqTable<u32>,
    /// By output and lane.
    outputs: OutputQueues,
}

state_codec::state!(Output { landing: part, landed: part, outputs: part });

impl Output {
    /// Creates empty queues for a switch of this many ports and lanes. `output_buffer` is the size of each queue at an
    /// output.
    #[must_use]
    pub fn new(ports: usize, lanes: usize, output_buffer: Bytes) -> Self {
        Self {
            landing: Central::new(ports, lanes),
            landed: VoqTable::new(ports, lanes),
            outputs: OutputQueues::new(output_buffer, ports, lanes),
        }
    }
}

impl Buffering for Output {
    #[inline(always)]
    fn store<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        packet: PacketId,
        contention: &mut Contention<WORDS>,
        pool: &mut PacketPool,
    ) -> QueueView {
        self.landed[voq] += 1;
        self.landing.store(voq, packet, contention, pool)
    }

    fn head(&self, voq: VoqId) -> PacketId {
        self.landing.head(voq)
    }

    #[inline(always)]
    fn take<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        self.landed[voq] -= 1;
        self.landing.take(voq, contention, pool)
    }

    #[inline(always)]
    fn depart<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        length: u16,
        contention: &mut Contention<WORDS>,
        now: Time,
    ) -> QueueView {
        self.landing.depart(voq, length, contention, now)
    }

    fn waiting(&self, voq: VoqId) -> &u32 {
        self.landing.waiting(voq)
    }

    fn is_next<const WORDS: usize>(&self, voq: VoqId, _: &Contention<WORDS>) -> bool {
        self.landed[voq] > 0
    }

    fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.landing.packets(pool)
    }

    fn output_queues(&self) -> Option<&OutputQueues> {
        Some(&self.outputs)
    }
}

impl TwoStage for Output {
    fn outputs(&self) -> &OutputQueues {
        &self.outputs
    }

    fn outputs_mut(&mut self) -> &mut OutputQueues {
        &mut self.outputs
    }
}
