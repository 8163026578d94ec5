//! Collectives as formulas: the operations of a rank, their messages, and their order.
//!
//! Each rank's operations are numbered lane by lane, and in a lane phase by phase. A lane carries a part of every
//! block: channels and chunks are lanes. Nothing is stored for a message, so that 11,664 ranks of an all-to-all take no
//! more memory than two; [`Collective::graph`] lists the operations where a list is wanted.
//!
//! A block without bytes is a message of 0 bytes, which MPICH leaves out of halving.
//!
//! Invariant: an operation waits for operations of lower numbers of its own lane only. Sends and receives of a pair of
//! ranks have a tag for each lane and label, and match in order.
//!
//! | module | contents |
//! |---|---|
//! | [`kind`] | collectives and algorithms by the names of libraries |
//! | `error` | settings that cannot be run |
//! | `split` | bytes of blocks and lanes |
//! | `phase` | phases of equal steps, and the message of a step |
//! | `lane` | numbers of operations, and their order |
//! | `ring_steps`, `cut` | messages of rings by step; the first steps of an all-to-all |
//! | `fold`, `tree` | ranks that are no power of two; binomial trees |
//! | `ring`, `doubling`, `halving`, `rabenseifner`, `double_tree`, `hierarchical`, `direct` | schedules that reduce |
//! | `bruck`, `exchange`, `broadcast`, `barrier` | other schedules |
//! | `algorithm` | the closed set of schedules |
//!
//! ```
//! use workload::job::collective::{AllReduce, Collective, CollectiveKind, FirstBlock};
//!
//! let ring = AllReduce::Ring { first: FirstBlock::Before, channels: 1, server: 1 };
//! let collective = Collective::new(CollectiveKind::AllReduce(ring), 16, 1 << 20, 1)?;
//! assert_eq!(collective.messages(), 16 * 2 * 15);
//! # Ok::<(), workload::job::collective::CollectiveError>(())
//! ```

mod algorithm;
mod barrier;
mod broadcast;
mod bruck;
mod cut;
mod direct;
mod double_tree;
mod doubling;
mod error;
mod exchange;
mod fold;
mod halving;
mod hierarchical;
pub mod kind;
mod lane;
mod phase;
mod rabenseifner;
mod ring;
mod ring_steps;
mod split;
#[cfg(test)]
mod tests;
mod tree;

pub use error::CollectiveError;
pub use kind::{
    AllGather, AllReduce, AllToAll, Barrier, Broadcast, CollectiveKind, FirstBlock, Folding, Numbering,
    Reduce, ReduceScatter,
};
pub(super) use ring_steps::LaneOfRing;

use smallvec::SmallVec;
use units::Span;

use self::algorithm::Algorithm;
use self::lane::{Lane, Role};
use self::phase::{At, Content, Schedule, Side, Transfer};
use self::split::Split;
use super::operation::{Operation, OperationId, Work};
use crate::limits::LONGEST_MESSAGE;

/// A collective of a number of ranks.
#[derive(Clone, Debug)]
pub struct Collective {
    kind: CollectiveKind,
    ranks: u32,
    bytes: u64,
    lanes: u32,
    algorithm: Algorithm,
}

impl PartialEq for Collective {
    /// The algorithm follows from kind, ranks and steps.
    fn eq(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.kind, one.ranks, one.bytes, one.lanes, one.cut());
        key(self) == key(other)
    }
}

impl Eq for Collective {}

/// A lane of a rank.
struct RankLane {
    lane: u32,
    /// Number of the lane's first operation.
    first: OperationId,
    operations: Lane,
}

impl Collective {
    /// A collective of `bytes`, as its kind counts them, with each block in `chunks` messages.
    ///
    /// # Errors
    ///
    /// The kind does not take this number of ranks, a field is 0 or outside its range, chunks have no bytes, a message
    /// is longer than 2^31 bytes, or operations exceed their numbers.
    pub fn new(kind: CollectiveKind, ranks: u32, bytes: u64, chunks: u32) -> Result<Self, CollectiveError> {
        if ranks < 2 {
            return Err(CollectiveError::TooFewRanks { ranks });
        }
        if chunks == 0 {
            return Err(CollectiveError::Zero { field: "chunks" });
        }
        let algorithm = Algorithm::new(kind, ranks)?;
        let lanes = u64::from(chunks) * u64::from(algorithm::lanes_of_chunk(kind));
        let block = bytes.div_ceil(u64::from(algorithm.blocks()));
        if chunks > 1 && lanes > block {
            return Err(CollectiveError::TooManyChunks { lanes, block });
        }
        let too_many = |numbers| CollectiveError::TooManyOperations { lanes, numbers };
        let tags = lanes * u64::from(algorithm.labels());
        let narrow =
            u32::try_from(lanes).ok().filter(|_| tags < u64::from(u32::MAX)).ok_or_else(|| too_many(tags))?;
        let collective = Self { kind, ranks, bytes, lanes: narrow, algorithm };
        let operations = (0..ranks).map(|rank| collective.count(rank)).max().unwrap_or(0);
        if operations >= u64::from(u32::MAX) {
            return Err(too_many(operations));
        }
        let longest = collective.longest_message();
        if longest > LONGEST_MESSAGE.get() {
            let chunks = u64::from(chunks) * longest.div_ceil(LONGEST_MESSAGE.get());
            return Err(CollectiveError::MessageTooLong { bytes: longest, chunks });
        }
        Ok(collective)
    }

    /// Returns the kind.
    #[must_use]
    pub const fn kind(&self) -> CollectiveKind {
        self.kind
    }

    /// Returns the number of ranks, at least 2.
    #[must_use]
    pub const fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Returns the bytes, as the kind counts them.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of lanes: channels times chunks, and twice that for a double tree.
    #[must_use]
    pub const fn lanes(&self) -> u32 {
        self.lanes
    }

    /// Returns the number of tags: messages have the numbers below.
    #[must_use]
    pub fn tags(&self) -> u32 {
        self.lanes * self.algorithm.labels()
    }

    /// Returns the number of operations of a rank.
    #[must_use]
    pub fn operations(&self, rank: u32) -> u32 {
        u32::try_from(self.count(rank)).expect("checked by `new`")
    }

    /// Returns an operation of a rank, on cpu 0 and nic 0.
    #[must_use]
    pub fn operation(&self, rank: u32, id: OperationId) -> Operation {
        let Some((lane, side, Transfer { peer, label, content, .. })) = self.transfer(rank, id) else {
            return Work::Compute { span: Span::from_ps(0) }.on_cpu(0);
        };
        let (bytes, tag) = (self.content_bytes(content, lane), lane * self.algorithm.labels() + label);
        match side {
            Side::Send => Work::Send { to: peer, bytes, tag }.on_cpu(0),
            Side::Receive => Work::Receive { from: Some(peer), bytes, tag: Some(tag) }.on_cpu(0),
        }
    }

    /// Returns the operations that an operation waits for. Their number is at most 2, except for joins of length 0.
    #[must_use]
    pub fn before(&self, rank: u32, id: OperationId) -> SmallVec<[OperationId; 4]> {
        let at = self.find(rank, id);
        at.operations.before(id - at.first).into_iter().map(|before| at.first + before).collect()
    }

    /// Returns the number of operations that an operation waits for.
    #[must_use]
    pub fn predecessors(&self, rank: u32, id: OperationId) -> u32 {
        let at = self.find(rank, id);
        at.operations.predecessors(id - at.first)
    }

    /// Calls `then` with each operation that waits for the end of `id`, in order. Allocates nothing.
    pub fn for_each_after(&self, rank: u32, id: OperationId, mut then: impl FnMut(OperationId)) {
        let at = self.find(rank, id);
        at.operations.for_each_after(id - at.first, |after| then(at.first + after));
    }

    /// Returns the operations without predecessors, in order.
    pub fn roots(&self, rank: u32) -> impl Iterator<Item = OperationId> {
        self.all_lanes(rank).flat_map(|at| {
            let all = 0..at.operations.operations();
            let roots = all.take_while(move |id| at.operations.predecessors(*id) == 0);
            roots.map(move |id| at.first + id)
        })
    }

    /// Returns the number of messages that a rank sends.
    #[must_use]
    pub fn sends(&self, rank: u32) -> u64 {
        self.by_variant(rank).map(|(lane, lanes)| u64::from(lane.sends()) * u64::from(lanes)).sum()
    }

    /// Returns the number of messages of all ranks.
    #[must_use]
    pub fn messages(&self) -> u64 {
        (0..self.ranks).map(|rank| self.sends(rank)).sum()
    }

    /// Returns the bytes that a rank sends. The time is proportional to its operations.
    #[must_use]
    pub fn sent_bytes(&self, rank: u32) -> u64 {
        (0..self.operations(rank)).map(|id| sent(self.operation(rank, id))).sum()
    }

    /// Returns the lane, side and message of an operation; `None` for a join.
    fn transfer(&self, rank: u32, id: OperationId) -> Option<(u32, Side, Transfer)> {
        let RankLane { lane, first, operations } = self.find(rank, id);
        let Role::Message { part, step, side } = operations.role(id - first) else { return None };
        Some((lane, side, self.algorithm.transfer(At { rank, lane, part, step }, side)))
    }

    /// Returns the bytes of the longest message: lane 0 is never the shortest.
    fn longest_message(&self) -> u64 {
        if self.bytes <= LONGEST_MESSAGE.get() {
            return self.bytes.div_ceil(u64::from(self.lanes));
        }
        if matches!(self.algorithm, Algorithm::Ring(_) | Algorithm::Direct(_) | Algorithm::Exchange(_)) {
            return self.content_bytes(Content::block(0), 0);
        }
        let first_lanes = (0..self.ranks).map(|rank| {
            let first = self.find(rank, 0).operations.operations();
            (0..first).map(|id| sent(self.operation(rank, id))).max()
        });
        first_lanes.max().flatten().unwrap_or(0)
    }

    fn count(&self, rank: u32) -> u64 {
        self.by_variant(rank).map(|(lane, lanes)| u64::from(lane.operations()) * u64::from(lanes)).sum()
    }

    /// Returns each variant of lanes, and the number of its lanes.
    fn by_variant(&self, rank: u32) -> impl Iterator<Item = (Lane, u32)> {
        let variants = self.algorithm.variants();
        let lane = move |variant| Lane::new(self.algorithm.phases(rank, variant));
        (0..variants).map(move |variant| (lane(variant), (self.lanes + variants - 1 - variant) / variants))
    }

    fn all_lanes(&self, rank: u32) -> impl Iterator<Item = RankLane> {
        let mut first = 0;
        (0..self.lanes).map(move |lane| {
            let operations = Lane::new(self.algorithm.phases(rank, lane));
            let length = operations.operations();
            first += length;
            RankLane { lane, first: first - length, operations }
        })
    }

    fn find(&self, rank: u32, id: OperationId) -> RankLane {
        let variants = self.algorithm.variants();
        let turn: u32 = self.by_variant(rank).map(|(lane, _)| lane.operations()).sum();
        let mut first = id / turn * turn;
        let mut lane = id / turn * variants;
        loop {
            let operations = Lane::new(self.algorithm.phases(rank, lane));
            if id < first + operations.operations() {
                return RankLane { lane, first, operations };
            }
            first += operations.operations();
            lane += 1;
            assert!(lane < self.lanes, "operation {id} is none of rank {rank}");
        }
    }

    fn content_bytes(&self, content: Content, lane: u32) -> u64 {
        let split = Split::new(self.bytes, self.algorithm.blocks());
        match content {
            Content::Blocks { first, count } => split.lane(lane, self.lanes, first, count),
            Content::Pair { to, .. } => split.lane(lane, self.lanes, to, 1),
            Content::Relayed { bit, .. } if self.bytes.is_multiple_of(u64::from(self.ranks)) => {
                let blocks = (0..self.ranks).filter(|distance| distance & bit != 0).count();
                blocks as u64 * split.lane(lane, self.lanes, 0, 1)
            }
            Content::Relayed { sender, bit } => {
                relayed(self.ranks, sender, bit).map(|(_, to)| split.lane(lane, self.lanes, to, 1)).sum()
            }
        }
    }
}

/// Returns the bytes that an operation sends.
const fn sent(operation: Operation) -> u64 {
    if let Work::Send { bytes, .. } = operation.work { bytes } else { 0 }
}

/// Returns the blocks (from, to) of [`Content::Relayed`].
fn relayed(ranks: u32, sender: u32, bit: u32) -> impl Iterator<Item = (u32, u32)> {
    let circle = phase::Circle(ranks);
    (0..ranks).filter(move |distance| distance & bit != 0).map(move |distance| {
        let from = circle.before(sender, distance & (bit - 1));
        (from, circle.after(from, distance))
    })
}
