//! An event with its sort key.
//!
//! Invariant: keys of an owner's events that are counted from the same origin sort as `(time, order)` does.
//!
//! ```text
//! 63                      40 39   0
//! time since the origin, ps | order
//! ```
//!
//! The origin is the beginning of the event's bucket or of the open window.

use units::Time;

use crate::earliest_first::Keyed;
use crate::order::{EventOrder, ORDER_BITS};

/// Bits of the time since the origin.
const OFFSET_BITS: u32 = u64::BITS - ORDER_BITS;

/// The longest window, in ps: 16.8 us.
pub(crate) const LONGEST: u64 = 1 << OFFSET_BITS;

/// Key of no event, greater than all others.
pub(crate) const NO_KEY: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyedEvent<E> {
    pub(crate) key: u64,
    pub(crate) event: E,
}

impl<E: Copy> KeyedEvent<E> {
    /// Returns an event `offset` ps after the origin.
    #[inline(always)]
    pub(crate) fn new(offset: u64, order: EventOrder, event: E) -> Self {
        let key = offset << ORDER_BITS | order.bits();
        debug_assert!(offset < LONGEST && key != NO_KEY, "the key holds the time since the origin");
        Self { key, event }
    }

    /// Returns the same event, counted from an origin that is earlier by `span`, in ps.
    #[inline]
    pub(crate) fn since_earlier(&self, span: u64) -> Self {
        Self { key: self.key + (span << ORDER_BITS), event: self.event }
    }

    /// Returns the time since the origin, in ps.
    #[inline]
    pub(crate) const fn offset(&self) -> u64 {
        self.key >> ORDER_BITS
    }

    /// Returns true if another event, counted from the same origin, has the same time.
    #[inline(always)]
    pub(crate) const fn is_of_instant(&self, other: &Self) -> bool {
        (self.key ^ other.key) >> ORDER_BITS == 0
    }

    pub(crate) const fn order(&self) -> EventOrder {
        EventOrder::from_bits(self.key & ((1 << ORDER_BITS) - 1))
    }
}

impl<E> Keyed for KeyedEvent<E> {
    type Key = u64;

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }
}

/// Returns the time of the event with this key, counted from `origin`, in ps.
#[inline]
pub(crate) const fn time_of(key: u64, origin: u64) -> Time {
    Time::from_ps(origin + (key >> ORDER_BITS))
}

/// Returns the greatest key of an event at `now`, counted from `origin`, both in ps.
#[inline]
pub(crate) const fn last_key(now: u64, origin: u64) -> u64 {
    (now - origin) << ORDER_BITS | ((1 << ORDER_BITS) - 1)
}
