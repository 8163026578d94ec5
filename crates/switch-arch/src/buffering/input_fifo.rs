//! Input queueing with a queue for each input and lane.
//!
//! Invariant: packets of an input and lane leave in the order in which they became ready, whatever outputs they go to.
//! Only the head contends, and all packets behind it wait with it: head-of-line blocking.

use cc_policies::policy::QueueView;
use packet::{Packet, PacketId, PacketPool, PortId, VoqId};
use units::Time;

use super::fifo_queues::FifoQueues;
use super::{Buffering, Contention, Taken};

/// Packets wait at their input, in a queue for each lane.
#[derive(Clone, Debug)]
pub struct InputFifo {
    /// By input and lane.
    queues: FifoQueues,
}

state_codec::state!(InputFifo { queues: part });

impl InputFifo {
    /// Creates empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { queues: FifoQueues::new(ports, lanes) }
    }
}

impl Buffering for InputFifo {
    #[inline(always)]
    fn store<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        packet: PacketId,
        contention: &mut Contention<WORDS>,
        pool: &mut PacketPool,
    ) -> QueueView {
        let (length, line) = (pool[packet].wire, contention.line(voq));
        if self.queues.push(voq.input, voq.lane, packet, pool) {
            line.contend(voq.input);
        }
        line.enter(self.queues.waiting_mut(voq), length)
    }

    fn head(&self, voq: VoqId) -> PacketId {
        self.queues.head(voq.input, voq.lane)
    }

    #[inline(always)]
    fn take<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        let (packet, next) = self.queues.pop(voq.input, voq.lane, pool);
        let next = next.map(|next| pool[next].voq());
        contention.succeed(voq, next);
        // The packet behind may go to an output that is not due. Nothing else would make that output due in this
        // instant.
        Taken { packet, exposed: next.map(|next| next.output).filter(|output| *output != voq.output) }
    }

    #[inline(always)]
    fn depart<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        length: u16,
        contention: &mut Contention<WORDS>,
        now: Time,
    ) -> QueueView {
        contention.line(voq).depart(self.queues.waiting_mut(voq), length, now)
    }

    #[inline]
    fn waiting(&self, voq: VoqId) -> &u32 {
        self.queues.waiting(voq)
    }

    fn awaited(&self, voq: VoqId, pool: &PacketPool) -> PortId {
        pool[self.head(voq)].voq().output
    }

    fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queues.packets(pool)
    }
}
