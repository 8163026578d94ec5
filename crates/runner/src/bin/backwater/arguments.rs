//! Parsers of quantities on the command line.
//!
//! Invariant: a quantity outside its range is refused with the range.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use link_layer::Alpha;
use units::{Bytes, Span, UnitError};

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

/// Parses a size of packet memory.
pub(crate) fn memory(text: &str) -> Result<Bytes, String> {
    within(text, &(Bytes::ZERO..=MOST_MEMORY))
}

/// Parses a length of time.
pub(crate) fn span(text: &str) -> Result<Span, String> {
    text.parse().map_err(|error: UnitError| format!("{error}; write {}", error.expected()))
}

/// Parses the factor of a dynamic threshold.
pub(crate) fn factor(text: &str) -> Result<f64, String> {
    let range = Alpha::LEAST..=Alpha::MOST;
    text.parse()
        .ok()
        .filter(|factor| range.contains(factor))
        .ok_or_else(|| format!("write a number from 1/128 ({}) to {}", Alpha::LEAST, Alpha::MOST))
}

/// Seeds of the command line, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) Vec<u64>);

/// Most seeds of one command.
const MOST_SEEDS: usize = 100_000;

/// Parses seeds: `7`, `1..=5`, `1,2,9`, or a mixture.
pub(crate) fn seeds(text: &str) -> Result<Seeds, String> {
    let form = || format!("`{text}` is no list of seeds: write `7`, `1..=5` or `1,2,9`");
    let seed = |text: &str| text.trim().parse::<u64>().map_err(|_| form());
    let mut seeds = Vec::new();
    for part in text.split(',') {
        match part.split_once("..=") {
            Some((first, last)) => {
                let (first, last) = (seed(first)?, seed(last)?);
                if first > last {
                    return Err(format!("{first}..={last} has no seed: write the smaller one first"));
                }
                if last - first >= MOST_SEEDS as u64 {
                    return Err(format!("{first}..={last} has more than {MOST_SEEDS} seeds"));
                }
                seeds.extend(first..=last);
            }
            None => seeds.push(seed(part)?),
        }
    }
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => Err(format!("seed {} is given twice", twice[0])),
        None => Ok(Seeds(seeds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_numbers_and_ranges() {
        assert_eq!(seeds("7"), Ok(Seeds(vec![7])));
        assert_eq!(seeds("9, 1..=3"), Ok(Seeds(vec![9, 1, 2, 3])));
        let refused = |text| seeds(text).expect_err("a fault");
        assert!(refused("1..5").contains("write `7`, `1..=5` or `1,2,9`"));
        assert!(refused("").contains("no list of seeds"));
        assert_eq!(refused("5..=1"), "5..=1 has no seed: write the smaller one first");
        assert_eq!(refused("1..=3,2"), "seed 2 is given twice");
        assert!(refused("0..=18446744073709551615").contains("more than 100000 seeds"));
    }
}
