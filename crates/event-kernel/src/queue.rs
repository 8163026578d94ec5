//! The future-event list, and with it the clock: window by window, and owner by owner within a window.
//!
//! An action of one owner reaches another after a minimum delay, the *lookahead*. Within a window no longer than the
//! lookahead no owner can therefore affect another, and each owner handles all its events of the window in one batch,
//! while its state is in the cache. This is the conservative window of parallel simulation (Nicol, "The cost of
//! conservative synchronization in parallel discrete event simulations", 1993), used on one core.
//!
//! Invariant: an owner's events come out in ascending order of `(time, order)` for any order of insertion, and no event
//! comes out while an earlier event of that owner can still be scheduled.
//!
//! ```text
//!    |  open window  |  ring: 4096 windows, unsorted  |  far: a heap ...
//! ```
//!
//! * The events of the *open* window are grouped by owner, in batches. A batch is sorted when it becomes current, latest
//!   event first, and drained from its end. An event that its owner schedules for itself meanwhile, within the window,
//!   is inserted in order if it belongs among the next few, else pushed on a heap of *late* events: insertion at any
//!   place is quadratic if thousands of events share an owner and an instant.
//! * The *ring* covers the windows that follow the open one.
//! * *Far* events, mostly timers, wait in a heap and move into the ring as it advances.

use core::cmp::{Ordering, Reverse};
use core::fmt::{self, Debug, Formatter};
use std::collections::{BinaryHeap, binary_heap::PeekMut};

use units::{Span, Time};

use crate::batches::{OwnerBatch, WindowBatches};
use crate::order::EventOrder;
use crate::ring::{QueuedEvent, SIZE, WindowRing};

/// Number of next events of an owner among which a new event is inserted in order.
const NEAR: usize = 32;

/// The future-event list. Each event belongs to the owner that its order names.
///
/// Two events of an owner with the same time and the same order come out in unspecified order, which is a bug of the
/// caller unless they commute.
///
/// ```
/// use event_kernel::{EventOrder, EventQueue};
/// use units::{Span, Time};
///
/// let (at, owners) = (Time::from_ps, 2);
/// let mut queue = EventQueue::new(owners, Span::from_ps(100));
/// queue.push(at(30), EventOrder::new(1, 0, 0, 0, 0), 'c');
/// queue.push(at(20), EventOrder::new(1, 0, 0, 0, 0), 'b');
/// queue.push(at(40), EventOrder::new(0, 0, 0, 0, 0), 'a');
/// assert!(queue.open(at(1000)));
/// assert_eq!(queue.next_owner(), Some(0));
/// assert_eq!((queue.pop(), queue.pop()), (Some((at(40), 'a')), None));
/// assert_eq!(queue.next_owner(), Some(1));
/// assert_eq!((queue.pop(), queue.pop_at(at(21))), (Some((at(20), 'b')), None));
/// assert_eq!((queue.pop(), queue.pop()), (Some((at(30), 'c')), None));
/// assert_eq!(queue.next_owner(), None);
/// assert!(!queue.open(at(1000)));
/// ```
pub struct EventQueue<E> {
    /// Time of the last event that the current owner has popped, in ps.
    now: u64,
    /// End of the open window, exclusive, in ps.
    window_end: u64,
    /// Length of a window, in ps.
    width: u64,
    /// Number of the open window. No pending event lies before it.
    window: u64,
    /// Number of pending events.
    len: usize,
    /// Batches of the open window.
    open: WindowBatches<E>,
    /// The current owner.
    owner: Option<u32>,
    /// Events of the current owner in the open window, latest first.
    current: Vec<QueuedEvent<E>>,
    /// Further events of the current owner in the open window.
    late: BinaryHeap<EarliestFirst<E>>,
    ring: WindowRing<E>,
    far: BinaryHeap<EarliestFirst<E>>,
}

impl<E: Copy> EventQueue<E> {
    /// Makes an empty list, at time zero, for owners numbered from zero. An owner schedules events for others at
    /// least `lookahead` ahead.
    ///
    /// If the lookahead is zero, a window is one instant long, and an event for another owner at that instant opens
    /// the window again.
    #[must_use]
    pub fn new(owners: usize, lookahead: Span) -> Self {
        const { assert!(size_of::<E>() <= 24, "an event is at most 24 bytes") }
        Self {
            now: 0,
            window_end: 0,
            width: lookahead.ps().max(1),
            window: 0,
            len: 0,
            open: WindowBatches::new(owners),
            owner: None,
            current: Vec::new(),
            late: BinaryHeap::new(),
            ring: WindowRing::new(),
            far: BinaryHeap::new(),
        }
    }

    /// Returns the number of pending events.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if no event is pending.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the end of the window that was opened last, exclusive. If all its batches are done, every event before
    /// that instant is handled.
    #[must_use]
    pub const fn window_end(&self) -> Time {
        Time::from_ps(self.window_end)
    }

    /// Returns all events of future windows, in any order.
    pub fn pending(&self) -> impl Iterator<Item = &E> {
        self.ring.events().chain(self.far.iter().map(|far| &far.0)).map(|entry| &entry.event)
    }

    /// Schedules `event` for the instant `at` and the owner that `order` names. An event that the current owner
    /// schedules for itself at the present instant is ordered among its events that have not been popped yet.
    ///
    /// # Panics
    /// If `at` is past, is less than the lookahead away for another owner, or is [`Time::NEVER`].
    #[inline]
    pub fn push(&mut self, at: Time, order: EventOrder, event: E) {
        let entry = QueuedEvent { time: at.ps(), order: order.bits(), event };
        self.len += 1;
        if entry.time < self.window_end {
            return self.push_in_window(entry);
        }
        let window = entry.time / self.width;
        if window - self.window < SIZE as u64 {
            self.ring.push(window, entry);
        } else {
            self.push_far(entry);
        }
    }

    /// Schedules an event in the open window.
    #[inline(never)] // Most events are of later windows, and their way is short.
    fn push_in_window(&mut self, entry: QueuedEvent<E>) {
        let QueuedEvent { time, .. } = entry;
        assert!(time >= self.now, "an event at {time} ps, pushed at {} ps", self.now);
        if self.owner != Some(entry.owner()) {
            assert!(self.width == 1, "an event for another at {time} ps, pushed at {} ps", self.now);
            self.ring.push(self.window, entry);
            return;
        }
        let far = self.current.len().saturating_sub(NEAR);
        let later = self.current[far..].partition_point(|other| other.key() > entry.key());
        if later > 0 || far == 0 {
            self.current.insert(far + later, entry);
        } else {
            self.late.push(EarliestFirst(entry));
        }
    }

    /// Schedules an event beyond the ring.
    #[inline(never)]
    fn push_far(&mut self, entry: QueuedEvent<E>) {
        assert!(entry.time != u64::MAX, "an event at no time at all");
        self.far.push(EarliestFirst(entry));
    }

    /// Opens the next window that holds events before `end`, up to `end`. Returns false if there is none. The batches
    /// of the previous window must all be done.
    pub fn open(&mut self, end: Time) -> bool {
        debug_assert!(self.open.is_done() && self.is_batch_done(), "all batches of the last window are done");
        let Some(next) = self.next_before(end) else { return false };
        let start = next * self.width;
        self.window = next;
        self.window_end = start.saturating_add(self.width).min(end.ps());
        self.bring_far_events();
        self.ring.take(next, self.open.gather());
        if self.window_end - start < self.width {
            let beyond = self.open.gather().extract_if(.., |entry| entry.time >= end.ps());
            beyond.for_each(|entry| self.ring.push(next, entry));
        }
        self.open.group();
        !self.open.is_done()
    }

    /// Returns the events before `end` of the window that [`open`](Self::open) opens next, each with its time, in any order.
    pub fn next_window(&mut self, end: Time) -> impl Iterator<Item = (Time, &E)> {
        let next = self.next_before(end);
        if let Some(next) = next {
            self.window = next;
            self.bring_far_events();
        }
        let events = next.into_iter().flat_map(|next| self.ring.bucket(next));
        let before_end = events.filter(move |entry| entry.time < end.ps());
        before_end.map(|entry| (Time::from_ps(entry.time), &entry.event))
    }

    /// Returns the number of the next window that holds events, if it begins before `end`.
    #[inline]
    fn next_before(&self, end: Time) -> Option<u64> {
        let in_ring = self.ring.first_from(self.window);
        let next = in_ring.or_else(|| self.far.peek().map(|far| far.0.time / self.width))?;
        (next * self.width < end.ps()).then_some(next)
    }

    /// Moves far events into the ring that it covers by now.
    fn bring_far_events(&mut self) {
        let covered = (self.window + SIZE as u64).saturating_mul(self.width);
        while let Some(far) = self.far.peek_mut()
            && far.0.time < covered
        {
            let EarliestFirst(entry) = PeekMut::pop(far);
            self.ring.push(entry.time / self.width, entry);
        }
    }

    /// Returns the batches of the open window that are not current yet, last one first. A caller may reorder them: the
    /// order has no effect on owners.
    pub fn batches(&mut self) -> &mut [OwnerBatch] {
        self.open.batches()
    }

    /// Makes the next batch of the open window current, and returns its owner. The previous owner has popped all its
    /// events.
    #[inline]
    pub fn next_owner(&mut self) -> Option<u32> {
        debug_assert!(
            self.is_batch_done(),
            "a batch is done when its owner has no events left in the window"
        );
        self.now = 0;
        let batch = self.open.next_batch();
        self.owner = batch.map(|(owner, _)| owner);
        self.current.extend_from_slice(batch.map_or(&[], |(_, events)| events));
        self.current.sort_unstable_by_key(|entry| Reverse(entry.key()));
        self.owner
    }

    /// Returns true if the current owner has no events left in the open window.
    #[inline]
    fn is_batch_done(&self) -> bool {
        self.current.is_empty() && self.late.is_empty()
    }

    /// Returns the events that the open window had when it was opened, batch by batch, from this index on.
    pub fn window_events(&self, from: usize) -> impl Iterator<Item = &E> + Clone {
        let (entries, _) = self.open.all();
        entries.iter().skip(from).map(|entry| &entry.event)
    }

    /// Returns the end of the current batch among the [`window_events`](Self::window_events).
    #[inline]
    #[must_use]
    pub fn batch_end(&self) -> usize {
        self.open.all().1.end
    }

    /// Takes the current owner's next event in the open window, and sets the clock to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let entry = if self.late.is_empty() { self.current.pop()? } else { self.pop_late(u64::MAX)? };
        self.len -= 1;
        self.now = entry.time;
        Some((Time::from_ps(entry.time), entry.event))
    }

    /// Takes the current owner's next event if it is due at `now`, which is not before the clock's time.
    #[inline]
    pub fn pop_at(&mut self, now: Time) -> Option<E> {
        let entry = if self.late.is_empty() {
            self.current.pop_if(|entry| entry.time <= now.ps())?
        } else {
            self.pop_late(now.ps())?
        };
        self.len -= 1;
        Some(entry.event)
    }

    /// Takes the current owner's earliest event up to this time while some of its events are late.
    #[inline(never)] // Late events are rare.
    fn pop_late(&mut self, until: u64) -> Option<QueuedEvent<E>> {
        let late = self.late.peek_mut()?;
        if self.current.last().is_some_and(|sorted| sorted.key() < late.0.key()) {
            return self.current.pop_if(|entry| entry.time <= until);
        }
        (late.0.time <= until).then(|| PeekMut::pop(late).0)
    }
}

#[cfg(test)]
impl<E: Copy> EventQueue<E> {
    /// Returns the memory allocated for events, in entries.
    fn capacity(&self) -> usize {
        let current = self.current.capacity() + self.late.capacity();
        self.open.capacity() + current + self.ring.capacity() + self.far.capacity()
    }
}

impl<E> Debug for EventQueue<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventQueue").field("now", &self.now).field("len", &self.len).finish_non_exhaustive()
    }
}

/// An event in a heap, whose greatest element is the earliest event.
struct EarliestFirst<E>(QueuedEvent<E>);

impl<E> Ord for EarliestFirst<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        Reverse(self.0.key()).cmp(&Reverse(other.0.key()))
    }
}

impl<E> PartialOrd for EarliestFirst<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for EarliestFirst<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<E> Eq for EarliestFirst<E> {}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOKAHEAD: u64 = 2_000;
    const OWNERS: u32 = 100;
    /// Delays of every kind: none, within the window, within the ring, at the end of the ring, beyond it.
    const DELAYS: [u64; 8] = [0, 5, 700, 90_000, 1_000_000, 8_191_999, 8_192_000, 150_000_000];

    #[test]
    fn a_steady_load_needs_no_more_memory() {
        let mut queue = EventQueue::new(OWNERS as usize, Span::from_ps(LOOKAHEAD));
        for n in 0..1000 {
            queue.push(Time::from_ps(DELAYS[n as usize % 8]), EventOrder::new(n % OWNERS, 0, 0, 0, n), ());
        }
        let mut handled = 0;
        let mut hold = |queue: &mut EventQueue<()>, until: u32| {
            while handled < until && queue.open(Time::NEVER) {
                while let Some(owner) = queue.next_owner() {
                    while let Some((now, ())) = queue.pop() {
                        handled += 1;
                        let delay = DELAYS[handled.wrapping_mul(0x9e37_79b9) as usize >> 29];
                        queue.push(now + Span::from_ps(delay), EventOrder::new(owner, 0, 0, 0, handled), ());
                    }
                }
            }
        };
        hold(&mut queue, 500_000);
        let before = queue.capacity();
        hold(&mut queue, 1_000_000);
        assert_eq!(queue.capacity(), before);
        assert_eq!(queue.len(), 1000);
    }
}
