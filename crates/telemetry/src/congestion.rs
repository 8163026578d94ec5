//! Congestion trees: roots, contributors, victims, and waiting times.
//!
//! Invariant: flows are numbered in the order of the run's flows, roots in the order of their first samples. `docs/models/congestion-trees.md` defines every word.

use units::{Bytes, Span, Time};

/// The congestion trees of a run, by sample and by root.
#[derive(Clone, Debug, Default)]
pub struct Congestion {
    /// Every root of a tree, in the order of their first samples.
    pub roots: Vec<RootRecord>,
    /// Every tree at every sample, in order of time, then node, port and lane of the root.
    pub samples: Vec<TreeSample>,
}

/// The root of a congestion tree, which is an output and lane, over the whole run.
#[derive(Clone, Debug, Default)]
pub struct RootRecord {
    /// Name of the switch.
    pub node: String,
    /// Number of the output port, counted from 1.
    pub port: u16,
    /// Name of the node at the far end.
    pub peer: String,
    /// Number of the lane.
    pub lane: u8,
    /// Time of the first sample of the tree.
    pub first: Time,
    /// Time of the last sample of the tree.
    pub last: Time,
    /// Number of samples of the tree.
    pub samples: u32,
    /// Largest number of branches at one sample.
    pub branches: u32,
    /// Longest path from the root to the end of a branch, in links.
    pub depth: u32,
    /// Largest number of saturated ports at one sample.
    pub ports: u32,
    /// Sum over all branches of the time without credit: the size of the tree over time.
    pub held_back: Span,
    /// Flows that leave through the root, with the number of samples at which their packets were in the tree.
    pub contributors: Vec<(u32, u32)>,
    /// Flows that waited in the tree without leaving through the root.
    pub victims: Vec<VictimRecord>,
}

/// The delay of a flow by a tree to which it does not contribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VictimRecord {
    /// Number of the flow.
    pub flow: u32,
    /// Number of samples at which its packets waited in the tree.
    pub samples: u32,
    /// Time for which an output on the path of those packets was without credit.
    pub waited: Span,
}

/// A tree at one sample.
#[derive(Clone, Debug, Default)]
pub struct TreeSample {
    /// Time of the sample.
    pub at: Time,
    /// Time of the first of the consecutive samples of the tree up to this one.
    pub since: Time,
    /// Number of the root.
    pub root: u32,
    /// Data that waits for the root in its switch.
    pub queue: Bytes,
    /// Number of outputs and lanes of switches and adapters that are held back.
    pub branches: u32,
    /// Longest path from the root to the end of a branch, in links.
    pub depth: u32,
    /// Number of saturated ports: those of the branches and the root.
    pub ports: u32,
    /// Number of contributors.
    pub contributors: u32,
    /// Number of victims.
    pub victims: u32,
    /// The first [`TreeSample::NAMED`] contributors, in order.
    pub some_contributors: Vec<u32>,
    /// The [`TreeSample::NAMED`] victims that waited longest.
    pub some_victims: Vec<u32>,
}

impl TreeSample {
    /// Largest number of contributors, and of victims, that a sample names. It bounds the memory of long runs.
    pub const NAMED: usize = 8;
}
