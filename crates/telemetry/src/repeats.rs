//! Counts of packets that arrived out of order, or were sent again.
//!
//! Invariant: a packet that arrives in order on its first way is not counted.

/// Counts of a flow's packets that arrived out of order, or were sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepeatTally {
    /// Number of data packets sent again.
    pub retransmitted: u64,
    /// Number of data packets that arrived although they had been accepted before: repeats that were not needed.
    pub spurious: u64,
    /// Number of data packets that arrived while a packet before them was missing.
    pub out_of_order: u64,
    /// Number of data packets that were refused on arrival, since a packet before them was missing.
    pub refused: u64,
    /// Number of accepted data packets that the host has yet to consume; 0 of a flow without packets out of order.
    pub waiting: u64,
    /// Largest distance from the first missing packet to one that was accepted, in packets.
    pub farthest: u64,
    /// Most payload accepted ahead of a missing packet, in bytes, each packet counted as a full one.
    pub held_bytes: u64,
}

state_codec::value!(RepeatTally {
    retransmitted,
    spurious,
    out_of_order,
    refused,
    waiting,
    farthest,
    held_bytes
});

impl RepeatTally {
    /// Returns the counts of both ends of a flow, or of several flows: sums, and the larger distance and payload.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        const fn larger(one: u64, other: u64) -> u64 {
            if one > other { one } else { other }
        }
        Self {
            retransmitted: self.retransmitted + other.retransmitted,
            spurious: self.spurious + other.spurious,
            out_of_order: self.out_of_order + other.out_of_order,
            refused: self.refused + other.refused,
            waiting: self.waiting + other.waiting,
            farthest: larger(self.farthest, other.farthest),
            held_bytes: larger(self.held_bytes, other.held_bytes),
        }
    }
}
