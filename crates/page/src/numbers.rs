//! Numbers of a page's data: in its JSON, or taken out of it for a reader with typed arrays.
//!
//! Invariant: where numbers are taken out, the JSON names a range of [`Numbers`] in place of each array:
//! `{"f64": [from, length]}` or `{"u16": [from, length]}`. Both forms have the same values.

use core::fmt::Debug;

use serde::{Serialize, Serializer};

use super::base64::base64_of_u16;

/// The form of arrays in a page's data.
pub(super) trait Form: Debug {
    /// Values.
    type Values: Debug + Serialize;
    /// Values. Some may be missing.
    type Gaps: Debug + Serialize;
    /// Whole numbers. Some may be missing.
    type Counts: Debug + Serialize;
    /// Places of words.
    type Places: Debug + Serialize;
    /// Shares in ten-thousandths.
    type Shares: Debug + Serialize;
}

/// Arrays as JSON, shares in base64.
#[derive(Debug)]
pub(super) struct InJson;

impl Form for InJson {
    type Values = Vec<f64>;
    type Gaps = Vec<Option<f64>>;
    type Counts = Vec<Option<u64>>;
    type Places = Vec<usize>;
    type Shares = Shares;
}

/// Ranges of [`Numbers`].
#[derive(Debug)]
pub(super) struct TakenOut;

impl Form for TakenOut {
    type Values = FloatRange;
    type Gaps = FloatRange;
    type Counts = FloatRange;
    type Places = FloatRange;
    type Shares = ShortRange;
}

/// Shares in ten-thousandths. Their JSON is base64 of 16 bits each, the lower byte first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shares(pub(super) Vec<u16>);

impl Shares {
    /// Returns shares, from 0 on. Shares above 6.5535 become 6.5535.
    pub(super) fn of(shares: &[f64]) -> Self {
        Self(shares.iter().copied().map(ten_thousandths).collect())
    }
}

impl Serialize for Shares {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&base64_of_u16(&self.0))
    }
}

/// Arrays of numbers, end to end.
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

    /// Adds an array of values, with gaps where values are missing, and returns its range.
    pub(super) fn add_gaps(&mut self, values: impl IntoIterator<Item = Option<f64>>) -> FloatRange {
        // An array of floating-point numbers has no null: the script reads NaN as a gap.
        self.add(values.into_iter().map(|value| value.unwrap_or(f64::NAN)))
    }

    /// Adds an array of shares, from 0 on, and returns its range. Shares above 6.5535 are written as that.
    pub fn add_shares(&mut self, shares: impl IntoIterator<Item = f64>) -> ShortRange {
        self.add_parts(shares.into_iter().map(ten_thousandths))
    }

    /// Adds an array of ten-thousandths, and returns its range.
    pub(super) fn add_parts(&mut self, parts: impl IntoIterator<Item = u16>) -> ShortRange {
        let from = self.shorts.len();
        self.shorts.extend(parts);
        ShortRange { u16: [from, self.shorts.len() - from] }
    }
}

/// Returns a share, from 0 on, in ten-thousandths, at most 65,535.
fn ten_thousandths(share: f64) -> u16 {
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
