//! The reliable connection (RC): a requester that numbers packets and goes back when one is missing, and
//! a responder that takes them in order only (IBA volume 1, 9.7).
//!
//! Invariant: inside, packets are counted from the queue pair's first with 64 bits; only the wire sees
//! 24. The responder accepts every packet exactly once, in order, whatever is lost or sent twice.
//!
//! ```text
//! requester:  unacked <= next <= posted      (packets before `unacked` are acknowledged)
//! responder:  expected                       (packets before it are accepted)
//! ```

use core::{num::NonZeroU32, ops::Range};

use packet::{Mtu, Psn};
use units::{Bytes, Span, Time};
use workload::spec::Operation;

use crate::message::{Message, MessageKey, Messages, Segment};

/// What holds for every requester of an adapter.
#[derive(Clone, Copy, Debug)]
pub struct RequesterRule {
    /// The largest payload of a packet.
    pub mtu: Mtu,
    /// A packet whose number in its message is a multiple of this asks for an acknowledgement; so do a
    /// message's last packet, the one that closes the window, and all that follow a time-out.
    pub ack_every: u32,
    /// The most packets that may be unacknowledged.
    pub max_outstanding: u64,
    /// How long to wait for progress before going back; for ever if none.
    pub timeout: Option<Span>,
    /// How often to go back without progress before giving up.
    pub retry_count: u8,
}

/// The sending half of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct Requester {
    unacked: u64,
    next: u64,
    posted: u64,
    /// After the highest packet ever sent: what lies below and is sent is sent again.
    highest: u64,
    head: Option<MessageKey>,
    tail: Option<MessageKey>,
    /// The message of packet `next`.
    cursor: Option<MessageKey>,
    progress: Time,
    /// The most packets that may be unacknowledged by the word of congestion control.
    window: Option<NonZeroU32>,
    retries: u8,
    failed: bool,
}

/// A packet that a requester is about to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Its part of the message.
    pub segment: Segment,
    /// Its number.
    pub psn: Psn,
    /// Whether it asks for an acknowledgement.
    pub ack_request: bool,
    /// Whether it was sent before.
    pub again: bool,
}

/// What a requester does when its timer rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overdue {
    /// Nothing: there has been progress.
    No,
    /// It went back to the oldest unacknowledged packet.
    WentBack,
    /// It has gone back too often, and gives up.
    GaveUp,
}

impl Requester {
    /// Takes a message to send.
    pub fn post(&mut self, bytes: Bytes, messages: &mut Messages, rule: &RequesterRule) {
        let message = Message::new(self.posted, bytes, rule.mtu);
        self.posted = message.end;
        let key = messages.insert(message);
        match self.tail.replace(key) {
            Some(tail) => messages[tail].next = Some(key),
            None => self.head = Some(key),
        }
        self.cursor.get_or_insert(key);
    }

    /// The packet that would go next, if one may.
    #[must_use]
    pub fn outgoing(
        &self,
        messages: &Messages,
        operation: Operation,
        rule: &RequesterRule,
    ) -> Option<Outgoing> {
        if !self.may_send(rule) {
            return None;
        }
        let message = &messages[self.cursor?];
        let segment = message.segment(self.next, rule.mtu, operation);
        let number = self.next - message.first + 1;
        Some(Outgoing {
            segment,
            psn: Psn::new(self.next as u32),
            // A window of the response's may shrink to one packet while any number of them is under way, and one
            // packet of it has to ask; so all ask.
            ack_request: segment.last
                || number.is_multiple_of(u64::from(rule.ack_every))
                || self.next + 1 - self.unacked == rule.max_outstanding
                || self.retries > 0
                || self.window.is_some(),
            again: self.next < self.highest,
        })
    }

    /// Whether a packet may go: there is one, and the window is open.
    #[must_use]
    pub fn may_send(&self, rule: &RequesterRule) -> bool {
        self.next < self.posted && self.next - self.unacked < self.most_outstanding(rule) && !self.failed
    }

    /// Whether there is a packet, and the window is closed.
    #[must_use]
    pub fn window_closed(&self, rule: &RequesterRule) -> bool {
        self.next < self.posted && self.next - self.unacked >= self.most_outstanding(rule)
    }

    /// Sets how many packets congestion control lets be unacknowledged, at least 1; `u32::MAX` for any number.
    pub fn set_window(&mut self, packets: u32) {
        self.window = NonZeroU32::new(packets).filter(|packets| packets.get() != u32::MAX);
    }

    /// The packets under way: from the oldest that is not acknowledged to before the next to be sent.
    #[must_use]
    pub const fn under_way(&self) -> Range<u64> {
        self.unacked..self.next
    }

    /// The packet that an acknowledgement names, counted from the first: within half the circle of the oldest
    /// that is not acknowledged.
    #[must_use]
    pub const fn number_of(&self, psn: Psn) -> u64 {
        let oldest = Psn::new(self.unacked as u32);
        let ahead = psn.since(oldest);
        if ahead < Psn::MAX_OUTSTANDING {
            self.unacked + ahead as u64
        } else {
            self.unacked.saturating_sub(oldest.since(psn) as u64)
        }
    }

    fn most_outstanding(&self, rule: &RequesterRule) -> u64 {
        self.window.map_or(rule.max_outstanding, |window| rule.max_outstanding.min(u64::from(window.get())))
    }

    /// The packet that `outgoing` named has gone.
    pub fn sent(&mut self, messages: &Messages, now: Time) {
        if self.next == self.unacked {
            self.progress = now;
        }
        self.next += 1;
        self.highest = self.highest.max(self.next);
        if let Some(key) = self.cursor
            && messages[key].end == self.next
        {
            self.cursor = messages[key].next;
        }
    }

    /// Everything up to and with `psn` is acknowledged. Returns how many messages that completes.
    pub fn acknowledged(&mut self, psn: Psn, messages: &mut Messages, now: Time) -> u32 {
        let ahead = u64::from(psn.plus(1).since(Psn::new(self.unacked as u32)));
        if ahead == 0 || ahead > self.highest - self.unacked {
            return 0; // A repeated acknowledgement, from before.
        }
        self.unacked += ahead;
        self.progress = now;
        self.retries = 0;
        self.complete(messages)
    }

    /// The responder misses `psn`: everything before it is acknowledged, and it goes next.
    pub fn sequence_error(&mut self, psn: Psn, messages: &mut Messages, now: Time) -> u32 {
        let completed = self.acknowledged(psn.plus(Psn::MASK), messages, now);
        if Psn::new(self.unacked as u32) == psn {
            self.go_back();
        }
        completed
    }

    /// When to look whether there has been progress; `NEVER` if nothing is unacknowledged.
    #[must_use]
    pub fn deadline(&self, rule: &RequesterRule) -> Time {
        match rule.timeout {
            Some(timeout) if self.next > self.unacked && !self.failed => self.progress + timeout,
            _ => Time::NEVER,
        }
    }

    /// The timer rings; it may be stale.
    pub fn on_deadline(&mut self, rule: &RequesterRule, now: Time) -> Overdue {
        if self.deadline(rule) > now {
            return Overdue::No;
        }
        if self.retries == rule.retry_count {
            self.failed = true;
            return Overdue::GaveUp;
        }
        self.retries += 1;
        self.progress = now;
        self.go_back();
        Overdue::WentBack
    }

    /// Whether everything posted is acknowledged, or never will be.
    #[must_use]
    pub const fn at_rest(&self) -> bool {
        self.unacked == self.posted || self.failed
    }

    fn go_back(&mut self) {
        self.next = self.unacked;
        self.cursor = self.head;
    }

    /// Lets go of messages that are acknowledged to their last packet.
    fn complete(&mut self, messages: &mut Messages) -> u32 {
        let mut completed = 0;
        while let Some(key) = self.head
            && messages[key].end <= self.unacked
        {
            self.head = messages[key].next;
            if self.head.is_none() {
                self.tail = None;
            }
            messages.remove(key);
            completed += 1;
        }
        // An acknowledgement may overtake a requester that went back: what it had sent has arrived after all.
        if self.next < self.unacked {
            self.next = self.unacked;
            self.cursor = self.head;
        }
        completed
    }
}

/// The receiving half of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct Responder {
    expected: u64,
    /// Messages completed (IBA `MSN`), 24 bits on the wire.
    msn: u32,
    /// A negative acknowledgement is out for `expected`.
    complained: bool,
}

/// What a responder makes of a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the next one.
    Accept,
    /// It was accepted before.
    Duplicate,
    /// One before it is missing; `complain` says whether to say so, once.
    Gap {
        /// Whether a negative acknowledgement is due.
        complain: bool,
    },
}

impl Responder {
    /// A data packet came in.
    pub fn data(&mut self, psn: Psn, ends_message: bool) -> Verdict {
        let ahead = psn.since(Psn::new(self.expected as u32));
        if ahead == 0 {
            self.expected += 1;
            self.msn = (self.msn + u32::from(ends_message)) & Psn::MASK;
            self.complained = false;
            Verdict::Accept
        } else if ahead < Psn::MAX_OUTSTANDING {
            Verdict::Gap { complain: !core::mem::replace(&mut self.complained, true) }
        } else {
            Verdict::Duplicate
        }
    }

    /// The packet that is due next.
    #[must_use]
    pub const fn expected(&self) -> Psn {
        Psn::new(self.expected as u32)
    }

    /// The last packet accepted: what an acknowledgement names.
    #[must_use]
    pub const fn accepted(&self) -> Psn {
        self.expected().plus(Psn::MASK)
    }

    /// Messages completed, modulo 2^24.
    #[must_use]
    pub const fn msn(&self) -> u32 {
        self.msn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    const RULE: RequesterRule = RequesterRule {
        mtu: Mtu::B256,
        ack_every: 4,
        max_outstanding: 16,
        timeout: Some(Span::from_us(100)),
        retry_count: 7,
    };

    enum Reply {
        Ack(Psn),
        Nak(Psn),
    }

    proptest! {
        /// Whatever the wire loses in either direction, every packet is accepted once and in order, every
        /// message completes, and the window is never exceeded.
        #[test]
        fn go_back_n_delivers_everything_in_order(
            sizes in prop::collection::vec(1..3000u64, 1..20),
            losses in prop::collection::vec(prop::bool::weighted(0.2), 200),
        ) {
            let (mut requester, mut responder, mut messages) =
                (Requester::default(), Responder::default(), Messages::default());
            for size in &sizes {
                requester.post(Bytes::new(*size), &mut messages, &RULE);
            }
            let mut lost = losses.into_iter().chain(std::iter::repeat(false));
            let (mut data, mut replies) = (VecDeque::new(), VecDeque::new());
            let (mut now, mut accepted, mut completed) = (Time::ZERO, 0u64, 0u32);
            while !requester.at_rest() {
                now += Span::from_us(1);
                if let Some(out) = requester.outgoing(&messages, Operation::Send, &RULE) {
                    requester.sent(&messages, now);
                    prop_assert!(requester.next - requester.unacked <= RULE.max_outstanding);
                    if lost.next() == Some(false) { data.push_back(out); }
                } else if let Some(out) = data.pop_front() {
                    match responder.data(out.psn, out.segment.last) {
                        Verdict::Accept => {
                            prop_assert_eq!(out.psn, Psn::new(accepted as u32));
                            accepted += u64::from(out.segment.payload > 0);
                            if out.ack_request && lost.next() == Some(false) {
                                replies.push_back(Reply::Ack(responder.accepted()));
                            }
                        }
                        Verdict::Duplicate => replies.push_back(Reply::Ack(responder.accepted())),
                        Verdict::Gap { complain: true } => replies.push_back(Reply::Nak(responder.expected())),
                        Verdict::Gap { complain: false } => {}
                    }
                } else if let Some(reply) = replies.pop_front() {
                    completed += match reply {
                        Reply::Ack(psn) => requester.acknowledged(psn, &mut messages, now),
                        Reply::Nak(psn) => requester.sequence_error(psn, &mut messages, now),
                    };
                } else {
                    now = requester.deadline(&RULE);
                    prop_assert_ne!(now, Time::NEVER);
                    prop_assert_ne!(requester.on_deadline(&RULE, now), Overdue::No);
                }
            }
            prop_assert!(!requester.failed);
            prop_assert_eq!(completed as usize, sizes.len());
            prop_assert_eq!(responder.msn() as usize, sizes.len());
            prop_assert!(messages.is_empty());
        }
    }

    #[test]
    fn a_window_shorter_than_the_acknowledgement_interval_does_not_stall() {
        let rule = RequesterRule { ack_every: 1000, max_outstanding: 3, timeout: None, ..RULE };
        let (mut requester, mut messages) = (Requester::default(), Messages::default());
        requester.post(Bytes::new(256 * 100), &mut messages, &rule);
        let mut asked = Vec::new();
        while let Some(out) = requester.outgoing(&messages, Operation::Send, &rule) {
            requester.sent(&messages, Time::ZERO);
            asked.push(out.ack_request);
        }
        assert_eq!(asked, [false, false, true]);
    }

    #[test]
    fn a_dead_peer_is_given_up_after_the_last_retry() {
        let (mut requester, mut messages) = (Requester::default(), Messages::default());
        requester.post(Bytes::new(1), &mut messages, &RULE);
        requester.sent(&messages, Time::ZERO);
        let mut rings = 0;
        loop {
            rings += 1;
            let at = requester.deadline(&RULE);
            if requester.on_deadline(&RULE, at) == Overdue::GaveUp {
                break;
            }
            requester.sent(&messages, at);
        }
        assert_eq!(rings, 1 + u32::from(RULE.retry_count));
        assert!(requester.at_rest() && !requester.may_send(&RULE));
    }
}
