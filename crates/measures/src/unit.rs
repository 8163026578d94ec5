//! Units of measures.
//!
//! Invariant: numbers are in the plain unit of their dimension; only their spelling has multiples.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use units::UnitError;

use crate::spelling::{self, Dimension, Zeros};

/// Unit of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// bit/s.
    BitsPerSecond,
    /// s.
    Seconds,
    /// Packets.
    Packets,
    /// Messages/s.
    MessagesPerSecond,
    /// Bytes.
    Bytes,
    /// Bytes/s.
    BytesPerSecond,
    /// None: a ratio, a share or an index.
    One,
}

/// Error of a text that is not a number of a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// The text is not a quantity of this dimension.
    #[error(transparent)]
    Quantity(#[from] UnitError),
    /// The text is not a plain number.
    #[error("`{0}` is not a number")]
    Number(String),
    /// The text is not a rate of bytes.
    #[error("`{0}` is not a rate of bytes")]
    ByteRate(String),
}

impl NumberError {
    /// Returns the correct form.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Quantity(error) => format!("write {}", error.expected()),
            Self::Number(_) => "write a number of at least 0, such as 0.9".to_owned(),
            Self::ByteRate(_) => "write a number and a unit, such as \"40 GB/s\"".to_owned(),
        }
    }
}

impl Unit {
    /// Returns the ending of the names of columns with this unit: `_s`; empty without a unit.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::BitsPerSecond => "_bps",
            Self::Seconds => "_s",
            Self::Packets => "_packets",
            Self::MessagesPerSecond => "_messages_per_s",
            Self::Bytes => "_bytes",
            Self::BytesPerSecond => "_bytes_per_s",
            Self::One => "",
        }
    }

    /// Returns the symbol of the unit: `bit/s`, `s`, `B`, `B/s`, `packets`; `1` of a ratio.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::BitsPerSecond => "bit/s",
            Self::Seconds => "s",
            Self::Packets => "packets",
            Self::MessagesPerSecond => "messages/s",
            Self::Bytes => "B",
            Self::BytesPerSecond => "B/s",
            Self::One => "1",
        }
    }

    /// Reads a number of this unit as users write it: `3 ms`, `10 Gb/s`, `64 KiB`, `40 GB/s`. Packets, messages/s and
    /// shares are plain numbers.
    ///
    /// # Errors
    /// If the text is not such a number.
    pub fn read(self, text: &str) -> Result<f64, NumberError> {
        let text = text.trim();
        Ok(match self {
            Self::BitsPerSecond => units::Rate::from_str(text)?.get() as f64,
            Self::Seconds => units::Span::from_str(text)?.ps() as f64 / 1e12,
            Self::Bytes => units::Bytes::from_str(text)?.get() as f64,
            Self::BytesPerSecond => {
                // The multiples are those of bits.
                let bits = text
                    .strip_suffix("B/s")
                    .and_then(|text| format!("{text}b/s").parse::<units::Rate>().ok());
                bits.ok_or_else(|| NumberError::ByteRate(text.to_owned()))?.get() as f64
            }
            Self::Packets | Self::MessagesPerSecond | Self::One => {
                let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
                number.ok_or_else(|| NumberError::Number(text.to_owned()))?
            }
        })
    }

    /// Returns a number of this unit with three significant digits and a multiple of the unit: `2.41 ms`, `13.2 Gb/s`.
    #[must_use]
    pub fn spelled(self, number: f64) -> String {
        match self {
            Self::BitsPerSecond => spelling::spelled(number, Dimension::Rate, Zeros::Kept),
            Self::Seconds => spelling::spelled(number, Dimension::Time, Zeros::Kept),
            Self::Bytes => spelling::spelled(number, Dimension::Size, Zeros::Kept),
            Self::BytesPerSecond => spelling::spelled(number, Dimension::ByteRate, Zeros::Kept),
            Self::Packets => format!("{number:.0} packets"),
            Self::MessagesPerSecond => format!("{number:.0} messages/s"),
            Self::One => spelling::digits(number, Zeros::Kept),
        }
    }
}

impl Display for Unit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // A table of definitions has room for the word.
        f.write_str(if *self == Self::Bytes { "bytes" } else { self.symbol() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_the_plain_unit() {
        assert_eq!(Unit::Seconds.read("3 ms"), Ok(0.003));
        assert_eq!(Unit::BitsPerSecond.read("10 Gb/s"), Ok(1e10));
        assert_eq!(Unit::Bytes.read("64 KiB"), Ok(65_536.0));
        assert_eq!(Unit::BytesPerSecond.read("37.5 GB/s"), Ok(37.5e9));
        assert_eq!(Unit::One.read(" 0.9 "), Ok(0.9));
        let bits = Unit::BytesPerSecond.read("37.5 Gb/s").unwrap_err();
        assert!(bits.help().contains("GB/s"), "{}", bits.help());
        assert!(Unit::One.read("NaN").is_err() && Unit::One.read("-1").is_err());
        let error = Unit::Seconds.read("3 Gb/s").unwrap_err();
        assert!(error.help().contains("ms"), "{}", error.help());
    }

    #[test]
    fn numbers_are_spelled_with_three_digits() {
        let spelled = [
            Unit::Seconds.spelled(0.002_412),
            Unit::Seconds.spelled(0.999_7e-3),
            Unit::BitsPerSecond.spelled(13.2e9),
            Unit::BitsPerSecond.spelled(0.0),
            Unit::Bytes.spelled(-31_110.0),
            Unit::BytesPerSecond.spelled(37.94e9),
            Unit::Packets.spelled(1234.5),
            Unit::One.spelled(0.9),
        ];
        assert_eq!(
            spelled,
            ["2.41 ms", "1.00 ms", "13.2 Gb/s", "0 b/s", "-31.1 KB", "37.9 GB/s", "1234 packets", "0.900"]
        );
    }
}
