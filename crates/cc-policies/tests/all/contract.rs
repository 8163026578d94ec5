//! Contracts of all policies: a function for each trait, run for all schemes.

use crate::own;
use crate::schemes::{examples, marks, schemes};
use cc_policies::{
    Acknowledgement, Answer, AnyEcho, AnyMarker, AnyResponse, AnyState, BufferOwner, BufferView, Control,
    Echo, EchoState, LimitedBy, MarkReason, Marker, MarkerSetup, Notification, NotificationOutcome,
    QueueView, Response, SentPacket,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, MarkCode, Opcode, Packet, PortId, Psn, QpNumber, ServiceLevel,
    VoqId,
};
use proptest::prelude::*;
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate, Span, Time};

const RADIX: u16 = 4;
const LANES: u8 = 2;
const CAPACITY: Bytes = Bytes::kib(16);
const LONGEST: u64 = 4138;
const BLOCK: u64 = 64;

/// Events at a switch's queues.
#[derive(Clone, Copy, Debug)]
enum Op {
    Store { input: u16, length: u64 },
    Leave,
    Stall,
}

fn any_ops() -> impl Strategy<Value = Vec<(u16, u8, Op)>> {
    let op = prop_oneof![
        (0..RADIX, 26..=LONGEST).prop_map(|(input, length)| Op::Store { input, length }),
        Just(Op::Leave),
        Just(Op::Stall),
    ];
    prop::collection::vec((0..RADIX, 0..LANES, op), 0..300)
}

/// Queues of packet lengths, by input, output and lane, that report to a marker as a switch does.
struct Queues {
    marker: AnyMarker,
    waiting: Vec<Vec<u64>>,
}

impl Queues {
    fn new(control: &Control) -> Self {
        let setup = MarkerSetup {
            name: "S".to_owned(),
            radix: RADIX.into(),
            lanes: LANES.into(),
            buffers_of: BufferOwner::Inputs,
            capacity: CAPACITY,
            longest_packet: Bytes::new(LONGEST),
            numbers: (1..=RADIX).collect(),
            faces_adapter: (0..RADIX).map(|port| port < 2).collect(),
            rates: (0..RADIX).map(|port| Rate::gbps(if port < 2 { 40 } else { 100 })).collect(),
            stream: Pcg64Mcg::new(11),
        };
        let places = usize::from(RADIX) * usize::from(RADIX) * usize::from(LANES);
        Self { marker: own::marker(&control.marking, &setup), waiting: vec![vec![]; places] }
    }

    fn at(place: VoqId) -> usize {
        let outputs = usize::from(RADIX);
        (place.input.index() * outputs + place.output.index()) * usize::from(LANES) + place.lane.index()
    }

    fn places(output: u16, lane: u8) -> impl Iterator<Item = VoqId> + Clone {
        (0..RADIX).map(move |input| VoqId { input: PortId(input), output: PortId(output), lane: Lane(lane) })
    }

    fn tell(&mut self, changed: VoqId) {
        let held = |place| self.waiting[Self::at(place)].iter().sum::<u64>();
        let all = Self::places(changed.output.0, changed.lane.0).map(held);
        let view = QueueView {
            voq: Bytes::new(held(changed)),
            sum: Bytes::new(all.clone().sum()),
            inputs: all.filter(|&bytes| bytes > 0).count() as u32,
            wire_busy: false,
        };
        self.marker.queue_changed(changed, view);
    }

    /// Returns the buffer space of all packets from this input and lane, in whole blocks.
    fn held(&self, input: u16, lane: u8) -> Bytes {
        let place = |output| VoqId { input: PortId(input), output: PortId(output), lane: Lane(lane) };
        let lengths = (0..RADIX).flat_map(|output| &self.waiting[Self::at(place(output))]);
        Bytes::new(lengths.map(|length| length.next_multiple_of(BLOCK)).sum())
    }

    fn tell_of_buffer(&mut self, VoqId { input, lane, .. }: VoqId) {
        let held = self.held(input.0, lane.0);
        self.marker.buffer_changed(input, lane, BufferView { held, room: CAPACITY - held });
    }

    /// Applies an event. Returns the length of the packet that leaves, if any, and its mark.
    fn apply(&mut self, (output, lane, op): (u16, u8, Op)) -> Option<(u64, Option<MarkCode>)> {
        match op {
            Op::Store { input, length } => {
                let place = VoqId { input: PortId(input), output: PortId(output), lane: Lane(lane) };
                if self.held(input, lane).get() + length.next_multiple_of(BLOCK) <= CAPACITY.get() {
                    self.waiting[Self::at(place)].push(length);
                    self.tell_of_buffer(place);
                    self.tell(place);
                }
                None
            }
            Op::Leave => {
                let place = Self::places(output, lane).find(|&at| !self.waiting[Self::at(at)].is_empty())?;
                let length = self.waiting[Self::at(place)].remove(0);
                self.tell(place);
                let at_input = self.marker.left_input(place);
                let at_output = self.marker.departing(place, Bytes::new(length));
                self.tell_of_buffer(place);
                Some((length, at_input.or(at_output)))
            }
            Op::Stall => {
                self.marker.stalled(PortId(output), Lane(lane));
                None
            }
        }
    }

    fn drain(&mut self) {
        for (output, lane) in (0..RADIX).flat_map(|output| (0..LANES).map(move |lane| (output, lane))) {
            while self.apply((output, lane, Op::Leave)).is_some() {}
        }
    }
}

/// A marker decides alike on equal histories; without a queue it marks nothing; and a queue that has drained leaves
/// nothing behind.
fn marker_contract(control: &Control, ops: &[(u16, u8, Op)]) -> Result<(), TestCaseError> {
    let (mut one, mut other) = (Queues::new(control), Queues::new(control));
    let mut marked = 0;
    for &op in ops {
        let outcome = one.apply(op);
        prop_assert_eq!(outcome, other.apply(op));
        marked += usize::from(matches!(outcome, Some((_, Some(_)))));
    }
    prop_assert!(marks(control) || marked == 0, "a mark without a marker");
    one.drain();
    for &(output, lane, op) in ops {
        if let Op::Store { .. } | Op::Stall = op {
            one.apply((output, lane, op));
            let left = one.apply((output, lane, Op::Leave));
            prop_assert!(left.is_none_or(|(_, mark)| mark.is_none()), "a mark without a queue");
        }
    }
    Ok(())
}

/// Four packets of the same input fill its buffer, and leave. Every rule that marks at all marks a packet among them.
fn marks_a_full_buffer(control: &Control) {
    let mut queues = Queues::new(control);
    (0..4).for_each(|_| _ = queues.apply((2, 1, Op::Store { input: 3, length: 4000 })));
    let left = [(); 4].map(|()| queues.apply((2, 1, Op::Leave)).expect("it was stored").1);
    assert_eq!(left.iter().any(Option::is_some), marks(control), "{control:?}: {left:?}");
}

fn packet(opcode: Opcode, flags: BthFlags) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
    let bth = Bth {
        destination_qp: QpNumber(0),
        psn: Psn::new(0),
        opcode,
        transport: packet::TransportService::Rc,
        flags,
    };
    Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0)
}

/// An echo answers marks only, never an answer, and asks for an acknowledgement only of packets that are acknowledged.
fn echo_contract(control: &Control) {
    let echo = control.echo;
    let acknowledged = [
        Opcode::SendFirst,
        Opcode::SendMiddle,
        Opcode::SendLast,
        Opcode::SendOnly,
        Opcode::WriteFirst,
        Opcode::WriteMiddle,
        Opcode::WriteLast,
        Opcode::WriteOnly,
    ];
    let reads = [
        Opcode::ReadRequest,
        Opcode::ReadResponseFirst,
        Opcode::ReadResponseMiddle,
        Opcode::ReadResponseLast,
        Opcode::ReadResponseOnly,
    ];
    let answers = [Opcode::Acknowledge, Opcode::Cnp];
    for opcode in acknowledged.into_iter().chain(reads).chain(answers) {
        let unmarked = packet(opcode, BthFlags::BECN | BthFlags::ACK_REQUEST);
        let mut flow = EchoState::default();
        assert_eq!(echo.answer(&unmarked, &mut flow, Time::ZERO), None, "{opcode:?} without FECN");
        let answer = echo.answer(&packet(opcode, BthFlags::FECN), &mut flow, Time::ZERO);
        if answers.contains(&opcode) {
            assert_eq!(answer, None, "an answer to {opcode:?}");
        } else {
            assert_eq!(answer.is_some(), echo != AnyEcho::Off, "{opcode:?}");
        }
        assert!(
            answer != Some(Answer::Acknowledgement) || acknowledged.contains(&opcode),
            "{opcode:?} is not acknowledged"
        );
    }
}

/// Returns the gap after a packet of this time, and the window.
fn allowed(response: &AnyResponse, state: &mut AnyState, packet_time: Span, now: Time) -> (Span, u32) {
    (response.gap(state, packet_time, now), response.window(state))
}

/// Events of a flow.
#[derive(Clone, Copy, Debug)]
enum Fact {
    Sent(LimitedBy),
    Acknowledged { packets: u32, marked: bool },
    Notified,
}

fn any_fact() -> impl Strategy<Value = Fact> {
    let limits = prop::sample::select(vec![LimitedBy::Rate, LimitedBy::Window, LimitedBy::Other]);
    prop_oneof![
        limits.prop_map(Fact::Sent),
        (1..40u32, any::<bool>()).prop_map(|(packets, marked)| Fact::Acknowledged { packets, marked }),
        Just(Fact::Notified),
    ]
}

/// Reports an event; the `number`th event is of packet `number`.
fn tell(
    response: &AnyResponse,
    state: &mut AnyState,
    number: u64,
    fact: Fact,
    now: Time,
) -> NotificationOutcome {
    match fact {
        Fact::Sent(limited_by) => {
            response.on_sent(state, SentPacket { limited_by, length: Bytes::new(LONGEST) }, now);
            NotificationOutcome::default()
        }
        Fact::Acknowledged { packets, marked } => {
            let ack = Acknowledgement { psn: number, next: number + 1, packets, marked };
            response.on_acknowledged(state, ack, now)
        }
        Fact::Notified => response.on_notification(state, Notification { psn: None, next: number + 1 }, now),
    }
}

/// The state that is shown is the state that acts. After a packet and its gap a flow is at its allowed rate. The gap is
/// a whole number of picoseconds and the rate of bits a second. Each unit is a millionth of the packet's time or of the
/// lowest rate here, 1 Mb/s. A window is shown if the response has a window.
fn shows_what_acts(
    response: &AnyResponse,
    mut state: AnyState,
    packet_time: Span,
    now: Time,
) -> Result<(), TestCaseError> {
    let line = Rate::gbps(40);
    let shown = response.control_state(&state, now);
    let (gap, window) = allowed(response, &mut state, packet_time, now);
    prop_assert_eq!(shown.window, (window != u32::MAX).then_some(window));
    let share = packet_time.ps() as f64 / (packet_time + gap).ps() as f64;
    let of_line = shown.allowed_rate(line).map_or(1.0, |rate| rate.get() as f64 / line.get() as f64);
    prop_assert!((share / of_line - 1.0).abs() < 2e-6, "{:?} allows {}, not {}", shown, of_line, share);
    Ok(())
}

/// A response is a function of its history, and reading it does not change the history. Longer packets have no
/// shorter gaps. A mark never shortens the gap or widens the window; other events never do the opposite. The window
/// is never 0. After long enough without a mark, the state is as at rest.
fn response_contract(control: &Control, story: &[(u64, Fact)]) -> Result<(), TestCaseError> {
    let response = own::response(&control.response, Rate::gbps(40));
    let packet_time = Span::from_ns(1000);
    let at_rest = allowed(&response, &mut response.at_rest(ServiceLevel(5)), packet_time, Time::ZERO);
    let (mut flow, mut watched) = (response.at_rest(ServiceLevel(5)), response.at_rest(ServiceLevel(5)));
    let mut now = Time::ZERO;
    for (number, &(wait, fact)) in (0..).zip(story) {
        response.gap(&mut watched, packet_time, now + Span::from_ns(wait) / 2);
        now += Span::from_ns(wait);
        let before = allowed(&response, &mut watched, packet_time, now);
        prop_assert_eq!(
            tell(&response, &mut flow, number, fact, now),
            tell(&response, &mut watched, number, fact, now)
        );
        let after = allowed(&response, &mut watched, packet_time, now);
        match fact {
            Fact::Sent(_) | Fact::Acknowledged { marked: false, .. } => {
                prop_assert!(after.0 <= before.0 && after.1 >= before.1, "{:?} to {:?}", before, after);
            }
            Fact::Acknowledged { .. } | Fact::Notified => {
                prop_assert!(after.0 >= before.0 && after.1 <= before.1, "{:?} to {:?}", before, after);
            }
        }
        let mut asked = flow;
        prop_assert_eq!(allowed(&response, &mut asked, packet_time, now), after);
        shows_what_acts(&response, flow, packet_time, now)?;
        prop_assert!(after.0 >= at_rest.0 && (1..=at_rest.1).contains(&after.1));
        prop_assert!(after.0 <= response.gap(&mut asked, packet_time * 2, now));
    }
    let much_later = now + Span::from_us(1_000_000);
    for limited_by in [LimitedBy::Rate, LimitedBy::Window] {
        response.on_sent(&mut flow, SentPacket { limited_by, length: Bytes::new(LONGEST) }, much_later);
        let unmarked = Acknowledgement { psn: u64::MAX, next: u64::MAX, packets: 4_000, marked: false };
        // A single acknowledgement is enough, unless it counts once whatever the number of its packets.
        for _ in 0..4_000 {
            response.on_acknowledged(&mut flow, unmarked, much_later);
            if allowed(&response, &mut flow.clone(), packet_time, much_later) == at_rest {
                break;
            }
        }
    }
    prop_assert_eq!(allowed(&response, &mut flow, packet_time, much_later), at_rest);
    Ok(())
}

proptest! {
    #[test]
    fn every_marker(ops in any_ops()) {
        for control in schemes() {
            marker_contract(&control, &ops)?;
        }
    }

    #[test]
    fn every_response(story in prop::collection::vec((0..30_000u64, any_fact()), 0..100)) {
        for control in schemes() {
            response_contract(&control, &story)?;
        }
    }
}

#[test]
fn every_marker_marks_a_full_buffer() {
    schemes().iter().for_each(marks_a_full_buffer);
}

#[test]
fn every_echo() {
    for control in schemes() {
        echo_contract(&control);
    }
}

#[test]
fn every_scheme_passes_its_own_check() {
    for control in schemes() {
        assert_eq!(control.check(), Ok(()));
    }
}

#[test]
fn no_two_reasons_have_one_code_or_one_name() {
    let mut reasons: Vec<_> = schemes().iter().flat_map(|control| control.marking.reasons()).collect();
    reasons.sort_by_key(|reason| (reason.code, reason.name));
    reasons.dedup();
    for (i, reason) in reasons.iter().enumerate() {
        let same = |other: &&MarkReason| other.code == reason.code || other.name == reason.name;
        assert!(!reasons[..i].iter().any(same), "{reason:?} is taken");
    }
}

#[test]
fn every_policy_has_an_example() {
    assert_eq!(examples(), [5, 5, 6]);
}
