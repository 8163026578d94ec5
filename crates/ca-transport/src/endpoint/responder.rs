//! The responder of a reliable service: it accepts requests in order only (IBA volume 1, 9.7), and answers RDMA READs.
//!
//! Invariant: every packet is accepted exactly once, in order, whatever is lost or sent twice.
//!
//! ```text
//! expected     packets before it are accepted; a READ reserves the numbers of its responses at once
//! ```

use packet::{Opcode, Packet, Psn};
use units::Time;

use super::pending_reads::PendingReads;
use super::progress::Progress;
use super::{
    CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Readiness, ReceiveVerdict, sent_before,
};
use crate::message::{Message, Messages};

/// The responder of a queue pair, or of an end-to-end context.
#[derive(Clone, Debug, Default)]
pub struct Responder {
    expected: u64,
    /// Messages completed (IBA `MSN`), 24 bits on the wire.
    msn: u32,
    /// True once a negative acknowledgement of `expected` is sent.
    nak_sent: bool,
    reads: PendingReads,
}

state_codec::value!(Responder { expected, msn, nak_sent, reads });

impl Endpoint for Responder {
    fn readiness(&self, _: &EndpointRule) -> Readiness {
        if self.reads.is_empty() { Readiness::Idle } else { Readiness::Ready }
    }

    fn next(&self, _: &Messages, rule: &EndpointRule) -> Option<OutgoingPacket> {
        self.reads.next(rule.mtu)
    }

    fn sent(&mut self, _: &mut Messages, _: Time) -> CompletedMessages {
        self.reads.sent();
        CompletedMessages::NONE
    }

    fn on_data(&mut self, packet: &Packet, rule: &EndpointRule) -> ReceiveVerdict {
        let ahead = packet.bth.psn.since(Psn::new(self.expected as u32));
        if packet.bth.opcode == Opcode::ReadRequest {
            return self.on_read_request(packet, ahead, rule);
        }
        if ahead == 0 {
            self.accept(1, packet.bth.opcode.ends_message());
            ReceiveVerdict::Accept
        } else if ahead < Psn::MAX_OUTSTANDING {
            self.gap()
        } else {
            ReceiveVerdict::Duplicate
        }
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        (sent_before(self.expected, psn), self.expected)
    }

    fn at_rest(&self) -> bool {
        self.reads.is_empty()
    }
}

impl Responder {
    /// A responder that expects a first packet with this number.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { expected: first, ..Self::default() }
    }

    /// Returns the progress that an acknowledgement names.
    #[must_use]
    pub const fn progress(&self) -> Progress {
        Progress::new(self.expected, self.msn)
    }

    /// Handles a READ request with a number `ahead` of the expected number. A repeated request is answered again,
    /// from the number that it now names (IBA volume 1, 9.7.5.1.4).
    fn on_read_request(&mut self, packet: &Packet, ahead: u32, rule: &EndpointRule) -> ReceiveVerdict {
        let read = Message::requested_by(packet, rule.mtu);
        if ahead == 0 {
            self.reads.push(read.starting_at(self.expected));
            self.accept(read.end, true);
        } else if ahead < Psn::MAX_OUTSTANDING {
            return self.gap();
        } else {
            let first = sent_before(self.expected, packet.bth.psn);
            // The requester has gone back to this number, and will repeat all later READs. Old responses would only
            // be duplicates.
            self.reads.forget_from(first);
            self.reads.push(read.starting_at(first));
        }
        ReceiveVerdict::ReadRequested
    }

    fn accept(&mut self, packets: u64, ends_message: bool) {
        self.expected += packets;
        self.msn = (self.msn + u32::from(ends_message)) & Psn::MASK;
        self.nak_sent = false;
    }

    fn gap(&mut self) -> ReceiveVerdict {
        // Only the first packet after a gap causes a negative acknowledgement. A repeat would make the requester go
        // back again.
        ReceiveVerdict::Gap { nak_due: !core::mem::replace(&mut self.nak_sent, true) }
    }
}
