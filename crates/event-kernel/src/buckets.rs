//! The near future: a ring of buckets, each holding the events of one window, unsorted.
//!
//! Invariant: a bucket holds memory exactly while it holds events, and its bit is set exactly then.
//! Memory goes round through a short list of spare vectors, so what is written next was read last
//! and is still in the cache; a bucket that kept its own would come back to memory long evicted.
//!
//! Buckets are named by the number of their window; `number % SIZE` is the slot.

use crate::Order;

/// One event with what sorts it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<E> {
    pub(crate) time: u64,
    pub(crate) order: u64,
    pub(crate) event: E,
}

impl<E> Entry<E> {
    #[inline]
    pub(crate) fn key(&self) -> u128 {
        u128::from(self.time) << 64 | u128::from(self.order)
    }

    /// Whose event it is.
    #[inline]
    pub(crate) fn owner(&self) -> u32 {
        Order::from_bits(self.order).owner()
    }
}

/// The number of buckets: one word of words of bits.
pub(crate) const SIZE: usize = 64 * 64;

pub(crate) struct Buckets<E> {
    slots: Box<[Vec<Entry<E>>; SIZE]>,
    /// Bit `slot % 64` of word `slot / 64`: the slot holds events.
    occupied: [u64; 64],
    /// Bit `w`: word `w` of `occupied` is not zero.
    summary: u64,
    spare: Vec<Vec<Entry<E>>>,
}

impl<E: Copy> Buckets<E> {
    pub(crate) fn new() -> Self {
        let slots: Box<[Vec<Entry<E>>]> = (0..SIZE).map(|_| Vec::new()).collect();
        let Ok(slots) = slots.try_into() else { unreachable!("the slots were made to measure") };
        Self { slots, occupied: [0; 64], summary: 0, spare: Vec::new() }
    }

    #[inline]
    pub(crate) fn push(&mut self, bucket: u64, entry: Entry<E>) {
        let slot = slot_of(bucket);
        let events = &mut self.slots[slot];
        if events.is_empty() {
            self.occupied[slot / 64] |= 1 << (slot % 64);
            self.summary |= 1 << (slot / 64);
            if let Some(spare) = self.spare.pop() {
                *events = spare;
            }
        }
        events.push(entry);
    }

    /// Moves the events of `bucket` to `emptied`, whose memory will hold later ones.
    #[inline]
    pub(crate) fn take(&mut self, bucket: u64, emptied: &mut Vec<Entry<E>>) {
        let slot = slot_of(bucket);
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        if self.occupied[slot / 64] == 0 {
            self.summary &= !(1 << (slot / 64));
        }
        let taken = core::mem::take(&mut self.slots[slot]);
        let spare = core::mem::replace(emptied, taken);
        if spare.capacity() > 0 {
            self.spare.push(spare);
        }
    }

    /// The first bucket from `from` on, in the `SIZE` buckets that the ring covers, that holds
    /// events.
    #[inline]
    pub(crate) fn first_from(&self, from: u64) -> Option<u64> {
        if self.summary == 0 {
            return None;
        }
        let start = slot_of(from);
        let (word, bit) = (start / 64, start % 64);
        let here = self.occupied[word] & (u64::MAX << bit);
        let slot = if here != 0 {
            word * 64 + here.trailing_zeros() as usize
        } else {
            // The words after this one, then round the ring to those before it, and last this one,
            // whose low bits are then the ring's end.
            let from_next = self.summary.rotate_right(word as u32 + 1);
            let next = (word + 1 + from_next.trailing_zeros() as usize) % 64;
            next * 64 + self.occupied[next].trailing_zeros() as usize
        };
        let ahead = slot.wrapping_sub(start) % SIZE;
        Some(from + ahead as u64)
    }

    /// All memory held for events, in entries.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.slots.iter().chain(&self.spare).map(Vec::capacity).sum()
    }
}

#[inline]
const fn slot_of(bucket: u64) -> usize {
    bucket as usize % SIZE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_ring_has_no_first_bucket() {
        let mut ring = Buckets::new();
        assert_eq!(ring.first_from(77), None);
        ring.push(80, Entry { time: 0, order: 0, event: () });
        assert_eq!(ring.first_from(77), Some(80));
        let mut present = Vec::new();
        ring.take(80, &mut present);
        assert_eq!(present.len(), 1);
        assert_eq!(ring.first_from(77), None);
    }

    proptest! {
        #[test]
        fn the_first_bucket_is_the_nearest(from in 0u64..20_000, ahead in prop::collection::vec(0..SIZE as u64, 1..20)) {
            let mut ring = Buckets::new();
            for ahead in &ahead {
                ring.push(from + ahead, Entry { time: 0, order: 0, event: () });
            }
            prop_assert_eq!(ring.first_from(from), ahead.iter().min().map(|ahead| from + ahead));
        }
    }
}
