//! Broadcast and reduce along binomial trees and chains, and broadcast by scatter and all-gather.
//!
//! Ranks count from the root: v = (i - root) mod p. A reduce is the broadcast backwards: children send to their parent,
//! the last in order of sending first. Blocking sends (MPICH) begin after the send before has completed.
//!
//! A chain passes on each lane when it has arrived: lanes are the segments of `chain` and `pipeline` in Open MPI, and
//! the chunks of NCCL's ring. Scatter and all-gather: van de Geijn's broadcast, in MPICH `scatter_ring_allgather` and
//! `scatter_recursive_doubling_allgather`.
//!
//! Invariant: a rank sends a block after it has received it.

use smallvec::smallvec;

use super::kind::Numbering;
use super::phase::{At, Circle, Content, Effect, Order, Phase, Phases, Schedule, Side, Transfer};
use super::tree::Binomial;

const DOWN: u8 = 0;
const UP: u8 = 1;
const RING: u8 = 2;
const DOUBLING: u8 = 3;

/// Broadcast or reduce along a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rooted {
    pub(super) ranks: u32,
    pub(super) root: u32,
    pub(super) shape: Shape,
    pub(super) reduces: bool,
    /// Order of sends to several children.
    pub(super) order: Order,
}

/// The tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Binomial(Numbering),
    Chain,
    /// The root sends to all others, or receives from them.
    Flat,
}

/// Broadcast by scatter and all-gather.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScatterGather {
    pub(super) ranks: u32,
    pub(super) root: u32,
    /// By recursive doubling, for powers of two, instead of a ring.
    pub(super) doubling: bool,
}

impl Rooted {
    const fn tree(self, numbering: Numbering) -> Binomial {
        Binomial { ranks: self.ranks, numbering }
    }

    fn children(self, v: u32) -> u32 {
        match self.shape {
            Shape::Binomial(numbering) => self.tree(numbering).children(v),
            Shape::Chain => u32::from(v + 1 < self.ranks),
            Shape::Flat if v == 0 => self.ranks - 1,
            Shape::Flat => 0,
        }
    }

    fn child(self, v: u32, number: u32) -> u32 {
        match self.shape {
            Shape::Binomial(numbering) => self.tree(numbering).child(v, number),
            Shape::Chain => v + 1,
            Shape::Flat => 1 + number,
        }
    }

    fn parent(self, v: u32) -> u32 {
        match self.shape {
            Shape::Binomial(numbering) => self.tree(numbering).parent(v),
            Shape::Chain => v - 1,
            Shape::Flat => 0,
        }
    }
}

impl Schedule for Rooted {
    fn blocks(&self) -> u32 {
        1
    }

    fn labels(&self) -> u32 {
        1
    }

    fn phases(&self, rank: u32, _: u32) -> Phases {
        let v = Circle(self.ranks).before(rank, self.root);
        let (parents, children) = (u32::from(v != 0), self.children(v));
        if self.reduces {
            smallvec![Phase::receives(UP, children).in_order(self.order), Phase::sends(DOWN, parents)]
        } else {
            smallvec![Phase::receives(DOWN, parents), Phase::sends(UP, children).in_order(self.order)]
        }
    }

    /// `DOWN` is the message with the parent, `UP` the messages with children.
    fn transfer(&self, at: At, _: Side) -> Transfer {
        let circle = Circle(self.ranks);
        let v = circle.before(at.rank, self.root);
        let peer = match at.part {
            DOWN => self.parent(v),
            _ if self.reduces => self.child(v, self.children(v) - 1 - at.step),
            _ => self.child(v, at.step),
        };
        let effect = if self.reduces { Effect::Combine } else { Effect::Replace };
        Transfer { peer: circle.after(peer, self.root), label: 0, content: Content::block(0), effect }
    }
}

impl ScatterGather {
    const fn tree(self) -> Binomial {
        Binomial { ranks: self.ranks, numbering: Numbering::LowestBit }
    }
}

impl Schedule for ScatterGather {
    fn blocks(&self) -> u32 {
        self.ranks
    }

    fn labels(&self) -> u32 {
        self.ranks
    }

    fn phases(&self, rank: u32, _: u32) -> Phases {
        let v = Circle(self.ranks).before(rank, self.root);
        let gather = if self.doubling {
            Phase::exchanges(DOUBLING, self.ranks.ilog2())
        } else {
            Phase::exchanges(RING, self.ranks - 1)
        };
        smallvec![
            Phase::receives(DOWN, u32::from(v != 0)),
            Phase::sends(UP, self.tree().children(v)).in_order(Order::Blocking),
            gather
        ]
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let circle = Circle(self.ranks);
        let v = circle.before(at.rank, self.root);
        let subtree = |v| Content::Blocks { first: v, count: self.tree().subtree(v) };
        let (peer, label, content) = match at.part {
            DOWN => (self.tree().parent(v), 0, subtree(v)),
            UP => {
                let child = self.tree().child(v, at.step);
                (child, 0, subtree(child))
            }
            RING => {
                let (peer, sender) = match side {
                    Side::Send => (circle.after(v, 1), v),
                    Side::Receive => (circle.before(v, 1), circle.before(v, 1)),
                };
                (peer, 1 + at.step, Content::block(circle.before(sender, at.step)))
            }
            _ => {
                let peer = v ^ 1 << at.step;
                let sender = if side == Side::Send { v } else { peer };
                let content = Content::Blocks { first: sender >> at.step << at.step, count: 1 << at.step };
                (peer, 1 + at.step, content)
            }
        };
        Transfer { peer: circle.after(peer, self.root), label, content, effect: Effect::Replace }
    }
}
