//! Completion of flows and messages, side by side.
//!
//! Invariant: quantiles over all messages count undelivered messages with their age. Quantiles over the messages that
//! every run delivered cover the same messages in each run: flow, number and size agree.

use telemetry::{Completions, FlowRecord, MessageRecord, RunRecord};

use super::flow_numbers::FlowNumbers;
use super::row::{ComparedRun, ComparisonRow, RowKind};
use crate::completions::{MessageStatistics, SizeBin, by_size};
use measures::Quantity;
use measures::censoring::{CensoredSample, CensoredValue, SortedSample};

/// Topic of rows about all posted messages.
pub(super) const POSTED: &str = "messages";
/// Topic of rows about the messages that every run delivered.
pub(super) const COMMON: &str = "common messages";

/// Returns the completion times of flows with an end that have begun, in s. A flow that is not complete counts with
/// its age.
fn of_flows(record: &RunRecord) -> SortedSample {
    let end = record.simulated.after_start();
    let begun = record.flows.iter().filter(|flow| flow.total.is_some() && flow.start <= end);
    let time = |flow: &FlowRecord| match flow.completed() {
        Some(at) => CensoredValue::Exact(at.since(flow.start).seconds()),
        None => CensoredValue::AtLeast { at_least: end.since(flow.start).seconds() },
    };
    begun.map(time).collect::<CensoredSample>().sorted()
}

/// Returns the completion times of flows with an end.
pub(super) fn flow_rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let times: Vec<_> = runs.iter().map(|run| of_flows(run.record)).collect();
    if times.iter().all(SortedSample::is_empty) {
        return Vec::new();
    }
    let row = |what: &str, kind, of: &dyn Fn(&SortedSample) -> Option<CensoredValue>| ComparisonRow {
        cells: times.iter().map(of).collect(),
        ..ComparisonRow::empty("completion", String::new(), what.to_owned(), kind)
    };
    let mut rows = vec![
        row("flows with an end", RowKind::Count, &|times| count(times.len())),
        row("complete", RowKind::Count, &|times| count(times.known())),
        row("mean", RowKind::of(Quantity::MeanCompletion), &SortedSample::mean),
    ];
    for (what, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("longest", 1.0)] {
        rows.push(row(what, RowKind::of(Quantity::P50), &|times| times.quantile(share)));
    }
    rows
}

fn count(number: usize) -> Option<CensoredValue> {
    Some(CensoredValue::Exact(number as f64))
}

/// A row about messages: its name, its kind, and its value in the plain unit.
type MessageRow = (&'static str, RowKind, fn(&MessageStatistics) -> CensoredValue);

const QUANTILES: [MessageRow; 4] = [
    (Quantity::P50.name(), RowKind::of(Quantity::P50), |messages| in_seconds(messages.fct_us.p50)),
    (Quantity::P99.name(), RowKind::of(Quantity::P99), |messages| in_seconds(messages.fct_us.p99)),
    (Quantity::SlowdownP50.title(), RowKind::of(Quantity::SlowdownP50), |messages| messages.slowdown.p50),
    (Quantity::SlowdownP99.title(), RowKind::of(Quantity::SlowdownP99), |messages| messages.slowdown.p99),
];

const POSTED_MESSAGES: MessageRow =
    ("posted", RowKind::Count, |messages| CensoredValue::Exact(messages.posted_messages as f64));
const DELIVERED_MESSAGES: MessageRow =
    ("delivered", RowKind::Count, |messages| CensoredValue::Exact(messages.delivered_messages as f64));

fn in_seconds(us: CensoredValue) -> CensoredValue {
    us.map(|us| us / 1e6)
}

/// Returns the completion times by size: of all messages, and of messages that every run delivered. Runs that did not
/// keep completions have no values.
pub(super) fn message_rows(runs: &[ComparedRun<'_>], numbers: &FlowNumbers) -> Vec<ComparisonRow> {
    let all: Vec<Vec<SizeBin>> = runs
        .iter()
        .map(|run| run.summary.completions.as_ref().map_or_else(Vec::new, |all| all.by_size.clone()))
        .collect();
    let mut rows =
        by_size_rows(POSTED, &all, &[&[POSTED_MESSAGES, DELIVERED_MESSAGES][..], &QUANTILES].concat());
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

fn by_size_rows(topic: &'static str, bins: &[Vec<SizeBin>], measures: &[MessageRow]) -> Vec<ComparisonRow> {
    let mut ends: Vec<_> =
        bins.iter().flatten().map(|bin| (bin.up_to_bytes.unwrap_or(u64::MAX), bin.label())).collect();
    ends.sort();
    ends.dedup();
    let row = |label: &str, (what, kind, of): MessageRow| ComparisonRow {
        cells: bins
            .iter()
            .map(|bins| bins.iter().find(|bin| bin.label() == label).map(|bin| of(&bin.messages)))
            .collect(),
        ..ComparisonRow::empty(topic, label.to_owned(), what.to_owned(), kind)
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
    let (sizes, what) = ("all sizes".to_owned(), "delivered by every run".to_owned());
    let total = ComparisonRow {
        cells: vec![count(common.len()); kept.len()],
        ..ComparisonRow::empty(COMMON, sizes, what, RowKind::Count)
    };
    let bins: Vec<_> = kept
        .iter()
        .map(|(flows, all)| {
            let is_common = |one: &MessageRecord| common.binary_search(&key(flows, one)).is_ok();
            by_size(all, all.delivered().iter().copied().filter(is_common))
        })
        .collect();
    let number: MessageRow = ("delivered by every run", DELIVERED_MESSAGES.1, DELIVERED_MESSAGES.2);
    let mut rows = vec![total];
    rows.extend(by_size_rows(COMMON, &bins, &[&[number][..], &QUANTILES].concat()));
    rows
}
