//! Runs of graphs in which messages carry contributions instead of bytes.
//!
//! Invariant: a send carries the contributions that its rank has in the instant in which the send may start. All else
//! is random: when ranks begin, and which message is taken next.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand::{Rng, RngExt};

use super::super::phase::{Content, Effect, Side, Transfer};
use super::super::{Collective, CollectiveKind, relayed};
use crate::job::graph::{Graph, OperationId, Work};

/// Contributions of each rank to a block.
type Contributions = Vec<u32>;

/// Blocks of a rank in a lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) blocks: Vec<Contributions>,
    /// Blocks of an all-to-all.
    pub(super) pairs: BTreeSet<(u32, u32)>,
}

enum Payload {
    Blocks(Vec<(usize, Contributions)>),
    Pairs(Vec<(u32, u32)>),
}

/// A run.
pub(super) struct Run<'a> {
    collective: &'a Collective,
    graphs: &'a [Graph],
    /// By rank and lane.
    pub(super) held: Vec<Vec<Held>>,
    waiting: Vec<Vec<u32>>,
    posted: Vec<(u32, OperationId)>,
    /// Messages by sender, receiver and tag.
    flight: BTreeMap<(u32, u32, u32), VecDeque<Payload>>,
    idle: Vec<u32>,
    done: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(collective: &'a Collective, graphs: &'a [Graph]) -> Self {
        let held =
            (0..collective.ranks()).map(|rank| vec![initial(collective, rank); collective.lanes() as usize]);
        let counts =
            |graph: &Graph| (0..graph.operations() as u32).map(|id| graph.predecessors(id)).collect();
        Self {
            collective,
            graphs,
            held: held.collect(),
            waiting: graphs.iter().map(counts).collect(),
            posted: Vec::new(),
            flight: BTreeMap::new(),
            idle: (0..collective.ranks()).collect(),
            done: 0,
        }
    }

    /// Runs to the end. Returns false if operations are left that cannot proceed, or messages that nobody takes.
    pub(super) fn finish(&mut self, random: &mut impl Rng) -> bool {
        loop {
            let takeable = |(rank, id): &(u32, OperationId)| {
                let Work::Receive { from: Some(from), tag: Some(tag), .. } =
                    self.graphs[*rank as usize].operation(*id).work
                else {
                    return false;
                };
                self.flight.get(&(from, *rank, tag)).is_some_and(|queue| !queue.is_empty())
            };
            let ready: Vec<usize> = (0..self.posted.len()).filter(|n| takeable(&self.posted[*n])).collect();
            let choices = self.idle.len() + ready.len();
            if choices == 0 {
                let operations: usize = self.graphs.iter().map(Graph::operations).sum();
                return self.done == operations && self.flight.values().all(VecDeque::is_empty);
            }
            match random.random_range(0..choices) {
                begin if begin < self.idle.len() => {
                    let rank = self.idle.swap_remove(begin);
                    for root in self.graphs[rank as usize].roots().collect::<Vec<_>>() {
                        self.start(rank, root);
                    }
                }
                take => {
                    let (rank, id) = self.posted.swap_remove(ready[take - self.idle.len()]);
                    self.take(rank, id);
                }
            }
        }
    }

    fn start(&mut self, rank: u32, id: OperationId) {
        match self.graphs[rank as usize].operation(id).work {
            Work::Receive { .. } => return self.posted.push((rank, id)),
            Work::Send { to, tag, .. } => {
                let (lane, _, transfer) = self.transfer(rank, id);
                let payload = payload(&self.held[rank as usize][lane], transfer.content, self.collective);
                self.flight.entry((rank, to, tag)).or_default().push_back(payload);
            }
            Work::Compute { .. } => {}
        }
        self.end(rank, id);
    }

    fn take(&mut self, rank: u32, id: OperationId) {
        let (lane, side, transfer) = self.transfer(rank, id);
        assert_eq!(side, Side::Receive);
        let Work::Receive { tag: Some(tag), .. } = self.graphs[rank as usize].operation(id).work else {
            unreachable!("a receive names its tag");
        };
        let queue = self.flight.get_mut(&(transfer.peer, rank, tag));
        let payload = queue.and_then(VecDeque::pop_front).expect("a message is there");
        apply(&mut self.held[rank as usize][lane], payload, transfer.effect);
        self.end(rank, id);
    }

    fn end(&mut self, rank: u32, id: OperationId) {
        self.done += 1;
        for after in self.graphs[rank as usize].after_end(id) {
            let left = &mut self.waiting[rank as usize][after as usize];
            *left -= 1;
            if *left == 0 {
                self.start(rank, after);
            }
        }
    }

    fn transfer(&self, rank: u32, id: OperationId) -> (usize, Side, Transfer) {
        let (lane, side, transfer) = self.collective.transfer(rank, id).expect("a message");
        (lane as usize, side, transfer)
    }
}

/// Data of a rank before the collective.
fn initial(collective: &Collective, rank: u32) -> Held {
    let ranks = collective.ranks();
    let own = (0..ranks).map(|other| u32::from(other == rank)).collect::<Contributions>();
    let none = vec![0; ranks as usize];
    let has = |block: u32| match collective.kind() {
        CollectiveKind::AllGather(_) => block == rank,
        CollectiveKind::Broadcast { root, .. } => root == rank,
        _ => true,
    };
    let blocks = super::super::Schedule::blocks(&collective.algorithm);
    Held {
        blocks: (0..blocks).map(|block| if has(block) { own.clone() } else { none.clone() }).collect(),
        pairs: (0..ranks).map(|to| (rank, to)).collect(),
    }
}

fn payload(held: &Held, content: Content, collective: &Collective) -> Payload {
    match content {
        Content::Blocks { first, count } => {
            let all = (first..first + count).map(|block| block as usize % held.blocks.len());
            Payload::Blocks(all.map(|block| (block, held.blocks[block].clone())).collect())
        }
        Content::Pair { from, to } => {
            Payload::Pairs(held.pairs.get(&(from, to)).copied().into_iter().collect())
        }
        Content::Relayed { sender, bit } => {
            let all = relayed(collective.ranks(), sender, bit);
            Payload::Pairs(all.filter(|pair| held.pairs.contains(pair)).collect())
        }
    }
}

fn apply(held: &mut Held, payload: Payload, effect: Effect) {
    match payload {
        Payload::Pairs(pairs) => held.pairs.extend(pairs),
        Payload::Blocks(blocks) => {
            for (block, contributions) in blocks {
                match effect {
                    Effect::Replace => held.blocks[block] = contributions,
                    Effect::Combine => {
                        held.blocks[block].iter_mut().zip(contributions).for_each(|(sum, more)| *sum += more);
                    }
                }
            }
        }
    }
}
