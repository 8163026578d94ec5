//! The progress of a responder, which its acknowledgements name.
//!
//! Invariant: it is the same for responders in order and in any order.

use packet::Psn;

/// The progress of a responder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    expected: Psn,
    msn: u32,
}

impl Progress {
    /// The progress of a responder that lacks the packet `expected`, after `msn` messages.
    #[must_use]
    pub const fn new(expected: u64, msn: u32) -> Self {
        Self { expected: Psn::new(expected as u32), msn }
    }

    /// Returns the number of the first packet that has not arrived.
    #[must_use]
    pub const fn expected(self) -> Psn {
        self.expected
    }

    /// Returns the number of the last packet before it, which an acknowledgement names.
    #[must_use]
    pub const fn accepted(self) -> Psn {
        self.expected.plus(Psn::MASK)
    }

    /// Returns the number of completed messages, modulo 2^24.
    #[must_use]
    pub const fn msn(self) -> u32 {
        self.msn
    }

    /// Returns the distance from the first missing packet to this one, which has arrived; 0 if it lies before.
    #[must_use]
    pub const fn distance(self, psn: Psn) -> u32 {
        let ahead = psn.since(self.expected);
        if ahead < Psn::MAX_OUTSTANDING { ahead } else { 0 }
    }
}
