//! PFC, and no flow control at all, in whole runs: which packets are lost.

use fabric::{RunOptions, simulate};
use rand::RngExt;
use scenario::Plan;
use switch_arch::spec::BufferingSpec;
use telemetry::{LaneRecord, RunRecord};

use crate::common::{law, run, settled_bps, shipped};

/// Runs a plan until the fabric is at rest: every packet delivered or dropped, no pause active.
fn drained(plan: &Plan) -> RunRecord {
    let options = RunOptions { drain: true, ..RunOptions::default() };
    simulate(plan, options, &mut |_| {}).unwrap_or_else(|stop| panic!("{stop}"))
}

fn dropped(record: &RunRecord) -> u64 {
    let lanes = record.lanes.iter().filter_map(|lane| lane.pause);
    lanes.map(|pause| pause.dropped_at_input + pause.dropped_at_output).sum()
}

fn pauses(record: &RunRecord) -> u64 {
    record.lanes.iter().filter_map(|lane| lane.pause).map(|pause| pause.sent).sum()
}

/// Two hosts send to a third, and it to both, so that a PAUSE meets a frame on its wire. With the computed headroom
/// nothing is lost, on a hundred links of random rate, length and payload, in each organisation. The run comes to
/// rest.
#[test]
fn with_the_computed_headroom_nothing_is_lost() {
    let mut chance = event_kernel::stream(2015, "links", "test");
    let mut closest = 0.0_f64;
    for link in 0..100 {
        let rate = [10, 25, 40, 100, 200, 400, 800][chance.random_range(0..7)];
        let (metres, reaction) = (chance.random_range(1..=300), chance.random_range(0..=1000));
        let mtu = ["256 B", "1000 B", "1 KiB", "1500 B", "4 KiB"][chance.random_range(0..5)];
        let organisations = BufferingSpec::ALL.len();
        let buffering = BufferingSpec::ALL[link % organisations];
        let forwarding = ["CutThrough", "StoreAndForward"][link / organisations % 2];
        // Slightly more than a round trip of the longest loop can bring: long enough to fill it.
        let (buffer, time) = (40 + rate * 9 / 16, 20 + 3000 / rate);
        let record = drained(&law(
            "two-to-one",
            &[
                &format!("duration=\"{time} us\""),
                "sample=\"10 us\"",
                &format!("switch.buffer=\"{buffer} KB\""),
                &format!("adapter.receive_buffer=\"{buffer} KB\""),
                &format!("cables.wire=(rate: \"{rate} Gb/s\", propagation: Cable(\"{metres} m\"))"),
                &format!("link.mtu=\"{mtu}\""),
                &format!("link.flow_control.reaction=\"{reaction} ns\""),
                &format!("switch.buffering={buffering:?}"),
                &format!("switch.forwarding={forwarding}"),
            ],
        ));
        let what = format!("{rate} Gb/s, {metres} m, {reaction} ns, {mtu}, {buffering:?}, {forwarding}");
        assert_eq!((dropped(&record), record.audit.dropped, record.transport.naks), (0, 0, 0), "{what}");
        assert!(pauses(&record) > 0, "{what}: nothing was paused");
        let shares = record.lanes.iter().filter_map(|lane| lane.pause?.headroom);
        closest =
            shares.map(|margin| margin.load.get() as f64 / margin.limit.get() as f64).fold(closest, f64::max);
    }
    assert!((0.85..=1.0).contains(&closest), "the fullest headroom was at {closest}: the bound is idle");
}

/// With a byte less than the fullest headroom needed, there is room for a packet less. Packets are then lost, and the
/// record names the place.
#[test]
fn with_less_than_is_needed_packets_are_lost() {
    let whole = drained(&law("two-to-one", &[]));
    let used = whole.lanes.iter().filter_map(|lane| lane.pause?.headroom).map(|margin| margin.load).max();
    let used = used.expect("there is headroom").get();
    let record = drained(&law("two-to-one", &[&format!("link.flow_control.headroom=\"{} B\"", used - 1)]));
    let lost = dropped(&record);
    assert!(lost > 0 && record.audit.dropped == lost && record.audit.under_way == 0, "{lost} lost");
    assert!(record.transport.naks > 0 && record.transport.retransmitted >= lost, "nothing was sent again");
    let at_switch = record.lanes.iter().filter(|lane| lane.node == "S").filter_map(|lane| lane.pause);
    assert_eq!(at_switch.map(|pause| pause.dropped_at_input).sum::<u64>(), lost);
}

/// Go-back-N over a fabric that drops: all posted data is delivered, once and in order, although a third is lost.
#[test]
fn what_is_dropped_is_sent_again() {
    for buffering in ["Output", "InputVoq"] {
        let record = drained(&law(
            "two-to-one",
            &[
                "link.flow_control=Lossy",
                "switch.buffer=\"20 KB\"",
                &format!("switch.buffering={buffering}"),
                "adapter.max_outstanding=64",
            ],
        ));
        assert!(dropped(&record) > 0 && pauses(&record) == 0);
        for flow in &record.flows {
            assert_eq!(flow.delivered.get(), flow.messages * (64 << 10), "{}: {buffering}", flow.name);
            assert!(flow.messages > 0, "{}: {buffering}", flow.name);
        }
        assert_eq!(record.transport.failed_queue_pairs, 0);
    }
}

/// UC does not retransmit: in a truncated message no packet counts after the gap, and the run still ends.
#[test]
fn uc_loses_messages() {
    let flows = r#"flows=[
        (name: "A", from: "A", to: "C", start: "0 s", transport: Uc, operation: Send, message: "8 KiB", load: Saturate(outstanding: 4)),
        (name: "B", from: "B", to: "C", start: "0 s", transport: Uc, operation: Send, message: "8 KiB", load: Saturate(outstanding: 4)),
    ]"#;
    let record = drained(&law("two-to-one", &[flows, "link.flow_control=Lossy", "switch.buffer=\"20 KB\""]));
    assert!(dropped(&record) > 0 && record.transport.gaps > 0);
    assert_eq!(record.transport.retransmitted, 0);
    let sent: u64 = record.flows.iter().map(|flow| flow.messages * (8 << 10)).sum();
    let delivered: u64 = record.flows.iter().map(|flow| flow.delivered.get()).sum();
    assert!(delivered < sent, "{delivered} of {sent} bytes delivered");
}

/// The queue for an output never exceeds its limit.
#[test]
fn an_egress_limit_drops_at_the_output() {
    let sets = ["link.flow_control=Lossy", "switch.egress_limit=\"10 KB\""];
    let record = drained(&law("two-to-one", &sets));
    let lanes = || record.lanes.iter().filter(|lane| lane.node == "S");
    assert!(lanes().any(|lane| lane.pause.is_some_and(|pause| pause.dropped_at_output > 0)));
    assert!(lanes().all(|lane| lane.pause.is_some_and(|pause| pause.dropped_at_input == 0)));
    // Two more packets: the packet that leaves, and a packet that still arrives.
    let queue = |lane: &LaneRecord| lane.output_queue.map_or(0, |queue| queue.peak.get());
    assert!(lanes().all(|lane| queue(lane).max(lane.peak.get()) <= 10_000 + 2 * 1106));
    assert!(lanes().any(|lane| queue(lane) > 10_000 - 1106), "the limit was near");
}

/// PFC pauses hosts and not flows: a flow with a free path gets no more than the blocked flow beside it.
#[test]
fn a_victim_gets_what_its_neighbour_gets() {
    let record = run(&shipped("roce-victim", &[]));
    let of = |flow| settled_bps(&record, flow, 2);
    assert!((of(3) / of(0) - 1.0).abs() < 0.02, "F1 gets {}, V {}", of(0), of(3));
    assert!((of(0) / of(1) - 1.0).abs() < 0.05, "inputs share alike");
    assert_eq!(dropped(&record), 0);
}

/// The result does not depend on the order of the nodes within one instant.
#[test]
fn the_order_of_turns_is_of_no_consequence() {
    for set in ["link.data_lanes=1", "link.flow_control=Lossy"] {
        let plan = shipped("roce-victim", &[set, "duration=\"3 ms\""]);
        let digest = |scramble| {
            let options = RunOptions { drain: true, scramble, ..RunOptions::default() };
            simulate(&plan, options, &mut |_| {}).unwrap_or_else(|stop| panic!("{stop}")).digest
        };
        let usual = digest(None);
        assert!((1..=5).all(|seed| digest(Some(seed)) == usual), "{set}");
    }
}
