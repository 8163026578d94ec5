//! The rank of an event among events of the same instant.
//!
//! Invariant: the order follows from the event itself (its kind, port, lane, and its sequence number at its node),
//! never from the time of insertion. This makes the results of a run independent of the number of threads.
//!
//! ```text
//! 39    36 35      24 23    20 19         0
//! kind     port       lane     sequence
//! ```

/// The total order of a node's simultaneous events, smallest first. Events of different nodes have no order: within
/// an instant nodes do not affect each other.
///
/// Two events of a node at the same instant must differ in their order, unless they commute. Two events that a wire
/// delivers at the same instant differ in kind or lane. Two timers of a node differ in the node's sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventOrder(u64);

state_codec::value!(EventOrder { 0 });

const KIND_BITS: u32 = 4;
const PORT_BITS: u32 = 12;
const LANE_BITS: u32 = 4;
const SEQUENCE_BITS: u32 = 20;

const LANE_SHIFT: u32 = SEQUENCE_BITS;
const PORT_SHIFT: u32 = LANE_SHIFT + LANE_BITS;
const KIND_SHIFT: u32 = PORT_SHIFT + PORT_BITS;

/// Number of bits of an order.
pub(crate) const ORDER_BITS: u32 = KIND_SHIFT + KIND_BITS;

impl EventOrder {
    /// Makes the order of an event.
    ///
    /// `kind` < 16, `port` < 4096 and `lane` < 16, which debug builds assert. Only the low 20 bits of `sequence`
    /// count. The number may wrap, so a node may have at most 2^20 pending events of the same kind, port, lane and
    /// instant.
    #[inline]
    #[must_use]
    pub const fn new(kind: u8, port: u16, lane: u8, sequence: u32) -> Self {
        debug_assert!(kind < 1 << KIND_BITS, "an event's kind takes at most 4 bits");
        debug_assert!(port < 1 << PORT_BITS, "a port's number takes at most 12 bits");
        debug_assert!(lane < 1 << LANE_BITS, "a lane's number takes at most 4 bits");
        Self(
            (kind as u64) << KIND_SHIFT
                | (port as u64) << PORT_SHIFT
                | (lane as u64) << LANE_SHIFT
                | (sequence & ((1 << SEQUENCE_BITS) - 1)) as u64,
        )
    }

    /// Returns the order as a number of [`ORDER_BITS`] bits.
    #[inline]
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_outranks_all_that_follow_it() {
        let (port, lane, sequence) = (4095, 15, (1 << 20) - 1);
        assert!(EventOrder::new(1, 0, 0, 0) > EventOrder::new(0, port, lane, sequence));
        assert!(EventOrder::new(0, 1, 0, 0) > EventOrder::new(0, 0, lane, sequence));
        assert!(EventOrder::new(0, 0, 1, 0) > EventOrder::new(0, 0, 0, sequence));
        assert!(EventOrder::new(0, 0, 0, 1) > EventOrder::new(0, 0, 0, 0));
        assert!(EventOrder::new(15, port, lane, sequence).bits() < 1 << ORDER_BITS);
    }

    #[test]
    fn the_sequence_wraps() {
        assert_eq!(EventOrder::new(1, 2, 3, 1 << 20), EventOrder::new(1, 2, 3, 0));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a port's number takes at most 12 bits")]
    fn a_port_out_of_range_is_caught() {
        let _ = EventOrder::new(0, 4096, 0, 0);
    }
}
