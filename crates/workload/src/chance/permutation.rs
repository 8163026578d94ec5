//! Random permutations.

use rand::Rng;
use rand::seq::SliceRandom;

/// Draws a permutation of 0 to n - 1 without a fixed point, uniformly among all of them; n is at least 2.
///
/// The method is rejection: a share of about 1/e of all permutations has no fixed point, so this takes e tries on
/// average, and every derangement is equally likely. Sattolo's algorithm takes one try, but draws only
/// among permutations that are one single cycle: two hosts would never send to each other.
pub(crate) fn derangement(n: usize, random: &mut impl Rng) -> Vec<u32> {
    let mut to: Vec<u32> = (0..).take(n).collect();
    loop {
        to.shuffle(random);
        if (0..).zip(&to).all(|(from, to)| from != *to) {
            return to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Of four hosts there are nine derangements, six of them single cycles. Chi-squared with 8 degrees of
    /// freedom passes 37.3 once in 100,000.
    #[test]
    fn derangements_are_uniform() {
        let mut random = event_kernel::stream(3, "derangement", "test");
        let mut found = BTreeMap::new();
        for _ in 0..9_000 {
            *found.entry(derangement(4, &mut random)).or_insert(0.0) += 1.0;
        }
        assert_eq!(found.len(), 9);
        let chi_squared: f64 = found.values().map(|n: &f64| (n - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi_squared < 37.3, "{chi_squared}");
    }
}
