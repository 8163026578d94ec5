//! Jobs of a run, and their ranks.
//!
//! Invariant: plain data. A job is complete if every operation of every rank has ended.

use units::{Bytes, Time};

/// A job of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobRecord {
    /// Its name.
    pub name: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Number of hosts that run them.
    pub hosts: u32,
    /// Its start.
    pub start: Time,
    /// Time at which its last operation ended; `None` if the job is not complete.
    pub end: Option<Time>,
    /// Runs of its program.
    pub iterations: u32,
    /// End of each iteration that all ranks have ended.
    pub ends: Vec<Time>,
    /// Bytes of its collective, as nccl-tests count them, and the ratio of busbw to algbw; `None` if the program is no
    /// collective, or a barrier.
    pub collective: Option<(Bytes, f64)>,
    /// Number of operations of all iterations.
    pub operations: u64,
    /// Number of operations that have ended.
    pub ended: u64,
    /// Number of messages in its programs, of all iterations.
    pub messages: u64,
    /// Their payload.
    pub bytes: Bytes,
    /// Ranks that wait for a message at the end of the run, the first of them.
    pub waiting: Vec<WaitingRank>,
}

impl JobRecord {
    /// Returns the time of an iteration: from the start of the job to the end of its last one, divided by their number;
    /// `None` if the job is not complete.
    #[must_use]
    pub fn mean_iteration_s(&self) -> Option<f64> {
        Some(self.end?.since(self.start).seconds() / f64::from(self.iterations))
    }

    /// Returns the bytes of the collective divided by the time of an iteration, and the rate of a link that a perfect
    /// algorithm would need for it, in GB/s: algbw and busbw of nccl-tests (`doc/PERFORMANCE.md`).
    #[must_use]
    pub fn bandwidths(&self) -> Option<(f64, f64)> {
        let (bytes, factor) = self.collective?;
        let seconds = self.mean_iteration_s().filter(|seconds| *seconds > 0.0)?;
        let algbw = bytes.get() as f64 / seconds / 1e9;
        Some((algbw, algbw * factor))
    }
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
