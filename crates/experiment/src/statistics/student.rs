//! Student's t distribution (Student 1908; Abramowitz and Stegun, 26.7).
//!
//! Invariant: quantile and probability are inverses of each other to nine digits.

use statrs::function::beta::beta_reg;
use statrs::function::gamma::ln_gamma;

/// Most steps of a search: bisection alone would need about this number.
const MOST_STEPS: u32 = 200;

/// Returns the probability that a number of Student's distribution with these degrees of freedom is at most `t`.
///
/// # Panics
/// If the degrees of freedom are not positive.
#[must_use]
pub fn probability(t: f64, degrees: f64) -> f64 {
    assert!(degrees > 0.0, "Student's t has at least one degree of freedom, not {degrees}");
    if t.is_infinite() {
        return if t > 0.0 { 1.0 } else { 0.0 };
    }
    let tail = 0.5 * beta_reg(0.5 * degrees, 0.5, degrees / (degrees + t * t));
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// Returns the probability of a number at least as far from 0 as `t`, on either side.
///
/// # Panics
/// If the degrees of freedom are not positive.
#[must_use]
pub fn two_sided(t: f64, degrees: f64) -> f64 {
    assert!(degrees > 0.0, "Student's t has at least one degree of freedom, not {degrees}");
    beta_reg(0.5 * degrees, 0.5, degrees / (degrees + t * t))
}

/// Returns the number that bounds a share `level` of the distribution from both sides: for 0.95 its 0.975 quantile.
///
/// ```
/// let t = experiment::statistics::student::bound(0.95, 4.0);
/// assert!((t - 2.776_445).abs() < 1e-6);
/// ```
///
/// # Panics
/// If `level` is not between 0 and 1, or the degrees of freedom are not positive.
#[must_use]
pub fn bound(level: f64, degrees: f64) -> f64 {
    assert!(level > 0.0 && level < 1.0, "a level lies between 0 and 1: {level}");
    quantile(0.5 + 0.5 * level, degrees)
}

/// Returns the quantile for a share between 0 and 1.
///
/// # Panics
/// If the share is not between 0 and 1, or the degrees of freedom are not positive.
#[must_use]
pub fn quantile(share: f64, degrees: f64) -> f64 {
    assert!(share > 0.0 && share < 1.0, "a share lies between 0 and 1: {share}");
    if share < 0.5 {
        return -quantile(1.0 - share, degrees);
    }
    // The library's own quantile is less exact: with 1 degree of freedom it differs from Cauchy's by more than 1e-8.
    let tail = 2.0 * (1.0 - share);
    let mut high = 1.0;
    while two_sided(high, degrees) > tail {
        high *= 2.0;
    }
    let (mut low, mut at) = (0.0, 0.5 * high);
    // Newton's steps, which stay within an interval that shrinks with each.
    for _ in 0..MOST_STEPS {
        let excess = two_sided(at, degrees) - tail;
        if excess > 0.0 {
            low = at;
        } else {
            high = at;
        }
        let step = at + excess / (2.0 * density(at, degrees));
        // Far from the quantile a step may leave the interval. Bisection then still halves it.
        let next = if low < step && step < high { step } else { f64::midpoint(low, high) };
        if (next - at).abs() <= 1e-14 * at {
            return next;
        }
        at = next;
    }
    at
}

/// Returns the density of Student's distribution.
fn density(t: f64, degrees: f64) -> f64 {
    let front = ln_gamma(0.5 * (degrees + 1.0)) - ln_gamma(0.5 * degrees);
    (front - 0.5 * (degrees + 1.0) * (t * t / degrees).ln_1p()).exp()
        / (degrees * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From any textbook's table, to its three decimals.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        let table = [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (4.0, 2.776),
            (10.0, 2.228),
            (30.0, 2.042),
            (40.0, 2.021),
            (60.0, 2.000),
            (120.0, 1.980),
            (1e6, 1.960),
        ];
        for (degrees, expected) in table {
            assert!((bound(0.95, degrees) - expected).abs() < 5.1e-4, "{degrees}: {}", bound(0.95, degrees));
        }
        for (degrees, expected) in [(1.0, 63.657), (5.0, 4.032), (20.0, 2.845)] {
            assert!((bound(0.99, degrees) - expected).abs() < 5.1e-4, "{degrees}");
        }
        assert!((bound(0.90, 9.0) - 1.833).abs() < 5.1e-4);
    }

    #[test]
    fn one_degree_is_the_cauchy_distribution_and_many_are_the_normal_one() {
        for share in [0.01, 0.3, 0.5, 0.8, 0.9999] {
            let cauchy = (std::f64::consts::PI * (share - 0.5)).tan();
            assert!((quantile(share, 1.0) - cauchy).abs() <= 1e-8 * cauchy.abs().max(1.0), "{share}");
        }
        assert!((quantile(0.975, 1e7) - 1.959_964).abs() < 1e-5);
    }

    #[test]
    fn quantile_and_probability_are_inverse() {
        for degrees in [1.0, 2.5, 7.0, 40.0, 1000.0] {
            for share in [0.001, 0.2, 0.5, 0.9, 0.975, 0.9995] {
                assert!(
                    (probability(quantile(share, degrees), degrees) - share).abs() < 1e-9,
                    "{share} {degrees}"
                );
            }
        }
        assert_eq!(probability(f64::INFINITY, 3.0), 1.0);
    }
}
