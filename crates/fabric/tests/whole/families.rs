//! Every family of topologies, loaded and drained, and deadlocks exactly where the check before a run predicts them.

use crate::common::{law, run, shipped};
use fabric::{RunError, RunOptions, simulate};
use ron::extensions::Extensions;
use scenario::Plan;
use switch_arch::spec::BufferingSpec;
use telemetry::RunRecord;
use topology::{RoutingSpec, TopologySpec};

/// A ring of seven switches, each host sending three switches onwards without pause. Inputs take turns at a cable, so
/// new packets get half of it. They would need it and the two cables behind it, which is more than there is.
fn ring(sets: &[&str]) -> Plan {
    let flow = |i: usize| {
        format!(
            "(name: \"F{i}\", from: \"h{i}\", to: \"h{}\", start: \"0 s\", message: \"64 KiB\", \
             load: Saturate(outstanding: 4))",
            (i + 2) % 7 + 1
        )
    };
    let flows = (1..=7).map(flow).collect::<Vec<_>>().join(", ");
    let ring = "topology=Torus(sizes: [7], hosts: 1, host_cable: \"wire\", trunk_cable: \"wire\")";
    let flows = format!("flows=[{flows}]");
    let all: Vec<&str> = [ring, &flows].into_iter().chain(sets.iter().copied()).collect();
    law("two-switches", &all)
}

/// Bytes delivered in the second half of a run.
fn late(record: &RunRecord) -> u64 {
    let half = record.snapshots.len() / 2;
    let total = |at: usize| record.snapshots[at].delivered.iter().map(|bytes| bytes.get()).sum::<u64>();
    total(record.snapshots.len() - 1) - total(half)
}

/// Shortest paths on a single lane close the cycle, and the ring deadlocks; with a lane for each layer, or with
/// up/down routing, it runs.
#[test]
fn a_ring_stands_still_exactly_where_the_check_says_it_could() {
    for buffering in BufferingSpec::ALL {
        let mut sets = vec!["routing=MinHop", "dependency_cycles=Allowed", "switch.sharing=Static"];
        let organisation = format!("switch.buffering={buffering:?}");
        sets.push(&organisation);
        if buffering.has_output_queues() {
            sets.push("switch.output_buffer=\"8 KiB\"");
        }
        let plan = ring(&sets);
        let Err(RunError::Deadlock(deadlock)) = simulate(&plan, RunOptions::default(), &mut |_| {}) else {
            panic!("{buffering:?}: the ring deadlocks, and no deadlock is reported");
        };
        // In one direction, two flows want each cable of the ring: the cycle has that direction, with each switch
        // once.
        assert_eq!(deadlock.cycle.len(), 7, "{buffering:?}: {deadlock}");
        for (wait, next) in deadlock.cycle.iter().zip(deadlock.cycle.iter().cycle().skip(1)) {
            assert_eq!(wait.peer, next.node, "{buffering:?}: {deadlock}");
        }
        assert!(deadlock.found < plan.duration().after_start(), "{buffering:?}: it was waited out");
    }
    let layered = run(&ring(&["routing=DimensionOrder", "link.data_lanes=2"]));
    let up_down = run(&ring(&["routing=UpDown()"]));
    // Half the run is 10 ms of 8 Gb/s, 10 MB a cable. Every path has three cables of its direction's seven, so a
    // third of a link is the most that each of seven flows can have.
    let most = 7 * 10_000_000 / 3;
    assert!((most * 3 / 4..most).contains(&late(&layered)), "{} of {most}", late(&layered));
    assert!(late(&up_down) > most / 2, "{} of {most}", late(&up_down));
}

/// PFC deadlocks where credits do: pauses wait for each other in the same cycle, and are repeated for ever. Without
/// flow control packets are dropped instead, and some always arrive.
#[test]
fn a_ring_of_pauses_stands_still_and_one_of_drops_does_not() {
    let cycles = ["routing=MinHop", "dependency_cycles=Allowed"];
    for buffering in BufferingSpec::ALL {
        let pausing = [
            "link.flow_control=Pause(resume_offset: \"2 KiB\", reaction: \"100 ns\", quanta: 2000)",
            &format!("switch.buffering={buffering:?}"),
            "switch.sharing=Static",
        ];
        let plan = ring(&[&cycles[..], &pausing].concat());
        let Err(RunError::Deadlock(deadlock)) = simulate(&plan, RunOptions::default(), &mut |_| {}) else {
            panic!("{buffering:?}: the ring deadlocks, and no deadlock is reported");
        };
        assert_eq!(deadlock.cycle.len(), 7, "{buffering:?}: {deadlock}");
    }
    // The scenario's time-out, of 67 ms, is longer than the run. A time-out shorter than 0.27 ms, the time of four
    // messages, finds the ring as full as before. Each repeat then loses its first packet again, in step, until the
    // queue pair gives up.
    let lossy = ["link.flow_control=Lossy", "adapter.ack_timeout=7"];
    let lossy = run(&ring(&[cycles, lossy].concat()));
    assert!(lossy.dropped_packets > 0 && late(&lossy) > 0, "{} late", late(&lossy));
}

/// Random traffic over an example of each family, by its own routing: no packet is lost, and none is left behind.
#[test]
fn every_family_carries_its_traffic_and_comes_to_rest() {
    for family in TopologySpec::examples("wire") {
        if matches!(family, TopologySpec::HpccFile(_)) {
            continue; // The tests of `scenario` read such files, which stand for a custom fabric.
        }
        let topology = family.build(&["wire"]).expect("an example is right");
        let layers = topology.routes(&RoutingSpec::Native, 1).expect("its own routing").layers();
        let lanes = u8::try_from(layers).expect("at most 15 lanes");
        let text = ron::Options::default()
            .with_default_extension(Extensions::UNWRAP_VARIANT_NEWTYPES)
            .with_default_extension(Extensions::IMPLICIT_SOME)
            .to_string(&family)
            .expect("an example can be written");
        let plan = shipped(
            "bench-a32",
            &[
                &format!("topology={text}"),
                &format!("link.data_lanes={lanes}"),
                "duration=\"400 us\"",
                "sample=\"100 us\"",
                "traffic=[Poisson(from: \"0 s\", until: \"300 us\", message: \"32 KiB\", load: 0.6), \
                 Permutation(at: \"50 us\", bytes: \"256 KiB\")]",
            ],
        );
        let options = RunOptions { drain: true, ..RunOptions::default() };
        let record =
            simulate(&plan, options, &mut |_| {}).unwrap_or_else(|violation| panic!("{text}: {violation}"));
        assert!(record.audit.drained, "{text}");
        assert!(record.packet_hops > 10_000, "{text}: {} packet-hops", record.packet_hops);
        let busy = |lane: u8| record.lanes.iter().any(|at| at.lane == lane && at.packets > 0);
        assert!((0..lanes).all(busy), "{text}");
    }
}

/// A host with many flows to another host. By its address alone they all share a spine, by their hash they take all
/// spines. Packets stay in order, since the audit counts any that do not, and the fabric comes to rest.
#[test]
fn multipath_spreads_the_flows_of_one_pair_of_hosts() {
    let flow = |i: usize| {
        format!(
            "(name: \"F{i}\", from: \"h1\", to: \"h8\", start: \"0 s\", message: \"64 KiB\", \
             load: Saturate(outstanding: 1))"
        )
    };
    let flows = format!("flows=[{}]", (1..=64).map(flow).collect::<Vec<_>>().join(", "));
    let clos = "topology=Clos(radix: 8, host_cable: \"wire\", trunk_cable: \"wire\")";
    let spines_used = |routing: &str| {
        let plan = law("two-switches", &[clos, &flows, routing]);
        let options = RunOptions { drain: true, ..RunOptions::default() };
        let record = simulate(&plan, options, &mut |_| {}).unwrap_or_else(|violation| panic!("{violation}"));
        assert!(record.audit.drained, "{routing}");
        record.lanes.iter().filter(|at| at.node.starts_with("spine") && at.packets > 0).count()
    };
    // A flow's data cross a single spine, and so do its acknowledgements: each sends by a single port.
    assert_eq!(spines_used("routing=MinHop"), 2);
    // Four spines, each with a port towards either leaf.
    assert_eq!(spines_used("routing=Ecmp"), 8);
}
