//! Congestion trees: who held whom back, and for how long.
//!
//! Invariant: flows are numbers in the order of the run's flows, roots are numbers in the order in which they were
//! first seen. `docs/models/congestion-trees.md` defines every word.

use units::{Bytes, Span, Time};

/// What was seen of congestion, sample by sample and root by root.
#[derive(Clone, Debug, Default)]
pub struct Congestion {
    /// Every root of a tree, in the order in which they were first seen.
    pub roots: Vec<RootRecord>,
    /// Every tree at every sample, in order of time, then node, port and lane of the root.
    pub samples: Vec<TreeSample>,
}

/// An output and lane that was the root of a tree, and what came of it over the run.
#[derive(Clone, Debug, Default)]
pub struct RootRecord {
    /// The switch, by name.
    pub node: String,
    /// The output, counted from 1.
    pub port: u16,
    /// The node at the other end, by name.
    pub peer: String,
    /// The lane.
    pub lane: u8,
    /// The first sample that showed it.
    pub first: Time,
    /// The last sample that showed it.
    pub last: Time,
    /// How many samples showed it.
    pub samples: u32,
    /// The most branches that it had at one sample.
    pub branches: u32,
    /// The longest way from it to the end of a branch, in links.
    pub depth: u32,
    /// The most ports that were saturated at one sample.
    pub ports: u32,
    /// How long its branches were without credit, all added up: the size of the tree over time.
    pub held_back: Span,
    /// Flows that leave by the root, with the samples at which their packets were in the tree.
    pub contributors: Vec<(u32, u32)>,
    /// Flows that do not, and waited in the tree.
    pub victims: Vec<VictimRecord>,
}

/// What a flow suffered by a tree to which it does not contribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VictimRecord {
    /// The flow.
    pub flow: u32,
    /// At how many samples its packets waited in the tree.
    pub samples: u32,
    /// How long an output that they had to pass was without credit.
    pub waited: Span,
}

/// A tree at one sample.
#[derive(Clone, Debug, Default)]
pub struct TreeSample {
    /// The sample.
    pub at: Time,
    /// The first of the samples up to this one that showed it without a break.
    pub since: Time,
    /// Its root.
    pub root: u32,
    /// What waited for the root, in its switch.
    pub queue: Bytes,
    /// Outputs and lanes that were held back, of switches and adapters.
    pub branches: u32,
    /// The longest way from the root to the end of a branch, in links.
    pub depth: u32,
    /// Ports that were saturated: those of the branches and the root.
    pub ports: u32,
    /// How many flows contributed.
    pub contributors: u32,
    /// How many were victims.
    pub victims: u32,
    /// The first [`TreeSample::NAMED`] contributors, in their order.
    pub some_contributors: Vec<u32>,
    /// The [`TreeSample::NAMED`] victims that waited longest.
    pub some_victims: Vec<u32>,
}

impl TreeSample {
    /// How many flows of a kind a sample names, so that long runs of many flows stay small.
    pub const NAMED: usize = 8;
}
