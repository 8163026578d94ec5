//! Groups of flows, side by side.
//!
//! Invariant: groups are matched by name, and a run without the group has a dash.

use super::compared_phase::ComparedPhase;
use super::completions::{COUNTS, MessageMeasure, QUANTILES};
use super::row::{ComparedRun, ComparisonRow, ValueUnit};
use crate::distinct::distinct;
use crate::groups::GroupSummary;
use measures::censoring::CensoredValue;

/// Topic of rows about groups over the whole run.
pub(super) const TOPIC: &str = "groups";

/// A row about a group: its name, its unit, and its value; `None` if a group has none.
type GroupMeasure = (&'static str, ValueUnit, fn(&GroupSummary) -> Option<f64>);

const MEASURES: [GroupMeasure; 5] = [
    ("goodput, Gb/s", ValueUnit::Gbps, |group| Some(group.goodput_bps / 1e9)),
    ("packets marked", ValueUnit::Count, |group| Some(group.marks.values().sum::<u64>() as f64)),
    ("time waited as a victim of congestion trees, us", ValueUnit::Us, |group| Some(group.waited_s * 1e6)),
    ("mean latency of a delivered packet, us", ValueUnit::Us, |group| group.mean_packet_latency_us),
    ("complete flows", ValueUnit::Count, |group| {
        (group.finite_flows > 0).then_some(group.completed_flows as f64)
    }),
];

/// Names of the rows of [`COUNTS`] and [`QUANTILES`]; rows of flows and packets have their own.
const MESSAGES: [&str; COUNTS.len() + QUANTILES.len()] = [
    "messages posted",
    "messages delivered",
    "completion of a message, p50, us",
    "completion of a message, p99, us",
    "slowdown, p50",
    "slowdown, p99",
];

/// Returns the goodput of each group in a phase.
pub(super) fn goodput_rows(runs: &[ComparedRun<'_>], phase: &ComparedPhase<'_>) -> Vec<ComparisonRow> {
    let row = |name: &str| {
        phase.goodput(name, |_, phase| {
            let group = phase.groups.iter().find(|group| group.group == name)?;
            (group.active_flows > 0 || group.second_half_goodput_bps > 0.0)
                .then_some(group.second_half_goodput_bps)
        })
    };
    let rows = names(runs).into_iter().map(row);
    rows.filter(|row| row.cells.iter().any(Option::is_some)).collect()
}

/// Returns the groups over the whole run, with the completion of their messages.
pub(super) fn rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    names(runs).into_iter().flat_map(|name| rows_of(runs, name)).collect()
}

fn rows_of(runs: &[ComparedRun<'_>], name: &str) -> Vec<ComparisonRow> {
    let groups: Vec<_> =
        runs.iter().map(|run| run.summary.groups.iter().find(|group| group.group == name)).collect();
    let row = |what: &str, unit, of: &dyn Fn(&GroupSummary) -> Option<CensoredValue>| ComparisonRow {
        topic: TOPIC,
        phase: name.to_owned(),
        what: what.to_owned(),
        cells: groups.iter().map(|group| group.and_then(of)).collect(),
        unit,
    };
    let measure =
        |(what, unit, of): &GroupMeasure| row(what, *unit, &|group| of(group).map(CensoredValue::Exact));
    let messages = |(what, (_, unit, of)): (&str, &MessageMeasure)| {
        row(what, *unit, &|group| Some(of(&group.messages.statistics()?)))
    };
    let of_messages = MESSAGES.into_iter().zip(COUNTS.iter().chain(&QUANTILES)).map(messages);
    let rows = MEASURES.iter().map(measure).chain(of_messages);
    rows.filter(|row| row.cells.iter().any(Option::is_some)).collect()
}

fn names<'a>(runs: &[ComparedRun<'a>]) -> Vec<&'a str> {
    distinct(runs.iter().flat_map(|run| run.summary.groups.iter().map(|group| group.group.as_str())))
}
