//! Lengths of headers and checksums.
//!
//! Invariant: lengths are in bytes, in wire order (IBA volume 1, chapters 7 and 9).
//!
//! ```text
//! LRH 8 | BTH 12 | RDETH 4, DETH 8, by service | RETH 16, AETH 4 or ImmDt 4, by opcode | payload, padded to 4 | ICRC 4 | VCRC 2
//! ```
//!
//! `framing` defines the parts before the BTH and after the ICRC.

/// Length of the local route header (LRH): the part that a switch needs before it can route.
pub const LRH_BYTES: u16 = 8;
/// Length of the base transport header (BTH).
pub const BTH_BYTES: u16 = 12;
/// Length of the datagram extended transport header (`DETH`: `Q_Key`, source queue pair).
pub const DETH_BYTES: u16 = 8;
/// Length of the reliable datagram extended transport header (`RDETH`: end-to-end context).
pub const RDETH_BYTES: u16 = 4;
/// Length of the RDMA extended transport header (`RETH`).
pub const RETH_BYTES: u16 = 16;
/// Length of the acknowledgement extended transport header (`AETH`).
pub const AETH_BYTES: u16 = 4;
/// Length of immediate data (`ImmDt`), which the last packet of a message carries if it has any.
pub const IMMEDIATE_BYTES: u16 = 4;
/// Length of the invariant CRC.
pub const ICRC_BYTES: u16 = 4;
/// Length of the variant CRC.
pub const VCRC_BYTES: u16 = 2;
/// Length of the reserved part of a CNP over RoCEv2 (Annex A17).
pub const RESERVED_OF_CNP: u16 = 16;
/// Length of the extended headers of the longest kind of data packet, an RDMA WRITE over RD.
pub const MAX_EXTENSIONS: u16 = RDETH_BYTES + DETH_BYTES + RETH_BYTES;
/// Length of all headers and checksums of such a packet in InfiniBand's framing.
pub const MAX_OVERHEAD: u16 = LRH_BYTES + BTH_BYTES + MAX_EXTENSIONS + ICRC_BYTES + VCRC_BYTES;
