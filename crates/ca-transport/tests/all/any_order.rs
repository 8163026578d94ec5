//! Promises of connections that take packets in any order, over wires that lose and permute packets in both directions.
//!
//! | operation | under any permutation and loss |
//! |---|---|
//! | all | every packet is accepted once, within the window, and every message completes |
//! | SEND | messages end for the user in order, each once all of its packets and all earlier messages have arrived |
//! | RDMA WRITE | a message ends for the user with the last of its packets to arrive, and none earlier or later |
//! | RDMA READ | messages end at the requester in order |

use core::num::NonZeroU32;
use std::collections::BTreeMap;

use ca_transport::AnyEndpoint;
use ca_transport::endpoint::{
    AnyOrderRule, Endpoint as _, EndpointRule, Readiness, ReceiveVerdict, RepeatRule, TimeoutOutcome,
};
use ca_transport::message::{Message, Messages};
use packet::{Mtu, Opcode, Packet, Psn, QpNumber, TransportService};
use proptest::prelude::*;
use units::{Bytes, Span, Time};
use workload::Operation;

use crate::answers::{answer, packet};

fn rule(window: u32, nak_after: Option<u32>, doubling: bool) -> EndpointRule {
    EndpointRule {
        mtu: Mtu::B256,
        ack_every: 4,
        max_outstanding: 40,
        max_reads: 3,
        timeout: None,
        retry_count: 250,
        repeats: RepeatRule {
            any_order: Some(AnyOrderRule { window, nak_after: nak_after.and_then(NonZeroU32::new), cap: 32 }),
            low: Some(Span::from_us(50)),
            high: Some(Span::from_us(200)),
            few: 3,
            doubling,
        },
    }
}

/// Two endpoints, the wires between them, and the user's view.
struct Pair {
    rule: EndpointRule,
    operation: Operation,
    asks: AnyEndpoint,
    answers: AnyEndpoint,
    messages: Messages,
    requests: Vec<Packet>,
    replies: Vec<Packet>,
    losses: std::iter::Cycle<std::vec::IntoIter<bool>>,
    /// Losses go on until so many packets were sent.
    lossy: u32,
    now: Time,
    /// Payload of each accepted packet, by number.
    accepted: BTreeMap<u64, u16>,
    /// Number after the last packet of each message.
    ends: Vec<u64>,
    first: u64,
    ended: u64,
    completed: u64,
    repeated: u64,
    duplicates: u64,
}

impl Pair {
    fn new(
        rule: EndpointRule,
        operation: Operation,
        sizes: &[u64],
        (first, losses): (u64, Vec<bool>),
    ) -> Self {
        let new = |posts| AnyEndpoint::new(TransportService::Rc, posts, first, &rule.repeats);
        let (mut asks, mut messages, mut ends, mut end) = (new(true), Messages::default(), Vec::new(), first);
        for bytes in sizes {
            let message = Message::new(QpNumber(0), operation, Bytes::new(*bytes), rule.mtu);
            end += message.end;
            ends.push(end);
            asks.post(messages.insert(message), &mut messages);
        }
        Self {
            rule,
            operation,
            asks,
            answers: new(false),
            messages,
            requests: Vec::new(),
            replies: Vec::new(),
            losses: losses.into_iter().chain([false]).collect::<Vec<_>>().into_iter().cycle(),
            lossy: 400,
            now: Time::ZERO,
            accepted: BTreeMap::new(),
            ends,
            first,
            ended: 0,
            completed: 0,
            repeated: 0,
            duplicates: 0,
        }
    }

    fn survives(&mut self) -> bool {
        self.lossy = self.lossy.saturating_sub(1);
        self.lossy == 0 || !self.losses.next().expect("endless")
    }

    /// Returns the first missing number, and the whole number of a PSN near it.
    fn missing(&self) -> u64 {
        (self.first..).find(|number| !self.accepted.contains_key(number)).expect("endless")
    }

    fn number(&self, psn: Psn) -> u64 {
        let missing = self.missing();
        (missing.saturating_sub(200)..missing + 200)
            .find(|number| Psn::new(*number as u32) == psn)
            .expect("near")
    }

    /// Accepts a packet for the user, and checks the messages that end with it.
    fn accept(&mut self, packet: &Packet, messages: u32) -> Result<(), TestCaseError> {
        let number = self.number(packet.bth.psn);
        let before = self.missing();
        prop_assert!(self.accepted.insert(number, packet.payload).is_none(), "accepted twice: {number}");
        let window = self.rule.repeats.any_order.expect("any order").window;
        prop_assert!(number - before < u64::from(window));
        let missing = self.missing();
        let ended = if self.operation == Operation::RdmaWrite {
            let place = self.ends.partition_point(|end| *end <= number);
            let begin = if place == 0 { self.first } else { self.ends[place - 1] };
            u32::from((begin..self.ends[place]).all(|number| self.accepted.contains_key(&number)))
        } else {
            let passed = |upto| self.ends.partition_point(|end| *end <= upto);
            (passed(missing) - passed(before)) as u32
        };
        prop_assert_eq!(messages, ended);
        self.ended += u64::from(ended);
        Ok(())
    }

    fn ask(&mut self) -> bool {
        let next = self.asks.next(&self.messages, &self.rule);
        assert_eq!(next.is_some(), self.asks.readiness(&self.rule) == Readiness::Ready, "{next:?}");
        let Some(out) = next else { return false };
        assert!(!self.asks.at_rest(), "{next:?} at rest");
        self.repeated += u64::from(out.again);
        let message = &self.messages[self.asks.next_message().expect("a packet of a message")];
        assert!(u64::from(out.psn.since(Psn::new(message.first as u32))) < message.end - message.first);
        self.asks.sent(&mut self.messages, self.now);
        if self.survives() {
            self.requests.push(packet(&out));
        }
        true
    }

    fn hear_request(&mut self, pick: usize) -> Result<bool, TestCaseError> {
        if self.requests.is_empty() {
            return Ok(false);
        }
        let asked = self.requests.remove(pick % self.requests.len());
        let verdict = self.answers.on_data(&asked, &self.rule);
        match verdict {
            ReceiveVerdict::Placed { .. } => {
                let placed = self.answers.placed();
                self.accept(&asked, placed.messages)?;
                let held = self.accepted.range(self.missing()..).count();
                prop_assert_eq!(placed.held as usize, held);
            }
            ReceiveVerdict::Duplicate => self.duplicates += 1,
            ReceiveVerdict::ReadRequested => {}
            other => prop_assert!(false, "{:?}", other),
        }
        let answer = answer(&self.answers, &asked, verdict, &self.rule);
        if let Some(answer) = answer
            && self.survives()
        {
            self.replies.push(answer);
        }
        Ok(true)
    }

    fn respond(&mut self) -> bool {
        let Some(out) = self.answers.next(&self.messages, &self.rule) else { return false };
        self.answers.sent(&mut self.messages, self.now);
        if self.survives() {
            self.replies.push(packet(&out));
        }
        true
    }

    fn hear_reply(&mut self, pick: usize) -> Result<bool, TestCaseError> {
        if self.replies.is_empty() {
            return Ok(false);
        }
        let reply = self.replies.remove(pick % self.replies.len());
        let replied = self.asks.on_reply(&reply, &mut self.messages, self.now);
        if reply.bth.opcode != Opcode::Acknowledge && matches!(replied.verdict, ReceiveVerdict::Placed { .. })
        {
            self.accept(&reply, self.asks.placed().messages)?;
        }
        if reply.bth.opcode != Opcode::Acknowledge {
            let refused = matches!(replied.verdict, ReceiveVerdict::Gap { .. });
            prop_assert!(!refused, "a response beyond the window was asked for");
            self.duplicates += u64::from(replied.verdict == ReceiveVerdict::Duplicate);
        }
        self.completed += u64::from(replied.completed.messages);
        Ok(true)
    }

    /// Runs until both endpoints are at rest; `choices` says which step comes first, and which packet arrives.
    fn run(&mut self, choices: &[(u8, u8)]) -> Result<(), TestCaseError> {
        let mut choices = choices.iter().cycle();
        loop {
            self.now += Span::from_us(1);
            let (first, pick) = *choices.next().expect("not empty");
            let mut moved = false;
            for step in 0..4 {
                moved = match (usize::from(first) + step) % 4 {
                    0 => self.ask(),
                    1 => self.hear_request(usize::from(pick))?,
                    2 => self.respond(),
                    _ => self.hear_reply(usize::from(pick))?,
                };
                if moved {
                    break;
                }
            }
            if moved {
                continue;
            }
            if self.asks.at_rest() {
                return Ok(());
            }
            self.now = self.asks.deadline(&self.rule);
            prop_assert_ne!(self.now, Time::NEVER, "it waits for nothing");
            let overdue = self.asks.on_deadline(&self.rule, &self.messages, self.now);
            prop_assert_ne!(overdue, TimeoutOutcome::GaveUp);
        }
    }
}

proptest! {
    #[test]
    fn every_operation_keeps_its_promise(
        operation in prop::sample::select(&[Operation::Send, Operation::RdmaWrite, Operation::RdmaRead][..]),
        sizes in prop::collection::vec(1..3000u64, 1..20), window in 1..64u32,
        nak in prop::option::of(1..20u32), doubling: bool,
        first in prop_oneof![Just(0), (1 << 24) - 60..1u64 << 24, 0..1u64 << 40],
        losses in prop::collection::vec(prop::bool::weighted(0.15), 200),
        choices in prop::collection::vec((0..4u8, 0..20u8), 1..50),
    ) {
        let mut pair = Pair::new(rule(window, nak, doubling), operation, &sizes, (first, losses));
        pair.run(&choices)?;
        prop_assert!(pair.messages.is_empty());
        prop_assert_eq!((pair.completed, pair.ended), (sizes.len() as u64, sizes.len() as u64));
        prop_assert_eq!(pair.accepted.values().map(|payload| u64::from(*payload)).sum::<u64>(), sizes.iter().sum::<u64>());
        if operation != Operation::RdmaRead {
            prop_assert_eq!(pair.answers.progress().msn() as usize, sizes.len());
        }
    }

    /// Without losses, and if only the time-out tells of them, nothing is repeated, however packets overtake.
    #[test]
    fn overtaking_alone_repeats_nothing(
        operation in prop::sample::select(&[Operation::Send, Operation::RdmaWrite, Operation::RdmaRead][..]),
        sizes in prop::collection::vec(1..3000u64, 1..20), window in 1..64u32,
        choices in prop::collection::vec((0..4u8, 0..20u8), 1..50),
    ) {
        let mut pair = Pair::new(rule(window, None, false), operation, &sizes, (7, vec![]));
        pair.run(&choices)?;
        prop_assert_eq!((pair.repeated, pair.duplicates), (0, 0));
    }
}
