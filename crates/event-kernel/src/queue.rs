//! The future-event list, and with it the clock.
//!
//! Invariant: events come out in ascending order of `(time, order)`, whatever the order in which
//! they went in, and the clock never goes back.
//!
//! ```text
//!   now                                                      8.4 us later
//!    |  present  |  ring: 4096 buckets of 2048 ps, unsorted  |  far: a heap ...
//! ```
//!
//! * *Present* is the earliest bucket. It is sorted once, when its turn comes, latest event first,
//!   and drained from its end. What is pushed into it meanwhile goes to a heap of *late* events.
//!   Inserting in place instead is no faster at 20 thousand pending, and quadratic when ten thousand
//!   nodes act at one instant and each sets an event less than a bucket later.
//! * The *ring* covers the 4096 buckets that follow the present one.
//! * *Far* events wait in a heap and move into the ring as it advances: timers, mostly.

use core::cmp::Ordering;
use core::fmt::{self, Debug, Formatter};
use std::collections::{BinaryHeap, binary_heap::PeekMut};

use units::Time;

use crate::Order;
use crate::buckets::{Buckets, Entry, SIZE, bucket_of, start_of};

/// The events still to come, in the total order of `(time, order)`.
///
/// Two events with the same time and the same order come out in either order: that is the caller's
/// bug unless the two commute.
///
/// ```
/// use event_kernel::{EventQueue, Order};
/// use units::Time;
///
/// let mut queue = EventQueue::new();
/// queue.push(Time::from_ps(20), Order::new(1, 0, 0, 0, 0), 'b');
/// queue.push(Time::from_ps(20), Order::new(0, 0, 0, 0, 0), 'a');
/// assert_eq!(queue.pop(), Some((Time::from_ps(20), 'a')));
/// assert_eq!(queue.pop_at(Time::from_ps(20)), Some('b'));
/// ```
pub struct EventQueue<E> {
    now: u64,
    len: usize,
    /// The number of the present bucket: what is in it or before it is in `present` or `late`.
    bucket: u64,
    /// Sorted, latest first.
    present: Vec<Entry<E>>,
    /// How many events the present bucket held when its turn came.
    crowd: usize,
    late: BinaryHeap<Earliest<E>>,
    ring: Buckets<E>,
    far: BinaryHeap<Earliest<E>>,
}

impl<E: Copy> EventQueue<E> {
    /// An empty list, at time zero.
    #[must_use]
    pub fn new() -> Self {
        const { assert!(size_of::<E>() <= 24, "an event is at most 24 bytes") }
        Self {
            now: 0,
            len: 0,
            bucket: 0,
            present: Vec::new(),
            crowd: 0,
            late: BinaryHeap::new(),
            ring: Buckets::new(),
            far: BinaryHeap::new(),
        }
    }

    /// The time of the event popped last.
    #[inline]
    #[must_use]
    pub const fn now(&self) -> Time {
        Time::from_ps(self.now)
    }

    /// The number of events still to come.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is to come.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Plans `event` for the instant `at`. At the present instant it takes its place among the
    /// events that have not been popped yet.
    ///
    /// # Panics
    /// If `at` is past, or [`Time::NEVER`].
    #[inline]
    pub fn push(&mut self, at: Time, order: Order, event: E) {
        let time = at.ps();
        assert!(time >= self.now && at != Time::NEVER, "an event at {time} ps, pushed at {} ps", self.now);
        let entry = Entry { time, order: order.bits(), event };
        let bucket = bucket_of(time);
        self.len += 1;
        if bucket <= self.bucket {
            self.late.push(Earliest(entry));
        } else if bucket - self.bucket <= SIZE as u64 {
            self.ring.push(bucket, entry);
        } else {
            self.far.push(Earliest(entry));
        }
    }

    /// How many events lay within the 2048 ps of the present bucket when its turn came: how much happens at a time.
    #[inline]
    #[must_use]
    pub const fn crowd(&self) -> usize {
        self.crowd
    }

    /// Events that come next, in order, as far as they have been sorted. What is planned meanwhile may come between
    /// them; so this is for guesses.
    #[inline]
    pub fn sorted(&self) -> impl ExactSizeIterator<Item = &E> {
        self.present.iter().rev().map(|entry| &entry.event)
    }

    /// The time of the next event.
    #[must_use]
    pub fn next_time(&self) -> Option<Time> {
        let next = if self.is_drained() {
            // The ring lies wholly before the far events.
            match self.ring.first_from(self.bucket + 1) {
                Some(bucket) => self.ring.events(bucket).iter().map(|entry| entry.time).min(),
                None => self.far.peek().map(|far| far.0.time),
            }
        } else {
            let sorted = self.present.last().map(|entry| entry.time);
            let late = self.late.peek().map(|late| late.0.time);
            sorted.into_iter().chain(late).min()
        };
        next.map(Time::from_ps)
    }

    /// Takes the next event, and sets the clock to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.pop_before(Time::NEVER)
    }

    /// Takes the next event if it comes before `end`, as [`EventQueue::pop`] does. If it does not,
    /// the clock stays.
    #[inline]
    pub fn pop_before(&mut self, end: Time) -> Option<(Time, E)> {
        if self.is_drained() && !self.advance(end.ps()) {
            return None;
        }
        let entry = self.take_if(|entry| entry.time < end.ps())?;
        Some((Time::from_ps(entry.time), entry.event))
    }

    /// Takes the next event if it is at exactly `now`, as [`EventQueue::pop`] does.
    #[inline]
    pub fn pop_at(&mut self, now: Time) -> Option<E> {
        self.pop_exactly(now, |_| true)
    }

    /// Takes the next event if it is at exactly `now` and is not a probe: so that a world can let
    /// everything arrive, then let its nodes decide, and only then let the probes look.
    #[inline]
    pub fn pop_arrival_at(&mut self, now: Time) -> Option<E> {
        self.pop_exactly(now, |entry| !Order::from_bits(entry.order).is_probe())
    }

    #[inline]
    fn pop_exactly(&mut self, now: Time, wanted: impl Fn(&Entry<E>) -> bool) -> Option<E> {
        let end = now.ps().saturating_add(1);
        // What is at the clock's own time is in the present bucket: most calls end here.
        if self.is_drained() && (bucket_of(now.ps()) <= self.bucket || !self.advance(end)) {
            return None;
        }
        self.take_if(|entry| entry.time == now.ps() && wanted(entry)).map(|entry| entry.event)
    }

    /// Takes the earliest of the present entries, if it is `wanted`.
    #[inline]
    fn take_if(&mut self, wanted: impl Fn(&Entry<E>) -> bool) -> Option<Entry<E>> {
        let late = match (self.late.peek(), self.present.last()) {
            (Some(late), Some(sorted)) => late.0.key() < sorted.key(),
            (late, _) => late.is_some(),
        };
        let entry = if late {
            PeekMut::pop(self.late.peek_mut().filter(|late| wanted(&late.0))?).0
        } else {
            self.present.pop_if(|entry| wanted(entry))?
        };
        self.len -= 1;
        self.now = entry.time;
        Some(entry)
    }

    /// Whether nothing of the present bucket is left.
    #[inline]
    fn is_drained(&self) -> bool {
        self.present.is_empty() && self.late.is_empty()
    }

    /// Makes the next bucket that holds events the present one, if it begins before `end`. Call it
    /// when the present one is drained.
    fn advance(&mut self, end: u64) -> bool {
        let in_ring = self.ring.first_from(self.bucket + 1);
        let Some(next) = in_ring.or_else(|| self.far.peek().map(|far| bucket_of(far.0.time))) else {
            return false;
        };
        if start_of(next) >= end {
            return false;
        }
        self.bucket = next;
        if in_ring.is_some() {
            self.ring.take(next, &mut self.present);
        }
        self.bring_far_events();
        self.crowd = self.present.len();
        self.present.sort_unstable_by_key(|entry| core::cmp::Reverse(entry.key()));
        true
    }

    /// Moves far events that the ring has come to cover into it, or into the present bucket.
    fn bring_far_events(&mut self) {
        while let Some(far) = self.far.peek() {
            let bucket = bucket_of(far.0.time);
            if bucket > self.bucket + SIZE as u64 {
                break;
            }
            let Some(Earliest(entry)) = self.far.pop() else { break };
            if bucket == self.bucket {
                self.present.push(entry);
            } else {
                self.ring.push(bucket, entry);
            }
        }
    }
}

#[cfg(test)]
impl<E: Copy> EventQueue<E> {
    /// All memory held for events, in entries.
    fn capacity(&self) -> usize {
        self.present.capacity() + self.late.capacity() + self.ring.capacity() + self.far.capacity()
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Debug for EventQueue<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventQueue").field("now", &self.now).field("len", &self.len).finish_non_exhaustive()
    }
}

/// An entry in a heap, whose greatest is the earliest.
struct Earliest<E>(Entry<E>);

impl<E> Ord for Earliest<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.key().cmp(&self.0.key())
    }
}

impl<E> PartialOrd for Earliest<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Earliest<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<E> Eq for Earliest<E> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays of every kind: none, within the bucket, within the ring, at its end, beyond it.
    const DELAYS: [u64; 8] = [0, 5, 700, 90_000, 1_000_000, 8_388_607, 8_388_608, 150_000_000];

    #[test]
    fn a_steady_load_takes_no_more_memory() {
        let mut queue = EventQueue::new();
        for n in 0..1000 {
            queue.push(Time::from_ps(DELAYS[n as usize % 8]), Order::new(n, 0, 0, 0, n), ());
        }
        let hold = |queue: &mut EventQueue<()>, n: u32| {
            let (now, ()) = queue.pop().expect("as many are pushed as popped");
            let at = Time::from_ps(now.ps() + DELAYS[n.wrapping_mul(0x9e37_79b9) as usize >> 29]);
            queue.push(at, Order::new(n % 1000, 0, 0, 0, n), ());
        };
        (0..500_000).for_each(|n| hold(&mut queue, n));
        let before = queue.capacity();
        (0..500_000).for_each(|n| hold(&mut queue, n));
        assert_eq!(queue.capacity(), before);
    }
}
