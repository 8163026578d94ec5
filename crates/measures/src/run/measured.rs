//! Numbers of a run, with the reasons for those that it lacks.
//!
//! Invariant: a number is present, or a reason is. A censored number is a lower bound. Numbers have twelve significant
//! digits, which every reader of JSON reads back as they were.

use crate::censoring::CensoredValue;
use serde::{Deserialize, Serialize};

use crate::language::Measure;
use crate::unit::Unit;

/// A measure of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The measure.
    pub measure: Measure,
    /// Unit of the value.
    pub unit: Unit,
    /// The value, or its lower bound if it is censored; `None` if the run lacks it.
    pub value: Option<f64>,
    /// True if unfinished messages, or the end of the run, could change the value: it is then at least `value`.
    pub censored: bool,
    /// Upper bound of a censored value, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Reason for which the run lacks the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
}

/// Reason for which a run lacks a measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The scenario has no such group or flow.
    #[error("the run has no group or flow of this name")]
    NoGroup,
    /// The scenario has a group or flow with the name of all flows.
    #[error("the scenario has a group or flow called `all`, so `all` has two meanings")]
    AmbiguousAll,
    /// The group has no flow.
    #[error("the group has no flow")]
    EmptyGroup,
    /// No flow was a member of a congestion tree in this way.
    #[error("no flow was one in this run's congestion trees")]
    NotInTrees,
    /// The run took no sample of congestion trees.
    #[error("the run ended before its first sample of congestion trees")]
    NoTreeSample,
    /// The run did not record completion times.
    #[error("completion times were not kept (`completions: NotKept`)")]
    CompletionsNotKept,
    /// Messages of a service without retransmission cannot be told apart after a loss.
    #[error("packets were lost, and messages over UC and UD cannot be told apart then")]
    MessagesNotDistinct,
    /// The group posted no message.
    #[error("the group posted no message")]
    NoMessage,
    /// The run took no time, as a job within a host may.
    #[error("the run took no time")]
    NoTime,
    /// The group's traffic has no end.
    #[error("the group has traffic without an end")]
    Endless,
    /// No flow of the group had data to send.
    #[error("no flow of the group had data to send in this time")]
    NotActive,
    /// No flow of the group delivered anything.
    #[error("the group delivered nothing in this time")]
    NoGoodput,
    /// The run has fewer phases.
    #[error("the run has {phases} phases")]
    NoPhase {
        /// Number of phases that the run has.
        phases: usize,
    },
    /// No phase begins with a stop of traffic.
    #[error("no phase begins with a stop of a hot spot, pattern or flow: name a phase")]
    NoStop,
    /// The phase has none before it.
    #[error("the first phase has none before it to compare with")]
    FirstPhase,
    /// The series has no column for the group.
    #[error("the series over time has no column of these flows")]
    NoSeries,
    /// The time has too few samples.
    #[error("{samples} samples are too few: choose a smaller `sample`")]
    FewSamples {
        /// Number of samples in the time.
        samples: usize,
    },
    /// No output can be paused.
    #[error("no output can be paused: flow control is by credits")]
    NoPause,
    /// The record has no output of the hosts of the group, or no output of a switch.
    #[error("the record has no such output")]
    NoOutput,
    /// The scenario has no such job.
    #[error("the run has no job of this name")]
    NoJob,
    /// The record of the job lacks what the quantity needs.
    #[error("{reason}")]
    Job {
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// The scenario asks for no series of ports with queues.
    #[error("the scenario records no series of switches' ports (`series.ports`)")]
    NoPortSeries,
}

impl Measured {
    pub(super) fn new(measure: Measure, number: Result<CensoredValue, Missing>) -> Self {
        let unit = measure.quantity.info().unit;
        match number {
            Ok(value) => Self {
                measure,
                unit,
                value: Some(twelve_digits(value.at_least())),
                censored: value.exact().is_none(),
                at_most: value.at_most().filter(|_| value.exact().is_none()).map(twelve_digits),
                missing: None,
            },
            Err(missing) => {
                Self { measure, unit, value: None, censored: false, at_most: None, missing: Some(missing) }
            }
        }
    }

    /// Returns the value or its bounds; `None` if the run lacks it.
    #[must_use]
    pub fn number(&self) -> Option<CensoredValue> {
        let at_most = if self.censored { self.at_most } else { self.value };
        Some(CensoredValue::within(self.value?, at_most))
    }

    /// Returns the value as tables print it: `2.41 ms`, `≥ 2.41 ms` for a lower bound, `-` for none.
    #[must_use]
    pub fn printed(&self) -> String {
        let sign = if self.censored { "≥ " } else { "" };
        self.value.map_or_else(|| "-".to_owned(), |value| format!("{sign}{}", self.unit.spelled(value)))
    }
}

/// Rounds to twelve significant digits. With at most fifteen, a reader that does not round the last bit correctly does
/// no harm.
#[must_use]
pub fn twelve_digits(value: f64) -> f64 {
    format!("{value:.11e}").parse().expect("a printed number is a number")
}
