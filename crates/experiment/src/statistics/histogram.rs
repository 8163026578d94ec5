//! Quantiles over the messages of many runs, from histograms that can be added up.
//!
//! Invariant: a quantile is at most 0.1 % above the exact one by nearest rank, or is a bound. Runs add up in any order to the
//! same histogram. Messages that were not delivered count with their age, as a lower bound.

use hdrhistogram::Histogram;
use report::censoring::CensoredValue;

/// Significant digits of a bucket's width.
const DIGITS: u8 = 3;
/// Nanoseconds in a second.
const NS: f64 = 1e9;

/// Completion times of messages, in buckets of 0.1 % (`HdrHistogram`), from 1 ns on.
#[derive(Clone, Debug)]
pub struct CompletionHistogram {
    /// Times that are known.
    exact: Histogram<u64>,
    /// All times, those of messages that were not delivered at their ages.
    lowest: Histogram<u64>,
}

impl Default for CompletionHistogram {
    fn default() -> Self {
        let empty = || Histogram::new(DIGITS).expect("three digits are within the limits");
        Self { exact: empty(), lowest: empty() }
    }
}

impl CompletionHistogram {
    /// Adds a time in seconds.
    pub fn add(&mut self, time: CensoredValue) {
        let at_least = (time.at_least() * NS).round() as u64;
        // Histograms that resize themselves take every number of 64 bits.
        self.lowest.record(at_least.max(1)).expect("the histogram resizes itself");
        if let Some(time) = time.exact() {
            self.exact.record(((time * NS).round() as u64).max(1)).expect("the histogram resizes itself");
        }
    }

    /// Adds the messages of another run.
    pub fn merge(&mut self, other: &Self) {
        self.exact.add(&other.exact).expect("the histogram resizes itself");
        self.lowest.add(&other.lowest).expect("the histogram resizes itself");
    }

    /// Returns the number of messages, delivered or not.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.lowest.len()
    }

    /// Returns true if there is no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lowest.is_empty()
    }

    /// Returns the quantile for `share`, 0 to 1, in seconds; `None` if there is no message.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<CensoredValue> {
        let rank = ((share * self.len() as f64).ceil() as u64).max(1);
        let lowest = at_rank(&self.lowest, rank)?;
        let seconds = |ns: u64| ns as f64 / NS;
        // With every message that was not delivered infinitely late, the known ones are the first. A bound is the near end of
        // its bucket, so that it holds.
        let at_least = seconds(self.lowest.lowest_equivalent(lowest));
        Some(match at_rank(&self.exact, rank).map(|ns| self.exact.highest_equivalent(ns)) {
            None => CensoredValue::AtLeast { at_least },
            Some(ns) if ns <= self.lowest.highest_equivalent(lowest) => CensoredValue::Exact(seconds(ns)),
            Some(ns) => CensoredValue::Between { at_least, at_most: seconds(ns) },
        })
    }
}

/// Returns a value of the bucket that has the value of this rank, in nanoseconds; `None` beyond the last value.
fn at_rank(histogram: &Histogram<u64>, rank: u64) -> Option<u64> {
    let mut seen = 0;
    let of_bucket = |bucket: hdrhistogram::iterators::IterationValue<u64>| {
        seen += bucket.count_since_last_iteration();
        (seen >= rank).then(|| bucket.value_iterated_to())
    };
    histogram.iter_recorded().find_map(of_bucket)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use report::censoring::CensoredSample;

    use super::*;

    proptest! {
        /// Against the exact quantiles of all messages together, whatever run they belong to.
        #[test]
        fn quantiles_of_added_runs_are_those_of_all_messages(
            times in prop::collection::vec((1..10_000_000_000u64, any::<bool>()), 1..200),
            cut in 0..200usize,
            share in 0.01..1.0f64,
        ) {
            let value = |&(ns, delivered): &(u64, bool)| {
                let seconds = ns as f64 / NS;
                if delivered { CensoredValue::Exact(seconds) } else { CensoredValue::AtLeast { at_least: seconds } }
            };
            let of = |times: &[(u64, bool)]| {
                let mut histogram = CompletionHistogram::default();
                times.iter().for_each(|time| histogram.add(value(time)));
                histogram
            };
            let (first, second) = times.split_at(cut.min(times.len()));
            let mut added = of(second);
            added.merge(&of(first));
            let exact = times.iter().map(value).collect::<CensoredSample>().sorted();
            let (shown, truth) = (added.quantile(share).unwrap(), exact.quantile(share).unwrap());
            prop_assert_eq!(added.len(), times.len() as u64);
            let near = |shown: f64, truth: f64| shown >= truth * (1.0 - 1e-9) && shown <= truth * 1.001 + 1e-9;
            match shown.exact() {
                Some(value) => prop_assert!(near(value, truth.at_least()), "{:?} {:?}", shown, truth),
                // A bound is in the bucket of the true one, and holds.
                None => {
                    let (shown, truth) = (shown.at_least(), truth.at_least());
                    prop_assert!(shown <= truth * (1.0 + 1e-9) && shown >= truth * 0.999 - 1e-9, "{} {}", shown, truth);
                }
            }
            prop_assert_eq!(shown.at_most().is_some(), truth.at_most().is_some());
            if let (Some(shown), Some(truth)) = (shown.at_most(), truth.at_most()) {
                prop_assert!(near(shown, truth), "{} {}", shown, truth);
            }
        }
    }

    #[test]
    fn an_empty_histogram_has_no_quantile() {
        assert_eq!(CompletionHistogram::default().quantile(0.5), None);
        assert!(CompletionHistogram::default().is_empty());
    }
}
