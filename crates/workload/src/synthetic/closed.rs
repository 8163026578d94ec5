//! Closed loops: a host posts its next message when one of those outstanding is complete.
//!
//! Invariant: the order of a host's messages is drawn before the run; only when each is posted depends on it.
//! So two designs post the same messages in the same order.
//!
//! A loop spans several queue pairs of one adapter: whichever of them completes a message, the next in the
//! order is posted to the queue pair that it belongs to.

use units::{Bytes, Time};

/// What a host posts next, as messages complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedLoop {
    turns: Vec<Turn>,
    next: usize,
    stop: Time,
}

/// A message, and which of the loop's flows it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its place among the loop's flows, in the order of the workload.
    pub flow: u32,
    /// Its payload.
    pub bytes: Bytes,
}

impl ClosedLoop {
    /// Of the messages that follow those posted at the start, until `stop`.
    #[must_use]
    pub const fn new(turns: Vec<Turn>, stop: Time) -> Self {
        Self { turns, next: 0, stop }
    }

    /// Told that a message of one of its flows is complete: the message to post in its place, if any.
    pub fn on_completed(&mut self, now: Time) -> Option<Turn> {
        if now >= self.stop {
            return None;
        }
        let turn = self.turns.get(self.next).copied();
        self.next += usize::from(turn.is_some());
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_taken_in_order_until_the_stop() {
        let turn = |flow, n| Turn { flow, bytes: Bytes::new(n) };
        let at = Time::from_ps;
        let turns = vec![turn(1, 10), turn(0, 20), turn(1, 30)];
        let mut all = ClosedLoop::new(turns.clone(), at(100));
        let taken: Vec<_> = (0..5).map(|ps| all.on_completed(at(ps))).collect();
        assert_eq!(taken, [Some(turns[0]), Some(turns[1]), Some(turns[2]), None, None]);
        let mut stopped = ClosedLoop::new(turns.clone(), at(100));
        assert_eq!((stopped.on_completed(at(99)), stopped.on_completed(at(100))), (Some(turns[0]), None));
    }
}
