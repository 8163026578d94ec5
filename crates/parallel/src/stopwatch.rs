//! Elapsed time of the machine.
//!
//! Invariant: no result of a run depends on it. It measures how fast a run is, and decides how threads work. Whoever
//! measures it holds a [`Clock`]; nothing else in the simulation asks the machine for the time.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the one place that asks for the time"
)]

use std::time::{Duration, Instant};

/// Leave to read the machine's clock, passed on to all that measures time.
///
/// A WebAssembly module has no clock: a reading would panic. This type has no value there, so code that needs a clock
/// cannot run, and is left out of the module. Code that has a page's run as a caller takes an `Option`, and does
/// without a clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Leave);

#[cfg(not(target_family = "wasm"))]
type Leave = ();
#[cfg(target_family = "wasm")]
type Leave = core::convert::Infallible;

impl Clock {
    /// Returns the leave to read this machine's clock; `None` in a WebAssembly module.
    #[must_use]
    pub const fn of_machine() -> Option<Self> {
        #[cfg(not(target_family = "wasm"))]
        return Some(Self(()));
        #[cfg(target_family = "wasm")]
        return None;
    }
}

/// A stopwatch that runs.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    clock: Clock,
    start: Instant,
}

impl Stopwatch {
    /// Starts a stopwatch.
    #[must_use]
    pub fn start(clock: Clock) -> Self {
        Self { clock, start: clock.now() }
    }

    /// Returns the time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.clock.now().duration_since(self.start)
    }
}

impl Clock {
    fn now(self) -> Instant {
        let Self(_leave) = self;
        Instant::now()
    }
}
