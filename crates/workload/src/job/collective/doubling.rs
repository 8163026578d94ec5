//! Recursive doubling: all-reduce of any number of ranks, all-gather of a power of two.
//!
//! Round k exchanges with the rank whose number differs in bit k. MPICH and Open MPI fold other numbers of ranks: the
//! even rank of a pair sends everything to the odd rank before, and gets the result after.
//!
//! Invariant: after round k, the 2^(k+1) ranks that share the higher bits hold the same.

use smallvec::smallvec;

use super::fold::{Fold, Part};
use super::phase::{At, Content, Effect, Phase, Phases, Schedule, Side, Transfer};

const FOLD: u8 = 0;
const ROUNDS: u8 = 1;
const UNFOLD: u8 = 2;

/// All-reduce by recursive doubling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubling {
    pub(super) fold: Fold,
}

/// All-gather by recursive doubling.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoublingGather {
    /// Number of ranks, a power of two.
    pub(super) ranks: u32,
}

/// Returns phases around the `rounds` of a rank, for those that fold.
pub(super) fn around(part: Part, rounds: &[Phase]) -> Phases {
    let rounds = rounds.iter().copied();
    match part {
        Part::Alone { .. } => rounds.collect(),
        Part::Out { .. } => smallvec![Phase::sends(FOLD, 1), Phase::receives(UNFOLD, 1)],
        Part::Keeper { .. } => {
            let mut phases: Phases = smallvec![Phase::receives(FOLD, 1)];
            phases.extend(rounds);
            phases.push(Phase::sends(UNFOLD, 1));
            phases
        }
    }
}

/// Returns the other rank of a pair.
pub(super) fn pair(part: Part) -> u32 {
    match part {
        Part::Out { keeper } => keeper,
        Part::Keeper { out, .. } => out,
        Part::Alone { .. } => unreachable!("a rank alone does not fold"),
    }
}

impl Schedule for Doubling {
    fn blocks(&self) -> u32 {
        1
    }

    fn labels(&self) -> u32 {
        self.fold.rounds() + 2
    }

    fn phases(&self, rank: u32, _: u32) -> Phases {
        around(self.fold.part(rank), &[Phase::exchanges(ROUNDS, self.fold.rounds())])
    }

    fn transfer(&self, at: At, _: Side) -> Transfer {
        let part = self.fold.part(at.rank);
        let content = Content::block(0);
        match at.part {
            FOLD => Transfer { peer: pair(part), label: 0, content, effect: Effect::Combine },
            UNFOLD => Transfer { peer: pair(part), label: 1, content, effect: Effect::Replace },
            _ => {
                let peer = self.fold.rank(self.fold.new_number(at.rank) ^ 1 << at.step);
                Transfer { peer, label: 2 + at.step, content, effect: Effect::Combine }
            }
        }
    }
}

impl Schedule for DoublingGather {
    fn blocks(&self) -> u32 {
        self.ranks
    }

    fn labels(&self) -> u32 {
        self.ranks.ilog2()
    }

    fn phases(&self, _: u32, _: u32) -> Phases {
        smallvec![Phase::exchanges(ROUNDS, self.ranks.ilog2())]
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let peer = at.rank ^ 1 << at.step;
        let sender = if side == Side::Send { at.rank } else { peer };
        let first = sender >> at.step << at.step;
        let content = Content::Blocks { first, count: 1 << at.step };
        Transfer { peer, label: at.step, content, effect: Effect::Replace }
    }
}
