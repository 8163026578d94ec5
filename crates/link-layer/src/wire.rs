//! A direction of a cable, and the arrival times of packets on it.
//!
//! Invariant: a wire delivers in order. A packet *arrives* when the receiver can act on it. A receiver that cuts
//! through needs the header, and any other receiver the tail.
//!
//! ```text
//! starts      + lead time     + latency   = arrives (the receiver acts)
//! starts      + wire time     + latency   = tail
//! ```
//!
//! DEVIATION: the preamble and gap of an Ethernet frame count as part of the frame. So its tail arrives after the gap
//! behind it (12 bytes: 2.4 ns at 40 Gb/s).

use packet::Framing;
use units::{Bytes, Rate, Span, Time};

/// A direction of a cable, up to the point where the receiver acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    rate: Rate,
    /// Time of a byte, if it is a whole number of picoseconds: then no packet needs a division.
    byte_time: Option<Span>,
    /// Bytes that a packet occupies beyond its own length.
    around: Bytes,
    /// Time of flight and the receiver's own latency.
    latency: Span,
    /// Part of a packet that must arrive before the receiver acts.
    lead: Lead,
}

/// Part of a packet that a receiver waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    /// The header that names the destination, which takes this long.
    Header(Span),
    /// The whole packet.
    Whole,
}

impl Wire {
    /// A wire to a receiver that acts as soon as it has the header that names the destination: virtual cut-through.
    #[must_use]
    pub const fn cut_through(rate: Rate, latency: Span) -> Self {
        Self::framed(Framing::InfiniBand, rate, latency, true)
    }

    /// A wire to a receiver that acts once the whole packet has arrived: store-and-forward, or an adapter.
    #[must_use]
    pub const fn store_and_forward(rate: Rate, latency: Span) -> Self {
        Self::framed(Framing::InfiniBand, rate, latency, false)
    }

    /// A wire on which packets have this framing, to a receiver that cuts through or does not.
    #[must_use]
    pub const fn framed(framing: Framing, rate: Rate, latency: Span, cuts_through: bool) -> Self {
        let lead =
            if cuts_through { Lead::Header(rate.time_for(framing.route_header())) } else { Lead::Whole };
        Self { rate, byte_time: byte_time(rate), around: framing.around(), latency, lead }
    }

    /// Returns the rate at which bytes pass.
    #[must_use]
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Returns the time of flight and the receiver's own latency.
    #[must_use]
    pub const fn latency(&self) -> Span {
        self.latency
    }

    /// Returns the time for which a packet of this length occupies the wire, with its framing.
    #[inline]
    #[must_use]
    pub fn time_for(&self, length: Bytes) -> Span {
        let all = length + self.around;
        self.byte_time.map_or_else(|| self.rate.time_for(all), |span| span * all.get())
    }

    /// Returns the least time from a packet's start until the receiver acts on it.
    #[must_use]
    pub fn lookahead(&self) -> Span {
        match self.lead {
            Lead::Header(span) => span + self.latency,
            Lead::Whole => self.latency,
        }
    }

    /// Returns the time at which the receiver acts on a packet that starts at `start` and occupies the wire for
    /// `wire_time`.
    #[must_use]
    pub fn arrives(&self, start: Time, wire_time: Span) -> Time {
        let lead = match self.lead {
            Lead::Header(span) => span,
            Lead::Whole => wire_time,
        };
        start + lead + self.latency
    }
}

/// Returns the time of a byte at this rate, if it is a whole number of picoseconds. Then n bytes take exactly n times
/// as long.
const fn byte_time(rate: Rate) -> Option<Span> {
    const BITS_TIMES_PS: u64 = 8 * 1_000_000_000_000;
    let byte = rate.time_for(Bytes::new(1));
    if byte.ps() * rate.get() == BITS_TIMES_PS { Some(byte) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_wire_takes_as_long_as_its_rate_says(
            rate in prop_oneof![1..1_000_000_000_000u64, (0..10usize).prop_map(|at| IBA[at])], length in 0..100_000u64,
        ) {
            let (rate, length) = (Rate::bps(rate), Bytes::new(length));
            let wire = Wire::store_and_forward(rate, Span::ZERO);
            prop_assert_eq!(wire.time_for(length), rate.time_for(length));
        }
    }

    /// Data rates of links in bit/s, from SDR X1 to NDR X4. At some of them a byte takes no whole number of
    /// picoseconds.
    const IBA: [u64; 10] = [
        2_000_000_000,
        8_000_000_000,
        16_000_000_000,
        32_000_000_000,
        54_545_454_545,
        56_250_000_000,
        100_000_000_000,
        103_125_000_000,
        200_000_000_000,
        400_000_000_000,
    ];

    #[test]
    fn bytes_of_whole_picoseconds_are_multiplied() {
        let whole = IBA.map(|rate| byte_time(Rate::bps(rate)).is_some());
        assert_eq!(whole, [true, true, true, true, false, false, true, false, true, true]);
    }
}
