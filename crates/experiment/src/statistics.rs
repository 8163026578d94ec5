//! Means over seeds and their confidence intervals.
//!
//! Invariant: one seed gives the number itself, without an interval. Two or more seeds give the mean and the interval
//! that contains the true mean with a probability of 95 %, for normally distributed numbers.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

/// Mean over seeds, with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean.
    pub mean: f64,
    /// Half the width of the 95 % interval; `None` for one seed.
    pub ci95: Option<f64>,
    /// Number of seeds.
    pub seeds: usize,
}

/// The 0.975 quantiles of Student's t for 1 to 30 degrees of freedom, to three decimals (any textbook's table).
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/// The 0.975 quantile of the normal distribution.
const Z_975: f64 = 1.959_963_984_540_054;

impl Estimate {
    /// Estimates the mean of one number per seed.
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
        let ci95 = (seeds > 1).then(|| t_975(seeds - 1) * (squares / (count - 1.0) / count).sqrt());
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

/// Returns the 0.975 quantile of Student's t: from the table, and beyond it from the first two terms of the expansion
/// in the reciprocal degrees of freedom (Abramowitz and Stegun, 26.7.5), which is exact to three decimals there.
fn t_975(degrees: usize) -> f64 {
    if let Some(quantile) = degrees.checked_sub(1).and_then(|place| T_975.get(place)) {
        return *quantile;
    }
    let (z, n) = (Z_975, degrees as f64);
    z + (z.powi(3) + z) / (4.0 * n) + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_of_student_s_t() {
        assert_eq!((t_975(1), t_975(4), t_975(30)), (12.706, 2.776, 2.042));
        // From the same tables.
        for (degrees, quantile) in [(40, 2.021), (60, 2.000), (120, 1.980), (1_000_000, 1.960)] {
            assert!((t_975(degrees) - quantile).abs() < 6e-4, "{degrees}: {}", t_975(degrees));
        }
        // The expansion continues the table without a step.
        let falls = (1..200).map(t_975).collect::<Vec<_>>();
        assert!(falls.windows(2).all(|pair| pair[0] > pair[1]));
    }

    /// Student's own example (1908): hours of sleep gained by ten patients with two drugs, paired. The mean gain is
    /// 1.58 hours, with a 95 % interval from 0.70 to 2.46.
    #[test]
    fn student_s_paired_example() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let gain = Estimate::of_differences(&second, &first);
        assert!((gain.mean - 1.58).abs() < 1e-12 && gain.seeds == 10);
        assert!((gain.low() - 0.7001).abs() < 1e-3 && (gain.high() - 2.4599).abs() < 1e-3, "{gain:?}");
    }

    #[test]
    fn one_seed_has_no_interval_and_equal_numbers_have_one_of_zero() {
        let one = Estimate::of(&[3.0]);
        assert_eq!((one.mean, one.ci95, one.low(), one.high()), (3.0, None, 3.0, 3.0));
        assert_eq!(Estimate::of(&[2.0, 2.0, 2.0]).ci95, Some(0.0));
        assert_eq!(
            (one.to_string(), Estimate::of(&[2.0, 2.0]).to_string()),
            ("3.000".into(), "2.000 ± 0.000".into())
        );
    }
}
