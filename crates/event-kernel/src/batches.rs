//! The events of the open window, a batch for each owner.
//!
//! Invariant: batches that are not current yet are complete; their events are in any order. The current batch is
//! sorted.

use core::ops::Range;

use crate::Owned;
use crate::keyed_event::{KeyedEvent, NO_KEY};

/// All events of an owner in the open window.
#[derive(Clone, Copy, Debug)]
pub struct OwnerBatch {
    owner: u32,
    /// Range of its events in the window.
    begin: u32,
    end: u32,
}

impl OwnerBatch {
    /// Returns a batch of an owner. Its events are not placed yet.
    const fn of(owner: u32) -> Self {
        Self { owner, begin: 0, end: 0 }
    }
}

/// Ratio of owners to events above which asking each owner costs more than listing those with events.
const OWNERS_PER_EVENT: usize = 3;

/// Most events that are sorted by owner instead of counted: a window of a small fabric has two or three.
const FEW: usize = 12;

/// Most places, for each event, that events may move while a batch is sorted by insertion. More than nearly sorted
/// batches need.
const MOVES_PER_EVENT: usize = 8;

pub(crate) struct WindowBatches<E> {
    /// Events of the window by owner, unused beyond `count`; or in the order of their times.
    events: Vec<KeyedEvent<E>>,
    count: usize,
    /// True if the events, of the current batch and of the rest, are in the order of their times.
    is_in_order: bool,
    /// Events of the current batch that have not come out, as a range of `events`.
    current: Range<usize>,
    /// While events are grouped, the number of each owner's events, then the index of its next event; otherwise zero.
    next_index: Box<[u32]>,
    /// Batches that are not current yet, the last at the front.
    batches: Vec<OwnerBatch>,
}

impl<E: Copy + Owned> WindowBatches<E> {
    /// Creates batches for this number of owners.
    pub(crate) fn new(owners: usize) -> Self {
        Self {
            events: Vec::new(),
            count: 0,
            is_in_order: false,
            current: 0..0,
            next_index: vec![0; owners].into(),
            batches: Vec::new(),
        }
    }

    /// Makes batches of `count` events, which come in pieces. Each piece comes with the time in ps from the window's
    /// start to the origin of its keys. The events follow `before` events that have been grouped in the same window.
    /// Returns true if the batches of the first `leaves` owners follow all other batches.
    pub(crate) fn group<'a>(
        &mut self,
        leaves: u32,
        (before, count): (usize, usize),
        pieces: impl Iterator<Item = (u64, &'a [KeyedEvent<E>])> + Clone,
    ) -> bool
    where
        E: 'a,
    {
        self.count = before + count;
        self.current = before..before;
        if count <= FEW {
            self.group_few(before, pieces);
            return false;
        }
        let filler = pieces.clone().next().and_then(|(_, events)| events.first());
        // Every slot needs some event until its own is placed.
        if let Some(any) = filler
            && self.events.len() < self.count
        {
            self.events.resize(self.count, KeyedEvent { key: NO_KEY, event: any.event });
        }
        let are_listed = count * OWNERS_PER_EVENT < self.next_index.len();
        if are_listed {
            self.count_and_list_owners(pieces.clone());
        } else {
            self.count_by_owner(leaves, pieces.clone());
        }
        // From here on `next_index` has the place for each owner's next event, instead of their number.
        let mut end = before as u32;
        for batch in &mut self.batches {
            batch.begin = end;
            end += core::mem::replace(&mut self.next_index[batch.owner as usize], end);
            batch.end = end;
        }
        for (since_start, events) in pieces {
            for entry in events {
                let index = &mut self.next_index[entry.event.owner() as usize];
                self.events[*index as usize] = entry.since_earlier(since_start);
                *index += 1;
            }
        }
        // Only the owners with events are visited: most owners have none.
        for batch in &self.batches {
            self.next_index[batch.owner as usize] = 0;
        }
        self.batches.reverse();
        !are_listed
    }

    /// Makes batches of few events: sorts them by owner and key on their way in.
    fn group_few<'a>(&mut self, before: usize, pieces: impl Iterator<Item = (u64, &'a [KeyedEvent<E>])>)
    where
        E: 'a,
    {
        let mut end = before;
        for (since_start, events) in pieces {
            for entry in events {
                let entry = entry.since_earlier(since_start);
                let rank = (entry.event.owner(), entry.key);
                let mut place = end;
                if end == self.events.len() {
                    self.events.push(entry);
                }
                while place > before {
                    let other = self.events[place - 1];
                    if (other.event.owner(), other.key) <= rank {
                        break;
                    }
                    self.events[place] = other;
                    place -= 1;
                }
                self.events[place] = entry;
                end += 1;
            }
        }
        // The last batch comes first, as `batches` has them.
        while end > before {
            let owner = self.events[end - 1].event.owner();
            let mut begin = end - 1;
            while begin > before && self.events[begin - 1].event.owner() == owner {
                begin -= 1;
            }
            self.batches.push(OwnerBatch { owner, begin: begin as u32, end: end as u32 });
            end = begin;
        }
    }

    /// Counts each owner's events. Lists the owners in the order of their first events.
    fn count_and_list_owners<'a>(&mut self, pieces: impl Iterator<Item = (u64, &'a [KeyedEvent<E>])>)
    where
        E: 'a,
    {
        for (_, events) in pieces {
            for entry in events {
                let owner = entry.event.owner();
                let count = &mut self.next_index[owner as usize];
                if *count == 0 {
                    self.batches.push(OwnerBatch::of(owner));
                }
                *count += 1;
            }
        }
    }

    /// Counts each owner's events. Lists the owners in the order of their numbers, and so of their memory, but leaves
    /// last.
    fn count_by_owner<'a>(&mut self, leaves: u32, pieces: impl Iterator<Item = (u64, &'a [KeyedEvent<E>])>)
    where
        E: 'a,
    {
        for (_, events) in pieces {
            for entry in events {
                self.next_index[entry.event.owner() as usize] += 1;
            }
        }
        let (of_leaves, of_others) = self.next_index.split_at(leaves as usize);
        for (first, counts) in [(leaves as usize, of_others), (0, of_leaves)] {
            let with_events = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            self.batches.extend(with_events.map(|(owner, _)| OwnerBatch::of((first + owner) as u32)));
        }
    }

    /// Returns the events, in order, that are in no batch yet; none outside a [service in order](crate::queue).
    #[inline]
    pub(crate) fn rest(&self) -> &[KeyedEvent<E>] {
        if self.is_in_order { &self.events[self.current.end..] } else { &[] }
    }

    /// Inserts an event into the rest, which is in the order of times, owners and keys; or into the current batch.
    #[inline]
    pub(crate) fn insert(&mut self, entry: KeyedEvent<E>, is_of_batch: bool) {
        if is_of_batch {
            return self.insert_into_batch(entry);
        }
        self.events.push(entry);
        let mut place = self.events.len() - 1;
        // Most events belong near the end.
        while place > self.current.end && comes_before(&entry, &self.events[place - 1]) {
            self.events[place] = self.events[place - 1];
            place -= 1;
        }
        self.events[place] = entry;
    }

    /// Inserts an event of the instant and owner of the current batch.
    #[inline(never)] // Few timers expire at once.
    fn insert_into_batch(&mut self, entry: KeyedEvent<E>) {
        let batch = &self.events[self.current.clone()];
        let place = self.current.start + batch.partition_point(|other| other.key < entry.key);
        self.events.insert(place, entry);
        self.current.end += 1;
    }

    /// Makes the first events of the rest the current batch: all events of the first instant and owner. Returns the
    /// owner; `None` if the events are not before `end_key`.
    #[inline]
    pub(crate) fn next_in_order(&mut self, end_key: u64) -> Option<u32> {
        let rest = &self.events[self.current.end..];
        let first = rest.first().filter(|first| first.key < end_key)?;
        let owner = first.event.owner();
        let is_same = |other: &&KeyedEvent<E>| other.is_of_instant(first) && other.event.owner() == owner;
        let more = rest[1..].iter().take_while(is_same).count();
        self.current = self.current.end..self.current.end + 1 + more;
        Some(owner)
    }

    /// Forgets the events that have come out, before further events are inserted in order.
    #[inline]
    pub(crate) fn forget_done(&mut self) {
        let done = if self.is_in_order { self.current.end } else { self.events.len() };
        self.events.drain(..done);
        self.current = 0..0;
        self.is_in_order = true;
    }

    /// Forgets all events, before others are grouped.
    pub(crate) fn forget_all(&mut self) {
        self.events.clear();
        self.current = 0..0;
        self.is_in_order = false;
    }

    /// Returns the batches that are not current yet, the last at the front.
    pub(crate) fn batches(&mut self) -> &mut [OwnerBatch] {
        &mut self.batches
    }

    /// Makes the next batch current, and returns its owner.
    #[inline]
    pub(crate) fn next_batch(&mut self) -> Option<u32> {
        let OwnerBatch { owner, begin, end } = self.batches.pop()?;
        self.current = begin as usize..end as usize;
        sort_nearly_sorted(&mut self.events[self.current.clone()]);
        Some(owner)
    }

    /// Returns the least key of the current batch, or [`NO_KEY`] if all its events have come out.
    #[inline]
    pub(crate) fn least_key(&self) -> u64 {
        let Range { start, end } = self.current;
        if start < end { self.events[start].key } else { NO_KEY }
    }

    /// Takes the event of the current batch with the least key. The batch has an event.
    #[inline]
    pub(crate) fn pop(&mut self) -> KeyedEvent<E> {
        let entry = self.events[self.current.start];
        self.current.start += 1;
        entry
    }

    /// Returns the number of events of the current batch that have not come out.
    #[inline]
    pub(crate) fn current_len(&self) -> usize {
        self.current.len()
    }

    /// Returns the number of events in batches that are not current yet.
    pub(crate) fn waiting_len(&self) -> usize {
        self.batches.iter().map(|batch| (batch.end - batch.begin) as usize).sum()
    }

    /// Returns the events that have been grouped, batch by batch.
    pub(crate) fn all(&self) -> &[KeyedEvent<E>] {
        &self.events[..self.count]
    }

    /// Returns the end of the current batch among [`all`](Self::all) events.
    #[inline]
    pub(crate) fn batch_end(&self) -> usize {
        self.current.end
    }

    /// Returns true if no further batch is left.
    pub(crate) fn is_done(&self) -> bool {
        self.batches.is_empty()
    }

    /// Returns the memory allocated for events, in entries.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.events.capacity()
    }
}

/// Returns true if an event comes before another in the order of times, owners and keys.
#[inline(always)]
fn comes_before<E: Copy + Owned>(event: &KeyedEvent<E>, other: &KeyedEvent<E>) -> bool {
    if event.is_of_instant(other) {
        (event.event.owner(), event.key) < (other.event.owner(), other.key)
    } else {
        event.key < other.key
    }
}

/// Sorts the events of a batch by key. Buckets are shorter than a window, and come in order. An event is therefore few
/// places away from its own, and insertion is the fastest way. Otherwise, as for thousands of simultaneous events, the
/// standard library's sort takes over.
#[inline(always)]
fn sort_nearly_sorted<E: Copy>(events: &mut [KeyedEvent<E>]) {
    let mut moves = events.len() * MOVES_PER_EVENT;
    for next in 1..events.len() {
        let entry = events[next];
        let mut place = next;
        while place > 0 && events[place - 1].key > entry.key {
            events[place] = events[place - 1];
            place -= 1;
        }
        events[place] = entry;
        let moved = next - place;
        if moved > moves {
            return events.sort_unstable_by_key(|entry| entry.key);
        }
        moves -= moved;
    }
}
