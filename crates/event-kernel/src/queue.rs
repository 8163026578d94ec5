//! The future-event list, and with it the clock: window by window, and owner by owner within a window.
//!
//! An action of an owner reaches another after a minimum delay, the *lookahead*. Within a window no longer than the
//! lookahead no owner can therefore affect another. Each owner handles all its events of the window in a batch, while
//! its state is in the cache. This is the conservative window of parallel simulation (Nicol, "The cost of
//! conservative synchronization in parallel discrete event simulations", 1993), used on a single core.
//!
//! Invariant: an owner's events come out in ascending order of `(time, order)` for any order of insertion. No event
//! comes out while an earlier event of that owner can still be scheduled.
//!
//! ```text
//!    |  open window: some buckets  |  ring: 1024 buckets, unsorted  |  later: 1024 buckets of 256 each  |  a heap ...
//! ```
//!
//! * A *bucket* is a power of two of picoseconds. A window begins with the first bucket that has events.
//! * *Leaves* are owners that reach each other no sooner than they reach others: the adapters of a network, which have
//!   switches between them. In a window as long as the lookahead *to others*, other owners have their turns first.
//!   Leaves follow, with the events that were scheduled for them meanwhile. The leaves *share* such a window. A
//!   switch's latency counts with the cables that lead to it, so a shared window may be several times as long as an
//!   adapter's cable.
//! * The events of the open window are grouped by owner, in *batches*. A batch is sorted when it becomes current. The
//!   events that its owner schedules for itself meanwhile, within the window, form a second sorted list.
//! * The *ring* covers the buckets that follow.
//! * *Later* events, mostly timers, move into the ring when a window reaches them.
//!
//! Windows and batches pay where windows have many events. Few events are served [in
//! order](EventQueue::open_in_order) instead. Each instant of each owner is then a batch, and a bucket is long enough
//! for a few events.

mod in_order;
mod opening;

use core::fmt::{self, Debug, Formatter};
use units::{Span, Time};

use crate::Owned;
use crate::batches::{OwnerBatch, WindowBatches};
use crate::keyed_event::{KeyedEvent, LONGEST, NO_KEY, last_key, time_of};
use crate::later::{LaterEvent, LaterEvents};
use crate::order::EventOrder;
use crate::own_events::OwnEvents;
use crate::ring::{BucketRing, SIZE};
use in_order::InOrder;

/// Number of buckets in a window from which on it loses at most an eighth of the lookahead. A window has a whole
/// number of buckets.
const BUCKETS: u64 = 8;

/// Largest share of the lookahead that a window loses by fewer buckets, as its reciprocal.
const LOSS: u64 = 8;

/// The same for windows that are opened rarely. Longer buckets let the ring cover more time, so fewer events come as
/// later events.
const LOSS_OF_RARE: u64 = 4;

/// Most buckets in a window that leaves share.
const MOST_BUCKETS: u64 = 128;

/// Ratio of lengths from which a window is shared: its events are copied once more.
const SHARED_GAIN: u64 = 2;

/// Binary logarithm of a length in ps below which a bucket costs more than it sorts. In 8.2 ns few nodes of even a
/// large fabric have an event.
const SHORT: u32 = 13;

/// The least delays of events that an owner schedules for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookahead {
    /// For any owner.
    pub any: Span,
    /// For an owner that is no leaf, and from leaf to leaf: at least as long.
    pub to_others: Span,
}

state_codec::value!(Lookahead { any, to_others });

/// The lengths of a list's windows, where nothing cuts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowLengths {
    /// Of a bucket: a power of two of picoseconds. A window that ends at a multiple of it takes no time to be cut.
    pub bucket: Span,
    /// Of a window with events that are all [known](EventQueue::open_known) when it is opened, except for an owner's
    /// own.
    pub known: Span,
    /// Of a window that leaves may share: not shorter.
    pub longest: Span,
}

impl WindowLengths {
    /// Returns the lengths of the windows of a list with this lookahead.
    ///
    /// # Panics
    /// If `any` is longer than `to_others`.
    #[must_use]
    pub fn of(lookahead: Lookahead) -> Self {
        let Lookahead { any, to_others } = lookahead;
        assert!(any <= to_others, "{any:?} for any owner, but {to_others:?} for others than leaves");
        let longest = any.ps().clamp(1, LONGEST);
        // Where leaves share windows, windows of the least lookahead are rare, and may lose more.
        let is_shared = to_others.ps() >= longest.saturating_mul(SHARED_GAIN);
        let shift = bucket_shift(longest, if is_shared { LOSS_OF_RARE } else { LOSS });
        let known = longest >> shift;
        let shared = (to_others.ps().min(LONGEST) >> shift).min(MOST_BUCKETS);
        let longest = if shared >= known * SHARED_GAIN { shared } else { known };
        let span = |buckets: u64| Span::from_ps(buckets << shift);
        Self { bucket: span(1), known: span(known), longest: span(longest) }
    }
}

/// The future-event list. Each event belongs to the owner that it [names](Owned).
///
/// Two events of an owner with the same time and the same order come out in unspecified order. This is a bug of the
/// caller unless the events commute.
///
/// ```
/// use event_kernel::{EventOrder, EventQueue};
/// use units::{Span, Time};
///
/// let (at, owners) = (Time::from_ps, 2);
/// let mut queue = EventQueue::new(owners, Span::from_ps(100));
/// let order = EventOrder::new(0, 0, 0, 0);
/// queue.push(at(30), order, (1, 'c'));
/// queue.push(at(20), order, (1, 'b'));
/// queue.push(at(40), order, (0, 'a'));
/// assert!(queue.open(at(1000)));
/// assert_eq!(queue.next_owner(), Some(0));
/// assert_eq!((queue.pop(), queue.pop()), (Some((at(40), (0, 'a'))), None));
/// assert_eq!(queue.next_owner(), Some(1));
/// assert_eq!((queue.pop(), queue.pop_at(at(21))), (Some((at(20), (1, 'b'))), None));
/// assert_eq!((queue.pop(), queue.pop()), (Some((at(30), (1, 'c'))), None));
/// assert_eq!(queue.next_owner(), None);
/// assert!(!queue.open(at(1000)));
/// ```
pub struct EventQueue<E> {
    /// Time of the last event that the current owner has popped, in ps.
    now: u64,
    /// Start of the open window, in ps.
    window_start: u64,
    /// End of the open window, exclusive, in ps.
    window_end: u64,
    /// Number of the open window's first bucket. No pending event lies before it.
    first_bucket: u64,
    /// Binary logarithm of a bucket's length in ps.
    bucket_shift: u32,
    /// The same of a bucket of windows.
    window_shift: u32,
    /// Number of buckets in a window that leaves do not share: its events are known when it is opened.
    known_buckets: u64,
    /// Number of buckets in a window that leaves share: not fewer.
    shared_buckets: u64,
    /// Number of leaves, which are the first owners.
    leaves: u32,
    /// Batches of the open window.
    open: WindowBatches<E>,
    /// Events of the open window for owners without a batch so far: leaves, if the window is shared.
    of_leaves: Vec<KeyedEvent<E>>,
    /// True if the open window is shared.
    is_shared: bool,
    /// True if all leaves have their batches after all others in the open window.
    leaves_are_last: bool,
    /// Empty except while a shared window is opened.
    of_others: Vec<KeyedEvent<E>>,
    owner: Option<u32>,
    /// Least key of the current batch, and of the owner's own events: [`NO_KEY`] if all have come out.
    batch_key: u64,
    own_key: u64,
    /// Events that the current owner has scheduled for itself in the open window.
    own: OwnEvents<E>,
    ring: BucketRing<KeyedEvent<E>>,
    later: LaterEvents<E>,
    /// Only while owners are served in order.
    order: Option<InOrder>,
    /// Empty except while a window is cut within a bucket.
    cut: Vec<KeyedEvent<E>>,
}

impl<E: Copy + Owned> EventQueue<E> {
    /// Makes an empty list, at time zero, for owners numbered from zero. An owner schedules events for others at
    /// least `lookahead` ahead.
    ///
    /// If the lookahead is zero, a window is a single instant, and an event for another owner at that instant opens
    /// the window again.
    #[must_use]
    pub fn new(owners: usize, lookahead: Span) -> Self {
        Self::with_leaves(owners, 0, Lookahead { any: lookahead, to_others: lookahead })
    }

    /// Makes an empty list, at time zero, with the first `leaves` owners as leaves. A window may be as long as the
    /// lookahead to others. Without leaves that is the lookahead for any owner.
    ///
    /// # Panics
    /// If `any` is longer than `to_others`.
    #[must_use]
    pub fn with_leaves(owners: usize, leaves: u32, lookahead: Lookahead) -> Self {
        const { assert!(size_of::<E>() <= 24, "an event is at most 24 bytes") }
        let WindowLengths { bucket, known, longest } = WindowLengths::of(lookahead);
        let bucket_shift = bucket.ps().ilog2();
        Self {
            now: 0,
            window_start: 0,
            window_end: 0,
            first_bucket: 0,
            bucket_shift,
            known_buckets: known.ps() >> bucket_shift,
            shared_buckets: longest.ps() >> bucket_shift,
            window_shift: bucket_shift,
            leaves,
            open: WindowBatches::new(owners),
            of_leaves: Vec::new(),
            is_shared: false,
            leaves_are_last: false,
            of_others: Vec::new(),
            owner: None,
            batch_key: NO_KEY,
            own_key: NO_KEY,
            own: OwnEvents::new(),
            ring: BucketRing::new(),
            later: LaterEvents::new(bucket_shift),
            order: None,
            cut: Vec::new(),
        }
    }

    /// Returns the number of pending events. Counts them.
    #[must_use]
    pub fn len(&self) -> usize {
        let in_batches =
            self.open.waiting_len() + self.open.current_len() + self.own.len() + self.open.rest().len();
        in_batches + self.of_leaves.len() + self.ring.total_len() + self.later.len()
    }

    /// Returns true if no event is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the end of the window that was opened last, exclusive. If all its batches are done, including the
    /// batches of leaves, every event before that instant is handled.
    #[must_use]
    pub const fn window_end(&self) -> Time {
        Time::from_ps(self.window_end)
    }

    /// Returns all events of future windows, each with its time and order, in any order. Between two windows these
    /// are all events.
    pub fn scheduled(&self) -> impl Iterator<Item = (Time, EventOrder, &E)> {
        let near = self.ring.events(self.first_bucket).map(|(bucket, entry)| {
            (time_of(entry.key, bucket << self.bucket_shift), entry.order(), &entry.event)
        });
        let rest = self.open.rest().iter();
        let rest = rest.map(|entry| (time_of(entry.key, self.window_start), entry.order(), &entry.event));
        rest.chain(near)
            .chain(self.later.events().map(|later| (Time::from_ps(later.time), later.order, &later.event)))
    }

    /// Continues the list of another run: it is empty, and every event before `end` is handled.
    ///
    /// # Panics
    /// If an event is pending.
    pub fn resume(&mut self, end: Time) {
        assert!(self.is_empty(), "a list that is resumed is empty");
        self.window_end = end.ps();
    }

    /// Returns a time at or before the first event, and not long before it: the beginning of a bucket. `None` if no
    /// event is pending. All batches of the open window are done.
    #[must_use]
    pub fn next_time(&self) -> Option<Time> {
        let bucket = self.first_pending()?;
        Some(Time::from_ps(bucket << self.bucket_shift))
    }

    /// Returns the first bucket with events, or the bucket with which the first later events begin.
    #[inline]
    fn first_pending(&self) -> Option<u64> {
        if !self.open.rest().is_empty() {
            return Some(self.first_bucket);
        }
        let later = self.later.first_bucket();
        let first = self.ring.first_from(self.first_bucket).map_or(later, |near| near.min(later));
        (first < u64::MAX).then_some(first)
    }

    /// Returns all events of future windows, in any order.
    pub fn pending(&self) -> impl Iterator<Item = &E> {
        self.scheduled().map(|(.., event)| event)
    }

    /// Schedules `event` for the instant `at` and its owner. An event that the current owner
    /// schedules for itself at the present instant is ordered among its events that have not been popped yet.
    ///
    /// # Panics
    /// If `at` is past, is less than the lookahead away for another owner, or is [`Time::NEVER`].
    #[inline]
    pub fn push(&mut self, at: Time, order: EventOrder, event: E) {
        let time = at.ps();
        if time < self.window_end {
            return self.push_in_window(time, order, event);
        }
        let bucket = time >> self.bucket_shift;
        if bucket - self.first_bucket < SIZE as u64 {
            self.push_near(bucket, time, order, event);
        } else {
            self.push_later(LaterEvent { time, order, event });
        }
    }

    /// Schedules an event in a bucket of the ring.
    #[inline(always)]
    fn push_near(&mut self, bucket: u64, time: u64, order: EventOrder, event: E) {
        self.ring.push(bucket, KeyedEvent::new(time - (bucket << self.bucket_shift), order, event));
    }

    /// Schedules an event in the open window.
    #[inline(never)] // Most events are of later windows, and their way is short.
    fn push_in_window(&mut self, time: u64, order: EventOrder, event: E) {
        if self.order.is_some() {
            return self.push_in_order(time, order, event);
        }
        if time < self.now || self.owner != Some(event.owner()) {
            return self.push_for_another(time, order, event);
        }
        let entry = KeyedEvent::new(time - self.window_start, order, event);
        self.own_key = self.own_key.min(entry.key);
        self.own.push(entry);
    }

    /// Schedules an event of another owner in the open window. This happens only in a window of a single instant, or
    /// for a leaf that has its turn later. Refuses the past, for every owner.
    #[inline(never)]
    fn push_for_another(&mut self, time: u64, order: EventOrder, event: E) {
        assert!(time >= self.now, "an event at {time} ps, pushed at {} ps", self.now);
        if self.is_shared
            && event.owner() < self.leaves
            && self.owner.is_some_and(|owner| owner >= self.leaves)
        {
            return self.of_leaves.push(KeyedEvent::new(time - self.window_start, order, event));
        }
        let is_instant = self.known_buckets == 1 && !self.is_shared;
        assert!(is_instant, "an event for another at {time} ps, pushed at {} ps", self.now);
        self.push_near(self.first_bucket, time, order, event);
    }

    /// Schedules an event beyond the ring.
    #[inline(never)]
    fn push_later(&mut self, later: LaterEvent<E>) {
        self.later.push(later);
    }

    /// Returns true if leaves have their turns after all others in the open window. This is so if the window is
    /// shared, or if its many events are listed by the numbers of owners. False once a caller may have
    /// [reordered](Self::batches) the batches of a window that is not shared.
    #[inline]
    #[must_use]
    pub const fn leaves_are_last(&self) -> bool {
        self.leaves_are_last
    }

    /// Returns the batches of the open window that are not current yet, the last at the front. A caller may reorder
    /// them: the order has no effect on owners.
    pub fn batches(&mut self) -> &mut [OwnerBatch] {
        self.leaves_are_last = self.is_shared;
        self.open.batches()
    }

    /// Makes the next batch of the open window current, and returns its owner. The previous owner has popped all its
    /// events.
    #[inline(always)] // The loop has it twice, for fabrics in one part and in several.
    pub fn next_owner(&mut self) -> Option<u32> {
        debug_assert!(
            self.is_batch_done(),
            "a batch is done when its owner has no events left in the window"
        );
        // The new owner may be behind the previous owner's time.
        self.now = 0;
        self.owner = match &self.order {
            None => self.open.next_batch(),
            Some(order) => self.open.next_in_order(order.end_key),
        };
        self.batch_key = self.open.least_key();
        self.owner
    }

    /// Returns true if the current owner has no events left in the open window.
    #[inline]
    const fn is_batch_done(&self) -> bool {
        self.batch_key == NO_KEY && self.own_key == NO_KEY
    }

    /// Returns the events that the open window had when its batches were made, batch by batch, from this index on.
    /// The batches of leaves follow once they are made.
    pub fn window_events(&self, from: usize) -> impl Iterator<Item = &E> + Clone {
        self.open.all().iter().skip(from).map(|entry| &entry.event)
    }

    /// Returns the number of these events.
    #[inline]
    #[must_use]
    pub fn window_len(&self) -> usize {
        self.open.all().len()
    }

    /// Returns the events that the open window, which was [known](Self::open_known), had when it was opened. Each
    /// comes with its time, batch by batch.
    pub fn open_events(&self) -> impl Iterator<Item = (Time, &E)> {
        self.open.all().iter().map(|entry| (time_of(entry.key, self.window_start), &entry.event))
    }

    /// Returns the end of the current batch among the [`window_events`](Self::window_events).
    #[inline]
    #[must_use]
    pub fn batch_end(&self) -> usize {
        self.open.batch_end()
    }

    /// Takes the current owner's next event in the open window, and sets the clock to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let KeyedEvent { key, event } = self.pop_until(NO_KEY - 1)?;
        let time = time_of(key, self.window_start);
        self.now = time.ps();
        Some((time, event))
    }

    /// Takes the current owner's next event if it is due at `now`, which is not before the clock's time.
    #[inline]
    pub fn pop_at(&mut self, now: Time) -> Option<E> {
        Some(self.pop_until(last_key(now.ps(), self.window_start))?.event)
    }

    /// Takes the event with the least key of those that the current owner has scheduled for itself.
    #[inline(never)] // One event of three.
    fn pop_own(&mut self) -> Option<KeyedEvent<E>> {
        let (event, next_key) = self.own.pop()?;
        self.own_key = next_key;
        Some(event)
    }

    /// Takes the current owner's event with the least key, if that is at most `last`.
    #[inline]
    fn pop_until(&mut self, last: u64) -> Option<KeyedEvent<E>> {
        if self.own_key < self.batch_key {
            return if self.own_key <= last { self.pop_own() } else { None };
        }
        if self.batch_key > last {
            return None;
        }
        let event = self.open.pop();
        self.batch_key = self.open.least_key();
        Some(event)
    }
}

#[cfg(test)]
impl<E: Copy + Owned> EventQueue<E> {
    /// Returns the memory allocated for events, in entries.
    fn capacity(&self) -> usize {
        let in_window = self.open.capacity()
            + self.own.capacity()
            + self.cut.capacity()
            + self.of_leaves.capacity()
            + self.of_others.capacity();
        in_window + self.ring.capacity() + self.later.capacity()
    }
}

/// Returns the binary logarithm of a bucket's length in ps, for windows of at most `longest` ps. A window has eight
/// or more buckets. It has fewer if these are not longer than [`SHORT`] and the window loses no more than `1 / loss`
/// by them.
fn bucket_shift(longest: u64, loss: u64) -> u32 {
    let loses_little = |shift: &u32| longest % (1 << shift) <= longest / loss;
    let short = (longest / 2).checked_ilog2().map_or(0, |shift| shift.min(SHORT));
    let few = (0..=short).rev().find(loses_little).unwrap_or(0);
    (longest / BUCKETS).checked_ilog2().unwrap_or(0).max(few)
}

impl<E: Copy + Owned> Debug for EventQueue<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventQueue").field("now", &self.now).field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOKAHEAD: u64 = 2_000;
    const OWNERS: u32 = 100;
    /// Delays of every kind: none, within the window, within the ring, at its end, later, at the end of the later ring,
    /// beyond it.
    const DELAYS: [u64; 8] = [0, 5, 700, 90_000, 524_287, 1_048_576, 150_000_000, 9_000_000_000];

    #[test]
    fn a_window_is_little_shorter_than_the_lookahead() {
        let shifts =
            [1, 7, 8, 2_000, 12_000, 27_000, 106_500, 1_000_000].map(|longest| bucket_shift(longest, LOSS));
        assert_eq!(shifts, [0, 0, 2, 8, 10, 13, 13, 16]);
        for longest in 1..100_000_u64 {
            let shift = bucket_shift(longest, LOSS);
            let window = longest >> shift << shift;
            assert!(window * 8 >= longest * 7 && window <= longest, "{window} ps of {longest} ps");
        }
    }

    #[test]
    fn a_steady_load_needs_no_more_memory() {
        let mut queue = EventQueue::new(OWNERS as usize, Span::from_ps(LOOKAHEAD));
        for n in 0..1000 {
            queue.push(Time::from_ps(DELAYS[n as usize % 8]), EventOrder::new(0, 0, 0, n), (n % OWNERS, ()));
        }
        let mut handled = 0;
        let mut hold = |queue: &mut EventQueue<(u32, ())>, until: u32| {
            while handled < until && queue.open(Time::NEVER) {
                while let Some(owner) = queue.next_owner() {
                    while let Some((now, _)) = queue.pop() {
                        handled += 1;
                        let delay = DELAYS[handled.wrapping_mul(0x9e37_79b9) as usize >> 29];
                        queue.push(
                            now + Span::from_ps(delay),
                            EventOrder::new(0, 0, 0, handled),
                            (owner, ()),
                        );
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
