//! Thresholds by port, lane and rate in whole runs. Each way to write a share is the same share, and shares have the
//! effect that theory gives them.

use fabric::{RunOptions, simulate};
use telemetry::{LaneRecord, PauseRecord, RunRecord};

use crate::common::{run, shipped};

/// Three hosts that send to a fourth from the start.
const THREE_TO_ONE: &str = r#"flows=[
    (name: "F1", from: "H1", to: "H4", start: "0 s", message: "64 KiB", load: Saturate(outstanding: 16)),
    (name: "F2", from: "H2", to: "H4", start: "0 s", message: "64 KiB", load: Saturate(outstanding: 16)),
    (name: "F3", from: "H3", to: "H4", start: "0 s", message: "64 KiB", load: Saturate(outstanding: 16)),
]"#;

fn digest(sets: &[&str]) -> u64 {
    run(&shipped("roce-victim", sets)).digest
}

fn lanes_of_switch(record: &RunRecord) -> impl Iterator<Item = (&LaneRecord, PauseRecord)> {
    let lanes = record.lanes.iter().filter(|lane| lane.node == "S");
    lanes.map(|lane| (lane, lane.pause.expect("it is PFC, or none")))
}

/// A total is the sum of the buffers. A share by rate, by port or by lane equals the share in `sharing` if all have
/// it. Thresholds of marking by rate equal the thresholds of all outputs if all links have the rate.
#[test]
fn equal_shares_are_equal_however_they_are_written() {
    let usual = digest(&[]);
    assert_eq!(digest(&["switch.buffer=None", "switch.memory=\"500 KiB\""]), usual);
    for shares in [
        r#"[(rate: "40 Gb/s", alpha: 1.0)]"#,
        "[(lane: 0, alpha: 1.0)]",
        r#"[(lane: 0, alpha: 8.0), (rate: "40 Gb/s", guaranteed: "0 B"), (lane: 0, alpha: 1.0)]"#,
        "[(port: 1, alpha: 1.0), (port: 2, alpha: 1.0), (port: 3, alpha: 1.0)]",
    ] {
        let other = "switch.sharing=Dynamic(alpha: 0.25, guaranteed: \"0 B\")";
        let sharing = if shares.contains("port") { "switch.speedup=1.0" } else { other };
        assert_eq!(digest(&[sharing, &format!("switch.shares={shares}")]), usual, "{shares}");
    }
    assert_ne!(digest(&["switch.shares=[(port: 1, alpha: 0.25)]"]), usual);
    let marked = |marking: &str| digest(&[&format!("congestion_control=Dcqcn(marking: {marking})")]);
    let by_rate = |kmin| {
        marked(&format!("(by_rate: [(rate: \"40 Gb/s\", kmin: \"{kmin}\", kmax: \"200 KB\", pmax: 0.01)])"))
    };
    assert_eq!(by_rate("5 KB"), marked("()"));
    assert_ne!(by_rate("50 KB"), marked("()"));
}

/// Inputs that are held back stand at their thresholds: input i at `alpha_i` / (1 + sum of all alpha) of the shared
/// bytes. This follows from `load_i = alpha_i free` and `free = shared - sum of all loads`. A load is above its
/// threshold by less than its headroom, and below it by less than the offset of RESUME and a packet.
#[test]
fn held_back_inputs_have_memory_in_proportion_to_their_alpha() {
    let alphas = [0.25, 0.5, 1.0];
    let shares = "switch.shares=[(port: 1, alpha: 0.25), (port: 2, alpha: 0.5)]";
    let record = run(&shipped("roce-victim", &[THREE_TO_ONE, shares]));
    let headroom = lanes_of_switch(&record).map(|(_, pause)| pause.headroom.expect("it is PFC").limit.get());
    let shared = (500 << 10) - headroom.sum::<u64>();
    for (port, alpha) in (1..).zip(alphas) {
        let (lane, pause) =
            lanes_of_switch(&record).find(|(lane, _)| lane.port == port).expect("it is there");
        let expected = shared as f64 * alpha / (1.0 + alphas.iter().sum::<f64>());
        let over = pause.headroom.expect("it is PFC").limit.get() as f64;
        let under = f64::from(2048 + 1090);
        assert!(
            (expected - under..expected + over).contains(&lane.mean),
            "port {port} holds {} where {expected} is due",
            lane.mean
        );
        assert_eq!(pause.dropped_at_input, 0);
    }
}

/// The queue for an output has at most alpha / (1 + alpha) of the egress pool, and the last packet that the threshold
/// admitted. Packets beyond are dropped there, and none at an input. The order of events has no effect.
#[test]
fn an_egress_pool_drops_at_its_dynamic_threshold() {
    for (alpha, size) in [(0.5, 90_000), (1.0, 60_000), (8.0, 45_000)] {
        let pool = format!(
            "switch.egress_pool=(size: \"{size} B\", sharing: Dynamic(alpha: {alpha:?}, guaranteed: \"0 B\"))"
        );
        let plan = shipped("roce-victim", &[THREE_TO_ONE, "link.flow_control=Lossy", "duration=1 ms", &pool]);
        let drained = |scramble| {
            let options = RunOptions { drain: true, scramble, ..RunOptions::default() };
            simulate(&plan, options, &mut |_| {}).unwrap_or_else(|stop| panic!("{stop}"))
        };
        let record = drained(None);
        let most = size as f64 * alpha / (1.0 + alpha) + 1090.0;
        for (lane, pause) in lanes_of_switch(&record) {
            assert!(lane.peak.get() as f64 <= most, "port {} holds {} of {most}", lane.port, lane.peak);
            assert_eq!((pause.dropped_at_output > 0, pause.dropped_at_input), (lane.port == 4, 0));
        }
        assert!(record.audit.drained);
        assert_eq!(drained(Some(1)).digest, record.digest);
    }
}

/// PFC for one lane of two. Packets of that lane are held back, and never dropped, though many times the egress pool
/// waits. Packets of the other lane are dropped, and never held back.
#[test]
fn lanes_without_pfc_are_dropped_and_the_others_are_not() {
    let flow = |name: &str, from: &str, level: u8| {
        format!(
            "(name: \"{name}\", from: \"{from}\", to: \"H4\", start: \"0 s\", service_level: {level}, \
             message: \"64 KiB\", load: Saturate(outstanding: 16)),"
        )
    };
    let flows: String = ["H1", "H2", "H3"].iter().map(|host| flow(&format!("A{host}"), host, 0)).collect();
    let flows: String = ["H1", "H2", "H3"]
        .iter()
        .map(|host| flow(&format!("B{host}"), host, 1))
        .fold(flows, |all, one| all + &one);
    let record = run(&shipped(
        "roce-victim",
        &[
            "link.data_lanes=2",
            "link.flow_control=Pause(pfc_enable: [0], resume_offset: \"2 KiB\", reaction: \"700 ns\")",
            "switch.egress_pool=(size: \"20 KB\", sharing: Complete(guaranteed: \"0 B\"))",
            &format!("flows=[{flows}]"),
        ],
    ));
    let sum = |number: u8, of: fn(&LaneRecord, PauseRecord) -> u64| -> u64 {
        lanes_of_switch(&record)
            .filter(|(lane, _)| lane.lane == number)
            .map(|(lane, pause)| of(lane, pause))
            .sum()
    };
    assert_eq!(sum(0, |_, pause| pause.dropped_at_input + pause.dropped_at_output), 0);
    assert!(sum(0, |_, pause| pause.sent) > 0 && sum(0, |lane, _| lane.peak.get()) > 100_000);
    assert_eq!(sum(1, |_, pause| pause.sent + pause.dropped_at_input), 0);
    assert!(sum(1, |_, pause| pause.dropped_at_output) > 0);
    // Go-back-N may stand still for a flow with windows that collide in step, but not for all three flows.
    let delivers = |flow: &telemetry::FlowRecord| flow.delivered.get() > 0;
    assert!(record.flows[..3].iter().all(delivers) && record.flows[3..].iter().any(delivers));
}
