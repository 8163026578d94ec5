//! Packets at chosen ports, handed over while the run goes on.
//!
//! Invariant: a run in one part hands them over between windows, and a run in several parts at stops of its own. So
//! few sightings are held at a time.

use scenario::Plan;
use telemetry::Progress;
use units::Time;

use super::error::RunError;
use super::{Advance, Run, after, before};
use crate::observe::tap::{AT_A_TIME, PartTap, Tap, TapReader, WaitReader};
use crate::state::interconnect::Whole;

impl<'a> Run<'a> {
    /// Shows observers the packets and PAUSE frames at the ports, and waits.
    ///
    /// # Panics
    /// If waits are to be seen in a run in several parts.
    pub(crate) fn tap(&mut self, plan: &Plan, tap: Tap<'a>) {
        let Tap { ports, observer, waits } = tap;
        assert!(waits.is_none() || self.world.parts.len() == 1, "waits are seen in runs in one part");
        self.waits = waits.map(|waits| WaitReader::new(plan, waits));
        let taps = PartTap::of_parts(plan, &self.world, ports);
        self.tap = Some(TapReader::new(plan, &taps, observer));
        self.turns.iter_mut().zip(taps).for_each(|(turns, tap)| turns.tap = Some(tap));
    }

    /// Handles every event of a run in one part up to and including the instant `stop`, and looks at the arrivals of
    /// each window.
    pub(super) fn advance_tapped(
        &mut self,
        stop: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Advance, RunError> {
        while self.open(stop) {
            self.turns[0].look(&self.world.parts[0]);
            self.turns[0].window::<Whole>(&mut self.world.parts[0], None);
            if let Some(waits) = &mut self.waits {
                waits.look(&self.world, before(self.world.window_end));
            }
            if let Some(advance) = self.after_window(progress)? {
                return Ok(advance);
            }
            // Each hand-over sorts all held sightings, so it waits for a batch.
            if self.turns[0].tap.as_ref().is_some_and(|tap| tap.seen() >= AT_A_TIME) {
                self.read_tap(self.world.window_end);
            }
        }
        Ok(Advance::Reached)
    }

    /// Hands over sightings, once all events up to and including the instant `now` are handled.
    pub(super) fn read_tap_at(&mut self, now: Time) {
        self.read_tap(after(now));
        if let Some(tap) = &mut self.tap {
            tap.advance(now);
        }
    }

    /// Hands over sightings, once all events before `handled` are handled.
    fn read_tap(&mut self, handled: Time) {
        if let Some(tap) = &mut self.tap {
            tap.take(self.turns.iter_mut().filter_map(|turns| turns.tap.as_mut()).collect(), handled);
        }
    }

    /// Hands over the rest at the end of the run, whatever its end.
    pub(crate) fn finish_tap(&mut self) {
        if let Some(waits) = &mut self.waits {
            waits.finish(&self.world, self.world.now());
        }
        if let Some(tap) = &mut self.tap {
            tap.finish(self.turns.iter_mut().filter_map(|turns| turns.tap.as_mut()).collect(), &self.world);
        }
    }
}
