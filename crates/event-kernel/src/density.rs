//! The density of events in time, and with it the choice of windows.
//!
//! Invariant: the choice depends on simulated times and counts alone, and has no effect on results.
//!
//! | events in a window | windows |
//! |---|---|
//! | many | each node handles its events of the window at once, while its state is in the cache |
//! | few | in order: a window saves nothing, and costs as much as its events do |

use units::{Span, Time};

/// Events between two looks.
const A_LOOK: u64 = 4096;

/// Events in a window below which the order of times is faster. Measured: `zhu2015-victim` has 26 and is as fast
/// either way. `pfister2005` has 119 and takes 1.13 times as long in order. `gran2011-scenario1` has 2 and takes 0.8
/// times as long.
const FEW: u64 = 32;

/// The density of a part's events.
#[derive(Debug)]
pub struct Density {
    is_low: bool,
    /// Number of the part's events at the next look.
    look_at: u64,
    /// Number of events at the last look, and its time.
    events: u64,
    at: Time,
}

impl Default for Density {
    fn default() -> Self {
        Self { is_low: false, look_at: A_LOOK, events: 0, at: Time::ZERO }
    }
}

impl Density {
    /// Returns true if windows have few events.
    #[inline]
    #[must_use]
    pub const fn is_low(&self) -> bool {
        self.is_low
    }

    /// Returns true if a look is due once the part has handled this number of events.
    #[inline]
    #[must_use]
    pub const fn is_due(&self, events: u64) -> bool {
        events >= self.look_at
    }

    /// Looks at the density, once the part has handled `events` events, all of them before `now`. A window is at most
    /// `window` long.
    pub fn look(&mut self, events: u64, now: Time, window: Span) {
        let elapsed = u128::from(now.ps().saturating_sub(self.at.ps()));
        let since = u128::from(events - self.events);
        self.is_low = since * u128::from(window.ps()) < elapsed * u128::from(FEW);
        (self.events, self.at, self.look_at) = (events, now, events + A_LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_with_few_events_are_told_from_others() {
        let mut density = Density::default();
        assert!(!density.is_low() && !density.is_due(A_LOOK - 1) && density.is_due(A_LOOK));
        let window = Span::from_ns(100);
        density.look(A_LOOK, Time::ZERO + window * (A_LOOK / 31), window);
        assert!(density.is_low() && !density.is_due(2 * A_LOOK - 1));
        density.look(2 * A_LOOK, density.at + window * (A_LOOK / 33), window);
        assert!(!density.is_low(), "33 events a window");
    }
}
