//! Service in order: the events of all owners by time, where they are few.
//!
//! Invariant: the events of the open bucket that have not come out are sorted by time, owner and order. All events of
//! an owner and instant form a batch, so that the owner handles them as it does in any other window.
//!
//! No lookahead limits a bucket, since an event that any owner schedules within it takes its place among the others. A
//! bucket is therefore long enough for several events, which share the cost of opening it.

use units::Time;

use super::EventQueue;
use crate::Owned;
use crate::keyed_event::{KeyedEvent, LONGEST};
use crate::later::LaterEvents;
use crate::order::{EventOrder, ORDER_BITS};
use crate::ring::SIZE;

/// State of the service in order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InOrder {
    /// Key, counted from the beginning of the open bucket, from which on events lie beyond the window.
    pub(super) end_key: u64,
    /// Buckets since their length was chosen, and the events that they had when they were opened.
    buckets: u32,
    events: u32,
}

/// Mean number of events in a bucket from which on buckets become shorter: events move further to their places.
const MANY: u32 = 16;

/// Mean number of events in a bucket below which buckets become longer: few events share the cost of opening it.
const FEW: u32 = 4;

/// Most events of a bucket that are moved to their places individually, which takes quadratic time.
const CROWD: usize = 256;

/// Buckets after which their length is chosen again.
const TRIED: u32 = 512;

/// Binary logarithm of the longest bucket in ps, within the bits that a key has for the time since its beginning.
const LONGEST_SHIFT: u32 = LONGEST.ilog2() - 1;

impl<E: Copy + Owned> EventQueue<E> {
    /// Opens a window in which the events before `end` come out in the order of their times. A batch has the events
    /// of a single owner and instant. Returns false if there is no event before `end`. The batches of the previous
    /// window must all be done.
    ///
    /// Results are the same as with [`open`](Self::open). The window may be longer than the lookahead. Events take
    /// less time this way where windows have few of them. A crowded bucket is opened as [`open`](Self::open) does.
    pub fn open_in_order(&mut self, end: Time) -> bool {
        debug_assert!(self.open.is_done() && self.is_batch_done(), "all batches of the last window are done");
        match &self.order {
            None => self.set_order(Some(InOrder::default()), self.bucket_shift),
            Some(order) if order.buckets >= TRIED => self.choose_length(),
            Some(_) => {}
        }
        loop {
            let Some(bucket) = self.first_pending() else { return false };
            let start = bucket << self.bucket_shift;
            if start >= end.ps() {
                return false;
            }
            self.first_bucket = bucket;
            if self.later.first_bucket() > bucket {
                if self.ring.len(bucket..bucket + 1) > CROWD {
                    // Thousands of hosts may begin at the same instant, where events are rare otherwise.
                    return self.open(end);
                }
                self.window_start = start;
                self.window_end = start.saturating_add(1 << self.bucket_shift).min(end.ps());
                return self.open_bucket();
            }
            self.bring_later_events();
        }
    }

    /// Returns true if the last window was opened [in order](Self::open_in_order). Its events are in no batch before
    /// they come out.
    #[inline]
    #[must_use]
    pub const fn is_in_order(&self) -> bool {
        self.order.is_some()
    }

    /// Opens the first bucket up to the end of the window. Returns true if it has an event there.
    fn open_bucket(&mut self) -> bool {
        let Self { ring, open, first_bucket, .. } = self;
        open.forget_done();
        // If the last window ended within this bucket, the bucket's earlier events are open already. The ring has
        // only the events that were scheduled since.
        ring.take(*first_bucket..*first_bucket + 1, |_, events| {
            events.iter().for_each(|entry| open.insert(*entry, false));
        });
        let end_key = (self.window_end - self.window_start) << ORDER_BITS;
        let InOrder { buckets, events, .. } = self.order.unwrap_or_default();
        let rest = self.open.rest();
        self.order = Some(InOrder { end_key, buckets: buckets + 1, events: events + rest.len() as u32 });
        rest.first().is_some_and(|first| first.key < end_key)
    }

    /// Schedules an event in the open window, of the present instant or later.
    pub(super) fn push_in_order(&mut self, time: u64, order: EventOrder, event: E) {
        assert!(time >= self.now, "an event at {time} ps, pushed at {} ps", self.now);
        let is_of_batch = time == self.now && self.owner == Some(event.owner());
        self.open.insert(KeyedEvent::new(time - self.window_start, order, event), is_of_batch);
        self.batch_key = self.open.least_key();
    }

    /// Chooses the length of buckets by the events that recent buckets had.
    #[cold]
    fn choose_length(&mut self) {
        let InOrder { buckets, events, .. } = self.order.unwrap_or_default();
        let shift = match events / buckets.max(1) {
            0..FEW => (self.bucket_shift + 1).min(LONGEST_SHIFT),
            FEW..MANY => self.bucket_shift,
            MANY.. => self.bucket_shift.saturating_sub(1),
        };
        self.set_order(Some(InOrder::default()), shift);
    }

    /// Opens windows with batches again, after windows in order.
    #[cold]
    pub(super) fn leave_order(&mut self) {
        self.set_order(None, self.window_shift);
    }

    /// Begins or ends the service in order, with buckets of this length.
    #[cold]
    fn set_order(&mut self, order: Option<InOrder>, shift: u32) {
        self.order = order;
        self.leaves_are_last = false;
        if shift == self.bucket_shift && self.open.rest().is_empty() {
            return self.open.forget_all();
        }
        // Keys and places depend on the length of buckets, so every event is scheduled anew.
        let pending: Vec<_> = self.scheduled().map(|(at, order, event)| (at, order, *event)).collect();
        self.ring.clear(self.first_bucket..self.first_bucket + SIZE as u64);
        self.open.forget_all();
        self.later = LaterEvents::new(shift);
        self.bucket_shift = shift;
        self.first_bucket = self.window_end >> shift;
        pending.into_iter().for_each(|(at, order, event)| self.push(at, order, event));
    }
}
