//! Ranges of an adapter's settings: the last value inside passes, and the first value outside is refused at its own
//! path.

use std::collections::BTreeMap;

use ca_transport::resolve::{AdapterEnv, AdapterError};
use ca_transport::{AdapterSpec, Compliance, DeliverySpec, RecoverySpec, ScheduleSpec};
use link_layer::resolve::{CablePlan, Intake, LinkEnv, LinkPlan};
use link_layer::spec::{CableSpec, Discipline, LinkSpec, PauseSpec, Propagation, VlArbitrationSpec};
use packet::{Framing, Mtu};
use settings::SettingError;
use units::{Bytes, Length, Rate, Span};

fn link() -> LinkSpec {
    let pause = PauseSpec {
        pfc_enable: None,
        headroom: None,
        resume_offset: Some(Bytes::new(2_000)),
        reaction: Some(Span::from_ns(300)),
        quanta: u16::MAX,
        refresh: None,
    };
    LinkSpec {
        framing: Framing::RoCEv2,
        mtu: Mtu::K1,
        data_lanes: 3,
        flow_control: Discipline::Pause(pause),
        sl_to_vl: BTreeMap::new(),
        vl_arbitration: VlArbitrationSpec::default(),
    }
}

fn adapter() -> AdapterSpec {
    AdapterSpec {
        receive_buffer: Bytes::kib(64),
        injection_limit: None,
        drain_limit: None,
        ack_every: 1,
        ack_service_level: None,
        max_outstanding: 16,
        delivery: DeliverySpec::InOrder,
        recovery: RecoverySpec::GoBackN,
        entropy: ca_transport::EntropySpec::Flow,
        max_reads: None,
        ack_timeout: 0,
        retry_count: 7,
        vl_arbitration: None,
        schedule: ScheduleSpec::RoundRobin,
        congestion_control: Compliance::Comply,
    }
}

fn cable() -> CablePlan {
    let propagation = Propagation::Delay(Span::from_ns(500));
    let spec = CableSpec { rate: Some(Rate::gbps(40)), width: None, speed: None, propagation };
    spec.resolve().expect("a cable")
}

fn plan() -> LinkPlan {
    let smallest_buffer = ("adapter.receive_buffer".to_owned(), Bytes::kib(64));
    link().resolve(&LinkEnv { smallest_buffer, rates: vec![Rate::gbps(40)] }).expect("a link")
}

#[test]
fn a_host_moves_data_at_some_rate() {
    let slow = Some(Rate::bps(1));
    let both = AdapterSpec { injection_limit: slow, drain_limit: slow, ..adapter() };
    assert_eq!((adapter().errors(&link()), both.errors(&link())), (vec![], vec![]));
    let zero = Some(Rate::bps(0));
    let both = AdapterSpec { injection_limit: zero, drain_limit: zero, ..adapter() };
    assert_eq!(
        both.errors(&link()),
        [AdapterError::NoRate("injection_limit"), AdapterError::NoRate("drain_limit")]
    );
    let fault = AdapterError::NoRate("drain_limit").fault();
    assert_eq!(fault.path.to_string(), "drain_limit");
    assert!(fault.help.expect("a proposal").contains("above 0"));
}

#[test]
fn a_receive_buffer_suits_the_link() {
    let largest = Bytes::new(1 << 30);
    let of = |receive_buffer| AdapterSpec { receive_buffer, ..adapter() }.errors(&link());
    assert_eq!(of(largest), []);
    let errors = of(largest + Bytes::new(1));
    assert!(matches!(errors[..], [AdapterError::Buffer(_)]), "{errors:?}");
    let fault = errors[0].fault();
    assert_eq!(fault.path.to_string(), "receive_buffer");
    assert!(fault.help.expect("a proposal").contains(&largest.to_string()));
}

#[test]
fn a_receive_buffer_holds_headroom_and_a_packet() {
    let (link, cable) = (plan(), cable());
    let headroom = link.headroom(&cable, Intake::ADAPTER);
    let least = headroom[0] + link.longest_packet();
    let of = |receive_buffer| {
        let env = AdapterEnv { name: "H", link: &link, cable: &cable };
        AdapterSpec { receive_buffer, ..adapter() }.resolve(env)
    };
    let receiver = of(least).expect("room for a packet");
    assert_eq!(receiver.limits, vec![link.longest_packet(); 3], "each of three lanes");
    assert_eq!((receiver.headroom, receiver.capacity), (headroom, vec![least; 3]));
    let fault = of(least - Bytes::new(1)).expect_err("a byte too few").fault();
    assert_eq!(fault.path.to_string(), "receive_buffer");
    assert!(fault.help.expect("a proposal").contains(&least.to_string()));
}

/// Twenty kilometres at 10 Gb/s take more than the 128 KiB that credits of InfiniBand can describe.
#[test]
fn a_long_cable_under_pfc_has_its_headroom() {
    let propagation = Propagation::Cable(Length::from_mm(20_000_000));
    let spec = CableSpec { rate: Some(Rate::gbps(10)), width: None, speed: None, propagation };
    let (link, cable) = (plan(), spec.resolve().expect("a cable"));
    let least = link.headroom(&cable, Intake::ADAPTER)[0] + link.longest_packet();
    assert!(least > Bytes::kib(128), "{least}");
    let far = AdapterSpec { receive_buffer: least, ..adapter() };
    assert_eq!(far.errors(&self::link()), []);
    let receiver =
        far.resolve(AdapterEnv { name: "H", link: &link, cable: &cable }).expect("room for a packet");
    assert_eq!(receiver.limits, vec![link.longest_packet(); 3]);
}

/// IBA 9.7.6.1.3: 4.096 us times two to the field; 0 waits for ever.
#[test]
fn a_time_out_doubles_with_each_step() {
    let of = |ack_timeout| AdapterSpec { ack_timeout, ..adapter() }.timeout();
    assert_eq!((of(0), of(1)), (None, Some(Span::from_ns(8_192))));
    for step in 1..31 {
        let (one, next) = (of(step).expect("a time"), of(step + 1).expect("a time"));
        assert_eq!(next, one + one);
    }
}
