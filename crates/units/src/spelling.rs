//! The spelling of quantities: a decimal number, a space, a unit.
//!
//! Invariant: printing loses nothing: a printed quantity reads back as itself. A reader's error keeps the message (as the
//! unexpected value) apart from the correction (as the expected one).

#[cfg(feature = "schema")]
mod schema;

use core::fmt::{self, Display, Formatter};
use core::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::quantity::{Bytes, Length, Rate, Span, Time};

/// Error of a text that is not a quantity. Its `Display` is the message alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The text does not have the form `NUMBER UNIT`.
    #[error("`{given}` is not {quantity}")]
    Form {
        /// The text as given.
        given: String,
        /// The quantity, with its article: `a rate`.
        quantity: &'static str,
        /// A correct text.
        example: &'static str,
    },
    /// The unit is not one of this quantity's.
    #[error("`{unit}` is not a unit of {quantity}")]
    Unit {
        /// The unit as given.
        unit: String,
        /// The quantity, with its article.
        quantity: &'static str,
        /// The quantity's units, as a list.
        known: String,
        /// A correct text.
        example: &'static str,
    },
    /// The number is finer than the smallest unit, or larger than 64 bits hold.
    #[error("`{given}` cannot be held exactly")]
    Precision {
        /// The text as given.
        given: String,
        /// The smallest unit.
        smallest: &'static str,
        /// The largest value that can be held.
        largest: String,
    },
}

impl UnitError {
    /// The correct form, as the object of "write" and of "expected": `a number and a unit, such as "2 m"`.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::Form { example, .. } => format!("a number and a unit, such as \"{example}\""),
            Self::Unit { known, example, .. } => format!("one of the units {known}, such as \"{example}\""),
            Self::Precision { smallest, largest, .. } => {
                format!("a whole multiple of 1 {smallest}, at most {largest}")
            }
        }
    }
}

/// The spelling of one quantity: its units, largest first, each with its size in the smallest unit, and words for
/// messages.
struct Spelling {
    quantity: &'static str,
    example: &'static str,
    smallest: &'static str,
    units: &'static [(&'static str, u64)],
    /// Units that are accepted, but not printed.
    also: &'static [(&'static str, u64)],
}

/// The letter before the unit of microseconds (U+00B5), and the letter that looks like it (U+03BC).
const MICRO_SIGN: &str = "\u{b5}";
const GREEK_MU: &str = "\u{3bc}";

const TIME: Spelling = Spelling {
    quantity: "a time",
    example: "1.024 us",
    smallest: "ps",
    units: &[("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000), ("ps", 1)],
    also: &[("µs", 1_000_000)],
};

const BYTES: Spelling = Spelling {
    quantity: "an amount of data",
    example: "8 KiB",
    smallest: "B",
    units: &[("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)],
    also: &[("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("KB", 1_000)],
};

const RATE: Spelling = Spelling {
    quantity: "a rate",
    example: "13.2 Gb/s",
    smallest: "b/s",
    units: &[
        ("Tb/s", 1_000_000_000_000),
        ("Gb/s", 1_000_000_000),
        ("Mb/s", 1_000_000),
        ("kb/s", 1_000),
        ("b/s", 1),
    ],
    also: &[("Kb/s", 1_000), ("GB/s", 8_000_000_000), ("MB/s", 8_000_000)],
};

const LENGTH: Spelling = Spelling {
    quantity: "a length",
    example: "2 m",
    smallest: "mm",
    units: &[("km", 1_000_000), ("m", 1_000), ("mm", 1)],
    also: &[("cm", 10)],
};

impl Spelling {
    fn read(&self, given: &str) -> Result<u64, UnitError> {
        let form =
            || UnitError::Form { given: given.to_owned(), quantity: self.quantity, example: self.example };
        let text = given.trim();
        let split = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').ok_or_else(form)?;
        let (number, unit) = (&text[..split], text[split..].trim_start());
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() || fraction.contains('.') || (number.contains('.') && fraction.is_empty()) {
            return Err(form());
        }
        let size = self.size_of(unit)?;
        exact(whole, fraction, size).ok_or_else(|| UnitError::Precision {
            given: given.to_owned(),
            smallest: self.smallest,
            largest: self.largest(),
        })
    }

    fn size_of(&self, unit: &str) -> Result<u64, UnitError> {
        let all = self.units.iter().chain(self.also);
        // Both look alike, and keyboards have either.
        let known = unit.replace(GREEK_MU, MICRO_SIGN);
        all.clone().find(|(name, _)| *name == known).map(|(_, size)| *size).ok_or_else(|| UnitError::Unit {
            unit: unit.to_owned(),
            quantity: self.quantity,
            known: all.map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
            example: self.example,
        })
    }

    /// Returns the largest value that can be represented, in whole numbers of the largest unit.
    fn largest(&self) -> String {
        let (unit, size) = self.units[0];
        format!("{} {unit}", (u64::MAX - 1) / size)
    }

    /// Returns the value in the largest unit that needs at most three decimals.
    fn written(&self, value: u64) -> String {
        let fits = |size: u64| value >= size && (u128::from(value) * 1000).is_multiple_of(u128::from(size));
        let (unit, size) =
            self.units.iter().copied().find(|(_, size)| fits(*size)).unwrap_or((self.smallest, 1));
        let thousandths = u128::from(value) * 1000 / u128::from(size);
        let (whole, part) = (thousandths / 1000, thousandths % 1000);
        if part == 0 {
            format!("{whole} {unit}")
        } else {
            let decimals = format!("{part:03}");
            format!("{whole}.{} {unit}", decimals.trim_end_matches('0'))
        }
    }
}

/// Returns `whole.fraction` times `size`, if the product is a whole number below `u64::MAX`.
fn exact(whole: &str, fraction: &str, size: u64) -> Option<u64> {
    let digits: String = whole.chars().chain(fraction.chars()).filter(|c| *c != '_').collect();
    let decimals = fraction.chars().filter(|c| *c != '_').count();
    let scale = 10u128.checked_pow(u32::try_from(decimals).ok()?)?;
    let scaled = digits.parse::<u128>().ok()?.checked_mul(u128::from(size))?;
    let value = u64::try_from(scaled / scale).ok()?;
    (scaled % scale == 0 && value != u64::MAX).then_some(value)
}

macro_rules! spelled {
    ($($quantity:ident by $spelling:ident: $get:ident, $make:expr;)*) => {$(
        impl Display for $quantity {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.pad(&$spelling.written(self.$get()))
            }
        }

        impl FromStr for $quantity {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                $spelling.read(text).map($make)
            }
        }

        impl Serialize for $quantity {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $quantity {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl Visitor<'_> for Text {
                    type Value = $quantity;
                    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                        write!(f, "{} in quotes, such as \"{}\"", $spelling.quantity, $spelling.example)
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$quantity, E> {
                        text.parse().map_err(|error: UnitError| {
                            E::invalid_value(Unexpected::Other(&error.to_string()), &error.expected().as_str())
                        })
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }
    )*};
}

spelled! {
    Time by TIME: ps, Time::from_ps;
    Span by TIME: ps, Span::from_ps;
    Bytes by BYTES: get, Bytes::new;
    Rate by RATE: get, Rate::bps;
    Length by LENGTH: mm, Length::from_mm;
}

/// Groups digits by thousands: `1234567` becomes `1,234,567`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_usual_spellings_are_read() {
        assert_eq!("56 Gb/s".parse(), Ok(Rate::gbps(56)));
        assert_eq!("13.2Gb/s".parse(), Ok(Rate::bps(13_200_000_000)));
        assert_eq!("8 KiB".parse(), Ok(Bytes::kib(8)));
        assert_eq!("1 MB".parse(), Ok(Bytes::new(1_000_000)));
        assert_eq!("1.024 us".parse(), Ok(Span::from_ps(1_024_000)));
        assert_eq!("2 m".parse(), Ok(Length::from_mm(2000)));
    }

    #[test]
    fn micro_sign_and_greek_letter_are_one() {
        for text in ["30 us", "30 \u{b5}s", "30 \u{3bc}s", "30\u{3bc}s"] {
            assert_eq!(text.parse(), Ok(Span::from_us(30)), "{text}");
        }
        let error = "30 \u{3bc}m".parse::<Span>().expect_err("no unit of time");
        assert_eq!(error.to_string(), "`\u{3bc}m` is not a unit of a time");
        assert_eq!(error.expected().matches("\u{b5}s").count(), 1, "{}", error.expected());
        assert!(!error.expected().contains("\u{3bc}s"));
    }

    #[test]
    fn an_error_names_the_correct_form() {
        let error = |text: &str| text.parse::<Rate>().unwrap_err();
        let message = |text: &str| error(text).to_string();
        assert!(error("13.2").expected().contains("a number and a unit"));
        assert!(message("13.2 GHz").contains("not a unit of a rate"));
        assert!(error("13.2 GHz").expected().contains("one of the units Tb/s, Gb/s"));
        assert!(error("1.5 b/s").expected().contains("multiple of 1 b/s"));
        assert!(message("99999999999999 Tb/s").contains("cannot be held"));
        assert!(message(". Gb/s").contains("is not a rate"));
        assert!(message("1. Gb/s").contains("is not a rate"));
        assert!(message("-1 Gb/s").contains("is not a rate"));
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!(["0", "999", "1,000", "12,345,678"], [0, 999, 1000, 12_345_678].map(grouped));
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_the_same(n in 0..u64::MAX) {
            prop_assert_eq!(Time::from_ps(n).to_string().parse(), Ok(Time::from_ps(n)));
            prop_assert_eq!(Bytes::new(n).to_string().parse(), Ok(Bytes::new(n)));
            prop_assert_eq!(Rate::bps(n).to_string().parse(), Ok(Rate::bps(n)));
            prop_assert_eq!(Length::from_mm(n).to_string().parse(), Ok(Length::from_mm(n)));
        }
    }
}
