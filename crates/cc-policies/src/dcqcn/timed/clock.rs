//! A clock that expires each interval, from an instant that differs from flow to flow.
//!
//! Invariant: a phase belongs to the clock that made it, and is meaningful from its instant on.

use units::{Span, Time};

/// Number of parts of an interval in which phases are kept: the bits of a phase.
const BITS: u32 = 16;

/// A clock of an adapter: all its flows have the same interval, and each has a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    interval: u64,
    /// Delay of each expiry, in picoseconds.
    delay: u64,
}

impl Clock {
    /// A clock with expiries on time, or early by less than 2^-16 of an interval: phases are rounded down.
    pub(super) const fn prompt(interval: Span) -> Self {
        Self { interval: interval.ps(), delay: 0 }
    }

    /// A clock with expiries late by `delay` and up to 2^-16 of an interval.
    pub(super) const fn late(interval: Span, delay: Span) -> Self {
        Self { interval: interval.ps(), delay: delay.ps() + (interval.ps() >> BITS) + 1 }
    }

    /// Returns the phase of a flow with intervals that begin at `at`.
    pub(super) fn phase(self, at: Time) -> u16 {
        let into = u128::from(at.ps() % self.interval);
        ((into << BITS) / u128::from(self.interval)) as u16
    }

    /// Returns the number of expiries up to and including `at`, counted from an early expiry.
    pub(super) fn count(self, phase: u16, at: Time) -> u64 {
        (at.ps() + 2 * self.interval - self.offset(phase)) / self.interval
    }

    /// Returns the time of an expiry, by its count.
    pub(super) fn time(self, phase: u16, count: u64) -> Time {
        Time::from_ps(count * self.interval + self.offset(phase) - 2 * self.interval)
    }

    fn offset(self, phase: u16) -> u64 {
        ((u128::from(phase) * u128::from(self.interval)) >> BITS) as u64 + self.delay
    }
}

/// Returns the 64 bits of a count that is at most `present` and has these low 32 bits.
pub(super) const fn widened(low: u32, present: u64) -> u64 {
    present - (present as u32).wrapping_sub(low) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Expiries are an interval apart, from an interval after the start on, and early or late as promised.
        #[test]
        fn expiries_are_an_interval_apart(
            // A short interval has more phases than picoseconds: each rounding down counts.
            interval in prop_oneof![10_000..1_000_000_000u64, 10_000..60_000u64], start in 0..1u64 << 42,
            nth in 1..1_000u64, ns in 1..5u64,
        ) {
            let at = Time::from_ps(start + nth * interval);
            let prompt = Clock::prompt(Span::from_ps(interval));
            let phase = prompt.phase(Time::from_ps(start));
            let first = prompt.count(phase, Time::from_ps(start));
            prop_assert_eq!(prompt.count(phase, at), first + nth);
            let early = at.ps() - prompt.time(phase, first + nth).ps();
            prop_assert!(early <= (interval >> BITS) + 1);
            let late = Clock::late(Span::from_ps(interval), Span::from_ns(ns));
            let half = Time::from_ps(start + interval / 2);
            let first = late.count(phase, half);
            let by = late.time(phase, first + nth).ps() - at.ps();
            prop_assert!((ns * 1000..=ns * 1000 + (interval >> BITS) + 1).contains(&by));
        }

        #[test]
        fn counts_survive_32_bits(present in 0..1u64 << 40, back in 0..1u64 << 32) {
            let count = present.saturating_sub(back);
            prop_assert_eq!(widened(count as u32, present), count);
        }
    }
}
