//! When a host that does not wait for completions posts its messages.
//!
//! Invariant: from the start to before the stop, in order, at the offered load on average from the first
//! instant on: where messages are evenly spaced, the first comes after a uniformly drawn part of an interval.

use rand::Rng;
use units::Time;

use crate::converge::periods;
use crate::exponential::{exponential, unit};
use crate::synthetic::spec::Arrivals;

/// From when, and until when.
#[derive(Clone, Copy)]
pub(super) struct Period {
    pub(super) start: Time,
    pub(super) stop: Time,
}

/// The times of one host's messages, at most `most` of them, a mean `gap` of picoseconds apart.
pub(super) fn times(
    spec: Arrivals,
    period: Period,
    gap: f64,
    most: usize,
    random: &mut impl Rng,
) -> Vec<Time> {
    let mut times = Vec::new();
    match spec {
        Arrivals::Fixed { .. } => {
            // From k itself, so that rounding does not add up.
            let phase = unit(random.next_u64());
            let at = |k: u64| after(period.start, (phase + k as f64) * gap);
            times.extend((0..).map(at).take_while(|at| *at < period.stop).take(most));
        }
        Arrivals::Poisson { .. } => {
            let mut at = period.start;
            let next = || {
                at = after(at, exponential(random) * gap);
                (at < period.stop).then_some(at)
            };
            times.extend(core::iter::from_fn(next).take(most));
        }
        Arrivals::OnOff { on, off, .. } => {
            let share = on.ps() as f64 / (on.ps() as f64 + off.ps() as f64);
            let (gap, phase) = (gap * share, unit(random.next_u64()));
            // A clock that stands still while the host is off.
            let (mut k, mut elapsed) = (0u64, 0.0);
            for (from, to) in periods((on, off), period.start, period.stop, random) {
                let length = (to - from).ps() as f64;
                while times.len() < most && (phase + k as f64) * gap - elapsed < length {
                    // Rounding may lead to the end of the time on, but not past it.
                    times.push(after(from, (phase + k as f64) * gap - elapsed));
                    k += 1;
                }
                elapsed += length;
            }
            times.retain(|at| *at < period.stop);
        }
        Arrivals::AtOnce => times.resize(most, period.start),
        Arrivals::Closed { .. } => unreachable!("a closed loop posts when messages are complete"),
    }
    times
}

/// So many picoseconds later, rounded. The cast saturates: what outlasts the clock is never.
fn after(start: Time, ps: f64) -> Time {
    Time::from_ps(start.ps().saturating_add(ps.round() as u64))
}
