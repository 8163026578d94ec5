//! A node's way to the world, lent to it while it handles an event.
//!
//! Invariant: a node learns nothing of other nodes through it but what a wire carries.

use packet::{Lane, PacketId, PacketPool, PortId};
use units::Time;

use crate::credits::Signal;

/// A node's way to the world. `W` is what the node can ask to be woken for.
pub trait Outlet<W> {
    /// The present instant.
    fn now(&self) -> Time;

    /// The packets under way.
    fn packets(&mut self) -> &mut PacketPool;

    /// A packet leaves by `port`, and the far end can act on it `at` that time, later than now.
    fn deliver(&mut self, port: PortId, at: Time, packet: PacketId);

    /// A signal leaves by `port`, and reaches the far end `at` that time, later than now. `sequence` counts
    /// the signals of this port: two that arrive at one instant are heard in its order.
    fn signal(&mut self, port: PortId, at: Time, signal: Signal, sequence: u32);

    /// The node wants to be told of `what` when that time comes.
    fn wake(&mut self, at: Time, what: W);

    /// The node has found one of the simulator's promises broken.
    fn broken(&mut self, port: PortId, lane: Lane, what: Broken);
}

/// A promise of the simulator that a run found broken: always a bug of the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A packet came in for which the buffer had no room.
    #[error("a buffer holds more than its size, though credits were given")]
    Overflow,
    /// The far end has sent other than what came in.
    #[error("the blocks sent and the blocks received differ, though nothing may be lost")]
    Miscount,
    /// A packet came whose predecessor did not.
    #[error("a packet came out of sequence, though nothing may be lost")]
    Sequence,
}
