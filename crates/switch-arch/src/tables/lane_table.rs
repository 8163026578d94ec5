//! A table with an entry for each port and lane of a switch.
//!
//! Invariant: the entries of a port lie next to each other, lane by lane.

use core::ops::{Index, IndexMut};

use packet::{Lane, PortId};

/// An entry for each port and lane.
#[derive(Clone, Debug)]
pub(crate) struct LaneTable<T> {
    lanes: usize,
    entries: Box<[T]>,
}

state_codec::state!([T: state_codec::State] LaneTable<T> { lanes: plan, entries: part });

impl<T> LaneTable<T> {
    /// Creates a table for this many ports and lanes, in which every entry is `entry`.
    pub(crate) fn new(ports: usize, lanes: usize, entry: T) -> Self
    where
        T: Clone,
    {
        Self { lanes, entries: vec![entry; ports * lanes].into() }
    }

    /// Number of lanes of each port.
    pub(crate) const fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns the entries of all ports in order, lane by lane.
    pub(crate) const fn entries(&self) -> &[T] {
        &self.entries
    }

    /// Returns the entries of a port, lane by lane.
    #[inline]
    pub(crate) fn of_port(&self, port: PortId) -> &[T] {
        let first = port.index() * self.lanes;
        &self.entries[first..first + self.lanes]
    }

    #[inline]
    const fn index(&self, port: PortId, lane: Lane) -> usize {
        port.index() * self.lanes + lane.index()
    }
}

impl<T> Index<(PortId, Lane)> for LaneTable<T> {
    type Output = T;
    #[inline]
    fn index(&self, (port, lane): (PortId, Lane)) -> &T {
        &self.entries[self.index(port, lane)]
    }
}

impl<T> IndexMut<(PortId, Lane)> for LaneTable<T> {
    #[inline]
    fn index_mut(&mut self, (port, lane): (PortId, Lane)) -> &mut T {
        &mut self.entries[self.index(port, lane)]
    }
}
