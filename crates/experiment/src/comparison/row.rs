//! A row of a comparison over seeds: a number of every run and seed.
//!
//! Invariant: seeds in which a run lacks the number are named beside the mean of the others.

use measures::censoring::CensoredValue;
use measures::{Measure, Quantity};
use results::comparison::{ComparedRun, Comparison, ComparisonRow, TableLine};
use serde_json::{Map, Value, json};

use crate::statistics::Estimate;

/// Topic of rows about victims, of which each seed may have others.
pub(super) const VICTIMS: &str = "victims";

/// A row with a value for each run and seed.
#[derive(Debug)]
pub(super) struct SeededRow {
    pub(super) row: ComparisonRow,
    /// For each run, its values by seed; shorter than the list of seeds if the last lack the row.
    values: Vec<Vec<Option<CensoredValue>>>,
}

/// Returns the measures of the rows about victims, and of all victims together.
pub(super) fn victims(rows: &[ComparisonRow]) -> Vec<Measure> {
    let named = rows.iter().filter(|row| row.topic == VICTIMS).filter_map(|row| row.measure.clone());
    let named: Vec<_> = named.collect();
    let all = (!named.is_empty()).then(|| Measure::of_all(Quantity::Waited));
    named.into_iter().chain(all).collect()
}

/// Returns the rows of a seed, with the victims of the first seed in place of its own longest victims.
pub(super) fn with_same_victims(
    rows: &[ComparisonRow],
    runs: &[ComparedRun<'_>],
    victims: &[Measure],
) -> Vec<ComparisonRow> {
    let others = rows.iter().filter(|row| row.topic != VICTIMS).cloned();
    others.chain(Comparison::victim_rows(runs, victims)).collect()
}

impl SeededRow {
    /// Returns a row that seeds before this seed do not have.
    pub(super) fn of(row: ComparisonRow, seed: usize) -> Self {
        let before = vec![None; seed];
        let values = row.cells.iter().map(|cell| [&before[..], &[*cell]].concat()).collect();
        Self { row, values }
    }

    pub(super) fn add(&mut self, row: &ComparisonRow, seed: usize) {
        for (values, cell) in self.values.iter_mut().zip(&row.cells) {
            values.resize(seed, None);
            values.push(*cell);
        }
    }

    /// Returns the known numbers of a run, if all its seeds have one.
    fn known(&self, run: usize, seeds: usize) -> Option<Vec<f64>> {
        let values = &self.values[run];
        let known: Option<Vec<f64>> =
            values.iter().map(|value| value.and_then(CensoredValue::exact)).collect();
        known.filter(|known| known.len() == seeds)
    }

    /// Returns the mean of a run with its interval; `None` if a seed does not know its number.
    pub(super) fn estimate(&self, run: usize, seeds: usize) -> Option<Estimate> {
        self.known(run, seeds).map(|known| Estimate::of(&known))
    }

    /// Returns the mean of a run's known numbers; `None` if it has none.
    pub(super) fn mean(&self, run: usize) -> Option<f64> {
        let known: Vec<_> = self.values[run].iter().flatten().filter_map(|value| value.exact()).collect();
        (!known.is_empty()).then(|| Estimate::of(&known).mean)
    }

    /// Returns the mean of a run's lower bounds, and the number of seeds that have one; `None` if none has.
    fn bound(&self, run: usize) -> Option<(f64, usize)> {
        let bounds: Vec<_> = self.values[run].iter().flatten().map(|value| value.at_least()).collect();
        let count = bounds.len();
        (count > 0).then(|| (bounds.iter().sum::<f64>() / count as f64, count))
    }

    /// Returns the difference of a run with the first, paired by seed; `None` if a seed does not know both numbers.
    fn difference(&self, run: usize, seeds: usize) -> Option<Estimate> {
        Some(Estimate::of_differences(&self.known(run, seeds)?, &self.known(0, seeds)?))
    }

    /// Returns the row as a line: a column for each run, then one for the difference of each run but the first.
    pub(super) fn line(&self, seeds: usize) -> TableLine<'_> {
        let kind = self.row.kind;
        let half = |ci95: Option<f64>| {
            ci95.map_or_else(String::new, |half| format!(" ± {}", kind.printed_mean(half)))
        };
        let mean = |run: usize| match (self.estimate(run, seeds), self.bound(run)) {
            (Some(one), _) => format!("{}{}", kind.printed_mean(one.mean), half(one.spread())),
            (None, None) => "-".to_owned(),
            (None, Some((mean, count))) => {
                let is_exact = self.values[run].iter().flatten().all(|value| value.exact().is_some());
                let sign = if is_exact { "" } else { "≥ " };
                let lacks =
                    if count < seeds { format!(" ({count} of {seeds} seeds)") } else { String::new() };
                format!("{sign}{}{lacks}", kind.printed_mean(mean))
            }
        };
        let difference = |run: usize| match self.difference(run, seeds) {
            None => "-".to_owned(),
            Some(Estimate { mean: 0.0, ci95, .. }) if ci95.is_none_or(|half| half == 0.0) => "0".to_owned(),
            Some(one) => {
                let plus = if one.mean > 0.0 { "+" } else { "" };
                format!("{plus}{}{}", kind.printed_mean(one.mean), half(one.spread()))
            }
        };
        let runs = self.values.len();
        let cells = (0..runs).map(mean).chain((1..runs).map(difference)).collect();
        let has_bounds = self.values.iter().flatten().flatten().any(|value| value.exact().is_none());
        TableLine { row: &self.row, cells, has_bounds }
    }

    /// Returns the row as JSON. A mean of bounds is an object with `at_least`.
    pub(super) fn json(&self, labels: &[&str], seeds: usize) -> Value {
        let kind = self.row.kind;
        let scaled = |value: f64| json!(kind.scaled(value.into()));
        let value = |run: usize| match (self.estimate(run, seeds), self.bound(run)) {
            (Some(estimate), _) => scaled(estimate.mean),
            (None, Some((at_least, _))) => json!(kind.scaled(CensoredValue::AtLeast { at_least })),
            (None, None) => Value::Null,
        };
        let half = |run: usize| json!(self.estimate(run, seeds).and_then(|one| one.ci95).map(scaled));
        let difference = |run: usize| {
            let one = self.difference(run, seeds);
            json!(one.map(|one| json!({ "mean": scaled(one.mean), "ci95": one.ci95.map(scaled) })))
        };
        let by_label = |runs: std::ops::Range<usize>, of: &dyn Fn(usize) -> Value| -> Map<String, Value> {
            runs.map(|run| (labels[run].to_owned(), of(run))).collect()
        };
        let runs = labels.len();
        json!({
            "topic": self.row.topic,
            "phase": self.row.phase,
            "what": self.row.what,
            "measure": self.row.measure,
            "unit": kind.word(),
            "better": kind.better(),
            "values": by_label(0..runs, &value),
            "ci95": by_label(0..runs, &half),
            "differences": by_label(1..runs, &difference),
        })
    }
}
