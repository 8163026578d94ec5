//! Bruck's all-gather and all-to-all, in ceil(log2 p) rounds for any number of ranks.
//!
//! Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", IEEE TPDS 8 (1997). Names: `bruck` (Open MPI), `brucks` (MPICH).
//!
//! Invariant: round k moves data by 2^k ranks.

use smallvec::smallvec;

use super::phase::{At, Circle, Content, Effect, Phase, Phases, Schedule, Side, Transfer};

/// All-gather: round k sends the min(2^k, p - 2^k) blocks that begin with the rank's own to rank i - 2^k.
#[derive(Clone, Copy, Debug)]
pub(super) struct BruckGather {
    pub(super) ranks: u32,
}

/// All-to-all: round k sends every block with bit k of its distance set to rank i + 2^k.
#[derive(Clone, Copy, Debug)]
pub(super) struct BruckExchange {
    pub(super) ranks: u32,
}

/// Returns the least k with 2^k at least `ranks`.
pub(super) const fn rounds(ranks: u32) -> u32 {
    ranks.next_power_of_two().ilog2()
}

impl Schedule for BruckGather {
    fn blocks(&self) -> u32 {
        self.ranks
    }

    fn labels(&self) -> u32 {
        rounds(self.ranks)
    }

    fn phases(&self, _: u32, _: u32) -> Phases {
        smallvec![Phase::exchanges(0, rounds(self.ranks))]
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let (circle, distance) = (Circle(self.ranks), 1 << at.step);
        let (peer, sender) = match side {
            Side::Send => (circle.before(at.rank, distance), at.rank),
            Side::Receive => (circle.after(at.rank, distance), circle.after(at.rank, distance)),
        };
        let content = Content::Blocks { first: sender, count: distance.min(self.ranks - distance) };
        Transfer { peer, label: at.step, content, effect: Effect::Replace }
    }
}

impl Schedule for BruckExchange {
    fn blocks(&self) -> u32 {
        self.ranks
    }

    fn labels(&self) -> u32 {
        rounds(self.ranks)
    }

    fn phases(&self, _: u32, _: u32) -> Phases {
        smallvec![Phase::exchanges(0, rounds(self.ranks))]
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let (circle, distance) = (Circle(self.ranks), 1 << at.step);
        let (peer, sender) = match side {
            Side::Send => (circle.after(at.rank, distance), at.rank),
            Side::Receive => (circle.before(at.rank, distance), circle.before(at.rank, distance)),
        };
        let content = Content::Relayed { sender, bit: distance };
        Transfer { peer, label: at.step, content, effect: Effect::Replace }
    }
}
