//! The events beyond the near future, most of them timers.
//!
//! Invariant: an event is in the ring if the ring covers its time, and in the heap otherwise. It comes out no later
//! than its coarse bucket does.
//!
//! A *coarse bucket* is [`NEAR_BUCKETS`] buckets of the near future long. An event enters it and leaves it without a
//! comparison, where a heap with thousands of timers takes a dozen that no processor foresees. The heap holds what lies
//! beyond the ring.

use std::collections::{BinaryHeap, binary_heap::PeekMut};

use crate::earliest_first::{EarliestFirst, Keyed};
use crate::order::EventOrder;
use crate::ring::{BucketRing, SIZE};

/// Binary logarithm of [`NEAR_BUCKETS`].
const COARSE_SHIFT: u32 = 8;

/// Number of near buckets in a coarse bucket. The near ring has more, and takes all events of a coarse bucket
/// together.
pub(crate) const NEAR_BUCKETS: u64 = 1 << COARSE_SHIFT;

#[derive(Clone, Copy, Debug)]
pub(crate) struct LaterEvent<E> {
    /// In ps.
    pub(crate) time: u64,
    pub(crate) order: EventOrder,
    pub(crate) event: E,
}

/// Events leave the heap by time. Their order counts later.
impl<E> Keyed for LaterEvent<E> {
    type Key = u64;

    fn key(&self) -> u64 {
        self.time
    }
}

/// Events beyond the near future.
pub(crate) struct LaterEvents<E> {
    /// Binary logarithm of a coarse bucket's length in ps.
    shift: u32,
    ring: BucketRing<LaterEvent<E>>,
    /// The coarse bucket with which the ring begins. No event lies before it.
    ring_start: u64,
    heap: BinaryHeap<EarliestFirst<LaterEvent<E>>>,
    /// The first coarse bucket with events; `u64::MAX` if there is none.
    first: u64,
}

impl<E: Copy> LaterEvents<E> {
    /// Makes an empty collection. `bucket_shift` is the binary logarithm of a near bucket's length in ps.
    pub(crate) fn new(bucket_shift: u32) -> Self {
        Self {
            shift: bucket_shift + COARSE_SHIFT,
            ring: BucketRing::new(),
            ring_start: 0,
            heap: BinaryHeap::new(),
            first: u64::MAX,
        }
    }

    /// Returns the number of events. Counts them.
    pub(crate) fn len(&self) -> usize {
        self.ring.total_len() + self.heap.len()
    }

    /// Returns the near bucket with which the first coarse bucket with events begins; `u64::MAX` if there is none.
    #[inline]
    pub(crate) const fn first_bucket(&self) -> u64 {
        self.first.saturating_mul(NEAR_BUCKETS)
    }

    /// Returns all events, in any order.
    pub(crate) fn events(&self) -> impl Iterator<Item = &LaterEvent<E>> {
        let in_ring = self.ring.events(self.ring_start).map(|(_, event)| event);
        in_ring.chain(self.heap.iter().map(|event| &event.0))
    }

    /// Adds an event, which is not before any event that has come out.
    ///
    /// # Panics
    /// If its time is `Time::NEVER`.
    pub(crate) fn push(&mut self, event: LaterEvent<E>) {
        assert!(event.time != u64::MAX, "an event at no time at all");
        let bucket = event.time >> self.shift;
        self.first = self.first.min(bucket);
        if bucket - self.ring_start < SIZE as u64 {
            self.ring.push(bucket, event);
        } else {
            self.heap.push(EarliestFirst(event));
        }
    }

    /// Takes all events of the first coarse bucket with events, in any order.
    pub(crate) fn take_first(&mut self, mut take: impl FnMut(LaterEvent<E>)) {
        if self.first == u64::MAX {
            return;
        }
        self.ring_start = self.first;
        // The ring now begins later, so it covers events that were beyond it.
        let covered = (self.first + SIZE as u64).saturating_mul(1 << self.shift);
        while let Some(event) = self.heap.peek_mut()
            && event.0.time < covered
        {
            let event = PeekMut::pop(event).0;
            self.ring.push(event.time >> self.shift, event);
        }
        self.ring.take(self.first..self.first + 1, |_, events| events.iter().copied().for_each(&mut take));
        let in_heap = self.heap.peek().map(|event| event.0.time >> self.shift);
        self.first = self.ring.first_from(self.first).or(in_heap).unwrap_or(u64::MAX);
    }

    /// Returns the memory allocated for events, in entries.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.ring.capacity() + self.heap.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever is put in between, events come out bucket by bucket, all of them, none late.
        #[test]
        fn events_come_out_with_their_bucket(
            spans in prop::collection::vec((prop_oneof![0u64..1 << 10, 0u64..1 << 22, 0u64..1 << 40], any::<bool>()), 1..300),
        ) {
            let (mut later, mut pending, mut now) = (LaterEvents::new(2), Vec::new(), 0);
            let order = EventOrder::new(0, 0, 0, 0);
            for (number, (span, take)) in spans.into_iter().enumerate() {
                let time = now + span;
                later.push(LaterEvent { time, order, event: number });
                pending.push((time, number));
                if take {
                    let begin = later.first_bucket() << 2;
                    let end = begin + (1 << (2 + COARSE_SHIFT));
                    let mut taken = Vec::new();
                    later.take_first(|event| taken.push((event.time, event.event)));
                    let mut due: Vec<_> = pending.extract_if(.., |(time, _)| *time < end).collect();
                    taken.sort_unstable();
                    due.sort_unstable();
                    prop_assert!(!due.is_empty() && due[0].0 >= begin);
                    prop_assert_eq!(taken, due);
                    now = end;
                }
                prop_assert_eq!(later.len(), pending.len());
                prop_assert_eq!(later.events().count(), pending.len());
            }
        }
    }
}
