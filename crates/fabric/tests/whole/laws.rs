//! Physics with a known answer, from theory and not from a simulator.

use crate::common::{law, run, settled_bps, shipped};
use link_layer::spec::{Speed, Width};
use packet::{Mtu, Opcode};
use telemetry::RunRecord;
use units::{Bytes, Rate, Span};

/// Returns the time of a full data packet on the wire, for SENDs: no packet has a RETH.
fn packet_time(mtu: Mtu, rate: Rate) -> Span {
    rate.time_for(Bytes::new(u64::from(Opcode::SendMiddle.wire_bytes(mtu.bytes()))))
}

fn mtu_word(mtu: Mtu) -> String {
    format!("\"{}\"", Bytes::from(mtu))
}

/// A lone flow gets exactly a packet in each packet time, for every MTU, width and speed. In the settled half of the
/// run the payload delivered differs from that by less than two packets.
#[test]
fn a_lone_flow_gets_the_wire() {
    let rates = Speed::ALL.into_iter().map(|speed| (Width::X4, speed));
    let widths = Width::ALL.into_iter().map(|width| (width, Speed::Edr));
    for (width, speed) in rates.chain(widths) {
        for mtu in Mtu::ALL {
            let word = format!("{speed:?}").to_uppercase();
            let plan = law(
                "back-to-back",
                &[
                    &format!("cables.wire.width={width:?}"),
                    &format!("cables.wire.speed={word}"),
                    &format!("link.mtu={}", mtu_word(mtu)),
                ],
            );
            let record = run(&plan);
            let (middle, end) = (&record.snapshots[1], &record.snapshots[2]);
            let delivered = end.delivered[0] - middle.delivered[0];
            let packets = (end.at - middle.at).ps() as f64 / packet_time(mtu, plan.cable(0).rate).ps() as f64;
            let off = delivered.get() as f64 / f64::from(mtu.bytes()) - packets;
            assert!(off.abs() < 2.0, "{width:?} {speed:?} {mtu:?}: {off} packets off {packets}");
        }
    }
}

/// The latency of a packet over n switches in a row, part by part, in picoseconds.
#[test]
fn latency_is_the_sum_of_its_parts() {
    let length = Bytes::new(u64::from(Opcode::SendOnly.wire_bytes(2048)));
    let (qdr, ddr) = (Rate::gbps(32), Rate::gbps(16));
    let (edge, core, switch) = (Span::from_ns(15), Span::from_ns(100), Span::from_ns(150));
    let header = |rate: Rate| rate.time_for(Bytes::new(8));
    for switches in 1..=4 {
        let latency = |set: &str| run(&law("chain", &[&chain(switches), set])).flows[0].latency_max;
        let flight = edge * 2 + core * (switches - 1) + switch * switches;

        let cut_through = flight + header(qdr) * switches + qdr.time_for(length);
        assert_eq!(latency("switch.forwarding=CutThrough"), cut_through, "{switches} switches");

        let stored = flight + qdr.time_for(length) * (switches + 1);
        assert_eq!(latency("switch.forwarding=StoreAndForward"), stored, "{switches} switches");
        if switches == 1 {
            continue; // No cable but the edges: nothing to be uneven.
        }

        // Slow, fast ..., slow: at the first switch the packet waits until its tail is due on the faster wire. From
        // there on its header runs ahead again.
        let late = ddr.time_for(length) - qdr.time_for(length);
        let uneven = flight + late + header(qdr) * (switches - 1) + ddr.time_for(length);
        assert_eq!(latency("cables.edge.speed=DDR"), uneven, "{switches} switches");

        // Fast, slow ..., fast: the packet streams into the slow wire at once. Its tail comes in at the last switch
        // at the slow rate, where the packet has to wait for it.
        let uneven = flight + header(qdr) + header(ddr) * (switches - 2) + ddr.time_for(length);
        assert_eq!(latency("cables.core.speed=DDR"), uneven, "{switches} switches");
    }
}

/// Two hosts at the ends of a row of switches, as an override of the chain's topology.
fn chain(switches: u64) -> String {
    let names: Vec<_> = (1..=switches).map(|n| format!("\"S{n}\"")).collect();
    let core = (1..switches).map(|n| format!("(from: \"S{n}\", to: \"S{}\", cable: \"core\")", n + 1));
    let edges = [
        "(from: \"A\", to: \"S1\", cable: \"edge\")".to_owned(),
        format!("(from: \"S{switches}\", to: \"B\", cable: \"edge\")"),
    ];
    let links: Vec<_> = edges.into_iter().chain(core).collect();
    format!(
        "topology=Custom(hosts: [\"A\", \"B\"], switches: [{}], links: [{}])",
        names.join(", "),
        links.join(", ")
    )
}

/// On an idle link each lane's credits are refreshed every 65,536 symbol times, however long the interval is.
#[test]
fn credits_are_refreshed_in_time() {
    let idle = "flows=[]";
    for (speed, symbols_ns) in [("SDR", 4), ("QDR", 1)] {
        let sets = [idle, "duration=\"10 ms\"", "link.flow_control.update_interval=\"1 s\""];
        let record =
            run(&law("back-to-back", &[&sets[..], &[&format!("cables.wire.speed={speed}")]].concat()));
        let due = 2 * (10_000_000 / (65_536 * symbols_ns));
        assert_eq!(record.flow_control_packets, due, "{speed}: both ends refresh one lane");
    }
}

/// An output may want more of an input than slower outputs leave, and is served all the same. The trunk carries the
/// fast flow beside the slow flows. Four slow packets side by side and then a fast packet take 2.6 us, so each flow
/// gets 6.3 Gb/s.
#[test]
fn a_fast_output_is_not_starved_by_slow_ones() {
    let record = run(&law("fast-output", &[]));
    for flow in 0..5 {
        let got = settled_bps(&record, flow, 0);
        assert!((got / 6.3e9 - 1.0).abs() < 0.05, "flow {flow} gets {got}");
    }
}

/// With buffer for three packets and a long cable, three packets pass in each round trip.
#[test]
fn too_few_credits_limit_throughput_to_buffer_over_round_trip() {
    for (buffer, packets) in [("8 KiB", 3), ("4 KiB", 1), ("16 KiB", 7)] {
        let plan = law(
            "back-to-back",
            &[
                &format!("adapter.receive_buffer=\"{buffer}\""),
                "cables.wire.propagation=Delay(\"10 us\")",
                "link.flow_control.update_blocks=1",
                "duration=\"20 ms\"",
            ],
        );
        let wire = Rate::gbps(32);
        let round_trip = packet_time(Mtu::K2, wire) + Span::from_us(20);
        let expected = f64::from(packets) * 2048.0 * 8.0 / round_trip.seconds();
        let got = settled_bps(&run(&plan), 0, 0);
        assert!((got / expected - 1.0).abs() < 2e-3, "{buffer}: {got} where {expected} is due");
    }
}

/// Two switches, k local and n remote flows to a port, a victim over the trunk, all saturating. Where inputs take
/// turns, local flows get 1/(k+1) of the root, remote flows and the victim 1/((k+1)n).
///
/// With output queueing, and with a central memory in fixed parts, packets leave in the order of their arrival. So an
/// input's share is the part of its memory that waits for the root. That is 7 packets of a local flow, and at least 6
/// of the trunk's 7 packets. A packet of the victim is on its way through for at most its own time.
#[test]
fn plateaus_without_control() {
    for (local, remote) in [(1, 2), (2, 2), (5, 5)] {
        for (buffering, least) in [("InputFifo", 7), ("InputVoq", 7), ("Output", 6), ("Central", 6)] {
            check_plateaus(local, remote, buffering, least);
        }
    }
}

fn check_plateaus(local: usize, remote: usize, buffering: &str, least: usize) {
    let flow = |from: String, to: &str| {
        format!(
            "(name: \"{from}\", from: \"{from}\", to: \"{to}\", start: \"0 s\", operation: Send, \
             message: \"64 KiB\", load: Saturate(outstanding: 4))"
        )
    };
    let flows: Vec<_> = (1..=local)
        .map(|n| flow(format!("l{n}"), "root"))
        .chain((1..=remote).map(|n| flow(format!("r{n}"), "root")))
        .chain([flow("v".to_owned(), "vd")])
        .collect();
    let record = run(&law(
        "two-switches",
        &[
            &format!("flows=[{}]", flows.join(", ")),
            &format!("switch.buffering={buffering}"),
            "switch.sharing=Static",
        ],
    ));
    let total: f64 = (0..local + remote).map(|flow| settled_bps(&record, flow, 0)).sum();
    let share = |flow: usize| settled_bps(&record, flow, 0) / total;
    let equal = 1.0 / (local + 1) as f64;
    let most = 7.0 / (7 * local + least) as f64;
    let trunk = least as f64 / (7 * local + least) as f64;
    for flow in 0..=local + remote {
        let (low, high, flows) = if flow < local { (equal, most, 1) } else { (trunk, equal, remote) };
        let got = share(flow) * flows as f64;
        assert!(
            (low * 0.98..high * 1.02).contains(&got),
            "{buffering}, flow {flow}: {got} is not from {low} to {high}"
        );
    }
    let analytic = 2048.0 * 8.0 / packet_time(Mtu::K2, Rate::gbps(8)).seconds();
    assert!((total / analytic - 1.0).abs() < 0.01, "the root is used fully: {total} of {analytic}");
}

/// In equilibrium a flow's index rises as often as it falls: BECNs times `CCTI_Increase` equal the expiries of
/// its timer, but for the 127 that the index itself can hold (2.6 % of the expiries here). The table's fine
/// step keeps the index away from 0, where an expiry would lower nothing.
#[test]
fn becns_balance_the_timer() {
    let record = run(&law("incast", &[]));
    let timer = Span::from_ps(20 * 1_024_000);
    let expiries = record.simulated.ps() as f64 / timer.ps() as f64;
    for flow in &record.flows {
        let balance = flow.becns as f64 / expiries;
        assert!((balance - 1.0).abs() < 0.05, "{}: {} BECNs to {expiries} expiries", flow.name, flow.becns);
    }
}

/// A flow to a host that is four times slower than its link. The switch port before it is no root, since it waits for
/// credit, and marks only if `Victim_Mask` says so.
#[test]
fn a_slow_host_marks_only_by_victim_mask() {
    let flow = "flows=[(name: \"F\", from: \"s1\", to: \"sink\", start: \"0 s\", message: \"64 KiB\", \
                load: Saturate(outstanding: 4))]";
    let slow = ["adapter.drain_limit=\"2 Gb/s\"", flow];
    let masked = run(&law("incast", &slow));
    assert_eq!(masked.marks.total(), masked.marks.of(cc_policies::iba::IbaMarker::VICTIM_MASK.code));
    assert!(masked.marks.total() > 100);
    let bare = run(&law("incast", &[&slow[..], &["congestion_control.marking.victim_mask=None"]].concat()));
    assert_eq!(bare.marks.total(), 0, "no output that waits for credit is a root");
}

/// A flow with a single packet at a time, and with its last link to itself, never waits for that link. It does not
/// matter what fills the buffer before the link. If packets that can leave at once are spared, it is never marked,
/// and only the trunk's buffer slows it down.
#[test]
fn a_victim_with_a_link_of_its_own_is_spared() {
    let victim = |immediate: &str| {
        let set = format!("congestion_control.marking.immediate={immediate}");
        let record = run(&shipped("santos2003", &[&set]));
        assert!(record.marks.total() > 100, "the others are marked");
        (record.flows[0].becns, settled_bps(&record, 0, 0))
    };
    let (marked, spared) = (victim("Marked"), victim("Spared"));
    assert!(marked.0 > 0, "else sparing it would mean nothing");
    assert_eq!(spared.0, 0);
    assert!(spared.1 > 2.0 * marked.1, "{} and {} bit/s", spared.1, marked.1);
}

/// No switch takes a mark back. The second switch's outputs together are faster than the trunk, so its buffers never
/// fill, and it marks nothing. Packets marked by the first switch are answered all the same.
#[test]
fn a_mark_outlives_a_switch_that_does_not_mark() {
    let scheme = "congestion_control=Hp(marking: (trigger: Full, set: Selective(InputAndOutput)), \
                  response: (rate: Lipd(max_ipd: 15), rpi_after_decrease: Reloaded))";
    let sets = ["flows.F2.start=\"0 s\"", "flows.F3.start=\"0 s\"", "duration=\"3 ms\"", scheme];
    let record = run(&shipped("gran2011-scenario2", &sets));
    let marks = |switch: &str| -> u64 {
        record.lanes.iter().filter(|lane| lane.node == switch).map(|lane| lane.marks.total()).sum()
    };
    assert_eq!(marks("S2"), 0);
    let (marked, answered) = (marks("S1"), record.flows.iter().map(|flow| flow.becns).sum::<u64>());
    // All but those under way when the run ends.
    assert!(marked > 100 && answered <= marked && answered + 20 > marked, "{answered} of {marked}");
}

/// Lanes share a link by the weights of its arbitration table. 64 times 64 bytes let two packets of 2,074 bytes
/// start, and three times that let six.
#[test]
fn lanes_share_by_weight() {
    let flow = |name: &str, level: u8| {
        format!(
            "(name: \"{name}\", from: \"A\", to: \"B\", start: \"0 s\", operation: Send, service_level: {level}, \
             message: \"1 MiB\", load: Saturate(outstanding: 4))"
        )
    };
    let record = run(&law(
        "back-to-back",
        &[
            "link.data_lanes=2",
            "link.vl_arbitration=(low: [(lane: 0, weight: 64), (lane: 1, weight: 192)])",
            &format!("flows=[{}, {}]", flow("one", 0), flow("three", 1)),
            "duration=\"2 ms\"",
        ],
    ));
    let ratio = settled_bps(&record, 1, 0) / settled_bps(&record, 0, 0);
    assert!((ratio - 3.0).abs() < 0.02, "weights 1 to 3 give {ratio}");
}

/// A drained fabric is at rest: every packet has arrived, and every credit has returned. The run itself demands this;
/// here every shipped scenario that is not a benchmark has to drain.
#[test]
fn drained_fabrics_are_at_rest() {
    for (name, sets) in [
        ("one-flow", vec![]),
        ("two-flows-one-link", vec![]),
        ("victim", vec![]),
        ("gran2011-scenario1", vec!["congestion_control=Off", "duration=\"450 ms\""]),
        ("gran2011-scenario1", vec![]),
        ("gran2011-scenario2", vec!["congestion_control.echo=Acknowledgement"]),
    ] {
        let plan = shipped(name, &sets);
        let options = fabric::RunOptions { drain: true, ..fabric::RunOptions::default() };
        let record = fabric::simulate(&plan, options, &mut |_| {}).expect("no promise is broken");
        assert!(record.audit.drained, "{name}");
        assert_eq!((record.audit.under_way, record.audit.injected), (0, record.audit.delivered), "{name}");
    }
}

/// The order in which simultaneous events are scheduled changes nothing.
#[test]
fn the_digest_does_not_depend_on_the_order_of_insertion() {
    let short = ["duration=30ms", "flows.F2.start=10ms", "flows.F3.start=20ms"];
    // Several packets may cross to the same output and finish in the same instant.
    let combined = "switch.buffering=CombinedInputOutput";
    for (name, sets) in [
        ("victim", &[][..]),
        ("gran2011-scenario2", &short),
        ("bench-a32", &["duration=2ms"]),
        ("bench-a32", &["duration=2ms", combined]),
        ("santos2003", &["duration=5ms", "switch.speedup=2", combined]),
    ] {
        let plan = shipped(name, sets);
        let digest = |scramble| {
            let options = fabric::RunOptions { scramble, ..fabric::RunOptions::default() };
            fabric::simulate(&plan, options, &mut |_| {}).expect("no promise is broken").digest
        };
        let plain = digest(None);
        for seed in 0..3 {
            assert_eq!(digest(Some(seed)), plain, "{name}, scrambled with seed {seed}");
        }
    }
}

/// Every constant of the model that a scenario holds shows in the digest, and nothing else does.
#[test]
fn the_digest_changes_with_the_model_and_not_with_the_instruments() {
    let digest = |sets: &[&str]| {
        let sets: Vec<_> = [&["duration=\"20 ms\"", "flows.F2.start=\"2 ms\""], sets].concat();
        let record: RunRecord = run(&shipped("two-flows-one-link", &sets));
        record.digest
    };
    let plain = digest(&[]);
    assert_eq!(digest(&["sample=\"3 ms\""]), plain);
    for set in [
        "switch.latency=\"101 ns\"",
        "link.mtu=\"1 KiB\"",
        "adapter.ack_every=15",
        "switch.buffer=\"16 KiB\"",
    ] {
        assert_ne!(digest(&[set]), plain, "{set}");
    }
}

/// Self-clocking: however windows adapt, no more packets are under way than the windows of all flows allow at their
/// widest. Acknowledgements count, since a packet is outstanding until its acknowledgement is back. The rate alone
/// lets a flow send on until it hears of a mark.
#[test]
fn a_hybrid_has_no_more_under_way_than_its_windows() {
    let most = |window: &str| {
        let window = format!("congestion_control.response.window={window}");
        let under_way = |us: u32| {
            let duration = format!("duration={us} us");
            run(&shipped("hp2001-hybrid", &[&duration, "sample=10 us", &window])).audit.under_way
        };
        [110, 150, 200, 300].into_iter().map(under_way).max().expect("runs have been made")
    };
    let flows = 11;
    for widest in 2..=4 {
        let most = most(&format!("Aimd(max_window: {widest}, divisor: 2.0)"));
        assert!(most <= flows * widest, "{most} packets under windows of {widest}");
    }
    assert!(most("None") > flows * 4, "the bound holds without windows, and says nothing");
}
