//! Numbers of a page's data, taken out of its JSON for a reader with typed arrays.
//!
//! Invariant: the JSON names a range of [`Numbers`] in place of each array: `{"f64": [from, length]}` or `{"u16": [from, length]}`.

use serde::Serialize;

/// Arrays of numbers, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    /// Values; not a number where there is no value.
    pub floats: Vec<f64>,
    /// Shares in ten-thousandths.
    pub shorts: Vec<u16>,
}

/// The range of an array in [`Numbers::floats`]: its start and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FloatRange {
    f64: [usize; 2],
}

/// The range of an array in [`Numbers::shorts`]: its start and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ShortRange {
    u16: [usize; 2],
}

impl Numbers {
    /// Adds an array of values, and returns its range.
    pub fn add(&mut self, values: impl IntoIterator<Item = f64>) -> FloatRange {
        let from = self.floats.len();
        self.floats.extend(values);
        FloatRange { f64: [from, self.floats.len() - from] }
    }

    /// Adds an array of shares, from 0 on, and returns its range. Shares above 6.5535 are written as that.
    pub fn add_shares(&mut self, shares: impl IntoIterator<Item = f64>) -> ShortRange {
        let from = self.shorts.len();
        self.shorts.extend(shares.into_iter().map(ten_thousandths));
        ShortRange { u16: [from, self.shorts.len() - from] }
    }
}

/// Returns a share, from 0 on, in ten-thousandths, at most 65,535.
pub(super) fn ten_thousandths(share: f64) -> u16 {
    (share * 10_000.0).round().clamp(0.0, f64::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_stand_one_after_the_other() {
        let mut numbers = Numbers::default();
        let ranges = (numbers.add([1.0, 2.0]), numbers.add([]), numbers.add([f64::NAN]));
        let shares = numbers.add_shares([0.5, 7.0]);
        let json = serde_json::to_string(&(ranges, shares)).expect("ranges are plain");
        assert_eq!(json, r#"[[{"f64":[0,2]},{"f64":[2,0]},{"f64":[2,1]}],{"u16":[0,2]}]"#);
        assert_eq!((&numbers.floats[..2], numbers.shorts), (&[1.0, 2.0][..], vec![5000, u16::MAX]));
        assert!(numbers.floats[2].is_nan());
    }
}
