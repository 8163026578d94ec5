//! The state of a run, between two windows.
//!
//! Invariant: saving changes nothing. A run loaded from a state goes on as the saved run does, for any number of
//! parts.

use state_codec::{State, StateError, StateReader, StateWriter, Value};
use units::{Span, Time};

use super::{PROGRESS_EVERY, Run};
use crate::checkpoint::world;

/// Takes a run's state at an instant.
pub type Keep<'a> = dyn FnMut(Time, Vec<u8>) + 'a;

/// The instants at which a run is saved: the multiples of an interval, and the instant of an interrupt.
pub(crate) struct SavingTimer<'a> {
    every: Span,
    /// Time of the next multiple.
    pub(super) due: Time,
    keep: &'a mut Keep<'a>,
}

impl<'a> SavingTimer<'a> {
    /// Creates the timer of a run that is at time zero. `every` is not zero.
    pub(crate) fn new(every: Span, keep: &'a mut Keep<'a>) -> Self {
        Self { every, due: Time::ZERO + every, keep }
    }

    /// Moves to the first multiple of the interval after `now`.
    fn advance(&mut self, now: Time) {
        let multiples = now.ps() / self.every.ps() + 1;
        self.due = multiples.checked_mul(self.every.ps()).map_or(Time::NEVER, Time::from_ps);
    }
}

impl Run<'_> {
    /// Hands over the state at the present instant, if the run is to be saved.
    pub(super) fn save_here(&mut self) {
        let Some(mut saving) = self.saving.take() else { return };
        let now = self.world.now();
        let events = self.events();
        let state = self.with_all_parts(|run| run.state_after(events));
        (saving.keep)(now, state);
        saving.advance(now);
        self.saving = Some(saving);
    }

    /// Returns the state at the present instant, after `events` events. All parts are in this process, as themselves
    /// or as images.
    pub(crate) fn state_after(&self, events: u64) -> Vec<u8> {
        let mut to = StateWriter::new();
        (events, self.instruments.moments()).put(&mut to);
        self.until_done.save(&mut to);
        self.instruments.save(&mut to);
        world::save(&self.world, &mut to);
        to.into_bytes()
    }

    /// Replaces the state of a run that has not begun.
    ///
    /// # Errors
    /// If it is not the state of a run of this plan.
    pub(crate) fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let mut from = StateReader::new(state);
        let (events, moments): (u64, usize) = Value::take(&mut from)?;
        // The moments kept so far are spaced for the saved number. Another number would keep other samples than an
        // uninterrupted run.
        if moments != self.instruments.moments() {
            return Err(from.malformed("the run recorded another number of moments"));
        }
        // The state has the sum alone, since the number of parts may have changed since the run was saved.
        self.turns[0].events = events;
        self.report_at = events + PROGRESS_EVERY;
        self.until_done.load(&mut from)?;
        self.instruments.load(&mut from)?;
        self.load_all_parts(|run| {
            world::load(&mut run.world, &mut from)?;
            from.finish()
        })?;
        if let Some(until_done) = &mut self.until_done {
            // The count of missing messages depends on windows, which the loaded run may cut elsewhere.
            until_done.recount(&self.world);
        }
        self.is_resumed = true;
        if let Some(saving) = &mut self.saving {
            saving.advance(self.world.now());
        }
        Ok(())
    }
}
