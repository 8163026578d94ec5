//! A phase in all runs that are compared.
//!
//! Invariant: phases are matched by name.

use super::by_name::ByName;
use super::row::{ComparedRun, ComparisonRow, RowKind};
use crate::distinct::distinct;
use crate::summary::PhaseSummary;
use measures::Quantity;
use measures::censoring::CensoredValue;

/// A phase in each of the runs; `None` for a run that does not have it.
pub(super) struct ComparedPhase<'a> {
    pub(super) name: &'a str,
    pub(super) of_runs: Vec<Option<&'a PhaseSummary>>,
}

impl ComparedPhase<'_> {
    /// Returns a row about goodput in the phase, with the value of each run that has the phase.
    pub(super) fn goodput(
        &self,
        what: &str,
        value: impl Fn(usize, &PhaseSummary) -> Option<f64>,
    ) -> ComparisonRow {
        let cell =
            |(run, phase): (usize, &Option<&PhaseSummary>)| value(run, (*phase)?).map(CensoredValue::Exact);
        let quantity = Quantity::Goodput;
        let (phase, what) = (self.name.to_owned(), what.to_owned());
        let cells = self.of_runs.iter().enumerate().map(cell).collect();
        ComparisonRow { cells, ..ComparisonRow::empty(quantity.name(), phase, what, RowKind::of(quantity)) }
    }
}

/// Returns all phases, in the order of first appearance.
pub(super) fn phases<'a>(runs: &[ComparedRun<'a>]) -> Vec<ComparedPhase<'a>> {
    let all = |run: &ComparedRun<'a>| run.summary.phases.iter().map(|phase| (phase.name.as_str(), phase));
    let by_name: Vec<_> = runs.iter().map(|run| ByName::of(all(run))).collect();
    distinct(runs.iter().flat_map(|run| all(run).map(|(name, _)| name)))
        .into_iter()
        .map(|name| ComparedPhase { name, of_runs: by_name.iter().map(|of| of.get(name)).collect() })
        .collect()
}
