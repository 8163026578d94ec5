//! Dissemination barrier: round k sends a message to rank i + 2^k, for ceil(log2 p) rounds.
//!
//! Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", IJPP 17 (1988). MPICH calls it
//! `k_dissemination`, Open MPI `bruck`.
//!
//! Invariant: after round k a rank knows that the 2^(k+1) - 1 ranks before it have begun.

use smallvec::smallvec;

use super::bruck::rounds;
use super::phase::{At, Circle, Content, Effect, Phase, Phases, Schedule, Side, Transfer};

/// Dissemination barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dissemination {
    pub(super) ranks: u32,
}

impl Schedule for Dissemination {
    fn blocks(&self) -> u32 {
        1
    }

    fn labels(&self) -> u32 {
        rounds(self.ranks)
    }

    fn phases(&self, _: u32, _: u32) -> Phases {
        smallvec![Phase::exchanges(0, rounds(self.ranks))]
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let circle = Circle(self.ranks);
        let peer = match side {
            Side::Send => circle.after(at.rank, 1 << at.step),
            Side::Receive => circle.before(at.rank, 1 << at.step),
        };
        Transfer { peer, label: at.step, content: Content::block(0), effect: Effect::Combine }
    }
}
