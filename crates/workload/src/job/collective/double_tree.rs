//! Double binary tree: all-reduce up and down two trees, each with half of the data.
//!
//! NCCL's `ncclGetDtree` (`graph/trees.cc`), after Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth
//! broadcast, reduction and scan", Parallel Computing 35 (2009). Tree 1: with b the lowest set bit of r, the parent is
//! (r xor b) | 2b, or r xor b if that is no rank; children are r - b/2 and r + b/2, halved until it is a rank. The root
//! 0 has a single child. Tree 2 mirrors the ranks if their number is even, and shifts them by one if odd. A rank here
//! is a node there; inside a node NCCL goes along a chain.
//!
//! Invariant: lanes alternate between the trees; each chunk goes up and down for itself.

use smallvec::{SmallVec, smallvec};

use super::phase::{At, Circle, Content, Effect, Phase, Phases, Schedule, Side, Transfer};

const FROM_CHILDREN: u8 = 0;
const TO_PARENT: u8 = 1;
const FROM_PARENT: u8 = 2;
const TO_CHILDREN: u8 = 3;

/// Double binary tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubleTree {
    pub(super) ranks: u32,
}

/// Place of a rank in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relatives {
    pub(super) parent: Option<u32>,
    pub(super) children: SmallVec<[u32; 2]>,
}

impl DoubleTree {
    /// Returns the relatives of a rank in tree 0 or 1.
    pub(super) fn relatives(self, rank: u32, tree: u32) -> Relatives {
        if tree == 0 {
            return self.first_tree(rank);
        }
        let circle = Circle(self.ranks);
        let mirror = self.ranks.is_multiple_of(2);
        let into = if mirror { self.ranks - 1 - rank } else { circle.before(rank, 1) };
        let back = |rank| if mirror { self.ranks - 1 - rank } else { circle.after(rank, 1) };
        let Relatives { parent, children } = self.first_tree(into);
        Relatives { parent: parent.map(back), children: children.into_iter().map(back).collect() }
    }

    fn first_tree(self, rank: u32) -> Relatives {
        if rank == 0 {
            return Relatives { parent: None, children: smallvec![self.ranks.next_power_of_two() / 2] };
        }
        let bit = 1 << rank.trailing_zeros();
        let above = rank ^ bit | bit << 1;
        let parent = Some(if above < self.ranks { above } else { rank ^ bit });
        let mut children = SmallVec::new();
        if bit > 1 {
            children.push(rank - bit / 2);
            let halves = core::iter::successors(Some(bit / 2), |half| (*half > 1).then_some(half / 2));
            children.extend(halves.map(|half| rank + half).find(|child| *child < self.ranks));
        }
        Relatives { parent, children }
    }
}

impl Schedule for DoubleTree {
    fn blocks(&self) -> u32 {
        1
    }

    fn labels(&self) -> u32 {
        2
    }

    fn variants(&self) -> u32 {
        2
    }

    fn phases(&self, rank: u32, lane: u32) -> Phases {
        let Relatives { parent, children } = self.relatives(rank, lane % 2);
        let (parents, children) = (u32::from(parent.is_some()), children.len() as u32);
        smallvec![
            Phase::receives(FROM_CHILDREN, children),
            Phase::sends(TO_PARENT, parents),
            Phase::receives(FROM_PARENT, parents),
            Phase::sends(TO_CHILDREN, children)
        ]
    }

    fn transfer(&self, at: At, _: Side) -> Transfer {
        let Relatives { parent, children } = self.relatives(at.rank, at.lane % 2);
        let peer = match at.part {
            FROM_CHILDREN | TO_CHILDREN => children[at.step as usize],
            _ => parent.expect("the root has no phase with its parent"),
        };
        let up = at.part == FROM_CHILDREN || at.part == TO_PARENT;
        let (label, effect) = if up { (0, Effect::Combine) } else { (1, Effect::Replace) };
        Transfer { peer, label, content: Content::block(0), effect }
    }
}
