//! An event of the open window, with its sort key.
//!
//! Invariant: keys of one owner's events in one window sort as `(time, order)` does.
//!
//! ```text
//! 63                       40 39                   0
//! time since the window began | order without its node
//! ```

use units::Time;

use crate::earliest_first::Keyed;
use crate::order::{EventOrder, NODE_SHIFT};
use crate::ring::QueuedEvent;

/// Bits of the time since a window began.
const OFFSET_BITS: u32 = u64::BITS - NODE_SHIFT;

/// The longest window, in ps: 16.8 us.
pub(crate) const LONGEST: u64 = 1 << OFFSET_BITS;

/// Key of no event, greater than all others.
pub(crate) const NO_KEY: u64 = u64::MAX;

/// An event of the open window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowEvent<E> {
    pub(crate) key: u64,
    pub(crate) event: E,
}

impl<E: Copy> WindowEvent<E> {
    /// Returns a queued event as one of the window that began at `start`, in ps.
    #[inline]
    pub(crate) fn of(entry: &QueuedEvent<E>, start: u64) -> Self {
        let offset = entry.time - start;
        let key = offset << NODE_SHIFT | EventOrder::from_bits(entry.order).without_node();
        debug_assert!(offset < LONGEST && key != NO_KEY, "the key holds the time since the window began");
        Self { key, event: entry.event }
    }
}

impl<E> Keyed for WindowEvent<E> {
    type Key = u64;

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }
}

/// Returns the time of the event with this key in the window that began at `start`, in ps.
#[inline]
pub(crate) const fn time_of(key: u64, start: u64) -> Time {
    Time::from_ps(start + (key >> NODE_SHIFT))
}

/// Returns the greatest key of an event at `now` in the window that began at `start`, both in ps.
#[inline]
pub(crate) const fn last_key(now: u64, start: u64) -> u64 {
    (now - start) << NODE_SHIFT | ((1 << NODE_SHIFT) - 1)
}
