//! Time that flows waited in congestion trees of others, side by side.
//!
//! Invariant: the record of a run is read once, whatever the number of victims.

use std::cmp::Reverse;

use units::Span;

use super::flow_numbers::FlowNumbers;
use super::row::{ComparedRun, ComparisonRow, RowKind};
use measures::censoring::CensoredValue;
use measures::flows::waited;
use measures::{Measure, Quantity};

/// Number of victims that have a row: those that waited longest in any run.
const VICTIMS: usize = 5;

/// Returns the time of each of the longest victims, and of all others together.
pub(super) fn rows(runs: &[ComparedRun<'_>], numbers: &FlowNumbers) -> Vec<ComparisonRow> {
    let (mut names, mut is_named) = (Vec::new(), vec![false; numbers.flows]);
    let mut waits = Vec::with_capacity(runs.len());
    for (run, numbers_of_run) in runs.iter().zip(&numbers.of_runs) {
        let number_of = |flow: usize| numbers_of_run[flow] as usize;
        let waited = waited(run.record, numbers.flows, |flow| Some(number_of(flow)));
        let mut of_run: Vec<Option<Span>> = vec![None; numbers.flows];
        (0..numbers_of_run.len()).map(number_of).for_each(|number| of_run[number] = Some(waited[number]));
        for victim in run.record.congestion.roots.iter().flat_map(|root| &root.victims) {
            let number = number_of(victim.flow as usize);
            if !std::mem::replace(&mut is_named[number], true) {
                names.push((&*run.record.flows[victim.flow as usize].name, number));
            }
        }
        waits.push(of_run);
    }
    let spans = |number: usize| waits.iter().map(|of_run| of_run[number]).collect::<Vec<_>>();
    let mut victims: Vec<_> = names.into_iter().map(|(name, number)| (name, spans(number))).collect();
    victims.sort_by_key(|(_, spans)| Reverse(spans.iter().flatten().max().copied()));
    let rest = victims.split_off(victims.len().min(VICTIMS));
    let row = |what: String, measure, cells| ComparisonRow {
        topic: "victims",
        phase: String::new(),
        what,
        measure,
        cells,
        kind: RowKind::of(Quantity::Waited),
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
        let what = format!("{} other flows together", rest.len());
        rows.push(row(what, None, (0..runs.len()).map(|run| Some(sum(run).into())).collect()));
    }
    rows
}
