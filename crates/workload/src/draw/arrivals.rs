//! Times of the messages of a host that does not wait for completions.
//!
//! Invariant: times are in order, from the start to before the stop, at the offered load on average from the first
//! instant on. Evenly spaced messages therefore begin after a uniformly drawn part of an interval.

use event_kernel::Stream;
use rand::Rng;
use units::{Span, Time};

use crate::chance::{OnPeriods, exponential, unit};
use crate::spec::TimedArrivals;

/// A period in which messages are posted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PostingPeriod {
    pub(crate) start: Time,
    /// Time from which no further message is posted.
    pub(crate) stop: Time,
}

impl PostingPeriod {
    pub(crate) fn length(self) -> f64 {
        (self.stop - self.start).ps() as f64
    }
}

/// Iterates over the times of a host's messages, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArrivalTimes {
    period: PostingPeriod,
    /// Mean interval between two messages, in ps; of a host that is on and off, the interval while it is on.
    interval: f64,
    /// Most messages that remain.
    remaining: usize,
    clock: ArrivalClock,
}

state_codec::state!(ArrivalTimes { period: plan, interval: plan, remaining, clock: part });

#[derive(Clone, Debug, PartialEq)]
enum ArrivalClock {
    /// Message k comes `phase + k` intervals after the start.
    Fixed { phase: f64, k: u64 },
    /// The previous message came `at`.
    Poisson { at: Time, random: Stream },
    /// A clock that stands still while the host is off: message k comes when it shows `phase + k` intervals. It showed
    /// `elapsed` when the present time on began.
    OnOff { phase: f64, k: u64, on: Option<(Time, Span)>, elapsed: f64, periods: OnPeriods },
}

state_codec::state!(enum ArrivalClock {
    0 = Fixed { phase: plan, k },
    1 = Poisson { at, random },
    2 = OnOff { phase: plan, k, on, elapsed, periods: part },
});

impl ArrivalTimes {
    /// Creates at most `most` times, a mean `interval` of picoseconds apart.
    pub(crate) fn new(
        arrivals: TimedArrivals,
        period: PostingPeriod,
        interval: f64,
        most: usize,
        mut random: Stream,
    ) -> Self {
        let new = |interval, clock| Self { period, interval, remaining: most, clock };
        match arrivals {
            TimedArrivals::Fixed { .. } => {
                new(interval, ArrivalClock::Fixed { phase: unit(random.next_u64()), k: 0 })
            }
            TimedArrivals::Poisson { .. } => {
                new(interval, ArrivalClock::Poisson { at: period.start, random })
            }
            TimedArrivals::OnOff { on, off, .. } => {
                // The load is a mean over times on and off, so messages come closer while the host is on.
                let share = on.ps() as f64 / (on.ps() as f64 + off.ps() as f64);
                let phase = unit(random.next_u64());
                let periods = OnPeriods::new((on, off), period.start, period.stop, random);
                new(interval * share, ArrivalClock::OnOff { phase, k: 0, on: None, elapsed: 0.0, periods })
            }
        }
    }
}

impl Iterator for ArrivalTimes {
    type Item = Time;

    fn next(&mut self) -> Option<Time> {
        self.remaining = self.remaining.checked_sub(1)?;
        let at = match &mut self.clock {
            ArrivalClock::Fixed { phase, k } => {
                // Computed from k itself, so that rounding errors do not add up.
                let at = after(self.period.start, (*phase + *k as f64) * self.interval);
                *k += 1;
                at
            }
            ArrivalClock::Poisson { at, random } => {
                *at = after(*at, exponential(random) * self.interval);
                *at
            }
            ArrivalClock::OnOff { phase, k, on, elapsed, periods } => loop {
                let into = (*phase + *k as f64) * self.interval - *elapsed;
                match *on {
                    // Rounding may lead to the end of the time on, but not past it.
                    Some((from, length)) if into < length.ps() as f64 => {
                        *k += 1;
                        break after(from, into);
                    }
                    // The present time on has no room for the message, so its length counts as elapsed and the next
                    // begins.
                    past => {
                        *elapsed += past.map_or(0.0, |(_, length)| length.ps() as f64);
                        let (from, to) = periods.next()?;
                        *on = Some((from, to - from));
                    }
                }
            },
        };
        (at < self.period.stop).then_some(at)
    }
}

/// Returns the time `ps` picoseconds later, rounded. The cast saturates: a time past the end of the clock is never.
fn after(start: Time, ps: f64) -> Time {
    Time::from_ps(start.ps().saturating_add(ps.round() as u64))
}
