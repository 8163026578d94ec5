//! The sending half of a queue pair whose service acknowledges nothing: UC and UD (IBA volume 1, 9.8, cited from
//! memory).
//!
//! Invariant: every packet is sent once, in order, with the next number. A message is complete when its last packet
//! starts to leave; nothing is ever known of it again.

use packet::Psn;
use units::Time;

use crate::message::{MessageKey, Messages};
use crate::transport::{Completed, Outgoing, Readiness, Rule, Transport, sent_before};

/// The sending half of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source {
    next: u64,
    posted: u64,
    /// The message of packet `next`.
    head: Option<MessageKey>,
    tail: Option<MessageKey>,
}

impl Source {
    /// One whose first packet has this number.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { next: first, posted: first, ..Self::default() }
    }
}

impl Transport for Source {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        let message = &mut messages[key];
        *message = message.starting_at(self.posted);
        self.posted = message.end;
        match self.tail.replace(key).filter(|_| self.head.is_some()) {
            Some(tail) => messages[tail].next = Some(key),
            None => self.head = Some(key),
        }
    }

    fn readiness(&self, _: &Rule) -> Readiness {
        if self.next < self.posted { Readiness::Ready } else { Readiness::Idle }
    }

    fn next(&self, messages: &Messages, rule: &Rule) -> Option<Outgoing> {
        let message = &messages[self.head?];
        Some(Outgoing {
            segment: message.segment(self.next, rule.mtu),
            psn: Psn::new(self.next as u32),
            queue_pair: message.queue_pair,
            dma_length: 0,
            ack_request: false,
            again: false,
        })
    }

    fn next_message(&self) -> Option<MessageKey> {
        self.head
    }

    fn sent(&mut self, messages: &mut Messages, _: Time) -> Completed {
        self.next += 1;
        // DEVIATION: complete as its last packet starts to leave, not when it has left: one event a message less.
        match self.head {
            Some(key) if messages[key].end == self.next => {
                let queue_pair = messages[key].queue_pair;
                self.head = messages[key].next;
                messages.remove(key);
                Completed { queue_pair, messages: 1 }
            }
            _ => Completed::NONE,
        }
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        (sent_before(self.next, psn), self.next)
    }

    fn at_rest(&self) -> bool {
        self.next == self.posted
    }
}
