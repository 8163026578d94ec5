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
//! * *Present* is the earliest bucket, sorted once when its turn comes, latest event first, and
//!   drained from its end. What is pushed into it meanwhile is inserted in place.
//! * The ring covers the 4096 buckets that follow the present one.
//! * *Far* events wait in a heap and move into the ring as it advances: timers, mostly.

use core::cmp::Ordering;
use core::fmt::{self, Debug, Formatter};
use std::collections::BinaryHeap;

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
    /// The number of the bucket that `present` was taken from: nothing outside `present` is in it or
    /// before it.
    bucket: u64,
    present: Vec<Entry<E>>,
    ring: Buckets<E>,
    far: BinaryHeap<Far<E>>,
}

impl<E: Copy> EventQueue<E> {
    /// An empty list, at time zero.
    #[must_use]
    pub fn new() -> Self {
        const { assert!(size_of::<E>() <= 24, "an event is at most 24 bytes") }
        Self { now: 0, len: 0, bucket: 0, present: Vec::new(), ring: Buckets::new(), far: BinaryHeap::new() }
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
            self.insert_now(entry);
        } else if bucket - self.bucket <= SIZE as u64 {
            self.ring.push(bucket, entry);
        } else {
            self.far.push(Far(entry));
        }
    }

    /// The time of the next event.
    #[must_use]
    pub fn next_time(&self) -> Option<Time> {
        let next = match self.present.last() {
            Some(entry) => Some(entry.time),
            // The ring lies wholly before the far events.
            None => match self.ring.first_from(self.bucket + 1) {
                Some(bucket) => self.ring.events(bucket).iter().map(|entry| entry.time).min(),
                None => self.far.peek().map(|far| far.0.time),
            },
        };
        next.map(Time::from_ps)
    }

    /// Takes the next event, and sets the clock to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.pop_before(Time::NEVER)
    }

    /// Takes the next event if it comes before `end`, as [`EventQueue::pop`] does.
    #[inline]
    pub fn pop_before(&mut self, end: Time) -> Option<(Time, E)> {
        if self.present.is_empty() && !self.advance(end.ps()) {
            return None;
        }
        let entry = self.present.pop_if(|entry| entry.time < end.ps())?;
        self.len -= 1;
        self.now = entry.time;
        Some((Time::from_ps(entry.time), entry.event))
    }

    /// Takes the next event if it is at exactly `now`, as [`EventQueue::pop`] does.
    #[inline]
    pub fn pop_at(&mut self, now: Time) -> Option<E> {
        self.pop_exactly(now, |_| true)
    }

    /// Takes the next event if it is at exactly `now` and is not a probe.
    #[inline]
    pub fn pop_arrival_at(&mut self, now: Time) -> Option<E> {
        self.pop_exactly(now, |entry| !Order::from_bits(entry.order).is_probe())
    }

    #[inline]
    fn pop_exactly(&mut self, now: Time, wanted: impl Fn(&Entry<E>) -> bool) -> Option<E> {
        let end = now.ps().saturating_add(1);
        // What is at the clock's own time is in the present bucket: most calls end here.
        if self.present.is_empty() && (now.ps() == self.now || !self.advance(end)) {
            return None;
        }
        let entry = self.present.pop_if(|entry| entry.time == now.ps() && wanted(entry))?;
        self.len -= 1;
        self.now = entry.time;
        Some(entry.event)
    }

    /// Puts an entry into its place among the present ones.
    fn insert_now(&mut self, entry: Entry<E>) {
        let key = entry.key();
        let place = self.present.partition_point(|other| other.key() > key);
        self.present.insert(place, entry);
    }

    /// Makes the next bucket that holds events the present one, if it begins before `end`. Call it
    /// when the present one is empty.
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
            let Some(Far(entry)) = self.far.pop() else { break };
            if bucket == self.bucket {
                self.present.push(entry);
            } else {
                self.ring.push(bucket, entry);
            }
        }
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

/// A far event; the heap's greatest is the earliest.
struct Far<E>(Entry<E>);

impl<E> Ord for Far<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.key().cmp(&self.0.key())
    }
}

impl<E> PartialOrd for Far<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Far<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<E> Eq for Far<E> {}
