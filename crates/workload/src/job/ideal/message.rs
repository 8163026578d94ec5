//! Times of a message in an idle fabric.
//!
//! Invariant: others at its sender's interface delay a message, and change nothing of its way from there on.

use units::{Span, Time};

use super::interface::Transmission;

/// Times of a message in an idle fabric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdealMessage {
    /// From the start of its transmission to the arrival of its last byte, if no other message comes between: at least
    /// the time of its transmission and its tail.
    pub delivered: Span,
    /// Its packets at its sender's interface; of no length if messages do not wait there.
    pub sent: Transmission,
    /// From the end of its transmission to the arrival of its last byte, if the packets before are out of the way.
    pub tail: Span,
    /// From the start of its transmission to its completion at the sender, if no other message comes between: at most
    /// the time of its transmission, if it completes as it leaves.
    pub completed: Span,
}

impl IdealMessage {
    /// Returns its arrival and its completion. It began at `begun`, or later if others came between, and left at `end`.
    pub(super) fn ends(self, begun: Time, end: Time) -> (Time, Time) {
        let arrival = (begun + self.delivered).max(end + self.tail);
        let whole = self.sent.whole();
        debug_assert!(whole + self.tail <= self.delivered, "no message arrives before it has left");
        let completed = if self.completed <= whole {
            end - (whole - self.completed)
        } else {
            arrival + self.completed - self.delivered
        };
        (arrival, completed)
    }
}
