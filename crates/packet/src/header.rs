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
    /// Source LID (`SLID`).
    pub source: Lid,
    /// Destination LID (`DLID`).
    pub destination: Lid,
    /// Lane of the link that carries the packet, or that will carry it next once a switch has routed it (`VL`).
    pub lane: Lane,
    /// Service level, the same on the whole path (`SL`).
    pub service_level: ServiceLevel,
}

state_codec::value!(Lrh { source, destination, lane, service_level });

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
