//! Totals of roots and of outputs over a run.
//!
//! Invariant: totals grow at samples only.

use std::collections::BTreeMap;

use telemetry::{ContributorRecord, OutputLoad, RootRecord, VictimRecord};
use units::{Bytes, Time};

use super::CongestionTree;
use super::cause::RootFacts;
use super::found::Members;

/// A root, with its totals over the run.
#[derive(Debug, Default)]
pub(super) struct RootTotals {
    pub(super) number: u32,
    pub(super) since: Time,
    pub(super) record: RootRecord,
    pub(super) facts: RootFacts,
    contributors: BTreeMap<u32, ContributorTotals>,
    victims: BTreeMap<u32, VictimRecord>,
}

state_codec::value!(RootTotals { number, since, record, facts, contributors, victims });

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContributorTotals {
    record: ContributorRecord,
    /// The last sample at which its data waited in the tree, and the payload that it had delivered by then.
    last: (Time, Bytes),
}

state_codec::value!(ContributorTotals { record, last });

/// An output and lane of a switch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutputTotals {
    /// Sum of the queue's lengths over the samples, in bytes.
    sum: u128,
    peak: Bytes,
    pub(super) congested: u32,
    pub(super) rooted: u32,
    pub(super) stalled: u32,
    /// True if the queue was above the threshold at the previous sample.
    pub(super) was_over: bool,
}

state_codec::value!(OutputTotals { sum, peak, congested, rooted, stalled, was_over });

impl RootTotals {
    /// Creates the totals of the root of this number. `record` has no sample yet.
    pub(super) fn new(number: u32, record: RootRecord) -> Self {
        Self { number, record, ..Self::default() }
    }

    /// Returns true if data of a flow have waited for the root at an earlier sample.
    pub(super) fn knows(&self, flow: u32) -> bool {
        self.contributors.contains_key(&flow)
    }

    /// Adds the payload that contributors delivered since the previous sample, at which their data waited in the
    /// tree, if all of it came through the root.
    pub(super) fn settle(&mut self, before: Time, delivered: impl Fn(u32) -> Bytes) {
        if self.record.last == before {
            let open = self.contributors.iter_mut().filter(|(_, totals)| totals.last.0 == before);
            for (flow, totals) in open {
                if let Some(through) = &mut totals.record.through {
                    *through += delivered(*flow) - totals.last.1;
                }
            }
        }
    }

    /// Adds the tree of a sample. `is_only_way` tells flows that reach their destination through the root alone.
    pub(super) fn add(
        &mut self,
        (tree, members): (&CongestionTree, &Members),
        at: Time,
        (delivered, is_only_way): (impl Fn(u32) -> Bytes, impl Fn(u32) -> bool),
    ) {
        let record = &mut self.record;
        record.last = at;
        record.samples += 1;
        record.branches = record.branches.max(tree.branches.len() as u32);
        record.depth = record.depth.max(tree.depth());
        record.ports = record.ports.max(tree.ports());
        self.facts.count(tree.kind);
        self.facts.feeders.extend(&members.feeders);
        for flow in &members.contributors {
            let totals = self.contributors.entry(*flow).or_insert_with(|| {
                let through = is_only_way(*flow).then_some(Bytes::ZERO);
                let record = ContributorRecord { flow: *flow, samples: 0, through };
                ContributorTotals { record, ..ContributorTotals::default() }
            });
            totals.record.samples += 1;
            totals.last = (at, delivered(*flow));
            if members.by_packets {
                self.victims.remove(flow);
            }
        }
        for victim in &members.victims {
            let totals = self.victims.entry(victim.flow).or_default();
            totals.flow = victim.flow;
            totals.samples += 1;
            totals.waited += victim.waited;
            totals.lost += victim.lost;
        }
    }

    /// Returns the record of the whole run. `payload` converts bytes on the wire.
    pub(super) fn finished(&self, payload: impl Fn(Bytes) -> Bytes) -> RootRecord {
        let mut contributors: Vec<_> = self.contributors.values().map(|totals| totals.record).collect();
        contributors.sort_by_key(|one| (core::cmp::Reverse((one.through, one.samples)), one.flow));
        let in_payload = |victim: &VictimRecord| VictimRecord { lost: payload(victim.lost), ..*victim };
        let mut victims: Vec<_> = self.victims.values().map(in_payload).collect();
        victims.sort_by_key(|victim| (core::cmp::Reverse(victim.waited), victim.flow));
        let lost = victims.iter().map(|victim| victim.lost).sum();
        RootRecord { contributors, victims, lost, ..self.record.clone() }
    }
}

impl OutputTotals {
    /// Adds the queue of a sample.
    pub(super) fn see(&mut self, queue: Bytes) {
        self.sum += u128::from(queue.get());
        self.peak = self.peak.max(queue);
    }

    /// Returns the load of an output over a number of samples. `flows` is the number of flows that delivered payload
    /// through it, if it is known.
    pub(super) fn load(&self, samples: u32, flows: Option<u32>) -> OutputLoad {
        OutputLoad {
            queue_peak: self.peak,
            queue_mean: self.sum as f64 / f64::from(samples.max(1)),
            flows,
            congested: self.congested,
            rooted: self.rooted,
            stalled: self.stalled,
        }
    }
}
