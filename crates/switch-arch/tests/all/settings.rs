//! Ranges of a switch's settings. The last value inside passes. The first value outside is refused at its own path,
//! with the edge in the proposal. And the plans that follow from settings.

use std::collections::BTreeMap;

use cc_policies::BufferOwner;
use link_layer::resolve::{CablePlan, LinkEnv, LinkPlan, ReceiverPlan, SharingPlan};
use link_layer::spec::{
    CableSpec, CreditSpec, Discipline, LinkSpec, PauseSpec, Propagation, VlArbitrationSpec, VlWeight,
    WireTime,
};
use link_layer::{Alpha, Share};
use packet::{Framing, Lane, Mtu, PortId, ServiceLevel};
use settings::SettingError;
use switch_arch::resolve::{SwitchEnv, SwitchError};
use switch_arch::spec::{
    ArbiterSpec, BufferOverride, BufferingSpec, EgressPoolSpec, Forwarding, PortArbitration, Provision,
    ShareOverride, Sharing, SlToVlSpec,
};
use switch_arch::tables::SlToVl;
use switch_arch::{SwitchPlan, SwitchSpec};
use units::{Bytes, Rate, Span};

const LANES: u8 = 2;
const PORTS: usize = 3;
const NUMBERS: [u16; PORTS] = [1, 2, 3];
const FAST: Rate = Rate::gbps(40);
const SLOW: Rate = Rate::gbps(10);

fn link(framing: Framing, flow_control: Discipline) -> LinkSpec {
    LinkSpec {
        framing,
        mtu: Mtu::K1,
        data_lanes: LANES,
        flow_control,
        sl_to_vl: BTreeMap::new(),
        vl_arbitration: VlArbitrationSpec::default(),
    }
}

fn credits(update_blocks: u16) -> LinkSpec {
    let credits =
        CreditSpec { update_blocks, update_interval: Span::from_us(4), wire_time: WireTime::Counted };
    link(Framing::InfiniBand, Discipline::Credits(credits))
}

/// PFC for these lanes.
fn pfc(lanes: &[u8]) -> LinkSpec {
    let pause = PauseSpec {
        pfc_enable: Some(lanes.to_vec()),
        headroom: None,
        resume_offset: Some(Bytes::new(2_000)),
        reaction: Some(Span::from_ns(300)),
        quanta: u16::MAX,
        refresh: None,
    };
    link(Framing::RoCEv2, Discipline::Pause(pause))
}

fn lossy() -> LinkSpec {
    link(Framing::RoCEv2, Discipline::Lossy)
}

fn plan(spec: &LinkSpec) -> LinkPlan {
    let smallest_buffer = ("switch.buffer".to_owned(), Bytes::kib(64));
    spec.resolve(&LinkEnv { smallest_buffer, rates: vec![FAST, SLOW] }).expect("a link")
}

/// Cables of two fast ports and a slow port.
fn cables() -> Vec<CablePlan> {
    let cable = |rate| {
        let propagation = Propagation::Delay(Span::from_ns(500));
        CableSpec { rate: Some(rate), width: None, speed: None, propagation }.resolve().expect("a cable")
    };
    vec![cable(FAST), cable(FAST), cable(SLOW)]
}

/// A switch where ports and lanes have buffers of their own.
fn own() -> SwitchSpec {
    SwitchSpec {
        buffering: BufferingSpec::InputVoq,
        arbiter: ArbiterSpec::RoundRobin,
        buffer: Some(Bytes::kib(64)),
        buffers: Vec::new(),
        sl_to_vl: Vec::new(),
        vl_arbitration: Vec::new(),
        memory: None,
        provisioned: None,
        output_buffer: None,
        sharing: Some(Sharing::Static),
        shares: Vec::new(),
        egress_limit: None,
        egress_pool: None,
        latency: Span::from_ns(200),
        forwarding: Forwarding::CutThrough,
        speedup: 1.5,
        selection: None,
        selected_packets: None,
    }
}

/// A switch where ports and lanes share a memory, each with this guarantee.
fn shared(guaranteed: u64) -> SwitchSpec {
    let sharing = Some(Sharing::Dynamic { alpha: 2.0, guaranteed: Bytes::new(guaranteed) });
    SwitchSpec { buffering: BufferingSpec::Central, sharing, ..own() }
}

fn resolved(spec: &SwitchSpec, link: &LinkSpec) -> Result<(SwitchPlan, Vec<ReceiverPlan>), SwitchError> {
    assert_eq!(spec.errors(link), []);
    spec.resolve(SwitchEnv {
        name: "S",
        link: &plan(link),
        cables: &cables(),
        numbers: &NUMBERS,
        sl_to_vl: None,
    })
}

/// Checks that the settings have a single fault, at this path, and that its proposal names this word.
fn says(errors: &[SwitchError], path: &str, word: &str) {
    let [error] = errors else { panic!("{errors:?} in place of one fault at {path}") };
    let fault = error.fault();
    assert_eq!(fault.path.to_string(), path);
    let help = fault.help.expect("a proposal");
    assert!(help.contains(word), "{help}, without {word}");
}

fn byte() -> Bytes {
    Bytes::new(1)
}

#[test]
fn every_buffer_that_is_stated_suits_the_link() {
    let spec = SwitchSpec {
        buffer: Some(Bytes::kib(1)),
        buffers: vec![BufferOverride { port: 2, lane: Some(1), size: Bytes::kib(2) }],
        shares: vec![ShareOverride {
            port: Some(1),
            rate: None,
            lane: None,
            alpha: None,
            guaranteed: Some(Bytes::kib(3)),
        }],
        ..shared(Bytes::kib(4).get())
    };
    let stated: Vec<_> =
        spec.stated_buffers().into_iter().map(|(path, size)| (path.to_string(), size.get() >> 10)).collect();
    let expected =
        [("buffer", 1), ("sharing.guaranteed", 4), ("buffers[0].size", 2), ("shares[0].guaranteed", 3)];
    assert_eq!(stated, expected.map(|(path, size)| (path.to_owned(), size)));
    let most = Bytes::kib(128);
    let of = |size| SwitchSpec { buffer: Some(size), ..own() }.errors(&credits(4));
    assert_eq!(of(most), []);
    says(&of(most + byte()), "buffer", "128");
    let of = |size| {
        let special = BufferOverride { port: 1, lane: None, size };
        SwitchSpec { buffers: vec![special], ..own() }.errors(&credits(4))
    };
    assert_eq!(of(most), []);
    says(&of(most + byte()), "buffers[0].size", "128");
}

#[test]
fn an_override_names_a_lane_of_the_link() {
    let of = |lane| {
        let special = BufferOverride { port: 1, lane: Some(lane), size: Bytes::kib(64) };
        SwitchSpec { buffers: vec![special], ..own() }.errors(&lossy())
    };
    assert_eq!(of(LANES - 1), []);
    says(&of(LANES), "buffers[0].lane", "1");
    let share =
        |lane| ShareOverride { port: None, rate: None, lane: Some(lane), alpha: Some(1.0), guaranteed: None };
    let of = |lane| SwitchSpec { shares: vec![share(0), share(lane)], ..shared(2_000) }.errors(&lossy());
    assert_eq!(of(LANES - 1), []);
    says(&of(LANES), "shares[1].lane", "1");
    let of = |lane| {
        let sharing = Sharing::Dynamic { alpha: 1.0, guaranteed: Bytes::ZERO };
        let pool = EgressPoolSpec { size: Bytes::kib(64), sharing, shares: vec![share(lane)] };
        SwitchSpec { egress_pool: Some(pool), ..shared(2_000) }.errors(&lossy())
    };
    assert_eq!(of(LANES - 1), []);
    says(&of(LANES), "egress_pool.shares[0].lane", "1");
}

/// Of several overrides that name a port and lane, the last holds.
#[test]
fn the_last_override_holds() {
    let special = |port, lane, kib| BufferOverride { port, lane, size: Bytes::kib(kib) };
    let buffers = vec![special(1, None, 10), special(1, Some(1), 20), special(2, Some(0), 30)];
    let spec = SwitchSpec { buffers, ..own() };
    let of = |port: u16, lane| spec.buffer_of(port + 1, Lane(lane)).map(|size| size.get() >> 10);
    assert_eq!([of(0, 0), of(0, 1), of(1, 0), of(1, 1)], [Some(10), Some(20), Some(30), Some(64)]);
    let (_, receivers) = resolved(&spec, &lossy()).expect("a plan");
    let limits: Vec<_> =
        receivers.iter().flat_map(|port| &port.limits).map(|size| size.get() >> 10).collect();
    assert_eq!(limits, [10, 20, 30, 64, 64, 64]);
}

#[test]
fn a_share_is_that_of_its_port_lane_and_rate() {
    let share = |port, rate, lane, alpha, guaranteed: Option<u64>| ShareOverride {
        port,
        rate,
        lane,
        alpha,
        guaranteed: guaranteed.map(Bytes::new),
    };
    let shares = vec![
        share(None, Some(SLOW), None, Some(0.5), None),
        share(Some(1), None, Some(1), None, Some(5_000)),
        share(None, None, Some(1), Some(4.0), None),
    ];
    let spec = SwitchSpec { shares, ..shared(2_000) };
    let of = |port: u16, lane, rate| {
        let share = spec.share_of(port + 1, Lane(lane), rate).expect("a share");
        (share.guaranteed.get(), share.alpha.map(Alpha::factor))
    };
    assert_eq!(of(0, 0, FAST), (2_000, Some(2.0)));
    assert_eq!(of(0, 1, FAST), (5_000, Some(4.0)));
    assert_eq!(of(1, 1, FAST), (2_000, Some(4.0)));
    assert_eq!(of(2, 0, SLOW), (2_000, Some(0.5)));
    assert_eq!(of(2, 1, SLOW), (2_000, Some(4.0)), "the last one that names it");
    assert_eq!(own().share_of(1, Lane(0), FAST), None);
    let complete = Sharing::Complete { guaranteed: Bytes::new(7) };
    assert_eq!((complete.guaranteed(), complete.alpha()), (Some(Bytes::new(7)), None));
    assert_eq!((Sharing::Static.guaranteed(), Sharing::Static.alpha()), (None, None));
}

#[test]
fn a_share_that_differs_changes_something_for_some() {
    let share = |port, alpha, guaranteed| ShareOverride { port, rate: None, lane: None, alpha, guaranteed };
    let of = |own, spec: SwitchSpec| SwitchSpec { shares: vec![own], ..spec }.errors(&lossy());
    let some = Some(Bytes::kib(2));
    assert_eq!(of(share(Some(1), Some(1.0), None), shared(2_000)), []);
    assert_eq!(of(share(Some(1), None, some), shared(2_000)), []);
    says(&of(share(None, Some(1.0), None), shared(2_000)), "shares[0]", "name a port");
    says(&of(share(Some(1), None, None), shared(2_000)), "shares[0]", "alpha");
    says(&of(share(Some(1), Some(1.0), None), own()), "shares", "Central");
    let complete = Sharing::Complete { guaranteed: Bytes::kib(2) };
    let complete = SwitchSpec { sharing: Some(complete), ..shared(0) };
    says(&of(share(Some(1), Some(1.0), some), complete.clone()), "shares[0].alpha", "Dynamic");
    assert_eq!(of(share(Some(1), None, some), complete), []);
    for by_rate in [true, false] {
        let named = ShareOverride {
            rate: by_rate.then_some(SLOW),
            lane: (!by_rate).then_some(0),
            ..share(None, Some(1.0), None)
        };
        assert_eq!(of(named, shared(2_000)), []);
    }
}

#[test]
fn the_size_of_memory_is_stated_once() {
    let no_size = SwitchSpec { buffer: None, ..own() };
    says(&no_size.errors(&lossy()), "buffer", "memory");
    let provision = Some(Provision { ports: 4, lanes: 2 });
    says(&SwitchSpec { provisioned: provision, ..own() }.errors(&lossy()), "provisioned", "memory");
    let total = |size| SwitchSpec { buffer: None, memory: Some(size), ..shared(2_000) };
    let most = Bytes::new(1 << 30);
    assert_eq!(total(most).errors(&lossy()), []);
    says(&total(most + byte()).errors(&lossy()), "memory", &most.to_string());
    let twice = SwitchSpec { buffer: Some(Bytes::kib(64)), ..total(most) };
    says(&twice.errors(&lossy()), "buffer", "leave one");
    let special = vec![BufferOverride { port: 1, lane: None, size: Bytes::kib(64) }];
    says(&SwitchSpec { buffers: special, ..total(most) }.errors(&lossy()), "buffers", "leave one");
    let not_shared = SwitchSpec { sharing: Some(Sharing::Static), ..total(most) };
    says(&not_shared.errors(&lossy()), "memory", "Complete");
    let nothing_to_share = SwitchSpec { buffering: BufferingSpec::InputVoq, ..shared(2_000) };
    says(&nothing_to_share.errors(&lossy()), "sharing", "Central");
    assert_eq!(shared(2_000).errors(&lossy()), []);
}

#[test]
fn a_queue_at_an_output_holds_a_packet() {
    let link = lossy();
    let longest = link.longest_packet();
    for buffering in BufferingSpec::ALL {
        let of = |size| SwitchSpec { buffering, output_buffer: Some(size), ..own() }.errors(&link);
        if buffering.has_output_queues() {
            assert_eq!(of(longest), []);
            says(&of(longest - byte()), "output_buffer", &longest.to_string());
        } else {
            says(&of(longest), "output_buffer", "leave it out");
        }
    }
    let of = |limit| SwitchSpec { egress_limit: Some(limit), ..own() }.errors(&link);
    assert_eq!(of(longest), []);
    says(&of(longest - byte()), "egress_limit", &longest.to_string());
    let under_credits = SwitchSpec { egress_limit: Some(longest), ..own() }.errors(&credits(4));
    says(&under_credits, "egress_limit", "Lossy");
}

#[test]
fn an_egress_pool_is_of_lossy_lanes_of_a_shared_memory() {
    let dynamic = Sharing::Dynamic { alpha: 1.0, guaranteed: Bytes::ZERO };
    let pool = |size, sharing| EgressPoolSpec { size, sharing, shares: Vec::new() };
    let of = |size, sharing, spec: SwitchSpec, link: &LinkSpec| {
        SwitchSpec { egress_pool: Some(pool(size, sharing)), ..spec }.errors(link)
    };
    let most = Bytes::new(1 << 30);
    assert_eq!(of(most, dynamic, shared(2_000), &lossy()), []);
    assert_eq!(of(most, dynamic, shared(2_000), &pfc(&[1])), [], "lane 0 has no PFC");
    says(&of(most + byte(), dynamic, shared(2_000), &lossy()), "egress_pool.size", &most.to_string());
    says(&of(most, dynamic, shared(2_000), &pfc(&[0, 1])), "egress_pool", "pfc_enable");
    says(&of(most, dynamic, shared(1_600), &credits(4)), "egress_pool", "Lossy");
    says(&of(most, dynamic, own(), &lossy()), "egress_pool", "Central");
    says(&of(most, Sharing::Static, shared(2_000), &lossy()), "egress_pool.sharing", "Dynamic");
}

#[test]
fn an_egress_pool_has_room_for_a_packet_beside_its_guarantees() {
    let (link, guaranteed) = (pfc(&[1]), Bytes::new(3_000));
    let sharing = Sharing::Dynamic { alpha: 1.0, guaranteed };
    let of = |size| {
        let special = ShareOverride {
            port: None,
            rate: Some(SLOW),
            lane: None,
            alpha: Some(4.0),
            guaranteed: Some(Bytes::new(1_000)),
        };
        let pool = EgressPoolSpec { size, sharing, shares: vec![special] };
        let spec = SwitchSpec { memory: Some(Bytes::kib(512)), buffer: None, ..shared(2_000) };
        resolved(&SwitchSpec { egress_pool: Some(pool), ..spec }, &link)
    };
    // Two fast outputs and a slow output, each with a single lane that the pool counts.
    let guarantees = Bytes::new(7_000);
    let least = guarantees + link.longest_packet();
    let pool = of(least).expect("room for a packet").0.egress_pool.expect("a pool");
    assert_eq!(pool.shared, link.longest_packet());
    let shares: Vec<_> =
        pool.shares.iter().map(|own| (own.guaranteed.get(), own.alpha.map(Alpha::factor))).collect();
    let (fast, slow) = ([(3_000, Some(1.0)), (0, Some(1.0))], [(1_000, Some(4.0)), (0, Some(4.0))]);
    assert_eq!(shares, [fast, fast, slow].concat(), "nothing is guaranteed to a lane with PFC");
    assert!(pool.lossy.contains(Lane(0)) && !pool.lossy.contains(Lane(1)));
    let error = of(least - byte()).expect_err("no room for a packet");
    says(&[error], "egress_pool.size", &least.to_string());
}

#[test]
fn a_plan_is_what_the_settings_say() {
    let (plan, receivers) = resolved(&own(), &lossy()).expect("a plan");
    assert_eq!((plan.buffering, plan.arbiter), (BufferingSpec::InputVoq, ArbiterSpec::RoundRobin));
    assert_eq!((plan.sharing, plan.egress_pool, plan.egress_limit), (SharingPlan::Own, None, None));
    assert_eq!((plan.buffer, plan.output_buffer), (Bytes::kib(64), Bytes::kib(64)));
    assert_eq!((plan.speedup_thousandths, plan.sl_to_vl), (1_500, None));
    assert!(plan.intake.cut_through && plan.intake.latency == Span::from_ns(200));
    assert_eq!(receivers.len(), PORTS);
    let whole = SwitchSpec { forwarding: Forwarding::StoreAndForward, ..own() };
    assert!(!resolved(&whole, &lossy()).expect("a plan").0.intake.cut_through);
    let queued = SwitchSpec {
        buffering: BufferingSpec::Output,
        output_buffer: Some(Bytes::kib(5)),
        egress_limit: Some(Bytes::kib(6)),
        ..own()
    };
    let plan = resolved(&queued, &lossy()).expect("a plan").0;
    assert_eq!((plan.output_buffer, plan.egress_limit), (Bytes::kib(5), Some(Bytes::kib(6))));
}

/// Under credits a shared memory is the sum of all buffers in whole blocks, or the total.
#[test]
fn a_shared_memory_is_as_large_as_all_buffers() {
    let of = |spec: &SwitchSpec| match resolved(spec, &credits(4)).expect("a plan").0 {
        SwitchPlan { sharing: SharingPlan::Blocks { size, shares }, buffer, .. } => (size, shares, buffer),
        other => panic!("{other:?}"),
    };
    let odd = SwitchSpec { buffer: Some(Bytes::new(64 * 100 + 63)), ..shared(1_600) };
    let (size, shares, buffer) = of(&odd);
    assert_eq!((size, buffer), (6 * 100, Bytes::new(6_463)), "six ports and lanes of 100 whole blocks");
    assert_eq!(shares, vec![Share { guaranteed: Bytes::new(1_600), alpha: Some(Alpha::new(2.0)) }; 6]);
    let total = SwitchSpec { buffer: None, memory: Some(Bytes::kib(60)), ..shared(1_600) };
    let (size, _, buffer) = of(&total);
    assert_eq!((size, buffer), (60 * 16, Bytes::kib(10)), "an equal part of six");
}

/// Ports and lanes without a cable take their headroom and guarantees from the memory too.
#[test]
fn provisioned_ports_take_their_part() {
    let (link, guaranteed) = (pfc(&[0, 1]), 2_000);
    let total = SwitchSpec { buffer: None, memory: Some(Bytes::kib(2_048)), ..shared(guaranteed) };
    let of = |provisioned| resolved(&SwitchSpec { provisioned, ..total.clone() }, &link);
    let shared = |planned: (SwitchPlan, Vec<ReceiverPlan>)| match planned.0.sharing {
        SharingPlan::Bytes { shared, .. } => (shared.get(), planned.1),
        other => panic!("{other:?}"),
    };
    let (alone, receivers) = shared(of(None).expect("a plan"));
    assert_eq!(shared(of(Some(Provision { ports: 3, lanes: 2 })).expect("a plan")).0, alone);
    let headroom = receivers.iter().flat_map(|port| &port.headroom).max().expect("headroom").get();
    assert!(headroom > receivers[2].headroom[0].get(), "a fast link needs more");
    let (rest, _) = shared(of(Some(Provision { ports: 5, lanes: 4 })).expect("a plan"));
    assert_eq!(rest, alone - (5 * 4 - 3 * 2) * (headroom + guaranteed));
    for (ports, lanes, field, least) in [(2, 2, "ports", "3"), (3, 1, "lanes", "2")] {
        let error = of(Some(Provision { ports, lanes })).expect_err("fewer than there are");
        says(&[error], &format!("provisioned.{field}"), least);
    }
}

/// The guarantee is a longest packet, in whole blocks under credits, and as many blocks as an update waits for. A cable
/// adds what it carries until a credit is back, within half of the buffer.
#[test]
fn a_central_memory_is_shared_unless_told_otherwise() {
    let central = SwitchSpec { buffering: BufferingSpec::Central, sharing: None, ..own() };
    let guaranteed = |link: &LinkSpec| match central.usual_sharing(link, &[]) {
        Sharing::Complete { guaranteed } => guaranteed.get(),
        other => panic!("{other:?}"),
    };
    let longest = lossy().longest_packet().get();
    assert_eq!((guaranteed(&lossy()), guaranteed(&pfc(&[0]))), (longest, longest));
    let blocks = credits(4).longest_packet().get().div_ceil(64);
    assert_eq!(guaranteed(&credits(4)), blocks * 64);
    assert_eq!(guaranteed(&credits(100)), 6_400);
    // 10 Gb/s are 1.25 bytes a nanosecond: 2 * (500 + latency) ns, two packets, and the update's blocks.
    let cable = CablePlan { rate: Rate::gbps(10), symbol_time: Span::ZERO, flight: Span::from_ns(500) };
    let window = |buffer| {
        let central = SwitchSpec { buffer: Some(buffer), latency: Span::from_ns(100), ..central.clone() };
        match central.usual_sharing(&credits(4), &[cable]) {
            Sharing::Complete { guaranteed } => guaranteed.get(),
            other => panic!("{other:?}"),
        }
    };
    let needed = 1_500 + 2 * credits(4).longest_packet().get() + 4 * 64;
    assert!((needed..needed + 128).contains(&window(Bytes::kib(128))), "{needed}");
    assert_eq!(window(Bytes::new(needed)), (needed / 2 / 64 * 64).max(blocks * 64));
    for buffering in BufferingSpec::ALL {
        let usual = SwitchSpec { buffering, sharing: None, ..own() }.usual_sharing(&lossy(), &[]);
        assert_eq!(usual == Sharing::Static, buffering != BufferingSpec::Central);
    }
}

#[test]
fn organisations_differ_in_where_packets_wait() {
    use BufferingSpec::{Central, CombinedInputOutput, InputFifo, InputVoq, Output};
    for (buffering, reads_at_inputs, output_queues, owner) in [
        (InputFifo, true, false, BufferOwner::Inputs),
        (InputVoq, true, false, BufferOwner::Inputs),
        (Output, false, true, BufferOwner::Outputs),
        (Central, false, false, BufferOwner::Inputs),
        (CombinedInputOutput, true, true, BufferOwner::Inputs),
    ] {
        assert_eq!(buffering.reads_at_inputs(), reads_at_inputs, "{buffering:?}");
        assert_eq!(buffering.has_output_queues(), output_queues, "{buffering:?}");
        assert_eq!(buffering.buffers_of(), owner, "{buffering:?}");
    }
}

#[test]
fn a_table_of_service_levels_leads_to_lanes_with_a_turn() {
    let levels = usize::from(ServiceLevel::COUNT);
    let of = |link: &LinkSpec, lanes: Vec<u8>| {
        let good = SlToVlSpec { input: None, output: None, lanes: vec![0; levels] };
        let own_table = SlToVlSpec { input: Some(1), output: None, lanes };
        SwitchSpec { sl_to_vl: vec![good, own_table], ..own() }.errors(link)
    };
    let with = |lane| {
        let mut lanes = vec![0; levels];
        lanes[3] = lane;
        lanes
    };
    assert_eq!(of(&lossy(), with(LANES - 1)), []);
    says(&of(&lossy(), with(LANES)), "sl_to_vl[1].lanes[3]", "1");
    says(&of(&lossy(), with(15)), "sl_to_vl[1].lanes[3]", "data lane");
    for length in [levels - 1, levels + 1] {
        says(&of(&lossy(), vec![0; length]), "sl_to_vl[1].lanes", "16");
    }
    let only_lane_0 =
        VlArbitrationSpec { low: vec![VlWeight { lane: 0, weight: 1 }], ..VlArbitrationSpec::default() };
    let served = LinkSpec { vl_arbitration: only_lane_0, ..lossy() };
    says(&of(&served, with(1)), "sl_to_vl[1].lanes[3]", "weight");
}

/// Of several entries that name a port, the last holds; the link's tables are for the rest.
#[test]
fn arbitration_is_by_port() {
    let weighted = |weights: [u8; 2]| {
        let low = (0..).zip(weights).map(|(lane, weight)| VlWeight { lane, weight }).collect();
        VlArbitrationSpec { low, ..VlArbitrationSpec::default() }
    };
    let entry = |port, weights| PortArbitration { port, tables: weighted(weights) };
    let with = |entries: Vec<PortArbitration>| SwitchSpec { vl_arbitration: entries, ..own() };
    let planned = |spec: &SwitchSpec| resolved(spec, &lossy()).map(|(plan, _)| plan.vl_arbitration);
    assert_eq!(planned(&own()), Ok(None));
    let some = with(vec![entry(Some(2), [1, 2]), entry(Some(1), [3, 4]), entry(Some(2), [5, 6])]);
    let expected = [weighted([3, 4]), weighted([5, 6]), VlArbitrationSpec::default()];
    assert_eq!(planned(&some), Ok(Some(expected.to_vec())));
    let all = with(vec![entry(Some(2), [1, 2]), entry(None, [3, 4])]);
    assert_eq!(planned(&all), Ok(Some(vec![weighted([3, 4]); PORTS])));
    // Both lanes leave every port, unless tables of service levels lead elsewhere.
    let unserved = with(vec![entry(None, [1, 1]), entry(Some(3), [0, 1])]);
    assert_eq!(unserved.errors(&lossy()), []);
    says(&[planned(&unserved).expect_err("lane 0")], "vl_arbitration[1].tables", "lane 0 a weight at port 3");
    let only_1 = SlToVlSpec { input: None, output: Some(3), lanes: vec![1; 16] };
    let led = SwitchSpec { sl_to_vl: vec![only_1], ..unserved };
    let (link, others) = (plan(&lossy()), SlToVl::new(PORTS, [Lane(0); 16]));
    let env =
        SwitchEnv { name: "S", link: &link, cables: &cables(), numbers: &NUMBERS, sl_to_vl: Some(&others) };
    assert!(led.resolve(env).is_ok());
    let no_lane = PortArbitration { port: None, tables: weighted([1, 1]) };
    let no_lane = with(vec![no_lane]).errors(&LinkSpec { data_lanes: 1, ..lossy() });
    says(&no_lane, "vl_arbitration[0].tables.low[1].lane", "write 0");
}

/// Of several entries that name a pair, the last holds; the others' lanes are for the rest.
#[test]
fn tables_are_by_input_and_output() {
    let table = |input, output, lane| SlToVlSpec { input, output, lanes: vec![lane; 16] };
    let entries = vec![
        table(None, Some(2), 1),
        table(Some(1), Some(2), 0),
        table(Some(3), None, 1),
        table(Some(PORTS as u16 + 1), None, 1),
        table(None, Some(PORTS as u16 + 1), 1),
        table(Some(0), None, 1),
    ];
    let spec = SwitchSpec { sl_to_vl: entries, ..own() };
    let others = SlToVl::new(PORTS, [Lane(0); 16]);
    let link = plan(&lossy());
    let env =
        SwitchEnv { name: "S", link: &link, cables: &cables(), numbers: &NUMBERS, sl_to_vl: Some(&others) };
    let tables = spec.resolve(env).expect("a plan").0.sl_to_vl.expect("tables");
    assert_eq!(tables.ports(), PORTS);
    let lane = |input, output| tables.lane((PortId(input), PortId(output)), ServiceLevel(5)).0;
    let all: Vec<_> = (0..3).map(|input| [0, 1, 2].map(|output| lane(input, output))).collect();
    assert_eq!(all, [[0, 0, 0], [0, 1, 0], [1, 1, 1]]);
}

/// A memory that is too small is a fault of the field that could make it larger, or of what it promises.
#[test]
fn a_memory_that_is_too_small_is_a_fault_where_its_size_stands() {
    let fault = |spec: &SwitchSpec, link: &LinkSpec| [resolved(spec, link).expect_err("too small")];
    let longest = lossy().longest_packet();
    let own_buffer = SwitchSpec { buffer: Some(longest - byte()), ..own() };
    says(&fault(&own_buffer, &lossy()), "buffer", &longest.to_string());
    let each = Bytes::new(2_000);
    let of_buffers = SwitchSpec { buffer: Some(each), ..shared(each.get()) };
    says(&fault(&of_buffers, &lossy()), "buffer", "each port and lane");
    // Three ports of two lanes.
    let total = |size| SwitchSpec { buffer: None, memory: Some(size), ..shared(each.get()) };
    let least = each * 6 + longest;
    assert!(resolved(&total(least), &lossy()).is_ok());
    says(&fault(&total(least - byte()), &lossy()), "memory", &least.to_string());
    let guarantees = SwitchSpec { buffer: Some(Bytes::new(64 * 30)), ..shared(64 * 31) };
    says(&fault(&guarantees, &credits(4)), "sharing.guaranteed", &Bytes::new(64 * 30).to_string());
}
