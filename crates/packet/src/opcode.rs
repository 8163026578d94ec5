//! Operation codes: the purpose of a packet, and the header that the purpose adds.
//!
//! Invariant: an opcode is the same over every [`TransportService`](crate::TransportService), which adds headers of its
//! own.

use crate::length::{AETH_BYTES, BTH_BYTES, ICRC_BYTES, LRH_BYTES, RETH_BYTES, VCRC_BYTES};

/// What a packet is (IBA `OpCode`, table 38): its lower five bits, as the reliable connection has them, and the CNP.
/// The upper three are its [`TransportService`](crate::TransportService).
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
    /// [`TransportService`](crate::TransportService) adds.
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
