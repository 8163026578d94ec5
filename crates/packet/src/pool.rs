//! The packets under way: one dense table, and first-in-first-out queues threaded through it.
//!
//! Invariant: a packet is in at most one queue at a time. A freed slot is the next one used, so the table has as many
//! slots as packets were ever under way at once.

use core::ops::{Index, IndexMut};

use state_codec::{StateError, StateReader, StateWriter, Value};

use crate::ids::PacketId;
use crate::packet::Packet;

/// All packets under way in one partition of the fabric.
#[derive(Debug, Default)]
pub struct PacketPool {
    packets: Vec<Packet>,
    free: Vec<PacketId>,
}

/// A first-in-first-out queue of packets, threaded through the pool.
#[derive(Clone, Copy, Debug)]
pub struct PacketQueue {
    head: PacketId,
    tail: PacketId,
}

impl PacketPool {
    /// Stores `packet` and returns its identifier.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        if let Some(id) = self.free.pop() {
            self.packets[id.0 as usize] = packet;
            id
        } else {
            let id = PacketId(u32::try_from(self.packets.len()).expect("fewer than 2^32 packets under way"));
            self.packets.push(packet);
            id
        }
    }

    /// Removes a delivered or lost packet.
    #[inline]
    pub fn remove(&mut self, id: PacketId) -> Packet {
        self.free.push(id);
        self.packets[id.0 as usize]
    }

    /// Returns the number of packets under way.
    #[must_use]
    pub fn len(&self) -> usize {
        self.packets.len() - self.free.len()
    }

    /// Returns the pool of these packets, each with the successor that it has in its queue, if it is in one. Slots are numbered
    /// in the order of the packets.
    #[must_use]
    pub fn restored(packets: impl Iterator<Item = (Packet, u32)>) -> Self {
        let linked = |(mut packet, next): (Packet, u32)| {
            packet.next = PacketId(next);
            packet
        };
        Self { packets: packets.map(linked).collect(), free: Vec::new() }
    }

    /// Returns the successor of each packet in its queue, by slot; without a meaning for packets in no queue.
    #[must_use]
    pub fn successors(&self) -> Vec<u32> {
        self.packets.iter().map(|packet| packet.next.0).collect()
    }

    /// Returns the packet in a slot; `None` if there is no such slot.
    #[must_use]
    pub fn in_slot(&self, slot: u32) -> Option<&Packet> {
        self.packets.get(slot as usize)
    }

    /// Returns the packets under way, in the order of their slots. It looks at each slot.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        let mut used = vec![true; self.packets.len()];
        self.free.iter().for_each(|id| used[id.0 as usize] = false);
        self.packets.iter().zip(used).filter_map(|(packet, used)| used.then_some(packet))
    }

    /// Returns whether no packet is under way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Index<PacketId> for PacketPool {
    type Output = Packet;
    fn index(&self, id: PacketId) -> &Packet {
        &self.packets[id.0 as usize]
    }
}

impl IndexMut<PacketId> for PacketPool {
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.packets[id.0 as usize]
    }
}

impl Default for PacketQueue {
    fn default() -> Self {
        Self { head: PacketId::NONE, tail: PacketId::NONE }
    }
}

/// A queue is saved packet by packet, from the head on.
impl Value for PacketQueue {
    fn put(&self, to: &mut StateWriter) {
        let next = |slot: &u32| (*slot != self.tail.0).then(|| to.successor(*slot));
        let slots: Vec<u32> = core::iter::successors(self.head().map(|head| head.0), next).collect();
        slots.len().put(to);
        slots.iter().for_each(|slot| to.packet(*slot));
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let mut queue = Self::default();
        for _ in 0..from.length()? {
            let id = PacketId(from.packet()?);
            if queue.is_empty() {
                queue.head = id;
            } else {
                from.link(queue.tail.0, id.0);
            }
            queue.tail = id;
        }
        Ok(queue)
    }
}

state_codec::value!(by_hand PacketQueue);

impl PacketQueue {
    /// Returns whether the queue has no packet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head == PacketId::NONE
    }

    /// Returns the packet that has waited longest.
    #[must_use]
    pub fn head(&self) -> Option<PacketId> {
        (!self.is_empty()).then_some(self.head)
    }

    /// Appends a packet.
    pub fn push(&mut self, id: PacketId, pool: &mut PacketPool) {
        pool[id].next = PacketId::NONE;
        if self.is_empty() {
            self.head = id;
        } else {
            pool[self.tail].next = id;
        }
        self.tail = id;
    }

    /// Removes the packet at the head.
    pub fn pop(&mut self, pool: &PacketPool) -> Option<PacketId> {
        let id = self.head()?;
        self.head = pool[id].next;
        Some(id)
    }

    /// Returns the queue's packets, from the head on.
    pub fn packets<'a>(&self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        let tail = self.tail;
        let next = move |id: &PacketId| (*id != tail).then(|| pool[*id].next);
        core::iter::successors(self.head(), next).map(|id| &pool[id])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Psn, QpNumber, ServiceLevel};
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn packet(n: u32) -> Packet {
        let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
        let bth = Bth {
            destination_qp: QpNumber(0),
            psn: Psn::new(n),
            opcode: Opcode::SendOnly,
            transport: crate::TransportService::Rc,
            flags: BthFlags::empty(),
        };
        Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0)
    }

    proptest! {
        /// Two queues over one pool behave as two `VecDeque`s, and the pool has as many slots as packets were ever in
        /// it at once.
        #[test]
        fn queues_keep_order_and_slots_are_reused(ops in prop::collection::vec((0..2usize, any::<bool>()), 0..200)) {
            let mut pool = PacketPool::default();
            let mut queues = [PacketQueue::default(); 2];
            let mut oracle = [VecDeque::new(), VecDeque::new()];
            let mut most = 0;
            for (n, (which, push)) in (0u32..).zip(ops) {
                if push {
                    let id = pool.insert(packet(n));
                    queues[which].push(id, &mut pool);
                    oracle[which].push_back(n);
                } else {
                    let got = queues[which].pop(&pool).map(|id| pool.remove(id).bth.psn.get());
                    prop_assert_eq!(got, oracle[which].pop_front());
                }
                let inside: Vec<u32> = queues[which].packets(&pool).map(|packet| packet.bth.psn.get()).collect();
                prop_assert_eq!(inside, oracle[which].iter().copied().collect::<Vec<_>>());
                most = most.max(oracle[0].len() + oracle[1].len());
                prop_assert_eq!(pool.len(), oracle[0].len() + oracle[1].len());
                let mut all: Vec<u32> = pool.packets().map(|packet| packet.bth.psn.get()).collect();
                all.sort_unstable();
                let mut expected: Vec<u32> = oracle.iter().flatten().copied().collect();
                expected.sort_unstable();
                prop_assert_eq!(all, expected);
            }
            prop_assert_eq!(pool.packets.len(), most);
        }
    }
}
