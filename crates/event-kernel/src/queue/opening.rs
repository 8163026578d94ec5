//! Opening of windows.
//!
//! Invariant: a window begins with the first bucket that has events. Its batches have all of its events, with two
//! exceptions: events that owners schedule for themselves, and events of leaves that have no batches yet.

use core::ops::Range;

use units::Time;

use super::{EventQueue, MOST_BUCKETS};
use crate::Owned;
use crate::keyed_event::{KeyedEvent, time_of};
use crate::later::{LaterEvent, NEAR_BUCKETS};
use crate::ring::SIZE;

impl<E: Copy + Owned> EventQueue<E> {
    /// Opens the next window that holds events before `end`, up to `end`. Returns false if there is none. The batches
    /// of the previous window must all be done. Leaves have their batches [afterwards](Self::open_leaves).
    pub fn open(&mut self, end: Time) -> bool {
        self.open_window(end, self.shared_buckets)
    }

    /// Opens the next window in the same way, but does not share it among leaves. All of its events but an owner's
    /// own are known now.
    pub fn open_known(&mut self, end: Time) -> bool {
        self.open_window(end, self.known_buckets)
    }

    fn open_window(&mut self, end: Time, longest: u64) -> bool {
        debug_assert!(self.open.is_done() && self.is_batch_done(), "all batches of the last window are done");
        assert!(self.of_leaves.is_empty(), "leaves have had their batches in the last window");
        let Some(buckets) = self.find_window(end, longest) else { return false };
        self.window_start = buckets.start << self.bucket_shift;
        let full_end = buckets.end.saturating_mul(1 << self.bucket_shift);
        self.window_end = full_end.min(end.ps());
        let last = buckets.end - 1;
        if self.window_end < full_end {
            self.set_aside(last);
        }
        self.is_shared = longest > self.known_buckets;
        if self.is_shared {
            self.group_others(buckets);
            self.leaves_are_last = true;
        } else {
            let count = self.ring.len(buckets.clone());
            let pieces = self.ring.pieces(buckets.clone(), self.bucket_shift);
            self.leaves_are_last = self.open.group(self.leaves, (0, count), pieces);
            self.ring.clear(buckets);
        }
        self.cut.drain(..).for_each(|entry| self.ring.push(last, entry));
        !(self.open.is_done() && self.of_leaves.is_empty())
    }

    /// Takes the events of these buckets, and makes batches for owners that are no leaves.
    fn group_others(&mut self, buckets: Range<u64>) {
        let Self { ring, of_leaves, of_others, leaves, bucket_shift, .. } = self;
        let start = buckets.start;
        ring.take(buckets, |bucket, events| {
            let since_start = (bucket - start) << *bucket_shift;
            for entry in events {
                let list = if entry.event.owner() < *leaves { &mut *of_leaves } else { &mut *of_others };
                list.push(entry.since_earlier(since_start));
            }
        });
        self.open.group(*leaves, (0, of_others.len()), core::iter::once((0, &of_others[..])));
        of_others.clear();
    }

    /// Makes batches of the leaves' events in the open window, once all other batches are done. Returns false if
    /// leaves have no events, or have their batches already.
    #[inline]
    pub fn open_leaves(&mut self) -> bool {
        !self.of_leaves.is_empty() && self.group_leaves()
    }

    #[inline(never)]
    fn group_leaves(&mut self) -> bool {
        let (before, all) = (self.window_len(), core::iter::once((0, &self.of_leaves[..])));
        self.open.group(self.leaves, (before, self.of_leaves.len()), all);
        self.of_leaves.clear();
        true
    }

    /// Sets the events of a bucket aside that lie beyond the open window.
    fn set_aside(&mut self, bucket: u64) {
        self.ring.take(bucket..bucket + 1, |_, events| self.cut.extend_from_slice(events));
        let until_end = self.window_end - (bucket << self.bucket_shift);
        let within = self.cut.extract_if(.., |entry| entry.offset() < until_end);
        within.for_each(|entry| self.ring.push(bucket, entry));
    }

    /// Returns the events before `end` of the window that [`open_known`](Self::open_known) opens next, each with its
    /// time, in any order.
    pub fn next_window(&mut self, end: Time) -> impl Iterator<Item = (Time, &E)> {
        let buckets = self.find_window(end, self.known_buckets).unwrap_or(0..0);
        let shift = self.bucket_shift;
        let timed = self.ring.slices(buckets).flat_map(move |(bucket, events)| {
            events.iter().map(move |entry| (time_of(entry.key, bucket << shift), &entry.event))
        });
        timed.filter(move |(at, _)| *at < end)
    }

    /// Finds the next window of at most `longest` buckets that holds events, if it begins before `end`. Returns its
    /// buckets that begin before `end`.
    fn find_window(&mut self, end: Time, longest: u64) -> Option<Range<u64>> {
        if self.order.is_some() {
            self.leave_order();
        }
        let after_end = (end.ps().saturating_sub(1) >> self.bucket_shift) + 1;
        loop {
            let first = self.first_pending()?;
            if first >= after_end || end == Time::ZERO {
                return None;
            }
            self.first_bucket = first;
            let window = first..first.saturating_add(longest);
            if self.later.first_bucket() >= window.end {
                return Some(first..window.end.min(after_end));
            }
            self.bring_later_events();
        }
    }

    /// Moves the first later events into the ring. A window has reached them.
    #[inline(never)] // Few windows bring one.
    pub(super) fn bring_later_events(&mut self) {
        const {
            let most = NEAR_BUCKETS + MOST_BUCKETS;
            assert!(
                most <= SIZE as u64,
                "the ring has room for a window and the coarse bucket that it reaches"
            );
        }
        let Self { later, ring, bucket_shift, .. } = self;
        later.take_first(|LaterEvent { time, order, event }| {
            let bucket = time >> *bucket_shift;
            ring.push(bucket, KeyedEvent::new(time - (bucket << *bucket_shift), order, event));
        });
    }
}
