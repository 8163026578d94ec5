//! When a host that does not wait for completions posts its messages.
//!
//! Invariant: from the start to before the stop, in order, at the offered load on average from the first
//! instant on: where messages are evenly spaced, the first comes after a uniformly drawn part of an interval.

use event_kernel::Stream;
use rand::Rng;
use units::{Span, Time};

use crate::converge::Periods;
use crate::exponential::{exponential, unit};
use crate::synthetic::spec::Arrivals;

/// From when, and until when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Period {
    pub(super) start: Time,
    pub(super) stop: Time,
}

/// The times of one host's messages, in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Times {
    period: Period,
    /// Mean time between two messages, in ps; while the host is on, if it is not always.
    gap: f64,
    /// How many there are at most.
    left: usize,
    rule: Rule,
}

#[derive(Clone, Debug, PartialEq)]
enum Rule {
    /// Message k comes `phase + k` gaps after the start.
    Fixed {
        phase: f64,
        k: u64,
    },
    /// The last message came `at`.
    Poisson {
        at: Time,
        random: Stream,
    },
    /// By a clock that stands still while the host is off: message k when it shows `phase + k` gaps, and `elapsed` is
    /// what it showed when the present time on began.
    OnOff {
        phase: f64,
        k: u64,
        on: Option<(Time, Span)>,
        elapsed: f64,
        periods: Periods,
    },
    AtOnce,
}

impl Times {
    /// At most `most` times, a mean `gap` of picoseconds apart.
    pub(super) fn new(spec: Arrivals, period: Period, gap: f64, most: usize, mut random: Stream) -> Self {
        let new = |gap, rule| Self { period, gap, left: most, rule };
        match spec {
            Arrivals::Fixed { .. } => new(gap, Rule::Fixed { phase: unit(random.next_u64()), k: 0 }),
            Arrivals::Poisson { .. } => new(gap, Rule::Poisson { at: period.start, random }),
            Arrivals::OnOff { on, off, .. } => {
                let share = on.ps() as f64 / (on.ps() as f64 + off.ps() as f64);
                let phase = unit(random.next_u64());
                let periods = Periods::new((on, off), period.start, period.stop, random);
                new(gap * share, Rule::OnOff { phase, k: 0, on: None, elapsed: 0.0, periods })
            }
            Arrivals::AtOnce => new(0.0, Rule::AtOnce),
            Arrivals::Closed { .. } => unreachable!("a closed loop posts when messages are complete"),
        }
    }
}

impl Iterator for Times {
    type Item = Time;

    fn next(&mut self) -> Option<Time> {
        self.left = self.left.checked_sub(1)?;
        let at = match &mut self.rule {
            Rule::Fixed { phase, k } => {
                // From k itself, so that rounding does not add up.
                let at = after(self.period.start, (*phase + *k as f64) * self.gap);
                *k += 1;
                at
            }
            Rule::Poisson { at, random } => {
                *at = after(*at, exponential(random) * self.gap);
                *at
            }
            Rule::OnOff { phase, k, on, elapsed, periods } => loop {
                let into = (*phase + *k as f64) * self.gap - *elapsed;
                match *on {
                    // Rounding may lead to the end of the time on, but not past it.
                    Some((from, length)) if into < length.ps() as f64 => {
                        *k += 1;
                        break after(from, into);
                    }
                    past => {
                        *elapsed += past.map_or(0.0, |(_, length)| length.ps() as f64);
                        let (from, to) = periods.next()?;
                        *on = Some((from, to - from));
                    }
                }
            },
            Rule::AtOnce => return Some(self.period.start),
        };
        (at < self.period.stop).then_some(at)
    }
}

/// So many picoseconds later, rounded. The cast saturates: what outlasts the clock is never.
fn after(start: Time, ps: f64) -> Time {
    Time::from_ps(start.ps().saturating_add(ps.round() as u64))
}
