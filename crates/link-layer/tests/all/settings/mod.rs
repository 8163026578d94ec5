//! Ranges of the settings. The last value inside passes. The first value outside is refused, at its own path and with
//! the edge in the proposal.

mod flow_control;

use std::collections::BTreeMap;

use link_layer::resolve::{
    ArbitrationError, BufferError, CableError, CablePlan, Intake, LaneNotConfigured, LinkEnv, LinkError,
    LinkPlan, MemoryEnv, MemoryError, MemorySize, ReceiverPlan, Reserve, SharedMemoryEnv, SharingPlan,
};
use link_layer::spec::{
    CableSpec, CreditSpec, Discipline, LinkSpec, PauseSpec, Propagation, Speed, VlArbitrationSpec, VlWeight,
    Width, WireTime,
};
use link_layer::{Headroom, PauseLoop, Share};
use packet::{Framing, Lane, Mtu};
use settings::SettingError;
use units::{Bytes, Length, Rate, Span};

/// Bytes in a block of credit (IBA 7.9.4).
const BLOCK: u64 = 64;
/// Length of a PAUSE on the wire: the shortest frame with preamble and gap (IEEE 802.3).
const PAUSE: u64 = 64 + 8 + 12;

fn credits() -> LinkSpec {
    let flow_control = Discipline::Credits(CreditSpec {
        update_blocks: 4,
        update_interval: Span::from_us(4),
        wire_time: WireTime::Counted,
    });
    link(Framing::InfiniBand, flow_control)
}

fn pfc() -> LinkSpec {
    let pause = PauseSpec {
        pfc_enable: None,
        headroom: None,
        resume_offset: Some(Bytes::new(3_000)),
        reaction: Some(Span::from_ns(300)),
        quanta: u16::MAX,
        refresh: None,
    };
    link(Framing::RoCEv2, Discipline::Pause(pause))
}

fn lossy() -> LinkSpec {
    link(Framing::RoCEv2, Discipline::Lossy)
}

fn link(framing: Framing, flow_control: Discipline) -> LinkSpec {
    LinkSpec {
        framing,
        mtu: Mtu::K1,
        data_lanes: 4,
        flow_control,
        sl_to_vl: BTreeMap::new(),
        vl_arbitration: VlArbitrationSpec::default(),
    }
}

fn env() -> LinkEnv {
    LinkEnv {
        smallest_buffer: ("node.buffer".to_owned(), Bytes::new(100 * BLOCK)),
        rates: vec![Rate::gbps(8)],
    }
}

fn resolved(spec: &LinkSpec) -> LinkPlan {
    spec.resolve(&env()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn refused(spec: &LinkSpec) -> Vec<LinkError> {
    spec.resolve(&env()).expect_err("a setting out of range")
}

/// Checks that the fault is at this path, and that its proposal names these words.
fn says(error: &impl SettingError, path: &str, words: &[&str]) {
    let fault = error.fault();
    assert_eq!(fault.path.to_string(), path, "{fault:?}");
    let help = fault.help.expect("a proposal");
    assert!(words.iter().all(|word| help.contains(word)), "{help}, without {words:?}");
}

#[test]
fn an_mtu_of_ethernet_is_refused_by_infiniband_alone() {
    for mtu in Mtu::OF_ETHERNET {
        assert_eq!(refused(&LinkSpec { mtu, ..credits() }), [LinkError::MtuOfEthernet(mtu)]);
        says(&LinkError::MtuOfEthernet(mtu), "mtu", &["RoCEv2"]);
        assert_eq!(resolved(&LinkSpec { mtu, ..pfc() }).mtu, mtu);
    }
    assert_eq!(resolved(&credits()).framing, Framing::InfiniBand);
}

#[test]
fn lanes_are_1_to_15_and_8_without_credits_or_over_ethernet() {
    for data_lanes in 1..=15 {
        assert_eq!(resolved(&LinkSpec { data_lanes, ..credits() }).data_lanes, data_lanes);
        let of_pfc = LinkSpec { data_lanes, ..pfc() }.resolve(&env());
        let of_none = LinkSpec { data_lanes, ..lossy() }.resolve(&env());
        assert_eq!((of_pfc.is_ok(), of_none.is_ok()), (data_lanes <= 8, data_lanes <= 8), "{data_lanes}");
        let tagged = LinkSpec { data_lanes, framing: Framing::RoCEv2, ..credits() }.resolve(&env());
        assert_eq!(tagged.is_ok(), data_lanes <= 8, "{data_lanes}");
    }
    says(&refused(&LinkSpec { data_lanes: 9, ..lossy() })[0], "data_lanes", &["1 to 8"]);
    let tagged = LinkSpec { data_lanes: 9, framing: Framing::RoCEv2, ..credits() };
    assert_eq!(refused(&tagged), [LinkError::TooManyPriorities(8)]);
    for data_lanes in [0, 16] {
        let errors = refused(&LinkSpec { data_lanes, ..credits() });
        assert_eq!(errors.len(), 1);
        says(&errors[0], "data_lanes", &["1 to 15"]);
    }
}

#[test]
fn a_service_level_goes_to_its_lane_or_to_its_number_modulo_the_lanes() {
    let sl_to_vl = BTreeMap::from([(15, 0), (1, 3)]);
    let plan = resolved(&LinkSpec { sl_to_vl, ..credits() });
    for level in 0..16u8 {
        let lane = match level {
            15 => 0,
            1 => 3,
            _ => level % 4,
        };
        assert_eq!(plan.lanes[usize::from(level)], Lane(lane), "{level}");
    }
    let errors = refused(&LinkSpec { sl_to_vl: BTreeMap::from([(16, 0)]), ..credits() });
    assert_eq!(errors, [LinkError::NoServiceLevel(16)]);
    says(&errors[0], "sl_to_vl.16", &["0 to 15"]);
    let errors = refused(&LinkSpec { sl_to_vl: BTreeMap::from([(2, 4)]), ..credits() });
    says(&errors[0], "sl_to_vl.2", &["0 to 3", "data_lanes"]);
}

#[test]
fn a_lane_is_below_the_number_of_lanes() {
    for data_lanes in 1..=15 {
        assert_eq!(LaneNotConfigured::check(data_lanes - 1, data_lanes), Ok(()));
        let error = LaneNotConfigured::check(data_lanes, data_lanes).expect_err("one too many");
        assert_eq!(error, LaneNotConfigured { lane: data_lanes, data_lanes });
        assert!(LaneNotConfigured::check(data_lanes + 1, data_lanes).is_err());
        let range = if data_lanes == 1 { "write 0;".to_owned() } else { format!("0 to {};", data_lanes - 1) };
        says(&error, "", &[&range]);
    }
}

fn weights(entries: &[(u8, u8)]) -> Vec<VlWeight> {
    entries.iter().map(|&(lane, weight)| VlWeight { lane, weight }).collect()
}

fn tables(strict: &[u8], high: &[(u8, u8)], low: &[(u8, u8)]) -> LinkSpec {
    let vl_arbitration = VlArbitrationSpec {
        strict: strict.to_vec(),
        high: weights(high),
        low: weights(low),
        limit_of_high_priority: 0,
    };
    LinkSpec { vl_arbitration, ..credits() }
}

const fn of_tables(error: ArbitrationError) -> LinkError {
    LinkError::Arbitration(error)
}

#[test]
fn each_lane_with_a_service_level_has_a_turn() {
    for right in [
        tables(&[], &[], &[]),
        tables(&[2], &[], &[]),
        tables(&[], &[(0, 1), (1, 1), (2, 1), (3, 1)], &[]),
        tables(&[], &[], &[(0, 1), (1, 1), (2, 1), (3, 1)]),
        tables(&[], &[(3, 255)], &[(0, 1), (1, 1), (2, 1)]),
        tables(&[3, 0], &[(1, 1)], &[(2, 1)]),
        tables(&[], &[(0, 0)], &[(0, 1), (1, 1), (2, 1), (3, 1)]),
    ] {
        assert_eq!(resolved(&right).vl_arbitration, right.vl_arbitration);
    }
    for (wrong, unserved) in [
        (tables(&[], &[(0, 1)], &[(1, 1)]), &[2, 3][..]),
        (tables(&[], &[(0, 1), (1, 0)], &[(2, 1), (3, 1)]), &[1]),
        (tables(&[2], &[(0, 1)], &[]), &[1, 3]),
        (tables(&[], &[], &[(3, 1)]), &[0, 1, 2]),
    ] {
        let expected: Vec<_> =
            unserved.iter().map(|lane| of_tables(ArbitrationError::LaneUnserved(Lane(*lane)))).collect();
        assert_eq!(refused(&wrong), expected);
        says(&expected[0], "vl_arbitration", &[&format!("lane {}", unserved[0])]);
    }
}

#[test]
fn entries_of_tables_name_lanes_of_the_link_once() {
    says(&refused(&tables(&[4], &[], &[]))[0], "vl_arbitration.strict[0]", &["0 to 3"]);
    says(&refused(&tables(&[], &[(0, 1), (4, 1)], &[]))[0], "vl_arbitration.high[1].lane", &["0 to 3"]);
    says(&refused(&tables(&[], &[], &[(4, 1)]))[0], "vl_arbitration.low[0].lane", &["0 to 3"]);
    let errors = refused(&tables(&[1, 2, 1], &[], &[]));
    assert_eq!(errors, [of_tables(ArbitrationError::StrictTwice { index: 2, lane: 1 })]);
    says(&errors[0], "vl_arbitration.strict[2]", &["once"]);
    for (high, low, table) in [(&[(2, 1)][..], &[][..], "high"), (&[], &[(2, 1)], "low")] {
        let errors = refused(&tables(&[1, 2], high, low));
        assert_eq!(errors, [of_tables(ArbitrationError::StrictInTable { index: 1, lane: 2, table })]);
        says(&errors[0], "vl_arbitration.strict[1]", &["one of the two"]);
    }
}

#[test]
fn a_table_has_64_entries_at_most() {
    let entries = |count: usize| (0..count).map(|at| ((at % 4) as u8, 1)).collect::<Vec<_>>();
    assert_eq!(resolved(&tables(&[], &entries(64), &entries(64))).vl_arbitration.low.len(), 64);
    let errors = refused(&tables(&[], &[], &entries(65)));
    assert_eq!(errors, [of_tables(ArbitrationError::TableTooLong { table: "low", entries: 65 })]);
    says(&errors[0], "vl_arbitration.low", &["64"]);
    says(&refused(&tables(&[], &entries(65), &[]))[0], "vl_arbitration.high", &["64"]);
}

#[test]
fn an_update_waits_for_no_more_blocks_than_a_buffer_holds() {
    let of = |update_blocks, update_interval| {
        let wire_time = WireTime::Counted;
        let flow_control = Discipline::Credits(CreditSpec { update_blocks, update_interval, wire_time });
        LinkSpec { flow_control, ..credits() }
    };
    let interval = Span::from_us(4);
    for blocks in [1, 100] {
        assert!(of(blocks, interval).resolve(&env()).is_ok(), "{blocks}");
    }
    says(&refused(&of(101, interval))[0], "flow_control.update_blocks", &["1 to 100"]);
    says(&refused(&of(0, interval))[0], "flow_control.update_blocks", &["1 to 2048"]);
    let large = LinkEnv { smallest_buffer: ("a".to_owned(), Bytes::new(2_048 * BLOCK)), ..env() };
    assert!(of(2_048, interval).resolve(&large).is_ok());
    let larger = LinkEnv { smallest_buffer: ("a".to_owned(), Bytes::new(5_000 * BLOCK)), ..env() };
    says(
        &of(2_049, interval).resolve(&larger).expect_err("too many")[0],
        "flow_control.update_blocks",
        &["2048"],
    );
    let tiny = LinkEnv { smallest_buffer: ("a".to_owned(), Bytes::new(BLOCK - 1)), ..env() };
    assert!(of(1, interval).resolve(&tiny).is_ok(), "the buffer's own check refuses it");
    assert_eq!(refused(&of(1, Span::ZERO)), [LinkError::NoUpdateInterval]);
    says(&LinkError::NoUpdateInterval, "flow_control.update_interval", &["1 ps"]);
}

/// Returns the longest wait of a PAUSE for the wire: a packet, and a PAUSE of each lane.
fn wait(spec: &LinkSpec, rate: Rate) -> Span {
    rate.time_for(spec.longest_packet() + Bytes::new(20 + PAUSE * u64::from(spec.data_lanes)))
}

#[test]
fn a_pause_is_repeated_before_it_ends() {
    let of = |quanta, refresh| {
        let Discipline::Pause(pause) = pfc().flow_control else { unreachable!("PFC") };
        LinkSpec { flow_control: Discipline::Pause(PauseSpec { quanta, refresh, ..pause }), ..pfc() }
    };
    let rate = Rate::gbps(8);
    let lasts = rate.time_for(Bytes::new(1_000 * BLOCK));
    let latest = lasts - wait(&pfc(), rate);
    assert!(of(1_000, Some(latest)).resolve(&env()).is_ok());
    let errors = refused(&of(1_000, Some(latest + Span::from_ps(1))));
    says(&errors[0], "flow_control.refresh", &[&latest.to_string()]);
    assert_eq!(refused(&of(1_000, Some(Span::ZERO))), [LinkError::NoRefresh]);
    says(&LinkError::NoRefresh, "flow_control.refresh", &["1 ps"]);
    says(&refused(&of(0, None))[0], "flow_control.quanta", &["1 to 65535"]);
    // The half of a pause must be as long as the wait.
    let waits = wait(&pfc(), rate).ps();
    let fewest =
        (1..u16::MAX).find(|quanta| rate.time_for(Bytes::new(u64::from(*quanta) * BLOCK)).ps() / 2 >= waits);
    let fewest = fewest.expect("some pause is long enough");
    assert!(of(fewest, None).resolve(&env()).is_ok(), "{fewest}");
    says(&refused(&of(fewest - 1, None))[0], "flow_control.quanta", &["more quanta"]);
    // A pause shorter than the wait cannot be mended by an interval.
    let short = of(1, Some(Span::from_ps(1)));
    says(&refused(&short)[0], "flow_control.quanta", &["more quanta"]);
    // Slow cables count too.
    let both = LinkEnv { rates: vec![Rate::gbps(800), rate], ..env() };
    assert!(of(1_000, Some(latest)).resolve(&both).is_err(), "a pause is shorter on the faster cable");
}

#[test]
fn a_pause_is_repeated_after_half_of_its_time_unless_told() {
    let Discipline::Pause(pause) = pfc().flow_control else { unreachable!("PFC") };
    for rate in [Rate::gbps(10), Rate::gbps(100)] {
        assert_eq!(pause.pause(rate), rate.time_for(Bytes::new(u64::from(u16::MAX) * BLOCK)));
        assert_eq!(pause.refresh(rate).ps(), pause.pause(rate).ps() / 2);
        let told = PauseSpec { refresh: Some(Span::from_us(3)), ..pause.clone() };
        assert_eq!(told.refresh(rate), Span::from_us(3));
    }
}

#[test]
fn a_buffer_holds_a_packet_and_its_counter_holds_the_buffer() {
    let least = credits().longest_packet().get().next_multiple_of(BLOCK);
    let (least, most) = (Bytes::new(least), Bytes::new(2_048 * BLOCK));
    let byte = Bytes::new(1);
    for size in [least, most] {
        assert_eq!(credits().check_buffer(size), Ok(()));
    }
    let edges = [least.to_string(), most.to_string()];
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let small = credits().check_buffer(least - byte).expect_err("too small");
    assert!(matches!(small, BufferError::BelowPacket { .. }));
    says(&small, "", &edges);
    let large = credits().check_buffer(most + byte).expect_err("too large");
    assert!(matches!(large, BufferError::BeyondCredits { .. }));
    says(&large, "", &edges);
    let most = Bytes::new(1 << 30);
    for spec in [pfc(), lossy()] {
        assert_eq!((spec.check_buffer(byte), spec.check_buffer(most)), (Ok(()), Ok(())));
        let error = spec.check_buffer(most + byte).expect_err("too large");
        assert_eq!(error, BufferError::BeyondCounter(most + byte));
        says(&error, "", &[&most.to_string()]);
    }
}

#[test]
fn own_memory_has_room_for_a_packet_beside_headroom() {
    let plan = resolved(&pfc());
    let (longest, headroom) = (pfc().longest_packet(), Bytes::new(9_000));
    let byte = Bytes::new(1);
    let least = longest + headroom;
    let own = |small: Bytes, headroom| {
        let buffers = [vec![Bytes::kib(64); 2], vec![Bytes::kib(64), small]];
        plan.own_memory(&MemoryEnv {
            node: "S",
            numbers: &[1, 2],
            buffers: &buffers,
            headroom: &vec![vec![headroom; 2]; 2],
        })
    };
    let memory = own(least, headroom).expect("room for a packet");
    let expected = ReceiverPlan {
        limits: vec![Bytes::kib(64) - headroom, longest],
        headroom: vec![headroom; 2],
        capacity: vec![Bytes::kib(64), least],
    };
    assert_eq!(memory[1], expected);
    let error = own(least - byte, headroom).expect_err("too small");
    assert!(matches!(error, MemoryError::BelowHeadroom { port: 2, .. }), "{error:?}");
    says(&error, "", &[&least.to_string()]);
    assert!(!error.is_of_guarantee() && !error.is_of_total());
    let error = own(longest - byte, Bytes::ZERO).expect_err("too small");
    assert_eq!(error, MemoryError::BelowPacket { size: longest - byte, longest });
    says(&error, "", &[&longest.to_string()]);
    assert!(own(longest, Bytes::ZERO).is_ok());
    // Under credits the link's own check has been made.
    let (buffers, headroom) = ([vec![byte]], [vec![Bytes::ZERO]]);
    let env = MemoryEnv { node: "S", numbers: &[1, 2], buffers: &buffers, headroom: &headroom };
    assert!(resolved(&credits()).own_memory(&env).is_ok());
}

/// Two ports of two lanes; the guarantees and the headroom of each add up, also of ports that the plan lacks.
#[test]
fn shared_memory_is_the_total_less_headroom_and_guarantees() {
    let plan = resolved(&pfc());
    let headroom = [vec![Bytes::new(3_000); 2], vec![Bytes::new(5_000), Bytes::ZERO]];
    let share = Share { guaranteed: Bytes::new(700), alpha: None };
    let shares = vec![vec![share; 2]; 2];
    let absent = Reserve { receivers: 1, headroom: Bytes::new(40), guaranteed: Bytes::new(2) };
    let reserved = 2 * 3_000 + 5_000 + 40 + 4 * 700 + 2;
    let least = reserved + pfc().longest_packet().get();
    let shared = |memory| {
        plan.shared_memory(&SharedMemoryEnv {
            node: "S",
            memory,
            headroom: &headroom,
            shares: &shares,
            absent,
        })
    };
    for total in [least, least + 40_000] {
        let (sharing, receivers) = shared(MemorySize::Total(Bytes::new(total))).expect("room for a packet");
        let rest = Bytes::new(total - reserved);
        assert_eq!(sharing, SharingPlan::Bytes { shared: rest, shares: shares.concat() });
        for (receiver, own) in receivers.iter().zip(&headroom) {
            let alone = rest + share.guaranteed;
            assert_eq!(receiver.limits, vec![alone; 2], "a receiver alone may use all");
            assert_eq!((&receiver.headroom, receiver.capacity[1]), (own, alone + own[1]));
        }
    }
    let size = MemorySize::Total(Bytes::new(least - 1));
    let error = shared(size).expect_err("too small");
    let of_all = Bytes::new(least);
    assert!(
        matches!(&error, MemoryError::BelowReserve { memory, least, .. } if *memory == size && *least == of_all),
        "{error:?}"
    );
    assert!(error.is_of_total() && !error.is_of_guarantee());
    says(&error, "", &[&of_all.to_string()]);
    let of_sum = shared(MemorySize::SumOfBuffers(size.get())).expect_err("too small");
    assert!(!of_sum.is_of_total());
    says(&of_sum, "", &[&Bytes::new(least.div_ceil(5)).to_string(), "each port and lane"]);
}

#[test]
fn guarantees_of_credits_fit_into_the_memory_in_blocks() {
    let plan = resolved(&credits());
    let headroom = vec![vec![Bytes::ZERO; 2], vec![Bytes::ZERO]];
    // 300 whole blocks, and something beyond.
    let memory = MemorySize::Total(Bytes::new(301 * BLOCK - 1));
    let plan = |blocks: u64| {
        let share = Share { guaranteed: Bytes::new(blocks * BLOCK), alpha: None };
        let shares = vec![vec![share; 2], vec![share]];
        let absent = Reserve::default();
        let env = SharedMemoryEnv { node: "S", memory, headroom: &headroom, shares: &shares, absent };
        plan.shared_memory(&env).map(|(sharing, receivers)| (sharing, receivers, shares.concat()))
    };
    for blocks in [0, 30, 100] {
        let (sharing, receivers, shares) = plan(blocks).expect("it fits");
        assert_eq!(sharing, SharingPlan::Blocks { size: 300, shares });
        let alone = Bytes::new((300 - 2 * blocks) * BLOCK);
        for receiver in receivers {
            assert_eq!(receiver.limits[0], Bytes::new(blocks * BLOCK), "at rest the guarantee is announced");
            assert_eq!(receiver.capacity[0], alone, "others keep their guarantees");
        }
    }
    let error = plan(101).expect_err("more than the memory");
    assert!(error.is_of_guarantee() && !error.is_of_total());
    says(&error, "", &[&Bytes::new(100 * BLOCK).to_string()]);
}

fn cable(rate: u64, flight: u64) -> CablePlan {
    let propagation = Propagation::Delay(Span::from_ns(flight));
    let spec = CableSpec { rate: Some(Rate::gbps(rate)), width: None, speed: None, propagation };
    spec.resolve().expect("a cable")
}

/// Every term of IEEE 802.1Qbb, annex O, with the time until the receiver acts.
#[test]
fn headroom_is_that_of_the_pause_loop() {
    let plan = resolved(&pfc());
    let (longest, cable) = (plan.longest_packet() + Bytes::new(20), cable(40, 500));
    // Of the header: Ethernet with its tag, and IPv4 with its addresses, stand within 64 bytes.
    let loop_of = |latency: Span, lead: Bytes| {
        Headroom::of(PauseLoop {
            rate: cable.rate,
            flight: cable.flight,
            longest_frame: longest,
            priorities: 4,
            reaction: Span::from_ns(300),
            lead,
            latency,
        })
        .total()
    };
    let latency = Span::from_ns(200);
    let store = plan.headroom(&cable, Intake { latency, cut_through: false });
    assert_eq!(store, vec![loop_of(latency, longest); 4]);
    let cut = plan.headroom(&cable, Intake { latency, cut_through: true });
    assert_eq!(cut, vec![loop_of(latency, plan.framing.route_header()); 4]);
    let Discipline::Pause(pause) = pfc().flow_control else { unreachable!("PFC") };
    let given = PauseSpec { headroom: Some(Bytes::new(77)), ..pause };
    let given = resolved(&LinkSpec { flow_control: Discipline::Pause(given), ..pfc() });
    assert_eq!(given.headroom(&cable, Intake::ADAPTER), vec![Bytes::new(77); 4]);
    let needed = |link: &LinkPlan| link.needed_headroom(&cable, Intake { latency, cut_through: true });
    assert_eq!(needed(&given).expect("it is PFC").total(), cut[0], "whatever is given");
    for without in [credits(), lossy()] {
        assert_eq!(resolved(&without).headroom(&cable, Intake::ADAPTER), vec![Bytes::ZERO; 4]);
        assert_eq!(needed(&resolved(&without)), None);
    }
}

#[test]
fn a_port_s_wire_takes_the_flight_and_the_far_end_s_latency() {
    let plan = resolved(&pfc());
    let cable = cable(40, 500);
    let far = Intake { latency: Span::from_ns(130), cut_through: false };
    let memory = |limits: &[u64]| ReceiverPlan {
        limits: limits.iter().copied().map(Bytes::new).collect(),
        headroom: vec![Bytes::new(500); limits.len()],
        capacity: limits.iter().map(|limit| Bytes::new(limit + 500)).collect(),
    };
    let (near, other) = (memory(&[10_000, 20_000, 30_000, 40_000]), memory(&[1, 2, 3, 4]));
    let port = plan.port(&cable, far, &near, &other);
    assert_eq!((port.wire.latency(), port.wire.rate()), (Span::from_ns(630), cable.rate));
    assert_eq!(port.thresholds(), near.limits);
    assert_eq!(port.capacity, near.capacity);
    assert_eq!(resolved(&lossy()).port(&cable, far, &near, &other).thresholds(), near.limits);
    assert_eq!(resolved(&credits()).port(&cable, far, &near, &other).thresholds(), []);
}

/// Data rates of 4x links by IBA's names, in bit/s: 4 lanes at the signalling rate, less the encoding (IBA volume 2).
#[test]
fn data_rates_of_4x_links_are_those_of_iba() {
    let rates = [8.0, 16.0, 32.0, 40.0, 54.5454, 100.0, 200.0, 400.0, 800.0];
    for (speed, gbps) in Speed::ALL.into_iter().zip(rates) {
        let rate = |width| speed.data_rate(width).get() as f64 / 1e9;
        assert!((rate(Width::X4) - gbps).abs() < 1e-3, "{speed:?}: {}", rate(Width::X4));
        for (width, lanes) in Width::ALL.into_iter().zip([1.0, 2.0, 4.0, 8.0, 12.0]) {
            assert!((rate(width) - gbps / 4.0 * lanes).abs() < 1e-3, "{speed:?} {width:?}");
        }
    }
}

#[test]
fn a_cable_has_one_rate_and_takes_time() {
    let of = |rate: Option<u64>, width, speed, propagation| {
        CableSpec { rate: rate.map(Rate::bps), width, speed, propagation }.resolve()
    };
    let metre = Propagation::Cable(Length::from_mm(1_000));
    let (gbps, x4, qdr) = (1_000_000_000, Some(Width::X4), Some(Speed::Qdr));
    let lane = of(None, x4, qdr, metre).expect("a cable");
    assert_eq!((lane.rate, lane.flight), (Rate::gbps(32), Span::from_ns(5)));
    assert_eq!(lane.symbol_time, Span::from_ns(1), "a byte on one lane of 8 Gb/s");
    for edge in [gbps, 800 * gbps] {
        let cable = of(Some(edge), None, None, metre).expect("a cable");
        assert_eq!(cable.symbol_time, Rate::bps(edge).time_for(Bytes::new(1)));
    }
    let refused = |result: Result<CablePlan, Vec<CableError>>, path: &str, words: &[&str]| {
        let errors = result.expect_err("no cable");
        assert_eq!(errors.len(), 1);
        says(&errors[0], path, words);
    };
    refused(of(Some(gbps - 1), None, None, metre), "rate", &["1 Gb/s", "800 Gb/s"]);
    refused(of(Some(800 * gbps + 1), None, None, metre), "rate", &["1 Gb/s", "800 Gb/s"]);
    refused(of(Some(gbps), x4, qdr, metre), "width", &["rate"]);
    refused(of(Some(gbps), None, qdr, metre), "speed", &["rate"]);
    refused(of(None, x4, None, metre), "", &["speed"]);
    refused(of(None, None, qdr, metre), "", &["width"]);
    refused(of(None, None, None, metre), "", &["rate"]);
    refused(of(Some(gbps), None, None, Propagation::Cable(Length::default())), "propagation", &["1 mm"]);
    refused(of(Some(gbps), None, None, Propagation::Delay(Span::ZERO)), "propagation", &["1 ps"]);
    let both = of(None, None, None, Propagation::Delay(Span::ZERO)).expect_err("two faults");
    assert_eq!(both, [CableError::NoRate, CableError::NoDelay]);
}
