//! The number of a seed, as statistics take it.
//!
//! Invariant: the order of readings is from better to worse. A censored reading is worse than every known reading that
//! is not beyond its bound. A missing reading is the worst.

use measures::{Direction, Measured};

/// A number of a seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// The number is known.
    Known(f64),
    /// The number is not known, and is not less: a run ended before messages did.
    AtLeast(f64),
    /// There is no number: the run failed, or lacks the measure.
    Missing,
}

impl From<&Measured> for Reading {
    fn from(measured: &Measured) -> Self {
        match (measured.value, measured.censored) {
            (Some(value), false) => Self::Known(value),
            (Some(value), true) => Self::AtLeast(value),
            (None, _) => Self::Missing,
        }
    }
}

impl Reading {
    /// Returns the number, if it is known.
    #[must_use]
    pub const fn known(self) -> Option<f64> {
        match self {
            Self::Known(value) => Some(value),
            Self::AtLeast(_) | Self::Missing => None,
        }
    }

    /// Returns the amount by which this reading is certainly better than another; a lower bound of it if the other is
    /// censored. `None` if the amount is not certain.
    pub(super) fn advantage_over(self, other: Self, better: Direction) -> Option<f64> {
        let is_certain = match other {
            Self::Known(_) => true,
            // Beyond its bound, the other reading is only worse.
            Self::AtLeast(_) => better == Direction::Smaller,
            Self::Missing => false,
        };
        let (Self::Known(mine), Self::Known(theirs) | Self::AtLeast(theirs)) = (self, other) else {
            return None;
        };
        if !is_certain {
            return None;
        }
        Some(match better {
            Direction::Smaller => theirs - mine,
            Direction::Larger => mine - theirs,
        })
    }

    /// Returns 1 if this reading is better than another, -1 if it is worse, 0 if they are equal or their order is not
    /// known. A missing reading is worse than a known reading. So is a censored reading, unless its bound is less: the
    /// order is then not known.
    pub(super) fn sign_over(self, other: Self, better: Direction) -> i32 {
        let of_known = |mine: f64, theirs: f64| match better {
            Direction::Smaller => i32::from(mine < theirs) - i32::from(mine > theirs),
            Direction::Larger => i32::from(mine > theirs) - i32::from(mine < theirs),
        };
        match (self, other) {
            (Self::Known(mine), Self::Known(theirs)) => of_known(mine, theirs),
            (Self::Missing, Self::Missing) | (Self::AtLeast(_), Self::AtLeast(_)) => 0,
            (Self::Missing, _) => -1,
            (_, Self::Missing) => 1,
            (Self::Known(mine), Self::AtLeast(theirs)) => {
                i32::from(of_known(mine, theirs) > 0 && better == Direction::Smaller)
            }
            (Self::AtLeast(mine), Self::Known(theirs)) => {
                -i32::from(of_known(theirs, mine) > 0 && better == Direction::Smaller)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reading::{AtLeast, Known, Missing};
    use super::*;

    #[test]
    fn a_number_that_is_not_known_is_never_better() {
        let smaller = |one: Reading, other| {
            (one.sign_over(other, Direction::Smaller), one.advantage_over(other, Direction::Smaller))
        };
        assert_eq!(smaller(Known(2.0), Known(5.0)), (1, Some(3.0)));
        assert_eq!(smaller(Known(2.0), AtLeast(5.0)), (1, Some(3.0)));
        assert_eq!(smaller(AtLeast(5.0), Known(2.0)), (-1, None));
        // A number of at least 2 may be more than 5 or less.
        assert_eq!(smaller(AtLeast(2.0), Known(5.0)), (0, None));
        assert_eq!(smaller(Known(5.0), AtLeast(2.0)), (0, Some(-3.0)));
        assert_eq!(smaller(AtLeast(2.0), AtLeast(5.0)), (0, None));
        assert_eq!(smaller(Known(2.0), Missing), (1, None));
        assert_eq!(smaller(Missing, AtLeast(2.0)), (-1, None));
        let larger = |one: Reading, other| {
            (one.sign_over(other, Direction::Larger), one.advantage_over(other, Direction::Larger))
        };
        assert_eq!(larger(Known(5.0), Known(2.0)), (1, Some(3.0)));
        assert_eq!(larger(Known(5.0), AtLeast(2.0)), (0, None));
        assert_eq!(larger(AtLeast(5.0), Known(2.0)), (0, None));
    }
}
