//! Whole runs of switches with ports that share a memory.

use crate::common::{law, run, shipped};
use packet::Opcode;
use telemetry::LaneRecord;

const CENTRAL: &str = "switch.buffering=Central";

fn complete(guaranteed: &str) -> String {
    format!("switch.sharing=Complete(guaranteed: \"{guaranteed}\")")
}

fn dynamic(alpha: f64, guaranteed: &str) -> String {
    format!("switch.sharing=Dynamic(alpha: {alpha:?}, guaranteed: \"{guaranteed}\")")
}

/// A drained run is at rest, with every credit returned and no memory in use. The order in which simultaneous events
/// are scheduled changes nothing.
#[test]
fn every_sharing_drains_whatever_the_order() {
    // With congestion control, memory can stay so empty that two kinds of sharing give the same run.
    let (short, off) = ("duration=\"2 ms\"", "congestion_control=Off");
    let sharings = |least: &str, more: &str| {
        ["switch.sharing=Static".to_owned(), complete(least), dynamic(0.5, least), dynamic(8.0, more)]
    };
    let (two, four) = (sharings("2112 B", "4224 B"), sharings("8320 B", "16640 B"));
    for (name, lanes, sharings) in [("santos2003", 1, &two), ("santos2003", 3, &two), ("bench-a32", 1, &four)]
    {
        let mut digests = Vec::new();
        for sharing in sharings {
            let plan = shipped(name, &[CENTRAL, sharing, short, off, &format!("link.data_lanes={lanes}")]);
            let simulate = |scramble| {
                let options = fabric::RunOptions { drain: true, scramble, ..Default::default() };
                fabric::simulate(&plan, options, &mut |_| {}).expect("no promise is broken")
            };
            let record = simulate(None);
            assert!(record.audit.drained && record.audit.fullest_buffer <= 1.0, "{name}, {sharing}");
            assert_eq!(simulate(Some(1)).digest, record.digest, "{name}, {sharing}");
            digests.push(record.digest);
        }
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), sharings.len(), "{name}: sharing makes a difference");
    }
}

/// A central memory is shared completely if `sharing` is left out. Under credits each port and lane is guaranteed half of
/// its buffer of 8.25 KiB, as its cable needs more. The resolved scenario says so.
#[test]
fn a_central_memory_is_shared_unless_static_is_written() {
    let sets = [CENTRAL, "congestion_control=Off"];
    let usual = shipped("santos2003", &sets);
    let resolved = usual.resolved();
    assert!(
        resolved.contains("sharing: Complete(") && resolved.contains("guaranteed: \"4.125 KiB\""),
        "{resolved}"
    );
    let digest = |sharing: &str| run(&shipped("santos2003", &[&sets[..], &[sharing]].concat())).digest;
    assert_eq!(digest(&complete("4224 B")), run(&usual).digest);
    for other in [complete("2112 B").as_str(), "switch.sharing=Static"] {
        assert_ne!(digest(other), run(&usual).digest, "{other}");
    }
    // Under PFC bytes are counted, and memory needs no rounding.
    let pause = shipped("roce-victim", &["switch.sharing=None"]);
    let guaranteed = format!("guaranteed: \"{}\"", pause.link().longest_packet());
    assert!(pause.resolved().contains(&guaranteed), "{}", pause.resolved());
    // An update is sent for at least as many blocks as the guarantee has.
    let updates = shipped("santos2003", &[CENTRAL, "link.flow_control.update_blocks=100"]).resolved();
    assert!(updates.contains("guaranteed: \"6.25 KiB\""), "{updates}");
}

/// With all memory guaranteed nothing is shared. If each free block is announced at once, the run equals a run with a
/// buffer for each port and lane.
#[test]
fn guaranteeing_everything_is_sharing_nothing() {
    let digest = |sharing: &str| {
        run(&shipped("santos2003", &[CENTRAL, sharing, "link.flow_control.update_blocks=1"])).digest
    };
    assert_eq!(digest(&complete("8448 B")), digest("switch.sharing=Static"));
    assert_eq!(digest(&dynamic(1.0, "8448 B")), digest("switch.sharing=Static"));
}

/// Under complete sharing, a hot input can fill all memory that is not guaranteed to others. Under dynamic
/// thresholds, each of n hot inputs fills alpha / (1 + n alpha) of it (Choudhury and Hahne 1998), to a packet. The
/// switch has 6 ports with 512 blocks each; a packet takes 33.
#[test]
fn hot_inputs_fill_what_sharing_allows() {
    let shared = f64::from(6 * 512 - 6 * 33);
    assert_eq!(filled(1, &complete("2112 B")), [88], "2,907 blocks");
    assert_eq!(filled(1, "switch.sharing=Static"), [15], "512 blocks, of its own");
    for alpha in [0.25, 1.0, 2.0] {
        for hogs in 1..=5 {
            let expected = (33.0 + shared * alpha / (1.0 + hogs as f64 * alpha)) / 33.0;
            for packets in filled(hogs, &dynamic(alpha, "2112 B")) {
                let off = packets as f64 - expected;
                assert!(
                    off.abs() < 1.0_f64.max(alpha),
                    "{hogs} hogs, alpha {alpha}: {packets} where {expected} are due"
                );
            }
        }
    }
}

/// Sends flows to a very slow sink. Returns the number of packets of each flow that a switch comes to hold.
fn filled(hogs: usize, sharing: &str) -> Vec<u64> {
    let flow = |n: usize| {
        format!(
            "(name: \"F{n}\", from: \"s{n}\", to: \"sink\", start: \"0 s\", operation: Send, message: \"64 KiB\", \
             load: Saturate(outstanding: 8))"
        )
    };
    let flows: Vec<_> = (1..=hogs).map(flow).collect();
    let record = run(&law(
        "incast",
        &[
            CENTRAL,
            sharing,
            "duration=\"4 ms\"",
            "sample=\"1 ms\"",
            "congestion_control=Off",
            "adapter.drain_limit=\"1 Mb/s\"",
            &format!("flows=[{}]", flows.join(", ")),
        ],
    ));
    let is_hog = |lane: &&LaneRecord| (1..=hogs).any(|n| lane.peer == format!("s{n}"));
    let packet = u64::from(Opcode::SendMiddle.wire_bytes(2048));
    record.lanes.iter().filter(is_hog).map(|lane| lane.peak.get() / packet).collect()
}
