//! Loads near their limits.
//!
//! Invariant: load and limit are of one moment, the one with the least distance between them.

use units::{Bytes, Time};

/// The closest approach of a load to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginRecord {
    /// Load at the closest approach.
    pub load: Bytes,
    /// Limit at the closest approach.
    pub limit: Bytes,
    /// Number of crossings, if they were counted.
    pub counts: Option<MarginCounts>,
}

/// Numbers of times that a load crossed its limit, or nearly did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginCounts {
    /// Number of crossings of the limit.
    pub crossings: u32,
    /// Number of times that it passed 90 % of the limit, and fell below that again without crossing the limit.
    pub near_misses: u32,
    /// Time of the first sample after a crossing; for thresholds of PFC, the time of the first crossing.
    pub first: Option<Time>,
}
