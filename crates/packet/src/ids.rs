//! Identifiers of the things in a fabric.
//!
//! Invariant: an identifier is an index into a dense table, so that a lookup never hashes.

use core::fmt::{self, Display, Formatter};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use state_codec::{StateError, StateReader, StateWriter, Value};

/// A node. Channel adapters come first, then switches, each in the order of the topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

state_codec::value!(NodeId { 0 });

/// A port of a node, counted from 0. The printed form counts from 1, as IBA and every tool count external ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId(pub u16);

state_codec::value!(PortId { 0 });

/// A virtual lane (IBA `VL`): 0 to 14 carry data, 15 carries management and has no credits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u8);

state_codec::value!(Lane { 0 });

/// A service level (IBA `SL`), 0 to 15, which a port maps to a lane.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct ServiceLevel(#[schemars(range(min = 0, max = 15))] pub u8);

state_codec::value!(ServiceLevel { 0 });

/// A local identifier (IBA `LID`): the address in forwarding tables; 0 is reserved. The adapter of node `n` has LID
/// `n + 1`. At most [`MAX`](Lid::MAX): more than the 16 bits of InfiniBand, for Ethernet, where it stands for MAC and
/// IP addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lid(pub u32);

state_codec::value!(Lid { 0 });

/// Number of a queue pair (IBA `QPN`), 24 bits, unique within its adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QpNumber(pub u32);

state_codec::value!(QpNumber { 0 });

/// A flow of the workload: the messages from one queue pair to one other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

state_codec::value!(FlowId { 0 });

/// A virtual output queue (VOQ) of a switch: at input `input`, the packets of lane `lane` that wait for `output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoqId {
    /// Port by which the packets came in.
    pub input: PortId,
    /// Port by which they will leave.
    pub output: PortId,
    /// Lane on which they came in, whose buffer they occupy.
    pub lane: Lane,
}

/// A packet under way: its slot in the [`PacketPool`](crate::PacketPool).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketId(pub(crate) u32);

impl PacketId {
    /// No packet: the end of a queue.
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// Returns the number of the packet's slot.
    #[inline]
    #[must_use]
    pub const fn slot(self) -> u32 {
        self.0
    }

    /// Returns the packet in the slot of this number, of which a pool has told.
    #[inline]
    #[must_use]
    pub const fn of_slot(slot: u32) -> Self {
        Self(slot)
    }
}

/// A packet is saved as its number in the order of first mention: slots differ from pool to pool.
impl Value for PacketId {
    fn put(&self, to: &mut StateWriter) {
        to.packet(self.0);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        from.packet().map(Self)
    }
}

impl NodeId {
    /// Returns the index into a table of nodes.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the LID of this node's adapter.
    ///
    /// # Panics
    /// If the LID would be beyond [`Lid::MAX`].
    #[must_use]
    pub const fn lid(self) -> Lid {
        assert!(self.0 < Lid::MAX.0, "the fabric has more nodes than addresses");
        Lid(self.0 + 1)
    }
}

impl ServiceLevel {
    /// Number of service levels that IBA defines.
    pub const COUNT: u8 = 16;
}

impl PortId {
    /// Returns the index into a table of ports.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Lane {
    /// VL15, the management lane.
    pub const MANAGEMENT: Self = Self(15);
    /// Number of lanes that IBA defines.
    pub const COUNT: usize = 16;

    /// Returns the index into a table of lanes.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Lid {
    /// Largest address of the simulator: 18 bits, as many as a packet's record has room for.
    pub const MAX: Self = Self(0x3_FFFF);
    /// Largest unicast LID of InfiniBand, 0xBFFF (IBA 4.1.3).
    pub const MAX_UNICAST: Self = Self(0xBFFF);

    /// Returns the node whose adapter has this LID.
    #[must_use]
    pub const fn node(self) -> NodeId {
        NodeId(self.0 - 1)
    }

    /// Returns the index into a forwarding table, which has an entry for LID 0 too.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl QpNumber {
    /// Returns the index into an adapter's table of queue pairs.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl FlowId {
    /// Returns the index into a table of flows.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Display for Lane {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "VL{}", self.0)
    }
}
