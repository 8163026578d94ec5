//! Time that flows waited in congestion trees of others, side by side.
//!
//! Invariant: the record of a run is read once, whatever the number of victims. A flow of a large group waits with its
//! group.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use units::Span;

use super::flow_numbers::FlowNumbers;
use super::large_groups::large_groups;
use super::measured;
use super::row::{ComparedRun, ComparisonRow, RowKind};
use measures::censoring::CensoredValue;
use measures::flows::waited;
use measures::run::several;
use measures::{ALL, Measure, Quantity};

/// Topic of these rows.
pub(super) const TOPIC: &str = "victims";

/// Number of victims that have a row: those that waited longest in any run.
const VICTIMS: usize = 5;

/// Returns the time of each of the longest victims, and of all others together.
pub(super) fn rows(runs: &[ComparedRun<'_>], numbers: &FlowNumbers) -> Vec<ComparisonRow> {
    // Groups are numbered behind flows.
    let mut group_numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for group in runs.iter().flat_map(|run| &run.record.groups) {
        let next = numbers.flows + group_numbers.len();
        group_numbers.entry(&group.name).or_insert(next);
    }
    let subjects = numbers.flows + group_numbers.len();
    let (mut names, mut is_named) = (Vec::new(), vec![false; subjects]);
    let mut waits = Vec::with_capacity(runs.len());
    for (run, numbers_of_run) in runs.iter().zip(&numbers.of_runs) {
        let (record, large) = (run.record, large_groups(run.record));
        let large_group = |flow: usize| {
            let group = record.flows[flow].group.filter(|group| large[*group as usize])?;
            Some(record.groups[group as usize].name.as_str())
        };
        let number_of =
            |flow: usize| large_group(flow).map_or(numbers_of_run[flow] as usize, |name| group_numbers[name]);
        let waited = waited(record, subjects, |flow| Some(number_of(flow)));
        let mut of_run: Vec<Option<Span>> = vec![None; subjects];
        (0..numbers_of_run.len()).map(number_of).for_each(|number| of_run[number] = Some(waited[number]));
        for victim in record.congestion.roots.iter().flat_map(|root| &root.victims) {
            let flow = victim.flow as usize;
            let number = number_of(flow);
            if !std::mem::replace(&mut is_named[number], true) {
                names.push((large_group(flow).unwrap_or(&record.flows[flow].name), number));
            }
        }
        waits.push(of_run);
    }
    let spans = |number: usize| waits.iter().map(|of_run| of_run[number]).collect::<Vec<_>>();
    let mut victims: Vec<_> = names.into_iter().map(|(name, number)| (name, spans(number))).collect();
    victims.sort_by_key(|(_, spans)| Reverse(spans.iter().flatten().max().copied()));
    let rest = victims.split_off(victims.len().min(VICTIMS));
    let row = |what: String, measure, cells| ComparisonRow {
        measure,
        cells,
        ..ComparisonRow::empty(TOPIC, String::new(), what, RowKind::of(Quantity::Waited))
    };
    let cell = |span: Option<Span>| span.map(|span| CensoredValue::Exact(span.seconds()));
    let of_victim = |(name, spans): (&str, Vec<_>)| {
        let measure = Measure { group: name.to_owned(), quantity: Quantity::Waited, phase: None };
        row(name.to_owned(), Some(measure), spans.into_iter().map(cell).collect())
    };
    let mut rows: Vec<_> = victims.into_iter().map(of_victim).collect();
    if !rest.is_empty() {
        let sum =
            |run: usize| rest.iter().filter_map(|(_, spans)| spans[run]).map(Span::seconds).sum::<f64>();
        let what = format!("{} others together", rest.len());
        rows.push(row(what, None, (0..runs.len()).map(|run| Some(sum(run).into())).collect()));
    }
    rows
}

/// Returns the waits that these measures name, in their order, so that runs of another seed have the same rows.
pub(super) fn rows_of(runs: &[ComparedRun<'_>], measures: &[Measure]) -> Vec<ComparisonRow> {
    let row = |measure: &Measure| {
        let what = if measure.group == ALL { "all flows together" } else { &measure.group };
        ComparisonRow::empty(TOPIC, String::new(), what.to_owned(), RowKind::of(measure.quantity))
    };
    let of_runs: Vec<_> = runs.iter().map(|run| several(run.measured(), measures.iter().cloned())).collect();
    measured::filled(measures.iter().map(row), &of_runs)
}
