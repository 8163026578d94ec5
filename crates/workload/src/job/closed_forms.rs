//! Ideal times, lower bounds and bandwidths of collectives.
//!
//! Times hold for p ranks on p hosts of a crossbar with equal links and buffers that keep them busy, without
//! acknowledgements on the wire (UC). Sources: Thakur, Rabenseifner, Gropp, "Optimization of collective communication
//! operations in MPICH", IJHPCA 19 (2005), and by hearsay Chan, Heimlich, Purkayastha, van de Geijn, "Collective
//! communication: theory, practice, and experience", CCPE 19 (2007). Where these write alpha + n beta, here stands the
//! time of a message of n bytes.
//!
//! Invariant: an exact time equals the replay of the collective with the same messages, to the picosecond. The flat
//! reduce is an exception, since messages meet at the root, and a replay delays them at their senders only.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use units::{Bytes, Rate, Span};

use super::collective::{
    AllGather, AllReduce, AllToAll, Barrier, Broadcast, Collective, CollectiveKind, Numbering, Reduce,
    ReduceScatter,
};
use super::ideal::IdealMessage;

/// Ideal time of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedForm {
    /// Completion to the picosecond.
    Exact(Span),
    /// Bounds on the completion.
    Between {
        /// Lower bound.
        least: Span,
        /// Upper bound.
        most: Span,
    },
    /// No closed form is known: replay the collective.
    None,
}

/// Returns the ideal time of a collective, with the times of a message of some bytes.
///
/// Exact times of schedules other than rings, recursive doubling, trees and barriers take blocks of equal size; lanes
/// are exact in chains, and bounds in rings.
#[must_use]
pub fn ideal_time(collective: &Collective, message: impl Fn(u64) -> IdealMessage) -> ClosedForm {
    if collective.cut().is_some() {
        return ClosedForm::None;
    }
    let form = Form { p: collective.ranks(), n: collective.bytes(), lanes: collective.lanes(), message };
    let chain = |chains: bool| if chains { form.chain() } else { None };
    let exact = match collective.kind() {
        CollectiveKind::Broadcast { algorithm, .. } if form.lanes > 1 => chain(algorithm == Broadcast::Chain),
        CollectiveKind::Reduce { algorithm, .. } if form.lanes > 1 => chain(algorithm == Reduce::Chain),
        CollectiveKind::AllReduce(AllReduce::Ring { .. }) if form.lanes > 1 => return form.pipelined_ring(),
        CollectiveKind::AllReduce(AllReduce::DoubleTree) => None,
        _ if form.lanes > 1 => None,
        CollectiveKind::AllReduce(algorithm) => form.all_reduce(algorithm),
        CollectiveKind::ReduceScatter(algorithm) => form.reduce_scatter(algorithm),
        CollectiveKind::AllGather(algorithm) => form.all_gather(algorithm),
        CollectiveKind::AllToAll(algorithm) => form.all_to_all(algorithm),
        CollectiveKind::Broadcast { algorithm, .. } => form.broadcast(algorithm),
        CollectiveKind::Reduce { algorithm, .. } => form.reduce(algorithm),
        CollectiveKind::Barrier(Barrier::Dissemination) => Some(form.same(form.log(), form.n)),
        CollectiveKind::Barrier(Barrier::RecursiveDoubling) => form.doubling(),
    };
    exact.map_or(ClosedForm::None, ClosedForm::Exact)
}

/// Terms of the closed forms.
struct Form<M> {
    p: u32,
    n: u64,
    lanes: u32,
    message: M,
}

impl<M: Fn(u64) -> IdealMessage> Form<M> {
    fn tau(&self, bytes: u64) -> Span {
        (self.message)(bytes).delivered
    }

    /// Returns the time of steps that follow one another, of these sizes. The last send may complete after all
    /// receives.
    fn steps(&self, sizes: impl IntoIterator<Item = u64>) -> Span {
        let (mut before, mut last) = (Span::default(), None);
        for bytes in sizes {
            before += last.map_or(Span::default(), |bytes| self.tau(bytes));
            last = Some(bytes);
        }
        before + last.map_or(Span::default(), |bytes| self.both(bytes))
    }

    /// Returns the time until a message is delivered and its send complete.
    fn both(&self, bytes: u64) -> Span {
        self.tau(bytes).max((self.message)(bytes).completed)
    }

    fn same(&self, steps: u32, bytes: u64) -> Span {
        self.steps((0..steps).map(|_| bytes))
    }

    /// Returns the time of messages of equal size from every rank, all posted at once.
    fn at_once(&self, messages: u32, bytes: u64) -> Span {
        (self.message)(bytes).sent.whole() * u64::from(messages - 1) + self.both(bytes)
    }

    /// Returns ceil(log2 p).
    fn log(&self) -> u32 {
        self.p.next_power_of_two().ilog2()
    }

    /// Returns the size of a block, if the vector has `blocks` equal blocks.
    fn block_of(&self, blocks: u32) -> Option<u64> {
        self.n.is_multiple_of(u64::from(blocks)).then(|| self.n / u64::from(blocks))
    }

    fn block(&self) -> Option<u64> {
        self.block_of(self.p)
    }

    /// Returns n/2, n/4, .., n/p for a power of two.
    fn halves(&self) -> Option<impl DoubleEndedIterator<Item = u64>> {
        self.block().filter(|_| self.p.is_power_of_two())?;
        Some((1..=self.p.ilog2()).map(|round| self.n >> round))
    }

    /// Returns the time of a ring. The longest block never waits for another, so that unequal blocks are exact too.
    fn ring(&self, steps: u32) -> Span {
        self.same(steps, self.n.div_ceil(u64::from(self.p)))
    }

    /// Between the bandwidth of the link and a ring in which each chunk waits for all chunks of the step before.
    fn pipelined_ring(&self) -> ClosedForm {
        let (p, lanes) = (u64::from(self.p), u64::from(self.lanes));
        let (steps, chunk) = (2 * (p - 1), self.n.div_ceil(p).div_ceil(lanes));
        let smallest = (self.message)(self.n / p / lanes);
        let longest = (self.message)(chunk);
        let latency = self.tau(self.n.div_ceil(p) / lanes) * steps;
        let bandwidth = smallest.sent.whole() * (steps * lanes);
        let most = (self.tau(chunk) + longest.sent.whole() * (lanes - 1)) * (steps - 1)
            + self.both(chunk)
            + longest.sent.whole() * (lanes - 1);
        ClosedForm::Between { least: latency.max(bandwidth), most }
    }

    /// Returns the time of recursive doubling of a power of two of ranks. Others fold, and the message of a fold meets
    /// those of the rounds at its receiver.
    fn doubling(&self) -> Option<Span> {
        self.p.is_power_of_two().then(|| self.same(self.p.ilog2(), self.n))
    }

    fn all_reduce(&self, algorithm: AllReduce) -> Option<Span> {
        match algorithm {
            AllReduce::Ring { .. } => Some(self.ring(2 * (self.p - 1))),
            AllReduce::RecursiveDoubling => self.doubling(),
            AllReduce::Rabenseifner(_) => {
                self.halves().zip(self.halves()).map(|(down, up)| self.steps(down.chain(up.rev())))
            }
            AllReduce::DoubleTree => None,
            AllReduce::Direct => self.block().map(|block| {
                // The second phase waits for receives alone.
                let first = (self.message)(block).sent.whole() * u64::from(self.p - 2) + self.tau(block);
                first.max((self.message)(block).sent.whole() * u64::from(self.p - 1))
                    + self.at_once(self.p - 1, block)
            }),
            AllReduce::Hierarchical { group } => {
                let block = self.block()?;
                let groups = self.p / group;
                let inside = (0..group - 1).map(|_| block * u64::from(groups));
                let between = (0..2 * (groups - 1)).map(|_| block);
                Some(self.steps(inside.clone().chain(between).chain(inside)))
            }
        }
    }

    fn reduce_scatter(&self, algorithm: ReduceScatter) -> Option<Span> {
        match algorithm {
            ReduceScatter::Ring => Some(self.ring(self.p - 1)),
            ReduceScatter::RecursiveHalving => self.halves().map(|halves| self.steps(halves)),
            ReduceScatter::Pairwise => self.block().map(|block| self.blocking(block)),
            ReduceScatter::Direct => self.block().map(|block| self.at_once(self.p - 1, block)),
        }
    }

    fn all_gather(&self, algorithm: AllGather) -> Option<Span> {
        match algorithm {
            AllGather::Ring => Some(self.ring(self.p - 1)),
            AllGather::Bruck => self.block().map(|block| {
                let count = |round: u32| (1 << round).min(self.p - (1 << round));
                self.steps((0..self.log()).map(|round| u64::from(count(round)) * block))
            }),
            AllGather::RecursiveDoubling => self.halves().map(|halves| self.steps(halves.rev())),
            AllGather::Direct => self.block().map(|block| self.at_once(self.p - 1, block)),
        }
    }

    /// Returns the time of p - 1 steps, each waits for both messages of the step before.
    fn blocking(&self, block: u64) -> Span {
        self.both(block) * u64::from(self.p - 1)
    }

    fn all_to_all(&self, algorithm: AllToAll) -> Option<Span> {
        let block = self.block()?;
        let all = self.p - 1;
        match algorithm {
            AllToAll::Pairwise | AllToAll::Xor => Some(self.blocking(block)),
            AllToAll::Direct | AllToAll::Linear | AllToAll::Nccl { .. } => Some(self.at_once(all, block)),
            AllToAll::Scattered { batch } => {
                // The first batch of more than a step has the rank's copy to itself.
                let first = if batch > 1 { all.min(batch - 1) } else { 0 };
                let (full, rest) = ((all - first) / batch, (all - first) % batch);
                let time = |steps: u32| if steps > 0 { self.at_once(steps, block) } else { Span::default() };
                Some(time(first) + time(batch.min(all)) * u64::from(full) + time(rest))
            }
            AllToAll::Bruck => {
                self.p.is_power_of_two().then(|| self.same(self.log(), block * u64::from(self.p / 2)))
            }
        }
    }

    fn broadcast(&self, algorithm: Broadcast) -> Option<Span> {
        match algorithm {
            Broadcast::Binomial(numbering) => Some(self.tree(numbering)),
            Broadcast::Chain => self.chain(),
            Broadcast::Flat => Some(self.at_once(self.p - 1, self.n)),
            // Messages of the ring meet messages of the scatter at a receiver.
            Broadcast::ScatterRing | Broadcast::ScatterDoubling => None,
        }
    }

    /// Returns the time of a reduce. In binomial trees of other numbers than powers of two, messages meet at receivers.
    fn reduce(&self, algorithm: Reduce) -> Option<Span> {
        match algorithm {
            Reduce::Binomial(_) => self.p.is_power_of_two().then(|| self.same(self.log(), self.n)),
            Reduce::Chain => self.chain(),
            Reduce::Flat => Some(self.at_once(self.p - 1, self.n)),
        }
    }

    /// Returns the time of a chain of lanes: the first passes every host, the others follow at the rate of the link.
    fn chain(&self) -> Option<Span> {
        let part = self.block_of(self.lanes)?;
        let behind = (self.message)(part).sent.whole() * u64::from(self.lanes - 1);
        Some(self.same(self.p - 1, part) + behind)
    }

    /// Returns the time of a binomial broadcast: the j-th child of v has the message at t(v) + (j - 1) w + tau, where w
    /// is the time that a send keeps the next one waiting.
    fn tree(&self, numbering: Numbering) -> Span {
        let IdealMessage { sent, completed, .. } = (self.message)(self.n);
        let occupied = sent.whole();
        let blocking = numbering == Numbering::LowestBit;
        let wait = if blocking { occupied.max(completed) } else { occupied };
        let mut latest = Span::default();
        // Ranks from the root, and their times.
        let mut times = vec![Span::default(); self.p as usize];
        for v in 0..self.p {
            let time = times[v as usize];
            for (child, place) in children(self.p, numbering, v).zip(0..) {
                let start = time + wait * place;
                times[child as usize] = start + self.tau(self.n);
                latest = latest.max(start + self.both(self.n));
            }
        }
        latest
    }
}

/// Returns the children of `v` in the order of sending.
fn children(p: u32, numbering: Numbering, v: u32) -> impl Iterator<Item = u32> {
    let zeros = if v == 0 { 31 } else { v.trailing_zeros() };
    let first = 32 - v.leading_zeros();
    let bits: Vec<u32> = match numbering {
        Numbering::LowestBit => (0..zeros).rev().collect(),
        Numbering::HighestBit => (first..31).collect(),
    };
    bits.into_iter().map(move |bit| v + (1 << bit)).filter(move |child| *child < p)
}

/// Limits that no message of a fabric beats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FabricLimits {
    /// Shortest time of a message without payload between two hosts.
    pub latency: Span,
    /// Time that a host's link takes for a packet without payload.
    pub packet: Span,
    /// Rate of a host's link.
    pub rate: Rate,
}

/// Returns a lower bound on the completion of a whole collective with a rank a host, for any algorithm and congestion.
///
/// The bound is the greater of two.
///
/// * Latency: every rank has to hear of some rank, or some rank of every rank. Each rank that has heard can begin a
///   message every packet time (Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the `LogP` model",
///   SPAA 1993). The usual ceil(log2 p) latencies are a bound only if a host begins a single message in each latency:
///   an all-to-all that posts all messages at once takes less.
/// * Bandwidth: the bytes that some host must send or receive. All-reduce: 2 (p-1)/p n (Patarasuk, Yuan, "Bandwidth
///   optimal all-reduce algorithms for clusters of workstations", JPDC 69 (2009)).
#[must_use]
pub fn lower_bound(collective: &Collective, limits: FabricLimits) -> Span {
    let bytes = least_bytes(collective.kind(), collective.ranks(), collective.bytes());
    broadcast_time(collective.ranks(), limits).max(limits.rate.time_for(Bytes::new(bytes)))
}

/// Returns the time of the fastest broadcast without payload: each rank sends to new ranks as long as any are left.
fn broadcast_time(ranks: u32, FabricLimits { latency, packet, .. }: FabricLimits) -> Span {
    // Next arrivals that the messages of each informed rank can bring about.
    let mut arrivals = BinaryHeap::from([Reverse(latency)]);
    let mut last = Span::default();
    for _ in 1..ranks {
        let Reverse(arrival) = arrivals.pop().expect("an informed rank can always send");
        arrivals.extend([Reverse(arrival + packet), Reverse(arrival + latency)]);
        last = arrival;
    }
    last
}

/// Bytes that some host must send or receive, rounded down.
fn least_bytes(kind: CollectiveKind, ranks: u32, bytes: u64) -> u64 {
    let of_others = |times: u128| {
        let p = u128::from(ranks);
        u64::try_from(times * (p - 1) * u128::from(bytes) / p).expect("at most twice the bytes")
    };
    match kind {
        CollectiveKind::AllReduce(_) => of_others(2),
        CollectiveKind::ReduceScatter(_) | CollectiveKind::AllGather(_) | CollectiveKind::AllToAll(_) => {
            of_others(1)
        }
        CollectiveKind::Broadcast { .. } | CollectiveKind::Reduce { .. } => bytes,
        CollectiveKind::Barrier(_) => 0,
    }
}

/// Bandwidths of a collective, as nccl-tests define them (`doc/PERFORMANCE.md`), in GB/s of 10^9 bytes a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidth {
    /// Bytes of the collective divided by its time. All-gather, reduce-scatter and all-to-all count the total vector.
    pub algbw: f64,
    /// `algbw` times the factor of the collective: the rate of a link that a perfect algorithm would need, with a rank
    /// a host. Several ranks of a host may exceed the rate of its link.
    pub busbw: f64,
}

/// Returns busbw divided by algbw: 2 (p-1)/p for an all-reduce, (p-1)/p where each rank has a block, else 1; `None` for
/// a barrier, which moves no data.
#[must_use]
pub fn busbw_factor(kind: CollectiveKind, ranks: u32) -> Option<f64> {
    let of_others = f64::from(ranks - 1) / f64::from(ranks);
    match kind {
        CollectiveKind::AllReduce(_) => Some(2.0 * of_others),
        CollectiveKind::ReduceScatter(_) | CollectiveKind::AllGather(_) | CollectiveKind::AllToAll(_) => {
            Some(of_others)
        }
        CollectiveKind::Broadcast { .. } | CollectiveKind::Reduce { .. } => Some(1.0),
        CollectiveKind::Barrier(_) => None,
    }
}

/// Returns the bandwidths of a collective that took this time; `None` for a barrier, and for a time of 0.
#[must_use]
pub fn bandwidth(collective: &Collective, time: Span) -> Option<Bandwidth> {
    let factor = busbw_factor(collective.kind(), collective.ranks())?;
    let seconds = time.seconds();
    let algbw = collective.bytes() as f64 / seconds / 1e9;
    (seconds > 0.0).then_some(Bandwidth { algbw, busbw: algbw * factor })
}

#[cfg(test)]
mod tests;
