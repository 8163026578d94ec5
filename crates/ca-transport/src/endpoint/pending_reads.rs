//! RDMA READs requested of a responder, and their responses.
//!
//! Invariant: the responses to a READ are sent in the order of their numbers, which its request has reserved.

use std::collections::VecDeque;

use packet::Mtu;

use super::OutgoingPacket;
use crate::message::Message;

/// RDMA READs that a responder has yet to answer.
#[derive(Clone, Debug, Default)]
pub struct PendingReads {
    queue: VecDeque<PendingRead>,
}

state_codec::value!(PendingReads { queue });

/// An RDMA READ, or a part of one that was requested again.
#[derive(Clone, Copy, Debug)]
struct PendingRead {
    read: Message,
    /// Number of its next response.
    next: u64,
}

state_codec::value!(PendingRead { read, next });

impl PendingReads {
    /// Returns true if all READs are answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Adds a READ behind all others.
    pub fn push(&mut self, read: Message) {
        self.queue.push_back(PendingRead { read, next: read.first });
    }

    /// Adds a READ behind all others; a `repeated` one before all others, since the requester's window waits for it.
    /// Responses that wait already, however often they are requested, are not added.
    pub fn push_missing(&mut self, mut read: Message, repeated: bool) {
        for pending in &self.queue {
            if pending.next < read.end && read.end <= pending.read.end {
                read.end = pending.next.max(read.first);
            }
        }
        if read.first == read.end {
            return;
        }
        if repeated {
            self.queue.push_front(PendingRead { read, next: read.first });
        } else {
            self.push(read);
        }
    }

    /// Removes the READs that end after this number, which are going to be requested again.
    pub fn forget_from(&mut self, number: u64) {
        self.queue.retain(|pending| pending.read.end <= number);
    }

    /// Returns the next response.
    #[must_use]
    pub fn next(&self, mtu: Mtu) -> Option<OutgoingPacket> {
        let PendingRead { read, next } = self.queue.front()?;
        Some(OutgoingPacket::response(read, *next, mtu))
    }

    /// Handles the start of the response that `next` returned.
    pub fn sent(&mut self) {
        if let Some(pending) = self.queue.front_mut() {
            pending.next += 1;
            if pending.next == pending.read.end {
                self.queue.pop_front();
            }
        }
    }
}
