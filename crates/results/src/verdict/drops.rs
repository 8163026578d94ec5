//! Packets that lanes without flow control dropped, and packets that were sent again.
//!
//! Invariant: drops on lanes with PFC are not among them, which `lossless` tells.

use telemetry::LaneRecord;

use super::facts::Facts;
use crate::format::{counted, grouped};

/// Drops and retransmissions of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Drops {
    /// Packets dropped by lanes that may drop.
    pub(super) dropped: u64,
    /// Data packets sent again.
    resent: u64,
    /// The port that dropped most of them, and how many; `None` if ports with PFC dropped some, too.
    worst: Option<(String, u64)>,
}

impl Drops {
    /// Returns the drops and retransmissions; `None` if there are none.
    pub(super) fn of(facts: Facts<'_>) -> Option<Self> {
        let record = facts.record;
        let with_pfc = facts.not_lossless().map_or(0, |loss| loss.packets);
        let dropped = record.dropped_packets.saturating_sub(with_pfc);
        let resent = record.transport.retransmitted;
        let at = |lane: &LaneRecord| {
            lane.pause.as_ref().map_or(0, |pause| pause.dropped_at_input + pause.dropped_at_output)
        };
        let worst = record.lanes.iter().rev().max_by_key(|lane| at(lane)).filter(|lane| at(lane) > 0);
        // Without a plan nobody knows which lanes may drop.
        let worst = worst.filter(|_| with_pfc == 0 && facts.plan.is_some());
        let worst = worst.map(|lane| (format!("{} port {} ({})", lane.node, lane.port, lane.peer), at(lane)));
        (dropped + resent > 0).then_some(Self { dropped, resent, worst })
    }

    /// Says how many packets were dropped and sent again.
    pub(super) fn loss(&self) -> String {
        let verb = |count| if count == 1 { "was" } else { "were" };
        let dropped = format!("{} {} dropped", counted(self.dropped, "packet"), verb(self.dropped));
        match (self.dropped, self.resent) {
            (0, resent) => format!("{} {} sent again.", counted(resent, "packet"), verb(resent)),
            (_, 0) => format!("{dropped}, and none was sent again."),
            (_, resent) => format!("{dropped}, and {} {} sent again.", grouped(resent), verb(resent)),
        }
    }

    /// Says where packets were dropped, and why.
    pub(super) fn cause(&self) -> Option<String> {
        let (place, count) = self.worst.as_ref().filter(|_| self.dropped > 0)?;
        Some(format!(
            "Without flow control, packets that find no room are dropped: most at {place}, {} of {}.",
            grouped(*count),
            grouped(self.dropped)
        ))
    }
}
