//! Bounds on the size of a workload.

use units::Bytes;

/// Longest message: 2^31 bytes (IBA volume 1, chapter 9: the same for SEND and RDMA WRITE).
pub const LONGEST_MESSAGE: Bytes = Bytes::new(1 << 31);

/// Most messages that a flow may list, or a pattern may post at the start: 2^26, which take 1 GiB.
pub const MAX_LISTED: u64 = 1 << 26;

/// Most messages that a pattern may be expected to draw: 2^30. They take no memory, but they are drawn once before the
/// run, and 2^30 draws take half a minute.
pub const MAX_DRAWN: u64 = 1 << 30;

/// Most flows that may come from a file: 2^20.
pub const MAX_FLOWS: usize = 1 << 20;

/// Most sessions that a pattern may be expected to make: 2^16.
pub const MAX_SESSIONS: u64 = 1 << 16;
