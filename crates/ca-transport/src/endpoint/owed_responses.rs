//! RDMA READs requested of a responder that takes requests in any order, and their responses.
//!
//! Invariant: a response that still waits to be sent is not added again, however often it is requested.

use std::collections::VecDeque;

use packet::Mtu;

use super::OutgoingPacket;
use crate::message::Message;

/// Responses that a responder has yet to send.
#[derive(Clone, Debug, Default)]
pub struct OwedResponses {
    queue: VecDeque<OwedRead>,
}

state_codec::value!(OwedResponses { queue });

/// An RDMA READ, or a part of one that was requested again.
#[derive(Clone, Copy, Debug)]
struct OwedRead {
    read: Message,
    /// Number of its next response.
    next: u64,
}

state_codec::value!(OwedRead { read, next });

impl OwedResponses {
    /// Returns true if all responses are sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Adds a READ behind all others; a `repeated` one before all others, since the requester's window waits for it.
    /// Responses that wait already are not added.
    pub fn add(&mut self, mut read: Message, repeated: bool) {
        for owed in &self.queue {
            if owed.next < read.end && read.end <= owed.read.end {
                read.end = owed.next.max(read.first);
            }
        }
        if read.first == read.end {
            return;
        }
        let owed = OwedRead { read, next: read.first };
        if repeated {
            self.queue.push_front(owed);
        } else {
            self.queue.push_back(owed);
        }
    }

    /// Returns the next response.
    #[must_use]
    pub fn next(&self, mtu: Mtu) -> Option<OutgoingPacket> {
        let OwedRead { read, next } = self.queue.front()?;
        Some(OutgoingPacket::response(read, *next, mtu))
    }

    /// Handles the start of the response that `next` returned.
    pub fn sent(&mut self) {
        if let Some(owed) = self.queue.front_mut() {
            owed.next += 1;
            if owed.next == owed.read.end {
                self.queue.pop_front();
            }
        }
    }
}
