//! Whole runs with queues at the outputs behind a crossbar: they come to rest, and their settings take effect.

use crate::common::{law, run, shipped};
use cc_policies::hp::HpMarker;
use fabric::{RunOptions, simulate};
use scenario::Plan;

const COMBINED: &str = "switch.buffering=CombinedInputOutput";

fn drains(name: &str, plan: &Plan) {
    let options = RunOptions { drain: true, ..RunOptions::default() };
    let record =
        simulate(plan, options, &mut |_| {}).unwrap_or_else(|violation| panic!("{name}: {violation}"));
    assert!(record.audit.drained, "{name}");
    assert_eq!((record.audit.under_way, record.audit.injected), (0, record.audit.delivered), "{name}");
    let queues = || record.lanes.iter().filter_map(|lane| lane.output_queue);
    assert!(
        record.audit.injected == 0 || queues().any(|queue| queue.peak.get() > 0),
        "{name}: nothing crossed"
    );
}

/// Every packet has arrived, every credit has returned and every queue is empty, with queues of a single packet and
/// with large queues.
#[test]
fn drained_fabrics_are_at_rest() {
    for size in ["128 KiB", "4138 B"] {
        let queue = format!("switch.output_buffer=\"{size}\"");
        for name in ["chain", "fast-output", "incast", "two-switches"] {
            let flows = match name {
                "two-switches" => {
                    "flows=[(name: \"r\", from: \"r1\", to: \"root\", start: \"0 s\", message: \"64 KiB\", \
                     load: Saturate(outstanding: 4)), (name: \"l\", from: \"l1\", to: \"root\", start: \"0 s\", \
                     message: \"64 KiB\", load: Saturate(outstanding: 4))]"
                }
                _ => "seed=2",
            };
            drains(name, &law(name, &[COMBINED, &queue, flows]));
        }
    }
    for (name, set) in [
        ("one-flow", "switch.output_buffer=\"2102 B\""),
        ("victim", "switch.output_buffer=\"2102 B\""),
        ("santos2003", "switch.output_buffer=\"2102 B\""),
        ("santos2003", "switch.speedup=2"),
        ("gran2011-scenario2", "congestion_control.echo=Acknowledgement"),
        ("bench-a32", "duration=\"2 ms\""),
    ] {
        drains(name, &shipped(name, &[COMBINED, set]));
    }
}

/// If every buffer counts as full, every packet has two reasons to be marked: on leaving the buffer, and on leaving the
/// switch. The first is recorded, and counted once.
#[test]
fn a_packet_is_marked_once_though_the_marker_is_asked_twice() {
    for buffering in ["switch.buffering=InputVoq", COMBINED] {
        let full = [
            "congestion_control.marking.trigger=Above(\"1 B\")",
            "congestion_control.marking.set=Selective(Input)",
            "congestion_control.marking.immediate=Marked",
            "duration=5ms",
        ];
        let record = run(&shipped("santos2003", &[&full[..], &[buffering]].concat()));
        let switches = record.lanes.iter().filter(|lane| ["A", "B"].contains(&lane.node.as_str()));
        let packets: u64 = switches.map(|lane| lane.packets).sum();
        assert!(packets > 1000, "{packets}");
        assert_eq!(record.marks.of(HpMarker::PROPAGATION.code), packets, "{buffering}");
        assert_eq!(record.marks.total(), packets, "{buffering}");
    }
}

/// Queues at the outputs, their size and the speed-up all show in the results.
#[test]
fn every_setting_takes_effect() {
    let digest = |sets: &[&str]| run(&shipped("santos2003", &[&["duration=5ms"], sets].concat())).digest;
    let combined = digest(&[COMBINED]);
    for other in ["switch.buffering=InputVoq", "switch.output_buffer=\"2102 B\"", "switch.speedup=2"] {
        assert_ne!(digest(&[COMBINED, other]), combined, "{other}");
    }
}
