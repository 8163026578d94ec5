//! Groups of flows, side by side.
//!
//! Invariant: groups are matched by name, and a run without the group has a dash.

use measures::censoring::CensoredValue;
use measures::run::several;
use measures::{Measure, Quantity};

use super::compared_phase::ComparedPhase;
use super::measured;
use super::row::{ComparedRun, ComparisonRow, RowKind};
use crate::distinct::distinct;
use crate::groups::GroupSummary;

/// Topic of rows about groups over the whole run.
pub(super) const TOPIC: &str = "groups";

/// Quantities with a row, before and after the counts of flows and messages.
const QUANTITIES: [Quantity; 8] = [
    Quantity::Goodput,
    Quantity::Marks,
    Quantity::Waited,
    Quantity::MeanLatency,
    Quantity::P50,
    Quantity::P99,
    Quantity::SlowdownP50,
    Quantity::SlowdownP99,
];
/// Number of quantities before the counts.
const BEFORE_COUNTS: usize = 4;

/// A count of a group: its name, and its value; `None` if a group has none.
type GroupCount = (&'static str, fn(&GroupSummary) -> Option<usize>);

const COUNTS: [GroupCount; 3] = [
    ("complete flows", |group| (group.finite_flows > 0).then_some(group.completed_flows)),
    ("messages posted", |group| group.messages.posted_messages.filter(|posted| *posted > 0)),
    ("messages delivered", |group| Some(group.messages.statistics()?.delivered_messages)),
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
    names(runs).into_iter().map(row).filter(ComparisonRow::has_value).collect()
}

/// Returns the groups over the whole run, with the completion of their messages.
pub(super) fn rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    names(runs).into_iter().flat_map(|name| rows_of(runs, name)).collect()
}

fn rows_of(runs: &[ComparedRun<'_>], name: &str) -> Vec<ComparisonRow> {
    let measure = |quantity| Measure { group: name.to_owned(), quantity, phase: None };
    let of_runs: Vec<_> = runs.iter().map(|run| several(run.measured(), QUANTITIES.map(measure))).collect();
    let row = |quantity: &Quantity| measured::titled((TOPIC, name), *quantity);
    let mut rows = measured::filled(QUANTITIES.iter().map(row), &of_runs);
    let after_counts = rows.split_off(BEFORE_COUNTS);
    let groups: Vec<_> =
        runs.iter().map(|run| run.summary.groups.iter().find(|group| group.group == name)).collect();
    let counts = COUNTS.iter().map(|(what, of)| ComparisonRow {
        cells: groups.iter().map(|group| Some(CensoredValue::Exact(of((*group)?)? as f64))).collect(),
        ..ComparisonRow::empty(TOPIC, name.to_owned(), (*what).to_owned(), RowKind::Count)
    });
    rows.into_iter().chain(counts).chain(after_counts).filter(ComparisonRow::has_value).collect()
}

fn names<'a>(runs: &[ComparedRun<'a>]) -> Vec<&'a str> {
    distinct(runs.iter().flat_map(|run| run.summary.groups.iter().map(|group| group.group.as_str())))
}
