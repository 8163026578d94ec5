//! The receiver of an unreliable connection (IBA volume 1, 9.8.2, cited from memory).
//!
//! Invariant: the last packet of a message is accepted only if all packets of the message have arrived. After a gap
//! the rest of the message is dropped, and the next message that begins is accepted.

use packet::{Packet, Psn};

use super::{Endpoint, EndpointRule, ReceiveVerdict};

/// The receiver of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct UcReceiver {
    expected: Psn,
    /// True while a message is in progress and has no gap so far.
    under_way: bool,
}

state_codec::value!(UcReceiver { expected, under_way });

impl UcReceiver {
    /// A receiver that expects a first packet with this number.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { expected: Psn::new(first as u32), ..Self::default() }
    }
}

impl Endpoint for UcReceiver {
    fn on_data(&mut self, packet: &Packet, _: &EndpointRule) -> ReceiveVerdict {
        let opcode = packet.bth.opcode;
        let gap = packet.bth.psn != self.expected;
        // The service repeats nothing: a missing packet never comes, and the next is expected at once.
        self.expected = packet.bth.psn.plus(1);
        if opcode.begins_message() {
            self.under_way = !opcode.ends_message();
            if gap { ReceiveVerdict::Resume } else { ReceiveVerdict::Accept }
        } else if gap || !self.under_way {
            self.under_way = false;
            ReceiveVerdict::Drop { first: gap }
        } else {
            self.under_way = !opcode.ends_message();
            ReceiveVerdict::Accept
        }
    }
}
