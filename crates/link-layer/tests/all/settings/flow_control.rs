//! Settings of flow control: lanes with PFC, the times of a pause, memory under credits, and the ports that follow.

use link_layer::resolve::{
    BufferError, Intake, LinkEnv, LinkError, MemorySize, ReceiverPlan, Reserve, SharedMemoryEnv, SharingPlan,
    check_memory,
};
use link_layer::spec::{Discipline, LinkSpec, PauseSpec};
use link_layer::{Alpha, InvariantViolation, NodeContext, Share, Signal};
use packet::{Framing, Lane, Mtu, PacketId, PacketPool, PortId};
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use units::{Bytes, Rate, Span, Time};

use super::{BLOCK, PAUSE, cable, credits, env, lossy, pfc, refused, resolved, says};

/// A lane with PFC requests pauses, a lane without flow control loses packets, and a lane with credits does neither.
#[test]
fn a_lane_pauses_or_loses_or_has_credits() {
    let Discipline::Pause(pause) = pfc().flow_control else { unreachable!("PFC") };
    let some = PauseSpec { pfc_enable: Some(vec![1, 3]), ..pause };
    let some = LinkSpec { flow_control: Discipline::Pause(some), ..pfc() };
    let lanes = [0, 1, 2, 3].map(Lane);
    for (spec, pauses, has_credits) in [
        (credits(), [false; 4], true),
        (pfc(), [true; 4], false),
        (some, [false, true, false, true], false),
        (lossy(), [false; 4], false),
    ] {
        let plan = resolved(&spec);
        assert_eq!(lanes.map(|lane| plan.pauses(lane)), pauses);
        assert_eq!(plan.has_credits(), has_credits);
        assert_eq!(lanes.map(|lane| plan.is_lossy(lane)), pauses.map(|pauses| !pauses && !has_credits));
    }
}

#[test]
fn lanes_with_pfc_are_some_of_the_link() {
    let of = |lanes: &[u8]| {
        let Discipline::Pause(pause) = pfc().flow_control else { unreachable!("PFC") };
        LinkSpec {
            flow_control: Discipline::Pause(PauseSpec { pfc_enable: Some(lanes.to_vec()), ..pause }),
            ..pfc()
        }
    };
    resolved(&of(&[0, 3]));
    says(&refused(&of(&[0, 4]))[0], "flow_control.pfc_enable[1]", &["0 to 3"]);
    says(&refused(&of(&[]))[0], "flow_control.pfc_enable", &["Lossy"]);
}

/// The time for which a sender may still start frames after a PAUSE (IEEE 802.3, 31B.3.7), at 10 Gb/s 60 quanta of 51.2
/// ns. At other rates the limit is not known here and has to be given.
#[test]
fn a_sender_reacts_as_fast_as_the_standard_demands() {
    let of = |reaction, rate| {
        let Discipline::Pause(pause) = pfc().flow_control else { unreachable!("PFC") };
        let spec =
            LinkSpec { flow_control: Discipline::Pause(PauseSpec { reaction, ..pause.clone() }), ..pfc() };
        let errors = spec.resolve(&LinkEnv { rates: vec![rate], ..env() }).err();
        (PauseSpec { reaction, ..pause }.reaction(rate), errors)
    };
    let limits_in_ps = [
        (10, 3_072_000),
        (25, 1_638_400),
        (40, 1_510_400),
        (50, 1_505_280),
        (100, 2_017_280),
        (200, 1_159_680),
        (400, 1_158_400),
    ];
    for (gbps, ps) in limits_in_ps {
        assert_eq!(of(None, Rate::gbps(gbps)), (Some(Span::from_ps(ps)), None), "{gbps} Gb/s");
    }
    for rate in [1, 56, 800].map(Rate::gbps) {
        let (reaction, errors) = of(None, rate);
        assert_eq!(reaction, None);
        let errors = errors.expect("no limit is known");
        assert_eq!(errors, [LinkError::UnknownReaction(rate)]);
        says(&errors[0], "flow_control.reaction", &["reaction: \""]);
        assert_eq!(of(Some(Span::from_ns(7)), rate), (Some(Span::from_ns(7)), None));
    }
}

/// What a file leaves out of PFC: all lanes pause, for as long as a PAUSE can say, until two MTUs are free.
#[test]
fn a_pause_asks_for_the_longest_time_unless_told() {
    let fields = core::iter::empty::<(&str, &str)>();
    let read = PauseSpec::deserialize(MapDeserializer::<_, Error>::new(fields)).expect("enough");
    let expected = PauseSpec {
        pfc_enable: None,
        headroom: None,
        resume_offset: None,
        reaction: None,
        quanta: 65_535,
        refresh: None,
    };
    assert_eq!(read, expected);
    assert_eq!(read.resume_offset(Mtu::K1), Bytes::new(2_048));
    let told = PauseSpec { resume_offset: Some(Bytes::new(3_000)), ..read };
    assert_eq!(told.resume_offset(Mtu::K1), Bytes::new(3_000));
}

/// A pause exactly as long as the wait for the wire leaves no time for an interval: only more quanta help.
#[test]
fn a_pause_as_long_as_the_wait_is_too_short() {
    let rate = Rate::gbps(8);
    let waits = |spec: &LinkSpec| {
        spec.longest_packet() + spec.framing.around() + Bytes::new(PAUSE * u64::from(spec.data_lanes))
    };
    let of = |data_lanes| LinkSpec { framing: Framing::Hpcc, data_lanes, ..pfc() };
    let spec =
        (1..=8).map(of).find(|spec| waits(spec).get().is_multiple_of(BLOCK)).expect("a wait of whole quanta");
    let quanta = (waits(&spec).get() / BLOCK) as u16;
    let Discipline::Pause(pause) = pfc().flow_control else { unreachable!("PFC") };
    let refresh = Some(Span::from_ps(1));
    let short = LinkSpec { flow_control: Discipline::Pause(PauseSpec { quanta, refresh, ..pause }), ..spec };
    let lasts = rate.time_for(waits(&short));
    assert!(
        matches!(refused(&short)[0], LinkError::RefreshTooLate { lasts: of, waits, .. } if of == lasts && waits == lasts)
    );
    says(&refused(&short)[0], "flow_control.quanta", &["more quanta"]);
}

/// Guarantees of ports and lanes that the plan lacks take their part of a memory under credits.
#[test]
fn guarantees_of_absent_receivers_fit_into_the_memory_too() {
    let plan = resolved(&credits());
    let headroom = vec![vec![Bytes::ZERO; 3]];
    let plan = |absent: u64| {
        let share = Share { guaranteed: Bytes::new(40 * BLOCK), alpha: Some(Alpha::new(1.0)) };
        let shares = vec![vec![share; 3]];
        let absent = Reserve { receivers: 4, headroom: Bytes::ZERO, guaranteed: Bytes::new(absent * BLOCK) };
        let memory = MemorySize::Total(Bytes::new(300 * BLOCK));
        let env = SharedMemoryEnv { node: "S", memory, headroom: &headroom, shares: &shares, absent };
        plan.shared_memory(&env)
    };
    for absent in [0, 100, 180] {
        let (sharing, _) = plan(absent).expect("it fits");
        assert!(
            matches!(sharing, SharingPlan::Blocks { size, .. } if u64::from(size) == 300 - absent),
            "{sharing:?}"
        );
    }
    let error = plan(181).expect_err("more than the memory");
    // 300 blocks for seven.
    says(&error, "", &[&format!("\"{}\"", Bytes::new(42 * BLOCK))]);
}

#[test]
fn a_memory_can_be_counted() {
    let most = Bytes::new(1 << 30);
    for size in [Bytes::ZERO, most - Bytes::new(1), most] {
        assert_eq!(check_memory(size), Ok(()));
    }
    let more = most + Bytes::new(1);
    assert_eq!(check_memory(more), Err(BufferError::BeyondCounter(more)));
}

/// The timers and signals of a port.
#[derive(Default)]
struct Acts {
    pool: PacketPool,
    timers: Vec<Time>,
    signals: Vec<Time>,
}

impl NodeContext<Lane> for Acts {
    fn now(&self) -> Time {
        Time::ZERO
    }

    fn packets(&mut self) -> &mut PacketPool {
        &mut self.pool
    }

    fn deliver(&mut self, _: PortId, _: Time, _: PacketId) {}

    fn send_signal(&mut self, _: PortId, at: Time, _: Signal, _: u32) {
        self.signals.push(at);
    }

    fn set_timer(&mut self, at: Time, _: Lane) {
        self.timers.push(at);
    }

    fn report_violation(&mut self, _: PortId, _: Lane, violation: InvariantViolation) {
        panic!("{violation}");
    }
}

/// An idle lane refreshes its credits after 65,536 symbol times (IBA 7.9.3). A PAUSE takes effect after its frame, the
/// flight, and the reaction of the far end.
#[test]
fn a_port_is_built_by_the_times_of_its_cable() {
    let memory = ReceiverPlan {
        limits: vec![Bytes::new(10_000); 4],
        headroom: vec![Bytes::new(500); 4],
        capacity: vec![Bytes::new(10_500); 4],
    };
    let cable = cable(40, 500);
    let built =
        |spec: &LinkSpec| resolved(spec).port(&cable, Intake::ADAPTER, &memory, &memory).build(PortId(0));
    let mut acts = Acts::default();
    built(&credits()).bring_up(&mut acts);
    // A byte takes 200 ps.
    assert_eq!(acts.timers, [Span::from_ps(65_536 * 200).after_start(); 4]);
    let mut acts = Acts::default();
    assert!(built(&pfc()).admit(Lane(2), Bytes::new(10_000), &mut acts));
    let frame = Span::from_ps(PAUSE * 200);
    assert_eq!(acts.signals, [(frame + Span::from_ns(500 + 300)).after_start()]);
}
