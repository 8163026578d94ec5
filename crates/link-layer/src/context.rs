//! The interface through which a node acts on the world while it handles an event.
//!
//! Invariant: a node learns nothing of other nodes through it except for the packets and signals that wires carry.

use packet::{Lane, PacketId, PacketPool, PortId};
use units::Time;

use crate::flow_control::signal::Signal;

/// The world as the node sees it that handles an event. `W` is the node's kind of timer.
pub trait NodeContext<W> {
    /// Returns the present instant.
    fn now(&self) -> Time;

    /// Returns the packets under way.
    fn packets(&mut self) -> &mut PacketPool;

    /// Sends a packet by `port`. The far end can act on it at time `at`, later than now.
    fn deliver(&mut self, port: PortId, at: Time, packet: PacketId);

    /// Sends a signal by `port`. It takes effect at the far end at time `at`, later than now. `sequence` counts the
    /// signals of this port: signals that arrive at the same instant are handled in its order.
    fn send_signal(&mut self, port: PortId, at: Time, signal: Signal, sequence: u32);

    /// Sets a timer of the node.
    fn set_timer(&mut self, at: Time, timer: W);

    /// Reports a violation of an invariant of the simulator.
    fn report_violation(&mut self, port: PortId, lane: Lane, violation: InvariantViolation);
}

/// Timers of a node. A kind of them belongs to the flow control of its links.
pub trait LinkTimer {
    /// Returns the timer of the flow control of this port and lane.
    fn link_timer(port: PortId, lane: Lane) -> Self;
}

/// The timers of a node with a single port, all of them for flow control.
impl LinkTimer for Lane {
    fn link_timer(_: PortId, lane: Lane) -> Self {
        lane
    }
}

/// A violated invariant of the simulator: always a bug of the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvariantViolation {
    /// A packet arrived for which the buffer had no room.
    #[error("a buffer holds more than its size, though credits were given")]
    Overflow,
    /// The far end has sent more or fewer blocks than arrived.
    #[error("the blocks sent and the blocks received differ, though nothing may be lost")]
    Miscount,
    /// A packet arrived, but its predecessor did not.
    #[error("a packet came out of sequence, though nothing may be lost")]
    Sequence,
    /// A credit update arrived at a port under PFC, or a PAUSE at a port under credits.
    #[error("a signal of another flow control arrived")]
    ForeignSignal,
}

state_codec::value!(enum InvariantViolation { 0 = Overflow, 1 = Miscount, 2 = Sequence, 3 = ForeignSignal });
