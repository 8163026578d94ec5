//! What is seen at a port while a run goes on: packets and frames that pass, and waits.
//!
//! Invariant: plain data. A sighting has the packet as it is on that wire.

use packet::{Lane, NodeId, Packet, PortId};
use units::Time;

/// A time in which packets waited at an output with the wire free.
///
/// Waits of an output and lane do not overlap, and add up to the output's time without credit. Their beginnings and
/// ends are exact, except for waits that begin and end in the same window. A window is as long as the shortest cable
/// takes. All such waits of a window count as a single wait, as long as all together. It ends with the window, or
/// where a wait begins that outlasts the window. If a wait from an earlier window ended before them, they prolong
/// that wait instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Node of the output.
    pub node: NodeId,
    /// The output.
    pub port: PortId,
    /// Lane of the packets.
    pub lane: Lane,
    /// Beginning.
    pub from: Time,
    /// End.
    pub until: Time,
}

/// A packet or a PAUSE frame that passes a port.
#[derive(Clone, Copy, Debug)]
pub struct Sighting {
    /// Time at which its first bit passes the port's connector.
    pub at: Time,
    /// Node of the port.
    pub node: NodeId,
    /// The port.
    pub port: PortId,
    /// True if the port sends it, false if the port receives it.
    pub outbound: bool,
    /// The port that sends it: the port itself, or the other end of its cable.
    pub from: (NodeId, PortId),
    /// The packet or the frame.
    pub what: Passing,
}

/// A packet or a frame on a wire.
#[derive(Clone, Copy, Debug)]
pub enum Passing {
    /// A packet, with its lane and its marks on this wire.
    Packet(Packet),
    /// A PAUSE frame; RESUME if `quanta` is 0.
    Pause {
        /// Lane to pause.
        lane: Lane,
        /// Duration of the pause in quanta of 512 bit times.
        quanta: u16,
    },
}

impl Sighting {
    /// Returns the order of sightings. No two have the same: a wire carries a single packet or frame at a time.
    #[must_use]
    pub fn order(&self) -> (Time, NodeId, PortId, bool) {
        (self.at, self.node, self.port, self.outbound)
    }
}
