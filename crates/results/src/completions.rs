//! Completion times of messages, as quantiles by size or over any set of messages.
//!
//! Invariant: a completion time ends when the destination's host has consumed the last payload of the message, and
//! begins when the message is posted. The slowdown is the completion time over that on the empty fabric. Messages that
//! were not delivered count with their age, as a lower bound of their completion time.

use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{Completions, MessageRecord, RunRecord};

use measures::censoring::{CensoredSample, CensoredValue, SortedSample};
use measures::completion::Completion;

/// Largest size of each bin but the last, in bytes.
const BINS: [u64; 6] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Messages whose sizes lie in one bin.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SizeBin {
    /// Largest size of the bin: 1 KB, 10 KB, and so on to 100 MB; `None` for the last.
    pub up_to_bytes: Option<u64>,
    /// The messages.
    #[serde(flatten)]
    pub messages: MessageStatistics,
}

/// Completion of one or more messages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MessageStatistics {
    /// Number of messages posted.
    pub posted_messages: usize,
    /// Number of messages delivered.
    pub delivered_messages: usize,
    /// Quantiles of the completion times, in microseconds.
    pub fct_us: Quantiles,
    /// Quantiles of the slowdowns.
    pub slowdown: Quantiles,
}

/// Quantiles by nearest rank over all posted messages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Quantiles {
    /// Median.
    pub p50: CensoredValue,
    /// 95th percentile.
    pub p95: CensoredValue,
    /// 99th percentile.
    pub p99: CensoredValue,
}

impl SizeBin {
    /// Returns the name of the bin in tables.
    pub(crate) fn label(&self) -> String {
        self.up_to_bytes.map_or_else(|| "longer".to_owned(), |end| format!("to {}", size(end)))
    }
}

impl Quantiles {
    /// Returns the quantiles of a sample; `None` if it is empty.
    pub(crate) fn of(sample: &SortedSample) -> Option<Self> {
        let at = |share| sample.quantile(share).map(|value| value.rounded(6));
        Some(Self { p50: at(0.5)?, p95: at(0.95)?, p99: at(0.99)? })
    }

    /// Returns all quantiles, lowest first.
    pub(crate) const fn all(&self) -> [CensoredValue; 3] {
        [self.p50, self.p95, self.p99]
    }
}

/// Completion times in `summary.json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompletionSummary {
    /// Number of messages posted by flows whose messages can be told apart.
    pub posted_messages: usize,
    /// Number of these messages whose last payload was taken by the destination's host.
    pub delivered_messages: usize,
    /// Number of these messages whose last acknowledgement, or last response to an RDMA READ, was back at the host that posted them.
    pub acknowledged_messages: usize,
    /// Number of flows whose messages cannot be told apart: those over UC and UD in a run that lost packets.
    pub excluded_flows: usize,
    /// Number of messages that those flows posted.
    pub excluded_messages: u64,
    /// Bins by size, smallest first. Bins without a message are left out.
    pub by_size: Vec<SizeBin>,
}

/// Completion times and slowdowns of some messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageSample {
    times: CensoredSample,
    slowdowns: CensoredSample,
}

impl MessageSample {
    /// Adds a message of a run.
    pub(crate) fn add(&mut self, one: &MessageRecord, all: &Completions) {
        let completion = Completion::of(one, all.end);
        self.times.add(completion.microseconds());
        self.slowdowns.add(completion.slowdown());
    }

    /// Returns the statistics of the messages; `None` if there are none.
    pub(crate) fn statistics(self) -> Option<MessageStatistics> {
        let (times, slowdowns) = (self.times.sorted(), self.slowdowns.sorted());
        Some(MessageStatistics {
            posted_messages: times.len(),
            delivered_messages: times.known(),
            fct_us: Quantiles::of(&times)?,
            slowdown: Quantiles::of(&slowdowns)?,
        })
    }
}

impl MessageStatistics {
    /// Returns true if a quantile is not known exactly.
    pub(crate) fn has_bounds(&self) -> bool {
        self.fct_us.all().into_iter().chain(self.slowdown.all()).any(|value| value.exact().is_none())
    }
}

impl CompletionSummary {
    /// Returns the completion times of a run, if the run kept them.
    #[must_use]
    pub fn of(record: &RunRecord) -> Option<Self> {
        let all = record.completions.as_ref()?;
        Some(Self {
            posted_messages: all.messages.len(),
            delivered_messages: all.delivered().len(),
            acknowledged_messages: all.messages.iter().filter(|one| one.acknowledged.is_some()).count(),
            excluded_flows: all.excluded_flows,
            excluded_messages: all.excluded_messages,
            by_size: by_size(all, all.messages.iter().copied()),
        })
    }
}

/// Returns bins of these messages of a run by size.
pub(crate) fn by_size(all: &Completions, messages: impl Iterator<Item = MessageRecord>) -> Vec<SizeBin> {
    let mut bins = vec![MessageSample::default(); BINS.len() + 1];
    for one in messages {
        bins[BINS.partition_point(|end| *end < one.size.get())].add(&one, all);
    }
    let bin = |(place, sample): (usize, MessageSample)| {
        Some(SizeBin { up_to_bytes: BINS.get(place).copied(), messages: sample.statistics()? })
    };
    bins.into_iter().enumerate().filter_map(bin).collect()
}

pub(crate) fn microseconds(span: units::Span) -> f64 {
    span.ps() as f64 / 1e6
}

fn size(bytes: u64) -> String {
    if bytes >= 1_000_000 { format!("{} MB", bytes / 1_000_000) } else { format!("{} KB", bytes / 1000) }
}

#[cfg(test)]
mod tests {
    use units::{Bytes, Span, Time};

    use super::*;

    /// Makes the record of messages, cut at `end`: those posted later are not in it, and those delivered later are not
    /// delivered.
    fn cut(messages: &[(u64, u64, u64)], end: u64) -> Completions {
        let at = |ns: u64| Time::from_ps(1000 * ns);
        let message = |(number, &(size, posted, took)): (u32, &(u64, u64, u64))| MessageRecord {
            flow: 0,
            number,
            size: Bytes::new(size),
            posted: at(posted),
            completed: (posted + took <= end).then(|| at(posted + took)),
            ideal: Span::from_ns(size / 8 + 7),
            acknowledged: None,
        };
        let posted = (1..).zip(messages).map(message).filter(|one| one.posted <= at(end));
        let mut all = Completions { messages: posted.collect(), end: at(end), ..Completions::default() };
        all.sort();
        all
    }

    /// Returns every quantile of every bin, of times and slowdowns.
    fn numbers(bins: &[SizeBin]) -> Vec<CensoredValue> {
        bins.iter()
            .flat_map(|bin| [bin.messages.fct_us, bin.messages.slowdown])
            .flat_map(|one| one.all())
            .collect()
    }

    proptest::proptest! {
        /// A run that is cut, against the truth from a longer run about the same messages.
        #[test]
        fn a_run_that_ends_early_shows_numbers_that_stay_and_bounds_that_hold(
            messages in proptest::collection::vec((1..300_000u64, 0..1000u64, 1..1000u64), 1..80),
            end in 0..2000u64,
        ) {
            let shown = cut(&messages, end);
            let known: Vec<_> = messages.iter().copied().filter(|one| one.1 <= end).collect();
            let truth = cut(&known, 10_000);
            let [shown, truth] = [shown, truth].map(|all| by_size(&all, all.messages.iter().copied()));
            for (shown, truth) in shown.iter().zip(&truth) {
                let (shown, truth) = (shown.messages, truth.messages);
                proptest::prop_assert_eq!(shown.posted_messages, truth.delivered_messages);
                proptest::prop_assert!(shown.delivered_messages <= shown.posted_messages);
            }
            let (shown, truth) = (numbers(&shown), numbers(&truth));
            proptest::prop_assert_eq!(shown.len(), truth.len());
            for (shown, truth) in shown.into_iter().zip(truth) {
                let truth = truth.exact().expect("all are delivered");
                match shown.exact() {
                    Some(value) => proptest::prop_assert_eq!(value, truth),
                    None => proptest::prop_assert!(
                        shown.at_least() <= truth && shown.at_most().is_none_or(|at_most| truth <= at_most)
                    ),
                }
            }
        }
    }
}
