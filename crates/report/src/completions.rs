//! Completion times of messages, as quantiles by size.
//!
//! Invariant: a completion time ends when the destination's host has consumed the last payload of the message, and
//! begins when the message is posted. The slowdown is the completion time over that on the empty fabric. Messages that
//! were not delivered are counted, and have no completion time.

use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{Completion, RunRecord};

use crate::format::rounded;

/// Largest size of each bin but the last, in bytes.
const BINS: [u64; 6] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Messages whose sizes lie in one bin.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SizeBin {
    /// Largest size of the bin; `None` for the last.
    pub up_to_bytes: Option<u64>,
    /// Number of messages delivered.
    pub messages: usize,
    /// Quantiles of the completion times, in microseconds.
    pub fct_us: Quantiles,
    /// Quantiles of the slowdowns.
    pub slowdown: Quantiles,
}

/// Quantiles by nearest rank.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Quantiles {
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
}

impl SizeBin {
    /// Returns the name of the bin in tables.
    pub(crate) fn label(&self) -> String {
        self.up_to_bytes.map_or_else(|| "longer".to_owned(), |end| format!("to {}", size(end)))
    }
}

impl Quantiles {
    /// Returns the quantiles of values in any order; `None` if there are no values.
    pub(crate) fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let at = |share| quantile(&values, share).map(|value| rounded(value, 6));
        Some(Self { p50: at(0.5)?, p95: at(0.95)?, p99: at(0.99)? })
    }
}

/// Returns the quantile for `share`, 0 to 1, by nearest rank.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// Completion times in `summary.json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompletionSummary {
    /// Number of messages posted.
    pub posted_messages: u64,
    /// Number of messages delivered.
    pub delivered_messages: usize,
    /// Number of flows whose messages cannot be told apart: those over UC and UD in a run that lost packets.
    pub untold_flows: usize,
    /// Bins by size, smallest first. Bins without a message are left out.
    pub by_size: Vec<SizeBin>,
}

impl CompletionSummary {
    /// Returns the completion times of a run, if the run kept them.
    #[must_use]
    pub fn of(record: &RunRecord) -> Option<Self> {
        let all = record.completions.as_ref()?;
        Some(Self {
            posted_messages: all.posted,
            delivered_messages: all.messages.len(),
            untold_flows: all.untold,
            by_size: by_size(&all.messages),
        })
    }
}

fn by_size(messages: &[Completion]) -> Vec<SizeBin> {
    let mut bins: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); BINS.len() + 1];
    for one in messages {
        let (times, slowdowns) = &mut bins[BINS.partition_point(|end| *end < one.size.get())];
        times.push(microseconds(one.time()));
        slowdowns.push(one.slowdown());
    }
    let bin = |(place, (times, slowdowns)): (usize, (Vec<f64>, Vec<f64>))| {
        let messages = times.len();
        let (fct_us, slowdown) = (Quantiles::of(times)?, Quantiles::of(slowdowns)?);
        Some(SizeBin { up_to_bytes: BINS.get(place).copied(), messages, fct_us, slowdown })
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
    use super::*;

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(
            [0.5, 0.95, 0.01].map(|share| quantile(&values, share)),
            [Some(2.0), Some(4.0), Some(1.0)]
        );
        assert_eq!(quantile(&[], 0.5), None);
    }
}
