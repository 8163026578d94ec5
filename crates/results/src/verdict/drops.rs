//! Packets that lanes without flow control dropped, and packets that were sent again.
//!
//! Invariant: drops on lanes with PFC are not among them, which `lossless` tells.

use telemetry::{FlowRecord, LaneRecord};
use workload::Operation;

use super::facts::Facts;
use crate::format::{counted, grouped};

/// Drops and retransmissions of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Drops {
    /// Packets dropped by lanes that may drop.
    pub(super) dropped: u64,
    /// Data packets sent again.
    resent: u64,
    /// Requests of RDMA READs sent again, each for any number of data packets.
    requested: u64,
    /// The port that dropped most of them, and how many; `None` if ports with PFC dropped some, too.
    worst: Option<(String, u64)>,
}

impl Drops {
    /// Returns the drops and retransmissions; `None` if there are none.
    pub(super) fn of(facts: Facts<'_>) -> Option<Self> {
        let record = facts.record;
        let with_pfc = facts.not_lossless().map_or(0, |loss| loss.packets);
        let dropped = record.dropped_packets.saturating_sub(with_pfc);
        let reads = record.flows.iter().filter(|flow| flow.operation == Operation::RdmaRead);
        let requested = reads.map(FlowRecord::repeats).map(|repeats| repeats.retransmitted).sum::<u64>();
        let resent = record.transport.retransmitted.saturating_sub(requested);
        let at = |lane: &LaneRecord| {
            lane.pause.as_ref().map_or(0, |pause| pause.dropped_at_input + pause.dropped_at_output)
        };
        let worst = record.lanes.iter().rev().max_by_key(|lane| at(lane)).filter(|lane| at(lane) > 0);
        // Without a plan nobody knows which lanes may drop.
        let worst = worst.filter(|_| with_pfc == 0 && facts.plan.is_some());
        let worst = worst.map(|lane| (format!("{} port {} ({})", lane.node, lane.port, lane.peer), at(lane)));
        (dropped + resent + requested > 0).then_some(Self { dropped, resent, requested, worst })
    }

    /// Says how many packets were dropped and sent again.
    pub(super) fn loss(&self) -> String {
        let verb = |count| if count == 1 { "was" } else { "were" };
        let dropped = format!("{} {} dropped", counted(self.dropped, "packet"), verb(self.dropped));
        let again = match (self.resent, self.requested) {
            (0, 0) => "none was sent again".to_owned(),
            (resent, 0) if self.dropped > 0 => format!("{} {} sent again", grouped(resent), verb(resent)),
            (resent, 0) => format!("{} {} sent again", counted(resent, "packet"), verb(resent)),
            (0, reads) => format!("{} {} sent again", counted(reads, "READ request"), verb(reads)),
            (resent, reads) => format!(
                "{} and {} were sent again",
                counted(resent, "packet"),
                counted(reads, "READ request")
            ),
        };
        if self.dropped > 0 { format!("{dropped}, and {again}.") } else { format!("{again}.") }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A request of a READ is no packet that arrives twice: it asks for many.
    #[test]
    fn requests_are_told_apart_from_packets() {
        let told = |dropped, resent, requested| Drops { dropped, resent, requested, worst: None }.loss();
        assert_eq!(told(0, 1, 0), "1 packet was sent again.");
        assert_eq!(told(0, 0, 1), "1 READ request was sent again.");
        assert_eq!(told(0, 7, 2), "7 packets and 2 READ requests were sent again.");
        assert_eq!(told(3, 0, 0), "3 packets were dropped, and none was sent again.");
        assert_eq!(told(3, 7, 0), "3 packets were dropped, and 7 were sent again.");
        assert_eq!(told(3, 0, 4), "3 packets were dropped, and 4 READ requests were sent again.");
    }
}
