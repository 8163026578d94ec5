//! Means over seeds and their confidence intervals.
//!
//! Invariant: a single seed gives the number itself, without an interval. Two or more seeds give the mean and the
//! interval that contains the true mean with a probability of 95 %, for normally distributed numbers.

use std::fmt::{self, Display, Formatter};

use measures::Unit;
use serde::Serialize;

use super::student;

/// Mean over seeds, with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean.
    pub mean: f64,
    /// Half the width of the 95 % interval; `None` for a single seed.
    pub ci95: Option<f64>,
    /// Number of seeds.
    pub seeds: usize,
}

impl Estimate {
    /// Estimates the mean of a number per seed.
    ///
    /// # Panics
    /// If `values` is empty.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let seeds = values.len();
        assert!(seeds > 0, "an estimate needs a number");
        let count = seeds as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let ci95 =
            (seeds > 1).then(|| student::bound(0.95, count - 1.0) * (squares / (count - 1.0) / count).sqrt());
        Self { mean, ci95, seeds }
    }

    /// Estimates the mean of `values[i] - others[i]`, paired by seed: variation that both runs of a seed share
    /// cancels out.
    ///
    /// # Panics
    /// If the slices are empty or differ in length.
    #[must_use]
    pub fn of_differences(values: &[f64], others: &[f64]) -> Self {
        assert_eq!(values.len(), others.len(), "pairs have two numbers");
        let differences: Vec<_> = values.iter().zip(others).map(|(value, other)| value - other).collect();
        Self::of(&differences)
    }

    /// Returns the two-sided probability of a mean at least this far from 0, if the true mean is 0. This is the paired
    /// t test of an estimate of differences. The result is 0 if all seeds give the same number other than 0, 1 if all
    /// give 0, and `None` for a single seed.
    #[must_use]
    pub fn chance_if_zero(&self) -> Option<f64> {
        let degrees = (self.seeds > 1).then(|| (self.seeds - 1) as f64)?;
        let error = self.standard_error()?;
        Some(match (error > 0.0, self.mean == 0.0) {
            (true, _) => student::two_sided(self.mean / error, degrees),
            (false, true) => 1.0,
            (false, false) => 0.0,
        })
    }

    /// Returns the standard error of the mean; `None` for a single seed.
    #[must_use]
    pub fn standard_error(&self) -> Option<f64> {
        Some(self.ci95? / student::bound(0.95, (self.seeds - 1) as f64))
    }

    /// Returns half the width of the interval, if it is more than the rounding of a sum of equal numbers.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        self.ci95.filter(|half| *half > 1e-9 * self.mean.abs())
    }

    /// Returns the mean in a unit with half the width of its interval: `2.41 ms ± 0.12 ms`. An interval that is only
    /// rounding is left out.
    ///
    /// ```
    /// let estimate = experiment::Estimate { mean: 2.41e-3, ci95: Some(0.12e-3), seeds: 3 };
    /// assert_eq!(estimate.spelled(measures::Unit::Seconds), "2.41 ms ± 120 us");
    /// ```
    #[must_use]
    pub fn spelled(&self, unit: Unit) -> String {
        let half = self.spread().map(|half| format!(" ± {}", unit.spelled(half)));
        format!("{}{}", unit.spelled(self.mean), half.unwrap_or_default())
    }

    /// Returns true if the mean is 0, in every seed.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.mean == 0.0 && self.ci95.is_none_or(|half| half == 0.0)
    }

    /// Returns the lower end of the interval.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.mean - self.ci95.unwrap_or_default()
    }

    /// Returns the upper end of the interval.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.mean + self.ci95.unwrap_or_default()
    }
}

/// `0.500`, or `0.500 ± 0.012` with an interval.
impl Display for Estimate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.mean)?;
        self.ci95.map_or(Ok(()), |half| write!(f, " ± {half:.3}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Student's own example (1908): hours of sleep gained by ten patients with two drugs, paired. The mean gain is
    /// 1.58 hours, with a 95 % interval from 0.70 to 2.46.
    #[test]
    fn student_s_paired_example() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let gain = Estimate::of_differences(&second, &first);
        assert!((gain.mean - 1.58).abs() < 1e-12 && gain.seeds == 10);
        assert!((gain.low() - 0.700_114).abs() < 1e-6 && (gain.high() - 2.459_886).abs() < 1e-6, "{gain:?}");
        // t is 4.0621 with nine degrees of freedom.
        assert!(gain.chance_if_zero().is_some_and(|chance| (chance - 0.002_833).abs() < 1e-6), "{gain:?}");
    }

    #[test]
    fn one_seed_has_no_interval_and_equal_numbers_have_one_of_zero() {
        let one = Estimate::of(&[3.0]);
        assert_eq!((one.mean, one.ci95, one.low(), one.high()), (3.0, None, 3.0, 3.0));
        assert_eq!(Estimate::of(&[2.0, 2.0, 2.0]).ci95, Some(0.0));
        let rounded = Estimate { mean: 15.8e9, ci95: Some(5.8e-6), seeds: 3 };
        assert_eq!((rounded.spread(), Estimate { ci95: Some(20.0), ..rounded }.spread()), (None, Some(20.0)));
        let chances =
            [&[3.0][..], &[2.0, 2.0], &[0.0, 0.0]].map(|values| Estimate::of(values).chance_if_zero());
        assert_eq!(chances, [None, Some(0.0), Some(1.0)]);
        assert_eq!(
            (one.to_string(), Estimate::of(&[2.0, 2.0]).to_string()),
            ("3.000".into(), "2.000 ± 0.000".into())
        );
    }
}
