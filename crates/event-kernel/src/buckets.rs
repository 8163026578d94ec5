//! The near future: a ring of buckets, each holding the events of one window, unsorted.
//!
//! Invariant: a bucket holds memory exactly while it holds events, and its bit is set exactly then.
//! Memory goes round in small chunks, the one freed last first, so what is written next was read last
//! and is still in the cache; a bucket that kept its own would come back to memory long evicted, and one with a
//! single timer would keep the memory of a crowd.
//!
//! Buckets are named by the number of their window; `number % SIZE` is the slot.

use core::ops::Range;

use crate::Order;

/// One event with what sorts it.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))] // With an event of 16 bytes, none lies across two cache lines.
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

/// How many events a chunk of memory holds.
const CHUNK: usize = 32;

pub(crate) struct Buckets<E> {
    slots: Box<[Slot; SIZE]>,
    /// Bit `slot % 64` of word `slot / 64`: the slot holds events.
    occupied: [u64; 64],
    /// Bit `w`: word `w` of `occupied` is not zero.
    summary: u64,
    /// All chunks, one after the other.
    entries: Vec<Entry<E>>,
    /// By chunk, the one that its bucket filled before it.
    before: Vec<u32>,
    free: Vec<u32>,
}

/// What a bucket holds: all of its chunks but the last are full.
#[derive(Clone, Copy)]
struct Slot {
    len: u32,
    last: u32,
}

impl<E: Copy> Buckets<E> {
    pub(crate) fn new() -> Self {
        Self {
            slots: Box::new([Slot { len: 0, last: 0 }; SIZE]),
            occupied: [0; 64],
            summary: 0,
            entries: Vec::new(),
            before: Vec::new(),
            free: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, bucket: u64, entry: Entry<E>) {
        let slot = slot_of(bucket);
        let Slot { len, last } = self.slots[slot];
        let place = len as usize % CHUNK;
        let chunk = if place > 0 { last } else { self.add_chunk(slot, entry) };
        self.entries[chunk as usize * CHUNK + place] = entry;
        self.slots[slot] = Slot { len: len + 1, last: chunk };
    }

    /// A chunk more for a bucket whose chunks are full, or that has none.
    fn add_chunk(&mut self, slot: usize, filler: Entry<E>) -> u32 {
        self.occupied[slot / 64] |= 1 << (slot % 64);
        self.summary |= 1 << (slot / 64);
        let chunk = self.free.pop().unwrap_or_else(|| {
            self.entries.extend([filler; CHUNK]);
            self.before.push(0);
            self.before.len() as u32 - 1
        });
        self.before[chunk as usize] = self.slots[slot].last;
        chunk
    }

    /// Moves the events of `bucket` to the end of `gathered`.
    pub(crate) fn take(&mut self, bucket: u64, gathered: &mut Vec<Entry<E>>) {
        let slot = slot_of(bucket);
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        if self.occupied[slot / 64] == 0 {
            self.summary &= !(1 << (slot / 64));
        }
        let taken = core::mem::replace(&mut self.slots[slot], Slot { len: 0, last: 0 });
        for (chunk, held) in chunks(taken, &self.before) {
            gathered.extend_from_slice(&self.entries[held]);
            self.free.push(chunk);
        }
    }

    /// All events, in any order.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Entry<E>> {
        let slots = self.slots.iter();
        let held = slots.flat_map(|slot| chunks(*slot, &self.before).map(|(_, held)| held));
        held.flat_map(|held| &self.entries[held])
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
        self.entries.capacity()
    }
}

/// The chunks of a bucket, last one first, and where its entries lie in each.
fn chunks(slot: Slot, before: &[u32]) -> impl Iterator<Item = (u32, Range<usize>)> {
    core::iter::successors((slot.len > 0).then_some(slot), |Slot { len, last }| {
        let len = (len - 1) / CHUNK as u32 * CHUNK as u32;
        (len > 0).then(|| Slot { len, last: before[*last as usize] })
    })
    .map(|Slot { len, last }| {
        let begin = last as usize * CHUNK;
        (last, begin..begin + (len as usize - 1) % CHUNK + 1)
    })
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
