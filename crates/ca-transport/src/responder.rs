//! The responder of a reliable service: it takes requests in order only (IBA volume 1, 9.7), and answers RDMA READs.
//!
//! Invariant: every packet is accepted exactly once, in order, whatever is lost or sent twice.
//!
//! ```text
//! expected     packets before it are accepted; a READ takes the numbers of its responses at once
//! ```

use packet::{Opcode, Packet, Psn};
use units::{Bytes, Time};
use workload::Operation;

use crate::message::{Message, Messages};
use crate::read::Reads;
use crate::transport::{Completed, Outgoing, Readiness, Rule, Transport, Verdict, sent_before};

/// The responding half of a queue pair, or of an end-to-end context.
#[derive(Clone, Debug, Default)]
pub struct Responder {
    expected: u64,
    /// Messages completed (IBA `MSN`), 24 bits on the wire.
    msn: u32,
    /// A negative acknowledgement is out for `expected`.
    complained: bool,
    reads: Reads,
}

impl Transport for Responder {
    fn readiness(&self, _: &Rule) -> Readiness {
        if self.reads.is_empty() { Readiness::Idle } else { Readiness::Ready }
    }

    fn next(&self, _: &Messages, rule: &Rule) -> Option<Outgoing> {
        self.reads.next(rule.mtu)
    }

    fn sent(&mut self, _: &mut Messages, _: Time) -> Completed {
        self.reads.sent();
        Completed::NONE
    }

    fn on_data(&mut self, packet: &Packet, rule: &Rule) -> Verdict {
        let ahead = packet.bth.psn.since(Psn::new(self.expected as u32));
        if packet.bth.opcode == Opcode::ReadRequest {
            return self.asked(packet, ahead, rule);
        }
        if ahead == 0 {
            self.accept(1, packet.bth.opcode.ends_message());
            Verdict::Accept
        } else if ahead < Psn::MAX_OUTSTANDING {
            self.gap()
        } else {
            Verdict::Duplicate
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
    /// One that expects a first packet with this number.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { expected: first, ..Self::default() }
    }

    /// The packet that is due next.
    #[must_use]
    pub const fn expected(&self) -> Psn {
        Psn::new(self.expected as u32)
    }

    /// The last packet accepted: what an acknowledgement names.
    #[must_use]
    pub const fn accepted(&self) -> Psn {
        self.expected().plus(Psn::MASK)
    }

    /// Messages completed, modulo 2^24.
    #[must_use]
    pub const fn msn(&self) -> u32 {
        self.msn
    }

    /// A READ request came in, this far ahead of what is expected. One that comes again is answered again, from where
    /// it now asks on (IBA volume 1, 9.7.5.1.4).
    fn asked(&mut self, packet: &Packet, ahead: u32, rule: &Rule) -> Verdict {
        let (queue_pair, bytes) = (packet.bth.destination_qp, Bytes::new(u64::from(packet.dma_length)));
        let read = Message::new(queue_pair, Operation::RdmaRead, bytes, rule.mtu);
        if ahead == 0 {
            self.reads.push(read.starting_at(self.expected));
            self.accept(read.end, true);
        } else if ahead < Psn::MAX_OUTSTANDING {
            return self.gap();
        } else {
            let first = sent_before(self.expected, packet.bth.psn);
            self.reads.forget_from(first);
            self.reads.push(read.starting_at(first));
        }
        Verdict::Asked
    }

    fn accept(&mut self, packets: u64, ends_message: bool) {
        self.expected += packets;
        self.msn = (self.msn + u32::from(ends_message)) & Psn::MASK;
        self.complained = false;
    }

    fn gap(&mut self) -> Verdict {
        Verdict::Gap { complain: !core::mem::replace(&mut self.complained, true) }
    }
}
