//! A central memory that all ports share, with a queue for each output and lane.
//!
//! Invariant: packets of an output and lane leave in the order in which they became ready, whatever inputs they came
//! by. An output never idles while a packet waits for it and there is credit.
//!
//! All inputs may write to the memory at once, and all outputs read it. [`Sharing`](crate::spec::Sharing) divides it;
//! [`ReceiveMemory`](link_layer::ReceiveMemory) keeps the account.

use cc_policies::policy::QueueView;
use packet::{Packet, PacketId, PacketPool, VoqId};
use units::Time;

use super::fifo_queues::FifoQueues;
use super::{Buffering, Contention, Taken};

/// Packets wait in a common memory, in a queue for each output and lane.
#[derive(Clone, Debug)]
pub struct Central {
    /// By output and lane.
    queues: FifoQueues,
}

state_codec::state!(Central { queues: part });

impl Central {
    /// Creates empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { queues: FifoQueues::new(ports, lanes) }
    }
}

impl Buffering for Central {
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

    #[inline(always)]
    fn take_for_wire<const WORDS: usize>(
        &mut self,
        voq: VoqId,
        contention: &mut Contention<WORDS>,
        pool: &PacketPool,
        now: Time,
    ) -> (Taken, QueueView) {
        let (packet, next) = self.queues.pop(voq.output, voq.lane, pool);
        let line = contention.line(voq);
        line.withdraw(voq.input);
        if let Some(next) = next {
            line.contend(pool[next].voq().input);
        }
        let view = line.depart(self.queues.waiting_mut(voq), pool[packet].wire, now);
        (Taken { packet, exposed: None }, view)
    }

    #[inline]
    fn waiting(&self, voq: VoqId) -> &u32 {
        self.queues.waiting(voq)
    }

    fn is_next<const WORDS: usize>(&self, voq: VoqId, _: &Contention<WORDS>) -> bool {
        *self.queues.waiting(voq) > 0
    }

    fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queues.packets(pool)
    }
}
