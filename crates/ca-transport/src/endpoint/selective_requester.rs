//! The requester of a reliable connection that repeats missing packets alone, as IRN does (Mittal and others,
//! "Revisiting Network Support for RDMA", SIGCOMM 2018, 3.1 and 3.2).
//!
//! Invariant: `next` of the queue never goes back: a packet from before it is sent again only as a repeat, and only
//! while it is not acknowledged.
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
//! The responses to READs under way are bounded like data. A READ for which there is no room is requested in parts,
//! of at least half the window, so that requests stay few.
//!
//! Each is repeated once until the next time-out. Repeats go before new packets, and are not limited by the window. A
//! missing response is repeated by an RDMA READ request of its own for it and its missing neighbours.

use packet::header::Syndrome;
use packet::{Opcode, Packet, Psn};
use units::Time;
use workload::Operation;

use super::ring::Ring;
use super::send_queue::SendQueue;
use super::{
    AnyOrderRule, CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Placement, Readiness,
    ReceiveVerdict, ReplyOutcome, TimeoutOutcome,
};
use crate::message::{MessageKey, Messages};

/// The requester of a queue pair.
#[derive(Clone, Debug)]
pub struct SelectiveRequester {
    queue: SendQueue,
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
    /// Last time at which the requester looked for progress.
    looked: Time,
    rule: AnyOrderRule,
    /// True if the next packet requests a further part of an RDMA READ.
    in_parts: bool,
    /// The response accepted last.
    placed: Placement,
}

state_codec::state!(SelectiveRequester {
    queue,
    highest,
    scan,
    limit,
    recover,
    acked,
    held,
    repeat,
    looked,
    rule: plan,
    in_parts,
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

impl Hole {
    /// Returns the packet that repeats it.
    fn outgoing(self, messages: &Messages, rule: &EndpointRule) -> OutgoingPacket {
        let message = &messages[self.message];
        let reads = message.operation == Operation::RdmaRead;
        let out = if reads {
            OutgoingPacket::read_request(message, self.first, self.end, rule.mtu)
        } else {
            OutgoingPacket::data(message, self.first, rule.mtu)
        };
        OutgoingPacket { ack_request: !reads, again: true, ..out }
    }
}

impl Endpoint for SelectiveRequester {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        self.queue.post(key, messages);
    }

    fn readiness(&self, rule: &EndpointRule) -> Readiness {
        if self.repeat.is_some() && !self.queue.failed {
            Readiness::Ready
        } else if self.queue.reads_next() {
            self.read_readiness(rule)
        } else {
            self.queue.readiness(self.most_outstanding(rule), rule)
        }
    }

    fn next(&self, messages: &Messages, rule: &EndpointRule) -> Option<OutgoingPacket> {
        if self.readiness(rule) != Readiness::Ready {
            return None;
        }
        if let Some(hole) = self.repeat {
            return Some(hole.outgoing(messages, rule));
        }
        if let (Some(end), Some(key)) = (self.part_end(), self.queue.cursor) {
            return Some(OutgoingPacket::read_request(&messages[key], self.queue.next, end, rule.mtu));
        }
        // In a recovery every acknowledgement says what is missing.
        self.queue.outgoing(self.most_outstanding(rule), self.queue.recovering, messages, rule)
    }

    fn next_message(&self) -> Option<MessageKey> {
        self.repeat.map(|hole| hole.message).or(self.queue.cursor)
    }

    fn sent(&mut self, messages: &mut Messages, now: Time) -> CompletedMessages {
        if let Some(hole) = self.repeat {
            self.scan = hole.end;
            self.find_hole(messages);
            return CompletedMessages::NONE;
        }
        match self.part_end() {
            Some(end) => {
                let read = self.queue.cursor;
                self.queue.requested(end, self.in_parts, messages, now);
                self.in_parts = self.queue.cursor == read;
            }
            None => self.queue.sent(messages, now),
        }
        CompletedMessages::NONE
    }

    fn on_reply(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> ReplyOutcome {
        if packet.bth.opcode == Opcode::Acknowledge {
            self.on_acknowledgement(packet, messages, now)
        } else {
            self.on_response(self.queue.nearest(packet.bth.psn), messages, now)
        }
    }

    fn deadline(&self, rule: &EndpointRule) -> Time {
        if !self.queue.waits() {
            return Time::NEVER;
        }
        let due = self.due(rule);
        // While many packets are under way the requester looks at the shorter interval all the same: an acknowledgement
        // may leave few, and the shorter time-out then runs from it.
        let Some(low) = rule.repeats.time_out(true, self.queue.retries) else { return due };
        due.min(self.queue.progress.max(self.looked) + low)
    }

    fn on_deadline(&mut self, rule: &EndpointRule, messages: &Messages, now: Time) -> TimeoutOutcome {
        self.looked = now;
        if !self.queue.waits() || self.due(rule) > now {
            return TimeoutOutcome::Progress;
        }
        if !self.queue.retry(rule, now) {
            self.repeat = None;
            return TimeoutOutcome::GaveUp;
        }
        self.scan = self.queue.unacked;
        let lost = if self.queue.reading(messages) {
            self.queue.next
        } else {
            self.highest.max(self.queue.unacked + 1)
        };
        self.hold_lost(lost);
        self.find_hole(messages);
        TimeoutOutcome::WentBack
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        (self.queue.nearest(psn), self.queue.next)
    }

    fn at_rest(&self) -> bool {
        self.queue.at_rest()
    }
}

impl SelectiveRequester {
    /// A requester that gives its first packet this number, at an adapter with this rule.
    #[must_use]
    pub fn starting_at(first: u64, rule: AnyOrderRule) -> Self {
        Self {
            queue: SendQueue::starting_at(first),
            highest: first,
            scan: first,
            limit: first,
            recover: first,
            acked: Ring::new(rule.window),
            held: 0,
            repeat: None,
            looked: Time::ZERO,
            rule,
            in_parts: false,
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
        self.queue.set_window(packets);
    }

    /// Returns the number of RDMA READs in progress, which a response could complete.
    #[must_use]
    pub const fn reads(&self) -> u32 {
        self.queue.reads()
    }

    /// Returns the response accepted last.
    #[must_use]
    pub const fn placed(&self) -> Placement {
        self.placed
    }

    /// Returns true if the requester has given up.
    #[must_use]
    pub const fn failed(&self) -> bool {
        self.queue.failed
    }

    /// Returns the end of the responses that the next request of an RDMA READ asks for; `None` if the next packet is
    /// none, or has to wait for room in the window.
    fn part_end(&self) -> Option<u64> {
        let end = self.queue.read_end()?;
        let window = u64::from(self.rule.most_under_way());
        let (left, room) = (end - self.queue.next, self.queue.unacked + window - self.queue.next);
        if left <= room { Some(end) } else { (room >= window.div_ceil(2)).then_some(self.queue.next + room) }
    }

    /// Returns the readiness to send a packet that requests an RDMA READ, or a part of one.
    fn read_readiness(&self, rule: &EndpointRule) -> Readiness {
        let most_reads = u32::max(rule.max_reads, 1);
        if self.queue.failed || !self.in_parts && self.queue.reads() >= most_reads {
            Readiness::Idle
        } else if self.part_end().is_none() {
            Readiness::WindowClosed
        } else {
            Readiness::Ready
        }
    }

    fn most_outstanding(&self, rule: &EndpointRule) -> u64 {
        rule.max_outstanding.min(u64::from(self.rule.most_under_way()))
    }

    fn on_acknowledgement(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> ReplyOutcome {
        let (psn, distance) = (packet.bth.psn, u64::from(packet.selective()));
        let negative = packet.syndrome == Syndrome::SequenceError;
        let missing = self.queue.nearest(if negative { psn } else { psn.plus(1) });
        let named = if distance > 0 { missing + distance } else { missing.saturating_sub(1) };
        let mut outcome = ReplyOutcome {
            named,
            next: self.queue.next,
            packets: 0,
            completed: CompletedMessages::NONE,
            verdict: ReceiveVerdict::Accept,
        };
        // Responses alone acknowledge READs. An acknowledgement of packets that were never sent is of a past turn of
        // the numbers.
        if missing > self.queue.next || self.queue.reading(messages) {
            return outcome;
        }
        if distance > 0 && named >= self.queue.unacked && named < self.queue.next && !self.acked.has(named) {
            self.acked.set(named);
            self.highest = self.highest.max(named + 1);
            outcome.packets = 1;
        }
        if missing > self.queue.unacked {
            let known = self.acked.clear(self.queue.unacked, missing);
            outcome.packets += (missing - self.queue.unacked) as u32 - known;
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
            next: self.queue.next,
            packets: 0,
            completed: CompletedMessages::NONE,
            verdict: ReceiveVerdict::Duplicate,
        };
        if number < self.queue.unacked || number >= self.queue.next {
            return outcome;
        }
        if number - self.queue.unacked >= u64::from(self.rule.window) {
            outcome.verdict = ReceiveVerdict::Gap { nak_due: false };
            return outcome;
        }
        if self.acked.has(number) {
            return outcome;
        }
        let ahead = (number - self.queue.unacked) as u32;
        let end = self.queue.unacked + u64::from(self.rule.window);
        self.acked.set(number);
        self.held += 1;
        self.highest = self.highest.max(number + 1);
        if ahead == 0 {
            let missing = self.acked.next_clear(number, end.min(self.queue.next));
            self.held -= self.acked.clear(number, missing);
            // Responses tell congestion control nothing but the end of their READ.
            outcome.packets = 1;
            outcome.completed = self.advance(missing, messages, now);
        }
        outcome.verdict = ReceiveVerdict::Placed { answer: false };
        self.placed = Placement {
            messages: outcome.completed.messages,
            end: self.queue.unacked as u32,
            ahead,
            held: self.held,
        };
        self.hold_lost_ahead();
        self.find_hole(messages);
        outcome
    }

    /// Handles the acknowledgement of all packets before this number.
    fn advance(&mut self, missing: u64, messages: &mut Messages, now: Time) -> CompletedMessages {
        self.highest = self.highest.max(missing);
        if missing >= self.recover {
            self.queue.recovering = false;
        } else if self.queue.recovering && !self.queue.reading(messages) {
            // What was sent before the recovery has had its time, so the next packet is missing as well.
            self.limit = self.limit.max(missing + 1);
        }
        self.queue.advance(missing, messages, now)
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
        if before <= self.queue.unacked {
            return;
        }
        if before > self.limit {
            self.limit = before;
        }
        if !self.queue.recovering {
            self.queue.recovering = true;
            self.recover = self.queue.next;
        }
    }

    /// Finds the packets to repeat next.
    fn find_hole(&mut self, messages: &Messages) {
        self.repeat = None;
        if !self.queue.recovering {
            return;
        }
        // Selective acknowledgements, and so bits, reach no farther than the window.
        let reach = self.queue.unacked + u64::from(self.rule.window);
        let (from, limit) = (self.scan.max(self.queue.unacked), self.limit.min(self.queue.next));
        let first = if from < reach { self.acked.next_clear(from, limit.min(reach)) } else { from };
        self.scan = first.max(self.scan);
        if first >= limit {
            return;
        }
        let mut at = self.queue.oldest();
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

    /// Returns the time at which lack of progress is a time-out.
    fn due(&self, rule: &EndpointRule) -> Time {
        let few = self.queue.next - self.queue.unacked <= u64::from(rule.repeats.few);
        rule.repeats
            .time_out(few, self.queue.retries)
            .map_or(Time::NEVER, |time_out| self.queue.progress + time_out)
    }
}
