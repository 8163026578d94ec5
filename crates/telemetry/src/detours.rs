//! Counts of detours: routes that are not minimal.
//!
//! Invariant: a packet counts once as one that may take a detour, at its first switch.

/// Counts of packets that may take detours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetourTally {
    /// Number of data packets that could take a detour: those with a destination behind a cable that one may avoid.
    pub packets: u64,
    /// Number of these packets that took one.
    pub detours: u64,
}

state_codec::value!(DetourTally { packets, detours });

impl DetourTally {
    /// Returns the sums of both counts.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { packets: self.packets + other.packets, detours: self.detours + other.detours }
    }
}
