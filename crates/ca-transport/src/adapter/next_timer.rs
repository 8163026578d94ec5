//! The next timer of a kind.
//!
//! Invariant: at most one far timer of a kind is pending. A later timer that was set before it is stale when it comes.

use link_layer::NodeContext;
use units::Time;

use super::setup::AdapterTimer;

/// Time of the next timer of a kind; `NEVER` if none is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextTimer(Time);

state_codec::value!(NextTimer { 0 });

impl Default for NextTimer {
    fn default() -> Self {
        Self(Time::NEVER)
    }
}

impl NextTimer {
    /// Sets the timer, unless it is set for this time or an earlier time.
    pub(super) fn set(
        &mut self,
        due: Time,
        timer: AdapterTimer,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        // A timer that is set cannot be taken back. Setting it again later would leave two pending.
        if due < self.0 {
            self.0 = due;
            context.set_timer(due, timer);
        }
    }

    /// Clears the timer if it is due now; a stale timer changes nothing.
    pub(super) fn clear_if_due(&mut self, now: Time) {
        if self.0 == now {
            self.0 = Time::NEVER;
        }
    }
}
