//! Lists of seeds: `7`, `1..=20`, `1,2,9`, or a mixture.
//!
//! Invariant: every option and file that takes seeds reads them here. No seed is there twice, so no run counts twice.

use std::collections::BTreeSet;
use std::str::FromStr;

/// Seeds in their order. The list is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedList(pub Vec<u64>);

/// Error of a text that is no list of seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedListError {
    /// The text is none.
    #[error("`{given}` is not a list of seeds")]
    Form {
        /// The text.
        given: String,
    },
    /// A range begins above its end.
    #[error("the range {first}..={last} has no seed")]
    Descending {
        /// First seed.
        first: u64,
        /// Last seed.
        last: u64,
    },
    /// The list is too long.
    #[error("the list has more than {most} seeds", most = SeedList::MOST)]
    TooMany,
    /// A seed is given more than once.
    #[error("the seed {seed} is there twice")]
    Twice {
        /// The seed.
        seed: u64,
    },
}

impl SeedListError {
    /// Returns the correction.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Form { .. } => "write `7`, `1..=20` (with 20) or `1,2,9`",
            Self::Descending { .. } => "write the smaller end first",
            Self::TooMany => "write fewer",
            Self::Twice { .. } => "write each seed once",
        }
    }
}

impl SeedList {
    /// Largest number of seeds of a list: as many runs as a sweep may have.
    pub const MOST: usize = 1_000_000;
}

/// Returns seeds as options take them: `1..=5` or `1,2,7`.
pub(crate) fn list(seeds: &[u64]) -> String {
    match seeds {
        [first, .., last] if is_range(seeds) => format!("{first}..={last}"),
        _ => seeds.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
    }
}

/// Returns true if each seed follows the one before.
pub(crate) fn is_range(seeds: &[u64]) -> bool {
    seeds.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
}

impl FromStr for SeedList {
    type Err = SeedListError;

    fn from_str(text: &str) -> Result<Self, SeedListError> {
        let form = || SeedListError::Form { given: text.trim().to_owned() };
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| form());
        let mut seeds = Vec::new();
        for part in text.split(',') {
            let (first, last) = match part.split_once("..=") {
                None => (number(part)?, number(part)?),
                Some((first, last)) => (number(first)?, number(last)?),
            };
            if first > last {
                return Err(SeedListError::Descending { first, last });
            }
            if last - first >= (Self::MOST - seeds.len()) as u64 {
                return Err(SeedListError::TooMany);
            }
            seeds.extend(first..=last);
        }
        let mut known = BTreeSet::new();
        match seeds.iter().find(|seed| !known.insert(**seed)) {
            Some(seed) => Err(SeedListError::Twice { seed: *seed }),
            None => Ok(Self(seeds)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_numbers_and_ranges_in_their_order() {
        let list = |text: &str| text.parse::<SeedList>().map(|list| list.0);
        assert_eq!(list("7"), Ok(vec![7]));
        assert_eq!(list(" 9, 1..=3"), Ok(vec![9, 1, 2, 3]));
        assert_eq!(list("18446744073709551615"), Ok(vec![u64::MAX]));
        for wrong in ["", "1..3", "-1", "a", "1,,2", "1..=", "1..=2..=3"] {
            assert!(matches!(list(wrong), Err(SeedListError::Form { .. })), "{wrong}");
        }
        assert_eq!(list("5..=1"), Err(SeedListError::Descending { first: 5, last: 1 }));
        assert_eq!(list("1..=3,2"), Err(SeedListError::Twice { seed: 2 }));
    }

    /// The limit holds for the whole list, however many ranges it has.
    #[test]
    fn a_list_has_a_limit() {
        let list = |text: &str| text.parse::<SeedList>().map(|list| list.0.len());
        assert_eq!(list("1..=1000000"), Ok(SeedList::MOST));
        for long in
            ["0..=1000000", "1..=1000000,0", "1..=600000,600001..=1000001", "0..=18446744073709551615"]
        {
            assert_eq!(list(long), Err(SeedListError::TooMany), "{long}");
        }
    }
}
