//! The events of the open window, one batch for each owner.
//!
//! Invariant: the batches that are not current yet are complete; their events are in any order.

use core::ops::Range;

use crate::ring::QueuedEvent;

/// All events of one owner in the open window.
#[derive(Clone, Copy, Debug)]
pub struct OwnerBatch {
    owner: u32,
    /// Range of its events among those of the window.
    begin: u32,
    end: u32,
}

/// Ratio of owners to events above which counting by owner costs more than sorting.
const OWNERS_PER_EVENT: usize = 8;

/// The batches of the open window.
pub(crate) struct WindowBatches<E> {
    /// Events of the window, in the order of insertion.
    gathered: Vec<QueuedEvent<E>>,
    /// The same events by owner; entries beyond `count` are unused.
    grouped: Vec<QueuedEvent<E>>,
    count: usize,
    /// Range of the current batch in `grouped`.
    current: Range<usize>,
    /// While events are grouped, the index of each owner's next event; otherwise zero.
    next_index: Box<[u32]>,
    /// Batches that are not current yet, last one first.
    batches: Vec<OwnerBatch>,
}

impl<E: Copy> WindowBatches<E> {
    pub(crate) fn new(owners: usize) -> Self {
        Self {
            gathered: Vec::new(),
            grouped: Vec::new(),
            count: 0,
            current: 0..0,
            next_index: vec![0; owners].into(),
            batches: Vec::new(),
        }
    }

    /// Returns the list of the window's events, to be filled before they are [grouped](Self::group).
    pub(crate) fn gather(&mut self) -> &mut Vec<QueuedEvent<E>> {
        &mut self.gathered
    }

    /// Groups the gathered events by owner.
    pub(crate) fn group(&mut self) {
        if self.gathered.len() * OWNERS_PER_EVENT < self.next_index.len() {
            self.sort_by_owner();
        } else {
            self.count_by_owner();
        }
        self.count = self.gathered.len();
        self.gathered.clear();
        self.batches.reverse();
    }

    fn sort_by_owner(&mut self) {
        self.gathered.sort_unstable_by_key(QueuedEvent::owner);
        self.grouped.clear();
        self.grouped.extend_from_slice(&self.gathered);
        let mut end = 0;
        for group in self.gathered.chunk_by(|one, next| one.owner() == next.owner()) {
            let begin = end;
            end += group.len() as u32;
            self.batches.push(OwnerBatch { owner: group[0].owner(), begin, end });
        }
    }

    fn count_by_owner(&mut self) {
        for entry in &self.gathered {
            self.next_index[entry.owner() as usize] += 1;
        }
        let mut end = 0;
        let with_events = self.next_index.iter_mut().enumerate().filter(|(_, count)| **count > 0);
        for (owner, count) in with_events {
            let begin = end;
            end += core::mem::replace(count, begin);
            self.batches.push(OwnerBatch { owner: owner as u32, begin, end });
        }
        if let Some(any) = self.gathered.first()
            && self.grouped.len() < self.gathered.len()
        {
            self.grouped.resize(self.gathered.len(), *any);
        }
        for entry in &self.gathered {
            let index = &mut self.next_index[entry.owner() as usize];
            self.grouped[*index as usize] = *entry;
            *index += 1;
        }
        for batch in &self.batches {
            self.next_index[batch.owner as usize] = 0;
        }
    }

    /// Returns the batches that are not current yet, last one first.
    pub(crate) fn batches(&mut self) -> &mut [OwnerBatch] {
        &mut self.batches
    }

    /// Makes the next batch current; returns its owner and its events, in any order.
    #[inline]
    pub(crate) fn next_batch(&mut self) -> Option<(u32, &[QueuedEvent<E>])> {
        let OwnerBatch { owner, begin, end } = self.batches.pop()?;
        self.current = begin as usize..end as usize;
        Some((owner, &self.grouped[self.current.clone()]))
    }

    /// Returns the events that the window had when it was opened, batch by batch, and the range of the current batch.
    pub(crate) fn all(&self) -> (&[QueuedEvent<E>], Range<usize>) {
        (&self.grouped[..self.count], self.current.clone())
    }

    /// Returns true if no further batch is left.
    pub(crate) fn is_done(&self) -> bool {
        self.batches.is_empty()
    }

    /// Returns the memory allocated for events, in entries.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.gathered.capacity() + self.grouped.capacity()
    }
}
