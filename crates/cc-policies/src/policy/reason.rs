//! Reasons for marking packets.
//!
//! Invariant: each marking rule declares its own reasons, and no two reasons have the same code: digests absorb codes.

use packet::MarkCode;

/// A reason for which a marking rule marks packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkReason {
    /// Code in packets, counters and digests.
    pub code: MarkCode,
    /// Name in tables and files.
    pub name: &'static str,
}

impl MarkReason {
    /// Returns a reason with this code number, which no other rule uses.
    ///
    /// # Panics
    /// If `number` is not below [`MarkCode::COUNT`].
    #[must_use]
    pub const fn new(number: u8, name: &'static str) -> Self {
        Self { code: MarkCode::new(number), name }
    }
}
