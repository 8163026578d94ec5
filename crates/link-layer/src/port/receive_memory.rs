//! The receive memory of a node: a buffer for each port and lane, or memory that they share.
//!
//! Invariant: a packet occupies the memory of the port and lane by which it arrived, from its admission to its release.
//! A receiver with more room than before informs its far end in the same instant, or has a timer set.
//!
//! | memory | flow control | a packet leaves |
//! |---|---|---|
//! | own | any | its credits return, or its lane's pause ends |
//! | [`SharedMemory`] | credits | guaranteed blocks return, shared blocks go to receivers that want room |
//! | [`MemoryPool`] | PFC, or none | the thresholds of all receivers rise, and pauses end |

use packet::{Lane, PortId};
use units::Bytes;

use super::receiver::{ReceiverId, ReceiverNumbering};
use super::shared_blocks::SharedBlocks;
use super::shared_bytes::SharedBytes;
use super::{Occupancy, Port};
use crate::context::{LinkTimer, NodeContext};
use crate::flow_control::lasting::LastingUse;
use crate::memory::{MemoryPool, SharedMemory};

/// Memory that the receivers of a node share. Shared memory is in effect under its own flow control only: with another,
/// each receiver has its own buffer.
#[derive(Clone, Debug)]
pub enum MemorySharing {
    /// None: each port and lane has its own buffer.
    Own,
    /// Memory under credits.
    Blocks(SharedMemory),
    /// Memory under PFC, or without flow control.
    Bytes(MemoryPool),
}

/// The receive memory of a node.
#[derive(Debug)]
pub struct ReceiveMemory {
    sharing: Sharing,
    numbering: ReceiverNumbering,
}

state_codec::state!(ReceiveMemory { sharing: part, numbering: plan });

#[derive(Debug)]
enum Sharing {
    Own,
    Blocks(Box<SharedBlocks>),
    Bytes(Box<SharedBytes>),
}

state_codec::state!(enum Sharing { 0 = Own, 1 = Blocks(blocks: part), 2 = Bytes(bytes: part) });

impl ReceiveMemory {
    /// The memory of a node with this many data lanes, and packets of at most this length.
    #[must_use]
    pub fn new(sharing: MemorySharing, lanes: usize, longest_packet: Bytes) -> Self {
        let numbering = ReceiverNumbering { lanes };
        let sharing = match sharing {
            MemorySharing::Own => Sharing::Own,
            MemorySharing::Blocks(memory) => {
                Sharing::Blocks(Box::new(SharedBlocks { memory, numbering, longest_packet }))
            }
            MemorySharing::Bytes(pool) => Sharing::Bytes(Box::new(SharedBytes { pool, numbering })),
        };
        Self { sharing, numbering }
    }

    /// Returns the number of a receiver in a table of all receivers.
    #[inline]
    #[must_use]
    pub const fn number(&self, port: PortId, lane: Lane) -> usize {
        self.numbering.number(ReceiverId { port, lane })
    }

    /// Returns the number of data lanes.
    #[must_use]
    pub const fn lanes(&self) -> usize {
        self.numbering.lanes
    }

    /// Returns true if the room of a receiver depends on the load of others.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        !matches!(self.sharing, Sharing::Own)
    }

    /// Returns true if no receiver uses shared memory.
    #[must_use]
    pub const fn is_released(&self) -> bool {
        match &self.sharing {
            Sharing::Own => true,
            Sharing::Blocks(shared) => shared.memory.is_released(),
            Sharing::Bytes(shared) => shared.pool.is_released(),
        }
    }

    /// Admits a packet that has arrived at a receiver. Returns false if the packet is dropped, which credits exclude.
    #[inline]
    #[must_use]
    pub fn admit<W: LinkTimer>(
        &mut self,
        ports: &mut [impl AsMut<Port>],
        receiver: ReceiverId,
        length: Bytes,
        context: &mut impl NodeContext<W>,
    ) -> bool {
        let port = ports[receiver.port.index()].as_mut();
        match &mut self.sharing {
            Sharing::Own => port.admit(receiver.lane, length, context),
            Sharing::Blocks(shared) => shared.admit(port, receiver, length, context),
            Sharing::Bytes(shared) => shared.admit(port, receiver, length, context),
        }
    }

    /// Releases a packet of a receiver. Calls `on_grant` with each other receiver that is granted room thereby.
    #[inline]
    pub fn release<W: LinkTimer>(
        &mut self,
        ports: &mut [impl AsMut<Port> + AsRef<Port>],
        receiver: ReceiverId,
        length: Bytes,
        context: &mut impl NodeContext<W>,
        on_grant: impl FnMut(ReceiverId, Occupancy),
    ) {
        match &mut self.sharing {
            Sharing::Own => ports[receiver.port.index()].as_mut().release(receiver.lane, length, context),
            Sharing::Blocks(shared) => shared.release(ports, receiver, length, context, on_grant),
            Sharing::Bytes(shared) => shared.release(ports, receiver, length, context),
        }
    }

    /// Returns the most bytes that may still arrive at a receiver by its own account, while all uses in `lasting` last,
    /// by number of receiver. Under PFC, returns 0 B if the pause that it requests never ends, else no limit.
    #[must_use]
    pub fn most_room(
        &self,
        ports: &[impl AsRef<Port>],
        receiver: ReceiverId,
        lasting: &[LastingUse],
    ) -> Bytes {
        let own = lasting[self.numbering.number(receiver)];
        match &self.sharing {
            Sharing::Own => ports[receiver.port.index()].as_ref().most_room(receiver.lane, own, None),
            Sharing::Blocks(shared) => shared.most_room(ports, receiver, lasting),
            Sharing::Bytes(shared) => shared.most_room(ports, receiver, lasting),
        }
    }

    /// Returns the memory of `lane` of a port, as a marker sees it. It has the bytes that packets occupy, and the bytes
    /// that the far end may still send or could be allowed to send now.
    ///
    /// The room under shared memory also changes with the load of other receivers. Markers learn of the changes by
    /// packets and grants of the receiver itself. This is exact for the only question that markers ask: whether another
    /// packet of the MTU fits. A receiver with less room than that is granted more as soon as memory is free.
    #[must_use]
    pub fn occupancy(&self, port: &Port, lane: Lane) -> Occupancy {
        match &self.sharing {
            Sharing::Own => port.occupancy(lane),
            Sharing::Blocks(shared) => shared.occupancy(port, lane),
            Sharing::Bytes(shared) => shared.occupancy(port, lane),
        }
    }
}
