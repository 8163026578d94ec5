//! Packets: identifiers, headers as the InfiniBand Architecture defines them, and the pool of packets under way.
//!
//! Invariant: a [`Packet`] is one cache line, and a [`PacketId`] names it from its injection to its delivery; a packet
//! never moves in memory. This crate knows no order of time and no policy.
//!
//! Floors, lowest first; a module imports only from modules above its line:
//!
//! | module | contents |
//! |---|---|
//! | `ids` | nodes, ports, lanes, queue pairs, flows, packets, virtual output queues |
//! | `flow_name` | names of flows |
//! | `by_lane` | a value for each data lane of a port |
//! | `psn` | the 24-bit packet sequence number and its arithmetic |
//! | `course` | the course of a packet whose route need not be minimal |
//! | `mark` | the code of a mark's reason |
//! | [`length`] | lengths of headers and checksums |
//! | `mtu` | the largest payload |
//! | `opcode` | operation codes |
//! | `service` | transport services, and the headers that they add |
//! | `operation` | operations on messages |
//! | [`header`] | header fields |
//! | `framing` | length of a packet on a link: InfiniBand, or Ethernet, IPv4 and UDP |
//! | `packet` | a packet under way |
//! | `pool` | the packets under way, and queues threaded through them |

mod by_lane;
mod course;
mod flow_name;
mod framing;
pub mod header;
mod ids;
pub mod length;
mod mark;
mod mtu;
mod opcode;
mod operation;
mod packet;
mod pool;
mod psn;
mod service;

pub use by_lane::ByLane;
pub use course::Course;
pub use flow_name::FlowName;
pub use framing::Framing;
pub use header::{Bth, BthFlags, Lrh};
pub use ids::{FlowId, Lane, Lid, NodeId, PacketId, PortId, QpNumber, ServiceLevel, VoqId};
pub use mark::MarkCode;
pub use mtu::{Mtu, MtuError};
pub use opcode::Opcode;
pub use operation::Operation;
pub use packet::{Packet, flow_key};
pub use pool::{PacketPool, PacketQueue};
pub use psn::Psn;
pub use service::TransportService;
