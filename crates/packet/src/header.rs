//! Headers as fields, opcodes, and what a packet weighs on the wire.
//!
//! Invariant: every field that a decision in the simulator depends on is the header's own field;
//! what only real memory would need (virtual address, `R_Key`) is counted in the length and not kept.
//!
//! Lengths in bytes, in wire order (IBA volume 1, chapters 7 and 9), of which [`framing`](crate::framing) tells what
//! stands before the BTH and behind the ICRC:
//!
//! ```text
//! LRH 8 | BTH 12 | RDETH 4, DETH 8, by service | RETH 16 or AETH 4, by opcode | payload, padded to 4 | ICRC 4 | VCRC 2
//! ```

use bitflags::bitflags;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Time};

use crate::ids::{FlowId, Lane, Lid, QpNumber, ServiceLevel};
use crate::pool::PacketId;
use crate::psn::Psn;
use crate::transport::{DETH_BYTES, RDETH_BYTES, Transport};

/// Length of the local route header: what a switch must have before it can route, in bytes.
pub const LRH_BYTES: u16 = 8;
/// Length of the base transport header, in bytes.
pub const BTH_BYTES: u16 = 12;
/// Length of the RDMA extended transport header, in bytes.
pub const RETH_BYTES: u16 = 16;
/// Length of the acknowledgement extended transport header, in bytes.
pub const AETH_BYTES: u16 = 4;
/// Length of the invariant CRC, in bytes.
pub const ICRC_BYTES: u16 = 4;
/// Length of the variant CRC, in bytes.
pub const VCRC_BYTES: u16 = 2;
/// Length of what a CNP carries in reserve over RoCEv2 (Annex A17), in bytes.
pub const RESERVED_OF_CNP: u16 = 16;
/// The extended headers of a data packet of the largest kind, an RDMA WRITE over RD, in bytes.
pub const MAX_EXTENSIONS: u16 = RDETH_BYTES + DETH_BYTES + RETH_BYTES;
/// What such a packet carries besides its payload in all, in InfiniBand's framing, in bytes.
pub const MAX_OVERHEAD: u16 = LRH_BYTES + BTH_BYTES + MAX_EXTENSIONS + ICRC_BYTES + VCRC_BYTES;

/// The largest payload of a packet (IBA `MTU`): 256, 512, 1024, 2048 or 4096 bytes; over Ethernet also 1000 or 1500,
/// as its studies count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Bytes", into = "Bytes")]
pub enum Mtu {
    /// 256 bytes.
    B256,
    /// 512 bytes.
    B512,
    /// 1024 bytes.
    K1,
    /// 2048 bytes.
    K2,
    /// 4096 bytes.
    K4,
    /// 1000 bytes, over Ethernet.
    B1000,
    /// 1500 bytes, over Ethernet.
    B1500,
}

/// An amount of data that is no MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is not an MTU: use \"256 B\", \"512 B\", \"1 KiB\", \"2 KiB\" or \"4 KiB\"; with RoCEv2 also \"1000 B\" or \"1500 B\""
)]
pub struct NotAnMtu(Bytes);

impl TryFrom<Bytes> for Mtu {
    type Error = NotAnMtu;
    fn try_from(size: Bytes) -> Result<Self, NotAnMtu> {
        let mut all = Self::ALL.into_iter().chain(Self::OF_ETHERNET);
        all.find(|mtu| Bytes::from(*mtu) == size).ok_or(NotAnMtu(size))
    }
}

impl From<Mtu> for Bytes {
    fn from(mtu: Mtu) -> Self {
        Self::new(u64::from(mtu.bytes()))
    }
}

impl Mtu {
    /// Every MTU of IBA, smallest first.
    pub const ALL: [Self; 5] = [Self::B256, Self::B512, Self::K1, Self::K2, Self::K4];
    /// Those that are none of IBA's.
    pub const OF_ETHERNET: [Self; 2] = [Self::B1000, Self::B1500];

    /// The largest payload in bytes.
    #[must_use]
    pub const fn bytes(self) -> u16 {
        match self {
            Self::B256 => 256,
            Self::B512 => 512,
            Self::K1 => 1024,
            Self::K2 => 2048,
            Self::K4 => 4096,
            Self::B1000 => 1000,
            Self::B1500 => 1500,
        }
    }

    /// The longest packet with this payload in InfiniBand's framing.
    #[must_use]
    pub const fn longest_packet(self) -> Bytes {
        Bytes::new((self.bytes() + MAX_OVERHEAD) as u64)
    }
}

/// What a packet is (IBA `OpCode`, table 38): its lower five bits, as the reliable connection has them, and the CNP.
/// The upper three are its [`Transport`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Opcode {
    /// First packet of a SEND of several.
    SendFirst = 0x00,
    /// A packet within a SEND.
    SendMiddle = 0x01,
    /// Last packet of a SEND.
    SendLast = 0x02,
    /// A SEND of one packet.
    SendOnly = 0x04,
    /// First packet of an RDMA WRITE of several.
    WriteFirst = 0x06,
    /// A packet within an RDMA WRITE.
    WriteMiddle = 0x07,
    /// Last packet of an RDMA WRITE.
    WriteLast = 0x08,
    /// An RDMA WRITE of one packet.
    WriteOnly = 0x0A,
    /// A request to read remote memory.
    ReadRequest = 0x0C,
    /// First packet of the answer to an RDMA READ.
    ReadResponseFirst = 0x0D,
    /// A packet within the answer to an RDMA READ.
    ReadResponseMiddle = 0x0E,
    /// Last packet of the answer to an RDMA READ.
    ReadResponseLast = 0x0F,
    /// The answer to an RDMA READ, in one packet.
    ReadResponseOnly = 0x10,
    /// Acknowledgement, positive or negative by its AETH.
    Acknowledge = 0x11,
    /// Congestion notification packet (IBA A10.3.2): BECN set, addressed to the source's queue pair. IBA's has
    /// PSN 0; the HP proposal's has the PSN of the packet that was marked.
    Cnp = 0x80,
}

impl Opcode {
    /// Length of the extended transport header that this opcode brings, in bytes.
    #[must_use]
    pub const fn extension(self) -> u16 {
        match self {
            Self::WriteFirst | Self::WriteOnly | Self::ReadRequest => RETH_BYTES,
            Self::ReadResponseFirst | Self::ReadResponseLast | Self::ReadResponseOnly | Self::Acknowledge => {
                AETH_BYTES
            }
            _ => 0,
        }
    }

    /// Length of a packet with this opcode and `payload` bytes on the wire, pad and CRCs included, but for what its
    /// [`Transport`] adds.
    #[must_use]
    pub const fn wire_bytes(self, payload: u16) -> u16 {
        LRH_BYTES + BTH_BYTES + self.extension() + payload.next_multiple_of(4) + ICRC_BYTES + VCRC_BYTES
    }

    /// Whether the packet carries a message's payload.
    #[must_use]
    pub const fn is_data(self) -> bool {
        !matches!(self, Self::Acknowledge | Self::Cnp | Self::ReadRequest)
    }

    /// Whether a responder sends it.
    #[must_use]
    pub const fn is_response(self) -> bool {
        matches!(self, Self::Acknowledge) || self.is_read_response()
    }

    /// Whether the packet carries what an RDMA READ asked for.
    #[must_use]
    pub const fn is_read_response(self) -> bool {
        matches!(
            self,
            Self::ReadResponseFirst
                | Self::ReadResponseMiddle
                | Self::ReadResponseLast
                | Self::ReadResponseOnly
        )
    }

    /// Whether the packet is the first of a message, or its only one.
    #[must_use]
    pub const fn begins_message(self) -> bool {
        matches!(
            self,
            Self::SendFirst
                | Self::SendOnly
                | Self::WriteFirst
                | Self::WriteOnly
                | Self::ReadResponseFirst
                | Self::ReadResponseOnly
        )
    }

    /// Whether the packet ends a message.
    #[must_use]
    pub const fn ends_message(self) -> bool {
        matches!(
            self,
            Self::SendLast
                | Self::SendOnly
                | Self::WriteLast
                | Self::WriteOnly
                | Self::ReadResponseLast
                | Self::ReadResponseOnly
        )
    }
}

/// Local route header: the fields that the fabric reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lrh {
    /// Source LID (`SLID`).
    pub source: Lid,
    /// Destination LID (`DLID`).
    pub destination: Lid,
    /// Lane of the link that the packet is on (`VL`); all ports map service levels alike, so it stays the same.
    pub lane: Lane,
    /// Service level, the same all the way (`SL`).
    pub service_level: ServiceLevel,
}

bitflags! {
    /// One-bit fields of the base transport header.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BthFlags: u8 {
        /// Forward explicit congestion notification: bit 31 of the word that names the destination QP.
        const FECN = 1 << 0;
        /// Backward explicit congestion notification: bit 30 of the same word.
        const BECN = 1 << 1;
        /// The responder shall acknowledge this packet (`AckReq`, `A`).
        const ACK_REQUEST = 1 << 2;
    }
}

/// Base transport header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bth {
    /// Queue pair at the destination (`DestQP`).
    pub destination_qp: QpNumber,
    /// Packet sequence number (`PSN`).
    pub psn: Psn,
    /// What the packet is (`OpCode`, lower five bits).
    pub opcode: Opcode,
    /// The transport service that it belongs to (`OpCode`, upper three bits).
    pub transport: Transport,
    /// FECN, BECN and `AckReq`.
    pub flags: BthFlags,
}

/// Syndrome of an acknowledgement (IBA table 43), as far as the simulator answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Syndrome {
    /// Positive acknowledgement.
    Ack = 0b000_11111,
    /// Negative: PSN sequence error; the requester goes back to the PSN in the BTH.
    SequenceError = 0b011_00000,
}

/// Why a switch set FECN on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MarkReason {
    /// The output was over its threshold and had credits: a root of congestion (IBA A10).
    Root = 0,
    /// The output was over its threshold without credits, and its bit in `Victim_Mask` is set.
    VictimMask = 1,
    /// It waited in a full buffer: it propagates a congestion tree (HP proposal).
    Propagation = 2,
    /// Its output was taken for the root of a congestion tree, which it helps to generate (HP proposal).
    Generation = 3,
    /// By chance, as what waited for its output had it (RED; DCQCN).
    Red = 4,
}

impl MarkReason {
    /// How many reasons there are.
    pub const COUNT: usize = 5;
    /// Every reason, in the order of its number.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Root, Self::VictimMask, Self::Propagation, Self::Generation, Self::Red];

    /// The word for it in tables and files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::VictimMask => "victim_mask",
            Self::Propagation => "propagation",
            Self::Generation => "generation",
            Self::Red => "red",
        }
    }
}

/// A packet under way.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))] // None lies across two cache lines.
pub struct Packet {
    /// When its last byte has come through to where the packet now is.
    pub tail: Time,
    /// When its first byte left the source's adapter.
    pub injected: Time,
    /// Local route header.
    pub lrh: Lrh,
    /// Base transport header.
    pub bth: Bth,
    /// Queue pair at the source: what real hardware keeps in the destination's connection state.
    pub source_qp: QpNumber,
    /// The flow whose payload this is, or to which it answers.
    pub flow: FlowId,
    /// Message sequence number of the AETH (`MSN`), where the opcode has one; 24 bits.
    pub msn: u32,
    /// How much an RDMA READ request asks for, in bytes (`DMALen` of its RETH).
    pub dma_length: u32,
    /// Next packet of the queue that this one waits in.
    pub(crate) next: PacketId,
    /// Payload in bytes, at most the MTU.
    pub payload: u16,
    /// Length from its first header to its last check sequence, in bytes: what it takes up in a buffer, and on the
    /// wire but for what its [`Framing`](crate::Framing) puts around it.
    pub wire: u16,
    /// Port by which it came into the switch where it waits; a switch has at most 254.
    pub input: u8,
    /// Port by which it will leave that switch.
    pub output: u8,
    /// Whether that switch has already given a reason to mark it, and counted it.
    pub marked_here: bool,
    /// Syndrome of the AETH, where the opcode has one.
    pub syndrome: Syndrome,
    /// Why the first switch that marked it did so: what the wire does not carry, for the record alone.
    pub marked: Option<MarkReason>,
}

const _: () = assert!(size_of::<Packet>() == 64, "a packet is one cache line");

impl Packet {
    /// What a switch may hash to choose among equally good ports: the addresses and queue pairs of both ends, as
    /// RoCEv2 has them in its IP and UDP headers. All packets that one end of a flow sends have the same.
    #[must_use]
    pub fn flow_key(&self) -> u64 {
        let addresses = u64::from(self.lrh.source.0) << 16 | u64::from(self.lrh.destination.0);
        addresses << 32 ^ u64::from(self.source_qp.0) << 24 ^ u64::from(self.bth.destination_qp.0)
    }

    /// A packet with the given headers and `payload` bytes, not yet on any wire.
    #[must_use]
    pub fn new(lrh: Lrh, bth: Bth, source_qp: QpNumber, flow: FlowId, payload: u16) -> Self {
        Self {
            tail: Time::ZERO,
            injected: Time::ZERO,
            lrh,
            bth,
            source_qp,
            flow,
            msn: 0,
            dma_length: 0,
            marked: None,
            next: PacketId::NONE,
            payload,
            wire: bth.opcode.wire_bytes(payload) + bth.transport.extension(bth.opcode),
            input: 0,
            output: 0,
            marked_here: false,
            syndrome: Syndrome::Ack,
        }
    }

    /// A switch marks it, for this reason: sets FECN. Nobody takes a mark back.
    pub fn mark(&mut self, reason: MarkReason) {
        self.bth.flags.insert(BthFlags::FECN);
        self.marked.get_or_insert(reason);
    }

    /// Whether `flag` is set in the BTH.
    #[must_use]
    pub const fn has(&self, flag: BthFlags) -> bool {
        self.bth.flags.contains(flag)
    }

    /// Length on the wire.
    #[must_use]
    pub fn wire_bytes(&self) -> Bytes {
        Bytes::new(u64::from(self.wire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_on_the_wire() {
        assert_eq!(Opcode::SendMiddle.wire_bytes(2048), 8 + 12 + 2048 + 4 + 2);
        assert_eq!(Opcode::WriteOnly.wire_bytes(1), 8 + 12 + 16 + 4 + 4 + 2);
        assert_eq!(Opcode::Acknowledge.wire_bytes(0), 30);
        assert_eq!(Opcode::Cnp.wire_bytes(0), 26);
        assert_eq!(Opcode::ReadResponseMiddle.wire_bytes(4096), 4122);
    }
}
