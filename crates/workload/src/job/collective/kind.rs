//! Collectives by the names of libraries.
//!
//! Sources of names and schedules: MPICH (`MPIR_CVAR_*_INTRA_ALGORITHM`), Open MPI (`coll_tuned_*_algorithm`), NCCL
//! (`NCCL_ALGO`), ASTRA-sim.
//!
//! Invariant: every variant is a schedule of its own; none is chosen by size.

/// A collective and its algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveKind {
    /// All ranks get the sum of all vectors. Bytes: the vector of a rank.
    AllReduce(AllReduce),
    /// Rank i gets block i of the sum. Bytes: the vector of a rank.
    ReduceScatter(ReduceScatter),
    /// All ranks get the blocks of all. Bytes: the gathered vector.
    AllGather(AllGather),
    /// Rank i gets block i of each rank. Bytes: all blocks of a rank, its own included.
    AllToAll(AllToAll),
    /// All ranks get the vector of the root. Bytes: the vector.
    Broadcast {
        /// Algorithm.
        algorithm: Broadcast,
        /// Rank that has the vector.
        root: u32,
    },
    /// The root gets the sum of all vectors. Bytes: the vector.
    Reduce {
        /// Algorithm.
        algorithm: Reduce,
        /// Rank that gets the sum.
        root: u32,
    },
    /// No rank ends before all have begun. Bytes: each message, 0 in MPI.
    Barrier(Barrier),
}

/// Algorithms of an all-reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllReduce {
    /// Ring: `Ring` (NCCL), `ring` (Open MPI, MPICH). 2(p-1) messages of n/p bytes a rank.
    Ring {
        /// Block that a rank sends first.
        first: FirstBlock,
        /// Parallel rings, each with an equal part of every block.
        channels: u32,
        /// Ranks of a server: channel c turns the order inside servers by c ranks; 1 for equal rings.
        server: u32,
    },
    /// Exchange of the whole vector in log2 p rounds: `recursive_doubling` (Open MPI, MPICH).
    RecursiveDoubling,
    /// Halving and gathering: `rabenseifner` (Open MPI), `reduce_scatter_allgather` (MPICH).
    Rabenseifner(Folding),
    /// Double binary tree: `Tree` (NCCL). Each chunk has a half in either tree.
    DoubleTree,
    /// Each rank sends to all others at once, twice: `direct` (ASTRA-sim).
    Direct,
    /// Rings inside groups, and between groups.
    Hierarchical {
        /// Ranks of a group; divides the ranks.
        group: u32,
    },
}

/// Algorithms of a reduce-scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceScatter {
    /// Ring: `Ring` (NCCL), `ring` (Open MPI).
    Ring,
    /// Halving over distances p/2, p/4, ..: `recursive_halving` (MPICH, Open MPI). Folds unless a power of two.
    RecursiveHalving,
    /// Step s sends block i+s to its owner, after both messages of the step before: `pairwise` (MPICH).
    Pairwise,
    /// All blocks to their owners at once.
    Direct,
}

/// Algorithms of an all-gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllGather {
    /// Ring: `Ring` (NCCL), `ring` (Open MPI, MPICH).
    Ring,
    /// Bruck: `bruck` (Open MPI), `brucks` (MPICH).
    Bruck,
    /// Doubling: `recursive_doubling` (Open MPI, MPICH). A power of two.
    RecursiveDoubling,
    /// The rank's block to all others at once: `linear` or `direct-messaging` (Open MPI).
    Direct,
}

/// Algorithms of an all-to-all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllToAll {
    /// Step s sends to i+s and receives from i-s: `pairwise` (Open MPI).
    Pairwise,
    /// Step s exchanges with i xor s; as `Pairwise` unless the ranks are a power of two: `pairwise` (MPICH).
    Xor,
    /// All messages at once, to i+1, i+2, ...
    Direct,
    /// All messages at once, to i-1, i-2, ..: `linear` (Open MPI).
    Linear,
    /// As `Linear`, in batches that wait for the batch before: `scattered` (MPICH).
    Scattered {
        /// Steps of a batch; the copy to itself counts as the first step, as in MPICH.
        batch: u32,
    },
    /// Store and forward in ceil(log2 p) rounds: `modified_bruck` (Open MPI), `brucks` (MPICH).
    Bruck,
    /// All messages at once, in the order of NCCL's schedule of pairs.
    Nccl {
        /// Ranks of a node; divides the ranks.
        node: u32,
    },
}

/// Algorithms of a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broadcast {
    /// Binomial tree: `binomial` (MPICH by lowest bits and with blocking sends, Open MPI by highest bits).
    Binomial(Numbering),
    /// Chain, with chunks as segments: `chain` and `pipeline` (Open MPI), `Ring` (NCCL).
    Chain,
    /// From the root to each rank at once: `basic_linear` (Open MPI).
    Flat,
    /// Scatter and all-gather by a ring: `scatter_ring_allgather` (MPICH), `scatter_allgather_ring` (Open MPI).
    ScatterRing,
    /// Scatter and all-gather by doubling, a power of two: `scatter_recursive_doubling_allgather` (MPICH).
    ScatterDoubling,
}

/// Algorithms of a reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// Binomial tree, the broadcast backwards.
    Binomial(Numbering),
    /// Chain towards the root: `pipeline` (Open MPI), `Ring` (NCCL).
    Chain,
    /// From each rank to the root at once: `linear` (Open MPI).
    Flat,
}

/// Algorithms of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// Round k tells rank i + 2^k: `k_dissemination` (MPICH), `bruck` (Open MPI).
    Dissemination,
    /// Round k exchanges with i xor 2^k: `recursive_doubling` (Open MPI).
    RecursiveDoubling,
}

/// Block that rank i of a ring sends first in a reduce-scatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstBlock {
    /// Block i-1, so that the rank ends with block i (NCCL, MPICH).
    #[default]
    Before,
    /// Block i, so that the rank ends with block i+1 (Open MPI).
    Own,
}

/// Numbering of a binomial tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// The parent lacks the lowest set bit of the child; children in order of falling distance (MPICH).
    LowestBit,
    /// The parent lacks the highest set bit of the child; children in order of growing distance (Open MPI, Schedgen).
    HighestBit,
}

/// Folding of ranks that are no power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// The even rank of a pair sends the whole vector to the odd rank (MPICH).
    Whole,
    /// The ranks of a pair exchange halves, and the odd rank sends its sum to the even rank (Open MPI).
    Halves,
}
