//! Events in heaps.
//!
//! Invariant: the greatest element of a heap is its earliest event.

use core::cmp::{Ordering, Reverse};

/// An event with a sort key.
pub(crate) trait Keyed {
    type Key: Ord;

    /// Returns the sort key: time, then order.
    fn key(&self) -> Self::Key;
}

/// An event in a heap.
pub(crate) struct EarliestFirst<T>(pub(crate) T);

impl<T: Keyed> Ord for EarliestFirst<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        Reverse(self.0.key()).cmp(&Reverse(other.0.key()))
    }
}

impl<T: Keyed> PartialOrd for EarliestFirst<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Keyed> PartialEq for EarliestFirst<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: Keyed> Eq for EarliestFirst<T> {}
