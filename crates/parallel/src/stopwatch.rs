//! Elapsed time of the machine.
//!
//! Invariant: no result of a run depends on it. It measures how fast a run is, and decides how threads work.

use std::time::{Duration, Instant};

/// A stopwatch that runs.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a stopwatch.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
