//! Collectives of traces, and the algorithms that stand for them.
//!
//! Invariant: a trace has the type and bytes of a collective, never its algorithm: each kind has a single choice for
//! the whole job.
//!
//! | collective | bytes of `comm_size` | if left out |
//! |---|---|---|
//! | `ALL_REDUCE` | the vector of a rank | `ring` |
//! | `REDUCE_SCATTER` | the vector of a rank | `ring` |
//! | `ALL_GATHER` | the part of a rank | `ring` |
//! | `ALL_TO_ALL` | all that a rank sends, its own part included | `nccl` |
//! | `BROADCAST`, `REDUCE` | the vector | `chain` |
//! | `GATHER`, `SCATTER` | the part of a rank; the vector of the root | at once |
//! | `BARRIER` | each message | `dissemination` |
//!
//! These are NCCL's: `PyTorch`'s traces hold its kernels. NCCL has no barrier.

use workload::job::collective::{
    AllGather, AllReduce, AllToAll, Barrier, Broadcast, Collective, CollectiveError, CollectiveKind,
    FirstBlock, Folding, Numbering, Reduce, ReduceScatter,
};

/// Type of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollectiveType {
    /// `ALL_REDUCE`.
    AllReduce,
    /// `REDUCE`.
    Reduce,
    /// `ALL_GATHER`.
    AllGather,
    /// `GATHER`.
    Gather,
    /// `SCATTER`.
    Scatter,
    /// `BROADCAST`.
    Broadcast,
    /// `ALL_TO_ALL`.
    AllToAll,
    /// `REDUCE_SCATTER` and `REDUCE_SCATTER_BLOCK`.
    ReduceScatter,
    /// `BARRIER`.
    Barrier,
}

/// The algorithm of each kind of collective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Algorithms {
    all_reduce: AllReduce,
    reduce_scatter: ReduceScatter,
    all_gather: AllGather,
    all_to_all: AllToAll,
    broadcast: Broadcast,
    reduce: Reduce,
    barrier: Barrier,
    chunks: u32,
    /// Kinds that were chosen, and not left out.
    chosen: Vec<CollectiveType>,
}

/// A choice of an algorithm, as `all-reduce=ring` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    kind: CollectiveType,
    algorithm: CollectiveKind,
}

/// Words for kinds and algorithms. Algorithms with a parameter have its usual value.
const NAMES: [(&str, &str, CollectiveKind); 27] = [
    ("all-reduce", "ring", CollectiveKind::AllReduce(RING)),
    ("all-reduce", "recursive-doubling", CollectiveKind::AllReduce(AllReduce::RecursiveDoubling)),
    ("all-reduce", "rabenseifner", CollectiveKind::AllReduce(AllReduce::Rabenseifner(Folding::Halves))),
    ("all-reduce", "tree", CollectiveKind::AllReduce(AllReduce::DoubleTree)),
    ("all-reduce", "double-binary-tree", CollectiveKind::AllReduce(AllReduce::DoubleTree)),
    ("all-reduce", "direct", CollectiveKind::AllReduce(AllReduce::Direct)),
    ("reduce-scatter", "ring", CollectiveKind::ReduceScatter(ReduceScatter::Ring)),
    ("reduce-scatter", "recursive-halving", CollectiveKind::ReduceScatter(ReduceScatter::RecursiveHalving)),
    ("reduce-scatter", "pairwise", CollectiveKind::ReduceScatter(ReduceScatter::Pairwise)),
    ("reduce-scatter", "direct", CollectiveKind::ReduceScatter(ReduceScatter::Direct)),
    ("all-gather", "ring", CollectiveKind::AllGather(AllGather::Ring)),
    ("all-gather", "bruck", CollectiveKind::AllGather(AllGather::Bruck)),
    ("all-gather", "recursive-doubling", CollectiveKind::AllGather(AllGather::RecursiveDoubling)),
    ("all-gather", "direct", CollectiveKind::AllGather(AllGather::Direct)),
    ("all-to-all", "nccl", CollectiveKind::AllToAll(NCCL)),
    ("all-to-all", "pairwise", CollectiveKind::AllToAll(AllToAll::Pairwise)),
    ("all-to-all", "xor", CollectiveKind::AllToAll(AllToAll::Xor)),
    ("all-to-all", "direct", CollectiveKind::AllToAll(AllToAll::Direct)),
    ("all-to-all", "linear", CollectiveKind::AllToAll(AllToAll::Linear)),
    ("all-to-all", "bruck", CollectiveKind::AllToAll(AllToAll::Bruck)),
    ("broadcast", "chain", CollectiveKind::Broadcast { algorithm: Broadcast::Chain, root: 0 }),
    ("broadcast", "binomial", CollectiveKind::Broadcast { algorithm: BINOMIAL, root: 0 }),
    ("broadcast", "scatter-ring", CollectiveKind::Broadcast { algorithm: Broadcast::ScatterRing, root: 0 }),
    ("reduce", "chain", CollectiveKind::Reduce { algorithm: Reduce::Chain, root: 0 }),
    (
        "reduce",
        "binomial",
        CollectiveKind::Reduce { algorithm: Reduce::Binomial(Numbering::HighestBit), root: 0 },
    ),
    ("barrier", "dissemination", CollectiveKind::Barrier(Barrier::Dissemination)),
    ("barrier", "recursive-doubling", CollectiveKind::Barrier(Barrier::RecursiveDoubling)),
];
const RING: AllReduce = AllReduce::Ring { first: FirstBlock::Before, channels: 1, server: 1 };
const NCCL: AllToAll = AllToAll::Nccl { node: 1 };
const BINOMIAL: Broadcast = Broadcast::Binomial(Numbering::HighestBit);

impl Default for Algorithms {
    fn default() -> Self {
        Self {
            all_reduce: RING,
            reduce_scatter: ReduceScatter::Ring,
            all_gather: AllGather::Ring,
            all_to_all: NCCL,
            broadcast: Broadcast::Chain,
            reduce: Reduce::Chain,
            barrier: Barrier::Dissemination,
            chunks: 1,
            chosen: Vec::new(),
        }
    }
}

impl core::str::FromStr for Choice {
    type Err = String;

    /// Reads `KIND=ALGORITHM`, also as scenarios write both: `AllReduce=DoubleBinaryTree`. A message of an error says
    /// which there are.
    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, name) = text.split_once('=').unwrap_or((text, ""));
        let plain = |word: &str| word.replace('-', "").to_ascii_lowercase();
        let is_alike = |known: &str, given: &str| plain(known) == plain(given);
        let of_kind = || NAMES.iter().filter(|(known, ..)| is_alike(known, kind));
        if let Some((.., algorithm)) = of_kind().find(|(_, known, _)| is_alike(known, name)) {
            return Ok(Self { kind: type_of(*algorithm), algorithm: *algorithm });
        }
        let mut known: Vec<&str> = of_kind().map(|(_, name, _)| *name).collect();
        if known.is_empty() {
            known = NAMES.iter().map(|(kind, ..)| *kind).collect();
            known.dedup();
            return Err(format!("write KIND=ALGORITHM; kinds are {}", known.join(", ")));
        }
        Err(format!("algorithms of `{kind}` are {}", known.join(", ")))
    }
}

impl Algorithms {
    /// Algorithms with these choices, the last of a kind, and each block in a number of messages.
    #[must_use]
    pub fn new(choices: &[Choice], chunks: u32) -> Self {
        let mut algorithms = Self { chunks, ..Self::default() };
        for Choice { kind, algorithm } in choices {
            match *algorithm {
                CollectiveKind::AllReduce(algorithm) => algorithms.all_reduce = algorithm,
                CollectiveKind::ReduceScatter(algorithm) => algorithms.reduce_scatter = algorithm,
                CollectiveKind::AllGather(algorithm) => algorithms.all_gather = algorithm,
                CollectiveKind::AllToAll(algorithm) => algorithms.all_to_all = algorithm,
                CollectiveKind::Broadcast { algorithm, .. } => algorithms.broadcast = algorithm,
                CollectiveKind::Reduce { algorithm, .. } => algorithms.reduce = algorithm,
                CollectiveKind::Barrier(algorithm) => algorithms.barrier = algorithm,
            }
            algorithms.chosen.push(*kind);
        }
        algorithms
    }

    /// Returns true if a choice named the algorithm of this type, or there is none to name.
    pub(super) fn is_chosen(&self, kind: CollectiveType) -> bool {
        matches!(kind, CollectiveType::Gather | CollectiveType::Scatter) || self.chosen.contains(&kind)
    }

    /// Returns the word for the algorithm of a type, and its kind.
    pub(super) fn word(&self, kind: CollectiveType) -> Option<(&'static str, &'static str)> {
        if matches!(kind, CollectiveType::Gather | CollectiveType::Scatter) {
            return None;
        }
        let own = self.kind(kind);
        NAMES.iter().find(|(.., known)| *known == own).map(|(kind, name, _)| (*kind, *name))
    }

    /// Returns the collective of a call by `ranks` ranks, at least 2, of `bytes` as the trace counts them. Blocks that
    /// have fewer bytes than chunks have fewer chunks, and messages beyond 2 GiB more.
    pub(super) fn collective(
        &self,
        kind: CollectiveType,
        ranks: u32,
        bytes: u64,
    ) -> Result<Collective, CollectiveError> {
        let total = match kind {
            CollectiveType::AllGather => bytes.saturating_mul(u64::from(ranks)),
            CollectiveType::Scatter => bytes.div_ceil(u64::from(ranks)),
            _ => bytes,
        };
        let of_chunks = |chunks| Collective::new(self.kind(kind), ranks, total, chunks);
        match of_chunks(self.chunks) {
            Err(CollectiveError::TooManyChunks { lanes, block }) => {
                of_chunks((u64::from(self.chunks) * block / lanes).max(1) as u32)
            }
            Err(CollectiveError::MessageTooLong { chunks, .. }) => {
                of_chunks(u32::try_from(chunks).unwrap_or(u32::MAX))
            }
            other => other,
        }
    }

    const fn kind(&self, kind: CollectiveType) -> CollectiveKind {
        match kind {
            CollectiveType::AllReduce => CollectiveKind::AllReduce(self.all_reduce),
            CollectiveType::ReduceScatter => CollectiveKind::ReduceScatter(self.reduce_scatter),
            CollectiveType::AllGather => CollectiveKind::AllGather(self.all_gather),
            CollectiveType::AllToAll => CollectiveKind::AllToAll(self.all_to_all),
            CollectiveType::Broadcast => CollectiveKind::Broadcast { algorithm: self.broadcast, root: 0 },
            CollectiveType::Reduce => CollectiveKind::Reduce { algorithm: self.reduce, root: 0 },
            CollectiveType::Barrier => CollectiveKind::Barrier(self.barrier),
            // Parts of equal size, to or from the root at once.
            CollectiveType::Gather => CollectiveKind::Reduce { algorithm: Reduce::Flat, root: 0 },
            CollectiveType::Scatter => CollectiveKind::Broadcast { algorithm: Broadcast::Flat, root: 0 },
        }
    }
}

impl CollectiveType {
    /// Returns the type with a number of the schema.
    pub(super) const fn numbered(number: i128) -> Option<Self> {
        Some(match number {
            0 => Self::AllReduce,
            1 => Self::Reduce,
            2 => Self::AllGather,
            3 => Self::Gather,
            4 => Self::Scatter,
            5 => Self::Broadcast,
            6 => Self::AllToAll,
            7 | 8 => Self::ReduceScatter,
            9 => Self::Barrier,
            _ => return None,
        })
    }

    /// Returns the name in the schema.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "ALL_REDUCE",
            Self::Reduce => "REDUCE",
            Self::AllGather => "ALL_GATHER",
            Self::Gather => "GATHER",
            Self::Scatter => "SCATTER",
            Self::Broadcast => "BROADCAST",
            Self::AllToAll => "ALL_TO_ALL",
            Self::ReduceScatter => "REDUCE_SCATTER",
            Self::Barrier => "BARRIER",
        }
    }

    /// Returns true if a single rank has the data, or gets it.
    pub(super) const fn has_root(self) -> bool {
        matches!(self, Self::Reduce | Self::Gather | Self::Scatter | Self::Broadcast)
    }
}

const fn type_of(kind: CollectiveKind) -> CollectiveType {
    match kind {
        CollectiveKind::AllReduce(_) => CollectiveType::AllReduce,
        CollectiveKind::ReduceScatter(_) => CollectiveType::ReduceScatter,
        CollectiveKind::AllGather(_) => CollectiveType::AllGather,
        CollectiveKind::AllToAll(_) => CollectiveType::AllToAll,
        CollectiveKind::Broadcast { .. } => CollectiveType::Broadcast,
        CollectiveKind::Reduce { .. } => CollectiveType::Reduce,
        CollectiveKind::Barrier(_) => CollectiveType::Barrier,
    }
}
