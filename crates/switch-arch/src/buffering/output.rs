//! Output queueing: one queue for each output and lane, whatever inputs its packets came by.
//!
//! Invariant: packets of an output and lane leave in the order in which they became ready. An output never idles
//! while a packet waits for it and there is credit.
//!
//! All inputs may write to an output's memory at once, so that memory is as many times faster than a link as the
//! switch has ports: its internal speed-up (Karol, Hluchyj and Morgan 1987, section III).

use cc_policies::policy::QueueView;
use packet::{Packet, PacketId, PacketPool, VoqId};
use units::Time;

use super::fifo_queues::FifoQueues;
use super::{Buffering, Contention, Taken};

/// Packets wait at their output, in one queue for each lane.
#[derive(Clone, Debug)]
pub struct Output {
    /// By output and lane.
    queues: FifoQueues,
}

impl Output {
    /// Creates empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { queues: FifoQueues::new(ports, lanes) }
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
        let (length, line) = (pool[packet].wire, contention.line(voq));
        if self.queues.push(voq.output, voq.lane, packet, pool) {
            line.contend(voq.input);
        }
        line.enter(self.queues.waiting_mut(voq), length)
    }

    fn head(&self, voq: VoqId) -> PacketId {
        self.queues.head(voq.output, voq.lane)
    }

    #[inline(always)]
    fn take<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
    ) -> Taken {
        let (packet, next) = self.queues.pop(voq.output, voq.lane, pool);
        let next = next.map(|next| pool[next].voq());
        contention.succeed(voq, next);
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
        contention.line(voq).depart(self.queues.waiting_mut(voq), length, now)
    }

    fn waiting(&self, voq: VoqId) -> &u32 {
        self.queues.waiting(voq)
    }

    fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queues.packets(pool)
    }
}
