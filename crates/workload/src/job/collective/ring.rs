//! Rings: reduce-scatter, all-gather, and both in turn as an all-reduce.
//!
//! Step s = 1, 2, .. of the reduce-scatter sends block (i - s) mod p of place i to the place after it, as NCCL's device
//! code does (`all_reduce.h`: chunk `ringIx - j`, and the last chunk received is the rank's own); the all-gather starts
//! with the block that the rank then owns. Open MPI's ring (`coll_base_allreduce.c`) starts with block i instead.
//!
//! Invariant: each step sends the block that the step before has received.

use smallvec::smallvec;

use super::kind::FirstBlock;
use super::phase::{At, Circle, Content, Effect, Phase, Phases, Schedule, Side, Transfer};

pub(super) const REDUCE_SCATTER: u8 = 0;
pub(super) const ALL_GATHER: u8 = 1;

/// Ring through all ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) ranks: u32,
    pub(super) reduces: bool,
    pub(super) gathers: bool,
    pub(super) first: FirstBlock,
    /// Ranks of a server; lane c turns the order of ranks inside each server by c places.
    pub(super) server: u32,
}

impl Ring {
    /// Returns the rank at a place of a lane's ring.
    ///
    /// Assumption, by hearsay of NCCL's topology search: channel c enters each server at its local rank c, so that each
    /// network interface carries a channel.
    const fn rank_at(self, place: u32, lane: u32) -> u32 {
        let local = Circle(self.server).after(place % self.server, lane % self.server);
        place - place % self.server + local
    }

    const fn place_of(self, rank: u32, lane: u32) -> u32 {
        let local = Circle(self.server).before(rank % self.server, lane % self.server);
        rank - rank % self.server + local
    }
}

impl Schedule for Ring {
    fn blocks(&self) -> u32 {
        self.ranks
    }

    fn labels(&self) -> u32 {
        2 * (self.ranks - 1)
    }

    fn phases(&self, _: u32, _: u32) -> Phases {
        let steps = |wanted| if wanted { self.ranks - 1 } else { 0 };
        smallvec![
            Phase::exchanges(REDUCE_SCATTER, steps(self.reduces)),
            Phase::exchanges(ALL_GATHER, steps(self.gathers))
        ]
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let circle = Circle(self.ranks);
        let place = self.place_of(at.rank, at.lane);
        let (peer, sender) = match side {
            Side::Send => (circle.after(place, 1), place),
            Side::Receive => (circle.before(place, 1), circle.before(place, 1)),
        };
        // The all-gather goes on with the block that the last step of the reduce-scatter has received.
        let behind = match (at.part, self.first) {
            (REDUCE_SCATTER, FirstBlock::Before) => at.step + 1,
            (REDUCE_SCATTER, FirstBlock::Own) | (_, FirstBlock::Before) => at.step,
            (_, FirstBlock::Own) => (at.step + self.ranks - 1) % self.ranks,
        };
        let (label, effect) = match at.part {
            REDUCE_SCATTER => (at.step, Effect::Combine),
            _ => (self.ranks - 1 + at.step, Effect::Replace),
        };
        let block = self.rank_at(circle.before(sender, behind), at.lane);
        Transfer { peer: self.rank_at(peer, at.lane), label, content: Content::block(block), effect }
    }
}
