//! The sign test, for pairs with a known order and no known difference.
//!
//! Invariant: a pair without a known order counts for neither side (Conover 1999, "Practical Nonparametric Statistics",
//! 3.4).

use statrs::function::beta::beta_reg;

/// Returns the two-sided chance of a split of pairs at least this uneven, if either side is as likely to win.
///
/// ```
/// let chance = experiment::statistics::sign_test::chance(6, 0);
/// assert!((chance - 2.0 / 64.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn chance(wins: usize, losses: usize) -> f64 {
    let (pairs, fewer) = (wins + losses, wins.min(losses));
    if pairs == 0 {
        return 1.0;
    }
    // The lower tail of the binomial distribution, DLMF 8.17.5.
    let tail = beta_reg((pairs - fewer) as f64, (fewer + 1) as f64, 0.5);
    (2.0 * tail).min(1.0)
}

/// Returns the smallest number of pairs that are significant at a two-sided `level` if the same side wins them all.
#[must_use]
pub fn pairs_needed(level: f64) -> usize {
    // The chance halves with each pair.
    (1..).find(|pairs| chance(*pairs, 0) < level).expect("a chance falls below every level")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2/32 is above 5 %, 2/64 below; two comparisons at once need another pair.
    #[test]
    fn few_pairs_are_never_significant() {
        assert_eq!([0.05, 0.025, 0.01].map(pairs_needed), [6, 7, 8]);
    }

    #[test]
    fn chances_are_sums_of_binomial_coefficients() {
        let sums = [
            ((5, 1), 14.0 / 64.0),
            ((1, 5), 14.0 / 64.0),
            ((9, 1), 22.0 / 1024.0),
            ((4, 4), 1.0),
            ((0, 0), 1.0),
        ];
        for ((wins, losses), expected) in sums {
            assert!(
                (chance(wins, losses) - expected).abs() < 1e-12,
                "{wins} {losses}: {}",
                chance(wins, losses)
            );
        }
    }
}
