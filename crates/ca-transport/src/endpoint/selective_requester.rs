//! The requester of a reliable connection that repeats missing packets alone, as IRN does (Mittal and others,
//! "Revisiting Network Support for RDMA", SIGCOMM 2018, 3.1 and 3.2).
//!
//! Invariant: packets are counted from the first with 64 bits. `next` never goes back: a packet from before it is sent
//! again only as a repeat, and only while it is not acknowledged.
//!
//! ```text
//! unacked <= highest <= next <= posted
//! acked     packets from `unacked` on that are acknowledged selectively, or are responses that have arrived
//! scan      missing packets before it have been repeated since the last time-out
//! limit     missing packets before it are held to be lost
//! recover   a recovery ends when all packets before it are acknowledged: `next` at its beginning
//! ```
//!
//! | event | held to be lost |
//! |---|---|
//! | negative acknowledgement, or a response ahead | missing packets at least [`nak_after`](super::AnyOrderRule::nak_after) before the highest acknowledged |
//! | time-out | the first missing packet, and all before the highest acknowledged; of RDMA READs, all missing responses |
//! | progress in a recovery that does not end it | the first missing packet |
//!
//! Each is repeated once until the next time-out. Repeats go before new packets, and are not limited by the window. A
//! missing response is repeated by an RDMA READ request of its own for it and its missing neighbours.

use core::num::{NonZeroU32, NonZeroU64};

use packet::header::Syndrome;
use packet::{Opcode, Packet, Psn};
use units::Time;
use workload::Operation;

use super::ring::Ring;
use super::{
    AnyOrderRule, CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Placement, Readiness,
    ReceiveVerdict, ReplyOutcome, TimeoutOutcome,
};
use crate::message::{MessageKey, Messages, Segment};

/// The requester of a queue pair.
#[derive(Clone, Debug)]
pub struct SelectiveRequester {
    failed: bool,
    recovering: bool,
    /// RDMA READs in progress, at most 255.
    reads: u8,
    retries: u8,
    /// Congestion window, in packets; `None` if unlimited.
    window: Option<NonZeroU32>,
    unacked: u64,
    next: u64,
    posted: u64,
    /// Number after the highest packet that is acknowledged in any way.
    highest: u64,
    scan: u64,
    limit: u64,
    recover: u64,
    acked: Ring,
    /// Responses that have arrived ahead of a missing one.
    held: u32,
    /// Packets to repeat next.
    repeat: Option<Hole>,
    /// End of the message of packet `next`, if that message is an RDMA READ.
    read_end: Option<NonZeroU64>,
    progress: Time,
    /// Last time at which the requester looked for progress.
    looked: Time,
    /// Message of packet `next`.
    cursor: Option<MessageKey>,
    head: Option<MessageKey>,
    tail: Option<MessageKey>,
    rule: AnyOrderRule,
    /// The response accepted last.
    placed: Placement,
}

state_codec::state!(SelectiveRequester {
    failed,
    recovering,
    reads,
    retries,
    window,
    unacked,
    next,
    posted,
    highest,
    scan,
    limit,
    recover,
    acked,
    held,
    repeat,
    read_end,
    progress,
    looked,
    cursor,
    head,
    tail,
    rule: plan,
    placed,
});

/// Missing packets of a message: one, or neighbouring responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hole {
    first: u64,
    end: u64,
    message: MessageKey,
}

state_codec::value!(Hole { first, end, message });

impl Endpoint for SelectiveRequester {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        let message = &mut messages[key];
        *message = message.starting_at(self.posted);
        self.posted = message.end;
        match self.tail.replace(key) {
            Some(tail) => messages[tail].next = Some(key),
            None => self.head = Some(key),
        }
        if self.cursor.is_none() {
            self.set_cursor(Some(key), messages);
        }
    }

    fn readiness(&self, rule: &EndpointRule) -> Readiness {
        if self.failed {
            Readiness::Idle
        } else if self.repeat.is_some() {
            Readiness::Ready
        } else if self.next >= self.posted {
            Readiness::Idle
        } else if let Some(end) = self.read_end {
            let distinguishable = end.get() - self.unacked <= u64::from(Psn::MAX_OUTSTANDING);
            let may = self.reads == 0 || u32::from(self.reads) < rule.max_reads && distinguishable;
            if may { Readiness::Ready } else { Readiness::Idle }
        } else if self.next - self.unacked < self.most_outstanding(rule) {
            Readiness::Ready
        } else {
            Readiness::WindowClosed
        }
    }

    fn next(&self, messages: &Messages, rule: &EndpointRule) -> Option<OutgoingPacket> {
        if self.readiness(rule) != Readiness::Ready {
            return None;
        }
        if let Some(hole) = self.repeat {
            return Some(Self::outgoing(hole, true, messages, rule));
        }
        let key = self.cursor?;
        let message = &messages[key];
        let end = self.read_end.map_or(self.next + 1, NonZeroU64::get);
        let mut out = Self::outgoing(Hole { first: self.next, end, message: key }, false, messages, rule);
        // An acknowledgement must come from each window, which may shrink to a packet at any time; and in a recovery
        // every acknowledgement says what is missing.
        out.ack_request = self.read_end.is_none()
            && (out.segment.last
                || (self.next - message.first + 1).is_multiple_of(u64::from(rule.ack_every))
                || self.next + 1 - self.unacked == self.most_outstanding(rule)
                || self.window.is_some()
                || self.recovering);
        Some(out)
    }

    fn next_message(&self) -> Option<MessageKey> {
        self.repeat.map(|hole| hole.message).or(self.cursor)
    }

    fn sent(&mut self, messages: &mut Messages, now: Time) -> CompletedMessages {
        if let Some(hole) = self.repeat {
            self.scan = hole.end;
            self.find_hole(messages);
            return CompletedMessages::NONE;
        }
        if self.next == self.unacked {
            self.progress = now;
        }
        if let Some(end) = self.read_end {
            self.next = end.get();
            self.reads += 1;
        } else {
            self.next += 1;
        }
        if let Some(key) = self.cursor
            && messages[key].end == self.next
        {
            self.set_cursor(messages[key].next, messages);
        }
        CompletedMessages::NONE
    }

    fn on_reply(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> ReplyOutcome {
        if packet.bth.opcode == Opcode::Acknowledge {
            self.on_acknowledgement(packet, messages, now)
        } else {
            self.on_response(self.nearest(packet.bth.psn), messages, now)
        }
    }

    fn deadline(&self, rule: &EndpointRule) -> Time {
        if self.next == self.unacked || self.failed {
            return Time::NEVER;
        }
        let due = self.due(rule);
        // While many packets are under way the requester looks at the shorter interval all the same: an acknowledgement
        // may leave few, and the shorter time-out then runs from it.
        let Some(low) = rule.repeats.time_out(true, self.retries) else { return due };
        due.min(self.progress.max(self.looked) + low)
    }

    fn on_deadline(&mut self, rule: &EndpointRule, messages: &Messages, now: Time) -> TimeoutOutcome {
        self.looked = now;
        if self.next == self.unacked || self.failed || self.due(rule) > now {
            return TimeoutOutcome::Progress;
        }
        if self.retries == rule.retry_count {
            self.failed = true;
            self.repeat = None;
            return TimeoutOutcome::GaveUp;
        }
        self.retries += 1;
        self.progress = now;
        self.scan = self.unacked;
        let lost = if self.reading(messages) { self.next } else { self.highest.max(self.unacked + 1) };
        self.hold_lost(lost);
        self.find_hole(messages);
        TimeoutOutcome::WentBack
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        (self.nearest(psn), self.next)
    }

    fn at_rest(&self) -> bool {
        self.unacked == self.posted || self.failed
    }
}

impl SelectiveRequester {
    /// A requester that gives its first packet this number, at an adapter with this rule.
    #[must_use]
    pub fn starting_at(first: u64, rule: AnyOrderRule) -> Self {
        Self {
            failed: false,
            recovering: false,
            reads: 0,
            retries: 0,
            window: None,
            unacked: first,
            next: first,
            posted: first,
            highest: first,
            scan: first,
            limit: first,
            recover: first,
            acked: Ring::new(rule.window),
            held: 0,
            repeat: None,
            read_end: None,
            progress: Time::ZERO,
            looked: Time::ZERO,
            cursor: None,
            head: None,
            tail: None,
            rule,
            placed: Placement::default(),
        }
    }

    /// Returns the bytes of memory of a requester with this window, beside its place among the endpoints.
    #[must_use]
    pub const fn bytes(window: u32) -> usize {
        size_of::<Self>() + Ring::bytes(window)
    }

    /// Sets the congestion window in packets, at least 1; `u32::MAX` for no limit.
    pub fn set_window(&mut self, packets: u32) {
        self.window = NonZeroU32::new(packets).filter(|packets| packets.get() != u32::MAX);
    }

    /// Returns the number of RDMA READs in progress, which a response could complete.
    #[must_use]
    pub const fn reads(&self) -> u32 {
        self.reads as u32
    }

    /// Returns the response accepted last.
    #[must_use]
    pub const fn placed(&self) -> Placement {
        self.placed
    }

    /// Returns true if the requester has given up.
    #[must_use]
    pub const fn failed(&self) -> bool {
        self.failed
    }

    const fn nearest(&self, psn: Psn) -> u64 {
        let oldest = Psn::new(self.unacked as u32);
        let ahead = psn.since(oldest);
        if ahead < Psn::MAX_OUTSTANDING {
            self.unacked + ahead as u64
        } else {
            self.unacked.saturating_sub(oldest.since(psn) as u64)
        }
    }

    fn most_outstanding(&self, rule: &EndpointRule) -> u64 {
        let own = rule.max_outstanding.min(u64::from(self.rule.most_under_way()));
        self.window.map_or(own, |window| own.min(u64::from(window.get())))
    }

    /// Returns packets as they are sent, by number; all numbers of a READ request in one packet.
    fn outgoing(hole: Hole, again: bool, messages: &Messages, rule: &EndpointRule) -> OutgoingPacket {
        let message = &messages[hole.message];
        let reads = message.operation == Operation::RdmaRead;
        OutgoingPacket {
            segment: if reads {
                Segment { opcode: Opcode::ReadRequest, payload: 0, last: true }
            } else {
                message.segment(hole.first, rule.mtu)
            },
            psn: Psn::new(hole.first as u32),
            queue_pair: message.queue_pair,
            dma_length: if reads {
                message.part(hole.first, hole.end, rule.mtu)
            } else {
                message.dma_length()
            },
            ack_request: !reads,
            again,
        }
    }

    fn on_acknowledgement(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> ReplyOutcome {
        let (psn, distance) = (packet.bth.psn, u64::from(packet.selective()));
        let negative = packet.syndrome == Syndrome::SequenceError;
        let missing = self.nearest(if negative { psn } else { psn.plus(1) });
        let named = if distance > 0 { missing + distance } else { missing.saturating_sub(1) };
        let mut outcome = ReplyOutcome {
            named,
            next: self.next,
            packets: 0,
            completed: CompletedMessages::NONE,
            verdict: ReceiveVerdict::Accept,
        };
        // Responses alone acknowledge READs. An acknowledgement of packets that were never sent is of a past turn of
        // the numbers.
        if missing > self.next || self.reading(messages) {
            return outcome;
        }
        if distance > 0 && named >= self.unacked && named < self.next && !self.acked.has(named) {
            self.acked.set(named);
            self.highest = self.highest.max(named + 1);
            outcome.packets = 1;
        }
        if missing > self.unacked {
            let known = self.acked.clear(self.unacked, missing);
            outcome.packets += (missing - self.unacked) as u32 - known;
            outcome.completed = self.advance(missing, messages, now);
        }
        if negative {
            self.hold_lost_ahead();
        }
        self.find_hole(messages);
        outcome
    }

    /// Handles the response with this number.
    fn on_response(&mut self, number: u64, messages: &mut Messages, now: Time) -> ReplyOutcome {
        let mut outcome = ReplyOutcome {
            named: number,
            next: self.next,
            packets: 0,
            completed: CompletedMessages::NONE,
            verdict: ReceiveVerdict::Duplicate,
        };
        if number < self.unacked || number >= self.next {
            return outcome;
        }
        if number - self.unacked >= u64::from(self.rule.window) {
            outcome.verdict = ReceiveVerdict::Gap { nak_due: false };
            return outcome;
        }
        if self.acked.has(number) {
            return outcome;
        }
        let ahead = (number - self.unacked) as u32;
        let end = self.unacked + u64::from(self.rule.window);
        self.acked.set(number);
        self.held += 1;
        self.highest = self.highest.max(number + 1);
        if ahead == 0 {
            let missing = self.acked.next_clear(number, end.min(self.next));
            self.held -= self.acked.clear(number, missing);
            // Responses tell congestion control nothing but the end of their READ.
            outcome.packets = 1;
            outcome.completed = self.advance(missing, messages, now);
        }
        outcome.verdict = ReceiveVerdict::Placed { answer: false };
        self.placed = Placement {
            messages: outcome.completed.messages,
            end: self.unacked as u32,
            ahead,
            held: self.held,
        };
        self.hold_lost_ahead();
        self.find_hole(messages);
        outcome
    }

    fn reading(&self, messages: &Messages) -> bool {
        self.head.is_some_and(|key| messages[key].operation == Operation::RdmaRead)
    }

    /// Handles the acknowledgement of all packets before this number.
    fn advance(&mut self, missing: u64, messages: &mut Messages, now: Time) -> CompletedMessages {
        self.unacked = missing;
        self.highest = self.highest.max(missing);
        self.progress = now;
        self.retries = 0;
        if missing >= self.recover {
            self.recovering = false;
        } else if self.recovering && !self.reading(messages) {
            // What was sent before the recovery has had its time, so the next packet is missing as well.
            self.limit = self.limit.max(missing + 1);
        }
        self.complete(messages)
    }

    /// Holds the missing packets to be lost that are far enough before the highest acknowledged one.
    const fn hold_lost_ahead(&mut self) {
        if let Some(after) = self.rule.nak_after {
            // The highest number itself is one less.
            self.hold_lost(self.highest.saturating_sub(after.get() as u64));
        }
    }

    /// Holds missing packets before this number to be lost, which begins a recovery.
    const fn hold_lost(&mut self, before: u64) {
        if before <= self.unacked {
            return;
        }
        if before > self.limit {
            self.limit = before;
        }
        if !self.recovering {
            self.recovering = true;
            self.recover = self.next;
        }
    }

    /// Finds the packets to repeat next.
    fn find_hole(&mut self, messages: &Messages) {
        self.repeat = None;
        if !self.recovering {
            return;
        }
        // Selective acknowledgements, and so bits, reach no farther than the window.
        let reach = self.unacked + u64::from(self.rule.window);
        let (from, limit) = (self.scan.max(self.unacked), self.limit.min(self.next));
        let first = if from < reach { self.acked.next_clear(from, limit.min(reach)) } else { from };
        self.scan = first.max(self.scan);
        if first >= limit {
            return;
        }
        let mut at = self.head;
        while let Some(key) = at
            && messages[key].end <= first
        {
            at = messages[key].next;
        }
        let message = at.expect("a packet under way belongs to a message");
        let end = if messages[message].operation == Operation::RdmaRead {
            let upto = messages[message].end.min(limit);
            if first < reach { self.acked.next_set(first, upto.min(reach)).max(first + 1) } else { upto }
        } else {
            first + 1
        };
        self.repeat = Some(Hole { first, end, message });
    }

    fn set_cursor(&mut self, cursor: Option<MessageKey>, messages: &Messages) {
        self.cursor = cursor;
        let read = |key: MessageKey| Some(&messages[key]).filter(|at| at.operation == Operation::RdmaRead);
        self.read_end = cursor.and_then(read).and_then(|message| NonZeroU64::new(message.end));
    }

    /// Removes messages with all their packets acknowledged.
    fn complete(&mut self, messages: &mut Messages) -> CompletedMessages {
        let mut completed = CompletedMessages::NONE;
        while let Some(key) = self.head
            && messages[key].end <= self.unacked
        {
            let message = messages[key];
            self.head = message.next;
            if self.head.is_none() {
                self.tail = None;
            }
            if message.operation == Operation::RdmaRead {
                self.reads -= 1;
            }
            messages.remove(key);
            completed =
                CompletedMessages { queue_pair: message.queue_pair, messages: completed.messages + 1 };
        }
        completed
    }

    /// Returns the time at which lack of progress is a time-out.
    fn due(&self, rule: &EndpointRule) -> Time {
        let few = self.next - self.unacked <= u64::from(rule.repeats.few);
        rule.repeats.time_out(few, self.retries).map_or(Time::NEVER, |time_out| self.progress + time_out)
    }
}
