//! Quantities and lists in sentences.
//!
//! Invariant: a number has three significant digits, and its unit.

use measures::censoring::CensoredValue;
use measures::spelling::{Zeros, digits};

use crate::format::capital;
pub(super) use crate::format::listed as list;
pub(super) use measures::spelling::{rate, size, time};

/// Returns a share as a percentage, in whole percent from 10 % on.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        99.5..100.0 => "over 99 %".to_owned(),
        10.0.. => format!("{percent:.0} %"),
        0.1.. => format!("{percent:.1} %"),
        percent if percent > 0.0 => "less than 0.1 %".to_owned(),
        _ => "0 %".to_owned(),
    }
}

/// Returns a value or its bounds, with `times` behind.
pub(super) fn times(value: CensoredValue) -> String {
    let short = |value| digits(value, Zeros::Dropped);
    match value {
        CensoredValue::Exact(value) => format!("{} times", short(value)),
        CensoredValue::AtLeast { at_least } => format!("at least {} times", short(at_least)),
        CensoredValue::Between { at_least, at_most } => {
            let (at_least, at_most) = (short(at_least), short(at_most));
            if at_least == at_most {
                format!("{at_least} times")
            } else {
                format!("{at_least} to {at_most} times")
            }
        }
    }
}

/// Returns a sentence with a capital at its beginning if it begins with a word of ours: names stay as they are.
pub(super) fn begun(sentence: &str) -> String {
    let is_ours = ["all ", "the flow of "].iter().any(|first| sentence.starts_with(first));
    if is_ours { capital(sentence) } else { sentence.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_round_to_all_or_nothing() {
        let shares = [0.0, 0.0001, 0.034, 0.104, 0.996, 1.0].map(percent);
        assert_eq!(shares, ["0 %", "less than 0.1 %", "3.4 %", "10 %", "over 99 %", "100 %"]);
    }

    #[test]
    fn bounds_are_words() {
        assert_eq!(times(CensoredValue::Exact(2.5)), "2.5 times");
        assert_eq!(times(CensoredValue::AtLeast { at_least: 9.0 }), "at least 9 times");
        assert_eq!(times(CensoredValue::Between { at_least: 2.0, at_most: 3.0 }), "2 to 3 times");
    }
}
