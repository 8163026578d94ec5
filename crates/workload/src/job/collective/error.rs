//! Faults in a collective.
//!
//! Invariant: a message names the wrong value, and a value to write instead.

/// A collective that cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollectiveError {
    /// A single rank, or none.
    #[error("a collective takes at least 2 ranks: {ranks} sends nothing")]
    TooFewRanks {
        /// Number of ranks.
        ranks: u32,
    },
    /// The algorithm takes a power of two.
    #[error(
        "recursive doubling of {ranks} ranks cannot gather: it takes {below} or {above} ranks, or another algorithm"
    )]
    NotPowerOfTwo {
        /// Number of ranks.
        ranks: u32,
        /// The power of two below.
        below: u32,
        /// The power of two above.
        above: u64,
    },
    /// Groups, servers or nodes of unequal size.
    #[error("groups of {group} ranks do not divide {ranks} ranks: {rest} are left")]
    Groups {
        /// Name of the field.
        field: &'static str,
        /// Ranks of a group.
        group: u32,
        /// Number of ranks.
        ranks: u32,
        /// Ranks outside full groups.
        rest: u32,
    },
    /// More steps than there are.
    #[error("the first {given} of {all} steps: at most all, which is the same without `steps`")]
    TooManySteps {
        /// Number of steps.
        given: u32,
        /// Steps of the collective.
        all: u32,
    },
    /// Steps of a schedule that is not divided into them.
    #[error(
        "`steps` are of an all-to-all by a message for each pair of ranks: Bruck's forwards messages of others"
    )]
    NoSteps,
    /// A group, batch, or number of channels or chunks of 0.
    #[error("`{field}` cannot be 0: 1 is the least")]
    Zero {
        /// Name of the field.
        field: &'static str,
    },
    /// The root is no rank.
    #[error("the root {root} is no rank of the job: its ranks are 0 to {last}", last = ranks - 1)]
    Root {
        /// Number of the root.
        root: u32,
        /// Number of ranks.
        ranks: u32,
    },
    /// Chunks without bytes.
    #[error("{lanes} chunks in all channels are too many for blocks of {block} B: at most one for each byte")]
    TooManyChunks {
        /// Channels times chunks.
        lanes: u64,
        /// Bytes of the longest block.
        block: u64,
    },
    /// A message that InfiniBand cannot carry.
    #[error("a message of {bytes} B is longer than 2^31 B: at least {chunks} chunks make it short enough")]
    MessageTooLong {
        /// Bytes of the longest message.
        bytes: u64,
        /// Chunks that are enough.
        chunks: u64,
    },
    /// More operations or tags than there are numbers.
    #[error("{lanes} chunks in all channels need {numbers} numbers for operations or tags: at most 2^32 - 2")]
    TooManyOperations {
        /// Channels times chunks.
        lanes: u64,
        /// Operations of a rank, or tags.
        numbers: u64,
    },
}
