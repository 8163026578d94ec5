//! A ring of buckets, each with the unsorted events of a span of time.
//!
//! Invariant: a bucket has memory exactly while it has events, and its bit is set exactly then. Memory is reused in
//! small chunks, the last freed chunk first, so that the next write hits the cache. If each bucket kept its own
//! memory, that memory would be evicted before its next use. A bucket with a single timer would keep the memory of
//! its fullest time.
//!
//! Buckets are numbered from time zero; `number % SIZE` is the slot of a bucket.

use core::ops::Range;

use prefetch::prefetch_bytes;

/// Number of words of 64 bits that have a bit for each bucket: the summary has a bit for each word.
const WORDS: usize = u16::BITS as usize;

/// Number of buckets.
pub(crate) const SIZE: usize = WORDS * 64;

/// Number of events in a chunk of memory.
const CHUNK: usize = 32;

/// Number of chunks from which they are prefetched. With entries of 16 bytes they take 1 MiB.
const MANY_CHUNKS: usize = 2048;

/// The buckets of a ring, with entries of type `T`.
pub(crate) struct BucketRing<T> {
    slots: Box<[BucketSlot; SIZE]>,
    /// Bit `slot % 64` of word `slot / 64` is set if the slot has events.
    occupied: [u64; WORDS],
    /// Bit `w` is set if word `w` of `occupied` is not zero.
    summary: u16,
    /// All chunks, in the order of their numbers.
    entries: Vec<T>,
    /// By chunk, the next chunk of the same bucket, or of the unused chunks. Without a meaning for a bucket's last
    /// chunk.
    following: Vec<u32>,
    /// The first unused chunk, or [`NONE`]. A bucket's whole list joins them at once.
    free: u32,
}

/// No chunk.
const NONE: u32 = u32::MAX;

/// The list of a bucket's chunks. All chunks except the last are full.
#[derive(Clone, Copy)]
struct BucketSlot {
    /// Number of events.
    len: u32,
    first: u32,
    last: u32,
}

const EMPTY: BucketSlot = BucketSlot { len: 0, first: 0, last: 0 };

impl<T: Copy> BucketRing<T> {
    pub(crate) fn new() -> Self {
        Self {
            slots: Box::new([EMPTY; SIZE]),
            occupied: [0; WORDS],
            summary: 0,
            entries: Vec::new(),
            following: Vec::new(),
            free: NONE,
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, bucket: u64, entry: T) {
        let slot = slot_of(bucket);
        let BucketSlot { len, last, .. } = self.slots[slot];
        let place = len as usize % CHUNK;
        if place > 0 {
            self.entries[last as usize * CHUNK + place] = entry;
            self.slots[slot].len = len + 1;
        } else {
            self.push_to_new_chunk(slot, entry);
        }
    }

    /// Adds an event to a bucket without a place for it: without chunks, or with full chunks only.
    #[inline(never)] // One event of 32 in a large fabric.
    fn push_to_new_chunk(&mut self, slot: usize, entry: T) {
        let chunk = self.free;
        if chunk == NONE {
            return self.push_to_new_memory(slot, entry);
        }
        self.free = self.following[chunk as usize];
        self.entries[chunk as usize * CHUNK] = entry;
        self.append(slot, chunk);
        self.prefetch_chunk(self.free);
    }

    /// Appends a chunk with a single event to the list of a slot.
    #[inline]
    fn append(&mut self, slot: usize, chunk: u32) {
        let BucketSlot { len, first, last } = &mut self.slots[slot];
        if *len == 0 {
            *first = chunk;
            self.occupied[slot / 64] |= 1 << (slot % 64);
            self.summary |= 1 << (slot / 64);
        } else {
            self.following[*last as usize] = chunk;
        }
        *last = chunk;
        *len += 1;
    }

    /// Adds an event in the same way, when no chunk is unused.
    #[cold]
    #[inline(never)]
    fn push_to_new_memory(&mut self, slot: usize, entry: T) {
        let chunk = self.following.len() as u32;
        self.entries.extend([entry; CHUNK]);
        self.following.push(0);
        self.append(slot, chunk);
    }

    /// Prefetches a chunk that is used soon, unless all chunks fit the cache, or it is [`NONE`].
    #[inline]
    fn prefetch_chunk(&self, chunk: u32) {
        if self.following.len() >= MANY_CHUNKS && chunk != NONE {
            prefetch_bytes(&self.entries[chunk as usize * CHUNK], CHUNK * size_of::<T>());
        }
    }

    /// Returns the buckets with events, in ascending order.
    #[inline]
    pub(crate) fn occupied(&self, buckets: Range<u64>) -> OccupiedBuckets<'_> {
        debug_assert!(buckets.end - buckets.start <= SIZE as u64, "a ring has each slot once");
        OccupiedBuckets::new(&self.occupied, buckets)
    }

    #[inline]
    pub(crate) fn clear(&mut self, buckets: Range<u64>) {
        self.take(buckets, |_, _| ());
    }

    /// Takes the events of buckets: shows them to `take` as [`slices`](Self::slices) does, and empties the buckets.
    #[inline]
    pub(crate) fn take(&mut self, buckets: Range<u64>, mut take: impl FnMut(u64, &[T])) {
        let mut base = buckets.start - buckets.start % 64;
        let mut mask = u64::MAX << (buckets.start % 64);
        while base < buckets.end {
            if buckets.end - base < 64 {
                mask &= (1 << (buckets.end - base)) - 1;
            }
            let word = slot_of(base) / 64;
            let mut bits = self.occupied[word] & mask;
            if bits != 0 {
                self.occupied[word] &= !bits;
                if self.occupied[word] == 0 {
                    self.summary &= !(1 << word);
                }
            }
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                self.take_slot(word * 64 + bit as usize, |events| take(base + u64::from(bit), events));
            }
            (base, mask) = (base + 64, u64::MAX);
        }
    }

    /// Takes the events of a slot, after its bit is cleared.
    #[inline]
    fn take_slot(&mut self, slot: usize, mut take: impl FnMut(&[T])) {
        let BucketSlot { len, first, last } = core::mem::replace(&mut self.slots[slot], EMPTY);
        let (mut left, mut chunk) = (len as usize, first);
        loop {
            let begin = chunk as usize * CHUNK;
            take(&self.entries[begin..begin + left.min(CHUNK)]);
            if left <= CHUNK {
                break;
            }
            left -= CHUNK;
            chunk = self.following[chunk as usize];
            self.prefetch_chunk(chunk);
        }
        // The whole list joins the unused chunks in a single step, whatever its length.
        self.following[last as usize] = self.free;
        self.free = first;
    }

    /// Returns the number of events of buckets.
    #[inline]
    pub(crate) fn len(&self, buckets: Range<u64>) -> usize {
        self.occupied(buckets).map(|bucket| self.slots[slot_of(bucket)].len as usize).sum()
    }

    /// Returns the number of all events.
    pub(crate) fn total_len(&self) -> usize {
        self.slots.iter().map(|slot| slot.len as usize).sum()
    }

    /// Returns all events, each with its bucket, in any order. No event lies before the bucket `first`.
    pub(crate) fn events(&self, first: u64) -> impl Iterator<Item = (u64, &T)> {
        let held = self.slices(first..first + SIZE as u64);
        held.flat_map(|(bucket, events)| events.iter().map(move |event| (bucket, event)))
    }

    /// Returns the events of buckets, bucket by bucket, in pieces. Events of a bucket are in the order in which they
    /// came. Simultaneous events come in the order of the nodes that scheduled them, and so often in the order of the
    /// ports that they come to.
    #[inline]
    pub(crate) fn slices(&self, buckets: Range<u64>) -> impl Iterator<Item = (u64, &[T])> + Clone {
        self.occupied(buckets).flat_map(move |bucket| {
            let held = chunks(self.slots[slot_of(bucket)], &self.following);
            held.map(move |(chunk, held)| {
                // The bucket's next chunk, if this is not its last.
                self.prefetch_chunk(self.following[chunk as usize]);
                (bucket, &self.entries[held])
            })
        })
    }

    /// Returns the events of buckets in the same way. Each piece comes with the time in ps from the start of the
    /// first bucket to the start of its own. A bucket is 2^`shift` ps long.
    #[inline]
    pub(crate) fn pieces(
        &self,
        buckets: Range<u64>,
        shift: u32,
    ) -> impl Iterator<Item = (u64, &[T])> + Clone {
        let start = buckets.start;
        self.slices(buckets).map(move |(bucket, events)| ((bucket - start) << shift, events))
    }

    /// Returns the first bucket with events from `from` on, among the `SIZE` buckets that the ring covers.
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
            // The following words come first, then round the ring the preceding words. This word comes last: its low
            // bits are the end of the ring.
            let from_next = self.summary.rotate_right(word as u32 + 1);
            let next = (word + 1 + from_next.trailing_zeros() as usize) % WORDS;
            next * 64 + self.occupied[next].trailing_zeros() as usize
        };
        let ahead = slot.wrapping_sub(start) % SIZE;
        Some(from + ahead as u64)
    }

    /// Returns the memory allocated for events, in entries.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.entries.capacity()
    }
}

/// Buckets with events, in ascending order. Empty buckets cost nothing but a bit: most buckets of a small fabric's
/// window are empty.
#[derive(Clone)]
pub(crate) struct OccupiedBuckets<'a> {
    occupied: &'a [u64; WORDS],
    /// Bits of the current word that are left.
    bits: u64,
    /// The bucket of the current word's lowest bit.
    base: u64,
    end: u64,
}

impl<'a> OccupiedBuckets<'a> {
    #[inline]
    fn new(occupied: &'a [u64; WORDS], buckets: Range<u64>) -> Self {
        let bit = buckets.start % 64;
        let bits = occupied[slot_of(buckets.start) / 64] & (u64::MAX << bit);
        Self { occupied, bits, base: buckets.start - bit, end: buckets.end }
    }
}

impl Iterator for OccupiedBuckets<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        while self.bits == 0 {
            self.base += 64;
            if self.base >= self.end {
                return None;
            }
            self.bits = self.occupied[slot_of(self.base) / 64];
        }
        let bucket = self.base + u64::from(self.bits.trailing_zeros());
        self.bits &= self.bits - 1;
        // The word may have buckets beyond the end. None before it follows.
        (bucket < self.end).then_some(bucket)
    }
}

/// Returns the chunks of a bucket in order, each with the range of its entries.
fn chunks(
    BucketSlot { len, first, .. }: BucketSlot,
    following: &[u32],
) -> impl Iterator<Item = (u32, Range<usize>)> + Clone {
    let (mut left, mut next) = (len as usize, first);
    core::iter::from_fn(move || {
        let chunk = next;
        let held = left.min(CHUNK);
        (held > 0).then(|| {
            left -= held;
            next = following[chunk as usize];
            let begin = chunk as usize * CHUNK;
            (chunk, begin..begin + held)
        })
    })
}

#[inline]
const fn slot_of(bucket: u64) -> usize {
    bucket as u32 as usize % SIZE // The low bits of a number tell its slot.
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_ring_has_no_first_bucket() {
        let mut ring = BucketRing::new();
        assert_eq!(ring.first_from(77), None);
        ring.push(80, ());
        assert_eq!(ring.first_from(77), Some(80));
        assert_eq!((ring.len(80..81), ring.total_len()), (1, 1));
        ring.clear(80..81);
        assert_eq!((ring.first_from(77), ring.total_len()), (None, 0));
    }

    /// A ring of this many chunks prefetches them. The last chunk of a list leads nowhere, or to an unused chunk.
    #[test]
    fn a_ring_with_many_chunks_gives_all_events_back() {
        let mut ring = BucketRing::new();
        let events = MANY_CHUNKS * CHUNK + 1;
        for round in 0..3 {
            (0..events).for_each(|event| ring.push(round, event));
            let pieces: Vec<_> = ring.slices(round..round + 1).map(|(_, events)| events.len()).collect();
            assert_eq!((pieces.len(), pieces.iter().sum()), (MANY_CHUNKS + 1, events));
            let mut next = 0;
            ring.take(round..round + 1, |_, events| {
                assert!(events.iter().copied().eq(next..next + events.len()));
                next += events.len();
            });
            assert_eq!((next, ring.total_len()), (events, 0));
        }
    }

    proptest! {
        #[test]
        fn the_first_bucket_is_the_nearest(from in 0u64..20_000, ahead in prop::collection::vec(0..SIZE as u64, 1..20)) {
            let mut ring = BucketRing::new();
            for ahead in &ahead {
                ring.push(from + ahead, ());
            }
            prop_assert_eq!(ring.first_from(from), ahead.iter().min().map(|ahead| from + ahead));
        }
    }
}
