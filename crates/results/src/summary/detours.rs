//! Share of packets that took detours, as `summary.json` has it.
//!
//! Invariant: a share has the counts that it is of beside it.

use measures::rounded;
use schemars::JsonSchema;
use serde::Serialize;
use telemetry::DetourTally;

/// Packets on routes that need not be minimal.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct DetourSummary {
    /// Data packets that could take a detour: in a dragonfly those to another group.
    pub packets: u64,
    /// Those that took one.
    pub detoured_packets: u64,
    /// Their share, 0 to 1; `None` without such a packet.
    pub detoured_share: Option<f64>,
}

impl From<DetourTally> for DetourSummary {
    fn from(DetourTally { packets, detours }: DetourTally) -> Self {
        let share = (packets > 0).then(|| rounded(detours as f64 / packets as f64, 6));
        Self { packets, detoured_packets: detours, detoured_share: share }
    }
}
