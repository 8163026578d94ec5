//! Promises of every transport service over a wire that loses packets in both directions.
//!
//! | service | over a lossy wire |
//! |---|---|
//! | RC, RD, RDMA READ | every packet is accepted once and in order, and every message completes |
//! | UC | a message is accepted to its end only if all of it arrived; a gap is noticed once |
//! | UD | every packet that arrives is accepted |

use std::collections::VecDeque;

use ca_transport::AnyEndpoint;
use ca_transport::endpoint::{
    CompletedMessages, Endpoint as _, EndpointRule, OutgoingPacket, Readiness, ReceiveVerdict, RepeatRule,
    TimeoutOutcome,
};
use ca_transport::message::{Message, Messages};
use packet::header::Syndrome;
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Mtu, Opcode, Packet, Psn, QpNumber, ServiceLevel, TransportService,
};
use proptest::prelude::*;
use units::{Bytes, Span, Time};
use workload::Operation;

const RULE: EndpointRule = EndpointRule {
    mtu: Mtu::B256,
    ack_every: 4,
    max_outstanding: 16,
    max_reads: 3,
    timeout: Some(Span::from_us(100)),
    // More retries than losses can cause: another test covers endpoints that give up.
    retry_count: 200,
    repeats: RepeatRule::IN_ORDER,
};

/// A message to post: queue pair, operation, payload.
type Order = (u32, Operation, u64);

/// Two endpoints, and the wires between them.
struct Pair {
    service: TransportService,
    asks: AnyEndpoint,
    answers: AnyEndpoint,
    messages: Messages,
    requests: VecDeque<Packet>,
    replies: VecDeque<Packet>,
    losses: Box<dyn Iterator<Item = bool>>,
    now: Time,
    seen: Seen,
}

/// Packets and messages observed.
#[derive(Default)]
struct Seen {
    /// Number of each accepted data packet in order, its payload, and true if it ends a message.
    accepted: Vec<(Psn, u64, bool)>,
    /// Queue pair of each completed message, in order.
    completed: Vec<QpNumber>,
    /// Messages begun, by their first packet or their request.
    begun: usize,
    /// Highest number of messages begun and not complete at the same time.
    most_under_way: usize,
    gaps: u32,
    lost: u32,
    arrived: u32,
}

impl Pair {
    fn new(service: TransportService, first: u64, orders: &[Order], losses: Vec<bool>) -> Self {
        let (mut asks, mut messages) =
            (AnyEndpoint::new(service, true, first, &RepeatRule::IN_ORDER), Messages::default());
        for number in 0..4 {
            asks.join(QpNumber(number));
        }
        for (number, operation, bytes) in orders {
            let message = Message::new(QpNumber(*number), *operation, Bytes::new(*bytes), RULE.mtu);
            asks.post(messages.insert(message), &mut messages);
        }
        Self {
            service,
            asks,
            answers: AnyEndpoint::new(service, false, first, &RepeatRule::IN_ORDER),
            messages,
            requests: VecDeque::new(),
            replies: VecDeque::new(),
            losses: Box::new(losses.into_iter().chain(core::iter::repeat(false))),
            now: Time::ZERO,
            seen: Seen::default(),
        }
    }

    fn packet(&self, out: &OutgoingPacket) -> Packet {
        let flags = if out.ack_request { BthFlags::ACK_REQUEST } else { BthFlags::empty() };
        let mut packet = bare(self.service, out.segment.opcode, out.psn, flags, out.segment.payload);
        packet.dma_length = out.dma_length;
        packet
    }

    fn survives(&mut self) -> bool {
        let lost = self.losses.next().expect("endless");
        self.seen.lost += u32::from(lost);
        !lost
    }

    /// Returns the next packet of an endpoint. An endpoint with a next packet is ready, and not at rest.
    fn next_of(&self, endpoint: &AnyEndpoint) -> Option<OutgoingPacket> {
        let next = endpoint.next(&self.messages, &RULE);
        assert_eq!(next.is_some(), endpoint.readiness(&RULE) == Readiness::Ready, "{next:?}");
        assert!(next.is_none() || !endpoint.at_rest(), "{next:?} at rest");
        next
    }

    /// Lets the requesting endpoint send all packets that may go. Returns true if any packet went.
    fn ask(&mut self) -> bool {
        let Some(out) = self.next_of(&self.asks) else { return false };
        let message = &self.messages[self.asks.next_message().expect("a packet of a message")];
        assert_eq!(out.queue_pair, message.queue_pair, "{:?} posts", self.service);
        let place = u64::from(out.psn.since(Psn::new(message.first as u32)));
        assert!(message.first + place < message.end, "packet {place} of {message:?}");
        let opcode = out.segment.opcode;
        if !out.again && (opcode.begins_message() || opcode == Opcode::ReadRequest) {
            self.seen.begun += 1;
            let under_way = self.seen.begun - self.seen.completed.len();
            self.seen.most_under_way = self.seen.most_under_way.max(under_way);
        }
        let completed = self.asks.sent(&mut self.messages, self.now);
        self.note(completed);
        if self.survives() {
            self.requests.push_back(self.packet(&out));
        }
        true
    }

    fn note(&mut self, completed: CompletedMessages) {
        for _ in 0..completed.messages {
            self.seen.completed.push(completed.queue_pair);
        }
    }

    fn accept(&mut self, packet: &Packet) {
        let ends = packet.bth.opcode.ends_message();
        self.seen.accepted.push((packet.bth.psn, u64::from(packet.payload), ends));
    }

    /// Handles a request at the answering endpoint.
    fn hear_request(&mut self) -> bool {
        let Some(packet) = self.requests.pop_front() else { return false };
        self.seen.arrived += 1;
        let verdict = self.answers.on_data(&packet, &RULE);
        if matches!(verdict, ReceiveVerdict::Accept | ReceiveVerdict::Resume) {
            self.accept(&packet);
        }
        self.seen.gaps +=
            u32::from(matches!(verdict, ReceiveVerdict::Resume | ReceiveVerdict::Drop { first: true }));
        let answer = match verdict {
            ReceiveVerdict::Gap { nak_due: true } => {
                let mut nak = bare(
                    self.service,
                    Opcode::Acknowledge,
                    self.answers.progress().expected(),
                    BthFlags::empty(),
                    0,
                );
                nak.syndrome = Syndrome::SequenceError;
                nak
            }
            ReceiveVerdict::Accept | ReceiveVerdict::Duplicate if packet.has(BthFlags::ACK_REQUEST) => bare(
                self.service,
                Opcode::Acknowledge,
                self.answers.progress().accepted(),
                BthFlags::empty(),
                0,
            ),
            _ => return true,
        };
        if self.survives() {
            self.replies.push_back(answer);
        }
        true
    }

    /// Lets the answering endpoint send a READ response.
    fn respond(&mut self) -> bool {
        let Some(out) = self.next_of(&self.answers) else { return false };
        assert_eq!(self.answers.next_message(), None, "a response is of no message posted here");
        self.answers.sent(&mut self.messages, self.now);
        if self.survives() {
            self.replies.push_back(self.packet(&out));
        }
        true
    }

    fn hear_reply(&mut self) -> bool {
        let Some(packet) = self.replies.pop_front() else { return false };
        let replied = self.asks.on_reply(&packet, &mut self.messages, self.now);
        if packet.bth.opcode.is_read_response() && replied.verdict == ReceiveVerdict::Accept {
            self.accept(&packet);
        }
        self.note(replied.completed);
        true
    }

    /// Runs until both endpoints are at rest; `choices` says which step comes first, round by round.
    fn run(&mut self, choices: &[u8]) -> Result<(), TestCaseError> {
        let steps = [Self::ask, Self::hear_request, Self::respond, Self::hear_reply];
        let mut choices = choices.iter().cycle();
        loop {
            self.now += Span::from_us(1);
            let first = usize::from(*choices.next().expect("not empty"));
            if (0..steps.len()).any(|step| steps[(first + step) % steps.len()](self)) {
                continue;
            }
            if self.asks.at_rest() {
                return Ok(());
            }
            self.now = self.asks.deadline(&RULE);
            prop_assert_ne!(self.now, Time::NEVER, "it waits for nothing");
            let overdue = self.asks.on_deadline(&RULE, &self.messages, self.now);
            prop_assert_ne!(overdue, TimeoutOutcome::GaveUp);
        }
    }
}

fn bare(transport: TransportService, opcode: Opcode, psn: Psn, flags: BthFlags, payload: u16) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
    let bth = Bth { destination_qp: QpNumber(0), psn, opcode, transport, flags };
    Packet::new(lrh, bth, QpNumber(0), FlowId(0), payload)
}

fn any_losses() -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(prop::bool::weighted(0.15), 200)
}

fn any_sizes() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(1..3000u64, 1..20)
}

/// Any number of the PSN circle, those just before its end more often.
fn any_first() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), (1 << 24) - 60..1u64 << 24, 0..1u64 << 40]
}

fn any_choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0..4u8, 1..50)
}

/// Checks the promise of a service after a run. The match is exhaustive: a service without a promise does not compile.
fn check_promise(
    service: TransportService,
    pair: &Pair,
    first: u64,
    orders: &[Order],
) -> Result<(), TestCaseError> {
    match service {
        TransportService::Rc | TransportService::Rd => check_reliable(pair, first, orders),
        TransportService::Uc => check_whole_messages(pair, first, orders),
        TransportService::Ud => check_datagrams(pair, orders),
    }
}

/// Checks that every packet was accepted, once and in order.
fn check_reliable(pair: &Pair, first: u64, orders: &[Order]) -> Result<(), TestCaseError> {
    prop_assert!(pair.messages.is_empty());
    prop_assert_eq!(pair.seen.completed.len(), orders.len());
    let bytes: u64 = orders.iter().map(|(.., bytes)| bytes).sum();
    prop_assert_eq!(pair.seen.accepted.iter().map(|(_, payload, _)| payload).sum::<u64>(), bytes);
    for (number, (psn, ..)) in (first..).zip(&pair.seen.accepted) {
        prop_assert_eq!(*psn, Psn::new(number as u32), "out of order");
    }
    Ok(())
}

/// Checks that a message was accepted to its end only if all of it arrived, and that gaps were noticed once.
fn check_whole_messages(pair: &Pair, first: u64, orders: &[Order]) -> Result<(), TestCaseError> {
    prop_assert!(pair.messages.is_empty());
    prop_assert_eq!(pair.seen.completed.len(), orders.len(), "sent is complete");
    // The payload accepted since the last beginning is the message's, whenever its end is accepted.
    let mut begins = first;
    let mut by_end = std::collections::BTreeMap::new();
    for (.., bytes) in orders {
        begins += bytes.div_ceil(256);
        by_end.insert(Psn::new((begins - 1) as u32).get(), *bytes);
    }
    let (mut payload, mut whole, mut last) = (0, 0, None);
    for (psn, bytes, ends) in &pair.seen.accepted {
        payload = if last == Some(psn.plus(Psn::MASK)) { payload + bytes } else { *bytes };
        last = (!ends).then_some(*psn);
        if *ends {
            prop_assert_eq!(Some(&payload), by_end.get(&psn.get()), "a message with a hole");
            whole += 1;
        }
    }
    prop_assert!(pair.seen.lost > 0 || whole == orders.len());
    prop_assert!(pair.seen.gaps <= pair.seen.lost);
    prop_assert!(pair.seen.lost == 0 || whole < orders.len() || pair.seen.gaps == 0);
    Ok(())
}

/// Checks that every packet that arrived was accepted, as a message by itself.
fn check_datagrams(pair: &Pair, orders: &[Order]) -> Result<(), TestCaseError> {
    prop_assert_eq!(pair.seen.accepted.len() as u32, pair.seen.arrived);
    prop_assert_eq!(pair.seen.arrived + pair.seen.lost, orders.len() as u32);
    prop_assert!(pair.seen.accepted.iter().all(|(.., ends)| *ends));
    Ok(())
}

proptest! {
    /// Every service keeps its promise for messages of one packet.
    #[test]
    fn every_service_keeps_its_promise(
        service in prop::sample::select(&TransportService::ALL[..]), sizes in prop::collection::vec(1..=256u64, 1..30),
        first in any_first(), losses in any_losses(), choices in any_choices(),
    ) {
        let orders: Vec<_> = sizes.into_iter().map(|bytes| (0, Operation::Send, bytes)).collect();
        let mut pair = Pair::new(service, first, &orders, losses);
        pair.run(&choices)?;
        check_promise(service, &pair, first, &orders)?;
    }

    #[test]
    fn reliable_connections_deliver_everything_in_order(
        sizes in any_sizes(), write: bool, first in any_first(), losses in any_losses(), choices in any_choices(),
    ) {
        let operation = if write { Operation::RdmaWrite } else { Operation::Send };
        let orders: Vec<_> = sizes.into_iter().map(|bytes| (0, operation, bytes)).collect();
        let mut pair = Pair::new(TransportService::Rc, first, &orders, losses);
        pair.run(&choices)?;
        check_reliable(&pair, first, &orders)?;
        prop_assert_eq!(pair.answers.progress().msn() as usize, orders.len());
    }

    /// In addition, no more READs are in progress at once than allowed.
    #[test]
    fn reads_deliver_everything_in_order(
        sizes in any_sizes(), first in any_first(), losses in any_losses(), choices in any_choices(),
    ) {
        let orders: Vec<_> = sizes.into_iter().map(|bytes| (0, Operation::RdmaRead, bytes)).collect();
        let mut pair = Pair::new(TransportService::Rc, first, &orders, losses);
        pair.run(&choices)?;
        check_reliable(&pair, first, &orders)?;
        prop_assert!(pair.seen.most_under_way <= RULE.max_reads as usize);
    }

    /// If the responder is slower than the requester, as many READs are in progress as allowed.
    #[test]
    fn reads_overlap(sizes in prop::collection::vec(1..3000u64, 3..20), first in any_first()) {
        let orders: Vec<_> = sizes.into_iter().map(|bytes| (0, Operation::RdmaRead, bytes)).collect();
        let mut pair = Pair::new(TransportService::Rc, first, &orders, vec![]);
        pair.run(&[0])?;
        prop_assert_eq!(pair.seen.most_under_way, RULE.max_reads as usize);
    }

    /// In addition, a single message of a context is in progress at a time. It belongs to the queue pair that has its
    /// turn.
    #[test]
    fn contexts_deliver_everything_in_order_one_message_at_a_time(
        orders in prop::collection::vec(
            (0..4u32, prop_oneof![Just(Operation::Send), Just(Operation::RdmaWrite), Just(Operation::RdmaRead)], 1..3000u64),
            1..20,
        ),
        first in any_first(), losses in any_losses(), choices in any_choices(),
    ) {
        let mut pair = Pair::new(TransportService::Rd, first, &orders, losses);
        pair.run(&choices)?;
        check_reliable(&pair, first, &orders)?;
        prop_assert_eq!(pair.seen.most_under_way, 1);
        // All messages were posted before the first was complete, so turns rotate among the queue pairs with messages
        // left. The first message starts when it is posted, before the others can take turns with it.
        let mut left = [0; 4];
        orders.iter().for_each(|(number, ..)| left[*number as usize] += 1);
        let mut turns: VecDeque<u32> = VecDeque::new();
        let mut expected = vec![orders[0].0];
        left[orders[0].0 as usize] -= 1;
        for (number, ..) in &orders[1..] {
            if !turns.contains(number) {
                turns.push_back(*number);
            }
        }
        while let Some(number) = turns.pop_front() {
            expected.push(number);
            left[number as usize] -= 1;
            if left[number as usize] > 0 {
                turns.push_back(number);
            }
        }
        let completed: Vec<_> = pair.seen.completed.iter().map(|number| number.0).collect();
        prop_assert_eq!(completed, expected);
    }

    #[test]
    fn unreliable_connections_deliver_whole_messages(
        sizes in any_sizes(), write: bool, first in any_first(), losses in any_losses(), choices in any_choices(),
    ) {
        let operation = if write { Operation::RdmaWrite } else { Operation::Send };
        let orders: Vec<_> = sizes.iter().map(|bytes| (0, operation, *bytes)).collect();
        let mut pair = Pair::new(TransportService::Uc, first, &orders, losses);
        pair.run(&choices)?;
        check_whole_messages(&pair, first, &orders)?;
    }

    #[test]
    fn unreliable_datagrams_are_taken_as_they_come(
        sizes in prop::collection::vec(1..=256u64, 1..50), first in any_first(), losses in any_losses(),
        choices in any_choices(),
    ) {
        let orders: Vec<_> = sizes.iter().map(|bytes| (0, Operation::Send, *bytes)).collect();
        let mut pair = Pair::new(TransportService::Ud, first, &orders, losses);
        pair.run(&choices)?;
        check_datagrams(&pair, &orders)?;
    }
}

/// A notification names a packet by 24 bits. The endpoint that sent the packet knows its number, and the next to be
/// sent.
#[test]
fn a_notification_names_a_packet_that_was_sent() {
    for service in TransportService::ALL {
        for first in [0, (1 << 24) - 3, 1 << 30] {
            // Four packets of a message; datagrams are a message each.
            let whole = [(0, Operation::Send, 6 * 256)];
            let orders = if service == TransportService::Ud {
                vec![(0, Operation::Send, 256); 6]
            } else {
                whole.to_vec()
            };
            let mut pair = Pair::new(service, first, &orders, vec![]);
            assert!((0..4).all(|_| pair.ask() && pair.hear_request()), "{service:?}");
            for number in first..first + 4 {
                let psn = Psn::new(number as u32);
                assert_eq!(pair.asks.number_of(psn), (number, first + 4), "{service:?}");
                let answers = match service {
                    TransportService::Rc | TransportService::Rd => (number, first + 4),
                    TransportService::Uc | TransportService::Ud => (0, 0),
                };
                assert_eq!(pair.answers.number_of(psn), answers, "{service:?}");
            }
        }
    }
}

/// Messages are posted to the end that requests or sends; the other end refuses them.
#[test]
fn an_end_that_answers_refuses_messages() {
    for service in TransportService::ALL {
        let refuses = std::panic::catch_unwind(|| {
            let mut messages = Messages::default();
            let message = Message::new(QpNumber(0), Operation::Send, Bytes::new(1), RULE.mtu);
            let key = messages.insert(message);
            AnyEndpoint::new(service, false, 0, &RepeatRule::IN_ORDER).post(key, &mut messages);
        });
        assert!(refuses.is_err(), "{service:?}");
    }
}
