//! Faults in the fields that several patterns share.

use units::{Span, Time};

use crate::limits::MAX_SESSIONS;

/// A fault in a pattern.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PatternError {
    /// The load is not a share of a link's data rate.
    #[error("a load of {given} is not a share of a link's data rate")]
    LoadRange {
        /// The load as given.
        given: f64,
    },
    /// An interval is zero.
    #[error("an interval of {given} is too short")]
    NoInterval {
        /// The interval as given.
        given: Span,
    },
    /// Repeated incasts have both a mean interval and a load, or neither.
    #[error("{}", if *both { "the load and the interval both give the mean interval" } else { "the mean interval is missing" })]
    IntervalOrLoad {
        /// Whether both are given.
        both: bool,
    },
    /// A mean time is zero.
    #[error("a mean time of {given} is too short")]
    NoMean {
        /// The mean as given.
        given: Span,
    },
    /// The jitter allows a start at or after the stop.
    #[error("with this jitter a flow may start as late as {latest}, not before the stop, {stop}")]
    JitterBeyondStop {
        /// The latest start.
        latest: Time,
        /// The stop as given.
        stop: Time,
    },
    /// A session has a counted number of messages.
    #[error("a session lasts for a time, not for a number of messages")]
    SessionOfMessages,
    /// The pattern makes more sessions than queue pairs are made for.
    #[error(
        "this makes about {expected} sessions with a queue pair each, and at most {MAX_SESSIONS} are allowed"
    )]
    TooManySessions {
        /// Expected number of sessions.
        expected: u64,
    },
}

impl PatternError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::LoadRange { .. } => "write a number above 0 and at most 1",
            Self::NoMean { .. } | Self::NoInterval { .. } => "write a time above 0",
            Self::IntervalOrLoad { .. } => "write either `interval` or `load`",
            Self::JitterBeyondStop { .. } => "make the jitter less, or the stop later",
            Self::SessionOfMessages => "let it `Saturate`, or give its rate by `Paced`",
            Self::TooManySessions { .. } => "make sessions or their pauses longer, or the time less",
        }
        .to_owned()
    }
}
