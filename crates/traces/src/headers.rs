//! Headers, field by field, in wire order.
//!
//! Invariant: each function appends exactly the bytes that [`packet::length`] and [`packet::Framing`] count for its header.
//!
//! | header | bytes | fields that the simulator does not have |
//! |---|---|---|
//! | LRH | 8 | `LVer` 0; `LNH` 2: a BTH follows |
//! | Ethernet, tag | 14, 4 | addresses from those of nodes and ports, no VLAN (`VID` 0), `DEI` 0 |
//! | IPv4 | 20 | identification 0, do not fragment, 64 hops, addresses 10.0.x.y from LIDs |
//! | UDP | 8 | checksum 0, as Annex A17 allows |
//! | BTH | 12 | `SE` 0, `MigReq` 1, `TVer` 0, `P_Key` 0xFFFF |
//! | RDETH | 4 | end-to-end context 0 |
//! | DETH | 8 | `Q_Key` 0 |
//! | RETH | 16 | virtual address 0, `R_Key` 0 |
//! | AETH | 4 | none |
//!
//! Layouts: IBA volume 1, 7.7 and 9.2 to 9.6; RoCEv2: Annex A17 (cited from memory); IEEE 802.3 and 802.1Q; RFC 791, 768 and 3168.

use packet::{BthFlags, Lane, Lid, NodeId, Opcode, Packet, PortId, QpNumber, TransportService};

use crate::checks;

/// Number on the wire of an adapter's first queue pair: 0 and 1 are those of management (IBA volume 1, 3.9.1).
pub const FIRST_QP: u32 = 2;
/// Opcode of a CNP over RoCEv2 (Annex A17); over InfiniBand it is 0x80 (Annex A10).
pub const CNP_OF_ROCEV2: u8 = 0x81;
/// UDP port of RoCEv2.
pub const ROCEV2_PORT: u16 = 4791;
/// Group address of MAC control frames, PAUSE among them (IEEE 802.3, annex 31B).
const MAC_CONTROL: [u8; 6] = [0x01, 0x80, 0xC2, 0, 0, 0x01];
/// Lowest of the dynamic ports, by which RoCEv2 spreads flows over paths.
const DYNAMIC_PORTS: u16 = 0xC000;
/// Length of IPv4 and UDP, in bytes.
const IP_AND_UDP: u16 = 28;

/// Returns the address of the adapter with this LID: locally administered, with the LID at its end.
#[must_use]
pub const fn mac_of_adapter(lid: Lid) -> [u8; 6] {
    let [_, high, middle, low] = lid.0.to_be_bytes();
    [0x02, 0, 0, high, middle, low]
}

/// Returns the address of a switch's port, or of an adapter's: locally administered, with the node's and the port's numbers from 0 at
/// its end.
#[must_use]
pub const fn mac_of_port(node: NodeId, port: PortId) -> [u8; 6] {
    let [_, high, middle, low] = node.0.to_be_bytes();
    [0x06, 0, high, middle, low, port.0 as u8]
}

/// Appends an LRH. `length` is the packet's, in bytes, without the VCRC: a multiple of 4.
pub fn lrh(packet: &Packet, length: u16, bytes: &mut Vec<u8>) {
    let lrh = &packet.lrh;
    bytes.extend([lrh.lane.0 << 4, lrh.service_level().0 << 4 | 2]);
    bytes.extend(lid(lrh.destination()));
    bytes.extend((length / 4).to_be_bytes());
    bytes.extend(lid(lrh.source()));
}

/// Returns the bytes of an address of InfiniBand, whose fabrics have no larger ones.
fn lid(lid: Lid) -> [u8; 2] {
    u16::try_from(lid.0).expect("a LID has 16 bits").to_be_bytes()
}

/// Appends the Ethernet header of a frame with IPv4, with the tag of its priority. The fabric is one network of bridges: the addresses are
/// those of both adapters on the whole path.
pub fn ethernet(packet: &Packet, bytes: &mut Vec<u8>) {
    bytes.extend(mac_of_adapter(packet.lrh.destination()));
    bytes.extend(mac_of_adapter(packet.lrh.source()));
    bytes.extend([0x81, 0x00, packet.lrh.lane.0 << 5, 0]);
    bytes.extend([0x08, 0x00]);
}

/// Appends IPv4 and UDP around `length` bytes from the BTH to the ICRC. The class of service (DSCP) is 8 times the priority. Packets are
/// capable of ECN but for CNPs, and FECN is "congestion experienced".
pub fn ipv4_and_udp(packet: &Packet, length: u16, bytes: &mut Vec<u8>) {
    let ecn = match packet.bth.opcode {
        _ if packet.has(BthFlags::FECN) => 0b11,
        Opcode::Cnp => 0b00,
        _ => 0b10,
    };
    let mut header = [0; 20];
    (header[0], header[1]) = (0x45, packet.lrh.lane.0 << 5 | ecn);
    header[2..4].copy_from_slice(&(IP_AND_UDP + length).to_be_bytes());
    (header[6], header[8], header[9]) = (0x40, 64, 17);
    header[12..16].copy_from_slice(&ip_of_adapter(packet.lrh.source()));
    header[16..20].copy_from_slice(&ip_of_adapter(packet.lrh.destination()));
    let checksum = checks::ipv4(&header);
    header[10..12].copy_from_slice(&checksum);
    bytes.extend(header);
    bytes.extend(source_port(packet).to_be_bytes());
    bytes.extend(ROCEV2_PORT.to_be_bytes());
    bytes.extend((8 + length).to_be_bytes());
    bytes.extend([0, 0]);
}

/// Returns the address of the adapter with this LID.
const fn ip_of_adapter(lid: Lid) -> [u8; 4] {
    let [_, high, middle, low] = lid.0.to_be_bytes();
    [10, high, middle, low]
}

/// Returns the UDP port from which a flow's packets come: one of the dynamic ones, the same for all packets from one end of the flow.
fn source_port(packet: &Packet) -> u16 {
    let key = packet.flow_key();
    let folded = key ^ key >> 32;
    (folded ^ folded >> 16) as u16 | DYNAMIC_PORTS
}

/// Appends the BTH with this opcode. FECN and BECN are set as the packet has them, but for FECN over RoCEv2, which is in the IPv4 header:
/// `carries_fecn` is false.
pub fn bth(packet: &Packet, opcode: u8, carries_fecn: bool, bytes: &mut Vec<u8>) {
    const MIGRATED: u8 = 0x40;
    let bth = &packet.bth;
    let pad = (packet.payload.next_multiple_of(4) - packet.payload) as u8;
    let bit = |flag, bit: u8| if packet.has(flag) { bit } else { 0 };
    let fecn = if carries_fecn { bit(BthFlags::FECN, 0x80) } else { 0 };
    bytes.extend([opcode, MIGRATED | pad << 4, 0xFF, 0xFF, fecn | bit(BthFlags::BECN, 0x40)]);
    queue_pair(bth.destination_qp, bytes);
    bytes.push(bit(BthFlags::ACK_REQUEST, 0x80));
    bytes.extend(low_24_bits(bth.psn.get()));
}

/// Returns the opcode of a packet on a link of InfiniBand.
#[must_use]
pub const fn opcode(packet: &Packet) -> u8 {
    match packet.bth.opcode {
        Opcode::Cnp => Opcode::Cnp as u8,
        other => (packet.bth.transport as u8) << 5 | other as u8,
    }
}

/// Appends the headers that the transport service and the opcode add: RDETH, DETH, RETH, AETH, `ImmDt`.
pub fn extensions(packet: &Packet, bytes: &mut Vec<u8>) {
    let (transport, opcode) = (packet.bth.transport, packet.bth.opcode);
    if matches!(opcode, Opcode::Cnp) {
        return;
    }
    if transport == TransportService::Rd {
        bytes.extend([0; 4]);
    }
    let is_request_of_rd = transport == TransportService::Rd && !opcode.is_response();
    if is_request_of_rd || transport == TransportService::Ud {
        bytes.extend([0; 5]);
        queue_pair(packet.source_qp, bytes);
    }
    match opcode {
        Opcode::ReadRequest | Opcode::WriteFirst | Opcode::WriteOnly => {
            bytes.extend([0; 12]);
            bytes.extend(packet.dma_length.to_be_bytes());
        }
        Opcode::Acknowledge
        | Opcode::ReadResponseFirst
        | Opcode::ReadResponseLast
        | Opcode::ReadResponseOnly => {
            bytes.push(packet.syndrome as u8);
            bytes.extend(low_24_bits(packet.msn));
        }
        Opcode::SendLastImmediate | Opcode::SendOnlyImmediate => {
            bytes.extend(packet.dma_length.to_be_bytes());
        }
        _ => {}
    }
}

/// Appends a PAUSE frame of priorities from its addresses to its padding: 60 bytes (IEEE 802.1Qbb; 802.3, annex 31D). `quanta` of 0 is a
/// RESUME. All other priorities are left alone.
pub fn pause((node, port): (NodeId, PortId), lane: Lane, quanta: u16, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend(MAC_CONTROL);
    bytes.extend(mac_of_port(node, port));
    bytes.extend([0x88, 0x08, 0x01, 0x01, 0, 1 << lane.0]);
    let timers = (0..8).flat_map(|priority| if priority == lane.0 { quanta } else { 0 }.to_be_bytes());
    bytes.extend(timers);
    bytes.resize(start + 60, 0);
}

fn queue_pair(number: QpNumber, bytes: &mut Vec<u8>) {
    bytes.extend(low_24_bits(number.0 + FIRST_QP));
}

const fn low_24_bits(number: u32) -> [u8; 3] {
    let [_, high, middle, low] = number.to_be_bytes();
    [high, middle, low]
}
