//! The receiving half of an unreliable connection (IBA volume 1, 9.8.2, cited from memory).
//!
//! Invariant: a message is accepted to its last packet only if all of it came. After a gap the rest of the message is
//! dropped, and the next message that begins is taken up.

use packet::{Packet, Psn};

use crate::transport::{Rule, Transport, Verdict};

/// The receiving half of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct UcSink {
    expected: Psn,
    /// A message has begun, and has come without a gap so far.
    under_way: bool,
}

impl UcSink {
    /// One that expects a first packet with this number.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { expected: Psn::new(first as u32), ..Self::default() }
    }
}

impl Transport for UcSink {
    fn on_data(&mut self, packet: &Packet, _: &Rule) -> Verdict {
        let opcode = packet.bth.opcode;
        let gap = packet.bth.psn != self.expected;
        self.expected = packet.bth.psn.plus(1);
        if opcode.begins_message() {
            self.under_way = !opcode.ends_message();
            if gap { Verdict::Resume } else { Verdict::Accept }
        } else if gap || !self.under_way {
            self.under_way = false;
            Verdict::Drop { first: gap }
        } else {
            self.under_way = !opcode.ends_message();
            Verdict::Accept
        }
    }
}
