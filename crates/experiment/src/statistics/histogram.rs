//! Quantiles over the messages of many runs, from histograms that can be added up.
//!
//! Invariant: a quantile is at most 1 % above the exact quantile by nearest rank, or is a bound. Runs add up in any
//! order to the same histogram. Messages that were not delivered count with their age, as a lower bound.

use hdrhistogram::Histogram;
use hdrhistogram::iterators::IterationValue;
use measures::censoring::{CensoredValue, rank};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// Significant digits of a bucket's width. Each more takes ten times the room in files.
const DIGITS: u8 = 2;
/// Nanoseconds in a second.
const NS: f64 = 1e9;

/// Completion times of messages, in buckets of 1 % (`HdrHistogram`), from 1 ns on.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionHistogram {
    /// Times of delivered messages.
    delivered: Histogram<u64>,
    /// Ages of all others at the end of their run.
    unfinished: Histogram<u64>,
}

/// A histogram in files: the upper end of each bucket that is not empty, in nanoseconds, with its count.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    delivered_ns: Vec<(u64, u64)>,
    unfinished_ns: Vec<(u64, u64)>,
}

impl Default for CompletionHistogram {
    fn default() -> Self {
        let empty = || Histogram::new(DIGITS).expect("two digits are within the limits");
        Self { delivered: empty(), unfinished: empty() }
    }
}

impl CompletionHistogram {
    /// Adds a time in seconds.
    pub fn add(&mut self, time: CensoredValue) {
        let ns = |seconds: f64| ((seconds * NS).round() as u64).max(1);
        let (histogram, ns) = match time.exact() {
            Some(time) => (&mut self.delivered, ns(time)),
            None => (&mut self.unfinished, ns(time.at_least())),
        };
        record(histogram, ns, 1);
    }

    /// Adds the messages of another run.
    pub fn merge(&mut self, other: &Self) {
        merge(&mut self.delivered, &other.delivered);
        merge(&mut self.unfinished, &other.unfinished);
    }

    /// Returns the number of messages, delivered or not.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.delivered.len() + self.unfinished.len()
    }

    /// Returns true if there is no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the quantile for `share`, 0 to 1, in seconds; `None` if there is no message.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<CensoredValue> {
        let rank = rank(self.len(), share);
        let mut all = self.delivered.clone();
        merge(&mut all, &self.unfinished);
        let lowest = at_rank(&all, rank)?;
        let seconds = |ns: u64| ns as f64 / NS;
        // With every undelivered message infinitely late, the delivered messages are the first. A bound is the near end
        // of its bucket, so that it holds.
        let at_least = seconds(all.lowest_equivalent(lowest));
        Some(match at_rank(&self.delivered, rank).map(|ns| self.delivered.highest_equivalent(ns)) {
            None => CensoredValue::AtLeast { at_least },
            Some(ns) if ns <= all.highest_equivalent(lowest) => CensoredValue::Exact(seconds(ns)),
            Some(ns) => CensoredValue::Between { at_least, at_most: seconds(ns) },
        })
    }
}

/// Adds a count to the bucket of a time.
fn record(histogram: &mut Histogram<u64>, ns: u64, count: u64) {
    histogram.record_n(ns.max(1), count).expect("the histogram resizes itself");
}

fn merge(sum: &mut Histogram<u64>, other: &Histogram<u64>) {
    sum.add(other).expect("the histogram resizes itself");
}

/// Returns a value of the bucket that has the value of this rank, in nanoseconds; `None` beyond the last value.
fn at_rank(histogram: &Histogram<u64>, rank: u64) -> Option<u64> {
    let mut seen = 0;
    let of_bucket = |bucket: IterationValue<u64>| {
        seen += bucket.count_since_last_iteration();
        (seen >= rank).then(|| bucket.value_iterated_to())
    };
    histogram.iter_recorded().find_map(of_bucket)
}

impl Serialize for CompletionHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let buckets = |histogram: &Histogram<u64>| {
            let bucket =
                |one: IterationValue<u64>| (one.value_iterated_to(), one.count_since_last_iteration());
            histogram.iter_recorded().map(bucket).collect()
        };
        Stored { delivered_ns: buckets(&self.delivered), unfinished_ns: buckets(&self.unfinished) }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CompletionHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored { delivered_ns, unfinished_ns } = Stored::deserialize(deserializer)?;
        let mut histogram = Self::default();
        delivered_ns.into_iter().for_each(|(ns, count)| record(&mut histogram.delivered, ns, count));
        unfinished_ns.into_iter().for_each(|(ns, count)| record(&mut histogram.unfinished, ns, count));
        Ok(histogram)
    }
}

#[cfg(test)]
mod tests {
    use measures::censoring::CensoredSample;
    use proptest::prelude::*;

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
            let stored = serde_json::to_string(&added).unwrap();
            prop_assert_eq!(&serde_json::from_str::<CompletionHistogram>(&stored).unwrap(), &added);
            let near = |shown: f64, truth: f64| shown >= truth * (1.0 - 1e-9) && shown <= truth * 1.01 + 1e-9;
            match shown.exact() {
                Some(value) => prop_assert!(near(value, truth.at_least()), "{:?} {:?}", shown, truth),
                // A bound is in the bucket of the true bound, and holds.
                None => {
                    let (shown, truth) = (shown.at_least(), truth.at_least());
                    prop_assert!(shown <= truth * (1.0 + 1e-9) && shown >= truth * 0.99 - 1e-9, "{} {}", shown, truth);
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
