//! Transport services: a common trait for their endpoints.
//!
//! Invariant: an endpoint decides which packet is next, and whether a packet that arrives is accepted. It never sends,
//! schedules or owns a packet, and learns the time as an argument.
//!
//! A queue pair of RC, UC or UD has two endpoints; a flow uses a different one at each end. Queue pairs of RD share
//! the endpoints of their end-to-end context. An endpoint implements its part of the trait; the other methods do
//! nothing by default.
//!
//! | endpoint | posts | sends | receives | answers by | module |
//! |---|---|---|---|---|---|
//! | requester (RC) | messages | requests, repeatedly if need be | ACK, NAK, READ responses | | [`requester`] |
//! | responder (RC, RD) | | READ responses | requests, in order | ACK, NAK | [`responder`], [`pending_reads`] |
//! | context (RD) | messages, singly | as a requester | as a requester | | [`ee_context`] |
//! | sender (UC, UD) | messages | requests, once | | | [`sender`] |
//! | responder (RC, any order) | | READ responses | requests, in any order | ACK, NAK, selectively | [`any_order_responder`], [`pending_reads`] |
//! | selective requester (RC) | messages | requests, the missing ones again | ACK, NAK, READ responses in any order | | [`selective_requester`] |
//! | receiver (UC) | | | whole messages | | [`uc_receiver`] |
//! | receiver (UD) | | | every packet by itself | | [`ud_receiver`] |
//!
//! [`any`] is the closed set of them; `send_queue` is common to requesters, [`ring`] is the bitmap of a window,
//! [`progress`] a responder's.

pub mod any;
pub mod any_order_responder;
pub mod ee_context;
pub mod pending_reads;
pub mod progress;
pub mod requester;
pub mod responder;
pub mod ring;
pub mod selective_requester;
mod send_queue;
pub mod sender;
pub mod uc_receiver;
pub mod ud_receiver;

use core::num::NonZeroU32;

use packet::{Mtu, Opcode, Packet, Psn, QpNumber};
use units::{Span, Time};

use crate::message::{Message, MessageKey, Messages, Segment};

/// Parameters of all endpoints of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointRule {
    /// Largest payload of a packet.
    pub mtu: Mtu,
    /// Interval of acknowledgement requests, in packets of a message. The last packet of a message, the packet that
    /// closes the window, and all packets after a time-out also request acknowledgements.
    pub ack_every: u32,
    /// Most packets that may be unacknowledged.
    pub max_outstanding: u64,
    /// Most RDMA READs of a requester in progress, at least 1.
    pub max_reads: u32,
    /// Time without progress after which a requester goes back; `None` for ever.
    pub timeout: Option<Span>,
    /// Number of times that a requester goes back without progress before it gives up.
    pub retry_count: u8,
    /// Order of delivery and repeats of RC.
    pub repeats: RepeatRule,
}

/// Order of delivery, and repeats, of the endpoints of RC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatRule {
    /// Delivery in any order, with selective repeats; `None` for delivery in order, with go-back-N.
    pub any_order: Option<AnyOrderRule>,
    /// Time-out of a requester that repeats selectively with few packets under way; `None` for ever.
    pub low: Option<Span>,
    /// The same with more packets under way, at least as long.
    pub high: Option<Span>,
    /// Most packets under way that are few.
    pub few: u32,
    /// True if each time-out without progress is twice as long as the one before.
    pub doubling: bool,
}

/// Delivery in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyOrderRule {
    /// Packets from the first missing one on that an endpoint can tell apart, 1 to 32,768.
    pub window: u32,
    /// Distance from a missing packet to a later one that has arrived, at which the missing one counts as lost; `None`
    /// if only the time-out tells.
    pub nak_after: Option<NonZeroU32>,
    /// Most packets of a requester under way, at least 1.
    pub cap: u32,
}

impl RepeatRule {
    /// Delivery in order, with go-back-N.
    pub const IN_ORDER: Self = Self { any_order: None, low: None, high: None, few: 0, doubling: false };

    /// Returns the time-out of a selective requester after this number of time-outs without progress.
    #[must_use]
    pub fn time_out(&self, few: bool, retries: u8) -> Option<Span> {
        let first = if few { self.low } else { self.high }?;
        let growth = if self.doubling { 1 << retries.min(32) } else { 1 };
        // A time that never comes may not become a short one, when it is doubled or added to the present.
        Some(Span::from_ps(first.ps().saturating_mul(growth).min(u64::MAX / 2)))
    }
}

impl AnyOrderRule {
    /// Returns the most packets under way, whatever other limits there are.
    #[must_use]
    pub const fn most_under_way(&self) -> u32 {
        if self.cap < self.window { self.cap } else { self.window }
    }
}

/// A packet that an endpoint is about to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutgoingPacket {
    /// Part of the message that the packet carries.
    pub segment: Segment,
    /// Packet sequence number.
    pub psn: Psn,
    /// Queue pair of the message.
    pub queue_pair: QpNumber,
    /// Bytes that an RDMA READ request asks for, or payload of the message of a SEND or an RDMA WRITE; 0 for
    /// responses.
    pub dma_length: u32,
    /// True if the packet requests an acknowledgement.
    pub ack_request: bool,
    /// True if the packet was sent before.
    pub again: bool,
}

impl OutgoingPacket {
    /// The packet of a SEND or an RDMA WRITE with this number, on its first way and without a request.
    #[inline]
    fn data(message: &Message, number: u64, mtu: Mtu) -> Self {
        Self {
            segment: message.segment(number, mtu),
            psn: Psn::new(number as u32),
            queue_pair: message.queue_pair,
            dma_length: message.dma_length(),
            ack_request: false,
            again: false,
        }
    }

    /// The response to an RDMA READ with this number.
    #[inline]
    fn response(read: &Message, number: u64, mtu: Mtu) -> Self {
        Self { dma_length: 0, ..Self::data(read, number, mtu) }
    }

    /// The request for the responses to an RDMA READ from one number to before another.
    #[inline]
    const fn read_request(read: &Message, first: u64, end: u64, mtu: Mtu) -> Self {
        Self {
            segment: Segment { opcode: Opcode::ReadRequest, payload: 0, last: true },
            psn: Psn::new(first as u32),
            queue_pair: read.queue_pair,
            dma_length: read.part(first, end, mtu),
            ack_request: false,
            again: false,
        }
    }
}

/// Readiness of an endpoint to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// No packet to send, or the most READs in progress.
    Idle,
    /// A packet to send, and a closed window.
    WindowClosed,
    /// A packet that may go.
    Ready,
}

/// Completed messages of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedMessages {
    /// The queue pair; meaningless without messages.
    pub queue_pair: QpNumber,
    /// Number of messages.
    pub messages: u32,
}

impl CompletedMessages {
    /// No message.
    pub const NONE: Self = Self { queue_pair: QpNumber(0), messages: 0 };
}

/// Verdict of an endpoint on a packet that has arrived for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveVerdict {
    /// The expected packet.
    Accept,
    /// Accepted, although packets before it are lost for good.
    Resume,
    /// Dropped, as part of a message that lacks a packet.
    Drop {
        /// True for the first packet that reveals the loss.
        first: bool,
    },
    /// Accepted by an endpoint that takes packets in any order, which knows the [`Placement`].
    Placed {
        /// True if the packet is acknowledged without a request.
        answer: bool,
    },
    /// Accepted before.
    Duplicate,
    /// A request for data, which will be sent.
    ReadRequested,
    /// Rejected, since a packet before it is missing; if packets are taken in any order, since it is too far ahead.
    Gap {
        /// True if a negative acknowledgement is due.
        nak_due: bool,
    },
}

/// The place of a packet that was accepted in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Messages that end for the user with this packet.
    pub messages: u32,
    /// Number after the last packet of the WRITE that ends, or of the last READ; of a SEND, number after this packet.
    /// The lower 32 bits.
    pub end: u32,
    /// Distance from the first missing packet to this one; 0 if it was expected.
    pub ahead: u32,
    /// Packets accepted ahead of a missing one, after this packet.
    pub held: u32,
}

state_codec::value!(Placement { messages, end, ahead, held });

/// Outcome of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyOutcome {
    /// Packet that the reply names, as a 64-bit number.
    pub named: u64,
    /// Next packet to be sent, as a 64-bit number.
    pub next: u64,
    /// Packets that this reply is the first to acknowledge.
    pub packets: u32,
    /// Messages that the reply completes.
    pub completed: CompletedMessages,
    /// Verdict on the payload, if the reply is a READ response.
    pub verdict: ReceiveVerdict,
}

/// Outcome of a retransmission time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutOutcome {
    /// There has been progress: nothing to do.
    Progress,
    /// The endpoint went back to the oldest unacknowledged packet.
    WentBack,
    /// The endpoint has gone back too often, and gives up.
    GaveUp,
}

/// An endpoint of a queue pair, or of an end-to-end context.
pub trait Endpoint {
    /// Posts a message.
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        unreachable!("messages are posted to requesters and senders only, not {:?}", messages[key]);
    }

    /// Returns the readiness to send a packet.
    fn readiness(&self, _: &EndpointRule) -> Readiness {
        Readiness::Idle
    }

    /// Returns the next packet, if any may go.
    fn next(&self, _: &Messages, _: &EndpointRule) -> Option<OutgoingPacket> {
        None
    }

    /// Returns the message of the next packet; `None` for packets of no message posted here, such as READ responses.
    fn next_message(&self) -> Option<MessageKey> {
        None
    }

    /// Handles the start of the packet that `next` returned. Returns the messages that are complete thereby.
    fn sent(&mut self, _: &mut Messages, _: Time) -> CompletedMessages {
        CompletedMessages::NONE
    }

    /// Handles a request: a SEND, an RDMA WRITE, or a request for an RDMA READ.
    fn on_data(&mut self, packet: &Packet, _: &EndpointRule) -> ReceiveVerdict {
        unreachable!("a requester or sender received a request: {packet:?}");
    }

    /// Handles an acknowledgement, or a response to an RDMA READ.
    fn on_reply(&mut self, packet: &Packet, _: &mut Messages, _: Time) -> ReplyOutcome {
        unreachable!("an endpoint that requests nothing received a reply: {packet:?}");
    }

    /// Returns the time at which to check for progress; `NEVER` if the endpoint waits for nothing.
    fn deadline(&self, _: &EndpointRule) -> Time {
        Time::NEVER
    }

    /// Handles a time-out, which may be stale.
    fn on_deadline(&mut self, _: &EndpointRule, _: &Messages, _: Time) -> TimeoutOutcome {
        TimeoutOutcome::Progress
    }

    /// Returns two 64-bit numbers: of the packet that a notification names, and of the next packet to be sent. Both
    /// are zero if the endpoint sends nothing.
    fn number_of(&self, _: Psn) -> (u64, u64) {
        (0, 0)
    }

    /// Returns true if packets are left to send, now or later.
    fn has_more(&self, rule: &EndpointRule) -> bool {
        self.readiness(rule) != Readiness::Idle
    }

    /// Returns true if every packet is sent, and acknowledged where the service acknowledges, or given up.
    fn at_rest(&self) -> bool {
        true
    }
}

/// Returns the number of the last packet with this PSN that was sent before packet `next`.
#[must_use]
pub const fn sent_before(next: u64, psn: Psn) -> u64 {
    // Numbers wrap after 2^24 packets. `next` itself is not sent yet, so distance 0 means a full turn.
    let back = Psn::new(next as u32).since(psn);
    next.saturating_sub(if back == 0 { Psn::MASK as u64 + 1 } else { back as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Numbers are reconstructed wherever the 24 bits of the wire have wrapped.
        #[test]
        fn numbers_survive_the_wrap(
            next in 1..1u64 << 40, back in prop_oneof![1..=1u64 << 24, Just(1 << 24)],
        ) {
            let number = next.saturating_sub(back);
            prop_assert_eq!(sent_before(next, Psn::new(number as u32)), number);
        }
    }
}
