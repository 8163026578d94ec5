//! Rabenseifner's all-reduce: reduce-scatter by halving, then all-gather in reverse order.
//!
//! Distances are 1, 2, 4, .. while sizes are n/2, n/4, ..; then back. MPICH calls it `reduce_scatter_allgather`, Open
//! MPI `rabenseifner`. Other numbers of ranks fold. MPICH: the even rank of a pair sends everything to the odd rank.
//! Open MPI (`coll_base_allreduce.c`): the ranks of a pair exchange halves and reduce them; the odd rank then sends its
//! half to the even rank, which takes part.
//!
//! The vector has p' blocks, whatever the number of ranks; the first half in the fold is the first p'/2 blocks. Open
//! MPI rounds the halves of odd counts down, so sizes there may differ by p' bytes at most.
//!
//! Invariant: block b ends, reduced, at the new number with the reversed bits of b.

use smallvec::smallvec;

use super::doubling::{around, pair};
use super::fold::{Fold, Part};
use super::kind::Folding;
use super::phase::{At, Content, Effect, Phase, Phases, Schedule, Side, Transfer};

const FOLD: u8 = 0;
const UNFOLD: u8 = 2;
const HALVE: u8 = 3;
const GATHER: u8 = 4;
const SECOND_HALF: u8 = 5;

/// Rabenseifner's all-reduce.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rabenseifner {
    pub(super) fold: Fold,
    pub(super) folding: Folding,
}

impl Rabenseifner {
    /// Returns the first block of a new number after `rounds` of halving; it then has p'/2^rounds blocks.
    fn first(&self, new: u32, rounds: u32) -> u32 {
        (0..rounds).map(|round| (new >> round & 1) * (self.fold.power() >> (round + 1))).sum()
    }

    /// Returns the blocks of a new number after `rounds` of halving.
    fn kept(&self, new: u32, rounds: u32) -> Content {
        Content::Blocks { first: self.first(new, rounds), count: self.fold.power() >> rounds }
    }

    /// Returns half of the vector.
    fn half(&self, second: bool) -> Content {
        let count = self.fold.power() / 2;
        Content::Blocks { first: if second { count } else { 0 }, count }
    }
}

impl Schedule for Rabenseifner {
    fn blocks(&self) -> u32 {
        self.fold.power()
    }

    fn labels(&self) -> u32 {
        2 * self.fold.rounds() + 3
    }

    fn phases(&self, rank: u32, _: u32) -> Phases {
        let rounds = [HALVE, GATHER].map(|part| Phase::exchanges(part, self.fold.rounds()));
        let part = self.fold.part(rank);
        match (self.folding, part) {
            (Folding::Whole, _) | (_, Part::Alone { .. }) => around(part, &rounds),
            (Folding::Halves, Part::Out { .. }) => {
                smallvec![Phase::exchanges(FOLD, 1), Phase::sends(SECOND_HALF, 1), Phase::receives(UNFOLD, 1)]
            }
            (Folding::Halves, Part::Keeper { .. }) => smallvec![
                Phase::exchanges(FOLD, 1),
                Phase::receives(SECOND_HALF, 1),
                rounds[0],
                rounds[1],
                Phase::sends(UNFOLD, 1)
            ],
        }
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let part = self.fold.part(at.rank);
        let own = self.fold.new_number(at.rank);
        let whole = self.kept(0, 0);
        let (peer, label, content, effect) = match at.part {
            FOLD => {
                // With halves, each rank sends the half that it will not reduce: the even rank the second.
                let sender_is_even = at.rank.is_multiple_of(2) == (side == Side::Send);
                let content = match self.folding {
                    Folding::Whole => whole,
                    Folding::Halves => self.half(sender_is_even),
                };
                (pair(part), 0, content, Effect::Combine)
            }
            SECOND_HALF => (pair(part), 1, self.half(true), Effect::Replace),
            UNFOLD => (pair(part), 2, whole, Effect::Replace),
            HALVE => {
                let peer = own ^ 1 << at.step;
                let receiver = if side == Side::Send { peer } else { own };
                // The receiver keeps its own half of the blocks that both have.
                (self.fold.rank(peer), 3 + at.step, self.kept(receiver, at.step + 1), Effect::Combine)
            }
            _ => {
                let round = self.fold.rounds() - 1 - at.step;
                let peer = own ^ 1 << round;
                let sender = if side == Side::Send { own } else { peer };
                let label = 3 + self.fold.rounds() + at.step;
                (self.fold.rank(peer), label, self.kept(sender, round + 1), Effect::Replace)
            }
        };
        Transfer { peer, label, content, effect }
    }
}
