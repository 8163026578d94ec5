//! The events that the current owner has scheduled for itself in the open window.
//!
//! Invariant: events come out in ascending order of their keys.
//!
//! Most of them are scheduled nearly in order: a sorted list takes an event at its end, or a few places before it. An
//! event that would move more than [`NEAR`] others goes to a heap of *late* events. Insertion at any place would be
//! quadratic if thousands of events shared an owner and an instant.

use std::collections::{BinaryHeap, binary_heap::PeekMut};

use crate::earliest_first::EarliestFirst;
use crate::keyed_event::{KeyedEvent, NO_KEY};

/// Number of last events of the list among which a new event is inserted.
const NEAR: usize = 32;

/// Events that an owner has scheduled for itself.
pub(crate) struct OwnEvents<E> {
    /// In ascending order; those before `next` have come out.
    sorted: Vec<KeyedEvent<E>>,
    next: usize,
    late: BinaryHeap<EarliestFirst<KeyedEvent<E>>>,
}

impl<E: Copy> OwnEvents<E> {
    pub(crate) const fn new() -> Self {
        Self { sorted: Vec::new(), next: 0, late: BinaryHeap::new() }
    }

    /// Returns the number of events.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.sorted.len() - self.next + self.late.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: KeyedEvent<E>) {
        if self.next == self.sorted.len() {
            // All have come out, so that their memory is used again.
            self.sorted.clear();
            self.next = 0;
        } else if self.sorted.last().is_some_and(|last| last.key > entry.key) {
            return self.push_before_last(entry);
        }
        self.sorted.push(entry);
    }

    /// Adds an event that comes out before the last.
    #[inline(never)] // One event of eight.
    fn push_before_last(&mut self, entry: KeyedEvent<E>) {
        let first = self.sorted.len().saturating_sub(NEAR).max(self.next);
        let later = self.sorted[first..].iter().rev().take_while(|other| other.key > entry.key).count();
        let place = self.sorted.len() - later;
        if place > first || first == self.next {
            self.sorted.insert(place, entry);
        } else {
            self.late.push(EarliestFirst(entry));
        }
    }

    /// Returns the least key, or [`NO_KEY`] if there is no event.
    #[inline]
    pub(crate) fn least_key(&self) -> u64 {
        let sorted = self.sorted.get(self.next).map_or(NO_KEY, |entry| entry.key);
        if self.late.is_empty() { sorted } else { self.least_with_late(sorted) }
    }

    #[inline(never)] // Late events are rare.
    fn least_with_late(&self, sorted: u64) -> u64 {
        self.late.peek().map_or(sorted, |late| sorted.min(late.0.key))
    }

    /// Takes the event with the least key. Returns the [least key](Self::least_key) of the others as well.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(KeyedEvent<E>, u64)> {
        if !self.late.is_empty() {
            return self.pop_with_late();
        }
        let entry = *self.sorted.get(self.next)?;
        self.next += 1;
        Some((entry, self.sorted.get(self.next).map_or(NO_KEY, |entry| entry.key)))
    }

    #[inline(never)] // Late events are rare.
    fn pop_with_late(&mut self) -> Option<(KeyedEvent<E>, u64)> {
        let late = self.late.peek_mut()?;
        let entry = match self.sorted.get(self.next).filter(|sorted| sorted.key <= late.0.key) {
            None => PeekMut::pop(late).0,
            Some(sorted) => {
                drop(late); // So that the heap can be looked at below.
                self.next += 1;
                *sorted
            }
        };
        Some((entry, self.least_key()))
    }

    /// Returns the memory allocated for events, in entries.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.sorted.capacity() + self.late.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Keys pushed in any order, between pops, come out as from a sorted list of all that are in.
        #[test]
        fn events_come_out_in_order(keys in prop::collection::vec(prop::option::of(0u64..1000), 1..400)) {
            let (mut own, mut list) = (OwnEvents::new(), std::collections::BTreeMap::new());
            for (number, key) in keys.into_iter().enumerate() {
                if let Some(key) = key {
                    // Equal keys come out in any order, so all keys differ.
                    let key = key << 32 | number as u64;
                    own.push(KeyedEvent { key, event: number });
                    list.insert(key, number);
                } else {
                    prop_assert_eq!(own.least_key(), list.first_key_value().map_or(NO_KEY, |(key, _)| *key));
                    let first = list.pop_first();
                    let next = list.first_key_value().map_or(NO_KEY, |(key, _)| *key);
                    let popped = own.pop().map(|(entry, next)| ((entry.key, entry.event), next));
                    prop_assert_eq!(popped, first.map(|first| (first, next)));
                }
                prop_assert_eq!(own.len(), list.len());
            }
        }
    }
}
