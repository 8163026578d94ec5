//! RDMA READs that a responder has been asked for, and their responses.
//!
//! Invariant: responses go in the order of their numbers, which are those that the request took.

use std::collections::VecDeque;

use packet::{Mtu, Psn};

use crate::message::Message;
use crate::transport::Outgoing;

/// The RDMA READs that a responder has yet to answer: at most as many as the requester may have under way.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// In order of their numbers.
    queue: VecDeque<Message>,
    /// The next response of the first of them.
    next: u64,
}

impl Reads {
    /// Whether all are answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// One more.
    pub fn push(&mut self, read: Message) {
        if self.queue.is_empty() {
            self.next = read.first;
        }
        self.queue.push_back(read);
    }

    /// What is numbered so, or higher, is going to be asked for again.
    pub fn forget_from(&mut self, number: u64) {
        self.queue.retain(|read| read.end <= number);
    }

    /// The response that goes next.
    #[must_use]
    pub fn next(&self, mtu: Mtu) -> Option<Outgoing> {
        let read = self.queue.front()?;
        Some(Outgoing {
            segment: read.segment(self.next, mtu),
            psn: Psn::new(self.next as u32),
            queue_pair: read.queue_pair,
            dma_length: 0,
            ack_request: false,
            again: false,
        })
    }

    /// It has gone.
    pub fn sent(&mut self) {
        self.next += 1;
        if self.queue.front().is_some_and(|read| read.end == self.next) {
            self.queue.pop_front();
            self.next = self.queue.front().map_or(self.next, |read| read.first);
        }
    }
}
