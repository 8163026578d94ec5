//! Completion of flows and messages, side by side.
//!
//! Invariant: quantiles over all messages count undelivered messages with their age. Quantiles over the messages that
//! every run delivered cover the same messages in each run: flow, number and size agree.

use telemetry::{Completions, FlowRecord, MessageRecord, RunRecord};

use super::flow_numbers::FlowNumbers;
use super::row::{ComparedRun, ComparisonRow, ValueUnit};
use crate::completions::{MessageStatistics, SizeBin, by_size, microseconds};
use measures::censoring::{CensoredSample, CensoredValue, SortedSample};

/// Topic of rows about all posted messages.
pub(super) const POSTED: &str = "messages";
/// Topic of rows about the messages that every run delivered.
pub(super) const COMMON: &str = "common messages";

/// Returns the completion times of flows with an end that have begun, in us. A flow that is not complete counts with
/// its age.
fn of_flows(record: &RunRecord) -> SortedSample {
    let end = record.simulated.after_start();
    let begun = record.flows.iter().filter(|flow| flow.total.is_some() && flow.start <= end);
    let time = |flow: &FlowRecord| match flow.completed() {
        Some(at) => CensoredValue::Exact(microseconds(at.since(flow.start))),
        None => CensoredValue::AtLeast { at_least: microseconds(end.since(flow.start)) },
    };
    begun.map(time).collect::<CensoredSample>().sorted()
}

/// Returns the completion times of flows with an end.
pub(super) fn flow_rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let times: Vec<_> = runs.iter().map(|run| of_flows(run.record)).collect();
    if times.iter().all(SortedSample::is_empty) {
        return Vec::new();
    }
    let row = |what: &str, unit, of: &dyn Fn(&SortedSample) -> Option<CensoredValue>| ComparisonRow {
        topic: "completion",
        phase: String::new(),
        what: what.to_owned(),
        cells: times.iter().map(of).collect(),
        unit,
    };
    let mut rows = vec![
        row("flows with an end", ValueUnit::Count, &|times| count(times.len())),
        row("complete", ValueUnit::Count, &|times| count(times.known())),
        row("mean", ValueUnit::Us, &SortedSample::mean),
    ];
    for (what, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("longest", 1.0)] {
        rows.push(row(what, ValueUnit::Us, &|times| times.quantile(share)));
    }
    rows
}

fn count(number: usize) -> Option<CensoredValue> {
    Some(CensoredValue::Exact(number as f64))
}

/// A row about messages: its name, its unit, and its value.
pub(super) type MessageMeasure = (&'static str, ValueUnit, fn(&MessageStatistics) -> CensoredValue);

pub(super) const QUANTILES: [MessageMeasure; 4] = [
    ("p50", ValueUnit::Us, |messages| messages.fct_us.p50),
    ("p99", ValueUnit::Us, |messages| messages.fct_us.p99),
    ("slowdown, p50", ValueUnit::Share, |messages| messages.slowdown.p50),
    ("slowdown, p99", ValueUnit::Share, |messages| messages.slowdown.p99),
];

pub(super) const COUNTS: [MessageMeasure; 2] = [
    ("posted", ValueUnit::Count, |messages| CensoredValue::Exact(messages.posted_messages as f64)),
    ("delivered", ValueUnit::Count, |messages| CensoredValue::Exact(messages.delivered_messages as f64)),
];

/// Returns the completion times by size: of all messages, and of messages that every run delivered. Runs that did not
/// keep completions have no values.
pub(super) fn message_rows(runs: &[ComparedRun<'_>], numbers: &FlowNumbers) -> Vec<ComparisonRow> {
    let all: Vec<Vec<SizeBin>> = runs
        .iter()
        .map(|run| run.summary.completions.as_ref().map_or_else(Vec::new, |all| all.by_size.clone()))
        .collect();
    let mut rows = by_size_rows(POSTED, &all, &[&COUNTS[..], &QUANTILES].concat());
    let kept: Option<Vec<_>> = runs
        .iter()
        .zip(&numbers.of_runs)
        .map(|(run, flows)| Some((&flows[..], run.record.completions.as_ref()?)))
        .collect();
    if let Some(kept) = kept.filter(|kept| kept.len() > 1) {
        rows.extend(common_rows(&kept));
    }
    rows
}

fn by_size_rows(
    topic: &'static str,
    bins: &[Vec<SizeBin>],
    measures: &[MessageMeasure],
) -> Vec<ComparisonRow> {
    let mut ends: Vec<_> =
        bins.iter().flatten().map(|bin| (bin.up_to_bytes.unwrap_or(u64::MAX), bin.label())).collect();
    ends.sort();
    ends.dedup();
    let row = |label: &str, (what, unit, of): MessageMeasure| ComparisonRow {
        topic,
        phase: label.to_owned(),
        what: what.to_owned(),
        cells: bins
            .iter()
            .map(|bins| bins.iter().find(|bin| bin.label() == label).map(|bin| of(&bin.messages)))
            .collect(),
        unit,
    };
    ends.iter().flat_map(|(_, label)| measures.iter().map(|measure| row(label, *measure))).collect()
}

/// Identity of a message in every run: number of its flow, its number in the flow, and its size.
type MessageKey = (u32, u32, u64);

/// Returns the completion times, by size, of the messages that all of these runs delivered.
///
/// Each run has the numbers of its flows.
fn common_rows(kept: &[(&[u32], &Completions)]) -> Vec<ComparisonRow> {
    let key = |flows: &[u32], one: &MessageRecord| -> MessageKey {
        (flows[one.flow as usize], one.number, one.size.get())
    };
    let keys = |(flows, all): &(&[u32], &Completions)| {
        let mut keys: Vec<_> = all.delivered().iter().map(|one| key(flows, one)).collect();
        keys.sort_unstable();
        keys
    };
    let common = kept.iter().map(keys).reduce(|mut common, keys| {
        common.retain(|key| keys.binary_search(key).is_ok());
        common
    });
    let common = common.unwrap_or_default();
    let total = ComparisonRow {
        topic: COMMON,
        phase: "all sizes".to_owned(),
        what: "delivered by every run".to_owned(),
        cells: vec![count(common.len()); kept.len()],
        unit: ValueUnit::Count,
    };
    let bins: Vec<_> = kept
        .iter()
        .map(|(flows, all)| {
            let is_common = |one: &MessageRecord| common.binary_search(&key(flows, one)).is_ok();
            by_size(all, all.delivered().iter().copied().filter(is_common))
        })
        .collect();
    let number: MessageMeasure = ("delivered by every run", COUNTS[1].1, COUNTS[1].2);
    let mut rows = vec![total];
    rows.extend(by_size_rows(COMMON, &bins, &[&[number][..], &QUANTILES].concat()));
    rows
}
