//! Whole packets and PAUSE frames.
//!
//! Invariant: a packet has as many bytes as [`Framing::bytes`] counts, payload included. The payload is zeros: the simulator has none.

use packet::length::RESERVED_OF_CNP;
use packet::{Framing, Lane, NodeId, Opcode, Packet, PortId};

use crate::{checks, headers};

/// A framing that has no format of its own, only lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoFormat;

/// A framing with a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFormat {
    /// InfiniBand: from the LRH to the VCRC.
    InfiniBand,
    /// RoCEv2 over Ethernet: from the addresses to the FCS, without preamble and gap.
    Ethernet,
}

impl TryFrom<Framing> for LinkFormat {
    type Error = NoFormat;

    fn try_from(framing: Framing) -> Result<Self, NoFormat> {
        match framing {
            Framing::InfiniBand => Ok(Self::InfiniBand),
            Framing::RoCEv2 => Ok(Self::Ethernet),
            Framing::Hpcc => Err(NoFormat),
        }
    }
}

/// Appends a packet as it stands on a link.
pub fn packet(packet: &Packet, format: LinkFormat, bytes: &mut Vec<u8>) {
    match format {
        LinkFormat::InfiniBand => infiniband(packet, bytes),
        LinkFormat::Ethernet => ethernet(packet, bytes),
    }
}

/// Appends a PAUSE frame, or a RESUME frame if `quanta` is 0, as it leaves a port.
pub fn pause(from: (NodeId, PortId), lane: Lane, quanta: u16, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    headers::pause(from, lane, quanta, bytes);
    let check = checks::fcs(&bytes[start..]);
    bytes.extend(check);
}

fn infiniband(packet: &Packet, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    headers::lrh(packet, packet.wire - 2, bytes);
    headers::bth(packet, headers::opcode(packet), true, bytes);
    headers::extensions(packet, bytes);
    zeros(packet.payload.next_multiple_of(4), bytes);
    let invariant = checks::icrc_of_infiniband(&bytes[start..]);
    bytes.extend(invariant);
    let variant = checks::vcrc(&bytes[start..]);
    bytes.extend(variant);
}

fn ethernet(packet: &Packet, bytes: &mut Vec<u8>) {
    const BEFORE_IP: u16 = 14 + 4;
    const BEFORE_BTH: u16 = BEFORE_IP + 20 + 8;
    const FCS: u16 = 4;
    let start = bytes.len();
    headers::ethernet(packet, bytes);
    headers::ipv4_and_udp(packet, packet.wire - BEFORE_BTH - FCS, bytes);
    let is_cnp = packet.bth.opcode == Opcode::Cnp;
    let opcode = if is_cnp { headers::CNP_OF_ROCEV2 } else { headers::opcode(packet) };
    headers::bth(packet, opcode, false, bytes);
    headers::extensions(packet, bytes);
    zeros(packet.payload.next_multiple_of(4) + if is_cnp { RESERVED_OF_CNP } else { 0 }, bytes);
    let invariant = checks::icrc_of_rocev2(&bytes[start + usize::from(BEFORE_IP)..]);
    bytes.extend(invariant);
    let check = checks::fcs(&bytes[start..]);
    bytes.extend(check);
}

fn zeros(length: u16, bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len() + usize::from(length), 0);
}

#[cfg(test)]
mod tests {
    use packet::header::Syndrome;
    use packet::{Bth, BthFlags, FlowId, Lid, Lrh, Psn, QpNumber, ServiceLevel, TransportService};

    use super::*;

    const OPCODES: [Opcode; 17] = [
        Opcode::SendFirst,
        Opcode::SendMiddle,
        Opcode::SendLast,
        Opcode::SendLastImmediate,
        Opcode::SendOnly,
        Opcode::SendOnlyImmediate,
        Opcode::WriteFirst,
        Opcode::WriteMiddle,
        Opcode::WriteLast,
        Opcode::WriteOnly,
        Opcode::ReadRequest,
        Opcode::ReadResponseFirst,
        Opcode::ReadResponseMiddle,
        Opcode::ReadResponseLast,
        Opcode::ReadResponseOnly,
        Opcode::Acknowledge,
        Opcode::Cnp,
    ];

    fn sample(transport: TransportService, opcode: Opcode, payload: u16, flags: BthFlags) -> Packet {
        let lrh = Lrh::new(Lid(0x1234), Lid(0x00FE), Lane(3), ServiceLevel(5));
        let bth = Bth { destination_qp: QpNumber(7), psn: Psn::new(0x00AB_CDEF), opcode, transport, flags };
        let mut packet = Packet::new(lrh, bth, QpNumber(9), FlowId(0), payload);
        (packet.msn, packet.syndrome, packet.dma_length) =
            (0x0001_0203, Syndrome::SequenceError, 0x0102_0304);
        packet
    }

    #[test]
    fn every_packet_is_as_long_as_the_simulator_counts() {
        for (framing, format) in
            [(Framing::InfiniBand, LinkFormat::InfiniBand), (Framing::RoCEv2, LinkFormat::Ethernet)]
        {
            assert_eq!(LinkFormat::try_from(framing), Ok(format));
            for transport in TransportService::ALL {
                for (opcode, payload) in
                    OPCODES.into_iter().flat_map(|opcode| [0, 1, 2047, 4096].map(|payload| (opcode, payload)))
                {
                    let whole = sample(transport, opcode, payload, BthFlags::all()).framed(framing);
                    let mut bytes = vec![0xEE; 3]; // Of the packet before.
                    packet(&whole, format, &mut bytes);
                    assert_eq!(
                        bytes.len() - 3,
                        usize::from(whole.wire),
                        "{transport:?} {opcode:?} {payload}"
                    );
                }
            }
        }
        assert_eq!(LinkFormat::try_from(Framing::Hpcc), Err(NoFormat));
    }

    /// Byte by byte, from the figures of IBA volume 1.
    #[test]
    fn headers_over_infiniband() {
        let mut bytes = Vec::new();
        let flags = BthFlags::FECN | BthFlags::ACK_REQUEST;
        packet(
            &sample(TransportService::Rc, Opcode::WriteOnly, 2, flags),
            LinkFormat::InfiniBand,
            &mut bytes,
        );
        let lrh = [0x30, 0x52, 0x00, 0xFE, 0, 11, 0x12, 0x34];
        let bth = [0x0A, 0x60, 0xFF, 0xFF, 0x80, 0, 0, 9, 0x80, 0xAB, 0xCD, 0xEF];
        let reth = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4];
        let expected: Vec<u8> = lrh.into_iter().chain(bth).chain(reth).chain([0; 4]).collect();
        assert_eq!(bytes[..expected.len()], expected);
        assert_eq!(bytes.len(), expected.len() + 6);

        bytes.clear();
        packet(
            &sample(TransportService::Rd, Opcode::SendOnly, 0, BthFlags::empty()),
            LinkFormat::InfiniBand,
            &mut bytes,
        );
        assert_eq!(bytes[8..10], [0x44, 0x40]);
        assert_eq!(bytes[20..32], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11], "RDETH, then DETH");

        bytes.clear();
        packet(
            &sample(TransportService::Rc, Opcode::Acknowledge, 0, BthFlags::BECN),
            LinkFormat::InfiniBand,
            &mut bytes,
        );
        assert_eq!((bytes[8], bytes[12]), (0x11, 0x40));
        assert_eq!(bytes[20..24], [0x60, 1, 2, 3], "AETH");

        bytes.clear();
        packet(
            &sample(TransportService::Ud, Opcode::Cnp, 0, BthFlags::BECN),
            LinkFormat::InfiniBand,
            &mut bytes,
        );
        assert_eq!((bytes.len(), bytes[8], bytes[12]), (26, 0x80, 0x40));
    }

    #[test]
    fn headers_over_ethernet() {
        let marked =
            sample(TransportService::Rc, Opcode::SendOnly, 3, BthFlags::FECN).framed(Framing::RoCEv2);
        let mut bytes = Vec::new();
        packet(&marked, LinkFormat::Ethernet, &mut bytes);
        assert_eq!(bytes[..18], [2, 0, 0, 0, 0, 0xFE, 2, 0, 0, 0, 0x12, 0x34, 0x81, 0, 0x60, 0, 8, 0]);
        assert_eq!(
            bytes[18..28],
            [0x45, 0x63, 0, 48, 0, 0, 0x40, 0, 64, 17],
            "DSCP 24, congestion experienced"
        );
        assert_eq!(bytes[30..38], [10, 0, 0x12, 0x34, 10, 0, 0, 0xFE]);
        assert!(bytes[38] >= 0xC0, "a dynamic port");
        assert_eq!(bytes[40..46], [0x12, 0xB7, 0, 28, 0, 0], "to port 4791, length, no checksum");
        assert_eq!(
            bytes[46..52],
            [0x04, 0x50, 0xFF, 0xFF, 0, 0],
            "one byte of pad; the mark is not in the BTH"
        );
        let plain =
            sample(TransportService::Rc, Opcode::SendOnly, 3, BthFlags::empty()).framed(Framing::RoCEv2);
        let mut unmarked = Vec::new();
        packet(&plain, LinkFormat::Ethernet, &mut unmarked);
        assert_eq!(unmarked[19], 0x62, "capable of ECN");
        assert_eq!(unmarked[58..66], bytes[58..66], "a mark changes neither payload nor ICRC");

        let cnp = sample(TransportService::Rc, Opcode::Cnp, 0, BthFlags::BECN).framed(Framing::RoCEv2);
        bytes.clear();
        packet(&cnp, LinkFormat::Ethernet, &mut bytes);
        assert_eq!((bytes[19], bytes[46], bytes[50]), (0x60, 0x81, 0x40));
        assert_eq!(bytes[58..74], [0; 16], "the reserved part");
    }

    #[test]
    fn a_pause_names_its_priority_alone() {
        let mut bytes = Vec::new();
        pause((NodeId(0x0001_0203), PortId(4)), Lane(3), 0xFFFF, &mut bytes);
        assert_eq!(bytes[..12], [0x01, 0x80, 0xC2, 0, 0, 1, 6, 0, 1, 2, 3, 4]);
        assert_eq!(bytes[12..18], [0x88, 0x08, 0x01, 0x01, 0, 0b1000]);
        let quanta: Vec<_> =
            bytes[18..34].chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
        assert_eq!(quanta, [0, 0, 0, 0xFFFF, 0, 0, 0, 0]);
        assert_eq!(bytes.len(), 64, "the shortest frame of Ethernet");
    }
}
