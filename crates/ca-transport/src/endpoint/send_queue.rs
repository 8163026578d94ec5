//! The send queue of a reliable requester: its messages, and the numbers of their packets.
//!
//! Invariant: packets are counted from the first with 64 bits; only the wire carries 24. A packet that is
//! acknowledged, or that has arrived as the response to an RDMA READ, is never sent or requested again.
//!
//! ```text
//! unacked <= next <= posted      (packets before `unacked` are acknowledged, or have arrived)
//! ```
//!
//! An RDMA READ is a single request packet that reserves the numbers of all its responses, or a few for its parts.
//! The packets in flight are either data or READs, never both. A queue pair here has one flow, and a context sends
//! its messages singly.
//!
//! Which packets are sent again, and when, is up to the requester.

use core::num::{NonZeroU32, NonZeroU64};

use packet::Psn;
use units::Time;
use workload::Operation;

use super::{CompletedMessages, EndpointRule, OutgoingPacket, Readiness};
use crate::message::list::MessageList;
use crate::message::{MessageKey, Messages};

/// The send queue of a requester. The fields that every packet needs stand first.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct SendQueue {
    /// True once the requester has given up.
    pub(super) failed: bool,
    /// True while the requester recovers from a loss, by its own rule.
    pub(super) recovering: bool,
    /// RDMA READs in progress, at most 255. Requests of parts of a READ count as one.
    reads: u8,
    pub(super) retries: u8,
    /// Congestion window, in packets; `None` if unlimited.
    window: Option<NonZeroU32>,
    pub(super) unacked: u64,
    pub(super) next: u64,
    posted: u64,
    /// End of the message of packet `next`, if that message is an RDMA READ.
    read_end: Option<NonZeroU64>,
    pub(super) progress: Time,
    /// Message of packet `next`.
    pub(super) cursor: Option<MessageKey>,
    /// Messages with packets that are not acknowledged.
    list: MessageList,
}

state_codec::value!(SendQueue {
    failed,
    recovering,
    reads,
    retries,
    window,
    unacked,
    next,
    posted,
    read_end,
    progress,
    cursor,
    list,
});

impl SendQueue {
    /// A queue that gives its first packet this number.
    pub(super) fn starting_at(first: u64) -> Self {
        Self { unacked: first, next: first, posted: first, ..Self::default() }
    }

    /// Posts a message.
    #[inline]
    pub(super) fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        self.posted = self.list.push_at(self.posted, key, messages);
        if self.cursor.is_none() {
            self.set_cursor(Some(key), messages);
        }
    }

    /// Sets the congestion window in packets, at least 1; `u32::MAX` for no limit.
    #[inline]
    pub(super) fn set_window(&mut self, packets: u32) {
        self.window = NonZeroU32::new(packets).filter(|packets| packets.get() != u32::MAX);
    }

    /// Returns the number of RDMA READs in progress.
    pub(super) const fn reads(&self) -> u32 {
        self.reads as u32
    }

    /// Returns the end of the message of packet `next`, if that message is an RDMA READ.
    pub(super) fn read_end(&self) -> Option<u64> {
        self.read_end.map(NonZeroU64::get)
    }

    /// Returns true if packet `next` is posted, and requests an RDMA READ.
    #[inline]
    pub(super) const fn reads_next(&self) -> bool {
        self.read_end.is_some() && self.next < self.posted
    }

    /// Returns the oldest message.
    pub(super) const fn oldest(&self) -> Option<MessageKey> {
        self.list.first()
    }

    /// Returns the readiness to send packet `next`, with at most this many packets under way.
    #[inline]
    pub(super) fn readiness(&self, most: u64, rule: &EndpointRule) -> Readiness {
        if self.next >= self.posted || self.failed {
            Readiness::Idle
        } else if let Some(end) = self.read_end {
            // The numbers of all packets in flight must be distinguishable on the wire, too.
            let distinguishable = end.get() - self.unacked <= u64::from(Psn::MAX_OUTSTANDING);
            // A READ goes alone if its numbers exceed what the wire can distinguish: otherwise it could never go.
            let may = self.reads == 0 || u32::from(self.reads) < rule.max_reads && distinguishable;
            if may { Readiness::Ready } else { Readiness::Idle }
        } else if self.next - self.unacked < self.window.map_or(most, |own| most.min(u64::from(own.get()))) {
            Readiness::Ready
        } else {
            Readiness::WindowClosed
        }
    }

    /// Returns packet `next`, which is [ready](Self::readiness): data, which request an acknowledgement in any case if
    /// the requester is `anxious`, or the request of an RDMA READ.
    #[inline]
    pub(super) fn outgoing(
        &self,
        most: u64,
        anxious: bool,
        messages: &Messages,
        rule: &EndpointRule,
    ) -> Option<OutgoingPacket> {
        let message = &messages[self.cursor?];
        if self.read_end.is_some() {
            return Some(OutgoingPacket::read_request(message, self.next, message.end, rule.mtu));
        }
        let out = OutgoingPacket::data(message, self.next, rule.mtu);
        let number = self.next - message.first + 1;
        Some(OutgoingPacket {
            // Each window must contain a request for an acknowledgement, or sending stops until the time-out. A window
            // may shrink to a single packet at any time, so with a window every packet requests an acknowledgement.
            ack_request: out.segment.last
                || number.is_multiple_of(u64::from(rule.ack_every))
                || self.next + 1 - self.unacked == most
                || anxious
                || self.window.is_some(),
            ..out
        })
    }

    /// Handles the start of packet `next`.
    #[inline]
    pub(super) fn sent(&mut self, messages: &Messages, now: Time) {
        // The wait for progress begins with the oldest unacknowledged packet, not with the idle time before it.
        if self.next == self.unacked {
            self.progress = now;
        }
        // The request reserves the numbers of all its responses.
        if let Some(end) = self.read_end {
            self.next = end.get();
            self.reads += 1;
        } else {
            self.next += 1;
        }
        self.pass_message(messages);
    }

    /// Handles the start of a packet that requests the responses from `next` to before `end`: those of a READ, or a
    /// part of them, `again` if an earlier part is requested.
    pub(super) fn requested(&mut self, end: u64, again: bool, messages: &Messages, now: Time) {
        if self.next == self.unacked {
            self.progress = now;
        }
        self.next = end;
        self.reads += u8::from(!again);
        self.pass_message(messages);
    }

    /// Moves on to the next message if the present one ends before packet `next`.
    #[inline]
    fn pass_message(&mut self, messages: &Messages) {
        if let Some(key) = self.cursor
            && messages[key].end == self.next
        {
            self.set_cursor(messages[key].next, messages);
        }
    }

    /// Handles the acknowledgement of all packets before `unacked`, which is progress. Removes the messages that are
    /// complete.
    #[inline]
    pub(super) fn advance(&mut self, unacked: u64, messages: &mut Messages, now: Time) -> CompletedMessages {
        self.unacked = unacked;
        self.progress = now;
        self.retries = 0;
        let mut completed = CompletedMessages::NONE;
        while let Some(message) = self.list.remove_before(unacked, messages) {
            // A READ that was not requested again after going back is not in progress.
            if message.operation == Operation::RdmaRead && message.end <= self.next {
                self.reads -= 1;
            }
            completed =
                CompletedMessages { queue_pair: message.queue_pair, messages: completed.messages + 1 };
        }
        completed
    }

    /// Makes the first unacknowledged packet the next.
    pub(super) fn go_back(&mut self, messages: &Messages) {
        self.next = self.unacked;
        self.reads = 0;
        self.set_cursor(self.list.first(), messages);
    }

    /// Returns true if packets are under way that could be lost.
    #[inline]
    pub(super) const fn waits(&self) -> bool {
        self.next > self.unacked && !self.failed
    }

    /// Counts a time-out. Returns false if that was one too many, and the requester gives up.
    pub(super) const fn retry(&mut self, rule: &EndpointRule, now: Time) -> bool {
        self.failed = self.retries == rule.retry_count;
        if !self.failed {
            self.retries += 1;
            self.progress = now;
        }
        !self.failed
    }

    /// Returns the 64-bit number of the packet that a reply names. It lies within half the PSN circle of the oldest
    /// unacknowledged packet.
    #[inline]
    pub(super) const fn nearest(&self, psn: Psn) -> u64 {
        let oldest = Psn::new(self.unacked as u32);
        let ahead = psn.since(oldest);
        if ahead < Psn::MAX_OUTSTANDING {
            self.unacked + ahead as u64
        } else {
            self.unacked.saturating_sub(oldest.since(psn) as u64)
        }
    }

    /// Returns true if every packet is acknowledged, or given up.
    #[inline]
    pub(super) const fn at_rest(&self) -> bool {
        self.unacked == self.posted || self.failed
    }

    /// Returns true if READs are in progress.
    #[inline]
    pub(super) fn reading(&self, messages: &Messages) -> bool {
        self.list.first().is_some_and(|key| messages[key].operation == Operation::RdmaRead)
    }

    /// Makes `cursor` the message of the next packet.
    #[inline]
    fn set_cursor(&mut self, cursor: Option<MessageKey>, messages: &Messages) {
        self.cursor = cursor;
        let read = |key: MessageKey| Some(&messages[key]).filter(|at| at.operation == Operation::RdmaRead);
        self.read_end = cursor.and_then(read).and_then(|message| NonZeroU64::new(message.end));
    }
}
