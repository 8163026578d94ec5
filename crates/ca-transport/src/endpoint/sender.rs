//! The sender of a queue pair with an unacknowledged service: UC and UD (IBA volume 1, 9.8, cited from memory).
//!
//! Invariant: every packet is sent once, in order, with the next number. A message is complete when its last packet
//! starts to leave.

use packet::Psn;
use units::Time;

use super::{CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Readiness, sent_before};
use crate::message::{MessageKey, Messages};

/// The sender of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sender {
    next: u64,
    posted: u64,
    /// Message of packet `next`.
    head: Option<MessageKey>,
    tail: Option<MessageKey>,
}

state_codec::value!(Sender { next, posted, head, tail });

impl Sender {
    /// A sender that gives its first packet this number.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { next: first, posted: first, ..Self::default() }
    }
}

impl Endpoint for Sender {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        let message = &mut messages[key];
        *message = message.starting_at(self.posted);
        self.posted = message.end;
        match self.tail.replace(key) {
            Some(tail) => messages[tail].next = Some(key),
            None => self.head = Some(key),
        }
    }

    fn readiness(&self, _: &EndpointRule) -> Readiness {
        if self.next < self.posted { Readiness::Ready } else { Readiness::Idle }
    }

    fn next(&self, messages: &Messages, rule: &EndpointRule) -> Option<OutgoingPacket> {
        let message = &messages[self.head?];
        Some(OutgoingPacket {
            segment: message.segment(self.next, rule.mtu),
            psn: Psn::new(self.next as u32),
            queue_pair: message.queue_pair,
            dma_length: message.dma_length(),
            ack_request: false,
            again: false,
        })
    }

    fn next_message(&self) -> Option<MessageKey> {
        self.head
    }

    fn sent(&mut self, messages: &mut Messages, _: Time) -> CompletedMessages {
        self.next += 1;
        // DEVIATION: a message is complete when its last packet starts to leave, instead of when the packet has left:
        // this saves an event per message.
        match self.head {
            Some(key) if messages[key].end == self.next => {
                let queue_pair = messages[key].queue_pair;
                self.head = messages[key].next;
                if self.head.is_none() {
                    self.tail = None;
                }
                messages.remove(key);
                CompletedMessages { queue_pair, messages: 1 }
            }
            _ => CompletedMessages::NONE,
        }
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        (sent_before(self.next, psn), self.next)
    }

    fn at_rest(&self) -> bool {
        self.next == self.posted
    }
}
