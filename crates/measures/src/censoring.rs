//! Quantiles and means over values, some right-censored: known by a lower bound only.
//!
//! Invariant: a statistic is a number only if no true value behind a censored value could change it. Else it is the
//! closest pair of bounds that is certain; the upper bound may be missing.
//!
//! The true values are at least the lower bounds. Order statistics and means rise with each value, so
//!
//! ```text
//! statistic with each censored value at its bound  <=  true statistic  <=  statistic with each censored value infinite
//! ```
//!
//! Each value between the two ends is possible. If they are equal, that is the number; if the upper end is infinite,
//! only the lower bound is left. A message that was not delivered by the end of a run is censored at its age.

use schemars::JsonSchema;
use serde::Serialize;

use crate::rounding::rounded;

/// Explanation of bounds below a table that has some.
pub const BOUND_NOTE: &str = "≥ is a lower bound, and A to B are bounds on both sides: unfinished messages and flows count with\n\
     their age at the end of the run, and could change the value.";

/// A value, or bounds of it. In JSON a number, `{"at_least": 3.0, "at_most": 4.0}`, or `{"at_least": 3.0}`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CensoredValue {
    /// The value is known.
    Exact(f64),
    /// The value is not known, and lies between two bounds or on one of them.
    Between {
        /// Lower bound.
        at_least: f64,
        /// Upper bound.
        at_most: f64,
    },
    /// The value is not known, and is not less.
    AtLeast {
        /// Lower bound.
        at_least: f64,
    },
}

/// Values of a sample, some of them censored.
#[derive(Clone, Debug, Default)]
pub struct CensoredSample {
    exact: Vec<f64>,
    bounds: Vec<f64>,
}

/// A sample in ascending order.
#[derive(Clone, Debug)]
pub struct SortedSample {
    /// The values that are known.
    exact: Vec<f64>,
    /// All values, with censored values at their bounds.
    lowest: Vec<f64>,
}

impl CensoredValue {
    /// Returns a value between bounds. The upper bound may be missing.
    pub(crate) fn within(at_least: f64, at_most: Option<f64>) -> Self {
        match at_most {
            None => Self::AtLeast { at_least },
            Some(at_most) if at_most == at_least => Self::Exact(at_least),
            Some(at_most) => Self::Between { at_least, at_most },
        }
    }

    /// Returns the value, if it is known.
    #[must_use]
    pub const fn exact(self) -> Option<f64> {
        match self {
            Self::Exact(value) => Some(value),
            Self::Between { .. } | Self::AtLeast { .. } => None,
        }
    }

    /// Returns the lower bound; of a known value, the value.
    #[must_use]
    pub const fn at_least(self) -> f64 {
        match self {
            Self::Exact(value) => value,
            Self::Between { at_least, .. } | Self::AtLeast { at_least } => at_least,
        }
    }

    /// Returns the upper bound, if any; of a known value, the value.
    #[must_use]
    pub const fn at_most(self) -> Option<f64> {
        match self {
            Self::Exact(value) => Some(value),
            Self::Between { at_most, .. } => Some(at_most),
            Self::AtLeast { .. } => None,
        }
    }

    /// Applies a function that rises with its argument, as a change of the unit does.
    #[must_use]
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        Self::within(rising(self.at_least()), self.at_most().map(rising))
    }

    /// Rounds to a number of decimals: a lower bound down and an upper bound up, so that they stay bounds. Bounds
    /// between which every value is rounded to the same number give that number.
    #[must_use]
    pub fn rounded(self, decimals: i32) -> Self {
        let nearest = |value| rounded(value, decimals);
        let step = 0.1f64.powi(decimals);
        let (at_least, at_most) = (self.at_least(), self.at_most());
        if at_most.is_some_and(|at_most| nearest(at_most) == nearest(at_least)) {
            return Self::Exact(nearest(at_least));
        }
        // Where rounding went beyond the bound, the neighbour is on its other side.
        let down = Some(nearest(at_least)).filter(|down| *down <= at_least);
        let up = |at_most| Some(nearest(at_most)).filter(|up| *up >= at_most);
        Self::within(
            down.unwrap_or_else(|| nearest(at_least - step)),
            at_most.map(|at_most| up(at_most).unwrap_or_else(|| nearest(at_most + step))),
        )
    }

    /// Returns the value with this number of decimals, for tables: `3000.0`, `3000.0 to 3100.0` for bounds, or
    /// `≥ 3000.0` for a lower bound alone.
    #[must_use]
    pub fn printed(self, decimals: usize) -> String {
        match self.rounded(decimals as i32) {
            Self::Exact(value) => format!("{value:.decimals$}"),
            Self::Between { at_least, at_most } => format!("{at_least:.decimals$} to {at_most:.decimals$}"),
            Self::AtLeast { at_least } => format!("≥ {at_least:.decimals$}"),
        }
    }
}

impl From<f64> for CensoredValue {
    fn from(value: f64) -> Self {
        Self::Exact(value)
    }
}

impl FromIterator<CensoredValue> for CensoredSample {
    fn from_iter<T: IntoIterator<Item = CensoredValue>>(values: T) -> Self {
        let mut sample = Self::default();
        values.into_iter().for_each(|value| sample.add(value));
        sample
    }
}

impl CensoredSample {
    /// Adds a value. An upper bound is not used.
    pub fn add(&mut self, value: CensoredValue) {
        match value.exact() {
            Some(value) => self.exact.push(value),
            None => self.bounds.push(value.at_least()),
        }
    }

    /// Returns the sample in ascending order.
    #[must_use]
    pub fn sorted(self) -> SortedSample {
        let Self { mut exact, mut bounds } = self;
        exact.sort_unstable_by(f64::total_cmp);
        bounds.sort_unstable_by(f64::total_cmp);
        // A censored value is at least its bound, so the order with all bounds gives the lower bound of each quantile.
        let mut lowest = [exact.as_slice(), &bounds].concat();
        // A stable sort only merges parts that are in order already.
        lowest.sort_by(f64::total_cmp);
        SortedSample { exact, lowest }
    }
}

impl SortedSample {
    /// Returns the number of values, censored or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lowest.len()
    }

    /// Returns true if there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lowest.is_empty()
    }

    /// Returns the number of values that are known.
    #[must_use]
    pub fn known(&self) -> usize {
        self.exact.len()
    }

    /// Returns the largest value that is known; `None` if none is.
    #[must_use]
    pub fn largest_known(&self) -> Option<f64> {
        self.exact.last().copied()
    }

    /// Returns the quantile for `share`, 0 to 1, by nearest rank; `None` if there is no value.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<CensoredValue> {
        let place = place(self.len(), share);
        // With every censored value infinite, the first values are the known values.
        Some(CensoredValue::within(*self.lowest.get(place)?, self.exact.get(place).copied()))
    }

    /// Returns the mean; `None` if there is no value.
    #[must_use]
    pub fn mean(&self) -> Option<CensoredValue> {
        let mean = self.lowest.iter().sum::<f64>() / self.len() as f64;
        // A single censored value may be of any length, so the mean then has no upper bound.
        let is_known = self.known() == self.len();
        (!self.is_empty()).then(|| CensoredValue::within(mean, is_known.then_some(mean)))
    }
}

/// Returns the quantile for `share`, 0 to 1, of values that are all known, by nearest rank.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    sorted.get(place(sorted.len(), share)).copied()
}

/// Returns the rank of the quantile for `share`, 0 to 1, among a number of values in ascending order: the nearest rank,
/// from 1.
#[must_use]
pub fn rank(values: u64, share: f64) -> u64 {
    ((share * values as f64).ceil() as u64).max(1)
}

fn place(values: usize, share: f64) -> usize {
    usize::try_from(rank(values as u64, share)).expect("a rank is at most the number of values") - 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::CensoredValue::{AtLeast, Between, Exact};
    use super::*;

    fn sample(exact: &[f64], bounds: &[f64]) -> SortedSample {
        let bounds = bounds.iter().map(|&at_least| AtLeast { at_least });
        exact.iter().map(|&value| Exact(value)).chain(bounds).collect::<CensoredSample>().sorted()
    }

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let values = sample(&[4.0, 2.0, 1.0, 3.0], &[]);
        assert_eq!(
            [0.5, 0.95, 0.01].map(|share| values.quantile(share)),
            [2.0, 4.0, 1.0].map(|value| Some(Exact(value)))
        );
        assert_eq!((sample(&[], &[]).quantile(0.5), sample(&[], &[]).mean()), (None, None));
    }

    /// Of 1, 2, 3, a value of at least 2.5 and a value of at least 9, the third lies between 2.5 and 3.
    #[test]
    fn a_quantile_that_a_censored_value_could_change_has_bounds() {
        let values = sample(&[1.0, 2.0, 3.0], &[9.0, 2.5]);
        let bound = |at_least| Some(AtLeast { at_least });
        let between = Some(Between { at_least: 2.5, at_most: 3.0 });
        assert_eq!(
            [0.2, 0.4, 0.6, 0.8, 1.0].map(|share| values.quantile(share)),
            [Some(Exact(1.0)), Some(Exact(2.0)), between, bound(3.0), bound(9.0)]
        );
        assert_eq!((values.mean(), values.known()), (bound(3.5), 3));
        // The greater of 5 and a value above 5 is above 5; the smaller is 5.
        assert_eq!(sample(&[5.0], &[5.0]).quantile(0.5), Some(Exact(5.0)));
    }

    #[test]
    fn bounds_are_rounded_outwards() {
        let (exact, at_least) = (Exact(2.96), AtLeast { at_least: 2.96 });
        let between = |at_most| Between { at_least: 2.96, at_most };
        let printed = [exact, at_least, between(3.01), between(3.049)].map(|value| value.printed(1));
        assert_eq!(printed, ["3.0", "≥ 2.9", "3.0", "3.0"]);
        assert_eq!(between(3.06).printed(1), "2.9 to 3.1");
        assert_eq!(AtLeast { at_least: 2.9 }.printed(1), "≥ 2.9");
        let json = |value: CensoredValue| serde_json::to_string(&value.rounded(2)).unwrap();
        let values = [Exact(2.999), AtLeast { at_least: 2.999 }, Between { at_least: 2.999, at_most: 4.001 }];
        assert_eq!(values.map(json), ["3.0", r#"{"at_least":2.99}"#, r#"{"at_least":2.99,"at_most":4.01}"#]);
    }

    /// A value of a sample, and its bound if it is censored.
    fn values() -> impl Strategy<Value = Vec<(f64, Option<f64>)>> {
        // Small whole numbers, so that many are equal.
        let value = (0..20u32, 0..20u32, any::<bool>());
        prop::collection::vec(value, 1..40).prop_map(|all| {
            let one = |(value, less, censored): (u32, u32, bool)| {
                (f64::from(value), censored.then(|| f64::from(value) - f64::from(less.min(value))))
            };
            all.into_iter().map(one).collect()
        })
    }

    /// A value of a sample, from a drawn value and its bound.
    type Reading<'a> = &'a dyn Fn(&(f64, Option<f64>)) -> CensoredValue;
    type Statistic<'a> = &'a dyn Fn(&SortedSample) -> Option<CensoredValue>;

    proptest! {
        /// Brute force over the true values: a number is the true number, and bounds hold. Each bound is reached by
        /// some true values, so no bound could be closer.
        #[test]
        fn numbers_are_true_and_bounds_hold(values in values(), share in 0.01..1.0f64) {
            let known = |(value, bound): &(f64, Option<f64>)| match bound {
                None => Exact(*value),
                Some(at_least) => AtLeast { at_least: *at_least },
            };
            let sample_of = |one: Reading<'_>| values.iter().map(one).collect::<CensoredSample>().sorted();
            let shown = sample_of(&known);
            let truth = sample_of(&|(value, _)| Exact(*value));
            let lowest = sample_of(&|(value, bound)| Exact(bound.unwrap_or(*value)));
            let highest = sample_of(&|(value, bound)| Exact(bound.map_or(*value, |_| f64::INFINITY)));
            let quantile: Statistic<'_> = &|sample| sample.quantile(share);
            for statistic in [quantile, &SortedSample::mean] {
                let of = |sample| statistic(sample).expect("the sample is not empty");
                let [truth, lowest, highest] = [&truth, &lowest, &highest].map(|sample| of(sample).at_least());
                let shown = of(&shown);
                prop_assert_eq!(shown.at_least(), lowest);
                prop_assert_eq!(shown.at_most().unwrap_or(f64::INFINITY), highest);
                prop_assert!(lowest <= truth && truth <= highest);
                prop_assert_eq!(shown.exact().is_some(), lowest == highest);
            }
        }

        #[test]
        fn rounded_bounds_stay_bounds(value in 0.0..1e9f64, more in 0.0..2.0f64, decimals in 0..7i32) {
            let at_most = value + more;
            let shown = CensoredValue::within(value, Some(at_most)).rounded(decimals);
            match shown.exact() {
                Some(number) => {
                    prop_assert_eq!([rounded(value, decimals), rounded(at_most, decimals)], [number; 2]);
                }
                None => {
                    prop_assert!(shown.at_least() <= value && at_most <= shown.at_most().unwrap());
                    let slack = 1.01 * 0.1f64.powi(decimals) + value * 1e-12;
                    prop_assert!(value - shown.at_least() < slack && shown.at_most().unwrap() - at_most < slack);
                }
            }
        }
    }
}
