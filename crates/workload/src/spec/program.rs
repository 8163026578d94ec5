//! Programs of jobs as a scenario writes them: files, collectives by name, and sequences of both.
//!
//! Algorithms have the names of MPI libraries and of NCCL. Where two libraries have schedules of their own under one
//! name, the plain name is MPICH's, and Open MPI's has its library in front.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

use crate::job::collective::{
    AllGather, AllReduce, AllToAll, Barrier, Broadcast, CollectiveKind, FirstBlock, Folding, Numbering,
    Reduce, ReduceScatter,
};

/// The programs of a job's ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum ProgramSpec {
    /// From a text in GOAL, the Group Operation Assembly Language (Hoefler, Siebert, Lumsdaine, ICPP 2009).
    Goal {
        /// Name of the file, in the scenario's folder or below it.
        file: String,
        /// Time of `calc 1`, above 0. The file does not say; 1 ns if left out, as in traces of MPI.
        #[serde(default = "nanosecond")]
        calc_unit: Span,
    },
    /// All ranks get the sum of all vectors.
    AllReduce {
        /// The vector of a rank.
        bytes: Bytes,
        /// Schedule of the messages; `Ring` if left out.
        #[serde(default)]
        algorithm: AllReduceAlgorithm,
        /// Messages that each block is cut into; 1 if left out. A chunk waits for the same chunk of the step before.
        #[serde(default = "once")]
        #[schemars(range(min = 1))]
        chunks: u32,
        /// Parallel rings of `Ring` and `OpenMpiRing`, each with an equal part of every block; 1 if left out.
        #[serde(default = "once")]
        #[schemars(range(min = 1))]
        channels: u32,
        /// Ranks of a server in rings: channel c turns the order of ranks inside servers by c; 1, for equal rings, if
        /// left out.
        #[serde(default = "once")]
        #[schemars(range(min = 1))]
        server: u32,
        /// Number of ranks, from rank 0 on; each rank that has a host if left out.
        #[serde(default)]
        ranks: Option<u32>,
        /// Groups of ranks that each run the collective by themselves, at the same time; one if left out.
        #[serde(default)]
        group: Option<GroupSpec>,
    },
    /// Rank i gets block i of the sum of all vectors.
    ReduceScatter {
        /// The vector of a rank.
        bytes: Bytes,
        /// Schedule of the messages; `Ring` if left out.
        #[serde(default)]
        algorithm: ReduceScatterAlgorithm,
        /// Messages that each block is cut into; 1 if left out.
        #[serde(default = "once")]
        #[schemars(range(min = 1))]
        chunks: u32,
        /// Number of ranks, from rank 0 on; each rank that has a host if left out.
        #[serde(default)]
        ranks: Option<u32>,
        /// Groups of ranks that each run it by themselves, at the same time; one if left out.
        #[serde(default)]
        group: Option<GroupSpec>,
    },
    /// All ranks get the blocks of all.
    AllGather {
        /// The gathered vector: all blocks.
        bytes: Bytes,
        /// Schedule of the messages; `Ring` if left out.
        #[serde(default)]
        algorithm: AllGatherAlgorithm,
        /// Messages that each block is cut into; 1 if left out.
        #[serde(default = "once")]
        #[schemars(range(min = 1))]
        chunks: u32,
        /// Number of ranks, from rank 0 on; each rank that has a host if left out.
        #[serde(default)]
        ranks: Option<u32>,
        /// Groups of ranks that each run it by themselves, at the same time; one if left out.
        #[serde(default)]
        group: Option<GroupSpec>,
    },
    /// Rank i gets block i of each rank.
    AllToAll {
        /// All blocks of a rank, its own included.
        bytes: Bytes,
        /// Schedule of the messages; `Pairwise` if left out.
        #[serde(default)]
        algorithm: AllToAllAlgorithm,
        /// Messages that each block is cut into; 1 if left out.
        #[serde(default = "once")]
        #[schemars(range(min = 1))]
        chunks: u32,
        /// The first so many steps only, of 1 to p - 1; all if left out. In step s a rank sends to the s-th of the
        /// others. `Bruck` has none.
        #[serde(default)]
        steps: Option<u32>,
        /// Number of ranks, from rank 0 on; each rank that has a host if left out.
        #[serde(default)]
        ranks: Option<u32>,
        /// Groups of ranks that each run it by themselves, at the same time; one if left out.
        #[serde(default)]
        group: Option<GroupSpec>,
    },
    /// All ranks get the vector of the root.
    Broadcast {
        /// The vector.
        bytes: Bytes,
        /// Schedule of the messages; `Binomial` if left out.
        #[serde(default)]
        algorithm: BroadcastAlgorithm,
        /// Rank that has the vector, counted in its group; 0 if left out.
        #[serde(default)]
        root: u32,
        /// Messages that each block is cut into; 1 if left out.
        #[serde(default = "once")]
        #[schemars(range(min = 1))]
        chunks: u32,
        /// Number of ranks, from rank 0 on; each rank that has a host if left out.
        #[serde(default)]
        ranks: Option<u32>,
        /// Groups of ranks that each run it by themselves, at the same time; one if left out.
        #[serde(default)]
        group: Option<GroupSpec>,
    },
    /// The root gets the sum of all vectors.
    Reduce {
        /// The vector.
        bytes: Bytes,
        /// Schedule of the messages; `Binomial` if left out.
        #[serde(default)]
        algorithm: ReduceAlgorithm,
        /// Rank that gets the sum, counted in its group; 0 if left out.
        #[serde(default)]
        root: u32,
        /// Messages that each block is cut into; 1 if left out.
        #[serde(default = "once")]
        #[schemars(range(min = 1))]
        chunks: u32,
        /// Number of ranks, from rank 0 on; each rank that has a host if left out.
        #[serde(default)]
        ranks: Option<u32>,
        /// Groups of ranks that each run it by themselves, at the same time; one if left out.
        #[serde(default)]
        group: Option<GroupSpec>,
    },
    /// No rank ends before all have begun.
    Barrier {
        /// Schedule of the messages, which have no payload; `Dissemination` if left out.
        #[serde(default)]
        algorithm: BarrierAlgorithm,
        /// Number of ranks, from rank 0 on; each rank that has a host if left out.
        #[serde(default)]
        ranks: Option<u32>,
        /// Groups of ranks that each run it by themselves, at the same time; one if left out.
        #[serde(default)]
        group: Option<GroupSpec>,
    },
    /// Each rank computes for this time, on its only processor: computations of a rank take turns.
    Compute(Span),
    /// One program after the other: a rank begins the next one when all its own operations of the one before have
    /// ended.
    Sequence(Vec<Self>),
    /// Programs that begin together, such as a computation that hides a collective; computations take turns all the
    /// same. Ends when all have ended.
    Parallel(Vec<Self>),
    /// Microbatches through the stages of a pipeline, forwards and then backwards. Stage s of S begins with S - s - 1
    /// forward passes, goes on with a forward and a backward pass in turn, and ends with backward passes: 1F1B
    /// (Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC 2021).
    Pipeline {
        /// Stages of a pipeline: `size` of them, `stride` ranks apart.
        group: GroupSpec,
        /// Number of microbatches.
        #[schemars(range(min = 1))]
        microbatches: u32,
        /// Activations of a microbatch from a stage to the next, and gradients back.
        bytes: Bytes,
        /// Forward pass of a microbatch at a stage.
        forward: Box<Self>,
        /// Backward pass of a microbatch at a stage.
        backward: Box<Self>,
        /// Number of ranks, from rank 0 on; each rank that has a host if left out.
        #[serde(default)]
        ranks: Option<u32>,
    },
}

/// Groups of ranks with a constant distance from one member to the next, as tensor, pipeline and data parallelism have
/// them.
///
/// Ranks 0, s, 2 s, .. (n - 1) s for a stride s and a size n are a group, 1, 1 + s, .. the next one; n s ranks make s
/// groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "RankGroup")]
pub struct GroupSpec {
    /// Ranks of a group.
    #[schemars(range(min = 2))]
    pub size: u32,
    /// Ranks from one member to the next; 1 if left out.
    #[serde(default = "once")]
    #[schemars(range(min = 1))]
    pub stride: u32,
}

/// Algorithms of an all-reduce of n bytes over p ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum AllReduceAlgorithm {
    /// Ring of NCCL and MPICH: 2 (p-1) messages of n/p bytes a rank, all to the same neighbour.
    #[default]
    Ring,
    /// Ring of Open MPI: a rank sends its own block first.
    OpenMpiRing,
    /// Exchange of the whole vector in log2 p rounds.
    RecursiveDoubling,
    /// Halving, then gathering (Rabenseifner): `reduce_scatter_allgather` of MPICH.
    Rabenseifner,
    /// `rabenseifner` of Open MPI, which folds halves of the vector if p is no power of two.
    OpenMpiRabenseifner,
    /// `Tree` of NCCL: two binary trees, each with half of the vector. NCCL cuts it into pieces of at most 512 KiB (a
    /// slot of its buffer), and passes each on as it comes: `chunks` do so. With `chunks: 1` a rank has its whole half
    /// before it passes anything on, which at some MB takes several times as long.
    DoubleBinaryTree,
    /// Each rank sends to all others at once, twice: `direct` of ASTRA-sim.
    Direct,
    /// Rings inside groups of consecutive ranks, and between ranks of equal place in all groups.
    Hierarchical {
        /// Ranks of a group, such as the GPUs of a server; divides p.
        #[schemars(range(min = 1))]
        group: u32,
    },
}

/// Algorithms of a reduce-scatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ReduceScatterAlgorithm {
    /// Ring of NCCL and Open MPI.
    #[default]
    Ring,
    /// Halving over distances p/2, p/4, .. (MPICH, Open MPI).
    RecursiveHalving,
    /// Step s sends a block to rank i+s once both messages of the step before have ended (MPICH).
    Pairwise,
    /// All blocks at once.
    Direct,
}

/// Algorithms of an all-gather.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AllGatherAlgorithm {
    /// Ring of NCCL, Open MPI and MPICH.
    #[default]
    Ring,
    /// Bruck (Open MPI, MPICH).
    Bruck,
    /// Recursive doubling, of a power of two of ranks.
    RecursiveDoubling,
    /// A rank's block to all others at once: `linear` of Open MPI.
    Direct,
}

/// Algorithms of an all-to-all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum AllToAllAlgorithm {
    /// Step s sends to i+s and receives from i-s (Open MPI).
    #[default]
    Pairwise,
    /// Step s exchanges with i xor s if the ranks are a power of two: `pairwise` of MPICH.
    PairwiseXor,
    /// All messages at once, to i+1, i+2, ...
    Direct,
    /// All messages at once, to i-1, i-2, ..: `linear` of Open MPI.
    Linear,
    /// As `Linear`, in batches that wait for the batch before: `scattered` of MPICH.
    Scattered {
        /// Messages of a batch; a rank's copy to itself counts as the first of all, as in MPICH.
        #[schemars(range(min = 1))]
        batch: u32,
    },
    /// Store and forward in log2 p rounds, rounded up (Bruck).
    Bruck,
    /// All messages at once, in the order of NCCL's schedule of pairs.
    Nccl {
        /// Ranks of a node; divides the ranks.
        #[schemars(range(min = 1))]
        node: u32,
    },
}

/// Algorithms of a broadcast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BroadcastAlgorithm {
    /// Binomial tree of MPICH: the parent lacks the lowest set bit of the child, and sends block.
    #[default]
    Binomial,
    /// Binomial tree of Open MPI: the parent lacks the highest set bit of the child.
    OpenMpiBinomial,
    /// Chain from rank to rank, with chunks as segments: `pipeline` of Open MPI, `Ring` of NCCL.
    Chain,
    /// From the root to each rank at once.
    Flat,
    /// Scatter, then all-gather by a ring.
    ScatterRing,
    /// Scatter, then all-gather by doubling, of a power of two of ranks.
    ScatterDoubling,
}

/// Algorithms of a reduce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ReduceAlgorithm {
    /// Binomial tree of MPICH, towards the root.
    #[default]
    Binomial,
    /// Binomial tree of Open MPI, towards the root.
    OpenMpiBinomial,
    /// Chain towards the root, with chunks as segments.
    Chain,
    /// From each rank to the root at once.
    Flat,
}

/// Algorithms of a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BarrierAlgorithm {
    /// Round k tells rank i + 2^k.
    #[default]
    Dissemination,
    /// Round k exchanges with rank i xor 2^k.
    RecursiveDoubling,
}

/// A collective as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenCollective {
    pub(crate) kind: CollectiveKind,
    pub(crate) bytes: Bytes,
    pub(crate) chunks: u32,
    pub(crate) steps: Option<u32>,
    pub(crate) ranks: Option<u32>,
    pub(crate) group: Option<GroupSpec>,
}

impl ProgramSpec {
    /// Returns the collective, if this is one; its channels and servers unchecked.
    pub(crate) fn collective(&self) -> Option<WrittenCollective> {
        Some(match *self {
            Self::AllReduce { bytes, algorithm, chunks, channels, server, ranks, group } => {
                let kind = CollectiveKind::AllReduce(algorithm.of(channels, server));
                WrittenCollective { kind, bytes, chunks, steps: None, ranks, group }
            }
            Self::ReduceScatter { bytes, algorithm, chunks, ranks, group } => WrittenCollective {
                kind: CollectiveKind::ReduceScatter(algorithm.into()),
                bytes,
                chunks,
                steps: None,
                ranks,
                group,
            },
            Self::AllGather { bytes, algorithm, chunks, ranks, group } => WrittenCollective {
                kind: CollectiveKind::AllGather(algorithm.into()),
                bytes,
                chunks,
                steps: None,
                ranks,
                group,
            },
            Self::AllToAll { bytes, algorithm, chunks, steps, ranks, group } => WrittenCollective {
                kind: CollectiveKind::AllToAll(algorithm.into()),
                bytes,
                chunks,
                steps,
                ranks,
                group,
            },
            Self::Broadcast { bytes, algorithm, root, chunks, ranks, group } => {
                let kind = CollectiveKind::Broadcast { algorithm: algorithm.into(), root };
                WrittenCollective { kind, bytes, chunks, steps: None, ranks, group }
            }
            Self::Reduce { bytes, algorithm, root, chunks, ranks, group } => {
                let kind = CollectiveKind::Reduce { algorithm: algorithm.into(), root };
                WrittenCollective { kind, bytes, chunks, steps: None, ranks, group }
            }
            Self::Barrier { algorithm, ranks, group } => {
                let kind = CollectiveKind::Barrier(algorithm.into());
                WrittenCollective { kind, bytes: Bytes::ZERO, chunks: 1, steps: None, ranks, group }
            }
            Self::Goal { .. }
            | Self::Compute(_)
            | Self::Sequence(_)
            | Self::Parallel(_)
            | Self::Pipeline { .. } => return None,
        })
    }
}

impl AllReduceAlgorithm {
    /// Returns true if the algorithm has channels.
    pub(crate) const fn is_ring(self) -> bool {
        matches!(self, Self::Ring | Self::OpenMpiRing)
    }

    const fn of(self, channels: u32, server: u32) -> AllReduce {
        match self {
            Self::Ring => AllReduce::Ring { first: FirstBlock::Before, channels, server },
            Self::OpenMpiRing => AllReduce::Ring { first: FirstBlock::Own, channels, server },
            Self::RecursiveDoubling => AllReduce::RecursiveDoubling,
            Self::Rabenseifner => AllReduce::Rabenseifner(Folding::Whole),
            Self::OpenMpiRabenseifner => AllReduce::Rabenseifner(Folding::Halves),
            Self::DoubleBinaryTree => AllReduce::DoubleTree,
            Self::Direct => AllReduce::Direct,
            Self::Hierarchical { group } => AllReduce::Hierarchical { group },
        }
    }
}

impl From<ReduceScatterAlgorithm> for ReduceScatter {
    fn from(algorithm: ReduceScatterAlgorithm) -> Self {
        match algorithm {
            ReduceScatterAlgorithm::Ring => Self::Ring,
            ReduceScatterAlgorithm::RecursiveHalving => Self::RecursiveHalving,
            ReduceScatterAlgorithm::Pairwise => Self::Pairwise,
            ReduceScatterAlgorithm::Direct => Self::Direct,
        }
    }
}

impl From<AllGatherAlgorithm> for AllGather {
    fn from(algorithm: AllGatherAlgorithm) -> Self {
        match algorithm {
            AllGatherAlgorithm::Ring => Self::Ring,
            AllGatherAlgorithm::Bruck => Self::Bruck,
            AllGatherAlgorithm::RecursiveDoubling => Self::RecursiveDoubling,
            AllGatherAlgorithm::Direct => Self::Direct,
        }
    }
}

impl From<AllToAllAlgorithm> for AllToAll {
    fn from(algorithm: AllToAllAlgorithm) -> Self {
        match algorithm {
            AllToAllAlgorithm::Pairwise => Self::Pairwise,
            AllToAllAlgorithm::PairwiseXor => Self::Xor,
            AllToAllAlgorithm::Direct => Self::Direct,
            AllToAllAlgorithm::Linear => Self::Linear,
            AllToAllAlgorithm::Scattered { batch } => Self::Scattered { batch },
            AllToAllAlgorithm::Bruck => Self::Bruck,
            AllToAllAlgorithm::Nccl { node } => Self::Nccl { node },
        }
    }
}

impl From<BroadcastAlgorithm> for Broadcast {
    fn from(algorithm: BroadcastAlgorithm) -> Self {
        match algorithm {
            BroadcastAlgorithm::Binomial => Self::Binomial(Numbering::LowestBit),
            BroadcastAlgorithm::OpenMpiBinomial => Self::Binomial(Numbering::HighestBit),
            BroadcastAlgorithm::Chain => Self::Chain,
            BroadcastAlgorithm::Flat => Self::Flat,
            BroadcastAlgorithm::ScatterRing => Self::ScatterRing,
            BroadcastAlgorithm::ScatterDoubling => Self::ScatterDoubling,
        }
    }
}

impl From<ReduceAlgorithm> for Reduce {
    fn from(algorithm: ReduceAlgorithm) -> Self {
        match algorithm {
            ReduceAlgorithm::Binomial => Self::Binomial(Numbering::LowestBit),
            ReduceAlgorithm::OpenMpiBinomial => Self::Binomial(Numbering::HighestBit),
            ReduceAlgorithm::Chain => Self::Chain,
            ReduceAlgorithm::Flat => Self::Flat,
        }
    }
}

impl From<BarrierAlgorithm> for Barrier {
    fn from(algorithm: BarrierAlgorithm) -> Self {
        match algorithm {
            BarrierAlgorithm::Dissemination => Self::Dissemination,
            BarrierAlgorithm::RecursiveDoubling => Self::RecursiveDoubling,
        }
    }
}

const fn nanosecond() -> Span {
    Span::from_ns(1)
}

/// Default of counts.
pub(super) const fn once() -> u32 {
    1
}
