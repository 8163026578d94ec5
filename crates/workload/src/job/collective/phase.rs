//! Schedules of collectives: phases of equal steps, and the message of each step.
//!
//! Invariant: a schedule is a formula. It stores no list of messages, and answers for any rank and step alone, so that
//! a rank of 11,664 costs as much as a rank of two.

use smallvec::SmallVec;

/// The phases of a rank in a lane, in order.
pub(super) type Phases = SmallVec<[Phase; 6]>;

/// Consecutive steps of the same form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    /// Number by which the schedule knows the phase.
    pub(super) part: u8,
    pub(super) motion: Motion,
    pub(super) order: Order,
    pub(super) steps: u32,
}

/// The messages of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    /// A send.
    Sends,
    /// A receive.
    Receives,
    /// A send and a receive; neither waits for the other.
    Exchanges,
}

/// The operations that a step waits for, besides the gate of the phases before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The receive of the step before.
    Chained,
    /// The receive and the send of the step before, as with blocking calls.
    Blocking,
    /// Nothing: all steps begin at once.
    Free,
    /// Nothing, and a join waits for all receives: a phase follows.
    FreeJoined,
    /// All of the batch of this many steps before; the first batch has a step less, if more than one.
    Batches(u32),
}

/// A message, as its sender or its receiver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transfer {
    /// The other rank.
    pub(super) peer: u32,
    /// Number of the message among all of a pair of ranks in a lane.
    pub(super) label: u32,
    pub(super) content: Content,
    pub(super) effect: Effect,
}

/// The data of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Blocks of the vector, which go on at block 0 after the last.
    Blocks { first: u32, count: u32 },
    /// The block of an all-to-all from a rank to another.
    Pair { from: u32, to: u32 },
    /// Blocks of Bruck's all-to-all that `sender` forwards in the round of `bit`: for each distance d with this bit
    /// set, the block that has travelled the lower bits of d and ends at distance d from its origin.
    Relayed { sender: u32, bit: u32 },
}

/// Effect of a message on its receiver's blocks. Sizes do not depend on it; tests of meaning do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Adds the sender's contributions to the receiver's.
    Combine,
    /// Replaces the receiver's blocks.
    Replace,
}

/// A side of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Send,
    Receive,
}

/// The algorithm of a collective.
pub(super) trait Schedule {
    /// Blocks of the vector.
    fn blocks(&self) -> u32;

    /// Labels are below this number.
    fn labels(&self) -> u32;

    /// Lanes in turn whose phases differ.
    fn variants(&self) -> u32 {
        1
    }

    /// The phases of a rank.
    fn phases(&self, rank: u32, lane: u32) -> Phases;

    /// The message of a step.
    fn transfer(&self, at: At, side: Side) -> Transfer;
}

/// A step of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub(super) rank: u32,
    pub(super) lane: u32,
    pub(super) part: u8,
    pub(super) step: u32,
}

impl Phase {
    pub(super) const fn sends(part: u8, steps: u32) -> Self {
        Self { part, motion: Motion::Sends, order: Order::Chained, steps }
    }

    pub(super) const fn receives(part: u8, steps: u32) -> Self {
        Self { part, motion: Motion::Receives, order: Order::Chained, steps }
    }

    pub(super) const fn exchanges(part: u8, steps: u32) -> Self {
        Self { part, motion: Motion::Exchanges, order: Order::Chained, steps }
    }

    pub(super) const fn in_order(self, order: Order) -> Self {
        Self { order, ..self }
    }
}

impl Content {
    pub(super) const fn block(block: u32) -> Self {
        Self::Blocks { first: block, count: 1 }
    }
}

/// Numbers of ranks on a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle(pub(super) u32);

impl Circle {
    /// Returns the rank `by` places after `rank`; `by` is at most the number of ranks.
    pub(super) const fn after(self, rank: u32, by: u32) -> u32 {
        ((rank as u64 + by as u64) % self.0 as u64) as u32
    }

    /// Returns the rank `by` places before `rank`.
    pub(super) const fn before(self, rank: u32, by: u32) -> u32 {
        self.after(rank, self.0 - by % self.0)
    }
}
