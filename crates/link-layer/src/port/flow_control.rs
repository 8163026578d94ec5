//! The questions that a port asks its flow control, whatever the discipline.
//!
//! Invariant: an implementation changes its own lanes only, and acts by signals and timers.

use packet::Lane;
use units::Bytes;

use crate::context::{LinkTimer, NodeContext};
use crate::flow_control::signal::Signal;

/// Flow control of the data lanes of a port, each with memory of its own.
pub(super) trait FlowControl {
    /// Sets the timers that run from the start.
    fn bring_up<W: LinkTimer>(&mut self, context: &mut impl NodeContext<W>);

    /// Admits a packet to the memory of `lane`. Returns false if the packet is dropped.
    fn admit<W: LinkTimer>(&mut self, lane: Lane, length: Bytes, context: &mut impl NodeContext<W>) -> bool;

    /// Releases a packet from the memory of `lane`, and informs the far end if that is due.
    fn release<W: LinkTimer>(&mut self, lane: Lane, length: Bytes, context: &mut impl NodeContext<W>);

    /// Handles a signal of the far end. Reports a signal of another discipline as a violation.
    fn on_signal<W: LinkTimer>(&mut self, signal: Signal, context: &mut impl NodeContext<W>);

    /// Handles a timer of `lane`; a stale timer is ignored. Returns true if the lane may send again.
    fn on_timer<W: LinkTimer>(&mut self, lane: Lane, context: &mut impl NodeContext<W>) -> bool;
}
