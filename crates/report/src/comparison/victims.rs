//! Time that flows waited in congestion trees of others, side by side.
//!
//! Invariant: the record of a run is read once, whatever the number of victims.

use std::cmp::Reverse;

use telemetry::RunRecord;
use units::Span;

use super::by_name::ByName;
use super::row::{ComparedRun, ComparisonRow, ValueUnit};
use crate::censoring::CensoredValue;
use crate::distinct::distinct;

/// Number of victims that have a row: those that waited longest in any run.
const VICTIMS: usize = 5;

/// Time that each flow of a run waited as a victim, by name.
struct Waits<'a> {
    by_flow: Vec<Span>,
    flows: ByName<'a, usize>,
    /// Flows that are victims, in the order of roots.
    victims: Vec<&'a str>,
}

impl<'a> Waits<'a> {
    fn of(record: &'a RunRecord) -> Self {
        let mut by_flow = vec![Span::ZERO; record.flows.len()];
        let mut victims = Vec::new();
        for victim in record.congestion.roots.iter().flat_map(|root| &root.victims) {
            by_flow[victim.flow as usize] += victim.waited;
            victims.push(&*record.flows[victim.flow as usize].name);
        }
        let flows = ByName::of(record.flows.iter().enumerate().map(|(place, flow)| (&*flow.name, place)));
        Self { by_flow, flows, victims }
    }

    /// Returns the time that a flow of this name waited; `None` if the run has no such flow.
    fn waited(&self, name: &str) -> Option<Span> {
        self.flows.get(name).map(|flow| self.by_flow[flow])
    }
}

/// Returns the time of each of the longest victims, and of all others together.
pub(super) fn rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let waits: Vec<_> = runs.iter().map(|run| Waits::of(run.record)).collect();
    let names = distinct(waits.iter().flat_map(|run| run.victims.iter().copied()));
    let spans = |name: &str| waits.iter().map(|run| run.waited(name)).collect::<Vec<_>>();
    let mut victims: Vec<_> = names.into_iter().map(|name| (name, spans(name))).collect();
    victims.sort_by_key(|(_, spans)| Reverse(spans.iter().flatten().max().copied()));
    let rest = victims.split_off(victims.len().min(VICTIMS));
    let us = |span: Span| span.seconds() * 1e6;
    let row = |what: String, cells| ComparisonRow {
        topic: "victims",
        phase: String::new(),
        what,
        cells,
        unit: ValueUnit::Us,
    };
    let cell = |span: Option<Span>| span.map(|span| CensoredValue::Exact(us(span)));
    let mut rows: Vec<_> = victims
        .into_iter()
        .map(|(name, spans)| row(name.to_owned(), spans.into_iter().map(cell).collect()))
        .collect();
    if !rest.is_empty() {
        let sum = |run: usize| rest.iter().filter_map(|(_, spans)| spans[run]).map(us).sum::<f64>();
        let what = format!("{} other flows together", rest.len());
        rows.push(row(what, (0..runs.len()).map(|run| Some(sum(run).into())).collect()));
    }
    rows
}
