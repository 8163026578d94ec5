//! A job of a run: the programs of its ranks, and the hosts that run them.
//!
//! Invariant: two ranks on different hosts that exchange messages have flows for each direction with messages. Pairs
//! are in the order of their sender and then of their receiver, which is the order of the job's flows.

use core::ops::Range;
use std::sync::Arc;

use packet::NodeId;
use units::{Bytes, Rate, Span, Time};

use super::assembly::tags_of;
use super::collective::Collective;
use super::graph::{Programs, SentTo};
use super::pace::Pace;
use super::rendezvous::{CLEAR_BYTES, REQUEST_BYTES};

/// A job of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Name in tables and files.
    pub name: String,
    /// Hosts by rank.
    pub hosts: Arc<[NodeId]>,
    /// Time at which the first rank may begin.
    pub start: Time,
    /// Time at which each rank begins.
    pub starts: Arc<[Time]>,
    /// Runs of the program, one after the other at each rank, at least 1.
    pub runs: u32,
    /// Iterations of the job: the runs, or parts of a program that has them all.
    pub iterations: u32,
    /// Pace of each rank's computations.
    pub paces: Arc<[Pace]>,
    /// Way of messages between ranks of a host, which take no time without.
    pub local: Option<LocalLink>,
    /// The collective that the program is, and the number of its groups; `None` of other programs.
    pub collective: Option<Arc<(Collective, u32)>>,
    /// Programs by rank.
    pub programs: Arc<Programs>,
    /// Different tags of its messages, ascending. Immediate data is a place in this list.
    pub tags: Arc<[u32]>,
    /// Least bytes of messages between hosts that ask their receiver before their payload goes; `None` if none asks.
    pub rendezvous: Option<u64>,
    /// Queue pairs from a rank to another, at least 1: as many flows for each pair.
    pub queue_pairs: u32,
    /// Pairs of ranks that exchange messages between hosts.
    pub pairs: Arc<[JobPair]>,
    /// Number of the first flow of its first pair.
    pub first_flow: u32,
    /// Operations of all ranks in all iterations.
    pub operations: u64,
    /// Their messages, also between ranks of a host.
    pub messages: u64,
    /// Payload of these messages, in bytes; all ones for as much or more, which no run takes.
    pub bytes: u64,
}

/// A pair of ranks on different hosts, and the messages from one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobPair {
    /// Rank that sends.
    pub from: u32,
    /// Rank that receives.
    pub to: u32,
    /// Messages of an iteration, with requests and answers of rendezvous.
    pub messages: u64,
    /// Their payload, in bytes.
    pub bytes: u64,
    /// The longest of them, in bytes.
    pub longest: u64,
}

/// Way of messages between ranks of a host. A rank sends one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalLink {
    /// Payload over time.
    pub rate: Rate,
    /// Time from the end of a message at its sender to its arrival.
    pub latency: Span,
}

impl LocalLink {
    /// Returns the arrival of a message that a rank posts now. `free` is the time from which its next may start.
    pub(super) fn carry(self, bytes: u64, free: &mut Time, now: Time) -> Time {
        *free = now.max(*free) + self.rate.time_for(Bytes::new(bytes));
        *free + self.latency
    }
}

/// The placement of a job's ranks, before its flows have numbers.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Name of the job.
    pub name: String,
    /// Hosts by rank, at least as many as programs.
    pub hosts: Vec<NodeId>,
    /// Time at which the first rank may begin.
    pub start: Time,
    /// Programs by rank.
    pub programs: Programs,
    /// Times of the ranks.
    pub timing: Timing,
    /// Least bytes of messages that ask their receiver.
    pub rendezvous: Option<u64>,
    /// Queue pairs from a rank to another.
    pub queue_pairs: u32,
}

/// Times of a job besides its messages between hosts.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Time at which each rank begins.
    pub starts: Vec<Time>,
    /// Runs of the program, one after the other at each rank, at least 1.
    pub runs: u32,
    /// Pace of each rank's computations.
    pub paces: Vec<Pace>,
    /// Way of messages between ranks of a host.
    pub local: Option<LocalLink>,
}

impl Job {
    /// Most operations of a job with their times kept: those of a larger job would take more than 700 MB.
    pub const MOST_TIMED: u64 = 1 << 24;

    /// Returns true if a run keeps the times of the operations.
    #[must_use]
    pub const fn keeps_times(&self) -> bool {
        self.operations <= Self::MOST_TIMED
    }

    /// Returns the flows from one rank to another; `None` if they share a host, or exchange no message.
    #[must_use]
    pub fn flows(&self, from: u32, to: u32) -> Option<Range<u32>> {
        let place = self.pairs.binary_search_by_key(&(from, to), |pair| (pair.from, pair.to)).ok()?;
        let first = self.first_flow + place as u32 * self.queue_pairs;
        Some(first..first + self.queue_pairs)
    }

    /// Returns true if a message of this size between two hosts asks its receiver.
    #[must_use]
    pub fn asks(&self, bytes: u64) -> bool {
        self.rendezvous.is_some_and(|least| bytes >= least)
    }

    /// Creates a job. Its flows get numbers later.
    pub(crate) fn new(placed: Placed) -> Self {
        let Placed { name, hosts, start, programs, timing, rendezvous, queue_pairs } = placed;
        let Timing { starts, runs, paces, local } = timing;
        let tags = tags_of(&programs);
        let (mut pairs, mut controls) = (Vec::new(), Vec::new());
        let (mut messages, mut bytes) = (0, 0);
        for (from, program) in (0..).zip(&programs.ranks) {
            for SentTo { to, messages: sent, bytes: payload, longest, asking } in program.sent(rendezvous) {
                messages += sent;
                bytes = payload.saturating_add(bytes);
                if hosts[from as usize] != hosts[to as usize] {
                    let pair = JobPair { from, to, messages: sent, bytes: payload, longest };
                    pairs.push(pair);
                    if asking > 0 {
                        controls.extend(handshakes(pair, asking));
                    }
                }
            }
        }
        let pairs = joined(pairs, controls);
        let operations = programs.operations() as u64 * u64::from(runs);
        (messages, bytes) = (messages * u64::from(runs), u64::from(runs).saturating_mul(bytes));
        Self {
            name,
            hosts: hosts.into(),
            start,
            starts: starts.into(),
            runs,
            iterations: runs,
            paces: paces.into(),
            local,
            collective: None,
            programs: Arc::new(programs),
            tags: tags.into(),
            rendezvous,
            queue_pairs,
            pairs: pairs.into(),
            first_flow: 0,
            operations,
            messages,
            bytes,
        }
    }

    /// Returns the number of hosts that run ranks.
    #[must_use]
    pub fn hosts_in_use(&self) -> usize {
        let mut hosts: Vec<NodeId> = self.hosts[..self.programs.ranks.len()].to_vec();
        hosts.sort_unstable();
        hosts.dedup();
        hosts.len()
    }
}

/// Returns the requests that this many messages of a pair need, and the answers of the other direction.
fn handshakes(JobPair { from, to, .. }: JobPair, messages: u64) -> [JobPair; 2] {
    let of = |(from, to), bytes: u64| JobPair { from, to, messages, bytes: messages * bytes, longest: bytes };
    [of((from, to), REQUEST_BYTES), of((to, from), CLEAR_BYTES)]
}

/// Returns pairs with their handshakes, in order.
fn joined(mut pairs: Vec<JobPair>, controls: Vec<JobPair>) -> Vec<JobPair> {
    pairs.extend(controls);
    pairs.sort_unstable_by_key(|pair| (pair.from, pair.to));
    pairs.dedup_by(|other, pair| {
        let same = (other.from, other.to) == (pair.from, pair.to);
        if same {
            pair.messages += other.messages;
            pair.bytes = pair.bytes.saturating_add(other.bytes);
            pair.longest = pair.longest.max(other.longest);
        }
        same
    });
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::{GraphBuilder, Work};
    use super::*;

    /// Ranks of a host send each other any number of bytes; their sum does not begin at 0 again.
    #[test]
    fn the_sum_of_all_bytes_ends_at_its_largest_value() {
        let job = |bytes: [u64; 2]| {
            let mut builder = GraphBuilder::default();
            bytes
                .iter()
                .for_each(|bytes| _ = builder.add(Work::Send { to: 0, bytes: *bytes, tag: 0 }.on_cpu(0)));
            let programs = Programs { ranks: vec![builder.build().expect("no circle")] };
            let timing =
                Timing { starts: vec![Time::ZERO], runs: 1, paces: vec![Pace::default()], local: None };
            let (name, hosts) = ("A".to_owned(), vec![NodeId(0)]);
            let (rendezvous, queue_pairs) = (None, 1);
            Job::new(Placed { name, hosts, start: Time::ZERO, programs, timing, rendezvous, queue_pairs })
        };
        assert_eq!((job([5, 7]).bytes, job([5, 7]).messages), (12, 2));
        assert_eq!(job([u64::MAX, 9]).bytes, u64::MAX);
    }
}
