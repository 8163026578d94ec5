//! The choice between a thread for each part and a single thread for all, by the speed of both on a machine with
//! other work.
//!
//! Invariant: the choice changes the time that a run takes, and nothing else: windows are the same to the nodes in
//! both ways.
//!
//! Threads that meet after every window go as fast as the slowest of them. If the processors have other work, some
//! thread is often without a processor, and all wait for it. Measured with 13 runnable threads on two processors: two
//! threads took 7 to 13 times as long as a single thread. A single thread therefore tries a slice once threads have
//! lost their processors before some meetings, or were started very often. The faster way then goes on for a while.

use core::time::Duration;

use crate::contest::Contest;
use crate::stopwatch::{Clock, Stopwatch};

/// The two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Each part on a thread of its own.
    Threads,
    /// All parts in turn on the calling thread.
    InTurn,
}

/// Elapsed time after which a slice ends.
const SLICE: Duration = Duration::from_millis(20);
/// Share of meetings before which a thread lost its processor, in hundredths, that shows a machine with other work.
const BUSY: u64 = 2;
/// Advances in a slice that show that starting threads may take longer than their work: 0.4 ms each.
const SHORT: u64 = 50;
/// Most slices of the faster way until the slower way is tried again.
const LONGEST_HOLD: u32 = 12;

/// The rest of a slice of elapsed time, from a moment on.
#[derive(Clone, Copy, Debug)]
pub struct SliceRest {
    since: Stopwatch,
    length: Duration,
}

impl SliceRest {
    /// Returns the time since that moment.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    /// Returns true once the slice is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.elapsed() >= self.length
    }
}

/// The work of an advance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stretch {
    /// Events handled.
    pub events: u64,
    /// Elapsed time.
    pub elapsed: Duration,
    /// Meetings of threads.
    pub meetings: u64,
    /// Meetings before which a thread lost its processor.
    pub lost: u64,
}

/// The way of a run, chosen slice of elapsed time by slice.
#[derive(Debug)]
pub struct Pace {
    /// Between several threads and a single thread.
    contest: Contest,
    /// Work of the present slice.
    slice: Stretch,
    /// Advances in the present slice.
    advances: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { contest: Contest::new(LONGEST_HOLD), slice: Stretch::default(), advances: 0 }
    }
}

impl Pace {
    /// Returns the present way.
    #[must_use]
    pub const fn way(&self) -> Way {
        if self.contest.is_first() { Way::Threads } else { Way::InTurn }
    }

    /// Returns the rest of the present slice, from now on.
    #[must_use]
    pub fn rest(&self, clock: Clock) -> SliceRest {
        SliceRest { since: Stopwatch::start(clock), length: SLICE.saturating_sub(self.slice.elapsed) }
    }

    /// Adds work that was done in the present way, and chooses anew at the end of a slice.
    pub fn add(&mut self, done: Stretch) {
        self.advances += 1;
        self.slice.events += done.events;
        self.slice.elapsed += done.elapsed;
        self.slice.meetings += done.meetings;
        self.slice.lost += done.lost;
        if self.slice.elapsed >= SLICE {
            self.choose();
            (self.slice, self.advances) = (Stretch::default(), 0);
        }
    }

    fn choose(&mut self) {
        let Stretch { events, elapsed, meetings, lost } = self.slice;
        let is_undisturbed =
            self.way() == Way::Threads && lost * 100 < meetings * BUSY && self.advances < SHORT;
        self.contest.end_slice(events as f64 / elapsed.as_secs_f64(), !is_undisturbed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs 1,000 slices of four advances each, with this number of events on threads and in turn. An advance has 100
    /// meetings. Before `lost` of them a thread lost its processor. Returns the share of slices on threads.
    fn share_on_threads(on_threads: u64, in_turn: u64, lost: u64) -> f64 {
        let (mut pace, mut slices) = (Pace::default(), 0);
        for _ in 0..1000 {
            let is_on_threads = pace.way() == Way::Threads;
            slices += u32::from(is_on_threads);
            let events = if is_on_threads { on_threads } else { in_turn };
            for _ in 0..4 {
                pace.add(Stretch { events, elapsed: SLICE / 4, meetings: 100, lost });
            }
        }
        f64::from(slices) / 1000.0
    }

    #[test]
    fn an_idle_machine_keeps_to_threads() {
        assert_eq!(share_on_threads(600, 1000, 1), 1.0);
    }

    #[test]
    fn a_busy_machine_takes_the_faster_way_but_for_trials() {
        let share = share_on_threads(100, 1000, 50);
        assert!(share < 0.1, "{share} on threads, which are slower");
        for lost in [2, 50] {
            let share = share_on_threads(1000, 600, lost);
            assert!((0.9..1.0).contains(&share), "{share} on threads, which are faster");
        }
    }
}
