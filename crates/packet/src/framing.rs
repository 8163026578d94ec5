//! Framing of the transport headers on a link, and with it the length of a packet in a buffer and on the wire.
//!
//! Invariant: InfiniBand's framing and RoCEv2's carry the same headers from the BTH to the ICRC. `Hpcc` is a count for
//! comparisons, not a format.
//!
//! Lengths in bytes, in wire order:
//!
//! ```text
//! InfiniBand  LRH 8 | BTH ... payload, padded to 4 | ICRC 4 | VCRC 2
//! RoCEv2      preamble 8 | Ethernet 14, tag 4 | IPv4 20 | UDP 8 | BTH ... payload, padded to 4 | ICRC 4 | FCS 4 | gap 12
//! Hpcc        Ethernet 14 | IPv4 20 | UDP 8 | sequence number 4, priority 2 | payload;  without data 60
//! ```
//!
//! | part | source |
//! |---|---|
//! | BTH to ICRC, UDP port 4791 | RoCEv2, IBA volume 1, Annex A17 (cited from memory) |
//! | preamble with start delimiter, FCS, gap of 96 bit times, shortest frame 64 bytes | IEEE 802.3, clauses 3 and 4 |
//! | lengths of `Hpcc` | the code of HPCC's simulator (alibaba-edu/High-Precision-Congestion-Control): `rdma-hw.cc`, `GetNxtPacket` and `ReceiveUdp` |
//! | tag, which carries the priority | IEEE 802.1Q, clause 9 |
//!
//! DEVIATION: IBA's start and end delimiters of the physical layer are not counted (below 0.1 % of a full packet).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

use crate::length::{BTH_BYTES, ICRC_BYTES, LRH_BYTES, MAX_EXTENSIONS, RESERVED_OF_CNP, VCRC_BYTES};
use crate::mtu::Mtu;
use crate::opcode::Opcode;
use crate::service::TransportService;

/// Length of the Ethernet header: two addresses and the type, in bytes.
const ETHERNET_BYTES: u16 = 14;
/// Length of the tag with a frame's priority, in bytes.
const TAG_BYTES: u16 = 4;
/// Length of the IPv4 header without options, in bytes.
const IPV4_BYTES: u16 = 20;
/// Length of the UDP header, in bytes.
const UDP_BYTES: u16 = 8;
/// Length of the frame check sequence, in bytes.
const FCS_BYTES: u16 = 4;
/// Length of the preamble and the start delimiter before a frame, in bytes.
const PREAMBLE_BYTES: u16 = 8;
/// Gap after a frame, in bytes: 96 bit times.
const GAP_BYTES: u16 = 12;
/// Length of the shortest Ethernet frame, in bytes.
const SHORTEST_FRAME: u16 = 64;
/// Length of HPCC's sequence number and priority, in bytes.
const SEQUENCE_BYTES: u16 = 6;
/// Length of a packet of HPCC's simulator without data, in bytes: the shortest Ethernet frame without its FCS.
const SHORTEST_OF_HPCC: u16 = 60;

const _: () = assert!(
    Framing::RoCEv2.bytes(TransportService::Rc, Opcode::SendOnly, 0) >= SHORTEST_FRAME,
    "no frame needs padding"
);

/// Framing of the transport headers: scenario field `link.framing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Framing {
    /// InfiniBand's own link layer.
    #[default]
    InfiniBand,
    /// Ethernet with a priority tag, IPv4 and UDP (port 4791).
    RoCEv2,
    /// Lengths as HPCC's simulator counts them, for comparisons with it: 48 bytes before the payload of any data packet,
    /// nothing behind or around it, and 60 bytes for a packet without data.
    Hpcc,
}

impl Framing {
    /// Returns the length of a packet in a buffer, from its first header to its last check sequence.
    #[must_use]
    pub const fn bytes(self, transport: TransportService, opcode: Opcode, payload: u16) -> u16 {
        let within = BTH_BYTES
            + transport.extension(opcode)
            + opcode.extension()
            + payload.next_multiple_of(4)
            + ICRC_BYTES;
        match self {
            Self::InfiniBand => LRH_BYTES + within + VCRC_BYTES,
            Self::RoCEv2 => {
                let reserved = if matches!(opcode, Opcode::Cnp) { RESERVED_OF_CNP } else { 0 };
                ETHERNET_BYTES + TAG_BYTES + IPV4_BYTES + UDP_BYTES + within + reserved + FCS_BYTES
            }
            Self::Hpcc if payload == 0 => SHORTEST_OF_HPCC,
            Self::Hpcc => ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES + SEQUENCE_BYTES + payload,
        }
    }

    /// Returns the length in a buffer of the longest packet whose payload is the MTU.
    #[must_use]
    pub const fn longest_packet(self, mtu: Mtu) -> Bytes {
        if matches!(self, Self::Hpcc) {
            return Bytes::new(self.bytes(TransportService::Rc, Opcode::SendMiddle, mtu.bytes()) as u64);
        }
        let around = self.bytes(TransportService::Rc, Opcode::SendMiddle, 0) + MAX_EXTENSIONS;
        Bytes::new((around + mtu.bytes().next_multiple_of(4)) as u64)
    }

    /// Returns the length that a packet takes up on the wire beyond its length in a buffer: preamble and gap.
    #[must_use]
    pub const fn around(self) -> Bytes {
        match self {
            Self::InfiniBand | Self::Hpcc => Bytes::ZERO,
            Self::RoCEv2 => Bytes::new((PREAMBLE_BYTES + GAP_BYTES) as u64),
        }
    }

    /// Bytes of an Ethernet frame around its IP packet on the wire: preamble, header, tag, FCS and gap.
    pub const AROUND_IP: Bytes =
        Bytes::new((PREAMBLE_BYTES + ETHERNET_BYTES + TAG_BYTES + FCS_BYTES + GAP_BYTES) as u64);

    /// Returns the length, from the packet's start on the wire, that a switch must have received before it can route
    /// the packet: up to the end of the header that names the destination.
    #[must_use]
    pub const fn route_header(self) -> Bytes {
        match self {
            Self::InfiniBand => Bytes::new(LRH_BYTES as u64),
            Self::RoCEv2 => Bytes::new((PREAMBLE_BYTES + ETHERNET_BYTES + TAG_BYTES + IPV4_BYTES) as u64),
            Self::Hpcc => Bytes::new((ETHERNET_BYTES + IPV4_BYTES) as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infiniband_is_as_long_as_its_opcode_says() {
        for transport in TransportService::ALL {
            for opcode in [Opcode::SendMiddle, Opcode::WriteOnly, Opcode::Acknowledge, Opcode::Cnp] {
                let length = opcode.wire_bytes(3) + transport.extension(opcode);
                assert_eq!(Framing::InfiniBand.bytes(transport, opcode, 3), length);
            }
        }
        for mtu in Mtu::ALL {
            assert_eq!(Framing::InfiniBand.longest_packet(mtu), mtu.longest_packet());
        }
    }

    /// 1,000 bytes of payload are 1,048 on its wires, an acknowledgement is 60.
    #[test]
    fn lengths_of_hpcc() {
        let bytes = |opcode, payload| Framing::Hpcc.bytes(TransportService::Rc, opcode, payload);
        assert_eq!([bytes(Opcode::WriteMiddle, 1000), bytes(Opcode::WriteOnly, 1)], [1048, 49]);
        assert_eq!([bytes(Opcode::Acknowledge, 0), bytes(Opcode::Cnp, 0)], [60, 60]);
        assert_eq!(Framing::Hpcc.longest_packet(Mtu::B1000), Bytes::new(1048));
        assert_eq!(Framing::Hpcc.around(), Bytes::ZERO);
    }

    #[test]
    fn ethernet_frames() {
        let bytes = |opcode, payload| Framing::RoCEv2.bytes(TransportService::Rc, opcode, payload);
        assert_eq!(bytes(Opcode::SendMiddle, 1024), 18 + 20 + 8 + 12 + 1024 + 4 + 4);
        assert_eq!(bytes(Opcode::WriteOnly, 1000), 18 + 20 + 8 + 12 + 16 + 1000 + 4 + 4);
        assert_eq!(bytes(Opcode::Acknowledge, 0), 70);
        assert_eq!(bytes(Opcode::Cnp, 0), 82, "a CNP has 16 reserved bytes");
        assert_eq!(Framing::RoCEv2.around(), Bytes::new(20));
        assert_eq!(Framing::RoCEv2.route_header(), Bytes::new(46));
    }
}
