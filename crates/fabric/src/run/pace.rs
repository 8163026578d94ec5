//! The choice between one thread for each part and one thread for all, by the speed of both on a machine with other work.
//!
//! Invariant: the choice changes the time that a run takes, and nothing else: windows are the same to the nodes in both ways.
//!
//! Threads that meet after every window go as fast as the slowest of them. On a machine whose processors have other work, one
//! of them is often without a processor, and all wait for it: measured with 13 runnable threads on two processors, two
//! threads took 7 to 13 times as long as one. So once threads have lost their processors before some meetings of a slice of time, or were
//! started very often, one thread tries a slice, and the faster way goes on for a while. Two slices are little evidence where other guests
//! share the processors: so the slower way is tried again soon at first, and then less and less often, until it is the faster one.

use core::time::Duration;

/// The two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Each part on a thread of its own.
    Threads,
    /// All parts in turn on one thread.
    InTurn,
}

/// Elapsed time after which a slice ends.
pub(super) const SLICE: Duration = Duration::from_millis(20);
/// Share of meetings before which a thread lost its processor, in hundredths, that shows a machine with other work.
const BUSY: u64 = 2;
/// Advances in a slice that show that starting threads may take longer than their work: 0.4 ms each.
const SHORT: u64 = 50;
/// Most slices of the faster way until the slower one is tried again.
const LONGEST_HOLD: u32 = 12;

/// The work of an advance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    pub(super) events: u64,
    pub(super) elapsed: Duration,
    /// Meetings of threads, and those before which a thread lost its processor.
    pub(super) meetings: u64,
    pub(super) lost: u64,
}

/// The way of a run, and what is known of both.
#[derive(Debug)]
pub(super) struct Pace {
    way: Way,
    /// True if the present slice is a trial of the way that is not preferred.
    is_trial: bool,
    /// Slices of the preferred way before the next trial.
    hold: u32,
    /// Slices that it goes on for after the next trial that it wins.
    next_hold: u32,
    /// Work of the present slice.
    slice: Stretch,
    /// Advances in the present slice.
    advances: u64,
    /// Events a second of the last slice of the preferred way.
    rate: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            way: Way::Threads,
            is_trial: false,
            hold: 2, // Threads fill their caches in the first slice.
            next_hold: 1,
            slice: Stretch::default(),
            advances: 0,
            rate: 0.0,
        }
    }
}

impl Pace {
    /// Returns the present way.
    pub(super) const fn way(&self) -> Way {
        self.way
    }

    /// Returns the time that is left of the present slice.
    pub(super) fn left(&self) -> Duration {
        SLICE.saturating_sub(self.slice.elapsed)
    }

    /// Adds work that was done in the present way, and chooses anew at the end of a slice.
    pub(super) fn add(&mut self, done: Stretch) {
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
        let rate = events as f64 / elapsed.as_secs_f64();
        if self.is_trial {
            self.is_trial = false;
            if rate < self.rate {
                self.way = self.way.other();
                self.hold = self.next_hold;
                self.next_hold = (2 * self.next_hold).min(LONGEST_HOLD);
            } else {
                self.rate = rate;
                (self.hold, self.next_hold) = (1, 1);
            }
            return;
        }
        self.rate = rate;
        let is_undisturbed =
            self.way == Way::Threads && lost * 100 < meetings * BUSY && self.advances < SHORT;
        if !is_undisturbed {
            self.hold = self.hold.saturating_sub(1);
            if self.hold == 0 {
                self.is_trial = true;
                self.way = self.way.other();
            }
        }
    }
}

impl Way {
    const fn other(self) -> Self {
        match self {
            Self::Threads => Self::InTurn,
            Self::InTurn => Self::Threads,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a number of slices, of which those on threads have these events and meetings with a lost processor in hundredths. Returns
    /// the share of slices on threads.
    fn share_on_threads(slices: u32, events: impl Fn(Way, u32) -> u64, lost: u64) -> f64 {
        let mut pace = Pace::default();
        let mut on_threads = 0;
        for slice in 0..slices {
            on_threads += u32::from(pace.way() == Way::Threads);
            for _ in 0..4 {
                let (events, meetings) = (events(pace.way(), slice), 100);
                pace.add(Stretch { events, elapsed: SLICE / 4, meetings, lost });
            }
        }
        f64::from(on_threads) / f64::from(slices)
    }

    #[test]
    fn an_idle_machine_keeps_to_threads() {
        assert_eq!(share_on_threads(1000, |_, _| 1000, 1), 1.0);
    }

    #[test]
    fn a_busy_machine_takes_the_faster_way_but_for_trials() {
        let share = share_on_threads(1000, |way, _| if way == Way::Threads { 100 } else { 1000 }, 50);
        assert!(share < 0.1, "{share} on threads, which are slower");
        let share = share_on_threads(1000, |way, _| if way == Way::Threads { 1000 } else { 600 }, 50);
        assert!(share > 0.9, "{share} on threads, which are faster");
    }

    /// Other guests of the machine make single slices slow. Such slices do not decide about a short run: the slower way has its
    /// two slices after the mistake, and four trials, of which each comes after twice as long as the one before.
    #[test]
    fn a_mistake_is_noticed_soon() {
        let events = |way, slice| match (way, slice) {
            (Way::Threads, 0..2) => 100,
            (Way::Threads, _) => 1500,
            (Way::InTurn, _) => 1000,
        };
        let share = share_on_threads(20, events, 50);
        assert!(share >= 0.7, "{share}");
    }

    #[test]
    fn a_change_is_noticed() {
        let events = |way, slice| match (way, slice < 500) {
            (Way::Threads, true) => 100,
            (Way::Threads, false) => 2000,
            (Way::InTurn, _) => 1000,
        };
        let share = share_on_threads(1000, events, 50);
        assert!((0.4..0.6).contains(&share), "{share}");
    }
}
