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

#[cfg(test)]
mod tests {
    use super::*;

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
