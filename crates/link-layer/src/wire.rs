//! One direction of a cable: when what starts now arrives.
//!
//! Invariant: a wire delivers in order. A packet *arrives* when the receiver can act on it: once its
//! header is there for a receiver that cuts through, once its tail is for one that does not.
//!
//! ```text
//! starts      + lead time     + latency   = arrives (the receiver acts)
//! starts      + wire time     + latency   = tail
//! ```

use packet::header::LRH_BYTES;
use units::{Bytes, Rate, Span, Time};

/// One direction of a cable, up to the point where the receiver acts.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    rate: Rate,
    /// Time of flight and the receiver's own latency.
    latency: Span,
    /// How much of a packet must be there before the receiver acts, beyond which its length is waited for.
    lead: Lead,
}

/// How much of a packet a receiver waits for.
#[derive(Clone, Copy, Debug)]
enum Lead {
    /// The local route header, which takes this long.
    Header(Span),
    /// All of it.
    Whole,
}

impl Wire {
    /// A wire to a receiver that acts as soon as it has the local route header: virtual cut-through.
    #[must_use]
    pub const fn cut_through(rate: Rate, latency: Span) -> Self {
        Self { rate, latency, lead: Lead::Header(rate.time_for(Bytes::new(LRH_BYTES as u64))) }
    }

    /// A wire to a receiver that acts once the whole packet is there: store-and-forward, or an adapter.
    #[must_use]
    pub const fn store_and_forward(rate: Rate, latency: Span) -> Self {
        Self { rate, latency, lead: Lead::Whole }
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

    /// How long this many bytes occupy the wire.
    #[must_use]
    pub const fn time_for(&self, length: Bytes) -> Span {
        self.rate.time_for(length)
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
