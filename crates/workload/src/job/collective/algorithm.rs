//! The closed set of schedules, and the settings of each kind.
//!
//! Invariant: a call reaches its schedule by a match, without a table of functions.

use super::barrier::Dissemination;
use super::broadcast::{Rooted, ScatterGather, Shape};
use super::bruck::{BruckExchange, BruckGather};
use super::direct::Direct;
use super::double_tree::DoubleTree;
use super::doubling::{Doubling, DoublingGather};
use super::error::CollectiveError;
use super::exchange::{Exchange, Pairing};
use super::fold::{Fold, Keeper};
use super::halving::Halving;
use super::hierarchical::Hierarchical;
use super::kind::{
    AllGather, AllReduce, AllToAll, Barrier, Broadcast, CollectiveKind, FirstBlock, Folding, Numbering,
    Reduce, ReduceScatter,
};
use super::phase::{At, Order, Phases, Schedule, Side, Transfer};
use super::rabenseifner::Rabenseifner;
use super::ring::Ring;

/// A schedule.
#[derive(Clone, Debug)]
pub(super) enum Algorithm {
    Ring(Ring),
    Doubling(Doubling),
    DoublingGather(DoublingGather),
    Rabenseifner(Rabenseifner),
    Halving(Halving),
    BruckGather(BruckGather),
    BruckExchange(BruckExchange),
    DoubleTree(DoubleTree),
    Direct(Direct),
    Hierarchical(Hierarchical),
    Exchange(Exchange),
    Rooted(Rooted),
    ScatterGather(ScatterGather),
    Dissemination(Dissemination),
}

macro_rules! dispatch {
    ($algorithm:expr, $schedule:ident => $call:expr) => {
        match $algorithm {
            Algorithm::Ring($schedule) => $call,
            Algorithm::Doubling($schedule) => $call,
            Algorithm::DoublingGather($schedule) => $call,
            Algorithm::Rabenseifner($schedule) => $call,
            Algorithm::Halving($schedule) => $call,
            Algorithm::BruckGather($schedule) => $call,
            Algorithm::BruckExchange($schedule) => $call,
            Algorithm::DoubleTree($schedule) => $call,
            Algorithm::Direct($schedule) => $call,
            Algorithm::Hierarchical($schedule) => $call,
            Algorithm::Exchange($schedule) => $call,
            Algorithm::Rooted($schedule) => $call,
            Algorithm::ScatterGather($schedule) => $call,
            Algorithm::Dissemination($schedule) => $call,
        }
    };
}

impl Schedule for Algorithm {
    fn blocks(&self) -> u32 {
        dispatch!(self, schedule => schedule.blocks())
    }

    fn labels(&self) -> u32 {
        dispatch!(self, schedule => schedule.labels())
    }

    fn variants(&self) -> u32 {
        dispatch!(self, schedule => schedule.variants())
    }

    fn phases(&self, rank: u32, lane: u32) -> Phases {
        dispatch!(self, schedule => schedule.phases(rank, lane))
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        dispatch!(self, schedule => schedule.transfer(at, side))
    }
}

impl Algorithm {
    /// Checks the settings of a kind for this number of ranks, at least 2.
    pub(super) fn new(kind: CollectiveKind, ranks: u32) -> Result<Self, CollectiveError> {
        match kind {
            CollectiveKind::AllReduce(algorithm) => all_reduce(algorithm, ranks),
            CollectiveKind::ReduceScatter(algorithm) => Ok(reduce_scatter(algorithm, ranks)),
            CollectiveKind::AllGather(algorithm) => all_gather(algorithm, ranks),
            CollectiveKind::AllToAll(algorithm) => all_to_all(algorithm, ranks),
            CollectiveKind::Broadcast { algorithm, root } => broadcast(algorithm, root, ranks),
            CollectiveKind::Reduce { algorithm, root } => {
                let shape = match algorithm {
                    Reduce::Binomial(numbering) => Shape::Binomial(numbering),
                    Reduce::Chain => Shape::Chain,
                    Reduce::Flat => Shape::Flat,
                };
                let root = inside(root, ranks)?;
                Ok(Self::Rooted(Rooted { ranks, root, shape, reduces: true, order: Order::Chained }))
            }
            CollectiveKind::Barrier(Barrier::Dissemination) => {
                Ok(Self::Dissemination(Dissemination { ranks }))
            }
            CollectiveKind::Barrier(Barrier::RecursiveDoubling) => Ok(doubling(ranks)),
        }
    }
}

/// Lanes that a kind makes of a chunk.
pub(super) const fn lanes_of_chunk(kind: CollectiveKind) -> u32 {
    match kind {
        CollectiveKind::AllReduce(AllReduce::Ring { channels, .. }) => channels,
        CollectiveKind::AllReduce(AllReduce::DoubleTree) => 2,
        _ => 1,
    }
}

const fn doubling(ranks: u32) -> Algorithm {
    Algorithm::Doubling(Doubling { fold: Fold::new(ranks, Keeper::Odd) })
}

fn all_reduce(algorithm: AllReduce, ranks: u32) -> Result<Algorithm, CollectiveError> {
    Ok(match algorithm {
        AllReduce::Ring { first, channels, server } => {
            nonzero("channels", channels)?;
            groups("server", server, ranks)?;
            Algorithm::Ring(Ring { ranks, reduces: true, gathers: true, first, server })
        }
        AllReduce::RecursiveDoubling => doubling(ranks),
        AllReduce::Rabenseifner(folding) => {
            let keeper = if folding == Folding::Whole { Keeper::Odd } else { Keeper::Even };
            Algorithm::Rabenseifner(Rabenseifner { fold: Fold::new(ranks, keeper), folding })
        }
        AllReduce::DoubleTree => Algorithm::DoubleTree(DoubleTree { ranks }),
        AllReduce::Direct => {
            Algorithm::Direct(Direct { ranks, reduces: true, gathers: true, order: Order::Free })
        }
        AllReduce::Hierarchical { group } => {
            groups("group", group, ranks)?;
            Algorithm::Hierarchical(Hierarchical { ranks, group })
        }
    })
}

fn reduce_scatter(algorithm: ReduceScatter, ranks: u32) -> Algorithm {
    let direct = |order| Direct { ranks, reduces: true, gathers: false, order };
    match algorithm {
        ReduceScatter::Ring => Algorithm::Ring(Ring {
            ranks,
            reduces: true,
            gathers: false,
            first: FirstBlock::Before,
            server: 1,
        }),
        ReduceScatter::RecursiveHalving => {
            Algorithm::Halving(Halving { ranks, fold: Fold::new(ranks, Keeper::Odd) })
        }
        ReduceScatter::Pairwise => Algorithm::Direct(direct(Order::Blocking)),
        ReduceScatter::Direct => Algorithm::Direct(direct(Order::Free)),
    }
}

fn all_gather(algorithm: AllGather, ranks: u32) -> Result<Algorithm, CollectiveError> {
    Ok(match algorithm {
        AllGather::Ring => Algorithm::Ring(Ring {
            ranks,
            reduces: false,
            gathers: true,
            first: FirstBlock::Before,
            server: 1,
        }),
        AllGather::Bruck => Algorithm::BruckGather(BruckGather { ranks }),
        AllGather::RecursiveDoubling => {
            Algorithm::DoublingGather(DoublingGather { ranks: power_of_two(ranks)? })
        }
        AllGather::Direct => {
            Algorithm::Direct(Direct { ranks, reduces: false, gathers: true, order: Order::Free })
        }
    })
}

fn all_to_all(algorithm: AllToAll, ranks: u32) -> Result<Algorithm, CollectiveError> {
    let exchange = |pairing, order| {
        let steps = ranks - 1;
        Algorithm::Exchange(Exchange { ranks, pairing, order, steps })
    };
    Ok(match algorithm {
        AllToAll::Xor if ranks.is_power_of_two() => exchange(Pairing::Xor, Order::Blocking),
        AllToAll::Pairwise | AllToAll::Xor => exchange(Pairing::Up, Order::Blocking),
        AllToAll::Direct => exchange(Pairing::Up, Order::Free),
        AllToAll::Linear => exchange(Pairing::Down, Order::Free),
        AllToAll::Scattered { batch } => {
            nonzero("batch", batch)?;
            exchange(Pairing::Down, Order::Batches(batch.min(ranks)))
        }
        AllToAll::Bruck => Algorithm::BruckExchange(BruckExchange { ranks }),
        AllToAll::Nccl { node } => {
            groups("node", node, ranks)?;
            exchange(Pairing::nccl(ranks, node), Order::Free)
        }
    })
}

fn broadcast(algorithm: Broadcast, root: u32, ranks: u32) -> Result<Algorithm, CollectiveError> {
    let root = inside(root, ranks)?;
    let rooted = |shape, order| Algorithm::Rooted(Rooted { ranks, root, shape, reduces: false, order });
    let scatter = |doubling| Algorithm::ScatterGather(ScatterGather { ranks, root, doubling });
    Ok(match algorithm {
        Broadcast::Binomial(Numbering::LowestBit) => {
            rooted(Shape::Binomial(Numbering::LowestBit), Order::Blocking)
        }
        Broadcast::Binomial(Numbering::HighestBit) => {
            rooted(Shape::Binomial(Numbering::HighestBit), Order::Chained)
        }
        Broadcast::Chain => rooted(Shape::Chain, Order::Chained),
        Broadcast::Flat => rooted(Shape::Flat, Order::Chained),
        Broadcast::ScatterRing => scatter(false),
        Broadcast::ScatterDoubling => {
            power_of_two(ranks)?;
            scatter(true)
        }
    })
}

fn nonzero(field: &'static str, value: u32) -> Result<(), CollectiveError> {
    if value == 0 { Err(CollectiveError::Zero { field }) } else { Ok(()) }
}

fn groups(field: &'static str, group: u32, ranks: u32) -> Result<(), CollectiveError> {
    nonzero(field, group)?;
    match ranks % group {
        0 => Ok(()),
        rest => Err(CollectiveError::Groups { field, group, ranks, rest }),
    }
}

fn power_of_two(ranks: u32) -> Result<u32, CollectiveError> {
    if ranks.is_power_of_two() {
        return Ok(ranks);
    }
    let below = 1 << ranks.ilog2();
    Err(CollectiveError::NotPowerOfTwo { ranks, below, above: 2 * u64::from(below) })
}

const fn inside(root: u32, ranks: u32) -> Result<u32, CollectiveError> {
    if root < ranks { Ok(root) } else { Err(CollectiveError::Root { root, ranks }) }
}
