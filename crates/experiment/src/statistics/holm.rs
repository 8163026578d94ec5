//! Holm's correction for several comparisons at once.
//!
//! Invariant: of all comparisons between equal settings, any is called significant with at most the chance of a single
//! comparison. This holds however the comparisons depend on each other (Holm 1979, "A simple sequentially rejective
//! multiple test procedure").

/// Returns the chances of the comparisons, each raised so that the level of a single comparison applies to it. The
/// `k`-th smallest of `m` is multiplied by `m - k + 1`, and is then at least as large as its predecessors.
///
/// ```
/// use experiment::statistics::holm::adjusted;
/// assert_eq!(adjusted(&[0.04, 0.01, 0.03]), [0.06, 0.03, 0.06]);
/// ```
#[must_use]
pub fn adjusted(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let mut adjusted = vec![0.0; chances.len()];
    let mut least: f64 = 0.0;
    for (rank, place) in order.into_iter().enumerate() {
        least = least.max((chances.len() - rank) as f64 * chances[place]).min(1.0);
        adjusted[place] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the manual of R's `p.adjust`: `p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")`.
    #[test]
    fn the_numbers_of_another_program() {
        let adjusted = adjusted(&[0.01, 0.02, 0.03, 0.04, 0.05]);
        let expected = [0.05, 0.08, 0.09, 0.09, 0.09];
        assert!(
            adjusted.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12),
            "{adjusted:?}"
        );
        assert_eq!(super::adjusted(&[]), [0.0; 0]);
        assert_eq!(super::adjusted(&[0.7, 0.9]), [1.0, 1.0]);
    }
}
