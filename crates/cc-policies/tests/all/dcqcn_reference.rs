//! DCQCN's reaction point and notification point against a slow model that ticks.
//!
//! The reference knows nothing of the response's tricks: its clocks count down, tick by tick, and every rule is a line.
//! Rates are compared exactly, in whole kb/s. A cut and the rate are rounded down, an increase is rounded up, as the
//! model's page says. The value of alpha is a floating-point number here, and compared within the rounding of its own
//! arithmetic. The cut is then computed from the response's alpha, so that a difference of 2^-30 does not spread to the
//! rates.

use crate::ticking::{NotificationPoint, ReactionPoint};
use cc_policies::dcqcn::DcqcnResponse;
use cc_policies::dcqcn::spec::{
    AlphaUpdate, CnpEcho, CnpOrder, CnpWindow, DcqcnResponseSpec, Preset, StageRule,
};
use cc_policies::{
    Acknowledgement, Answer, Echo, EchoState, FlowRate, LimitedBy, Notification, Response, SentPacket,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, Psn, QpNumber, ServiceLevel, TransportService,
};
use proptest::prelude::*;
use units::{Bytes, Rate, Span, Time};

const LINE: Rate = Rate::gbps(40);
/// Odd, so that no interval is a power of two.
const TICK: Span = Span::from_ns(99);

/// Events of a flow.
#[derive(Clone, Copy, Debug)]
enum Event {
    Cnp,
    MarkedAcknowledgement,
    Sent(u64),
    Read,
}

prop_compose! {
    fn any_spec()(
        (timer, alpha_timer, byte_counter) in (1..25u64, 1..25u64, 500..20_000u64),
        (g, initial_alpha) in (1..1023u32, 1..=1024u32),
        fast_recovery in 1..7u8,
        (additive, hyper, min_rate) in (1..2_000_000u64, 1..8_000_000u64, 1..20_000_000u64),
        stages in prop::sample::select(vec![StageRule::Own, StageRule::Both, StageRule::TimerAlone]),
        alpha_update in prop::sample::select(vec![AlphaUpdate::EachCnp, AlphaUpdate::EachInterval]),
        order in prop::sample::select(vec![CnpOrder::CutFirst, CnpOrder::AlphaFirst]),
        (clamp_target, clamp_after_timer) in any::<(bool, bool)>(),
    ) -> DcqcnResponseSpec {
        DcqcnResponseSpec {
            g: f64::from(g) / 1024.0,
            initial_alpha: f64::from(initial_alpha) / 1024.0,
            alpha_update,
            alpha_timer: TICK * alpha_timer,
            order,
            clamp_target,
            clamp_after_timer,
            byte_counter: Bytes::new(byte_counter),
            stages,
            timer: TICK * timer,
            fast_recovery,
            additive_increase: Rate::bps(additive * 1000),
            hyper_increase: Rate::bps(hyper * 1000),
            min_rate: Rate::bps(min_rate * 1000),
        }
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => Just(Event::Cnp),
        1 => Just(Event::MarkedAcknowledgement),
        8 => (1..30_000u64).prop_map(Event::Sent),
        2 => Just(Event::Read),
    ]
}

/// Generates times between events, in ticks: most are short, some longer than all stages.
fn any_wait() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..4u64, 4 => 0..40u64, 1 => 0..400u64]
}

/// Reports a CNP to both, and compares them; the reference cuts by the response's alpha.
fn cnp(
    response: &DcqcnResponse,
    spec: &DcqcnResponseSpec,
    flow: &mut <DcqcnResponse as Response>::State,
    reference: &mut ReactionPoint,
    now: Time,
    acknowledged: bool,
) {
    let alpha = |flow: &_| response.flow_rate(flow, now).expect("a rate").alpha;
    let before = alpha(flow);
    if acknowledged {
        let ack = Acknowledgement { psn: 0, next: 1, packets: 1, marked: true };
        response.on_acknowledged(flow, ack, now);
    } else {
        response.on_notification(flow, Notification { psn: None, next: 0 }, now);
    }
    let cut_by = if spec.order == CnpOrder::CutFirst { before } else { alpha(flow) };
    reference.cnp((cut_by * f64::from(1u32 << 30)) as u64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn counting_expiries_is_ticking(
        spec in any_spec(),
        start in 0..1000u64,
        steps in prop::collection::vec((any_wait(), any_event()), 1..120),
    ) {
        prop_assert_eq!(spec.check(), Ok(()));
        let response = DcqcnResponse::new(&spec, LINE);
        let mut flow = response.at_rest(ServiceLevel(0));
        let mut reference = ReactionPoint::new(&spec, LINE, TICK);
        let mut now = (TICK * start).after_start();
        let mut changes = 2.0;
        for (wait, event) in steps {
            now += TICK * wait;
            (0..wait).for_each(|_| reference.tick());
            match event {
                Event::Cnp => cnp(&response, &spec, &mut flow, &mut reference, now, false),
                Event::MarkedAcknowledgement => cnp(&response, &spec, &mut flow, &mut reference, now, true),
                Event::Sent(length) => {
                    let length_sent = Bytes::new(length);
                    let sent = SentPacket { limited_by: LimitedBy::Rate, length: length_sent };
                    response.on_sent(&mut flow, sent, now);
                    reference.sent(length);
                }
                Event::Read => {
                    let packet = Span::from_ns(200);
                    let (rate, line) = (reference.current_kbps(), LINE.get() / 1000);
                    let expected = Span::from_ps(packet.ps() * (line - rate) / rate);
                    prop_assert_eq!(response.gap(&mut flow, packet, now), expected);
                }
            }
            let FlowRate { current, target, alpha } = response.flow_rate(&flow, now).expect("a rate");
            prop_assert_eq!(current.get() / 1000, reference.current_kbps(), "after {:?} at {}", event, now);
            prop_assert_eq!(target.get() / 1000, reference.target_kbps(), "after {:?} at {}", event, now);
            // Each change of alpha is rounded by at most 2^-30, and a power of n by at most 2n of these.
            changes += 2.0 * (wait + 1) as f64;
            let rounding = changes / f64::from(1u32 << 30);
            prop_assert!((alpha - reference.alpha()).abs() <= rounding, "{} {}", alpha, reference.alpha());
        }
    }

    #[test]
    fn cnps_leave_as_from_a_ticking_destination(
        window in prop::sample::select(
            vec![CnpWindow::FromCnp, CnpWindow::FreeRunning, CnpWindow::FreeRunningAtOnce]
        ),
        interval in 1..30u64,
        start in 0..100u64,
        arrivals in prop::collection::vec((0..20u64, any::<bool>()), 1..100),
    ) {
        let echo = CnpEcho { interval: TICK * interval, window, service_level: None };
        let mut state = EchoState::default();
        let mut reference = NotificationPoint::new(window, interval);
        let (mut sent, mut expected) = (Vec::new(), Vec::new());
        let mut tick = start;
        for (wait, marked) in arrivals {
            for _ in 0..wait {
                tick += 1;
                expected.extend(reference.tick().then_some(tick));
            }
            expected.extend(reference.packet(marked).then_some(tick));
            match echo.answer(&packet(marked), &mut state, (TICK * tick).after_start()) {
                Some(Answer::Cnp) => sent.push(tick),
                Some(Answer::CnpAt(time)) => sent.push(time.ps() / TICK.ps()),
                Some(Answer::Acknowledgement) => panic!("an answer on an acknowledgement"),
                None => {}
            }
        }
        for _ in 0..interval {
            tick += 1;
            expected.extend(reference.tick().then_some(tick));
        }
        prop_assert_eq!(sent, expected);
    }
}

fn packet(marked: bool) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
    let flags = if marked { BthFlags::FECN } else { BthFlags::empty() };
    let (opcode, transport) = (Opcode::WriteMiddle, TransportService::Rc);
    let bth = Bth { destination_qp: QpNumber(0), psn: Psn::new(0), opcode, transport, flags };
    Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0)
}

#[test]
fn the_presets_have_the_rules_of_the_conext_paper() {
    for preset in [Preset::Recommended, Preset::Strawman] {
        let spec = DcqcnResponseSpec::preset(preset);
        assert_eq!((spec.stages, spec.alpha_update), (StageRule::Own, AlphaUpdate::EachCnp));
        assert_eq!((spec.order, spec.clamp_target), (CnpOrder::CutFirst, true));
    }
}
