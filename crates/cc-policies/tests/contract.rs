//! What every policy promises, whatever the scheme: one function for each trait, run for all schemes.

use core::iter;

use cc_policies::spec::{
    Cct, Compare, Iba, IbaEcho, IbaMarking, IbaResponse, PortControl, TimerStart, VictimMask,
};
use cc_policies::{
    Answer, AnyEcho, AnyMarker, AnyResponse, Echo, Marker, MarkerSetup, Notified, Place, QueueView, Response,
    Scheme,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, MarkReason, Opcode, Packet, PortId, Psn, QpNumber, ServiceLevel,
};
use proptest::prelude::*;
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Span, Time};

/// Every scheme, with every way of its choices.
fn schemes() -> Vec<Scheme> {
    let compares = [Compare::EachVoq, Compare::Sum, Compare::SumOverInputs, Compare::SumAgainstShare];
    let masks = [VictimMask::None, VictimMask::AdapterPorts, VictimMask::All];
    let starts = [TimerStart::FreeRunning, TimerStart::FirstBecn, TimerStart::EachBecn];
    let echoes = [IbaEcho::Cnp, IbaEcho::Acknowledgement];
    let combinations = compares.into_iter().zip(masks.into_iter().cycle()).zip(starts.into_iter().cycle());
    let iba =
        combinations.zip(echoes.into_iter().cycle()).map(|(((compare, victim_mask), timer_start), echo)| {
            Scheme::Iba(Iba {
                marking: IbaMarking {
                    threshold: 12,
                    packet_size: 8,
                    marking_rate: 2,
                    victim_mask,
                    compare,
                    hysteresis: Bytes::new(512),
                    ports: Vec::new(),
                },
                echo,
                response: IbaResponse {
                    port_control: PortControl::QueuePair,
                    cct: Cct::Linear { entries: 32, shift: 1, step: 3 },
                    ccti_limit: 31,
                    ccti_increase: 4,
                    ccti_min: 2,
                    ccti_timer: 7,
                    trigger_threshold: 9,
                    timer_start,
                    service_levels: vec![],
                },
            })
        });
    iter::once(Scheme::Off).chain(iba).collect()
}

const CNP: Notified = Notified { psn: None, next: 0 };

const RADIX: u16 = 4;
const LANES: u8 = 2;
const CAPACITY: Bytes = Bytes::kib(16);
const LONGEST: u64 = 4138;

/// What can happen to a switch's queues.
#[derive(Clone, Copy, Debug)]
enum Op {
    Store { input: u16, length: u64 },
    Leave,
    Starve,
}

fn any_ops() -> impl Strategy<Value = Vec<(u16, u8, Op)>> {
    let op = prop_oneof![
        (0..RADIX, 26..=LONGEST).prop_map(|(input, length)| Op::Store { input, length }),
        Just(Op::Leave),
        Just(Op::Starve),
    ];
    prop::collection::vec((0..RADIX, 0..LANES, op), 0..300)
}

/// Queues of packet lengths, by input, output and lane, that tell a marker what its switch would.
struct Queues {
    marker: AnyMarker,
    waiting: Vec<Vec<u64>>,
}

impl Queues {
    fn new(scheme: &Scheme) -> Self {
        let setup = MarkerSetup {
            name: "S".to_owned(),
            radix: RADIX.into(),
            lanes: LANES.into(),
            capacity: CAPACITY,
            longest_packet: Bytes::new(LONGEST),
            faces_adapter: (0..RADIX).map(|port| port < 2).collect(),
            stream: Pcg64Mcg::new(11),
        };
        let places = usize::from(RADIX) * usize::from(RADIX) * usize::from(LANES);
        Self { marker: AnyMarker::new(scheme, &setup), waiting: vec![vec![]; places] }
    }

    fn at(place: Place) -> usize {
        let outputs = usize::from(RADIX);
        (place.input.index() * outputs + place.output.index()) * usize::from(LANES) + place.lane.index()
    }

    fn places(output: u16, lane: u8) -> impl Iterator<Item = Place> + Clone {
        (0..RADIX).map(move |input| Place { input: PortId(input), output: PortId(output), lane: Lane(lane) })
    }

    fn tell(&mut self, changed: Place) {
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

    /// The packet that leaves, if any does: its length, and whether it is marked.
    fn apply(&mut self, (output, lane, op): (u16, u8, Op)) -> Option<(u64, Option<MarkReason>)> {
        match op {
            Op::Store { input, length } => {
                let place = Place { input: PortId(input), output: PortId(output), lane: Lane(lane) };
                let queue = &mut self.waiting[Self::at(place)];
                if queue.iter().sum::<u64>() + length <= CAPACITY.get() {
                    queue.push(length);
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
                Some((length, at_input.or(at_output)))
            }
            Op::Starve => {
                self.marker.starved(PortId(output), Lane(lane));
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

/// A marker answers the same to the same story; it marks nothing where no queue is; and a queue that has
/// been and gone leaves nothing behind.
fn marker_contract(scheme: &Scheme, ops: &[(u16, u8, Op)]) -> Result<(), TestCaseError> {
    let (mut one, mut other) = (Queues::new(scheme), Queues::new(scheme));
    let mut marks = 0;
    for &op in ops {
        let outcome = one.apply(op);
        prop_assert_eq!(outcome, other.apply(op));
        marks += usize::from(matches!(outcome, Some((_, Some(_)))));
    }
    prop_assert!(*scheme != Scheme::Off || marks == 0, "a mark without a marker");
    one.drain();
    for &(output, lane, op) in ops {
        if let Op::Store { .. } | Op::Starve = op {
            one.apply((output, lane, op));
            let left = one.apply((output, lane, Op::Leave));
            prop_assert!(left.is_none_or(|(_, mark)| mark.is_none()), "a mark without a queue");
        }
    }
    Ok(())
}

fn packet(opcode: Opcode, flags: BthFlags) -> Packet {
    let lrh = Lrh { source: Lid(1), destination: Lid(2), lane: Lane(0), service_level: ServiceLevel(0) };
    let bth = Bth { destination_qp: QpNumber(0), psn: Psn::new(0), opcode, flags };
    Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0)
}

/// An echo answers marks only, never an answer, and asks for an acknowledgement only where there is one.
fn echo_contract(scheme: &Scheme) {
    let echo = AnyEcho::new(scheme);
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
        assert_eq!(echo.answer(&unmarked), None, "{opcode:?} without FECN");
        let answer = echo.answer(&packet(opcode, BthFlags::FECN));
        if answers.contains(&opcode) {
            assert_eq!(answer, None, "an answer to {opcode:?}");
        } else {
            assert_eq!(answer.is_some(), *scheme != Scheme::Off, "{opcode:?}");
        }
        assert!(
            answer != Some(Answer::Acknowledgement) || acknowledged.contains(&opcode),
            "{opcode:?} is not acknowledged"
        );
    }
}

/// A response is a function of its story, and looking does not change the story; longer packets rest no
/// shorter; a notification never shortens the rest; and long enough without one, all is as it was.
fn response_contract(scheme: &Scheme, story: &[(u64, bool)]) -> Result<(), TestCaseError> {
    let response = AnyResponse::new(scheme);
    let packet_time = Span::from_ns(1000);
    let mut rested = response.at_rest(ServiceLevel(5));
    let at_rest = response.gap(&mut rested, packet_time, Time::ZERO);
    let (mut flow, mut watched) = (response.at_rest(ServiceLevel(5)), response.at_rest(ServiceLevel(5)));
    let mut now = Time::ZERO;
    for &(wait, notified) in story {
        response.gap(&mut watched, packet_time, now + Span::from_ns(wait) / 2);
        now += Span::from_ns(wait);
        let before = response.gap(&mut watched, packet_time, now);
        if notified {
            prop_assert_eq!(
                response.on_notification(&mut flow, CNP, now),
                response.on_notification(&mut watched, CNP, now)
            );
            prop_assert!(response.gap(&mut watched, packet_time, now) >= before);
        }
        let mut asked = flow;
        let gap = response.gap(&mut asked, packet_time, now);
        prop_assert_eq!(gap, response.gap(&mut watched, packet_time, now));
        prop_assert!(gap >= at_rest);
        prop_assert!(gap <= response.gap(&mut asked, packet_time * 2, now));
    }
    let much_later = now + Span::from_us(1_000_000);
    prop_assert_eq!(response.gap(&mut flow, packet_time, much_later), at_rest);
    Ok(())
}

proptest! {
    #[test]
    fn every_marker(ops in any_ops()) {
        for scheme in schemes() {
            marker_contract(&scheme, &ops)?;
        }
    }

    #[test]
    fn every_response(story in prop::collection::vec((0..30_000u64, any::<bool>()), 0..100)) {
        for scheme in schemes() {
            response_contract(&scheme, &story)?;
        }
    }
}

#[test]
fn every_echo() {
    for scheme in schemes() {
        echo_contract(&scheme);
    }
}

#[test]
fn every_scheme_passes_its_own_check() {
    for scheme in schemes() {
        assert_eq!(scheme.check(), Ok(()));
    }
}
