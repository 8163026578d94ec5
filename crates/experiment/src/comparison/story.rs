//! Facts of the first seed that the answer of a comparison names: its measure, the worst tree, the waits of victims.
//!
//! Invariant: contributors of a group stand for their group.

use std::num::NonZeroU32;

use measures::Measure;
use results::comparison::{ComparedRun, ComparisonRow};
use results::distinct::distinct;
use results::format::counted;
use telemetry::RunRecord;

use super::headline;

/// Largest number of contributors that are named.
const MOST_CONTRIBUTORS: usize = 3;

/// Facts of the first seed.
#[derive(Debug)]
pub(super) struct Story {
    /// The measure that the answer is about.
    pub(super) measure: Measure,
    /// The worst victim's name, unless the user has named the measure.
    pub(super) victim: Option<String>,
    /// Name of the measure's phase, if it has one.
    pub(super) phase: Option<String>,
    /// The worst tree of all runs in words, with the label of its run; `None` if no run has a tree.
    pub(super) tree: Option<String>,
}

impl Story {
    pub(super) fn of(runs: &[ComparedRun<'_>], rows: &[ComparisonRow], measures: Option<&[Measure]>) -> Self {
        let named = measures.and_then(<[Measure]>::first).cloned();
        let victim = if named.is_some() { None } else { headline::victim(rows) };
        let measure = named.unwrap_or_else(|| headline::of(runs, victim));
        let of_phase = |phase: NonZeroU32| {
            let phases = &runs.first()?.summary.phases;
            Some(phases.get(phase.get() as usize - 1)?.name.clone())
        };
        let phase = measure.phase.and_then(of_phase);
        Self { phase, victim: victim.map(str::to_owned), tree: tree(runs), measure }
    }
}

/// Returns the tree that cost its victims most, of all runs.
fn tree(runs: &[ComparedRun<'_>]) -> Option<String> {
    let worst =
        |run: &&ComparedRun<'_>| run.summary.congestion.worst_roots.first().map_or(0, |root| root.lost_bytes);
    // Of equal runs the first counts.
    let run = runs.iter().rev().max_by_key(worst)?;
    let root = run.summary.congestion.worst_roots.first()?;
    let place = &root.place;
    let contributors = contributors(run.record, (&place.node, place.port, place.lane));
    Some(format!(
        "With {}, the worst congestion tree has its root at {} port {} to {}: {}. {contributors}",
        run.label, place.node, place.port, place.peer, root.cause_in_words
    ))
}

/// Returns a sentence with the flows or groups that led to the root at this output and lane.
fn contributors(record: &RunRecord, place: (&str, u16, u8)) -> String {
    let root = record.congestion.roots.iter().find(|root| (&*root.node, root.port, root.lane) == place);
    let flows = root.map_or(&[][..], |root| &root.contributors);
    let name = |flow: u32| {
        let flow = &record.flows[flow as usize];
        flow.group.map_or(&*flow.name, |group| &record.groups[group as usize].name)
    };
    let names = distinct(flows.iter().map(|one| name(one.flow)));
    let listed = names.iter().take(MOST_CONTRIBUTORS).copied().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(MOST_CONTRIBUTORS);
    let more = if more > 0 { format!(" and {}", counted(more, "other")) } else { String::new() };
    format!("Traffic to it: {listed}{more}.")
}
