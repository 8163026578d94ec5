//! First-in-first-out queues for each port and lane: of inputs for [`InputFifo`], of outputs for [`Central`].
//!
//! Invariant: a queue releases packets in the order in which it received them. Bytes are also counted by virtual output
//! queue, from a packet's entry until its departure.
//!
//! [`InputFifo`]: super::InputFifo
//! [`Central`]: super::Central

use packet::{Lane, Packet, PacketId, PacketPool, PacketQueue, PortId, VoqId};

use crate::tables::{LaneTable, VoqTable};

/// A queue for each port and lane.
#[derive(Clone, Debug)]
pub(super) struct FifoQueues {
    queues: LaneTable<PacketQueue>,
    /// Bytes that wait, by virtual output queue.
    waiting: VoqTable<u32>,
}

state_codec::state!(FifoQueues { queues: part, waiting: part });

impl FifoQueues {
    /// Creates empty queues for a switch of this many ports and lanes.
    pub(super) fn new(ports: usize, lanes: usize) -> Self {
        Self {
            queues: LaneTable::new(ports, lanes, PacketQueue::default()),
            waiting: VoqTable::new(ports, lanes),
        }
    }

    /// Appends a packet. Returns true if it is now at the head.
    #[inline(always)]
    pub(super) fn push(&mut self, port: PortId, lane: Lane, packet: PacketId, pool: &mut PacketPool) -> bool {
        let queue = &mut self.queues[(port, lane)];
        let is_head = queue.is_empty();
        queue.push(packet, pool);
        is_head
    }

    /// Returns the packet at the head.
    ///
    /// # Panics
    /// If the queue is empty.
    pub(super) fn head(&self, port: PortId, lane: Lane) -> PacketId {
        self.queues[(port, lane)].head().expect("a contender has a packet")
    }

    /// Takes the packet at the head. Returns it and the next head.
    ///
    /// # Panics
    /// If the queue is empty.
    #[inline(always)]
    pub(super) fn pop(
        &mut self,
        port: PortId,
        lane: Lane,
        pool: &PacketPool,
    ) -> (PacketId, Option<PacketId>) {
        let queue = &mut self.queues[(port, lane)];
        (queue.pop(pool).expect("a contender has a packet"), queue.head())
    }

    /// Returns the number of bytes that wait in a virtual output queue.
    #[inline]
    pub(super) fn waiting(&self, voq: VoqId) -> &u32 {
        &self.waiting[voq]
    }

    /// Returns the count of the bytes that wait in a virtual output queue.
    pub(super) fn waiting_mut(&mut self, voq: VoqId) -> &mut u32 {
        &mut self.waiting[voq]
    }

    /// Returns all packets, each queue from its head on.
    pub(super) fn packets<'a>(&'a self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queues.entries().iter().flat_map(|queue| queue.packets(pool))
    }
}
