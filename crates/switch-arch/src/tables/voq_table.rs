//! A table with an entry for each virtual output queue of a switch.
//!
//! Invariant: the entries of an output and lane lie next to each other, input by input.

use core::ops::{Index, IndexMut};

use packet::VoqId;

/// An entry for each virtual output queue.
#[derive(Clone, Debug)]
pub(crate) struct VoqTable<T> {
    ports: usize,
    lanes: usize,
    /// By output, lane and input.
    entries: Box<[T]>,
}

state_codec::state!([T: state_codec::State] VoqTable<T> { ports: plan, lanes: plan, entries: part });

impl<T> VoqTable<T> {
    /// Creates a table for this many ports and lanes, in which every entry is the default.
    pub(crate) fn new(ports: usize, lanes: usize) -> Self
    where
        T: Clone + Default,
    {
        Self { ports, lanes, entries: vec![T::default(); ports * ports * lanes].into() }
    }

    /// Returns all entries, in the order of output, lane and input.
    pub(crate) const fn entries(&self) -> &[T] {
        &self.entries
    }

    #[inline]
    const fn index(&self, VoqId { input, output, lane }: VoqId) -> usize {
        (output.index() * self.lanes + lane.index()) * self.ports + input.index()
    }
}

impl<T> Index<VoqId> for VoqTable<T> {
    type Output = T;
    #[inline]
    fn index(&self, voq: VoqId) -> &T {
        &self.entries[self.index(voq)]
    }
}

impl<T> IndexMut<VoqId> for VoqTable<T> {
    #[inline]
    fn index_mut(&mut self, voq: VoqId) -> &mut T {
        &mut self.entries[self.index(voq)]
    }
}
