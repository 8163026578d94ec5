//! Transport services: the upper three bits of IBA's operation codes.
//!
//! Invariant: a service only adds headers; the purpose of a packet is its [`Opcode`]'s.
//!
//! | service | acknowledged | connected to | headers that it adds (IBA volume 1, chapter 9) |
//! |---|---|---|---|
//! | RC | yes | one queue pair | none |
//! | UC | no | one queue pair | none |
//! | RD | yes | one adapter, by an end-to-end context | RDETH 4; in requests also DETH 8 |
//! | UD | no | nobody | DETH 8 |

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::length::{DETH_BYTES, RDETH_BYTES};
use crate::opcode::Opcode;

/// A transport service (IBA: the upper three bits of `OpCode`).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[repr(u8)]
pub enum TransportService {
    /// Reliable connection.
    #[default]
    Rc = 0b000,
    /// Unreliable connection.
    Uc = 0b001,
    /// Reliable datagram.
    Rd = 0b010,
    /// Unreliable datagram.
    Ud = 0b011,
}

state_codec::value!(enum TransportService { 0 = Rc, 1 = Uc, 2 = Rd, 3 = Ud });

impl TransportService {
    /// Every service, in the order of codes.
    pub const ALL: [Self; 4] = [Self::Rc, Self::Uc, Self::Rd, Self::Ud];

    /// Returns whether data is acknowledged.
    #[must_use]
    pub const fn is_reliable(self) -> bool {
        matches!(self, Self::Rc | Self::Rd)
    }

    /// Returns the length of the headers that the service adds to a packet, in bytes. A CNP has none of them.
    #[must_use]
    pub const fn extension(self, opcode: Opcode) -> u16 {
        match (self, opcode) {
            (Self::Rc | Self::Uc, _) | (_, Opcode::Cnp) => 0,
            (Self::Ud, _) => DETH_BYTES,
            (Self::Rd, opcode) if opcode.is_response() => RDETH_BYTES,
            (Self::Rd, _) => RDETH_BYTES + DETH_BYTES,
        }
    }

    /// Returns the service's name in tables and files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rc => "RC",
            Self::Uc => "UC",
            Self::Rd => "RD",
            Self::Ud => "UD",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::length::MAX_OVERHEAD;

    #[test]
    fn services_add_their_headers() {
        assert_eq!(TransportService::Rc.extension(Opcode::SendOnly), 0);
        assert_eq!(TransportService::Uc.extension(Opcode::WriteFirst), 0);
        assert_eq!(TransportService::Ud.extension(Opcode::SendOnly), 8);
        assert_eq!(TransportService::Rd.extension(Opcode::ReadRequest), 12);
        assert_eq!(TransportService::Rd.extension(Opcode::ReadResponseMiddle), 4);
        assert_eq!(TransportService::Rd.extension(Opcode::Acknowledge), 4);
        assert_eq!(TransportService::Rd.extension(Opcode::Cnp), 0);
    }

    #[test]
    fn no_packet_carries_more_than_the_largest_overhead() {
        let opcodes = [Opcode::SendOnly, Opcode::WriteOnly, Opcode::WriteFirst, Opcode::ReadResponseOnly];
        let overhead =
            |(service, opcode): (TransportService, Opcode)| service.extension(opcode) + opcode.wire_bytes(0);
        let pairs =
            TransportService::ALL.into_iter().flat_map(|service| opcodes.map(|opcode| (service, opcode)));
        assert_eq!(pairs.map(overhead).max(), Some(MAX_OVERHEAD));
    }
}
