//! Recursive halving: reduce-scatter.
//!
//! MPICH's `recursive_halving`: distances p/2, p/4, .., 1, and each round sends half of the blocks that remain. Other
//! numbers of ranks fold: the even rank of a pair sends everything to the odd rank, which owns both blocks during the
//! rounds, and sends one back.
//!
//! Invariant: after round k a rank is responsible for the blocks of the p'/2^(k+1) new numbers around its own.

use super::doubling::{around, pair};
use super::fold::{Fold, Part};
use super::phase::{At, Content, Effect, Phase, Phases, Schedule, Side, Transfer};

const FOLD: u8 = 0;
const UNFOLD: u8 = 2;
const HALVE: u8 = 3;

/// Reduce-scatter by recursive halving.
#[derive(Clone, Copy, Debug)]
pub(super) struct Halving {
    pub(super) ranks: u32,
    pub(super) fold: Fold,
}

impl Halving {
    /// Returns the blocks of `count` new numbers: a keeper owns the blocks of its pair.
    fn blocks_of(&self, first: u32, count: u32) -> Content {
        let start = |new: u32| new + new.min(self.fold.out());
        Content::Blocks { first: start(first), count: start(first + count) - start(first) }
    }
}

impl Schedule for Halving {
    fn blocks(&self) -> u32 {
        self.ranks
    }

    fn labels(&self) -> u32 {
        self.fold.rounds() + 2
    }

    fn phases(&self, rank: u32, _: u32) -> Phases {
        around(self.fold.part(rank), &[Phase::exchanges(HALVE, self.fold.rounds())])
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let part = self.fold.part(at.rank);
        match at.part {
            FOLD => {
                let content = Content::Blocks { first: 0, count: self.ranks };
                Transfer { peer: pair(part), label: 0, content, effect: Effect::Combine }
            }
            UNFOLD => {
                let out = if matches!(part, Part::Out { .. }) { at.rank } else { pair(part) };
                let content = Content::block(out);
                Transfer { peer: pair(part), label: 1, content, effect: Effect::Replace }
            }
            _ => {
                let own = self.fold.new_number(at.rank);
                let distance = self.fold.power() >> (at.step + 1);
                let peer = own ^ distance;
                // Data goes to its receiver's side.
                let receiver = if side == Side::Send { peer } else { own };
                let content = self.blocks_of(receiver / distance * distance, distance);
                let peer = self.fold.rank(peer);
                Transfer { peer, label: 2 + at.step, content, effect: Effect::Combine }
            }
        }
    }
}
