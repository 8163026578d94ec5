//! Log of the pauses of a port's outputs, for ports with a log.
//!
//! Invariant: of each lane the log keeps the first changes, up to its limit, and counts the others. It takes all its
//! memory before the run.

use packet::{ByLane, Lane};
use units::Time;

/// The times at which a port's lanes were paused and could send again.
#[derive(Clone, Debug)]
pub struct PauseLog {
    lanes: ByLane<LaneLog>,
}

state_codec::state!(PauseLog { lanes: part });

#[derive(Clone, Debug)]
struct LaneLog {
    changes: Vec<PauseChange>,
    limit: usize,
    lost: u64,
}

state_codec::state!(LaneLog { changes, limit: plan, lost });

/// A change of a lane that sends: a pause takes effect, or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseChange {
    /// Time of the change.
    pub at: Time,
    /// True if a pause takes effect, false if it ends.
    pub paused: bool,
}

state_codec::value!(PauseChange { at, paused });

impl PauseLog {
    /// Creates the log of a port with this many lanes, which keeps `limit` changes of each.
    #[must_use]
    pub(crate) fn new(lanes: usize, limit: usize) -> Self {
        let lane = || LaneLog { changes: Vec::with_capacity(limit), limit, lost: 0 };
        Self { lanes: (0..lanes).map(|_| lane()).collect() }
    }

    /// Records a change.
    pub(crate) fn note(&mut self, lane: Lane, change: PauseChange) {
        let log = &mut self.lanes[lane];
        if log.changes.len() < log.limit {
            log.changes.push(change);
        } else {
            log.lost += 1;
        }
    }

    /// Returns the changes of a lane that are kept, in order of time, and the number of later changes.
    #[must_use]
    pub fn changes(&self, lane: Lane) -> (&[PauseChange], u64) {
        let LaneLog { changes, lost, .. } = &self.lanes[lane];
        (changes, *lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Span;

    #[test]
    fn a_log_keeps_the_first_changes_of_each_lane_and_counts_the_others() {
        let mut log = PauseLog::new(2, 3);
        let change = |us| PauseChange { at: Span::from_us(us).after_start(), paused: us % 2 == 1 };
        for us in 1..=5 {
            log.note(Lane(1), change(us));
        }
        assert_eq!(log.changes(Lane(0)), (&[][..], 0));
        assert_eq!(log.changes(Lane(1)), (&[change(1), change(2), change(3)][..], 2));
    }
}
