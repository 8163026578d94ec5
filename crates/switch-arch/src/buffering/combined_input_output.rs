//! Combined input and output queueing: virtual output queues at the inputs, and a queue for each output and lane behind
//! a crossbar. The crossbar is faster than the links.
//!
//! Invariant: a packet crosses from its virtual output queue to its output's queue, and goes on the wire from there. It
//! waits, as markers and reports count it, until it starts on the wire.

use cc_policies::policy::QueueView;
use packet::{Packet, PacketId, PacketPool, VoqId};
use units::{Bytes, Time};

use super::write_bandwidth::WriteBandwidth;
use super::{Buffering, Contention, InputVoq, OutputQueues, Taken, TwoStage};

/// Packets wait at their input in virtual output queues, and at their output in a queue for each lane.
#[derive(Clone, Debug)]
pub struct CombinedInputOutput {
    /// By virtual output queue, before the crossbar.
    queues: InputVoq,
    /// By output and lane, behind the crossbar.
    outputs: OutputQueues,
    /// By output: the crossbar's far side.
    pub(crate) writers: WriteBandwidth,
}

state_codec::state!(CombinedInputOutput { queues: part, outputs: part, writers: part });

impl CombinedInputOutput {
    /// Creates empty queues for a switch of `write_limits.len()` ports. `output_buffer` is the size of each queue at an
    /// output, and `write_limits` the write bandwidth of each output's queues, in bit/s.
    #[must_use]
    pub fn new(lanes: usize, output_buffer: Bytes, write_limits: &[u64]) -> Self {
        Self {
            queues: InputVoq::new(write_limits.len(), lanes),
            outputs: OutputQueues::new(output_buffer, write_limits.len(), lanes),
            writers: WriteBandwidth::new(write_limits),
        }
    }
}

impl Buffering for CombinedInputOutput {
    #[inline(always)]
    fn store<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        packet: PacketId,
        contention: &mut Contention<WORDS>,
        pool: &mut PacketPool,
    ) -> QueueView {
        self.queues.store(voq, packet, contention, pool)
    }

    fn head(&self, voq: VoqId) -> PacketId {
        self.queues.head(voq)
    }

    #[inline(always)]
    fn take<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        self.queues.take(voq, contention, pool)
    }

    #[inline(always)]
    fn depart<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        length: u16,
        contention: &mut Contention<WORDS>,
        now: Time,
    ) -> QueueView {
        self.queues.depart(voq, length, contention, now)
    }

    fn waiting(&self, voq: VoqId) -> &u32 {
        self.queues.waiting(voq)
    }

    fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queues.packets(pool)
    }

    fn output_queues(&self) -> Option<&OutputQueues> {
        Some(&self.outputs)
    }
}

impl TwoStage for CombinedInputOutput {
    fn outputs(&self) -> &OutputQueues {
        &self.outputs
    }

    fn outputs_mut(&mut self) -> &mut OutputQueues {
        &mut self.outputs
    }
}
