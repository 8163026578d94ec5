//! The choice between two ways of the same work by their speed, slice of time by slice.
//!
//! Invariant: both ways have the same results, so the choice changes the time that a run takes, and nothing else.
//!
//! A way is preferred. The other is tried for a slice now and then, and becomes the preferred way if it is faster.
//! Two slices are little evidence where other programs share the processors and the memory. The slower way is
//! therefore tried again soon at first, and then less and less often, until it is the faster.

/// The two ways, and what is known of both.
#[derive(Debug)]
pub struct Contest {
    is_first: bool,
    /// True if the present slice is a trial of the way that is not preferred.
    is_trial: bool,
    /// Slices of the preferred way before the next trial.
    hold: u32,
    /// Slices that it goes on for after the next trial that it wins.
    next_hold: u32,
    /// Most slices between two trials.
    longest_hold: u32,
    /// Speed in the last slice of the preferred way.
    speed: f64,
}

impl Contest {
    /// Creates a contest in which the first way is preferred. Between two trials lie at most `longest_hold` slices.
    #[must_use]
    pub const fn new(longest_hold: u32) -> Self {
        // The first slice fills caches.
        Self { is_first: true, is_trial: false, hold: 2, next_hold: 1, longest_hold, speed: 0.0 }
    }

    /// Returns true if the present way is the first, and false if it is the second.
    #[must_use]
    #[inline]
    pub const fn is_first(&self) -> bool {
        self.is_first
    }

    /// Ends a slice in which the present way did `speed` units of work in a unit of time, and chooses the way of the
    /// next. Without a doubt about the preferred way, its rival is not tried.
    pub fn end_slice(&mut self, speed: f64, is_doubtful: bool) {
        if self.is_trial {
            self.is_trial = false;
            // A trial that loses makes the next trial rarer. A trial that wins starts the count again, with the
            // winner as preferred.
            if speed < self.speed {
                self.is_first = !self.is_first;
                self.hold = self.next_hold;
                self.next_hold = (2 * self.next_hold).min(self.longest_hold);
            } else {
                self.speed = speed;
                (self.hold, self.next_hold) = (1, 1);
            }
            return;
        }
        self.speed = speed;
        if is_doubtful {
            self.hold = self.hold.saturating_sub(1);
            if self.hold == 0 {
                self.is_trial = true;
                self.is_first = !self.is_first;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a number of slices at speeds by way and slice. Returns the share of slices of the first way.
    fn share_of_first(slices: u32, speed: impl Fn(bool, u32) -> f64, is_doubtful: bool) -> f64 {
        let mut contest = Contest::new(12);
        let mut first = 0;
        for slice in 0..slices {
            first += u32::from(contest.is_first());
            contest.end_slice(speed(contest.is_first(), slice), is_doubtful);
        }
        f64::from(first) / f64::from(slices)
    }

    #[test]
    fn no_doubt_keeps_to_the_first_way() {
        assert_eq!(share_of_first(1000, |is_first, _| if is_first { 1.0 } else { 2.0 }, false), 1.0);
    }

    #[test]
    fn the_faster_way_goes_on_but_for_trials() {
        let share = share_of_first(1000, |is_first, _| if is_first { 1.0 } else { 10.0 }, true);
        assert!(share < 0.1, "{share} of the first way, which is slower");
        let share = share_of_first(1000, |is_first, _| if is_first { 1.0 } else { 0.6 }, true);
        assert!(share > 0.9, "{share} of the first way, which is faster");
    }

    /// Other guests of the machine make single slices slow. Such slices do not decide about a short run. The slower
    /// way has its two slices after the mistake, and four trials, each after twice as long as the previous trial.
    #[test]
    fn a_mistake_is_noticed_soon() {
        let speed = |is_first, slice| match (is_first, slice) {
            (true, 0..2) => 0.1,
            (true, _) => 1.5,
            (false, _) => 1.0,
        };
        let share = share_of_first(20, speed, true);
        assert!(share >= 0.7, "{share}");
    }

    #[test]
    fn a_change_is_noticed() {
        let speed = |is_first, slice| match (is_first, slice < 500) {
            (true, true) => 0.1,
            (true, false) => 2.0,
            (false, _) => 1.0,
        };
        let share = share_of_first(1000, speed, true);
        assert!((0.4..0.6).contains(&share), "{share}");
    }
}
