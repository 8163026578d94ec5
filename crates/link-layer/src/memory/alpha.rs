//! The factor of a dynamic threshold (Choudhury and Hahne 1998).
//!
//! Invariant: fixed-point arithmetic, so that no rounding of a float decides who gets memory.

/// The factor 1 of a dynamic threshold.
const ONE: u64 = 1 << 16;

/// Factor of a dynamic threshold, in steps of 1/65,536.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alpha(u64);

impl Alpha {
    /// The least factor that a scenario may name.
    pub const LEAST: f64 = 1.0 / 128.0;
    /// The greatest factor that a scenario may name.
    pub const MOST: f64 = 128.0;

    /// The step nearest to this factor.
    ///
    /// # Panics
    /// If the factor is not from [`Self::LEAST`] to [`Self::MOST`].
    #[must_use]
    pub fn new(factor: f64) -> Self {
        assert!((Self::LEAST..=Self::MOST).contains(&factor), "a factor of {factor} is out of range");
        Self((factor * ONE as f64).round() as u64)
    }

    /// Returns the factor.
    #[must_use]
    pub fn factor(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// Returns `alpha * amount`, rounded down.
    #[inline]
    pub(super) const fn times(self, amount: u64) -> u64 {
        (self.0 as u128 * amount as u128 / ONE as u128) as u64
    }

    /// Returns `alpha / (alpha + 1) * amount`, rounded down.
    pub(super) const fn share_of(self, amount: u64) -> u64 {
        (self.0 as u128 * amount as u128 / (self.0 + ONE) as u128) as u64
    }

    /// Returns the most that can be added to `used` while `free` is free, so that `used <= alpha * free` still holds
    /// afterwards.
    pub(super) const fn leaves(self, used: u64, free: u64) -> u64 {
        // What is added is no longer free, hence the divisor.
        (self.0 * free).saturating_sub(ONE * used) / (ONE + self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_kept_in_its_steps() {
        for factor in [Alpha::LEAST, 0.5, 1.0, 2.0, 17.25, Alpha::MOST] {
            assert_eq!(Alpha::new(factor).factor(), factor);
        }
        assert_eq!(Alpha::new(1.0 + 0.4 / 65_536.0).factor(), 1.0);
    }
}
