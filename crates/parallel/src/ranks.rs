//! Ranks: processes that work in step and exchange messages, each with memory of its own.
//!
//! Invariant: every rank takes part in every exchange. A message that is sent in an exchange is received in the same
//! exchange, by its receiver alone. No rank is ahead of another by more than an exchange.

use core::fmt::Debug;
use core::mem;
use core::ops::Range;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The ranks of a run, as a single rank sees them. Ranks are numbered from 0, without gaps.
///
/// ```
/// use parallel::{RanksInThreads, Ranks};
///
/// let [one, other] = RanksInThreads::new(2).try_into().expect("two ranks");
/// std::thread::scope(|scope| {
///     scope.spawn(move || other.exchange(&mut [b"to 0".to_vec(), Vec::new()]));
///     let mut messages = [Vec::new(), b"to 1".to_vec()];
///     one.exchange(&mut messages);
///     assert_eq!(messages[1], b"to 0");
/// });
/// ```
pub trait Ranks: Debug + Sync {
    /// Returns the number of this rank.
    fn rank(&self) -> usize;

    /// Returns the number of ranks, at least 1.
    fn count(&self) -> usize;

    /// Sends the message `messages[rank]` to each other rank, and puts the message that this rank sent in its place.
    /// Waits for all of them. The own message stays. Messages may be empty.
    ///
    /// # Panics
    /// If another rank has failed, or if there are not as many messages as ranks.
    fn exchange(&self, messages: &mut [Vec<u8>]);
}

/// Returns the parts of a rank, which are neighbours. Each rank has a part if there are as many parts as ranks.
#[must_use]
pub const fn parts_of(rank: usize, ranks: usize, parts: usize) -> Range<usize> {
    rank * parts / ranks..(rank + 1) * parts / ranks
}

/// Returns the rank that a part [belongs to](parts_of).
#[must_use]
pub const fn rank_of(part: usize, ranks: usize, parts: usize) -> usize {
    ((part + 1) * ranks - 1) / parts
}

/// Ranks that are threads of the same process, for tests.
#[derive(Debug)]
pub struct RanksInThreads {
    rank: usize,
    /// By receiver.
    to: Vec<Sender<Vec<u8>>>,
    /// By sender.
    from: Mutex<Vec<Receiver<Vec<u8>>>>,
}

impl RanksInThreads {
    /// Returns all ranks, by number.
    #[must_use]
    pub fn new(count: usize) -> Vec<Self> {
        let mut to: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        let mut from: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        for to in &mut to {
            for from in &mut from {
                let (sender, receiver) = channel();
                to.push(sender);
                from.push(receiver);
            }
        }
        let all = to.into_iter().zip(from).enumerate();
        all.map(|(rank, (to, from))| Self { rank, to, from: Mutex::new(from) }).collect()
    }
}

impl Ranks for RanksInThreads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.to.len()
    }

    fn exchange(&self, messages: &mut [Vec<u8>]) {
        assert_eq!(messages.len(), self.count(), "a message for each rank");
        let from = self.from.lock().expect("one thread exchanges the messages of a rank");
        let others = || (0..self.to.len()).filter(|rank| *rank != self.rank);
        // All messages are sent before any is awaited: two ranks that awaited each other first would never end.
        for rank in others() {
            let message = mem::take(&mut messages[rank]);
            self.to[rank].send(message).unwrap_or_else(|_| panic!("rank {rank} has ended"));
        }
        for rank in others() {
            messages[rank] = from[rank].recv().unwrap_or_else(|_| panic!("rank {rank} has ended"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_belongs_to_one_rank_and_no_rank_is_idle() {
        for ranks in 1..=6 {
            for parts in ranks..=20 {
                let all: Vec<_> = (0..ranks).map(|rank| parts_of(rank, ranks, parts)).collect();
                assert!(all.iter().all(|own| !own.is_empty()), "{all:?}");
                let owners: Vec<_> =
                    all.iter().enumerate().flat_map(|(rank, own)| own.clone().map(move |_| rank)).collect();
                let found: Vec<_> = (0..parts).map(|part| rank_of(part, ranks, parts)).collect();
                assert_eq!(found, owners, "{ranks} ranks, {parts} parts");
            }
        }
    }
}
