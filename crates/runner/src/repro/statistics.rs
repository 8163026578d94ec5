//! Means over seeds, and how sure they are.
//!
//! Invariant: what is given for one seed is the number itself, with no interval; from two seeds on it is the
//! mean with the interval in which, for normally distributed numbers, the true mean is with 95 %.

use serde::Serialize;

/// A mean over seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    /// The mean.
    pub(crate) mean: f64,
    /// Half the width of its 95 % interval; none for one seed.
    pub(crate) ci95: Option<f64>,
    /// How many seeds.
    pub(crate) seeds: usize,
}

/// The 0.975 quantiles of Student's t for 1 to 30 degrees of freedom, as in every textbook's table, to three
/// decimals.
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/// The 0.975 quantile of the normal distribution.
const Z_975: f64 = 1.959_963_984_540_054;

impl Estimate {
    /// Of one number a seed.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn of(values: &[f64]) -> Self {
        let seeds = values.len();
        assert!(seeds > 0, "an estimate needs a number");
        let count = seeds as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let ci95 = (seeds > 1).then(|| t_975(seeds - 1) * (squares / (count - 1.0) / count).sqrt());
        Self { mean, ci95, seeds }
    }

    /// Of the differences between two runs of each seed: what both have in common falls out.
    ///
    /// # Panics
    /// If there is no pair, or one number without its partner.
    pub(crate) fn of_differences(values: &[f64], others: &[f64]) -> Self {
        assert_eq!(values.len(), others.len(), "pairs have two numbers");
        let differences: Vec<_> = values.iter().zip(others).map(|(value, other)| value - other).collect();
        Self::of(&differences)
    }

    /// The lower end of the interval.
    pub(crate) fn low(&self) -> f64 {
        self.mean - self.ci95.unwrap_or_default()
    }

    /// The upper end of the interval.
    pub(crate) fn high(&self) -> f64 {
        self.mean + self.ci95.unwrap_or_default()
    }
}

/// The 0.975 quantile of Student's t: from the table, and beyond it by the first two terms of its expansion in
/// the reciprocal degrees of freedom (Abramowitz and Stegun, 26.7.5), which is right to three decimals there.
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
        // The expansion joins the table.
        let falls = (1..200).map(t_975).collect::<Vec<_>>();
        assert!(falls.windows(2).all(|pair| pair[0] > pair[1]));
    }

    /// Student's own example (1908): the sleep gained by ten patients with two drugs, paired. The mean gain
    /// is 1.58 hours, and its 95 % interval reaches from 0.70 to 2.46.
    #[test]
    fn student_s_paired_example() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let gain = Estimate::of_differences(&second, &first);
        assert!((gain.mean - 1.58).abs() < 1e-12 && gain.seeds == 10);
        assert!((gain.low() - 0.7001).abs() < 1e-3 && (gain.high() - 2.4599).abs() < 1e-3, "{gain:?}");
    }

    #[test]
    fn one_seed_has_no_interval_and_equal_ones_have_none_to_speak_of() {
        let one = Estimate::of(&[3.0]);
        assert_eq!((one.mean, one.ci95, one.low(), one.high()), (3.0, None, 3.0, 3.0));
        assert_eq!(Estimate::of(&[2.0, 2.0, 2.0]).ci95, Some(0.0));
    }
}
