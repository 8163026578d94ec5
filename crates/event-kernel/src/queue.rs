//! The future-event list, and with it the clock: window by window, and owner by owner within each.
//!
//! What owners do to each other takes a least time, the *lookahead*. So within a window no longer than that, no owner
//! can hear of what another does in it, and each may handle all of its own events of the window in one go, while all
//! that it needs is in the cache: the classic conservative window of parallel simulation (Nicol, "The cost of
//! conservative synchronization in parallel discrete event simulations", 1993), put to use on one core.
//!
//! Invariant: an owner's events come out in ascending order of `(time, order)`, whatever the order in which they went
//! in, and none comes out before everything that can still be planned to precede it has been planned.
//!
//! ```text
//!    |  open window  |  ring: 4096 windows, unsorted  |  far: a heap ...
//! ```
//!
//! * The *open* window's events lie grouped by owner. An owner's group is sorted once, when its turn comes, latest
//!   event first, and drained from its end. What it plans for itself meanwhile, within the window, is put in its place
//!   among the next few, or else goes to a heap of *late* events: inserting anywhere in place is quadratic when
//!   thousands of events share an owner and an instant.
//! * The *ring* covers the windows that follow the open one.
//! * *Far* events wait in a heap and move into the ring as it advances: timers, mostly.

use core::cmp::{Ordering, Reverse};
use core::fmt::{self, Debug, Formatter};
use std::collections::{BinaryHeap, binary_heap::PeekMut};

use units::{Span, Time};

use crate::Order;
use crate::buckets::{Buckets, Entry, SIZE};
use crate::groups::{Groups, Turn};

/// Among how many of its next events a new one of an owner is put in its place.
const NEAR: usize = 32;

/// The events still to come, each belonging to the owner that its order names.
///
/// Two events of an owner with the same time and the same order come out in either order: that is the caller's
/// bug unless the two commute.
///
/// ```
/// use event_kernel::{EventQueue, Order};
/// use units::{Span, Time};
///
/// let (at, owners) = (Time::from_ps, 2);
/// let mut queue = EventQueue::new(owners, Span::from_ps(100));
/// queue.push(at(30), Order::new(1, 0, 0, 0, 0), 'c');
/// queue.push(at(20), Order::new(1, 0, 0, 0, 0), 'b');
/// queue.push(at(40), Order::new(0, 0, 0, 0, 0), 'a');
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
    /// The time of the event popped last, while its owner has its turn.
    now: u64,
    /// The end of the open window, which does not belong to it.
    window_end: u64,
    width: u64,
    /// The number of the open window: nothing that was planned lies before it.
    window: u64,
    len: usize,
    open: Groups<E>,
    /// Whose turn it is.
    owner: Option<u32>,
    /// Its events of the open window, latest first.
    present: Vec<Entry<E>>,
    /// More of them.
    late: BinaryHeap<Earliest<E>>,
    ring: Buckets<E>,
    far: BinaryHeap<Earliest<E>>,
}

impl<E: Copy> EventQueue<E> {
    /// An empty list, at time zero, for owners numbered from zero. What one of them plans for another lies at
    /// least `lookahead` ahead.
    ///
    /// Where that is zero, windows are one instant long, and what is planned for another owner at that very instant
    /// opens it again.
    #[must_use]
    pub fn new(owners: usize, lookahead: Span) -> Self {
        const { assert!(size_of::<E>() <= 24, "an event is at most 24 bytes") }
        Self {
            now: 0,
            window_end: 0,
            width: lookahead.ps().max(1),
            window: 0,
            len: 0,
            open: Groups::new(owners),
            owner: None,
            present: Vec::new(),
            late: BinaryHeap::new(),
            ring: Buckets::new(),
            far: BinaryHeap::new(),
        }
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

    /// All events that are planned for windows to come, in any order.
    pub fn planned(&self) -> impl Iterator<Item = &E> {
        self.ring.events().chain(self.far.iter().map(|far| &far.0)).map(|entry| &entry.event)
    }

    /// Plans `event` for the instant `at`, for the owner that `order` names. What the owner whose turn it is plans
    /// for itself at the present instant takes its place among its events that have not been popped yet.
    ///
    /// # Panics
    /// If `at` is past, is less than the lookahead away for another owner, or is [`Time::NEVER`].
    #[inline]
    pub fn push(&mut self, at: Time, order: Order, event: E) {
        let entry = Entry { time: at.ps(), order: order.bits(), event };
        self.len += 1;
        if entry.time < self.window_end {
            self.push_late(entry);
        } else {
            self.put(entry);
        }
    }

    /// Something for the open window.
    #[inline]
    fn push_late(&mut self, entry: Entry<E>) {
        let Entry { time, .. } = entry;
        assert!(time >= self.now, "an event at {time} ps, pushed at {} ps", self.now);
        if self.owner != Some(entry.owner()) {
            assert!(self.width == 1, "an event for another at {time} ps, pushed at {} ps", self.now);
            self.ring.push(self.window, entry);
            return;
        }
        let far = self.present.len().saturating_sub(NEAR);
        match self.present[far..].iter().rposition(|other| other.key() > entry.key()) {
            Some(place) => self.present.insert(far + place + 1, entry),
            None if far == 0 => self.present.insert(0, entry),
            None => self.late.push(Earliest(entry)),
        }
    }

    /// Something for a window to come.
    #[inline]
    fn put(&mut self, entry: Entry<E>) {
        let window = entry.time / self.width;
        if window - self.window < SIZE as u64 {
            self.ring.push(window, entry);
        } else {
            assert!(entry.time != u64::MAX, "an event at no time at all");
            self.far.push(Earliest(entry));
        }
    }

    /// Opens the next window that holds events before `end`, as far as `end`. False if there is none. Call it when
    /// all owners have had their turns in the last.
    pub fn open(&mut self, end: Time) -> bool {
        debug_assert!(self.open.is_over() && self.is_over(), "all turns of the last window are over");
        let in_ring = self.ring.first_from(self.window);
        let Some(next) = in_ring.or_else(|| self.far.peek().map(|far| far.0.time / self.width)) else {
            return false;
        };
        let start = next * self.width;
        if start >= end.ps() {
            return false;
        }
        self.window = next;
        self.window_end = start.saturating_add(self.width).min(end.ps());
        self.bring_far_events();
        self.ring.take(next, self.open.gather());
        if self.window_end - start < self.width {
            let beyond = self.open.gather().extract_if(.., |entry| entry.time >= end.ps());
            beyond.for_each(|entry| self.ring.push(next, entry));
        }
        self.open.group();
        !self.open.is_over()
    }

    /// Moves far events that the ring has come to cover into it.
    fn bring_far_events(&mut self) {
        let covered = (self.window + SIZE as u64).saturating_mul(self.width);
        while let Some(far) = self.far.peek_mut()
            && far.0.time < covered
        {
            let Earliest(entry) = PeekMut::pop(far);
            self.ring.push(entry.time / self.width, entry);
        }
    }

    /// The turns to come in the open window, last one first, for those who want to change their order: what owners do
    /// cannot depend on it.
    pub fn turns(&mut self) -> &mut [Turn] {
        self.open.turns()
    }

    /// The owner whose turn is next in the open window. The one before it has popped all of its events.
    #[inline]
    pub fn next_owner(&mut self) -> Option<u32> {
        debug_assert!(self.is_over(), "an owner's turn ends when it has no events left in the window");
        self.now = 0;
        let turn = self.open.next_turn();
        self.owner = turn.map(|(owner, _)| owner);
        self.present.extend_from_slice(turn.map_or(&[], |(_, events)| events));
        self.present.sort_unstable_by_key(|entry| Reverse(entry.key()));
        self.owner
    }

    /// Whether the owner whose turn it is has no events left in the open window.
    #[inline]
    fn is_over(&self) -> bool {
        self.present.is_empty() && self.late.is_empty()
    }

    /// What was planned for the open window when it opened, turn by turn, from the event of this place on.
    pub fn planned_from(&self, place: usize) -> impl Iterator<Item = &E> + Clone {
        let (entries, _) = self.open.all();
        entries.iter().skip(place).map(|entry| &entry.event)
    }

    /// Where in that order the present turn's events end.
    #[inline]
    #[must_use]
    pub fn turn_end(&self) -> usize {
        self.open.all().1.end
    }

    /// Takes the next event in the open window of the owner whose turn it is, and sets the clock to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let entry = if self.late.is_empty() { self.present.pop()? } else { self.pop_late(u64::MAX)? };
        self.len -= 1;
        self.now = entry.time;
        Some((Time::from_ps(entry.time), entry.event))
    }

    /// The same, if it is at exactly `now`, which is not before the clock's time.
    #[inline]
    pub fn pop_at(&mut self, now: Time) -> Option<E> {
        let entry = if self.late.is_empty() {
            self.present.pop_if(|entry| entry.time <= now.ps())?
        } else {
            self.pop_late(now.ps())?
        };
        self.len -= 1;
        Some(entry.event)
    }

    /// Takes the earliest event of the owner whose turn it is, up to this time, if some are late.
    #[inline(never)] // Hardly ever are any.
    fn pop_late(&mut self, until: u64) -> Option<Entry<E>> {
        let late = self.late.peek_mut()?;
        if self.present.last().is_some_and(|sorted| sorted.key() < late.0.key()) {
            return self.present.pop_if(|entry| entry.time <= until);
        }
        (late.0.time <= until).then(|| PeekMut::pop(late).0)
    }
}

#[cfg(test)]
impl<E: Copy> EventQueue<E> {
    /// All memory held for events, in entries.
    fn capacity(&self) -> usize {
        let present = self.present.capacity() + self.late.capacity();
        self.open.capacity() + present + self.ring.capacity() + self.far.capacity()
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
        Reverse(self.0.key()).cmp(&Reverse(other.0.key()))
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

    const LOOKAHEAD: u64 = 2_000;
    const OWNERS: u32 = 100;
    /// Delays of every kind: none, within the window, within the ring, at its end, beyond it.
    const DELAYS: [u64; 8] = [0, 5, 700, 90_000, 1_000_000, 8_191_999, 8_192_000, 150_000_000];

    #[test]
    fn a_steady_load_takes_no_more_memory() {
        let mut queue = EventQueue::new(OWNERS as usize, Span::from_ps(LOOKAHEAD));
        for n in 0..1000 {
            queue.push(Time::from_ps(DELAYS[n as usize % 8]), Order::new(n % OWNERS, 0, 0, 0, n), ());
        }
        let mut planned = 0;
        let mut hold = |queue: &mut EventQueue<()>, until: u32| {
            while planned < until && queue.open(Time::NEVER) {
                while let Some(owner) = queue.next_owner() {
                    while let Some((now, ())) = queue.pop() {
                        planned += 1;
                        let delay = DELAYS[planned.wrapping_mul(0x9e37_79b9) as usize >> 29];
                        queue.push(now + Span::from_ps(delay), Order::new(owner, 0, 0, 0, planned), ());
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
