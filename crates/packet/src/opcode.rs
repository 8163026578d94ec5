//! Operation codes: the purpose of a packet, and the header that the purpose adds.
//!
//! Invariant: an opcode is the same over every [`TransportService`](crate::TransportService), which adds headers of its
//! own.

use crate::length::{AETH_BYTES, BTH_BYTES, ICRC_BYTES, IMMEDIATE_BYTES, LRH_BYTES, RETH_BYTES, VCRC_BYTES};

/// Purpose of a packet (IBA `OpCode`, table 38): the lower five bits, as the reliable connection has them, and the
/// CNP. The upper three bits are the [`TransportService`](crate::TransportService).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Opcode {
    /// First of several packets of a SEND.
    SendFirst = 0x00,
    /// Middle packet of a SEND.
    SendMiddle = 0x01,
    /// Last packet of a SEND.
    SendLast = 0x02,
    /// Last packet of a SEND with immediate data.
    SendLastImmediate = 0x03,
    /// Only packet of a SEND.
    SendOnly = 0x04,
    /// Only packet of a SEND with immediate data.
    SendOnlyImmediate = 0x05,
    /// First of several packets of an RDMA WRITE.
    WriteFirst = 0x06,
    /// Middle packet of an RDMA WRITE.
    WriteMiddle = 0x07,
    /// Last packet of an RDMA WRITE.
    WriteLast = 0x08,
    /// Only packet of an RDMA WRITE.
    WriteOnly = 0x0A,
    /// Request of an RDMA READ.
    ReadRequest = 0x0C,
    /// First of several response packets of an RDMA READ.
    ReadResponseFirst = 0x0D,
    /// Middle response packet of an RDMA READ.
    ReadResponseMiddle = 0x0E,
    /// Last response packet of an RDMA READ.
    ReadResponseLast = 0x0F,
    /// Only response packet of an RDMA READ.
    ReadResponseOnly = 0x10,
    /// Acknowledgement, positive or negative by its AETH.
    Acknowledge = 0x11,
    /// Congestion notification packet (IBA A10.3.2): BECN set, addressed to the source's queue pair. IBA's CNP has
    /// PSN 0; the HP proposal's has the PSN of the marked packet.
    Cnp = 0x80,
}

state_codec::value!(enum Opcode {
    0x00 = SendFirst,
    0x01 = SendMiddle,
    0x02 = SendLast,
    0x03 = SendLastImmediate,
    0x04 = SendOnly,
    0x05 = SendOnlyImmediate,
    0x06 = WriteFirst,
    0x07 = WriteMiddle,
    0x08 = WriteLast,
    0x0A = WriteOnly,
    0x0C = ReadRequest,
    0x0D = ReadResponseFirst,
    0x0E = ReadResponseMiddle,
    0x0F = ReadResponseLast,
    0x10 = ReadResponseOnly,
    0x11 = Acknowledge,
    0x80 = Cnp,
});

impl Opcode {
    /// Returns the length of the extended transport header that the opcode adds, in bytes.
    #[must_use]
    pub const fn extension(self) -> u16 {
        match self {
            Self::WriteFirst | Self::WriteOnly | Self::ReadRequest => RETH_BYTES,
            Self::ReadResponseFirst | Self::ReadResponseLast | Self::ReadResponseOnly | Self::Acknowledge => {
                AETH_BYTES
            }
            Self::SendLastImmediate | Self::SendOnlyImmediate => IMMEDIATE_BYTES,
            _ => 0,
        }
    }

    /// Returns the length on the wire of a packet with `payload` bytes, pad and CRCs included, without the headers
    /// that its [`TransportService`](crate::TransportService) adds.
    #[must_use]
    pub const fn wire_bytes(self, payload: u16) -> u16 {
        LRH_BYTES + BTH_BYTES + self.extension() + payload.next_multiple_of(4) + ICRC_BYTES + VCRC_BYTES
    }

    /// Returns whether the packet carries payload of a message.
    #[must_use]
    pub const fn is_data(self) -> bool {
        !matches!(self, Self::Acknowledge | Self::Cnp | Self::ReadRequest)
    }

    /// Returns whether a responder sends the packet.
    #[must_use]
    pub const fn is_response(self) -> bool {
        matches!(self, Self::Acknowledge) || self.is_read_response()
    }

    /// Returns whether the packet carries payload of an RDMA READ.
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

    /// Returns whether the packet carries payload of an RDMA WRITE.
    #[must_use]
    pub const fn is_write(self) -> bool {
        matches!(self, Self::WriteFirst | Self::WriteMiddle | Self::WriteLast | Self::WriteOnly)
    }

    /// Returns whether the packet carries immediate data: the last or only packet of such a message does.
    #[must_use]
    pub const fn has_immediate(self) -> bool {
        matches!(self, Self::SendLastImmediate | Self::SendOnlyImmediate)
    }

    /// Returns whether the packet is the first or the only one of a message.
    #[must_use]
    pub const fn begins_message(self) -> bool {
        matches!(
            self,
            Self::SendFirst
                | Self::SendOnly
                | Self::SendOnlyImmediate
                | Self::WriteFirst
                | Self::WriteOnly
                | Self::ReadResponseFirst
                | Self::ReadResponseOnly
        )
    }

    /// Returns whether the packet is the last or the only one of a message.
    #[must_use]
    pub const fn ends_message(self) -> bool {
        matches!(
            self,
            Self::SendLast
                | Self::SendLastImmediate
                | Self::SendOnly
                | Self::SendOnlyImmediate
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
        assert_eq!(Opcode::SendOnlyImmediate.wire_bytes(5), 8 + 12 + 4 + 8 + 4 + 2);
        assert_eq!(Opcode::Acknowledge.wire_bytes(0), 30);
        assert_eq!(Opcode::Cnp.wire_bytes(0), 26);
        assert_eq!(Opcode::ReadResponseMiddle.wire_bytes(4096), 4122);
    }
}
