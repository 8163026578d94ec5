//! The clock by which alpha changes under `AlphaUpdate::EachInterval`: it expires each K from the flow's first CNP on.
//!
//! Invariant: a clock is meaningful from [`AlphaClock::start`] on, and only with the K that it was started with.

use units::{Span, Time};

/// Number of parts of K in which the clock's phase is kept.
const PARTS: u128 = 1 << 15;
/// Set once a CNP counts for the interval in which it arrived.
const COUNTS: u16 = 1 << 15;

/// Phase of the clock within K, in 15 bits, and whether the last CNP counts for its interval.
///
/// The phase is rounded down to K / 2^15. If K is 55 us, the clock starts up to 1.7 ns before the first CNP. In whole
/// picoseconds the phase would not fit into the state of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AlphaClock(u16);

state_codec::value!(AlphaClock { 0 });

impl AlphaClock {
    /// Starts the clock at the first CNP, which does not count for its interval.
    pub(super) fn start(interval: Span, first_cnp: Time) -> Self {
        let phase = u128::from(first_cnp.ps() % interval.ps());
        Self((phase * PARTS / u128::from(interval.ps())) as u16)
    }

    /// Lets this CNP, the last for now, count for its interval.
    pub(super) const fn count_cnp(&mut self) {
        self.0 |= COUNTS;
    }

    /// Returns whether the last CNP counts for its interval.
    pub(super) const fn counts_last_cnp(self) -> bool {
        self.0 & COUNTS != 0
    }

    /// Returns the number of expiries after `from`, which is not before the start, up to and including `to`.
    pub(super) fn expiries(self, interval: Span, from: Time, to: Time) -> u64 {
        let phase = u128::from(self.0 & !COUNTS) * u128::from(interval.ps()) / PARTS;
        let passed = |time: Time| (time.ps() - phase as u64) / interval.ps();
        passed(to) - passed(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From a first CNP at 130 us with K of 50 us, the clock expires at 180 us, 230 us and so on.
    #[test]
    fn the_clock_expires_each_interval_from_the_first_cnp_on() {
        let (interval, at) = (Span::from_us(50), |us| Span::from_us(us).after_start());
        let clock = AlphaClock::start(interval, at(130));
        let expiries = |from, to| clock.expiries(interval, at(from), at(to));
        assert_eq!([expiries(130, 179), expiries(130, 180), expiries(180, 229)], [0, 1, 0]);
        assert_eq!([expiries(150, 330), expiries(200, 200)], [4, 0]);
    }

    #[test]
    fn the_phase_is_early_by_less_than_its_unit() {
        let interval = Span::from_ps(54_999_983);
        for first in (0..200_000_000).step_by(777_777) {
            let clock = AlphaClock::start(interval, Time::from_ps(first));
            let expiries = |to| clock.expiries(interval, Time::from_ps(first), Time::from_ps(to));
            assert_eq!(expiries(first + interval.ps()), 1, "{first}");
            assert_eq!(expiries(first + interval.ps() - interval.ps() / (1 << 15) - 2), 0, "{first}");
        }
    }
}
