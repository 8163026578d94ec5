//! The closed sets of policies: each variant does what the policy within it does, and the absent policy does nothing.

use std::collections::BTreeSet;

use crate::own::{self, mirrored_response};
use crate::schemes::{examples, marks, schemes};
use cc_policies::dcqcn::spec::{CnpEcho, DcqcnScheme, MarkedAt, Preset, RedMarkingSpec};
use cc_policies::dcqcn::{DcqcnResponse, RedMarker};
use cc_policies::hp::spec::{HpResponseSpec, RateControl, WindowControl};
use cc_policies::hp::{HpEcho, HpResponse};
use cc_policies::iba::spec::{ComparedLoad, IbaEcho, IbaMarkingSpec, VictimMask};
use cc_policies::iba::{IbaMarker, IbaResponse};
use cc_policies::policy::Off;
use cc_policies::{
    Acknowledgement, AnyEcho, AnyResponse, AnyState, BufferOwner, ControlState, Echo, FlowRate, LimitedBy,
    Margin, Marker, MarkerSetup, MarkingSpec, Notification, NotificationOutcome, QueueView, Response,
    ResponseSpec, SentPacket,
};
use packet::{Lane, PortId, ServiceLevel, VoqId};
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate, Span, Time};

const PACKET: u64 = 1_000;

fn setup() -> MarkerSetup {
    MarkerSetup {
        name: "S".to_owned(),
        radix: 3,
        lanes: 2,
        capacity: Bytes::kib(16),
        longest_packet: Bytes::new(1_082),
        buffers_of: BufferOwner::Inputs,
        numbers: vec![1, 2, 3],
        faces_adapter: vec![false; 3],
        rates: vec![Rate::gbps(40); 3],
        stream: Pcg64Mcg::new(5),
    }
}

fn iba(victim_mask: VictimMask) -> IbaMarkingSpec {
    IbaMarkingSpec {
        threshold: 12,
        packet_size: 0,
        marking_rate: 0,
        victim_mask,
        compare: ComparedLoad::Sum,
        hysteresis: Bytes::ZERO,
        ports: Vec::new(),
    }
}

fn red() -> RedMarkingSpec {
    RedMarkingSpec {
        kmin: Bytes::new(2_000),
        kmax: Bytes::new(5_000),
        pmax: 1.0,
        by_rate: Vec::new(),
        at: MarkedAt::Departure,
    }
}

fn place(output: u16, lane: u8) -> VoqId {
    VoqId { input: PortId(0), output: PortId(output), lane: Lane(lane) }
}

/// Lets the queue of an output and lane grow to `most` bytes, packet by packet.
fn grow(marker: &mut impl Marker, at: VoqId, most: u64) {
    for bytes in (1..=most / PACKET).map(|packets| packets * PACKET) {
        let bytes = Bytes::new(bytes);
        marker.queue_changed(at, QueueView { voq: bytes, sum: bytes, inputs: 1, wire_busy: true });
    }
}

#[test]
fn full_buffers_matter_to_the_hp_proposal_alone() {
    for control in schemes() {
        let marker = own::marker(&control.marking, &setup());
        assert_eq!(
            marker.heeds_buffers(BufferOwner::Inputs),
            matches!(control.marking, MarkingSpec::Hp(_)),
            "{control:?}"
        );
        // The rule of one's own is IBA's behind the wrapper.
        let has_threshold =
            matches!(control.marking, MarkingSpec::Iba(_) | MarkingSpec::Red(_) | MarkingSpec::Own(_));
        let margins = marker.margins(PortId(0), Lane(0));
        assert_eq!(margins[0].is_some(), has_threshold && marks(&control), "{control:?}");
    }
    assert!(!Off.heeds_buffers(BufferOwner::Inputs));
}

/// IBA A10.2.1: a port without credit is a victim, and marks only by its mask.
#[test]
fn an_output_without_credit_is_a_victim() {
    for (mask, marks) in [(VictimMask::None, false), (VictimMask::All, true)] {
        let mut marker = own::marker(&MarkingSpec::Iba(iba(mask)), &setup());
        grow(&mut marker, place(1, 0), 15_000);
        marker.stalled(PortId(1), Lane(0));
        assert_eq!(marker.departing(place(1, 0), Bytes::new(PACKET)).is_some(), marks, "stalled, {mask:?}");
        assert!(marker.departing(place(1, 0), Bytes::new(PACKET)).is_some(), "not stalled again, {mask:?}");
    }
}

/// A lack of credit counts for the next packet that leaves, also where no queue was over its threshold then.
#[test]
fn a_lack_of_credit_before_congestion_is_past_when_congestion_comes() {
    let mut marker = own::marker(&MarkingSpec::Iba(iba(VictimMask::None)), &setup());
    marker.stalled(PortId(1), Lane(0));
    assert_eq!(marker.departing(place(1, 0), Bytes::new(PACKET)), None, "no queue is over its threshold");
    grow(&mut marker, place(1, 0), 15_000);
    assert!(marker.departing(place(1, 0), Bytes::new(PACKET)).is_some(), "has credit since");
}

/// Loads of 3,000 and 6,000 bytes at two places, by each rule that has thresholds.
#[test]
fn margins_are_those_of_the_output_and_lane() {
    let limits = |marker: &dyn Fn(PortId, Lane) -> [Option<Margin>; 2], output, lane| {
        marker(PortId(output), Lane(lane)).map(|margin| margin.map(|of| (of.load, of.limit, of.crossings)))
    };
    let mut own = RedMarker::new(&red(), &setup());
    let mut any = own::marker(&MarkingSpec::Red(red()), &setup());
    for (output, lane, most) in [(1, 1, 3_000), (2, 0, 6_000)] {
        grow(&mut own, place(output, lane), most);
        grow(&mut any, place(output, lane), most);
    }
    for (output, lane, load, crossings) in [(1, 1, 3_000, [1, 0]), (2, 0, 6_000, [1, 1]), (2, 1, 0, [0, 0])] {
        let expected = [Some((load, 2_000, crossings[0])), Some((load, 5_000, crossings[1]))];
        assert_eq!(limits(&|output, lane| own.margins(output, lane), output, lane), expected);
        assert_eq!(limits(&|output, lane| any.margins(output, lane), output, lane), expected);
    }
    let threshold = 16 * 1024 / 16 * 4;
    let mut own = IbaMarker::new(&iba(VictimMask::None), &setup());
    let mut any = own::marker(&MarkingSpec::Iba(iba(VictimMask::None)), &setup());
    grow(&mut own, place(1, 1), 6_000);
    grow(&mut any, place(1, 1), 6_000);
    for (output, lane, load, crossings) in [(1, 1, 6_000, 1), (0, 1, 0, 0)] {
        let expected = [Some((load, threshold, crossings)), None];
        assert_eq!(limits(&|output, lane| own.margins(output, lane), output, lane), expected);
        assert_eq!(limits(&|output, lane| any.margins(output, lane), output, lane), expected);
    }
    let never =
        own::marker(&MarkingSpec::Iba(IbaMarkingSpec { threshold: 0, ..iba(VictimMask::None) }), &setup());
    assert_eq!(never.margins(PortId(0), Lane(0)), [None; 2]);
    let off = own::marker(&MarkingSpec::Off, &setup());
    assert_eq!((off.margins(PortId(0), Lane(0)), Off.margins(PortId(0), Lane(0))), ([None; 2], [None; 2]));
}

#[test]
fn the_hp_echo_alone_names_packets_and_dcqcn_s_alone_has_a_service_level() {
    let dcqcn = |service_level| {
        AnyEcho::Dcqcn(CnpEcho { service_level, ..DcqcnScheme::preset(Preset::Recommended).echo })
    };
    for (echo, names, level) in [
        (AnyEcho::Off, false, None),
        (AnyEcho::Cnp, false, None),
        (AnyEcho::Acknowledgement, false, None),
        (AnyEcho::Hp, true, None),
        (dcqcn(None), false, None),
        (dcqcn(Some(6)), false, Some(ServiceLevel(6))),
    ] {
        assert_eq!((echo.names_packets(), echo.service_level()), (names, level), "{echo:?}");
    }
    for echo in [IbaEcho::Cnp, IbaEcho::Acknowledgement] {
        assert_eq!((echo.names_packets(), echo.service_level()), (false, None));
    }
    assert_eq!((Off.names_packets(), Off.service_level()), (false, None));
    assert_eq!((HpEcho.names_packets(), HpEcho.service_level()), (true, None));
}

/// Events of a flow, in order, and the questions after each: all that a response says.
fn story<R: Response>(response: &R) -> Vec<(NotificationOutcome, Span, u32, Option<FlowRate>, ControlState)> {
    let mut state = response.at_rest(ServiceLevel(0));
    let mut told = Vec::new();
    for step in 0..40u64 {
        let now = Span::from_us(step * 3).after_start();
        // Long enough for byte counters to expire within the story.
        let sent = SentPacket { limited_by: LimitedBy::Rate, length: Bytes::kib(1024) };
        response.on_sent(&mut state, sent, now);
        let outcome = match step % 4 {
            0 => response.on_notification(&mut state, Notification { psn: Some(step), next: step + 1 }, now),
            kind => {
                let ack = Acknowledgement { psn: step, next: step + 1, packets: 1, marked: kind == 1 };
                response.on_acknowledged(&mut state, ack, now)
            }
        };
        let gap = response.gap(&mut state, Span::from_ns(200), now);
        let control = response.control_state(&state, now);
        told.push((outcome, gap, response.window(&state), response.flow_rate(&state, now), control));
    }
    told
}

#[test]
fn any_response_says_what_the_response_within_says() {
    let rate = Rate::gbps(40);
    let mut kinds = BTreeSet::new();
    for control in schemes() {
        let any = own::response(&control.response, rate);
        let (kind, own) = match &any {
            AnyResponse::Off => (0, story(&Off)),
            AnyResponse::Iba(own) => (1, story::<IbaResponse>(own)),
            AnyResponse::Hp(own) => (2, story::<HpResponse>(own)),
            AnyResponse::Dcqcn(own) => (3, story::<DcqcnResponse>(own)),
            AnyResponse::DcqcnTimed(own) => (4, story(own)),
            AnyResponse::Own(own) => (5, story(own)),
        };
        kinds.insert(kind);
        assert_eq!(story(&any), own, "{control:?}");
    }
    assert_eq!(kinds.len(), examples()[2]);
}

/// Behind the wrapper of a policy of one's own, IBA's response says all that it says without it.
#[test]
fn a_response_of_one_s_own_is_asked_and_told_as_a_built_in_one_is() {
    for control in schemes() {
        let ResponseSpec::Iba(settings) = &control.response else { continue };
        let line = Rate::gbps(40);
        let (built_in, own) =
            (own::response(&control.response, line), own::response(&mirrored_response(settings), line));
        assert_eq!(story(&own), story(&built_in), "{control:?}");
    }
}

/// The state that is shown is the state that acts: its delay makes the gaps, and its window and rate are the
/// response's.
#[test]
fn the_control_that_is_shown_is_the_one_that_acts() {
    let packet = Span::from_ns(200); // as in `story`
    let line = Rate::gbps(40);
    for control in schemes() {
        let any = own::response(&control.response, line);
        for (_, gap, window, rate, shown) in story(&any) {
            assert_eq!(shown.rate, rate, "{control:?}");
            assert_eq!(shown.window.unwrap_or(u32::MAX), window, "{control:?}");
            let Some(delay) = shown.delay else { continue };
            assert_eq!((packet.ps() as f64 * delay).round(), gap.ps() as f64, "{control:?}");
            let share = packet.ps() as f64 / (packet + gap).ps() as f64;
            let allowed = shown.allowed_rate(line).expect("the delay limits the rate").get() as f64;
            assert!((allowed / line.get() as f64 - share).abs() < 1e-9, "{control:?}: {allowed}");
        }
        let has_index = matches!(any, AnyResponse::Iba(_) | AnyResponse::Own(_));
        assert!(story(&any).iter().all(|told| told.4.ccti.is_some() == has_index), "{control:?}");
    }
}

/// IBA A10: a BECN on an acknowledgement counts as a BECN on a CNP does. DCQCN's CNPs come by themselves.
#[test]
fn a_mark_on_an_acknowledgement_slows_a_flow_down_except_under_dcqcn() {
    for control in schemes() {
        let response = own::response(&control.response, Rate::gbps(40));
        let mut state = response.at_rest(ServiceLevel(0));
        let ack = |marked| Acknowledgement { psn: 0, next: 1, packets: 1, marked };
        let unmarked = response.on_acknowledged(&mut state, ack(false), Time::ZERO);
        assert_eq!(unmarked, NotificationOutcome::default());
        let marked = response.on_acknowledged(&mut state, ack(true), Time::ZERO);
        if let ResponseSpec::Iba(_) = control.response {
            assert!(marked.decreased, "{control:?}");
        }
        let mut other = response.at_rest(ServiceLevel(0));
        let notified =
            response.on_notification(&mut other, Notification { psn: Some(0), next: 1 }, Time::ZERO);
        if let ResponseSpec::Iba(_) | ResponseSpec::Dcqcn(_) = control.response {
            assert!(notified.decreased, "{control:?}");
            assert!(response.gap(&mut other, Span::from_ns(200), Time::ZERO) > Span::ZERO, "{control:?}");
        }
    }
}

#[test]
fn without_a_response_nothing_is_held_back() {
    let mut state = AnyState::Off;
    let off = own::response(&ResponseSpec::Off, Rate::gbps(40));
    assert_eq!(off.window(&state), u32::MAX);
    assert_eq!(off.gap(&mut state, Span::from_us(1), Time::ZERO), Span::ZERO);
    assert_eq!((off.flow_rate(&state, Time::ZERO), Off.window(&())), (None, u32::MAX));
}

#[test]
fn dcqcn_alone_computes_a_rate_and_hp_alone_a_window() {
    let line = Rate::gbps(40);
    let dcqcn = DcqcnScheme::preset(Preset::Recommended).response;
    let response = own::response(&ResponseSpec::Dcqcn(dcqcn), line);
    let state = response.at_rest(ServiceLevel(0));
    let found = response.flow_rate(&state, Time::ZERO).expect("DCQCN computes one");
    assert_eq!((found.current, found.target), (line, line));
    assert_eq!(response.window(&state), u32::MAX);
    let rate = Some(RateControl::Lipd { max_ipd: 9 });
    let hp = HpResponseSpec { rate, window: Some(WindowControl::Fixed(7)), ..HpResponseSpec::NONE };
    let response = own::response(&ResponseSpec::Hp(hp), line);
    let state = response.at_rest(ServiceLevel(0));
    assert_eq!((response.window(&state), response.flow_rate(&state, Time::ZERO)), (7, None));
}
