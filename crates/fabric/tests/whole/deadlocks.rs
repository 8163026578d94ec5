//! Deadlocks of every organisation, flow control and division of memory are found. Congestion is not mistaken for a
//! deadlock.

use fabric::{Deadlock, RunError, RunOptions, simulate};
use scenario::Plan;
use switch_arch::spec::BufferingSpec;
use units::Span;

use crate::common::law;

const CREDITS: &str =
    "link.flow_control=Credits(update_blocks: 33, update_interval: \"4.096 us\", wire_time: Counted)";
const PAUSES: &str = "link.flow_control=Pause(resume_offset: \"2 KiB\", reaction: \"100 ns\", quanta: 2000)";
const SHARINGS: [&str; 4] = [
    "Static",
    "Complete(guaranteed: \"4 KiB\")",
    "Dynamic(alpha: 0.5, guaranteed: \"4 KiB\")",
    "Dynamic(alpha: 8.0, guaranteed: \"4 KiB\")",
];

/// A ring of seven switches. Each host sends to the host `onwards` switches further, until `stop`.
fn ring(onwards: usize, stop: &str, sets: &[&str]) -> Plan {
    let flow = |i: usize| {
        format!(
            "(name: \"F{i}\", from: \"h{i}\", to: \"h{}\", start: \"0 s\", stop: \"{stop}\", message: \"64 KiB\", \
             load: Saturate(outstanding: 4))",
            (i + onwards - 1) % 7 + 1
        )
    };
    let flows = format!("flows=[{}]", (1..=7).map(flow).collect::<Vec<_>>().join(", "));
    let ring = "topology=Torus(sizes: [7], hosts: 1, host_cable: \"wire\", trunk_cable: \"wire\")";
    let cycles = ["dependency_cycles=Allowed", "sample=\"100 us\"", "routing=MinHop"];
    law("two-switches", &[&[ring, &flows][..], &cycles, sets].concat())
}

/// Every organisation with every division of its memory.
fn organisations() -> Vec<[String; 2]> {
    let all = BufferingSpec::ALL.into_iter().flat_map(|buffering| {
        let sharings = if buffering.shares_memory() { &SHARINGS[..] } else { &SHARINGS[..1] };
        sharings.iter().map(move |sharing| {
            [format!("switch.buffering={buffering:?}"), format!("switch.sharing={sharing}")]
        })
    });
    all.collect()
}

fn deadlock(plan: &Plan, drain: bool) -> Option<Deadlock> {
    match simulate(plan, RunOptions { drain, ..RunOptions::default() }, &mut |_| {}) {
        Ok(_) => None,
        Err(RunError::Deadlock(deadlock)) => Some(deadlock),
        Err(RunError::Violation(violation)) => panic!("{violation}"),
    }
}

/// The cycle closes as soon as the buffers are full, within 0.2 ms. 7 switches fill 7 times 2 buffers of 16 KiB, and
/// queues of the same size behind the crossbar. Residual credits of hosts, acknowledgements and time-outs do not hide
/// it.
#[test]
fn a_ring_that_stands_still_is_a_deadlock_whatever_memory_it_fills() {
    for flow_control in [CREDITS, PAUSES] {
        for [buffering, sharing] in organisations() {
            let plan = ring(3, "20 ms", &[flow_control, &buffering, &sharing]);
            let found = deadlock(&plan, false);
            let found =
                found.unwrap_or_else(|| panic!("{flow_control}, {buffering}, {sharing}: none is found"));
            assert_eq!(found.cycle.len(), 7, "{buffering}, {sharing}: {found}");
            for (wait, next) in found.cycle.iter().zip(found.cycle.iter().cycle().skip(1)) {
                assert_eq!(wait.peer, next.node, "{buffering}, {sharing}: {found}");
                let full = format!("\n  {}'s memory is full", wait.peer);
                assert_eq!(found.to_string().contains(&full), !sharing.ends_with("Static"), "{found}");
            }
            assert!(found.found < Span::from_us(3_000).after_start(), "{buffering}, {sharing}: {found}");
        }
    }
}

/// The sources fall silent before the cycle closes, or just after: a drain reports the deadlock, and no violation.
#[test]
fn a_drain_that_stands_still_reports_the_deadlock() {
    for [buffering, sharing] in organisations() {
        let sets = ["duration=\"60 us\"", "sample=\"60 us\"", CREDITS, &buffering, &sharing];
        let found = deadlock(&ring(3, "20 ms", &sets), true);
        let found = found.unwrap_or_else(|| panic!("{buffering}, {sharing}: none is found"));
        assert_eq!(found.cycle.len(), 7, "{found}");
    }
}

/// The same rings where no cycle closes. Routes have no cycle of dependencies, paths are too short to fill it, or a
/// host takes a tenth of its traffic. All are congested throughout, and all come to rest.
#[test]
fn congestion_is_not_taken_for_a_deadlock() {
    let slow = "switches={}";
    for flow_control in [CREDITS, PAUSES] {
        for [buffering, sharing] in organisations() {
            let shared = [flow_control, &buffering, &sharing, "duration=\"2 ms\"", "sample=\"10 us\""];
            for (onwards, control) in [
                (3, ["routing=UpDown()", slow]),
                (3, ["routing=DimensionOrder", "link.data_lanes=2"]),
                (1, ["adapter.drain_limit=\"800 Mb/s\"", slow]),
                (3, ["routing=UpDown()", "adapter.drain_limit=\"800 Mb/s\""]),
            ] {
                let plan = ring(onwards, "2 ms", &[&shared[..], &control].concat());
                let found = deadlock(&plan, true);
                assert!(found.is_none(), "{flow_control}, {buffering}, {sharing}, {control:?}: {found:?}");
            }
        }
    }
}

/// A run that waits for its traffic finds the same deadlock at the same time.
#[test]
fn a_run_that_waits_for_its_traffic_does_not_wait_in_a_deadlock() {
    let found = |until_done| {
        let plan = ring(3, "10 ms", &[CREDITS, "duration=\"20 ms\"", until_done]);
        deadlock(&plan, false).expect("the ring stands still").found
    };
    assert_eq!(found("until_done=true"), found("until_done=false"));
}
