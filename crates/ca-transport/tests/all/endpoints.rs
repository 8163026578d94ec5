//! Endpoints of the reliable services, packet by packet: losses are repaired at once, and replies to nothing change
//! nothing. Numbers half the PSN circle apart are told apart.

use ca_transport::AnyEndpoint;
use ca_transport::endpoint::{Endpoint as _, EndpointRule, ReceiveVerdict, RepeatRule};
use ca_transport::message::{Message, Messages};
use packet::header::Syndrome;
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Mtu, Opcode, Packet, Psn, QpNumber, ServiceLevel, TransportService,
};
use units::{Bytes, Span, Time};
use workload::Operation;

const RULE: EndpointRule = EndpointRule {
    mtu: Mtu::B256,
    ack_every: 1000,
    max_outstanding: 16,
    max_reads: 4,
    timeout: Some(Span::from_us(100)),
    retry_count: 7,
    repeats: RepeatRule::IN_ORDER,
};

/// Half the PSN circle: most packets that may be outstanding.
const HALF: u32 = 1 << 23;

fn packet(opcode: Opcode, psn: u64) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
    let (psn, transport, flags) = (Psn::new(psn as u32), TransportService::Rc, BthFlags::empty());
    let bth = Bth { destination_qp: QpNumber(0), psn, opcode, transport, flags };
    Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0)
}

fn reply(syndrome: Syndrome, psn: u64) -> Packet {
    let mut packet = packet(Opcode::Acknowledge, psn);
    packet.syndrome = syndrome;
    packet
}

fn read_request(psn: u64, packets: u32) -> Packet {
    let mut packet = packet(Opcode::ReadRequest, psn);
    packet.dma_length = 256 * packets;
    packet
}

/// A requester, and messages of this number of packets that are posted to it.
struct Asking(AnyEndpoint, Messages);

impl Asking {
    fn new(first: u64, operation: Operation, packets: &[u64]) -> Self {
        let (mut endpoint, mut messages) =
            (AnyEndpoint::new(TransportService::Rc, true, first, &RepeatRule::IN_ORDER), Messages::default());
        for count in packets {
            let message = Message::new(QpNumber(0), operation, Bytes::new(256 * count), RULE.mtu);
            endpoint.post(messages.insert(message), &mut messages);
        }
        Self(endpoint, messages)
    }

    /// Sends all packets that may go. Returns their numbers, and true for those sent before.
    fn send(&mut self) -> Vec<(u32, bool)> {
        let Self(endpoint, messages) = self;
        let next = || {
            let out = endpoint.next(messages, &RULE)?;
            endpoint.sent(messages, Time::ZERO);
            Some((out.psn.get(), out.again))
        };
        core::iter::from_fn(next).collect()
    }

    fn hear(&mut self, packet: &Packet) -> (u32, ReceiveVerdict) {
        let replied = self.0.on_reply(packet, &mut self.1, Time::ZERO);
        (replied.packets, replied.verdict)
    }
}

/// IBA volume 1, 9.7: a sequence error acknowledges all packets before the packet that it names, which goes next. A
/// later copy of the same reply finds that packet acknowledged, and repeats nothing.
#[test]
fn a_sequence_error_goes_back_at_once_and_once() {
    let mut asking = Asking::new(40, Operation::Send, &[5]);
    assert_eq!(asking.send().len(), 5);
    assert_eq!(asking.hear(&reply(Syndrome::SequenceError, 42)).0, 2);
    assert_eq!(asking.send(), [(42, true), (43, true), (44, true)]);
    assert_eq!(asking.hear(&reply(Syndrome::Ack, 43)).0, 2);
    assert_eq!(asking.hear(&reply(Syndrome::SequenceError, 42)).0, 0);
    assert_eq!(asking.send(), []);
}

/// A response that is missing is requested again by the first response behind it, and only by that.
#[test]
fn a_missing_response_is_requested_again_at_once_and_once() {
    let gap = ReceiveVerdict::Gap { nak_due: false };
    let response = |psn| packet(Opcode::ReadResponseMiddle, psn);
    let mut asking = Asking::new(40, Operation::RdmaRead, &[4]);
    assert_eq!(asking.send(), [(40, false)]);
    assert_eq!(asking.hear(&response(40)), (1, ReceiveVerdict::Accept));
    assert_eq!(asking.hear(&response(42)), (0, gap));
    assert_eq!(asking.send(), [(41, true)], "the rest is requested from the missing response on");
    assert_eq!(asking.hear(&response(43)), (0, gap));
    assert_eq!(asking.send(), []);
    for psn in 41..44 {
        assert_eq!(asking.hear(&response(psn)), (1, ReceiveVerdict::Accept));
    }
    assert!(asking.0.at_rest());
}

/// A requester that goes back repeats all READs in progress: each response leaves once.
#[test]
fn repeated_reads_are_answered_once() {
    let mut answers = AnyEndpoint::new(TransportService::Rc, false, 40, &RepeatRule::IN_ORDER);
    let mut messages = Messages::default();
    for (psn, packets) in [(40, 2), (42, 3), (40, 2), (42, 3)] {
        assert_eq!(answers.on_data(&read_request(psn, packets), &RULE), ReceiveVerdict::ReadRequested);
    }
    let next = || {
        let out = answers.next(&messages, &RULE)?;
        answers.sent(&mut messages, Time::ZERO);
        Some(out.psn.get())
    };
    assert_eq!(core::iter::from_fn(next).collect::<Vec<_>>(), [40, 41, 42, 43, 44]);
}

/// A reply that names a packet not yet sent, such as a stray from an earlier connection, acknowledges nothing.
#[test]
fn a_reply_to_nothing_changes_nothing() {
    let mut asking = Asking::new(40, Operation::Send, &[2]);
    for psn in 38..43 {
        assert_eq!(asking.hear(&reply(Syndrome::Ack, psn)).0, 0, "{psn}");
    }
    assert_eq!(asking.send(), [(40, false), (41, false)]);
}

/// IBA 9.7.1: numbers are compared within half the circle. The packet half a circle away is the oldest that a full
/// window can repeat, not the youngest.
#[test]
fn a_packet_half_a_circle_away_is_an_old_one() {
    let (first, half) = (1 << 24, u64::from(HALF));
    let Asking(asks, _) = Asking::new(first, Operation::Send, &[1]);
    let named = |number: u64| asks.number_of(Psn::new(number as u32)).0;
    assert_eq!(named(first - half), first - half);
    assert_eq!(named(first + half - 1), first + half - 1);
    for opcode in [Opcode::SendMiddle, Opcode::ReadRequest] {
        let verdict = |number| {
            AnyEndpoint::new(TransportService::Rc, false, first, &RepeatRule::IN_ORDER)
                .on_data(&packet(opcode, number), &RULE)
        };
        let old = match opcode {
            Opcode::ReadRequest => ReceiveVerdict::ReadRequested,
            _ => ReceiveVerdict::Duplicate,
        };
        assert_eq!(verdict(first - half), old, "{opcode:?}");
        assert_eq!(verdict(first + half - 1), ReceiveVerdict::Gap { nak_due: true }, "{opcode:?}");
    }
}
