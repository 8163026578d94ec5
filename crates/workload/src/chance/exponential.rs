//! Exponentially distributed draws, the same on every machine.
//!
//! Invariant: a draw follows from the stream by comparisons of integers alone. The usual methods take a logarithm.
//! Its last bit depends on the machine's mathematics library, and results must not.
//!
//! The method is von Neumann's ("Various techniques used in connection with random digits", 1951). Draw uniform u0,
//! u1, ... until a draw exceeds its predecessor. Given u0 = x, the draws up to the n-th descend with probability x^n
//! / n!. The number drawn after u0 is therefore odd with probability 1 - x + x^2/2! - ... = e^-x. If it is odd, u0 is
//! the fraction of the result. If not, the whole part of the result increases by 1, which has to happen with
//! probability 1/e, and the method starts again.

use rand::Rng;

/// Draws a number of mean 1, not negative, in steps of 2^-53.
pub(crate) fn exponential(random: &mut impl Rng) -> f64 {
    let mut whole = 0.0;
    loop {
        let first = random.next_u64();
        if descends_to_odd(first, random) {
            return whole + unit(first);
        }
        whole += 1.0;
    }
}

/// Returns true if the draws up to and including the first that exceeds its predecessor are odd in number.
fn descends_to_odd(first: u64, random: &mut impl Rng) -> bool {
    let (mut last, mut odd) = (first, true);
    loop {
        let next = random.next_u64();
        if next > last {
            return odd;
        }
        (last, odd) = (next, !odd);
    }
}

/// Returns the number in [0, 1) with the upper 53 bits of `bits` as its digits.
pub(crate) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 200_000;

    fn draws() -> Vec<f64> {
        let mut random = event_kernel::stream(7, "exponential", "test");
        (0..N).map(|_| exponential(&mut random)).collect()
    }

    /// The share of draws above t is e^-t, with standard deviation sqrt(e^-t (1 - e^-t) / N). Within five of these, a
    /// right sampler fails once in two million.
    #[test]
    fn the_tail_is_exponential() {
        let draws = draws();
        for t in [0.01, 0.3, 0.9, 1.0, 1.5, 2.0, 4.0, 7.0_f64] {
            let p = (-t).exp();
            let share = draws.iter().filter(|x| **x > t).count() as f64 / N as f64;
            let bound = 5.0 * (p * (1.0 - p) / N as f64).sqrt();
            assert!((share - p).abs() < bound, "P(X > {t}) is {p}, found {share}");
        }
    }

    /// Mean 1, variance 1 (fourth central moment 9, so the variance found has variance 8/N).
    #[test]
    fn mean_and_variance_are_one() {
        let draws = draws();
        let n = N as f64;
        let mean = draws.iter().sum::<f64>() / n;
        let variance = draws.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>() / n;
        assert!((mean - 1.0).abs() < 5.0 / n.sqrt(), "mean {mean}");
        assert!((variance - 1.0).abs() < 5.0 * (8.0 / n).sqrt(), "variance {variance}");
    }

    /// Independent draws have correlation 0, with standard deviation 1/sqrt(N).
    #[test]
    fn neighbours_do_not_correlate() {
        let draws = draws();
        let covariance: f64 = draws.windows(2).map(|pair| (pair[0] - 1.0) * (pair[1] - 1.0)).sum();
        assert!((covariance / N as f64).abs() < 5.0 / (N as f64).sqrt());
    }
}
