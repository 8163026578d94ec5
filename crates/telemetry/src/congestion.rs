//! Congestion trees: roots, contributors, victims, and waiting times.
//!
//! Invariant: flows are numbered in the order of the run's flows, roots in the order of their first samples.
//! `docs/models/congestion-trees.md` defines every word.

use std::collections::{BTreeMap, BTreeSet};

use units::{Bytes, Rate, Span, Time};

use crate::{Completions, MessageRecord};

/// The congestion trees of a run, by sample and by root.
#[derive(Clone, Debug, Default)]
pub struct Congestion {
    /// Every root of a tree, in the order of their first samples.
    pub roots: Vec<RootRecord>,
    /// Every tree at every sample, in order of time, then node, port and lane of the root.
    pub samples: Vec<TreeSample>,
    /// Number of samples of the run, with trees or without.
    pub sampled: u32,
    /// The tree with most branches at a sample; among several, the tree with the longest queue, and among these the
    /// first.
    pub worst: Option<WorstTree>,
}

impl Congestion {
    /// Lowers the losses of victims to payload that they had posted and not delivered while the tree lasted. All trees
    /// together cost a flow no more than it posted. Flows with messages that cannot be distinguished stay as they are.
    /// `is_open` says whether a flow posts at times that do not depend on deliveries: another would have posted more.
    pub fn limit_losses(&mut self, all: &Completions, is_open: impl Fn(u32) -> bool) {
        let losers = self.roots.iter().flat_map(|root| &root.victims).filter(|one| one.lost > Bytes::ZERO);
        let losers: BTreeSet<u32> = losers.map(|one| one.flow).filter(|flow| is_open(*flow)).collect();
        let mut posted: BTreeMap<u32, (Vec<&MessageRecord>, u64)> = BTreeMap::new();
        for message in all.messages.iter().filter(|message| losers.contains(&message.flow)) {
            let (messages, left) = posted.entry(message.flow).or_default();
            messages.push(message);
            *left += message.size.get();
        }
        for root in &mut self.roots {
            let meanwhile = |one: &&&MessageRecord| {
                one.posted <= root.last && one.completed.is_none_or(|at| at >= root.first)
            };
            for victim in &mut root.victims {
                let Some((messages, left)) = posted.get_mut(&victim.flow) else { continue };
                let outstanding: u64 = messages.iter().filter(meanwhile).map(|one| one.size.get()).sum();
                let lost = victim.lost.get().min(outstanding).min(*left);
                *left -= lost;
                victim.lost = Bytes::new(lost);
            }
            root.lost = root.victims.iter().map(|victim| victim.lost).sum();
        }
    }
}

/// A tree at a sample, output by output and flow by flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorstTree {
    /// Time of the sample.
    pub at: Time,
    /// Number of the root.
    pub root: u32,
    /// Outputs and lanes that are stalled, parents before children.
    pub branches: Vec<BranchRecord>,
    /// Flows that leave through the root, in order.
    pub contributors: Vec<u32>,
    /// Flows that wait in the tree without leaving through the root, in order.
    pub victims: Vec<u32>,
}

/// An output and lane that a root holds back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchRecord {
    /// Name of the node.
    pub node: String,
    /// Number of the output port, counted from 1.
    pub port: u16,
    /// Name of the node at the far end.
    pub peer: String,
    /// Number of the lane.
    pub lane: u8,
    /// Distance from the root, in links.
    pub depth: u32,
}

/// The root of a congestion tree, which is an output and lane, over the whole run.
#[derive(Clone, Debug, Default)]
pub struct RootRecord {
    /// Name of the switch.
    pub node: String,
    /// Number of the output port, counted from 1.
    pub port: u16,
    /// Name of the node at the far end.
    pub peer: String,
    /// Number of the lane.
    pub lane: u8,
    /// Time of the first sample of the tree.
    pub first: Time,
    /// Time of the last sample of the tree.
    pub last: Time,
    /// Number of samples of the tree.
    pub samples: u32,
    /// Largest number of branches at a sample.
    pub branches: u32,
    /// Longest path from the root to the end of a branch, in links.
    pub depth: u32,
    /// Largest number of saturated ports at a sample.
    pub ports: u32,
    /// Sum over all branches of the time stalled: the size of the tree over time.
    pub stalled: Span,
    /// Rate of the root's link.
    pub rate: Rate,
    /// Cause of the root, if the rule names any.
    pub cause: Option<Cause>,
    /// Number of hosts that send the contributors' data.
    pub senders: u32,
    /// Flows that leave through the root, the largest first.
    pub contributors: Vec<ContributorRecord>,
    /// Flows that waited in the tree without leaving through the root, the longest wait first.
    pub victims: Vec<VictimRecord>,
    /// Payload that idle branches could have carried for the victims: the cost of the tree.
    pub lost: Bytes,
}

state_codec::value!(RootRecord {
    node,
    port,
    peer,
    lane,
    first,
    last,
    samples,
    branches,
    depth,
    ports,
    stalled,
    rate,
    cause,
    senders,
    contributors,
    victims,
    lost,
});

/// The cause of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The host behind the root takes less than its link brings.
    SlowReceiver {
        /// Payload that the host takes.
        takes: Rate,
    },
    /// The buffer at the far end of the root's link is smaller than its bandwidth times the round trip of a credit.
    CreditRoundTrip {
        /// The buffer.
        buffer: Bytes,
        /// The smallest buffer with which the link can be busy all the time.
        needed: Bytes,
    },
    /// The root's wire is idle while packets wait for it behind the heads of input FIFOs.
    HeadOfLine,
    /// The root's link is slower than each link that feeds it.
    SlowerLink {
        /// Rate of the slowest link that feeds the root.
        feeding: Rate,
    },
    /// Several hosts send more than the root's link can take, and no single link that feeds the root brings more.
    MoreSenders,
    /// Several links feed the root's link, which is slower than each of them.
    SlowerLinkOfSeveral {
        /// Rate of the slowest link that feeds the root.
        feeding: Rate,
    },
}

state_codec::value!(enum Cause {
    0 = SlowReceiver { takes },
    1 = CreditRoundTrip { buffer, needed },
    2 = HeadOfLine,
    3 = SlowerLink { feeding },
    4 = MoreSenders,
    5 = SlowerLinkOfSeveral { feeding },
});

/// The part of a flow in a tree that has a root on the flow's path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContributorRecord {
    /// Number of the flow.
    pub flow: u32,
    /// Number of samples at which its data waited in the tree.
    pub samples: u32,
    /// Payload that its host took in the sampling intervals that began with such a sample. `None` if its packets may
    /// have come by other outputs.
    pub through: Option<Bytes>,
}

state_codec::value!(ContributorRecord { flow, samples, through });

/// The delay of a flow by a tree to which it does not contribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VictimRecord {
    /// Number of the flow.
    pub flow: u32,
    /// Number of samples at which its packets waited in the tree.
    pub samples: u32,
    /// Time for which an output on the path of those packets was without credit.
    pub waited: Span,
    /// Payload that the idle outputs on its path could have carried for it, shared fairly with the tree's other
    /// victims.
    pub lost: Bytes,
}

state_codec::value!(VictimRecord { flow, samples, waited, lost });

/// Load of an output and lane of a switch, at the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutputLoad {
    /// Largest number of bytes that waited for the output in its switch.
    pub queue_peak: Bytes,
    /// Mean number of bytes that waited for it.
    pub queue_mean: f64,
    /// Number of flows that delivered payload through the output. `None` if packets of some may have left by it or by
    /// another: only their ends count packets by flow.
    pub flows: Option<u32>,
    /// Number of samples at which it was congested by itself.
    pub congested: u32,
    /// Number of samples at which it was the root of a tree.
    pub rooted: u32,
    /// Number of samples at which it was stalled and is not itself the obstacle.
    pub stalled: u32,
}

/// A tree at a sample.
#[derive(Clone, Debug, Default)]
pub struct TreeSample {
    /// Time of the sample.
    pub at: Time,
    /// Time of the first of the consecutive samples of the tree up to this sample.
    pub since: Time,
    /// Number of the root.
    pub root: u32,
    /// Data that waits for the root in its switch.
    pub queue: Bytes,
    /// Number of outputs and lanes of switches and adapters that are stalled.
    pub branches: u32,
    /// Longest path from the root to the end of a branch, in links.
    pub depth: u32,
    /// Number of saturated ports: the ports of the branches and of the root.
    pub ports: u32,
    /// Number of contributors.
    pub contributors: u32,
    /// Number of victims.
    pub victims: u32,
}

state_codec::value!(TreeSample { at, since, root, queue, branches, depth, ports, contributors, victims });

#[cfg(test)]
mod tests {
    use super::*;

    /// Two trees, one after the other, each with the flow as a victim. It posted 600 bytes in time for the first, 400
    /// after it.
    #[test]
    fn a_victim_loses_at_most_what_it_had_posted() {
        let at = |us| Span::from_us(us).after_start();
        let message = |size, posted, completed: Option<u64>| MessageRecord {
            flow: 3,
            number: 1,
            size: Bytes::new(size),
            posted: at(posted),
            completed: completed.map(at),
            ideal: Span::from_us(1),
            acknowledged: None,
        };
        let all = Completions {
            messages: vec![message(500, 0, Some(1)), message(600, 2, Some(9)), message(400, 6, None)],
            end: at(20),
            ..Completions::default()
        };
        let limited = |lost: [u64; 2], flow, is_open| {
            let root = |(lost, first, last)| {
                let victim =
                    VictimRecord { flow, samples: 1, waited: Span::from_us(1), lost: Bytes::new(lost) };
                let (first, last) = (at(first), at(last));
                RootRecord {
                    victims: vec![victim],
                    lost: Bytes::new(lost),
                    first,
                    last,
                    ..RootRecord::default()
                }
            };
            let roots = vec![root((lost[0], 3, 5)), root((lost[1], 7, 19))];
            let mut congestion = Congestion { roots, ..Congestion::default() };
            congestion.limit_losses(&all, |_| is_open);
            congestion.roots.iter().for_each(|root| assert_eq!(root.lost, root.victims[0].lost));
            [0, 1].map(|root| congestion.roots[root].lost.get())
        };
        assert_eq!(limited([10, 20], 3, true), [10, 20], "nothing to lower");
        assert_eq!(
            limited([5000, 20], 3, true),
            [600, 20],
            "the first message had been delivered, the last not posted"
        );
        assert_eq!(limited([600, 5000], 3, true), [600, 900], "1,500 bytes in all");
        assert_eq!(limited([5000, 5000], 3, false), [5000, 5000], "messages follow each other");
        assert_eq!(
            limited([5000, 5000], 4, true),
            [5000, 5000],
            "of a flow without messages nothing is known"
        );
    }
}
