//! A table by data lane.
//!
//! Invariant: the table has at least one entry. Most ports have one data lane, so its entry is stored in place and
//! needs no bounds check.

use core::ops::{Index, IndexMut};

use crate::Lane;

/// A `T` for each data lane, from lane 0 on.
#[derive(Clone, Debug)]
#[repr(C)] // The first lane goes first, next to what its owner puts before it.
pub struct ByLane<T> {
    first: T,
    others: Box<[T]>,
}

impl<T> ByLane<T> {
    /// Returns the number of lanes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        1 + self.others.len()
    }

    /// Returns the entry of `lane`, if the port has that data lane.
    #[must_use]
    pub fn get(&self, lane: Lane) -> Option<&T> {
        if lane.0 == 0 { Some(&self.first) } else { self.others.get(lane.index() - 1) }
    }

    /// Returns all entries, in the order of lanes.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        core::iter::once(&self.first).chain(&self.others)
    }
}

impl<T: Clone> ByLane<T> {
    /// Returns a table of `lanes` equal entries.
    ///
    /// # Panics
    /// If `lanes` is 0.
    #[must_use]
    pub fn all(same: T, lanes: usize) -> Self {
        core::iter::repeat_n(same, lanes).collect()
    }
}

/// Collects one entry for each lane, in order.
///
/// # Panics
/// If the iterator is empty.
impl<T> FromIterator<T> for ByLane<T> {
    fn from_iter<I: IntoIterator<Item = T>>(lanes: I) -> Self {
        let mut lanes = lanes.into_iter();
        Self { first: lanes.next().expect("a port has a data lane"), others: lanes.collect() }
    }
}

state_codec::state!([T: state_codec::State] ByLane<T> { first: part, others: part });

/// # Panics
/// If the port does not have that data lane.
impl<T> Index<Lane> for ByLane<T> {
    type Output = T;
    #[inline]
    fn index(&self, lane: Lane) -> &T {
        if lane.0 == 0 { &self.first } else { &self.others[lane.index() - 1] }
    }
}

impl<T> IndexMut<Lane> for ByLane<T> {
    #[inline]
    fn index_mut(&mut self, lane: Lane) -> &mut T {
        if lane.0 == 0 { &mut self.first } else { &mut self.others[lane.index() - 1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_has_its_own() {
        for lanes in 1..=3 {
            let mut table = ByLane::all(0, usize::from(lanes));
            for lane in 0..lanes {
                table[Lane(lane)] += 10 + lane;
            }
            assert_eq!(table.len(), usize::from(lanes));
            assert!(table.iter().copied().eq(10..10 + lanes));
            assert!((0..lanes).all(|lane| table.get(Lane(lane)) == Some(&table[Lane(lane)])));
            assert_eq!(table.get(Lane(lanes)), None);
        }
    }
}
