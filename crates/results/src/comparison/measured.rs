//! Rows of measures.
//!
//! Invariant: names, units, directions and values are those of `measures`.

use measures::run::{Missing, several};
use measures::{Measure, Measured, Quantity};

use super::row::{ComparedRun, ComparisonRow, RowKind};

/// Topic of the measures that the user names.
pub(super) const TOPIC: &str = "measures";

/// Returns a row for each of these measures, named as the user names them, and the measures that a run lacks, with the
/// run's place and the reason.
pub(super) fn rows(
    runs: &[ComparedRun<'_>],
    measures: &[Measure],
) -> (Vec<ComparisonRow>, Vec<(usize, Measure, Missing)>) {
    let row = |measure: &Measure| {
        let kind = RowKind::of(measure.quantity);
        let what = kind.named(&measure.to_string());
        ComparisonRow::empty(TOPIC, String::new(), what, kind)
    };
    let of_runs: Vec<_> = runs.iter().map(|run| several(run.measured(), measures.iter().cloned())).collect();
    let missing = of_runs.iter().enumerate().flat_map(|(place, of_run)| {
        let lacks =
            move |measured: &Measured| Some((place, measured.measure.clone(), measured.missing.clone()?));
        of_run.iter().filter_map(lacks)
    });
    (filled(measures.iter().map(row), &of_runs), missing.collect())
}

/// Returns a row without cells, named by the title of its quantity. `place` is its topic and its group.
pub(super) fn titled(place: (&'static str, &str), quantity: Quantity) -> ComparisonRow {
    let (topic, group) = place;
    let kind = RowKind::of(quantity);
    let what = kind.named(quantity.title());
    ComparisonRow::empty(topic, group.to_owned(), what, kind)
}

/// Fills rows with the measures of each run. All runs have the same measures in the order of the rows.
pub(super) fn filled(
    rows: impl Iterator<Item = ComparisonRow>,
    of_runs: &[Vec<Measured>],
) -> Vec<ComparisonRow> {
    let fill = |(place, row): (usize, ComparisonRow)| ComparisonRow {
        measure: of_runs.first().map(|of_run| of_run[place].measure.clone()),
        cells: of_runs.iter().map(|of_run| of_run[place].number()).collect(),
        ..row
    };
    rows.enumerate().map(fill).collect()
}
