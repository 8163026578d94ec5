//! One direction of a cable: when what starts now arrives.
//!
//! Invariant: a wire delivers in order. A packet *arrives* when the receiver can act on it: once its
//! header is there for a receiver that cuts through, once its tail is for one that does not.
//!
//! ```text
//! starts      + lead time     + latency   = arrives (the receiver acts)
//! starts      + wire time     + latency   = tail
//! ```
//!
//! DEVIATION: what Ethernet puts around a frame counts as part of it, so its tail has come in once the gap behind it
//! has passed (12 bytes: 2.4 ns at 40 Gb/s).

use packet::Framing;
use units::{Bytes, Rate, Span, Time};

/// One direction of a cable, up to the point where the receiver acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    rate: Rate,
    /// What a packet takes up beyond its own length.
    around: Bytes,
    /// Time of flight and the receiver's own latency.
    latency: Span,
    /// How much of a packet must be there before the receiver acts, beyond which its length is waited for.
    lead: Lead,
}

/// How much of a packet a receiver waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    /// What names the destination, which takes this long.
    Header(Span),
    /// All of it.
    Whole,
}

impl Wire {
    /// A wire to a receiver that acts as soon as it has the header that names the destination: virtual cut-through.
    #[must_use]
    pub const fn cut_through(rate: Rate, latency: Span) -> Self {
        Self::framed(Framing::InfiniBand, rate, latency, true)
    }

    /// A wire to a receiver that acts once the whole packet is there: store-and-forward, or an adapter.
    #[must_use]
    pub const fn store_and_forward(rate: Rate, latency: Span) -> Self {
        Self::framed(Framing::InfiniBand, rate, latency, false)
    }

    /// A wire on which packets have this framing, to a receiver that cuts through or does not.
    #[must_use]
    pub const fn framed(framing: Framing, rate: Rate, latency: Span, cuts_through: bool) -> Self {
        let lead =
            if cuts_through { Lead::Header(rate.time_for(framing.route_header())) } else { Lead::Whole };
        Self { rate, around: framing.around(), latency, lead }
    }

    /// The rate at which bytes pass.
    #[must_use]
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Time of flight and the receiver's own latency.
    #[must_use]
    pub const fn latency(&self) -> Span {
        self.latency
    }

    /// How long a packet of this length occupies the wire, with what its framing puts around it.
    #[must_use]
    pub fn time_for(&self, length: Bytes) -> Span {
        self.rate.time_for(length + self.around)
    }

    /// When the receiver acts on a packet that starts at `start` and occupies the wire for `wire_time`.
    #[must_use]
    pub fn arrives(&self, start: Time, wire_time: Span) -> Time {
        let lead = match self.lead {
            Lead::Header(span) => span,
            Lead::Whole => wire_time,
        };
        start + lead + self.latency
    }
}
