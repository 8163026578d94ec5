//! Laws of recovery, on a wire that loses each packet with a probability: one packet a slot, acknowledgements arrive.
//!
//! | law | says | fails |
//! |---|---|---|
//! | selective repeat | goodput `1 - p` | with a window below a loss's round trip; with go-back-N |
//! | go-back-N | goodput `(1 - p) / (1 + (N - 1) p)`, if each loss is told, a repeat's too | if `N` is 1 less |
//! | go-back-N of IBA | goodput `1 / (1 + p N + p² TO / (1 - p))` | if a lost repeat is told as well |
//! | | mean time of a message of `n` packets `n + RTT + p ((n - 1) N + TO) + p² n TO` | with twice the time-out |
//!
//! `N` is the number of packets from a lost one until its requester learns of the loss. All are elementary: each
//! delivery costs a slot, and each loss 1 or `N` more. IBA 9.7 has one NAK for each expected packet, so a lost last packet
//! and a lost repeat cost a time-out.

use std::collections::VecDeque;

use ca_transport::AnyEndpoint;
use ca_transport::endpoint::{
    AnyOrderRule, Endpoint as _, EndpointRule, ReceiveVerdict, RepeatRule, TimeoutOutcome,
};
use ca_transport::message::{Message, Messages};
use packet::header::Syndrome;
use packet::{BthFlags, Mtu, Opcode, Packet, Psn, QpNumber, TransportService};
use units::{Bytes, Span};
use workload::Operation;

use crate::answers::{answer, bare, packet};

/// Slots from the end of a packet to its arrival, and from an acknowledgement's departure to its arrival.
const WAY: u64 = 10;
const ROUND_TRIP: u64 = 2 * WAY;
/// The lost packet, the next one, which shows the loss, and those sent until its answer arrives.
const LEARNED_AFTER: u64 = 2 + ROUND_TRIP;

/// Slots of an endless message.
const SLOTS: u64 = 1_600_000;

const LOSS: f64 = 0.01;

fn slots(number: u64) -> Span {
    Span::from_ns(number)
}

fn rule(time_out: u64, repeats: RepeatRule) -> EndpointRule {
    EndpointRule {
        mtu: Mtu::B256,
        ack_every: 1,
        max_outstanding: 1 << 20,
        max_reads: 1,
        timeout: Some(slots(time_out)),
        retry_count: 250,
        repeats,
    }
}

fn selective(cap: u32, time_out: u64) -> EndpointRule {
    let any_order = AnyOrderRule { window: 1 << 15, nak_after: core::num::NonZeroU32::new(1), cap };
    let time_out = Some(slots(time_out));
    let repeats =
        RepeatRule { any_order: Some(any_order), low: time_out, high: time_out, few: 3, doubling: false };
    rule(0, repeats)
}

/// A requester, a wire that loses, and a responder.
struct Wire {
    rule: EndpointRule,
    asks: AnyEndpoint,
    answers: AnyEndpoint,
    messages: Messages,
    requests: VecDeque<(u64, Packet)>,
    replies: VecDeque<(u64, Packet)>,
    slot: u64,
    /// State of a generator of random numbers.
    chance: u64,
    loss: f64,
    /// True if every loss of the expected packet causes a negative acknowledgement.
    tells_all: bool,
    untold: bool,
    accepted: u64,
    /// Arrivals of the expected packet, lost or not, and those lost.
    tries: u64,
    lost: u64,
}

impl Wire {
    fn new(rule: EndpointRule, (loss, tells_all): (f64, bool), seed: u64) -> Self {
        let new = |posts| AnyEndpoint::new(TransportService::Rc, posts, 0, &rule.repeats);
        Self {
            rule,
            asks: new(true),
            answers: new(false),
            messages: Messages::default(),
            requests: VecDeque::new(),
            replies: VecDeque::new(),
            slot: 0,
            chance: seed,
            loss,
            tells_all,
            untold: false,
            accepted: 0,
            tries: 0,
            lost: 0,
        }
    }

    /// Posts a message of this number of packets.
    fn post(&mut self, packets: u64) {
        let bytes = Bytes::new(packets * 256);
        let key = self.messages.insert(Message::new(QpNumber(0), Operation::RdmaWrite, bytes, Mtu::B256));
        self.asks.post(key, &mut self.messages);
    }

    /// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
    fn is_lost(&mut self) -> bool {
        self.chance = self.chance.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.chance;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        ((mixed >> 11) as f64) < self.loss * (1_u64 << 53) as f64
    }

    fn arrive(&mut self, asked: &Packet) {
        let expected = asked.bth.psn == self.answers.progress().expected();
        self.tries += u64::from(expected);
        if self.is_lost() {
            self.lost += u64::from(expected);
            self.untold |= expected;
            return;
        }
        let mut verdict = self.answers.on_data(asked, &self.rule);
        if let ReceiveVerdict::Gap { nak_due } = &mut verdict {
            *nak_due |= self.tells_all && core::mem::take(&mut self.untold);
        } else {
            self.untold = false;
        }
        self.accepted += u64::from(matches!(verdict, ReceiveVerdict::Accept | ReceiveVerdict::Placed { .. }));
        if let Some(answer) = answer(&self.answers, asked, verdict, &self.rule) {
            self.replies.push_back((self.slot + WAY, answer));
        }
    }

    /// Handles a slot: arrivals first, then a departure.
    fn step(&mut self) {
        let now = slots(self.slot).after_start();
        while let Some((_, asked)) = self.requests.pop_front_if(|(due, _)| *due <= self.slot) {
            self.arrive(&asked);
        }
        while let Some((_, reply)) = self.replies.pop_front_if(|(due, _)| *due <= self.slot) {
            self.asks.on_reply(&reply, &mut self.messages, now);
        }
        if self.asks.deadline(&self.rule) <= now {
            let outcome = self.asks.on_deadline(&self.rule, &self.messages, now);
            assert_ne!(outcome, TimeoutOutcome::GaveUp);
        }
        if let Some(out) = self.asks.next(&self.messages, &self.rule) {
            self.asks.sent(&mut self.messages, now);
            self.requests.push_back((self.slot + 1 + WAY, packet(&out)));
        }
        self.slot += 1;
    }

    /// Returns the packets accepted in a slot, on average, of an endless message, and the share of losses among the
    /// arrivals of expected packets, as it turned out.
    fn goodput(mut self) -> (f64, f64) {
        self.post(SLOTS);
        (0..SLOTS).for_each(|_| self.step());
        (self.accepted as f64 / SLOTS as f64, self.lost as f64 / self.tries as f64)
    }

    /// Returns the mean slots from the first packet of a message to its last acknowledgement.
    fn mean_time(mut self, packets: u64, messages: u64) -> f64 {
        let mut sum = 0;
        for _ in 0..messages {
            let begin = self.slot;
            self.post(packets);
            while !self.asks.at_rest() {
                self.step();
            }
            // The step in which the acknowledgement arrived has passed.
            sum += self.slot - 1 - begin;
            // Nothing of the message is under way when the next begins.
            (self.requests, self.replies) = (VecDeque::new(), VecDeque::new());
        }
        sum as f64 / messages as f64
    }
}

#[test]
fn selective_repeat_loses_what_the_wire_loses() {
    let (law, (measured, _)) = (1.0 - LOSS, Wire::new(selective(1 << 15, 400), (LOSS, false), 1).goodput());
    println!("selective repeat: {measured:.4}, law {law:.4}");
    assert!((measured - law).abs() < 0.002, "{measured} of {law}");
    // The window closes long before a loss is repaired.
    let (narrow, _) = Wire::new(selective(LEARNED_AFTER as u32 / 2, 400), (LOSS, false), 1).goodput();
    assert!(narrow < 0.55, "{narrow}");
}

#[test]
fn go_back_n_loses_a_round_trip_with_each_packet() {
    let (measured, loss) = Wire::new(rule(100_000, RepeatRule::IN_ORDER), (LOSS, true), 2).goodput();
    // Chance moves the share of losses, and with it the goodput, by more than a packet more or less.
    let law = |learned: u64| (1.0 - loss) / (1.0 + (learned - 1) as f64 * loss);
    println!("go-back-N: {measured:.4}, law {:.4}", law(LEARNED_AFTER));
    assert!((measured - law(LEARNED_AFTER)).abs() < 0.001, "{measured} of {}", law(LEARNED_AFTER));
    assert!((measured - law(LEARNED_AFTER - 1)).abs() > 0.003, "{measured}");
    assert!((loss - LOSS).abs() < 0.001, "{loss}");
}

/// IBA's single negative acknowledgement leaves a lost repeat to the time-out: of `p / (1 - p)` losses of a packet,
/// those past the first, `p² / (1 - p)`, cost a time-out each instead of `N` slots.
#[test]
fn go_back_n_of_iba_waits_for_lost_repeats() {
    const TIME_OUT: u64 = 1000;
    let (measured, _) = Wire::new(rule(TIME_OUT, RepeatRule::IN_ORDER), (LOSS, false), 2).goodput();
    let repeats = LOSS * LOSS / (1.0 - LOSS);
    let slots_each = |again: u64| 1.0 + LOSS * LEARNED_AFTER as f64 + repeats * again as f64;
    let law = 1.0 / slots_each(TIME_OUT);
    println!("go-back-N of IBA: {measured:.4}, law {law:.4}");
    // Lost repeats are as good as independent, so their number has the variance of its mean: three standard deviations.
    let packets = SLOTS as f64 * law;
    let tolerance = 3.0 * law * law * TIME_OUT as f64 * (repeats / packets).sqrt();
    assert!((measured - law).abs() < tolerance, "{measured} of {law}, {tolerance}");
    let told = 1.0 / slots_each(LEARNED_AFTER);
    assert!((measured - told).abs() > tolerance, "{measured} of {told}, {tolerance}");
}

#[test]
fn a_message_waits_for_its_lost_tail() {
    const PACKETS: u64 = 100;
    const TIME_OUT: u64 = 2000;
    const MESSAGES: u64 = 60_000;
    let loss = 0.002;
    let law = |time_out: u64| {
        let (packets, time_out) = (PACKETS as f64, time_out as f64);
        packets
            + ROUND_TRIP as f64
            + loss * ((packets - 1.0) * LEARNED_AFTER as f64 + time_out)
            + loss * loss * packets * time_out
    };
    let measured =
        Wire::new(rule(TIME_OUT, RepeatRule::IN_ORDER), (loss, false), 3).mean_time(PACKETS, MESSAGES);
    println!("message: {measured:.1} slots, law {:.1}", law(TIME_OUT));
    // A time-out falls into a message with the probability of a loss or two: three standard deviations of the mean.
    let tolerance = 3.0 * TIME_OUT as f64 * (loss / MESSAGES as f64).sqrt();
    assert!((measured - law(TIME_OUT)).abs() < tolerance, "{measured} of {}, {tolerance}", law(TIME_OUT));
    assert!((measured - law(2 * TIME_OUT)).abs() > tolerance, "{measured}");
}

/// IRN's receiver (Mittal and others, SIGCOMM 2018, 3.1), restated: a packet in order moves the expected number past
/// all packets that have arrived; a packet ahead is kept, and each is answered negatively with the expected number and
/// its own; a packet from before is acknowledged. Rows: packet, negative or not, expected number, own number if ahead.
#[test]
fn answers_are_irns() {
    let rows = [
        (0, false, 1, None),
        (2, true, 1, Some(2)),
        (3, true, 1, Some(3)),
        (5, true, 1, Some(5)),
        (1, false, 4, None),
        (6, true, 4, Some(6)),
        (3, false, 4, None),
        (6, true, 4, Some(6)),
        (4, false, 7, None),
        (7, false, 8, None),
        (0, false, 8, None),
    ];
    let rule = selective(128, 100);
    let mut answers = AnyEndpoint::new(TransportService::Rc, false, 0, &rule.repeats);
    for (row, (psn, negative, expected, own)) in rows.into_iter().enumerate() {
        let asked = bare(Opcode::WriteMiddle, Psn::new(psn), BthFlags::ACK_REQUEST);
        let verdict = answers.on_data(&asked, &rule);
        let reply = answer(&answers, &asked, verdict, &rule).expect("each is answered");
        let named = if negative { reply.bth.psn } else { reply.bth.psn.plus(1) };
        assert_eq!(
            (reply.syndrome == Syndrome::SequenceError, named.get()),
            (negative, expected),
            "row {row}"
        );
        let ahead = Some(reply.selective()).filter(|distance| *distance > 0);
        assert_eq!(ahead.map(|distance| expected + u32::from(distance)), own, "row {row}");
    }
}

/// A time-out passes sooner while few packets are under way, and each is twice as long as the one before if they double.
#[test]
fn time_outs_grow_and_depend_on_the_flight() {
    let mut rule = selective(100, 0);
    (rule.repeats.low, rule.repeats.high, rule.repeats.doubling) = (Some(slots(100)), Some(slots(320)), true);
    for (packets, first) in [(3, 100), (4, 320)] {
        let mut wire = Wire::new(rule, (1.0, false), 0);
        wire.post(packets);
        let mut repeats = Vec::new();
        while repeats.len() < 3 {
            let slot = wire.slot;
            wire.step();
            if slot >= packets && wire.requests.back().is_some_and(|(due, _)| *due == slot + 1 + WAY) {
                repeats.push(slot);
            }
        }
        assert_eq!(repeats, [first, 3 * first, 7 * first], "{packets} packets");
    }
}
