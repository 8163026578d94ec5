//! The responder of a reliable connection that takes packets in any order.
//!
//! Invariant: every packet is accepted exactly once, as far ahead of the first missing packet as the window reaches.
//!
//! ```text
//! expected     packets before it are accepted; itself it is missing
//! arrived      packets from `expected` on that are accepted, fewer than `window` ahead
//! ```
//!
//! The payload goes to its place at once. What the user notices is the end of a message:
//!
//! | operation | a message ends for the user |
//! |---|---|
//! | RDMA WRITE | when all of its packets have arrived, whatever else is missing: memory needs no order |
//! | SEND | when all of its packets and all earlier messages have arrived: receive requests are used in order |
//! | RDMA READ | at the requester, as a WRITE. Requests are answered as they come: a queue pair has one operation here, so nothing before a READ can change its data |
//!
//! Each acknowledgement names the first missing packet, and the packet that it answers if that is ahead (Mittal and
//! others, "Revisiting Network Support for RDMA", SIGCOMM 2018: IRN). It is negative once the packet is
//! [`nak_after`](super::AnyOrderRule::nak_after) numbers ahead.

use packet::{Opcode, Packet, Psn};
use units::Time;

use super::pending_reads::PendingReads;
use super::progress::Progress;
use super::ring::Ring;
use super::{
    CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Placement, Readiness, ReceiveVerdict,
    sent_before,
};
use crate::message::{Message, Messages};

/// The responder of a queue pair.
#[derive(Clone, Debug)]
pub struct AnyOrderResponder {
    expected: u64,
    /// Messages completed in order (IBA `MSN`), 24 bits on the wire.
    msn: u32,
    /// Most packets from `expected` on that are told apart.
    window: u32,
    /// Packets accepted ahead of `expected`.
    ahead: u32,
    arrived: Ring,
    /// Of the arrived packets, the first and the last of their messages.
    begins: Ring,
    ends: Ring,
    reads: PendingReads,
    /// The packet accepted last.
    placed: Placement,
}

state_codec::value!(AnyOrderResponder { expected, msn, window, ahead, arrived, begins, ends, reads, placed });

impl Endpoint for AnyOrderResponder {
    fn readiness(&self, _: &EndpointRule) -> Readiness {
        if self.reads.is_empty() { Readiness::Idle } else { Readiness::Ready }
    }

    fn next(&self, _: &Messages, rule: &EndpointRule) -> Option<OutgoingPacket> {
        self.reads.next(rule.mtu)
    }

    fn sent(&mut self, _: &mut Messages, _: Time) -> CompletedMessages {
        self.reads.sent();
        CompletedMessages::NONE
    }

    fn on_data(&mut self, packet: &Packet, rule: &EndpointRule) -> ReceiveVerdict {
        if packet.bth.opcode == Opcode::ReadRequest {
            return self.on_read_request(packet, rule);
        }
        let ahead = packet.bth.psn.since(Psn::new(self.expected as u32));
        let number = self.expected + u64::from(ahead);
        if ahead >= Psn::MAX_OUTSTANDING {
            ReceiveVerdict::Duplicate
        } else if ahead >= self.window {
            ReceiveVerdict::Gap { nak_due: false }
        } else if self.arrived.has(number) {
            ReceiveVerdict::Duplicate
        } else {
            ReceiveVerdict::Placed { answer: self.place(number, packet.bth.opcode) }
        }
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        (sent_before(self.expected, psn), self.expected)
    }

    fn at_rest(&self) -> bool {
        self.reads.is_empty()
    }
}

impl AnyOrderResponder {
    /// A responder that expects a first packet with this number, and accepts packets fewer than `window` ahead of the
    /// first missing packet.
    #[must_use]
    pub fn starting_at(first: u64, window: u32) -> Self {
        let ring = Ring::new(window);
        Self {
            expected: first,
            msn: 0,
            window,
            ahead: 0,
            arrived: ring.clone(),
            begins: ring.clone(),
            ends: ring,
            reads: PendingReads::default(),
            placed: Placement::default(),
        }
    }

    /// Returns the bytes of memory of a responder with this window, beside its place among the endpoints.
    #[must_use]
    pub const fn bytes(window: u32) -> usize {
        size_of::<Self>() + 3 * Ring::bytes(window)
    }

    /// Returns the progress that an acknowledgement names.
    #[must_use]
    pub const fn progress(&self) -> Progress {
        Progress::new(self.expected, self.msn)
    }

    /// Returns the packet accepted last.
    #[must_use]
    pub const fn placed(&self) -> Placement {
        self.placed
    }

    /// Returns the number of packets ahead of a missing one that end a message.
    #[must_use]
    pub fn ends_ahead(&self) -> u32 {
        self.ends.count()
    }

    /// Accepts a packet with a number of the window, which has not arrived before. Returns true if it is acknowledged
    /// without a request.
    fn place(&mut self, number: u64, opcode: Opcode) -> bool {
        self.arrived.set(number);
        if opcode.begins_message() {
            self.begins.set(number);
        }
        if opcode.ends_message() {
            self.ends.set(number);
        }
        let written = if opcode.is_write() { self.message_around(number) } else { None };
        let ahead = (number - self.expected) as u32;
        let before = self.ahead;
        let passed = if ahead == 0 {
            self.advance()
        } else {
            self.ahead += 1;
            0
        };
        self.placed = Placement {
            messages: if opcode.is_write() { u32::from(written.is_some()) } else { passed },
            end: written.unwrap_or(number + 1) as u32,
            ahead,
            held: self.ahead,
        };
        // The requester must learn that the packets behind a filled gap are acknowledged. Their own acknowledgements
        // could not say so.
        before != self.ahead
    }

    /// Moves on to the first missing packet. Returns the number of messages that end before it.
    fn advance(&mut self) -> u32 {
        let limit = self.expected + u64::from(self.window);
        let next = self.arrived.next_clear(self.expected, limit);
        self.arrived.clear(self.expected, next);
        self.begins.clear(self.expected, next);
        let messages = self.ends.clear(self.expected, next);
        // The packet that arrived now was not ahead.
        self.ahead -= (next - self.expected) as u32 - 1;
        self.expected = next;
        self.msn = (self.msn + messages) & Psn::MASK;
        messages
    }

    /// Returns the end of the message of an arrived packet if no packet of the message is missing.
    fn message_around(&self, number: u64) -> Option<u64> {
        let limit = self.expected + u64::from(self.window);
        // All packets before the window have arrived, so a message may begin there.
        if let Some(missing) = self.arrived.last_clear(self.expected, number)
            && self.begins.last_set(missing, number + 1).is_none()
        {
            return None;
        }
        let end = self.ends.next_set(number, limit);
        (end < self.arrived.next_clear(number, limit)).then_some(end + 1)
    }

    /// Handles a READ request. A request from before the highest number is a repeat, or was overtaken.
    fn on_read_request(&mut self, packet: &Packet, rule: &EndpointRule) -> ReceiveVerdict {
        let ahead = packet.bth.psn.since(Psn::new(self.expected as u32));
        let repeated = ahead >= Psn::MAX_OUTSTANDING;
        let first = if repeated {
            sent_before(self.expected, packet.bth.psn)
        } else {
            self.expected + u64::from(ahead)
        };
        let read = Message::requested_by(packet, rule.mtu).starting_at(first);
        self.reads.push_missing(read, repeated);
        if read.end > self.expected {
            self.expected = read.end;
            self.msn = (self.msn + 1) & Psn::MASK;
        }
        ReceiveVerdict::ReadRequested
    }
}
