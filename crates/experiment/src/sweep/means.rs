//! Means of measures over the seeds of a setting.
//!
//! Invariant: a mean that a lower bound went into is a lower bound, without an interval. A run without a number is
//! counted, and its number is no part of the mean.

use measures::{Measure, Unit};
use results::sweep::SweepMean;

use crate::statistics::{Estimate, Reading};
use crate::store::UnitResult;

/// Returns the number of a run. A stuck run has none to compare: it did a part of its work, and no time brings the
/// rest.
pub(super) fn reading(result: Option<&UnitResult>, measure: &Measure) -> Reading {
    let whole = result.filter(|result| !result.is_stuck());
    let measured = whole.and_then(|result| result.measured(measure));
    measured.map_or(Reading::Missing, Reading::from)
}

/// Returns the mean of a measure over these runs.
pub(super) fn mean_of(measure: &Measure, runs: &[usize], results: &[Option<UnitResult>]) -> SweepMean {
    let (mut values, mut is_bound, mut missing) = (Vec::new(), false, 0);
    for run in runs {
        match reading(results[*run].as_ref(), measure) {
            Reading::Known(value) => values.push(value),
            Reading::AtLeast(value) => {
                values.push(value);
                is_bound = true;
            }
            Reading::Missing => missing += 1,
        }
    }
    let estimate = (!values.is_empty()).then(|| Estimate::of(&values));
    SweepMean {
        measure: measure.to_string(),
        unit: measure.quantity.info().unit.symbol().to_owned(),
        mean: estimate.map(|one| one.mean),
        ci95: estimate.and_then(|one| one.ci95).filter(|_| !is_bound),
        is_bound,
        missing,
    }
}

/// Returns a mean as tables print it: `2.41 ms ± 0.12 ms`, `≥ 2.41 ms`, `2.41 ms (2 of 3)` with a number missing, `-`.
pub(super) fn printed(mean: &SweepMean, unit: Unit, runs: u64) -> String {
    let Some(value) = mean.mean else { return "-".to_owned() };
    let bound = if mean.is_bound { "≥ " } else { "" };
    // Seeds that change nothing leave no interval.
    let half = mean.ci95.filter(|half| *half > 1e-9 * value.abs());
    let half = half.map_or_else(String::new, |half| format!(" ± {}", unit.spelled(half)));
    let part = match mean.missing {
        0 => String::new(),
        missing => format!(" ({} of {runs})", runs - missing),
    };
    format!("{bound}{}{half}{part}", unit.spelled(value))
}
