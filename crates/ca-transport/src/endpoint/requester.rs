//! The requester of a reliable service: it numbers packets, and goes back when a packet is missing (IBA volume 1, 9.7).
//!
//! Invariant: packets are counted from the first with 64 bits; only the wire carries 24. A packet that is
//! acknowledged, or that has arrived as the response to an RDMA READ, is never sent or requested again.
//!
//! ```text
//! unacked <= next <= posted      (packets before `unacked` are acknowledged, or have arrived)
//! ```
//!
//! An RDMA READ is a single request packet that reserves the numbers of all its responses. The packets in flight are
//! either data or READs, never both. A queue pair here has one flow, and a context sends its messages singly.

use core::num::{NonZeroU32, NonZeroU64};

use packet::header::Syndrome;
use packet::{Opcode, Packet, Psn};
use units::Time;
use workload::Operation;

use super::{
    CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Readiness, ReceiveVerdict, ReplyOutcome,
    TimeoutOutcome,
};
use crate::message::{MessageKey, Messages, Segment};

/// The requester of a queue pair. The fields that every packet needs stand first.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Requester {
    /// True once the requester has given up.
    failed: bool,
    /// True from a second request for a missing response until that response arrives.
    repeated_read: bool,
    /// RDMA READs in progress, at most 255.
    reads: u8,
    retries: u8,
    /// Congestion window, in packets; `None` if unlimited.
    window: Option<NonZeroU32>,
    unacked: u64,
    next: u64,
    posted: u64,
    /// End of the message of packet `next`, if that message is an RDMA READ.
    read_end: Option<NonZeroU64>,
    /// Number after the highest packet ever sent: a packet below it is a retransmission.
    highest: u64,
    progress: Time,
    /// Message of packet `next`.
    cursor: Option<MessageKey>,
    head: Option<MessageKey>,
    tail: Option<MessageKey>,
}

state_codec::value!(Requester {
    unacked,
    next,
    posted,
    read_end,
    cursor,
    highest,
    window,
    reads,
    retries,
    failed,
    repeated_read,
    progress,
    head,
    tail,
});

impl Endpoint for Requester {
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
        if self.next >= self.posted || self.failed {
            Readiness::Idle
        } else if let Some(end) = self.read_end {
            // The numbers of all packets in flight must be distinguishable on the wire, too.
            let distinguishable = end.get() - self.unacked <= u64::from(Psn::MAX_OUTSTANDING);
            // A READ goes alone if its numbers exceed what the wire can distinguish: otherwise it could never go.
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
        let message = &messages[self.cursor?];
        let (psn, again) = (Psn::new(self.next as u32), self.next < self.highest);
        if self.read_end.is_some() {
            return Some(OutgoingPacket {
                segment: Segment { opcode: Opcode::ReadRequest, payload: 0, last: true },
                psn,
                queue_pair: message.queue_pair,
                // A message has at most 2^31 bytes.
                dma_length: message.rest(self.next, rule.mtu) as u32,
                ack_request: false,
                again,
            });
        }
        let segment = message.segment(self.next, rule.mtu);
        let number = self.next - message.first + 1;
        Some(OutgoingPacket {
            segment,
            psn,
            queue_pair: message.queue_pair,
            dma_length: message.dma_length(),
            // Each window must contain a request for an acknowledgement, or sending stops until the time-out. A window
            // may shrink to a single packet at any time, so with a window every packet requests an acknowledgement.
            ack_request: segment.last
                || number.is_multiple_of(u64::from(rule.ack_every))
                || self.next + 1 - self.unacked == rule.max_outstanding
                || self.retries > 0
                || self.window.is_some(),
            again,
        })
    }

    fn next_message(&self) -> Option<MessageKey> {
        self.cursor
    }

    fn sent(&mut self, messages: &mut Messages, now: Time) -> CompletedMessages {
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
        self.highest = self.highest.max(self.next);
        if let Some(key) = self.cursor
            && messages[key].end == self.next
        {
            self.set_cursor(messages[key].next, messages);
        }
        CompletedMessages::NONE
    }

    fn on_reply(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> ReplyOutcome {
        let psn = packet.bth.psn;
        let (named, before) = (self.nearest(psn), self.unacked);
        let (completed, verdict) = match (packet.bth.opcode, packet.syndrome) {
            (Opcode::Acknowledge, Syndrome::Ack) => {
                (self.acknowledged(psn, messages, now), ReceiveVerdict::Accept)
            }
            (Opcode::Acknowledge, Syndrome::SequenceError) => {
                (self.sequence_error(psn, messages, now), ReceiveVerdict::Accept)
            }
            _ => self.responded(named, messages, now),
        };
        let packets = (self.unacked - before) as u32;
        ReplyOutcome { named, next: self.next, packets, completed, verdict }
    }

    fn deadline(&self, rule: &EndpointRule) -> Time {
        match rule.timeout {
            Some(timeout) if self.next > self.unacked && !self.failed => self.progress + timeout,
            _ => Time::NEVER,
        }
    }

    fn on_deadline(&mut self, rule: &EndpointRule, messages: &Messages, now: Time) -> TimeoutOutcome {
        if self.deadline(rule) > now {
            return TimeoutOutcome::Progress;
        }
        if self.retries == rule.retry_count {
            self.failed = true;
            return TimeoutOutcome::GaveUp;
        }
        self.retries += 1;
        self.progress = now;
        self.go_back(messages);
        TimeoutOutcome::WentBack
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        (self.nearest(psn), self.next)
    }

    fn at_rest(&self) -> bool {
        self.unacked == self.posted || self.failed
    }
}

impl Requester {
    /// A requester that gives its first packet this number (IBA: the starting PSN, agreed upon when two ends
    /// connect).
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { unacked: first, next: first, posted: first, highest: first, ..Self::default() }
    }

    /// Sets the congestion window in packets, at least 1; `u32::MAX` for no limit.
    pub fn set_window(&mut self, packets: u32) {
        self.window = NonZeroU32::new(packets).filter(|packets| packets.get() != u32::MAX);
    }

    /// Returns true if the requester has given up.
    #[must_use]
    pub const fn failed(&self) -> bool {
        self.failed
    }

    /// Returns the 64-bit number of the packet that a reply names. It lies within half the PSN circle of the oldest
    /// unacknowledged packet.
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
        self.window.map_or(rule.max_outstanding, |window| rule.max_outstanding.min(u64::from(window.get())))
    }

    /// Handles the acknowledgement of all packets up to and including `psn`.
    fn acknowledged(&mut self, psn: Psn, messages: &mut Messages, now: Time) -> CompletedMessages {
        let ahead = u64::from(psn.plus(1).since(Psn::new(self.unacked as u32)));
        // A repeated acknowledgement of earlier packets. READs are acknowledged by their responses alone: an
        // acknowledgement that arrives meanwhile is of an earlier packet, although it names the responder's last.
        if ahead == 0 || ahead > self.highest - self.unacked || self.reading(messages) {
            return CompletedMessages::NONE;
        }
        self.advance(ahead, messages, now)
    }

    /// Handles a sequence error: all packets before `psn` are acknowledged, and `psn` goes next.
    fn sequence_error(&mut self, psn: Psn, messages: &mut Messages, now: Time) -> CompletedMessages {
        if self.reading(messages) {
            self.repeat_read(messages);
            return CompletedMessages::NONE;
        }
        // Adding the mask subtracts 1 in 24 bits.
        let completed = self.acknowledged(psn.plus(Psn::MASK), messages, now);
        // A stale sequence error names a packet that is acknowledged by now. Going back for it would repeat packets
        // in vain.
        if Psn::new(self.unacked as u32) == psn {
            self.go_back(messages);
        }
        completed
    }

    /// Handles the response with this number.
    fn responded(
        &mut self,
        number: u64,
        messages: &mut Messages,
        now: Time,
    ) -> (CompletedMessages, ReceiveVerdict) {
        if number < self.unacked || number >= self.highest {
            return (CompletedMessages::NONE, ReceiveVerdict::Duplicate);
        }
        // Responses come in order, so a later number proves that the expected response is lost.
        if number > self.unacked {
            self.repeat_read(messages);
            return (CompletedMessages::NONE, ReceiveVerdict::Gap { nak_due: false });
        }
        self.repeated_read = false;
        (self.advance(1, messages, now), ReceiveVerdict::Accept)
    }

    /// Returns true if READs are in progress.
    fn reading(&self, messages: &Messages) -> bool {
        self.head.is_some_and(|key| messages[key].operation == Operation::RdmaRead)
    }

    fn advance(&mut self, packets: u64, messages: &mut Messages, now: Time) -> CompletedMessages {
        self.unacked += packets;
        self.progress = now;
        self.retries = 0;
        self.complete(messages)
    }

    /// Goes back for a missing response, once.
    fn repeat_read(&mut self, messages: &Messages) {
        if !core::mem::replace(&mut self.repeated_read, true) {
            self.go_back(messages);
        }
    }

    fn go_back(&mut self, messages: &Messages) {
        self.next = self.unacked;
        self.reads = 0;
        self.set_cursor(self.head, messages);
    }

    /// Makes `cursor` the message of the next packet.
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
            // A READ that was not requested again after going back is not in progress.
            if message.operation == Operation::RdmaRead && message.end <= self.next {
                self.reads -= 1;
            }
            messages.remove(key);
            completed =
                CompletedMessages { queue_pair: message.queue_pair, messages: completed.messages + 1 };
        }
        // An acknowledgement may overtake a requester that went back: the packets sent before have arrived after all.
        if self.next < self.unacked {
            self.next = self.unacked;
            self.set_cursor(self.head, messages);
        }
        completed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::RepeatRule;
    use crate::message::Message;
    use packet::{Bth, BthFlags, FlowId, Lane, Lid, Lrh, Mtu, QpNumber, ServiceLevel};
    use units::{Bytes, Span};

    const RULE: EndpointRule = EndpointRule {
        mtu: Mtu::B256,
        ack_every: 1000,
        max_outstanding: 16,
        max_reads: 1,
        timeout: Some(Span::from_us(100)),
        retry_count: 7,
        repeats: RepeatRule::IN_ORDER,
    };

    /// A requester with this many packets to send, numbered from `first`.
    fn with(first: u64, packets: u64) -> (Requester, Messages) {
        let (mut requester, mut messages) = (Requester::starting_at(first), Messages::default());
        let bytes = Bytes::new(256 * packets);
        let key = messages.insert(Message::new(QpNumber(0), Operation::Send, bytes, RULE.mtu));
        requester.post(key, &mut messages);
        (requester, messages)
    }

    /// Sends all packets that may go. Returns for each whether it requested an acknowledgement.
    fn send_all(requester: &mut Requester, messages: &mut Messages, rule: &EndpointRule) -> Vec<bool> {
        let mut asked = Vec::new();
        while let Some(out) = requester.next(messages, rule) {
            requester.sent(messages, Time::ZERO);
            asked.push(out.ack_request);
        }
        asked
    }

    fn ack(psn: Psn) -> Packet {
        let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
        let (opcode, flags) = (Opcode::Acknowledge, BthFlags::empty());
        Packet::new(
            lrh,
            Bth { destination_qp: QpNumber(0), psn, opcode, transport: packet::TransportService::Rc, flags },
            QpNumber(0),
            FlowId(0),
            0,
        )
    }

    #[test]
    fn a_window_shorter_than_the_acknowledgement_interval_does_not_stall() {
        let rule = EndpointRule { max_outstanding: 3, timeout: None, ..RULE };
        let (mut requester, mut messages) = with(40, 100);
        assert_eq!(send_all(&mut requester, &mut messages, &rule), [false, false, true]);
    }

    /// In every window of any width some packet requests an acknowledgement, namely the next to go.
    #[test]
    fn every_window_of_the_response_asks() {
        for window in 1..=20 {
            let (mut requester, mut messages) = with(0, 100);
            requester.set_window(window);
            let asked = send_all(&mut requester, &mut messages, &RULE);
            assert_eq!(asked, vec![true; window.min(16) as usize]);
        }
    }

    #[test]
    fn a_window_that_shrinks_below_what_is_under_way_waits_for_it() {
        let (mut requester, mut messages) = with(0, 100);
        requester.set_window(8);
        assert_eq!(send_all(&mut requester, &mut messages, &RULE).len(), 8);
        requester.set_window(3);
        for acknowledged in 0..5 {
            assert_eq!(requester.readiness(&RULE), Readiness::WindowClosed, "{acknowledged} of 8");
            requester.on_reply(&ack(Psn::new(acknowledged)), &mut messages, Time::ZERO);
        }
        assert_eq!(requester.readiness(&RULE), Readiness::WindowClosed, "three are under way");
        requester.on_reply(&ack(Psn::new(5)), &mut messages, Time::ZERO);
        assert_eq!(send_all(&mut requester, &mut messages, &RULE).len(), 1);
    }

    /// The packet that an acknowledgement names is found on both sides of the wrap, before and after the oldest in
    /// flight.
    #[test]
    fn numbers_survive_the_wrap() {
        let first = (1 << 24) - 3;
        let (mut requester, mut messages) = with(first, 100);
        send_all(&mut requester, &mut messages, &RULE);
        for (psn, number) in [(Psn::MASK - 2, first), (Psn::MASK, first + 2), (0, first + 3), (5, first + 8)]
        {
            assert_eq!(requester.number_of(Psn::new(psn)).0, number);
        }
        let replied = requester.on_reply(&ack(Psn::new(5)), &mut messages, Time::ZERO);
        assert_eq!((replied.named, replied.packets), (first + 8, 9));
        let late = requester.on_reply(&ack(Psn::new(Psn::MASK)), &mut messages, Time::ZERO);
        assert_eq!((late.named, late.packets), (first + 2, 0));
    }

    #[test]
    fn a_dead_peer_is_given_up_after_the_last_retry() {
        let (mut requester, mut messages) = with(0, 1);
        requester.sent(&mut messages, Time::ZERO);
        let mut rings = 0;
        loop {
            rings += 1;
            let at = requester.deadline(&RULE);
            if requester.on_deadline(&RULE, &messages, at) == TimeoutOutcome::GaveUp {
                break;
            }
            requester.sent(&mut messages, at);
        }
        assert_eq!(rings, 1 + u32::from(RULE.retry_count));
        assert!(requester.at_rest() && requester.readiness(&RULE) == Readiness::Idle);
    }

    /// A requester that waits for an acknowledgement checks for progress a time-out after the oldest packet was sent,
    /// or after the last acknowledgement. Otherwise it waits for nothing.
    #[test]
    fn a_time_out_is_measured_from_the_last_progress() {
        let at = |us: u64| Span::from_us(us).after_start();
        let (mut requester, mut messages) = with(0, 3);
        assert_eq!(requester.deadline(&RULE), Time::NEVER, "nothing is under way");
        for us in [7, 50] {
            requester.sent(&mut messages, at(us));
            assert_eq!(requester.deadline(&RULE), at(107), "a further packet is no progress");
        }
        assert_eq!(requester.deadline(&EndpointRule { timeout: None, ..RULE }), Time::NEVER);
        assert_eq!(requester.on_deadline(&RULE, &messages, at(106)), TimeoutOutcome::Progress);
        requester.on_reply(&ack(Psn::new(0)), &mut messages, at(60));
        assert_eq!(requester.deadline(&RULE), at(160));
        assert_eq!(requester.on_deadline(&RULE, &messages, at(107)), TimeoutOutcome::Progress, "stale");
        assert!(
            requester.next(&messages, &RULE).is_some_and(|out| (out.psn, out.again) == (Psn::new(2), false))
        );
        assert_eq!(requester.on_deadline(&RULE, &messages, at(160)), TimeoutOutcome::WentBack);
        let out = requester.next(&messages, &RULE).expect("the oldest packet");
        assert_eq!((out.psn, out.again, out.ack_request), (Psn::new(1), true, true));
        requester.sent(&mut messages, at(161));
        assert_eq!(requester.deadline(&RULE), at(261));
        requester.sent(&mut messages, at(162));
        requester.on_reply(&ack(Psn::new(2)), &mut messages, at(170));
        assert!(requester.at_rest() && requester.deadline(&RULE) == Time::NEVER);
    }

    /// Progress gives all retries back.
    #[test]
    fn retries_are_counted_from_the_last_progress() {
        let (mut requester, mut messages) = with(0, 2);
        let go_back = |requester: &mut Requester, messages: &mut Messages| {
            let at = requester.deadline(&RULE);
            let outcome = requester.on_deadline(&RULE, messages, at);
            if outcome == TimeoutOutcome::WentBack {
                requester.sent(messages, at);
            }
            outcome
        };
        requester.sent(&mut messages, Time::ZERO);
        for _ in 0..RULE.retry_count {
            assert_eq!(go_back(&mut requester, &mut messages), TimeoutOutcome::WentBack);
        }
        requester.on_reply(&ack(Psn::new(0)), &mut messages, Time::ZERO);
        requester.sent(&mut messages, Time::ZERO);
        for _ in 0..RULE.retry_count {
            assert_eq!(go_back(&mut requester, &mut messages), TimeoutOutcome::WentBack);
        }
        assert!(!requester.failed());
        assert_eq!(go_back(&mut requester, &mut messages), TimeoutOutcome::GaveUp);
        assert!(requester.failed());
    }

    /// The last packet before the window of the queue pair closes asks for an acknowledgement. So does every n-th
    /// packet of a message, and its last packet.
    #[test]
    fn acknowledgements_are_requested_at_intervals() {
        let rule = EndpointRule { ack_every: 3, max_outstanding: 100, ..RULE };
        let (mut requester, mut messages) = with(40, 8);
        let asked = send_all(&mut requester, &mut messages, &rule);
        assert_eq!(asked, [false, false, true, false, false, true, false, true]);
    }
}
