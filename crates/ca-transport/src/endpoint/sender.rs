//! The sender of a queue pair with an unacknowledged service: UC and UD (IBA volume 1, 9.8, cited from memory).
//!
//! Invariant: every packet is sent once, in order, with the next number. A message is complete when its last packet
//! starts to leave.

use packet::Psn;
use units::Time;

use super::{CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Readiness, sent_before};
use crate::message::list::MessageList;
use crate::message::{MessageKey, Messages};

/// The sender of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sender {
    next: u64,
    posted: u64,
    /// Messages with packets that are not sent.
    list: MessageList,
}

state_codec::value!(Sender { next, posted, list });

impl Sender {
    /// A sender that gives its first packet this number.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { next: first, posted: first, ..Self::default() }
    }
}

impl Endpoint for Sender {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        self.posted = self.list.push_at(self.posted, key, messages);
    }

    fn readiness(&self, _: &EndpointRule) -> Readiness {
        if self.next < self.posted { Readiness::Ready } else { Readiness::Idle }
    }

    fn next(&self, messages: &Messages, rule: &EndpointRule) -> Option<OutgoingPacket> {
        let message = &messages[self.list.first()?];
        Some(OutgoingPacket::data(message, self.next, rule.mtu))
    }

    fn next_message(&self) -> Option<MessageKey> {
        self.list.first()
    }

    fn sent(&mut self, messages: &mut Messages, _: Time) -> CompletedMessages {
        self.next += 1;
        // DEVIATION: a message is complete when its last packet starts to leave, instead of when the packet has left:
        // this saves an event per message.
        match self.list.remove_before(self.next, messages) {
            Some(message) => CompletedMessages { queue_pair: message.queue_pair, messages: 1 },
            None => CompletedMessages::NONE,
        }
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        (sent_before(self.next, psn), self.next)
    }

    fn at_rest(&self) -> bool {
        self.next == self.posted
    }
}
