//! RDMA READs requested of a responder, and their responses.
//!
//! Invariant: responses are sent in the order of their numbers, which their request has reserved.

use std::collections::VecDeque;

use packet::Mtu;

use super::OutgoingPacket;
use crate::message::Message;

/// RDMA READs that a responder has yet to answer, at most as many as the requester may have in progress.
#[derive(Clone, Debug, Default)]
pub struct PendingReads {
    /// In order of their numbers.
    queue: VecDeque<Message>,
    /// Number of the next response of the first READ.
    next: u64,
}

state_codec::value!(PendingReads { queue, next });

impl PendingReads {
    /// Returns true if all READs are answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Adds a READ.
    pub fn push(&mut self, read: Message) {
        if self.queue.is_empty() {
            self.next = read.first;
        }
        self.queue.push_back(read);
    }

    /// Removes the READs that end after this number, which are going to be requested again.
    pub fn forget_from(&mut self, number: u64) {
        self.queue.retain(|read| read.end <= number);
    }

    /// Returns the next response.
    #[must_use]
    pub fn next(&self, mtu: Mtu) -> Option<OutgoingPacket> {
        let read = self.queue.front()?;
        Some(OutgoingPacket::response(read, self.next, mtu))
    }

    /// Handles the start of the response that `next` returned.
    pub fn sent(&mut self) {
        self.next += 1;
        if self.queue.front().is_some_and(|read| read.end == self.next) {
            self.queue.pop_front();
            self.next = self.queue.front().map_or(self.next, |read| read.first);
        }
    }
}
