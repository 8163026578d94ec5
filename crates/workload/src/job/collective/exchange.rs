//! All-to-all by a message for each pair of ranks, in five orders.
//!
//! | order | step s = 1, 2, .. | begins |
//! |---|---|---|
//! | shift | sends to i+s, receives from i-s (Open MPI's `pairwise`) | after both messages of the step before |
//! | xor | exchanges with i xor s; other numbers of ranks than powers of two: shift (MPICH's `pairwise`) | likewise |
//! | linear | sends to i-s, receives from i+s (Open MPI's `linear`) or the reverse | at once |
//! | scattered | as linear, downwards (MPICH's `scattered`) | after the batch before |
//! | NCCL's | node distances r(r+1)/2 mod the next power of two, below the number of nodes | at once |
//!
//! Assumption, by hearsay of NCCL: all rounds begin at once, as with as many channels as rounds.
//!
//! Invariant: step s of a rank's sends meets step s of its receiver's receives.

use std::sync::Arc;

use smallvec::smallvec;

use super::phase::{At, Circle, Content, Effect, Order, Phase, Phases, Schedule, Side, Transfer};

/// All-to-all by a message for each pair.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub(super) ranks: u32,
    pub(super) pairing: Pairing,
    pub(super) order: Order,
    /// Steps that are done: all, or the first.
    pub(super) steps: u32,
}

/// The peers of a step.
#[derive(Clone, Debug)]
pub(super) enum Pairing {
    /// To i+s.
    Up,
    /// To i-s.
    Down,
    /// With i xor s.
    Xor,
    /// By NCCL's distances of nodes of so many ranks.
    Nodes { distances: Arc<[u32]>, node: u32 },
}

impl Pairing {
    /// NCCL's order (`init.cc`, `ncclP2pSchedule`): in round r the distance grows by r, modulo the next power of two;
    /// distances of the number of nodes or more are left out. Triangular numbers meet every residue of a power of two.
    pub(super) fn nccl(ranks: u32, node: u32) -> Self {
        let (nodes, power) = (ranks / node, (ranks / node).next_power_of_two());
        let all = (0..power).scan(0, |distance, round| {
            *distance = (*distance + round) % power;
            Some(*distance)
        });
        Self::Nodes { distances: all.filter(|distance| *distance < nodes).collect(), node }
    }

    /// Returns the peer of `rank` in `step` from 1.
    fn peer(&self, ranks: u32, rank: u32, step: u32, side: Side) -> u32 {
        let turn = |circle: Circle, from: u32, by: u32, side: Side| match side {
            Side::Send => circle.after(from, by),
            Side::Receive => circle.before(from, by),
        };
        match self {
            Self::Up => turn(Circle(ranks), rank, step, side),
            Self::Down => turn(Circle(ranks), rank, ranks - step, side),
            Self::Xor => rank ^ step,
            Self::Nodes { distances, node } => {
                let distance = distances[(step / node) as usize];
                let to = turn(Circle(ranks / node), rank / node, distance, side);
                to * node + turn(Circle(*node), rank % node, step % node, side)
            }
        }
    }
}

impl Schedule for Exchange {
    fn blocks(&self) -> u32 {
        self.ranks
    }

    fn labels(&self) -> u32 {
        1
    }

    fn phases(&self, _: u32, _: u32) -> Phases {
        smallvec![Phase::exchanges(0, self.steps).in_order(self.order)]
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let peer = self.pairing.peer(self.ranks, at.rank, at.step + 1, side);
        let (from, to) = if side == Side::Send { (at.rank, peer) } else { (peer, at.rank) };
        Transfer { peer, label: 0, content: Content::Pair { from, to }, effect: Effect::Replace }
    }
}
