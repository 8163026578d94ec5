//! Jobs of a run, and their ranks.
//!
//! Invariant: plain data. A job is complete if every operation of every rank has ended.

use units::{Bytes, Time};

/// A job of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobRecord {
    /// Its name.
    pub name: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Its start.
    pub start: Time,
    /// Time at which its last operation ended; `None` if the job is not complete.
    pub end: Option<Time>,
    /// Number of operations.
    pub operations: u64,
    /// Number of operations that have ended.
    pub ended: u64,
    /// Number of messages in its programs.
    pub messages: u64,
    /// Their payload.
    pub bytes: Bytes,
    /// Ranks that wait for a message at the end of the run, the first of them.
    pub waiting: Vec<WaitingRank>,
}

/// A rank that waits for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingRank {
    /// The rank.
    pub rank: u32,
    /// Number of its receive that was posted first, in its program.
    pub operation: u32,
    /// Rank that the message is to come from; `None` for any.
    pub from: Option<u32>,
    /// Tag of the message; `None` for any.
    pub tag: Option<u32>,
}

/// Most waiting ranks of a job that a record names.
pub const MOST_WAITING: usize = 8;
