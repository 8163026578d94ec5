//! A port under credits.
//!
//! Invariant: the far end learns of every block within the interval of the update rule: by an update now, or by a
//! timer.

use packet::{ByLane, Lane};
use units::{Bytes, Time};

use super::flow_control::FlowControl;
use super::wire_end::WireEnd;
use crate::context::{InvariantViolation, LinkTimer, NodeContext};
use crate::flow_control::credits::{Credits, blocks};
use crate::flow_control::signal::Signal;

/// The credits of a port's lanes, and the wire by which updates leave.
pub(super) struct CreditPort<'a> {
    pub(super) lanes: &'a mut ByLane<Credits>,
    pub(super) end: WireEnd<'a>,
}

impl FlowControl for CreditPort<'_> {
    fn bring_up<W: LinkTimer>(&mut self, context: &mut impl NodeContext<W>) {
        for lane in 0..self.lanes.len() {
            self.set_timer(Lane(lane as u8), context);
        }
    }

    #[inline]
    fn admit<W: LinkTimer>(&mut self, lane: Lane, length: Bytes, context: &mut impl NodeContext<W>) -> bool {
        if !self.lanes[lane].admit(blocks(length)) {
            context.report_violation(*self.end.id, lane, InvariantViolation::Overflow);
        }
        true
    }

    #[inline]
    fn release<W: LinkTimer>(&mut self, lane: Lane, length: Bytes, context: &mut impl NodeContext<W>) {
        let credits = &mut self.lanes[lane];
        credits.release_own(blocks(length));
        if credits.is_update_due(&self.end.config.update_rule, context.now()) {
            self.send_update(lane, context);
        } else {
            self.set_timer(lane, context);
        }
    }

    fn on_signal<W: LinkTimer>(&mut self, signal: Signal, context: &mut impl NodeContext<W>) {
        match signal {
            Signal::Credit { lane, fctbs, fccl } => {
                let credits = &mut self.lanes[lane];
                credits.on_fccl(fccl);
                if !credits.on_fctbs(fctbs) {
                    context.report_violation(*self.end.id, lane, InvariantViolation::Miscount);
                }
            }
            Signal::Pause { lane, .. } => {
                context.report_violation(*self.end.id, lane, InvariantViolation::ForeignSignal);
            }
        }
    }

    fn on_timer<W: LinkTimer>(&mut self, lane: Lane, context: &mut impl NodeContext<W>) -> bool {
        let (now, credits) = (context.now(), &mut self.lanes[lane]);
        // Timers are not cancelled: a timer that an earlier timer replaced comes at another time than `timer`.
        if credits.timer() == now {
            credits.set_timer(Time::NEVER);
            if credits.is_update_due(&self.end.config.update_rule, now) {
                self.send_update(lane, context);
            }
            self.set_timer(lane, context);
        }
        false
    }
}

impl CreditPort<'_> {
    /// Announces the room of `lane`, which has grown, to the far end. It does so by the update rule, or at once if the
    /// far end may know of too little room for a `longest` packet.
    pub(super) fn announce<W: LinkTimer>(
        &mut self,
        lane: Lane,
        longest: Bytes,
        context: &mut impl NodeContext<W>,
    ) {
        let credits = &mut self.lanes[lane];
        let is_due = credits.is_update_due(&self.end.config.update_rule, context.now());
        if is_due || credits.withholds(blocks(longest)) {
            self.send_update(lane, context);
        } else {
            self.set_timer(lane, context);
        }
    }

    #[inline(always)]
    fn send_update<W>(&mut self, lane: Lane, context: &mut impl NodeContext<W>) {
        let update = self.lanes[lane].update(lane, context.now());
        self.end.send_signal(update, context);
    }

    /// Sets the timer of `lane` for its next update, unless an earlier timer is set.
    fn set_timer<W: LinkTimer>(&mut self, lane: Lane, context: &mut impl NodeContext<W>) {
        let credits = &mut self.lanes[lane];
        let due = credits.next_update(&self.end.config.update_rule);
        if due < credits.timer() {
            credits.set_timer(due);
            self.end.set_timer(lane, due, context);
        }
    }
}
