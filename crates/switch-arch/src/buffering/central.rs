//! A central memory that all ports share, with one queue for each output and lane.
//!
//! Invariant: packets wait and leave as in [`Output`]; the organisations differ in the memory that the packets occupy.
//! In `Output` each input and lane has a part of its own. Here the parts may be shared, as
//! [`Sharing`](crate::spec::Sharing) says: [`ReceiveMemory`](link_layer::ReceiveMemory) keeps the account.

use cc_policies::policy::QueueView;
use packet::{Packet, PacketId, PacketPool, VoqId};
use units::Time;

use super::{Buffering, Contention, Output, Taken};

/// Packets wait in one memory, in a queue for each output and lane.
#[derive(Clone, Debug)]
pub struct Central {
    /// By output and lane.
    queues: Output,
}

impl Central {
    /// Creates empty queues for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self { queues: Output::new(ports, lanes) }
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
}
