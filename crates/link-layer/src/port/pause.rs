//! A port under PFC, or without flow control.
//!
//! Invariant: after every change of a lane's load or limit the lane is compared with its threshold. So a PAUSE or a
//! RESUME leaves in the instant in which it is due.

use packet::{ByLane, Lane};
use units::{Bytes, Time};

use super::UNLIMITED;
use super::flow_control::FlowControl;
use super::wire_end::WireEnd;
use crate::context::{InvariantViolation, LinkTimer, NodeContext};
use crate::flow_control::lasting::LastingUse;
use crate::flow_control::pause::{PauseLane, PauseRule};
use crate::flow_control::pause_log::{PauseChange, PauseLog};
use crate::flow_control::signal::Signal;

/// Pauses of a port's lanes.
#[derive(Clone, Debug)]
pub(super) struct Pauses {
    pub(super) lanes: ByLane<PauseLane>,
    pub(super) rule: PauseRule,
    /// Changes of the lanes that send, if they are asked for.
    pub(super) log: Option<Box<PauseLog>>,
}

state_codec::state!(Pauses { lanes: part, rule: plan, log: part });

/// The pauses of a port's lanes, and the wire by which requests leave.
pub(super) struct PausePort<'a> {
    pub(super) pauses: &'a mut Pauses,
    pub(super) end: WireEnd<'a>,
}

impl FlowControl for PausePort<'_> {
    fn bring_up<W: LinkTimer>(&mut self, _: &mut impl NodeContext<W>) {}

    #[inline(never)] // Out of the way of ports under credits.
    fn admit<W: LinkTimer>(&mut self, lane: Lane, length: Bytes, context: &mut impl NodeContext<W>) -> bool {
        let admitted = self.pauses.lanes[lane].admit(length.get() as u32, None).is_some();
        if admitted {
            self.update_pause(lane, None, context);
        }
        admitted
    }

    #[inline(never)] // As above.
    fn release<W: LinkTimer>(&mut self, lane: Lane, length: Bytes, context: &mut impl NodeContext<W>) {
        self.pauses.lanes[lane].release(length.get() as u32);
        self.update_pause(lane, None, context);
    }

    fn on_signal<W: LinkTimer>(&mut self, signal: Signal, context: &mut impl NodeContext<W>) {
        match signal {
            Signal::Pause { lane, quanta } => {
                let Pauses { lanes, rule, .. } = &mut *self.pauses;
                let could_start = lanes[lane].may_start();
                lanes[lane].on_pause(quanta, rule, context.now());
                self.log_change(lane, could_start, context.now());
                self.set_timer(lane, context);
            }
            Signal::Credit { lane, .. } => {
                context.report_violation(*self.end.id, lane, InvariantViolation::ForeignSignal);
            }
        }
    }

    fn on_timer<W: LinkTimer>(&mut self, lane: Lane, context: &mut impl NodeContext<W>) -> bool {
        let (now, pauses) = (context.now(), &mut self.pauses.lanes[lane]);
        if pauses.timer() != now {
            return false;
        }
        pauses.set_timer(Time::NEVER);
        let could_start = pauses.may_start();
        let (signal, opens) = pauses.on_deadline(lane, &self.pauses.rule, now);
        if let Some(signal) = signal {
            self.end.send_signal(signal, context);
        }
        self.log_change(lane, could_start, now);
        self.set_timer(lane, context);
        opens
    }
}

impl Pauses {
    /// Returns the most bytes that may still arrive on `lane`, while `lasting` lasts and the threshold is at most
    /// `limit` (the lane's own if `None`). Returns 0 B if the pause that the lane requests never ends.
    pub(super) fn most_room(&self, lane: Lane, lasting: LastingUse, limit: Option<u32>) -> Bytes {
        let pauses = &self.lanes[lane];
        let limit = limit.unwrap_or(pauses.limit());
        if pauses.pauses_for_ever(&self.rule, lasting, limit) { Bytes::ZERO } else { UNLIMITED }
    }
}

impl PausePort<'_> {
    pub(super) fn lane(&mut self, lane: Lane) -> &mut PauseLane {
        &mut self.pauses.lanes[lane]
    }

    /// Sends the PAUSE or RESUME that is due after a change of the load or the limit of `lane`. The limit is the lane's
    /// own if `None`. Returns whether the lane now requests a pause, if that has changed.
    #[inline(always)] // Its callers are out of line themselves.
    pub(super) fn update_pause<W: LinkTimer>(
        &mut self,
        lane: Lane,
        limit: Option<u32>,
        context: &mut impl NodeContext<W>,
    ) -> Option<bool> {
        let Pauses { lanes, rule, .. } = &mut *self.pauses;
        let signal = lanes[lane].update_pause(lane, rule, limit, context.now())?;
        self.send_update(lane, signal, context);
        Some(self.pauses.lanes[lane].requests_pause())
    }

    #[inline(never)] // Most packets cross no threshold.
    fn send_update<W: LinkTimer>(&mut self, lane: Lane, signal: Signal, context: &mut impl NodeContext<W>) {
        self.end.send_signal(signal, context);
        self.set_timer(lane, context);
    }

    /// Logs a change of `lane`, which could or could not start packets before, if a log is kept.
    fn log_change(&mut self, lane: Lane, could_start: bool, at: Time) {
        let paused = !self.pauses.lanes[lane].may_start();
        if let Some(log) = self.pauses.log.as_deref_mut().filter(|_| paused == could_start) {
            log.note(lane, PauseChange { at, paused });
        }
    }

    /// Sets the timer of `lane` for its next deadline, unless an earlier timer is set.
    fn set_timer<W: LinkTimer>(&mut self, lane: Lane, context: &mut impl NodeContext<W>) {
        let pauses = &mut self.pauses.lanes[lane];
        let due = pauses.deadline();
        if due < pauses.timer() {
            pauses.set_timer(due);
            self.end.set_timer(lane, due, context);
        }
    }
}
