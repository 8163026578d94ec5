//! The end of a run, and of its finite traffic.
//!
//! Invariant: finite traffic is done only once all of its messages are posted and delivered.

use units::Time;

/// Reason for which a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunEnding {
    /// The run lasted for its duration.
    #[default]
    AtDuration,
    /// All finite traffic was delivered, and the run was to end then.
    Done,
    /// The run was to end when all finite traffic was delivered, and reached its longest time before.
    NotDone,
    /// The run was to end when all finite traffic was delivered. All that was left of it belonged to queue pairs that
    /// had given up.
    GaveUp,
    /// No rank of a job that is not done could go on: none computed, and no message of a job was under way.
    Stuck,
    /// The run was ended from outside.
    Interrupted,
}

/// A flow of a queue pair, or of an end-to-end context, that gave up after its last retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailedFlow {
    /// Time at which it gave up.
    pub at: Time,
    /// Index of the flow.
    pub flow: u32,
}

/// Traffic that ends by itself: by a number of messages, a stop, or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiniteRecord {
    /// Number of messages in all; `None` if it depends on the run.
    pub messages: Option<u64>,
    /// Number of messages posted.
    pub posted: u64,
    /// Number of messages delivered.
    pub delivered: u64,
    /// Time at which the last message was delivered; `None` if some were not, or were yet to be posted.
    pub done: Option<Time>,
}
