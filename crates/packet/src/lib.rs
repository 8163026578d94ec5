//! What travels: identifiers, headers as the InfiniBand Architecture defines them, and the pool in
//! which packets live while they are under way.
//!
//! Invariant: a [`Packet`] is one cache line, and is named by a [`PacketId`] from its injection to
//! its delivery; it never moves in memory on the way. This crate knows no order of time and no policy.
//!
//! | module | holds |
//! |---|---|
//! | [`ids`] | nodes, ports, lanes, queue pairs, flows, virtual output queues |
//! | [`by_lane`] | something for each data lane of a port |
//! | [`psn`] | the 24-bit packet sequence number and its arithmetic |
//! | [`header`] | opcodes, header fields, lengths on the wire |
//! | [`framing`] | what carries them over a link: InfiniBand, or Ethernet, IPv4 and UDP |
//! | [`transport`] | the transport services, and the headers that they add |
//! | [`pool`] | where packets live, and queues threaded through them |

pub mod by_lane;
pub mod framing;
pub mod header;
pub mod ids;
pub mod pool;
pub mod psn;
pub mod transport;

pub use by_lane::ByLane;
pub use framing::Framing;
pub use header::{Bth, BthFlags, Lrh, MarkReason, Mtu, Opcode, Packet};
pub use ids::{FlowId, Lane, Lid, NodeId, PortId, QpNumber, ServiceLevel, VoqId};
pub use pool::{PacketId, PacketPool, PacketQueue};
pub use psn::Psn;
pub use transport::Transport;
