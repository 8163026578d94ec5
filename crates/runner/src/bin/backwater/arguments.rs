//! Parsers of quantities on the command line.
//!
//! Invariant: a quantity outside its range is refused with the range.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use experiment::{SeedList, SeedListError};
use link_layer::Alpha;
use units::{Bytes, Rate, Span, UnitError};

/// Upper limit for memory sizes: more than any switch has.
const MOST_MEMORY: Bytes = Bytes::kib(1 << 30);

/// Parses a quantity in a range.
pub(crate) fn within<Q>(text: &str, range: &RangeInclusive<Q>) -> Result<Q, String>
where
    Q: FromStr<Err = UnitError> + PartialOrd + Display,
{
    let quantity = text.parse().map_err(|error: UnitError| format!("{error}; write {}", error.expected()))?;
    if range.contains(&quantity) {
        Ok(quantity)
    } else {
        Err(format!("write a quantity from {} to {}", range.start(), range.end()))
    }
}

/// Parses the rate of a link in a range; `400G` is short for `400 Gb/s`, as rates of ports are usually named.
pub(crate) fn rate(text: &str, range: &RangeInclusive<Rate>) -> Result<Rate, String> {
    let number = text.strip_suffix(['G', 'g']).map(str::trim_end);
    let is_number = |number: &&str| number.ends_with(|last: char| last.is_ascii_digit());
    match number.filter(is_number) {
        Some(number) => within(&format!("{number} Gb/s"), range),
        None => within(text, range),
    }
}

/// Parses a size of packet memory.
pub(crate) fn memory(text: &str) -> Result<Bytes, String> {
    within(text, &(Bytes::ZERO..=MOST_MEMORY))
}

/// Parses an amount of data within a range, or its number of bytes alone: `144 B`, `144`.
pub(crate) fn bytes(text: &str, range: &RangeInclusive<Bytes>) -> Result<Bytes, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { within(&format!("{text} B"), range) } else { within(text, range) }
}

/// Parses a length of time.
pub(crate) fn span(text: &str) -> Result<Span, String> {
    text.parse().map_err(|error: UnitError| format!("{error}; write {}", error.expected()))
}

/// Parses an interval of simulated time, which is not empty.
pub(crate) fn interval(text: &str) -> Result<Span, String> {
    let interval = span(text)?;
    if interval == Span::ZERO {
        Err("write an interval above 0, such as `10 ms`".to_owned())
    } else {
        Ok(interval)
    }
}

/// Parses the factor of a dynamic threshold.
pub(crate) fn factor(text: &str) -> Result<f64, String> {
    let range = Alpha::LEAST..=Alpha::MOST;
    text.parse()
        .ok()
        .filter(|factor| range.contains(factor))
        .ok_or_else(|| format!("write a number from 1/128 ({}) to {}", Alpha::LEAST, Alpha::MOST))
}

/// Parses seeds: `7`, `1..=5`, `1,2,9`, or a mixture.
pub(crate) fn seeds(text: &str) -> Result<SeedList, String> {
    text.parse().map_err(|error: SeedListError| format!("{error}; {}", error.help()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_units_or_the_short_form_of_ports() {
        let parsed = |text| rate(text, &(Rate::bps(1)..=Rate::gbps(800)));
        for text in ["400G", "400g", "400 G", "400 Gb/s", "400000 Mb/s", "0.4 Tb/s"] {
            assert_eq!(parsed(text), Ok(Rate::gbps(400)), "{text}");
        }
        assert_eq!(parsed("2.5G"), Ok(Rate::bps(2_500_000_000)));
        for text in ["G", "", "400", "400T", "900G", "fastG", "-1G"] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_refused_list_of_seeds_says_what_to_write() {
        assert_eq!(seeds("1,2"), Ok(SeedList(vec![1, 2])));
        let message = "`1..5` is not a list of seeds; write `7`, `1..=20` (with 20) or `1,2,9`";
        assert_eq!(seeds("1..5"), Err(message.to_owned()));
    }
}
