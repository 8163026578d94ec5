//! Groups of flows: their results over the whole run, and phase by phase.
//!
//! Invariant: every number is a sum, an extreme or a statistic over the group's flows, named or not. A flow belongs to
//! one group at most.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{FlowRecord, MessageRecord, RunRecord};
use units::{Span, Time};

use crate::completions::{MessageSample, MessageStatistics, Quantiles};
use crate::goodput::{self, PhaseGoodput, rounded_jain};
use measures::PhasePart;
use measures::flows::{FlowTotals, goodput_bps, waited};
use measures::rounded;

/// Most named flows of a group that tables show one by one. The group of more has a column for all of them.
pub const MOST_MEMBERS: usize = 8;

/// A group over the whole run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupSummary {
    /// Name of the group.
    pub group: String,
    /// Number of flows.
    pub flows: usize,
    /// Number of flows whose amount of data is known beforehand.
    pub finite_flows: usize,
    /// Number of these flows that delivered all their data.
    pub completed_flows: usize,
    /// Start of the first flow; `None` if no flow has a message to send.
    pub start_s: Option<f64>,
    /// Time of the last delivery, at which a job was done if all its flows are complete; `None` if there was none.
    pub last_delivery_s: Option<f64>,
    /// Payload that destinations' hosts took.
    pub delivered_bytes: u64,
    /// Goodput from the start of the run to its end, before a drain.
    pub goodput_bps: f64,
    /// Delivered packets that arrived marked, by the reason of the first switch that marked them.
    pub received_marks: BTreeMap<&'static str, u64>,
    /// BECNs that reached the ends of its flows.
    pub received_becns: u64,
    /// Time that flows waited in congestion trees whose roots they do not use, added up over flows and roots.
    pub waited_s: f64,
    /// Mean latency of delivered packets, from the first byte that leaves the source to the payload taken by the
    /// destination's host; `None` if there are none.
    pub mean_packet_latency_us: Option<f64>,
    /// Longest latency of a delivered packet.
    pub max_packet_latency_us: Option<f64>,
    /// Messages of all flows.
    #[serde(flatten)]
    pub messages: GroupMessages,
}

/// Messages of a group; no values if the run did not keep completion times.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct GroupMessages {
    /// Number of messages posted, by flows whose messages can be told apart; `None` with `completions: NotKept`.
    pub posted_messages: Option<usize>,
    /// Number of these messages that were delivered.
    pub delivered_messages: Option<usize>,
    /// Quantiles of the completion times over all posted messages, in microseconds; `None` without a message.
    pub fct_us: Option<Quantiles>,
    /// Quantiles of the slowdowns over all posted messages; `None` without a message.
    pub slowdown: Option<Quantiles>,
}

/// A group in one phase.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupInPhase {
    /// Name of the group.
    pub group: String,
    /// Number of flows that had data to send.
    pub active_flows: usize,
    /// Goodput of all flows together, over the whole phase.
    pub goodput_bps: f64,
    /// Goodput of all flows together, over the second half of the phase.
    pub second_half_goodput_bps: f64,
    /// Jain's index of the flows that were active, over the whole phase; `None` if none was, or none got anything.
    pub jain: Option<f64>,
    /// Jain's index of the flows that were active, over the second half of the phase.
    pub second_half_jain: Option<f64>,
    /// Messages posted in the phase, whenever they were delivered.
    #[serde(flatten)]
    pub messages: GroupMessages,
}

/// Returns for each item true if it is shown by itself: it has no group, or a group of at most [`MOST_MEMBERS`] items.
#[must_use]
pub fn shown_alone(groups: &[Option<&str>]) -> Vec<bool> {
    let mut members: BTreeMap<&str, usize> = BTreeMap::new();
    groups.iter().copied().flatten().for_each(|group| *members.entry(group).or_default() += 1);
    groups.iter().map(|group| group.is_none_or(|group| members[group] <= MOST_MEMBERS)).collect()
}

/// Returns the groups of a run over the whole run, in the order of the plan.
#[must_use]
pub fn over_run(record: &RunRecord) -> Vec<GroupSummary> {
    let messages = messages(record, 1, |_| 0).remove(0);
    let group_of = |flow: usize| record.flows[flow].group.map(|group| group as usize);
    let waited = waited(record, record.groups.len(), group_of);
    let groups = record.groups.iter().zip(record.members()).zip(waited).zip(messages);
    groups
        .map(|(((group, members), waited), messages)| GroupSummary {
            messages,
            ..GroupSummary::new(record, &group.name, &members, waited)
        })
        .collect()
}

/// Returns the groups of a run in each of its phases, in the order of the plan.
#[must_use]
pub fn by_phase(record: &RunRecord, phases: &[PhaseGoodput<'_>]) -> Vec<Vec<GroupInPhase>> {
    let members = record.members();
    let of_posting = |one: &MessageRecord| {
        record.phases.partition_point(|phase| phase.from <= one.posted).saturating_sub(1)
    };
    let messages = messages(record, phases.len(), of_posting);
    let group = |goodput: &PhaseGoodput<'_>, name: &str, members: &[usize], messages| {
        let flows = goodput.of(members.iter().copied());
        GroupInPhase {
            group: name.to_owned(),
            active_flows: flows.iter().filter(|flow| flow.active).count(),
            goodput_bps: goodput::total(&flows, PhasePart::Whole).round(),
            second_half_goodput_bps: goodput::total(&flows, PhasePart::SecondHalf).round(),
            jain: rounded_jain(&flows, PhasePart::Whole),
            second_half_jain: rounded_jain(&flows, PhasePart::SecondHalf),
            messages,
        }
    };
    let in_phase = |(goodput, messages): (&PhaseGoodput<'_>, Vec<GroupMessages>)| {
        let groups = record.groups.iter().zip(&members).zip(messages);
        groups.map(|((one, members), messages)| group(goodput, &one.name, members, messages)).collect()
    };
    phases.iter().zip(messages).map(in_phase).collect()
}

/// Returns the messages of each group, by part of the run. `part` is the part that a message belongs to.
fn messages(
    record: &RunRecord,
    parts: usize,
    part: impl Fn(&MessageRecord) -> usize,
) -> Vec<Vec<GroupMessages>> {
    let groups = record.groups.len();
    let Some(all) = &record.completions else {
        return vec![vec![GroupMessages::default(); groups]; parts];
    };
    let mut samples = vec![vec![MessageSample::default(); groups]; parts];
    for one in &all.messages {
        if let Some(group) = record.flows[one.flow as usize].group {
            samples[part(one)][group as usize].add(one, all);
        }
    }
    let of_part = |samples: Vec<MessageSample>| {
        samples.into_iter().map(|sample| GroupMessages::of(sample.statistics())).collect()
    };
    samples.into_iter().map(of_part).collect()
}

impl GroupMessages {
    fn of(statistics: Option<MessageStatistics>) -> Self {
        Self {
            posted_messages: Some(statistics.map_or(0, |all| all.posted_messages)),
            delivered_messages: Some(statistics.map_or(0, |all| all.delivered_messages)),
            fct_us: statistics.map(|all| all.fct_us),
            slowdown: statistics.map(|all| all.slowdown),
        }
    }

    /// Returns the statistics of the messages; `None` if there are none.
    #[must_use]
    pub fn statistics(&self) -> Option<MessageStatistics> {
        Some(MessageStatistics {
            posted_messages: self.posted_messages?,
            delivered_messages: self.delivered_messages?,
            fct_us: self.fct_us?,
            slowdown: self.slowdown?,
        })
    }
}

impl GroupSummary {
    fn new(record: &RunRecord, name: &str, members: &[usize], waited: Span) -> Self {
        let flows: Vec<&FlowRecord> = members.iter().map(|flow| &record.flows[*flow]).collect();
        let start = flows.iter().map(|flow| flow.start).filter(|start| *start != Time::NEVER);
        let totals = FlowTotals::of(flows.iter().copied());
        let in_us = |seconds: f64| rounded(seconds * 1e6, 6);
        Self {
            group: name.to_owned(),
            flows: flows.len(),
            finite_flows: flows.iter().filter(|flow| flow.total.is_some()).count(),
            completed_flows: flows.iter().filter(|flow| flow.complete()).count(),
            start_s: start.min().map(Time::seconds),
            last_delivery_s: flows
                .iter()
                .filter_map(|flow| flow.last_delivery.get())
                .max()
                .map(Time::seconds),
            delivered_bytes: totals.delivered.get(),
            goodput_bps: goodput_bps(record, members.iter().copied()).round(),
            received_marks: record
                .mark_reasons
                .iter()
                .map(|(code, name)| (*name, totals.marks.of(*code)))
                .collect(),
            received_becns: totals.becns,
            waited_s: waited.seconds(),
            mean_packet_latency_us: totals.mean_latency_s().map(in_us),
            max_packet_latency_us: totals.longest_latency_s().map(in_us),
            messages: GroupMessages::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use telemetry::GroupRecord;
    use units::Bytes;

    use crate::sample;

    /// Returns the first group in each phase.
    fn in_phases(record: &RunRecord) -> Vec<GroupInPhase> {
        by_phase(record, &goodput::by_phase(record)).iter().map(|groups| groups[0].clone()).collect()
    }

    /// Every flow of the record has a group of its own, so sums over groups are sums over flows.
    #[test]
    fn groups_of_one_flow_have_the_flow_s_numbers() {
        let mut record = sample::record();
        let name = |flow: &FlowRecord| GroupRecord { name: format!("of {}", flow.name) };
        record.groups = record.flows.iter().map(name).collect();
        (0..).zip(&mut record.flows).for_each(|(group, flow)| flow.group = Some(group));
        for (group, flow) in over_run(&record).iter().zip(&record.flows) {
            assert_eq!(group.group, format!("of {}", flow.name));
            assert_eq!((group.flows, group.delivered_bytes), (1, flow.delivered.get()));
            assert_eq!(group.received_marks.values().sum::<u64>(), flow.marks().total());
            assert_eq!(group.mean_packet_latency_us, Some(10.0));
        }
        let waited: Vec<_> = over_run(&record).iter().map(|group| group.waited_s).collect();
        assert_eq!(waited, [0.0, 0.007_25, 0.0, 0.0]);
        let phases = goodput::by_phase(&record);
        for (phase, groups) in phases.iter().zip(by_phase(&record, &phases)) {
            let of_groups = groups.iter().map(|group| (group.goodput_bps, group.second_half_goodput_bps));
            let of_flows = phase
                .flows
                .iter()
                .map(|flow| (flow.over(PhasePart::Whole), flow.over(PhasePart::SecondHalf)));
            assert!(of_groups.eq(of_flows));
        }
    }

    #[test]
    fn flows_of_a_large_group_are_not_shown_one_by_one() {
        let shown = |members| {
            let groups: Vec<_> = (0..=members).map(|place| (place > 0).then_some("many")).collect();
            shown_alone(&groups)
        };
        assert_eq!(shown(MOST_MEMBERS), [true; MOST_MEMBERS + 1]);
        assert_eq!(
            shown(MOST_MEMBERS + 1).iter().filter(|shown| **shown).count(),
            1,
            "the flow without a group"
        );
    }

    #[test]
    fn a_group_adds_up_its_flows_named_or_not() {
        let record = sample::record();
        let [group] = &over_run(&record)[..] else { panic!("the sample has one group") };
        assert_eq!((group.flows, group.finite_flows, group.completed_flows), (2, 1, 1));
        assert_eq!((group.delivered_bytes, group.goodput_bps), (5_000_000, 2e9));
        assert_eq!((group.received_marks["root"], group.received_becns), (4, 6));
        assert_eq!((group.start_s, group.last_delivery_s), (Some(0.0), Some(0.0195)));
        let [before, during] = &in_phases(&record)[..] else { panic!("the sample has two phases") };
        assert_eq!((before.active_flows, before.jain), (1, Some(1.0)));
        assert_eq!((during.active_flows, during.goodput_bps), (2, 8.2e9));
        assert_eq!(during.second_half_goodput_bps, 8.4e9);
    }

    /// The group posts messages of 1,000 bytes and of 2.5 MB in the second phase, and both are delivered. The flow
    /// outside it posts two messages of 2.5 MB; the second is not delivered.
    #[test]
    fn a_group_has_the_messages_of_its_flows_by_the_phase_of_their_posting() {
        let mut record = sample::record();
        let quantile = |messages: &GroupMessages| messages.fct_us.map(|fct| (fct.p50, fct.p99));
        let counts = |messages: &GroupMessages| (messages.posted_messages, messages.delivered_messages);
        let group = over_run(&record).remove(0);
        assert_eq!(counts(&group.messages), (Some(2), Some(2)));
        assert_eq!(quantile(&group.messages), Some((2.0.into(), 1300.0.into())));
        let phases: Vec<_> = in_phases(&record).iter().map(|group| group.messages).collect();
        assert_eq!(phases.iter().map(counts).collect::<Vec<_>>(), [(Some(0), Some(0)), (Some(2), Some(2))]);
        assert_eq!(phases.iter().map(quantile).collect::<Vec<_>>(), [None, quantile(&group.messages)]);
        record.flows[3].group = Some(0);
        let group = over_run(&record).remove(0);
        assert_eq!(counts(&group.messages), (Some(4), Some(3)));
        assert!(
            group.messages.fct_us.is_some_and(|fct| fct.p50.exact().is_some() && fct.p99.exact().is_none())
        );
        record.completions = None;
        assert_eq!(counts(&over_run(&record)[0].messages), (None, None));
    }

    #[test]
    fn a_group_without_packets_has_no_latency_and_no_index() {
        let mut record = sample::record();
        record.flows[0] = FlowRecord { group: Some(0), ..FlowRecord::default() };
        record.flows[2].group = None;
        let group = over_run(&record).remove(0);
        assert_eq!((group.mean_packet_latency_us, group.max_packet_latency_us), (None, None));
        assert_eq!((group.last_delivery_s, group.delivered_bytes), (None, 0));
        record.snapshots.iter_mut().for_each(|snapshot| snapshot.delivered[0] = Bytes::ZERO);
        assert_eq!(in_phases(&record)[0].jain, None);
    }
}
