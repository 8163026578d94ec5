//! Random permutations.

use rand::Rng;
use rand::seq::SliceRandom;

/// Draws a receiver for each sender, none itself and no two the same, uniformly among all such assignments. There are
/// at least as many receivers as senders, and at least 2 unless the only receiver differs from the only sender.
///
/// The method is rejection, so every assignment is equally likely. If all hosts send and receive, about 1/e of all
/// permutations have no fixed point: this takes e tries on average, and fewer otherwise. Sattolo's algorithm takes a
/// single try, but draws only among permutations that are a single cycle: two hosts would never send to each other.
pub(crate) fn assignment(senders: &[u32], receivers: &[u32], random: &mut impl Rng) -> Vec<u32> {
    let mut to = receivers.to_vec();
    loop {
        to.shuffle(random);
        if senders.iter().zip(&to).all(|(from, to)| from != to) {
            to.truncate(senders.len());
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
            *found.entry(assignment(&[0, 1, 2, 3], &[0, 1, 2, 3], &mut random)).or_insert(0.0) += 1.0;
        }
        assert_eq!(found.len(), 9);
        let chi_squared: f64 = found.values().map(|n: &f64| (n - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi_squared < 37.3, "{chi_squared}");
    }

    /// Two hosts send to three hosts, and a receiver is also a sender: 0 sends to 1, 2 or 3, and 1 to another of 2 or
    /// 3. Chi-squared with 3 degrees of freedom passes 25.9 once in 100,000.
    #[test]
    fn assignments_to_other_hosts_are_uniform() {
        let mut random = event_kernel::stream(3, "assignment", "test");
        let mut found = BTreeMap::new();
        for _ in 0..3_000 {
            *found.entry(assignment(&[0, 1], &[1, 2, 3], &mut random)).or_insert(0.0) += 1.0;
        }
        let all: Vec<_> = found.keys().map(|to| (to[0], to[1])).collect();
        assert_eq!(all, [(1, 2), (1, 3), (2, 3), (3, 2)]);
        let chi_squared: f64 = found.values().map(|n: &f64| (n - 750.0).powi(2) / 750.0).sum();
        assert!(chi_squared < 25.9, "{chi_squared}");
    }
}
