//! Measures: numbers to be read off a run.
//!
//! Invariant: a measure knows its flows, its phase and its unit, so a claims file can be checked without a run.

use measures::statistics::{mean, median};
use measures::{PhasePart, Unit};
use serde::Deserialize;

/// A number, or a number per flow, to be read off a run.
///
/// Phases count from 1. Goodput, shares and queues cover the phase's second half, unless `over` says the whole of it.
/// `TimeToReach`, `Lowest` and `BackAfter` look at the whole phase, `Held` and the counts of packets at the whole run.
/// Flows are named as in the scenario; `local*` means all flows with names that begin with `local`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the variants explain their fields")]
pub enum Measure {
    /// Goodput of each flow.
    Goodput { flows: Vec<String>, phase: usize },
    /// Goodput of the flows together.
    Sum { flows: Vec<String>, phase: usize },
    /// Mean goodput of the flows.
    Mean { flows: Vec<String>, phase: usize },
    /// Mean goodput of the flows over the mean goodput of others, `to`.
    Ratio { flows: Vec<String>, to: Vec<String>, phase: usize },
    /// Jain's index of the flows' goodput.
    Jain { flows: Vec<String>, phase: usize },
    /// Largest deviation of a flow from the flows' mean goodput, as a share of the mean.
    Spread { flows: Vec<String>, phase: usize },
    /// Variation of each flow's goodput from sample to sample: standard deviation over mean.
    Variation { flows: Vec<String>, phase: usize },
    /// Time from the phase's start to the end of the first sample in which the flows together have reached this share
    /// of their gain. The gain is from their goodput in the second half of the previous phase to their goodput in the
    /// last tenth of this phase.
    TimeToReach { flows: Vec<String>, phase: usize, share: f64 },
    /// Goodput of all flows together, named or not.
    Total {
        phase: usize,
        #[serde(default)]
        over: PhasePart,
    },
    /// Goodput of all flows to this host together, named or not.
    Received {
        host: String,
        phase: usize,
        #[serde(default)]
        over: PhasePart,
    },
    /// Goodput of all flows together in the phase's sample in which it is lowest.
    Lowest { phase: usize },
    /// Time from the phase's start to the end of the first sample in which all flows together are back. Back means this
    /// share of their goodput in the second half of the first phase.
    BackAfter { phase: usize, share: f64 },
    /// Mean occupancy of these switches' input buffers over the whole run, per flow, in packets of this length.
    Held { switches: Vec<String>, flows: Vec<String>, packet_bytes: u32 },
    /// Mean queue at a place that the scenario watches: `SWITCH:PORT`.
    Queue { place: String, phase: usize },
    /// Swing of the queue at a watched place: the 95 % quantile of its samples less the 5 % quantile.
    QueueSwing { place: String, phase: usize },
    /// A number of the completion times of all messages of the run. A time ends when the last acknowledgement is back
    /// at the source, as HPCC's simulator counts.
    Completion(CompletionStatistic),
    /// PAUSE frames sent over the whole run, refreshes included.
    Pauses,
    /// Packets marked over the whole run.
    Marked,
    /// Packets lost over the whole run.
    Lost,
    /// Largest distance over the whole run from a flow's first missing packet to one that was accepted, for each flow.
    Farthest { flows: Vec<String> },
    /// Any measure that sweeps and tunings name: `Of("p99(victims)")`.
    Of(measures::Measure),
}

/// A number that stands for many completion times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum CompletionStatistic {
    /// The mean.
    Mean,
    /// The median; of an even number the mean of the middle two.
    Median,
    /// The longest.
    Longest,
}

impl CompletionStatistic {
    /// Returns the number; `None` of no times.
    #[must_use]
    pub fn of(self, mut times: Vec<f64>) -> Option<f64> {
        times.sort_unstable_by(f64::total_cmp);
        match self {
            Self::Mean => mean(&times),
            Self::Median => median(&times),
            Self::Longest => times.last().copied(),
        }
    }
}

impl Measure {
    /// Returns the names of the flows.
    #[must_use]
    pub fn flows(&self) -> &[String] {
        match self {
            Self::Goodput { flows, .. }
            | Self::Sum { flows, .. }
            | Self::Mean { flows, .. }
            | Self::Ratio { flows, .. }
            | Self::Jain { flows, .. }
            | Self::Spread { flows, .. }
            | Self::Variation { flows, .. }
            | Self::TimeToReach { flows, .. }
            | Self::Held { flows, .. }
            | Self::Farthest { flows } => flows,
            Self::Total { .. }
            | Self::Received { .. }
            | Self::Lowest { .. }
            | Self::BackAfter { .. }
            | Self::Queue { .. }
            | Self::QueueSwing { .. }
            | Self::Completion(_)
            | Self::Pauses
            | Self::Marked
            | Self::Lost
            | Self::Of(_) => &[],
        }
    }

    /// Returns the phase, counted from 1; `None` for the whole run.
    #[must_use]
    pub fn phase(&self) -> Option<usize> {
        match self {
            Self::Goodput { phase, .. }
            | Self::Sum { phase, .. }
            | Self::Mean { phase, .. }
            | Self::Ratio { phase, .. }
            | Self::Jain { phase, .. }
            | Self::Spread { phase, .. }
            | Self::Variation { phase, .. }
            | Self::TimeToReach { phase, .. }
            | Self::Total { phase, .. }
            | Self::Received { phase, .. }
            | Self::Lowest { phase }
            | Self::BackAfter { phase, .. }
            | Self::Queue { phase, .. }
            | Self::QueueSwing { phase, .. } => Some(*phase),
            Self::Of(measure) => measure.phase.map(|phase| phase.get() as usize),
            Self::Held { .. }
            | Self::Completion(_)
            | Self::Pauses
            | Self::Marked
            | Self::Lost
            | Self::Farthest { .. } => None,
        }
    }

    /// Returns the unit of the numbers.
    #[must_use]
    pub const fn unit(&self) -> Unit {
        match self {
            Self::Goodput { .. }
            | Self::Sum { .. }
            | Self::Mean { .. }
            | Self::Total { .. }
            | Self::Received { .. }
            | Self::Lowest { .. } => Unit::BitsPerSecond,
            Self::Ratio { .. } | Self::Jain { .. } | Self::Spread { .. } | Self::Variation { .. } => {
                Unit::One
            }
            Self::TimeToReach { .. } | Self::BackAfter { .. } | Self::Completion(_) => Unit::Seconds,
            Self::Held { .. } | Self::Pauses | Self::Marked | Self::Lost | Self::Farthest { .. } => {
                Unit::Packets
            }
            Self::Queue { .. } | Self::QueueSwing { .. } => Unit::Bytes,
            Self::Of(measure) => measure.quantity.info().unit,
        }
    }

    /// Returns the word for the measure in the printed table and the JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Goodput { .. } => "goodput",
            Self::Sum { .. } => "sum",
            Self::Mean { .. } => "mean",
            Self::Ratio { .. } => "ratio",
            Self::Jain { .. } => "Jain's index",
            Self::Spread { .. } => "largest deviation",
            Self::Variation { .. } => "variation",
            Self::TimeToReach { .. } | Self::BackAfter { .. } => "time",
            Self::Total { over: PhasePart::SecondHalf, .. } => "total",
            Self::Total { over: PhasePart::Whole, .. } => "whole total",
            Self::Received { over: PhasePart::SecondHalf, .. } => "received",
            Self::Received { over: PhasePart::Whole, .. } => "received in all",
            Self::Lowest { .. } => "lowest total",
            Self::Held { .. } => "held by each",
            Self::Pauses => "pauses",
            Self::Marked => "marked",
            Self::Lost => "lost",
            Self::Farthest { .. } => "overtaken by",
            Self::Of(measure) => measure.quantity.name(),
            Self::Queue { .. } => "queue",
            Self::QueueSwing { .. } => "swing",
            Self::Completion(CompletionStatistic::Mean) => "mean time",
            Self::Completion(CompletionStatistic::Median) => "median time",
            Self::Completion(CompletionStatistic::Longest) => "longest time",
        }
    }

    /// Returns the fault of a measure that no run could answer, if any.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match self {
            Self::Total { phase: 1.., .. }
            | Self::Received { phase: 1.., .. }
            | Self::Lowest { phase: 1.. }
            | Self::Queue { phase: 1.., .. }
            | Self::QueueSwing { phase: 1.., .. }
            | Self::Completion(_)
            | Self::Pauses
            | Self::Marked
            | Self::Lost
            | Self::Of(_) => None,
            Self::BackAfter { phase: 2.., share } if *share > 0.0 && *share <= 1.0 => None,
            Self::BackAfter { .. } => {
                Some("needs a phase after the first, and a share above 0 and at most 1")
            }
            _ if self.flows().is_empty() || self.phase() == Some(0) => {
                Some("needs a flow and a phase counted from 1")
            }
            Self::Ratio { to, .. } if to.is_empty() => Some("needs flows to compare with"),
            Self::TimeToReach { phase: 1, .. } => Some("needs a phase before its own"),
            Self::TimeToReach { share, .. } if !(*share > 0.0 && *share <= 1.0) => {
                Some("needs a share above 0 and at most 1")
            }
            Self::Held { switches, packet_bytes, .. } if switches.is_empty() || *packet_bytes == 0 => {
                Some("needs a switch and the length of a packet")
            }
            _ => None,
        }
    }
}
