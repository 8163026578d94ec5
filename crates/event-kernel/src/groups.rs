//! The events of the open window, grouped by owner.
//!
//! Invariant: the groups of owners whose turns are to come are whole, in any order.

use core::ops::Range;

use crate::buckets::Entry;

/// An owner's turn in the open window.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    owner: u32,
    /// Its events lie between these places.
    begin: u32,
    end: u32,
}

/// From so many owners to an event on, counting by owner costs more than sorting.
const OWNERS_PER_EVENT: usize = 8;

pub(crate) struct Groups<E> {
    /// The window's events as they were planned.
    gathered: Vec<Entry<E>>,
    /// The same by owner; what lies beyond `count` is of no meaning.
    grouped: Vec<Entry<E>>,
    count: usize,
    /// Where those of the present turn lie.
    turn: Range<usize>,
    /// While events are grouped, where the next of each owner goes; otherwise zero.
    places: Box<[u32]>,
    /// Those to come, last one first.
    turns: Vec<Turn>,
}

impl<E: Copy> Groups<E> {
    pub(crate) fn new(owners: usize) -> Self {
        Self {
            gathered: Vec::new(),
            grouped: Vec::new(),
            count: 0,
            turn: 0..0,
            places: vec![0; owners].into(),
            turns: Vec::new(),
        }
    }

    /// Where the events of a window are put before they are [grouped](Self::group).
    pub(crate) fn gather(&mut self) -> &mut Vec<Entry<E>> {
        &mut self.gathered
    }

    /// Groups what was gathered, by owner.
    pub(crate) fn group(&mut self) {
        if self.gathered.len() * OWNERS_PER_EVENT < self.places.len() {
            self.sort_by_owner();
        } else {
            self.count_by_owner();
        }
        self.count = self.gathered.len();
        self.gathered.clear();
        self.turns.reverse();
    }

    fn sort_by_owner(&mut self) {
        self.gathered.sort_unstable_by_key(Entry::owner);
        self.grouped.clear();
        self.grouped.extend_from_slice(&self.gathered);
        let mut end = 0;
        for group in self.gathered.chunk_by(|one, next| one.owner() == next.owner()) {
            let begin = end;
            end += group.len() as u32;
            self.turns.push(Turn { owner: group[0].owner(), begin, end });
        }
    }

    fn count_by_owner(&mut self) {
        for entry in &self.gathered {
            self.places[entry.owner() as usize] += 1;
        }
        let mut end = 0;
        for (owner, place) in self.places.iter_mut().enumerate().filter(|(_, place)| **place > 0) {
            let begin = end;
            end += core::mem::replace(place, begin);
            self.turns.push(Turn { owner: owner as u32, begin, end });
        }
        if let Some(any) = self.gathered.first()
            && self.grouped.len() < self.gathered.len()
        {
            self.grouped.resize(self.gathered.len(), *any);
        }
        for entry in &self.gathered {
            let place = &mut self.places[entry.owner() as usize];
            self.grouped[*place as usize] = *entry;
            *place += 1;
        }
        for turn in &self.turns {
            self.places[turn.owner as usize] = 0;
        }
    }

    pub(crate) fn turns(&mut self) -> &mut [Turn] {
        &mut self.turns
    }

    /// The owner whose turn is next, and its events, in any order.
    #[inline]
    pub(crate) fn next_turn(&mut self) -> Option<(u32, &[Entry<E>])> {
        let Turn { owner, begin, end } = self.turns.pop()?;
        self.turn = begin as usize..end as usize;
        Some((owner, &self.grouped[self.turn.clone()]))
    }

    /// All that was planned for the window, turn by turn, and where the present turn's lies in it.
    pub(crate) fn all(&self) -> (&[Entry<E>], Range<usize>) {
        (&self.grouped[..self.count], self.turn.clone())
    }

    /// Whether no turn is to come.
    pub(crate) fn is_over(&self) -> bool {
        self.turns.is_empty()
    }

    /// All memory held for events, in entries.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.gathered.capacity() + self.grouped.capacity()
    }
}
