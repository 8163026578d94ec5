//! The requester of a reliable service: it goes back when a packet is missing (IBA volume 1, 9.7).
//!
//! Invariant: a packet that is acknowledged, or that has arrived as the response to an RDMA READ, is never sent or
//! requested again.

use packet::header::Syndrome;
use packet::{Opcode, Packet, Psn};
use units::Time;

use super::send_queue::SendQueue;
use super::{
    CompletedMessages, Endpoint, EndpointRule, OutgoingPacket, Readiness, ReceiveVerdict, ReplyOutcome,
    TimeoutOutcome,
};
use crate::message::{MessageKey, Messages};

/// The requester of a queue pair. The fields that every packet needs stand first.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Requester {
    /// It recovers from a second request for a missing response until that response arrives.
    queue: SendQueue,
    /// Number after the highest packet ever sent: a packet below it is a retransmission.
    highest: u64,
}

state_codec::value!(Requester { queue, highest });

impl Endpoint for Requester {
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        self.queue.post(key, messages);
    }

    fn readiness(&self, rule: &EndpointRule) -> Readiness {
        self.queue.readiness(rule.max_outstanding, rule)
    }

    fn next(&self, messages: &Messages, rule: &EndpointRule) -> Option<OutgoingPacket> {
        if self.readiness(rule) != Readiness::Ready {
            return None;
        }
        let anxious = self.queue.retries > 0;
        let out = self.queue.outgoing(rule.max_outstanding, anxious, messages, rule)?;
        Some(OutgoingPacket { again: self.queue.next < self.highest, ..out })
    }

    fn next_message(&self) -> Option<MessageKey> {
        self.queue.cursor
    }

    fn sent(&mut self, messages: &mut Messages, now: Time) -> CompletedMessages {
        self.queue.sent(messages, now);
        self.highest = self.highest.max(self.queue.next);
        CompletedMessages::NONE
    }

    fn on_reply(&mut self, packet: &Packet, messages: &mut Messages, now: Time) -> ReplyOutcome {
        let psn = packet.bth.psn;
        let (named, before) = (self.queue.nearest(psn), self.queue.unacked);
        let (completed, verdict) = match (packet.bth.opcode, packet.syndrome) {
            (Opcode::Acknowledge, Syndrome::Ack) => {
                (self.acknowledged(psn, messages, now), ReceiveVerdict::Accept)
            }
            (Opcode::Acknowledge, Syndrome::SequenceError) => {
                (self.sequence_error(psn, messages, now), ReceiveVerdict::Accept)
            }
            _ => self.responded(named, messages, now),
        };
        let packets = (self.queue.unacked - before) as u32;
        ReplyOutcome { named, next: self.queue.next, packets, completed, verdict }
    }

    fn deadline(&self, rule: &EndpointRule) -> Time {
        match rule.timeout {
            Some(timeout) if self.queue.waits() => self.queue.progress + timeout,
            _ => Time::NEVER,
        }
    }

    fn on_deadline(&mut self, rule: &EndpointRule, messages: &Messages, now: Time) -> TimeoutOutcome {
        if self.deadline(rule) > now {
            return TimeoutOutcome::Progress;
        }
        if !self.queue.retry(rule, now) {
            return TimeoutOutcome::GaveUp;
        }
        self.queue.go_back(messages);
        TimeoutOutcome::WentBack
    }

    fn number_of(&self, psn: Psn) -> (u64, u64) {
        (self.queue.nearest(psn), self.queue.next)
    }

    fn at_rest(&self) -> bool {
        self.queue.at_rest()
    }
}

impl Requester {
    /// A requester that gives its first packet this number (IBA: the starting PSN, agreed upon when two ends
    /// connect).
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        Self { queue: SendQueue::starting_at(first), highest: first }
    }

    /// Sets the congestion window in packets, at least 1; `u32::MAX` for no limit.
    pub fn set_window(&mut self, packets: u32) {
        self.queue.set_window(packets);
    }

    /// Returns true if the requester has given up.
    #[must_use]
    pub const fn failed(&self) -> bool {
        self.queue.failed
    }

    /// Handles the acknowledgement of all packets up to and including `psn`.
    fn acknowledged(&mut self, psn: Psn, messages: &mut Messages, now: Time) -> CompletedMessages {
        let unacked = self.queue.unacked;
        let ahead = u64::from(psn.plus(1).since(Psn::new(unacked as u32)));
        // A repeated acknowledgement of earlier packets. READs are acknowledged by their responses alone: an
        // acknowledgement that arrives meanwhile is of an earlier packet, although it names the responder's last.
        if ahead == 0 || ahead > self.highest - unacked || self.queue.reading(messages) {
            return CompletedMessages::NONE;
        }
        self.advance(ahead, messages, now)
    }

    /// Handles a sequence error: all packets before `psn` are acknowledged, and `psn` goes next.
    fn sequence_error(&mut self, psn: Psn, messages: &mut Messages, now: Time) -> CompletedMessages {
        if self.queue.reading(messages) {
            self.repeat_read(messages);
            return CompletedMessages::NONE;
        }
        // Adding the mask subtracts 1 in 24 bits.
        let completed = self.acknowledged(psn.plus(Psn::MASK), messages, now);
        // A stale sequence error names a packet that is acknowledged by now. Going back for it would repeat packets
        // in vain.
        if Psn::new(self.queue.unacked as u32) == psn {
            self.queue.go_back(messages);
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
        if number < self.queue.unacked || number >= self.highest {
            return (CompletedMessages::NONE, ReceiveVerdict::Duplicate);
        }
        // Responses come in order, so a later number proves that the expected response is lost.
        if number > self.queue.unacked {
            self.repeat_read(messages);
            return (CompletedMessages::NONE, ReceiveVerdict::Gap { nak_due: false });
        }
        self.queue.recovering = false;
        (self.advance(1, messages, now), ReceiveVerdict::Accept)
    }

    fn advance(&mut self, packets: u64, messages: &mut Messages, now: Time) -> CompletedMessages {
        let completed = self.queue.advance(self.queue.unacked + packets, messages, now);
        // An acknowledgement may overtake a requester that went back: the packets sent before have arrived after all.
        if self.queue.next < self.queue.unacked {
            self.queue.go_back(messages);
        }
        completed
    }

    /// Goes back for a missing response, once.
    fn repeat_read(&mut self, messages: &Messages) {
        if !core::mem::replace(&mut self.queue.recovering, true) {
            self.queue.go_back(messages);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::RepeatRule;
    use crate::message::Message;
    use packet::{Bth, BthFlags, FlowId, Lane, Lid, Lrh, Mtu, QpNumber, ServiceLevel};
    use units::{Bytes, Span};
    use workload::Operation;

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
