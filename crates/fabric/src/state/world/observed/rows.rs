//! Answers to a question that each rank answers node by node, or flow by flow.
//!
//! Invariant: rows are read in the order in which ranks write them, and each once.

use packet::NodeId;
use state_codec::{StateReader, Value};

use crate::state::world::World;

/// Reads a value of another rank.
pub(crate) fn taken<T: Value>(from: &mut StateReader<'_>) -> T {
    T::take(from).expect("ranks are of one build")
}

/// The answers of all other ranks; none in a run by this process alone.
pub(crate) struct Rows<'w> {
    world: &'w World<'w>,
    /// By rank.
    answers: Vec<Vec<u8>>,
    /// Bytes of each answer that are read.
    read: Vec<usize>,
}

impl<'w> Rows<'w> {
    pub(super) fn new(world: &'w World<'w>, answers: Vec<Vec<u8>>) -> Self {
        Self { world, read: vec![0; answers.len()], answers }
    }

    /// Returns the next row about a node: from the answer of its rank, or from `own` for a node of this process.
    pub(crate) fn next<T: Value>(&mut self, node: NodeId, own: impl FnOnce() -> T) -> T {
        self.of_other(node).unwrap_or_else(own)
    }

    /// Returns the next row about a node; `None` for a node of this process.
    pub(super) fn of_other<T: Value>(&mut self, node: NodeId) -> Option<T> {
        self.world.rank_of(node).map(|rank| self.take(rank))
    }

    /// Returns the next row of each other rank.
    pub(crate) fn of_others<T: Value>(&mut self) -> impl Iterator<Item = T> {
        (1..self.answers.len()).map(|rank| self.take(rank))
    }

    fn take<T: Value>(&mut self, rank: usize) -> T {
        let mut from = StateReader::new(&self.answers[rank][self.read[rank]..]);
        let value = taken(&mut from);
        self.read[rank] = self.answers[rank].len() - from.remaining();
        value
    }
}
