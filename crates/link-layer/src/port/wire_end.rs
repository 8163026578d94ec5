//! The outgoing wire of a port while its flow control acts: signals leave by it.
//!
//! Invariant: a signal follows the packet that is on the wire, and precedes the next.

use packet::{Lane, PortId};
use units::Time;

use super::PortConfig;
use crate::context::{LinkTimer, NodeContext};
use crate::flow_control::signal::Signal;

/// The outgoing wire of a port, apart from its flow control.
pub(super) struct WireEnd<'a> {
    pub(super) config: &'a PortConfig,
    pub(super) free_at: &'a mut Time,
    /// A reference, since few signals need the number, which lies on another cache line.
    pub(super) id: &'a PortId,
    pub(super) signals_sent: &'a mut u64,
}

impl WireEnd<'_> {
    #[inline]
    pub(super) fn send_signal<W>(&mut self, signal: Signal, context: &mut impl NodeContext<W>) {
        let starts = context.now().max(*self.free_at);
        *self.free_at = starts + self.config.signal_time;
        *self.signals_sent += 1;
        context.send_signal(
            *self.id,
            *self.free_at + self.config.signal_delay,
            signal,
            *self.signals_sent as u32,
        );
    }

    #[inline]
    pub(super) fn set_timer<W: LinkTimer>(&self, lane: Lane, at: Time, context: &mut impl NodeContext<W>) {
        context.set_timer(at, W::link_timer(*self.id, lane));
    }
}
