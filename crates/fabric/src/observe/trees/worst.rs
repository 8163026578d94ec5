//! The worst tree of a run, output by output and flow by flow.
//!
//! Invariant: a single tree is kept at a time, whatever the length of the run.

use telemetry::{BranchRecord, WorstTree};
use units::{Bytes, Time};

use super::CongestionTree;
use super::found::Members;
use crate::state::world::{OutputLane, World};

/// The tree with most branches so far. Of equal trees, the longest queue at the root decides, then the earliest
/// sample.
#[derive(Debug, Default)]
pub(super) struct WorstSoFar {
    rank: (usize, Bytes),
    at: Time,
    root: u32,
    branches: Vec<(OutputLane, u32)>,
    contributors: Vec<u32>,
    victims: Vec<u32>,
}

state_codec::value!(WorstSoFar { rank, at, root, branches, contributors, victims });

impl WorstSoFar {
    /// Replaces the tree by a tree of this sample if that is worse. `root` and `queue` are the number of its root and
    /// the queue there.
    pub(super) fn see(
        &mut self,
        (tree, members): (&CongestionTree, &Members),
        at: Time,
        (root, queue): (u32, Bytes),
    ) {
        let rank = (tree.branches.len(), queue);
        if rank <= self.rank {
            return;
        }
        (self.rank, self.at, self.root) = (rank, at, root);
        self.branches.clone_from(&tree.branches);
        self.contributors.clone_from(&members.contributors);
        self.victims.clear();
        self.victims.extend(members.victims.iter().map(|victim| victim.flow));
        self.victims.sort_unstable();
    }

    /// Returns the sample with the tree; `None` if there was no tree.
    pub(super) fn at(&self) -> Option<Time> {
        (self.rank.0 > 0).then_some(self.at)
    }

    /// Returns the worst tree with the names of its outputs; `None` if there was no tree.
    pub(super) fn record(&self, world: &World) -> Option<WorstTree> {
        let branch = |((node, port, lane), depth): &(OutputLane, u32)| BranchRecord {
            node: world.name(*node).to_owned(),
            port: world.graph.port_number((*node, *port)),
            peer: world.name(world.peer(*node, *port).0).to_owned(),
            lane: lane.0,
            depth: *depth,
        };
        (self.rank.0 > 0).then(|| WorstTree {
            at: self.at,
            root: self.root,
            branches: self.branches.iter().map(branch).collect(),
            contributors: self.contributors.clone(),
            victims: self.victims.clone(),
        })
    }
}
