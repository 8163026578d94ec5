//! Headers as fields.
//!
//! Invariant: every field that a decision in the simulator depends on is the header's own field. Fields that only real
//! memory needs (virtual address, `R_Key`) count in the length and are not kept.

use bitflags::bitflags;
use state_codec::{StateError, StateReader, StateWriter, Value};

use crate::ids::{Lane, Lid, QpNumber, ServiceLevel};
use crate::opcode::Opcode;
use crate::psn::Psn;
use crate::service::TransportService;

/// Local route header: the fields that the fabric reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lrh {
    /// Lower 16 bits of the source and of the destination.
    low: [u16; 2],
    /// Lane of the link that carries the packet, or that will carry it next once a switch has routed it (`VL`).
    pub lane: Lane,
    /// The service level in 4 bits, then the upper 2 bits of the source and of the destination.
    rest: u8,
}

impl Lrh {
    /// Creates a header.
    ///
    /// # Panics
    /// In debug builds, if an address is beyond [`Lid::MAX`], or the service level beyond 15.
    #[inline]
    #[must_use]
    pub const fn new(source: Lid, destination: Lid, lane: Lane, level: ServiceLevel) -> Self {
        debug_assert!(source.0 <= Lid::MAX.0 && destination.0 <= Lid::MAX.0 && level.0 < ServiceLevel::COUNT);
        let rest = level.0 << 4 | (source.0 >> 16 << 2 | destination.0 >> 16) as u8;
        Self { low: [source.0 as u16, destination.0 as u16], lane, rest }
    }

    /// Returns the source LID (`SLID`).
    #[inline]
    #[must_use]
    pub const fn source(&self) -> Lid {
        Lid((self.rest as u32 >> 2 & 3) << 16 | self.low[0] as u32)
    }

    /// Returns the destination LID (`DLID`).
    #[inline]
    #[must_use]
    pub const fn destination(&self) -> Lid {
        Lid((self.rest as u32 & 3) << 16 | self.low[1] as u32)
    }

    /// Returns the service level, the same on the whole path (`SL`).
    #[inline]
    #[must_use]
    pub const fn service_level(&self) -> ServiceLevel {
        ServiceLevel(self.rest >> 4)
    }

    /// Returns the header with another service level.
    #[inline]
    #[must_use]
    pub const fn with_service_level(self, level: ServiceLevel) -> Self {
        Self::new(self.source(), self.destination(), self.lane, level)
    }
}

impl Value for Lrh {
    fn put(&self, to: &mut StateWriter) {
        (self.source(), self.destination()).put(to);
        (self.lane, self.service_level()).put(to);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let (source, destination): (Lid, Lid) = Value::take(from)?;
        let (lane, level): (Lane, ServiceLevel) = Value::take(from)?;
        if source.max(destination) > Lid::MAX || level.0 >= ServiceLevel::COUNT {
            return Err(from.malformed("an address or a service level is too large"));
        }
        Ok(Self::new(source, destination, lane, level))
    }
}

bitflags! {
    /// One-bit fields of the base transport header.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BthFlags: u8 {
        /// Forward explicit congestion notification: bit 31 of the word with the destination QP.
        const FECN = 1 << 0;
        /// Backward explicit congestion notification: bit 30 of the same word.
        const BECN = 1 << 1;
        /// The responder shall acknowledge this packet (`AckReq`, `A`).
        const ACK_REQUEST = 1 << 2;
        /// The acknowledged packet came with FECN, where the acknowledgement repeats its entropy value. No bit of the
        /// standard.
        const ECHO = 1 << 3;
    }
}

impl Value for BthFlags {
    fn put(&self, to: &mut StateWriter) {
        to.tag(self.bits());
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let bits = from.tag()?;
        Self::from_bits(bits).ok_or_else(|| from.malformed("a flag of no meaning is set"))
    }
}

/// Base transport header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bth {
    /// Queue pair at the destination (`DestQP`).
    pub destination_qp: QpNumber,
    /// Packet sequence number (`PSN`).
    pub psn: Psn,
    /// Purpose of the packet (`OpCode`, lower five bits).
    pub opcode: Opcode,
    /// Transport service of the packet (`OpCode`, upper three bits).
    pub transport: TransportService,
    /// FECN, BECN and `AckReq`.
    pub flags: BthFlags,
}

state_codec::value!(Bth { destination_qp, psn, opcode, transport, flags });

/// Syndrome of an acknowledgement (IBA table 43): the values that the simulator sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Syndrome {
    /// Positive acknowledgement.
    Ack = 0b000_11111,
    /// Negative: PSN sequence error; the requester goes back to the PSN in the BTH.
    SequenceError = 0b011_00000,
}

state_codec::value!(enum Syndrome { 0 = Ack, 1 = SequenceError });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_holds_every_address_and_level() {
        let lids = [1, 2, 0xBFFF, 0xFFFF, 0x1_0000, 0x2_0001, Lid::MAX.0].map(Lid);
        for (source, destination) in lids.iter().flat_map(|one| lids.map(|other| (*one, other))) {
            for level in (0..ServiceLevel::COUNT).map(ServiceLevel) {
                let lrh = Lrh::new(source, destination, Lane(7), level);
                assert_eq!((lrh.source(), lrh.destination()), (source, destination));
                assert_eq!((lrh.lane, lrh.service_level()), (Lane(7), level));
                let other = lrh.with_service_level(ServiceLevel(3));
                assert_eq!((other.source(), other.destination(), other.lane), (source, destination, Lane(7)));
                assert_eq!(other.service_level(), ServiceLevel(3));
            }
        }
    }
}
