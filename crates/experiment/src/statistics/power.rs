//! Seeds that a difference needs.
//!
//! Invariant: the difference and its spread are taken to be those that were seen, so the number is a plan and no
//! promise.

use super::estimate::Estimate;
use super::student;

/// Chance with which the difference is to be found significant, if it is as large as it was seen.
pub const POWER: f64 = 0.8;
/// Largest number of seeds that is looked for.
pub const MOST_SEEDS: usize = 10_000;

/// Returns the number of seeds for a chance of 80 % to find this difference, at this spread. The test is a paired t
/// test at a two-sided `level` (0.05). It is at least the number of the estimate. `None` if more than 10,000 seeds are
/// needed, the difference is 0, or a single seed shows no spread.
///
/// The number is the smallest `n` with `difference >= (t(1 - level/2, n - 1) + t(0.8, n - 1)) * deviation / sqrt(n)`
/// (Cohen 1988, 2.3, with Student's t in place of its noncentral form).
#[must_use]
pub fn seeds_needed(difference: &Estimate, level: f64) -> Option<usize> {
    let deviation = difference.standard_error()? * (difference.seeds as f64).sqrt();
    let is_enough = |seeds: &usize| {
        let (count, degrees) = (*seeds as f64, (*seeds - 1) as f64);
        let bounds = student::bound(1.0 - level, degrees) + student::quantile(POWER, degrees);
        difference.mean.abs() >= bounds * deviation / count.sqrt()
    };
    if difference.mean == 0.0 || !is_enough(&MOST_SEEDS) {
        return None;
    }
    // What is enough stays enough with more seeds.
    let (mut low, mut high) = (difference.seeds.max(2), MOST_SEEDS);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_enough(&middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables have 34 pairs for half a standard deviation, at 5 % and 80 %, and 199 for a fifth.
    #[test]
    fn the_numbers_of_tables() {
        let estimate = |mean: f64| {
            // A standard deviation of 1 with two seeds.
            let ci95 = student::bound(0.95, 1.0) / 2.0_f64.sqrt();
            Estimate { mean, ci95: Some(ci95), seeds: 2 }
        };
        let needed = [0.5, -0.5, 0.2, 0.0, 0.001].map(|mean| seeds_needed(&estimate(mean), 0.05));
        assert_eq!(needed, [Some(34), Some(34), Some(199), None, None]);
        assert_eq!(seeds_needed(&Estimate::of(&[1.0]), 0.05), None);
        assert_eq!(seeds_needed(&Estimate::of(&[1.0, 1.0, 1.0]), 0.05), Some(3));
    }
}
