//! Direct exchange: each rank sends to all others at once, to i+1 first.
//!
//! The all-reduce reduces blocks at their owners, and the owners send the results: `direct` in ASTRA-sim, two steps
//! whatever the number of ranks. Rank i sends to i+1, i+2, .. in this order.
//!
//! Invariant: a result is sent once all contributions to it have arrived.

use smallvec::smallvec;

use super::phase::{At, Circle, Content, Effect, Order, Phase, Phases, Schedule, Side, Transfer};

const REDUCE_SCATTER: u8 = 0;
const ALL_GATHER: u8 = 1;

/// Direct exchange of blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direct {
    pub(super) ranks: u32,
    pub(super) reduces: bool,
    pub(super) gathers: bool,
    /// Order of the reduce-scatter if nothing follows it, and of the all-gather.
    pub(super) order: Order,
}

impl Schedule for Direct {
    fn blocks(&self) -> u32 {
        self.ranks
    }

    fn labels(&self) -> u32 {
        2
    }

    fn phases(&self, _: u32, _: u32) -> Phases {
        let steps = |wanted| if wanted { self.ranks - 1 } else { 0 };
        let first = if self.gathers { Order::FreeJoined } else { self.order };
        smallvec![
            Phase::exchanges(REDUCE_SCATTER, steps(self.reduces)).in_order(first),
            Phase::exchanges(ALL_GATHER, steps(self.gathers)).in_order(self.order)
        ]
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let circle = Circle(self.ranks);
        let (peer, sender, receiver) = match side {
            Side::Send => {
                let to = circle.after(at.rank, at.step + 1);
                (to, at.rank, to)
            }
            Side::Receive => {
                let from = circle.before(at.rank, at.step + 1);
                (from, from, at.rank)
            }
        };
        match at.part {
            REDUCE_SCATTER => {
                Transfer { peer, label: 0, content: Content::block(receiver), effect: Effect::Combine }
            }
            _ => Transfer { peer, label: 1, content: Content::block(sender), effect: Effect::Replace },
        }
    }
}
