//! Priorities under PFC in whole runs: which of them stop, and which go first.

use telemetry::{LaneRecord, RunRecord};

use crate::common::{law, run, settled_bps, shipped};

/// Half of the scenario's buffers, for twice as many lanes.
const BUFFER: &str = "switch.buffer=\"50 KiB\"";

fn lane<'a>(record: &'a RunRecord, node: &str, peer: &str, lane: u8) -> &'a LaneRecord {
    let lanes = record.lanes.iter();
    let found = lanes.clone().find(|one| one.node == node && one.peer == peer && one.lane == lane);
    found.unwrap_or_else(|| panic!("no lane {lane} from {node} to {peer}"))
}

fn flow(name: &str, from: &str, to: &str, level: u8) -> String {
    format!(
        "(name: \"{name}\", from: \"{from}\", to: \"{to}\", start: \"0 s\", service_level: {level}, \
         message: \"64 KiB\", load: Saturate(outstanding: 4)),"
    )
}

/// PFC pauses a priority and not a link. A flow on its own priority, with a free path, takes the part of the host's
/// link that the paused flow leaves. This holds in every order of serving lanes.
#[test]
fn a_pause_of_one_priority_does_not_stop_the_other() {
    let flows = |level: u8| {
        let three: String = ["H1", "H2", "H3"].iter().map(|from| flow(from, from, "H4", 0)).collect();
        format!("flows=[{three}{}]", flow("V", "H1", "H5", level))
    };
    let weighted = "link.vl_arbitration=(low: [(lane: 0, weight: 64), (lane: 1, weight: 64)])";
    let strict = "link.vl_arbitration=(strict: [0])"; // The paused lane, since the other lane would take all.
    for arbitration in [strict, weighted, "link.data_lanes=2"] {
        let sets =
            |level| ["link.data_lanes=2".to_owned(), arbitration.to_owned(), BUFFER.to_owned(), flows(level)];
        let of = |level| run(&shipped("roce-victim", &sets(level).each_ref().map(String::as_str)));
        let (alone, together) = (of(1), of(0));
        let line = 40e9 * 1024.0 / 1110.0; // The payload's part of a frame on the wire.
        let [paused, free] = [0, 3].map(|flow| settled_bps(&alone, flow, 0));
        assert!((paused / (line / 3.0) - 1.0).abs() < 0.05, "{arbitration}: F1 has {paused}");
        assert!((free / (line - paused) - 1.0).abs() < 0.05, "{arbitration}: V has {free}");
        let victim = settled_bps(&together, 3, 0);
        assert!(victim < 0.6 * free, "{arbitration}: on one priority V has {victim}, as a victim");
        let paused = [0, 1].map(|number| lane(&alone, "H1", "S", number).pause.expect("it is PFC").paused);
        assert!(paused[0].ps() > 0 && paused[1].ps() == 0, "{arbitration}: H1 is paused for {paused:?}");
    }
}

/// Without a pause, lanes share a link by their weights.
#[test]
fn weights_hold_under_pfc() {
    let flows = r#"flows=[
        (name: "A", from: "H1", to: "H5", start: "0 s", service_level: 0, message: "64 KiB", load: Saturate(outstanding: 4)),
        (name: "B", from: "H1", to: "H4", start: "0 s", service_level: 1, message: "64 KiB", load: Saturate(outstanding: 4)),
    ]"#;
    let weights = "link.vl_arbitration=(low: [(lane: 0, weight: 192), (lane: 1, weight: 64)])";
    let record = run(&shipped("roce-victim", &["link.data_lanes=2", weights, flows]));
    let [a, b] = [0, 1].map(|flow| settled_bps(&record, flow, 0));
    assert!((a / b - 3.0).abs() < 0.15, "{a} to {b}");
}

/// Each output of a switch has weights of its own, and so has each adapter.
#[test]
fn weights_are_those_of_the_port() {
    let tables =
        |one: u8, other: u8| format!("(low: [(lane: 0, weight: {one}), (lane: 1, weight: {other})])");
    let ratio = |sets: &[String]| {
        // Buffers of their own: no lane waits for memory that others hold.
        let both = ["link.data_lanes=2", BUFFER, "switch.sharing=Static"].map(str::to_owned);
        let sets: Vec<&str> = both.iter().chain(sets).map(String::as_str).collect();
        let record = run(&shipped("roce-victim", &sets));
        [[0, 1], [2, 3]].map(|[one, other]| settled_bps(&record, one, 0) / settled_bps(&record, other, 0))
    };
    // Two senders for each of two outputs, ports 4 and 5 of the switch.
    let pairs = [("A", "H1", "H4", 0), ("B", "H2", "H4", 1), ("C", "H3", "H5", 0), ("D", "H4", "H5", 1)];
    let flows: String = pairs.iter().map(|(name, from, to, level)| flow(name, from, to, *level)).collect();
    let own = format!("switch.vl_arbitration=[(port: 4, tables: {})]", tables(192, 64));
    let [four, five] = ratio(&[format!("flows=[{flows}]"), own]);
    assert!((four - 3.0).abs() < 0.15 && (five - 1.0).abs() < 0.05, "{four} at port 4, {five} at port 5");
    // Two flows from each of two adapters, to outputs that carry them all.
    let pairs = [("A", "H1", "H5", 0), ("B", "H1", "H4", 1), ("C", "H2", "H3", 0), ("D", "H2", "H4", 1)];
    let flows: String = pairs.iter().map(|(name, from, to, level)| flow(name, from, to, *level)).collect();
    let own = format!("adapter.vl_arbitration={}", tables(64, 64));
    let other = format!("adapters={{\"H1\": (vl_arbitration: {})}}", tables(192, 64));
    let [first, second] = ratio(&[format!("flows=[{flows}]"), own, other]);
    assert!((first - 3.0).abs() < 0.15 && (second - 1.0).abs() < 0.05, "{first} from H1, {second} from H2");
}

/// CNPs on a strict priority wait for the frame on the wire at most, at an output where data on another lane queue
/// for long. The wait of each in the switch follows from the mean queue of its lane by Little's law.
#[test]
fn cnps_on_a_strict_priority_are_not_delayed_by_data() {
    let flow = |from: &str, to: &str| {
        format!(
            "(name: \"{from}{to}\", from: \"{from}\", to: \"{to}\", start: \"0 s\", message: \"64 KiB\", \
             load: Saturate(outstanding: 4)),"
        )
    };
    // H4's CNPs go to H1, over the output for which H2, H3 and H5 send more than it can carry.
    let pairs = [("H1", "H4"), ("H2", "H4"), ("H2", "H1"), ("H3", "H1"), ("H5", "H1")];
    let flows: String = pairs.iter().map(|(from, to)| flow(from, to)).collect();
    // Sources that speed up fast keep the queue up.
    let control = "congestion_control=Dcqcn(echo: (service_level: 1), marking: (kmin: \"40 KB\", kmax: \"100 KB\"), \
                   response: (timer: \"10 us\", additive_increase: \"2 Gb/s\"))";
    let sets =
        ["link.data_lanes=2", "link.vl_arbitration=(strict: [1])", control, &format!("flows=[{flows}]")];
    let record = run(&shipped("roce-victim", &sets));
    assert!(record.transport.cnps > 100, "{} CNPs", record.transport.cnps);
    let simulated = record.simulated.seconds();
    let waited = |from: &str, number: u8| {
        let held = lane(&record, "S", from, number).mean * simulated;
        held / lane(&record, from, "S", number).sent.get() as f64
    };
    let (cnp, data) = (waited("H4", 1), waited("H5", 0));
    let frame = 1110.0 * 8.0 / 40e9;
    assert!(cnp > 0.0 && cnp < 1.2 * frame, "a CNP is in the switch for {cnp} s, a frame takes {frame} s");
    assert!(data > 100.0 * frame, "data wait for {data} s: there is nothing to go before");
}

/// A flow with a window meets no congestion, but its acknowledgements go to a host that two others congest. In the
/// lane of that data they wait behind it and are paused with it. On a lane of strict priority they pass, with or
/// without PFC.
#[test]
fn acknowledgements_of_a_level_of_their_own_pass_by_data() {
    let flows = "flows=[\
        (name: \"F\", from: \"A\", to: \"C\", start: \"0 s\", message: \"64 KiB\", load: Saturate(outstanding: 4)), \
        (name: \"B\", from: \"B\", to: \"A\", start: \"0 s\", transport: Uc, message: \"64 KiB\", load: Saturate(outstanding: 4)), \
        (name: \"C\", from: \"C\", to: \"A\", start: \"0 s\", transport: Uc, message: \"64 KiB\", load: Saturate(outstanding: 4))]";
    let usual = [flows, "adapter.ack_every=1", "adapter.max_outstanding=32", BUFFER, "link.data_lanes=2"];
    let of = |sets: &[&str]| run(&law("two-to-one", &[&usual[..], sets].concat()));
    let line = 40e9 * 1024.0 / 1110.0; // The payload's part of a frame on the wire.
    let in_line = of(&[]);
    let settled = settled_bps(&in_line, 0, 0);
    assert!(settled < 0.6 * line, "in line with data F has {settled}");
    assert_eq!(lane(&in_line, "S", "A", 1).packets, 0);
    let (own, strict) = ("adapter.ack_service_level=1", "link.vl_arbitration=(strict: [1])");
    for pfc in ["[0]", "[0, 1]"] {
        let pause = format!(
            "link.flow_control=Pause(resume_offset: \"2 KiB\", reaction: \"500 ns\", pfc_enable: {pfc})"
        );
        let apart = of(&[own, strict, &pause]);
        let settled = settled_bps(&apart, 0, 0);
        assert!(settled > 0.99 * line, "{pfc}: before data F has {settled}");
        assert!(lane(&apart, "S", "A", 1).packets > 100 && apart.dropped_packets == 0);
        for other in [1, 2] {
            let half = settled_bps(&apart, other, 0) / (line / 2.0);
            assert!((half - 1.0).abs() < 0.1, "{pfc}: the others share A's link: {half}");
        }
    }
}
