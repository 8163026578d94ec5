//! A port under PFC, or without flow control.
//!
//! Invariant: what a lane holds and what it has asked for are told apart, so that whoever shares memory among lanes can
//! let any of them go on.

use packet::{Lane, PortId};
use units::Bytes;

use super::{Flow, Port};
use crate::outlet::Outlet;
use crate::pause::{Change, Pauses};

impl Port {
    /// Whether this is such a port.
    #[must_use]
    pub const fn is_pausing(&self) -> bool {
        matches!(self.flow, Flow::Pause(_))
    }

    /// A packet of this length came in on `lane`, which may hold `limit` bytes (as many as always if none is named);
    /// none if it is dropped. [`Self::reconsider`] says what becomes of it.
    pub fn take(&mut self, lane: Lane, length: Bytes, limit: Option<u32>) -> Option<Change> {
        self.pauses_mut().take(lane, length.get() as u32, limit)
    }

    /// A packet of this length has left the memory of `lane`.
    pub fn let_go(&mut self, lane: Lane, length: Bytes) -> Change {
        self.pauses_mut().let_go(lane, length.get() as u32)
    }

    /// What a lane holds, or may hold, has changed: the far end is asked to pause, or to go on.
    pub fn reconsider<W>(
        &mut self,
        lane: Lane,
        limit: Option<u32>,
        outlet: &mut impl Outlet<W>,
        timer: impl Fn(PortId, Lane) -> W,
    ) {
        let signal = self.pauses_mut().reconsider(lane, limit, outlet.now());
        if signal.is_some() {
            self.say(signal, outlet);
            self.set_alarm(lane, outlet, &timer);
        }
    }

    /// Packets dropped here on coming in.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.pauses().map_or(0, Pauses::dropped)
    }

    /// What its lanes hold and ask for; none under credits.
    #[must_use]
    pub fn pauses(&self) -> Option<&Pauses> {
        match &self.flow {
            Flow::Credits(_) => None,
            Flow::Pause(pauses) => Some(pauses),
        }
    }

    pub(super) fn pauses_mut(&mut self) -> &mut Pauses {
        let Flow::Pause(pauses) = &mut self.flow else { unreachable!("credits exclude it") };
        pauses
    }
}
