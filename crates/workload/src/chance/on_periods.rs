//! Exponentially distributed times on and off, in turn.
//!
//! Invariant: the periods follow from a single stream, and do not depend on when they are asked for.

use event_kernel::Stream;
use rand::RngExt;
use units::{Span, Time};

use super::exponential::exponential;

/// Iterates over the times on of a host, from their start to their end. Exponential times have no memory, so the first
/// is drawn like any other. Each is rounded to picoseconds and then added; times on of length zero are left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OnPeriods {
    /// Mean times on and off, in ps.
    means: (u64, u64),
    at: Time,
    stop: Time,
    is_on: bool,
    random: Stream,
}

state_codec::state!(OnPeriods { means: plan, at, stop: plan, is_on, random });

impl OnPeriods {
    /// Starts with a time on with the probability `on / (on + off)`.
    pub(crate) fn new((on, off): (Span, Span), start: Time, stop: Time, mut random: Stream) -> Self {
        let (on, off) = (on.ps(), off.ps());
        // A comparison of integers: of on + off equally likely numbers, the first `on`.
        let is_on = random.random_range(0..u128::from(on) + u128::from(off)) < u128::from(on);
        Self { means: (on, off), at: start, stop, is_on, random }
    }
}

impl Iterator for OnPeriods {
    type Item = (Time, Time);

    fn next(&mut self) -> Option<(Time, Time)> {
        while self.at < self.stop {
            let mean = if self.is_on { self.means.0 } else { self.means.1 };
            // The cast saturates: a time that outlasts the clock ends the iteration.
            let length = (exponential(&mut self.random) * mean as f64).round() as u64;
            let (from, was_on) = (self.at, self.is_on);
            self.at = Time::from_ps(from.ps().saturating_add(length)).min(self.stop);
            self.is_on = !was_on;
            if was_on && self.at > from {
                return Some((from, self.at));
            }
        }
        None
    }
}
