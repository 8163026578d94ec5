//! Runs that go on after a deadlock was reported, to see that it never resolves, and runs that end without a
//! deadlock.

use std::collections::BTreeSet;

use event_kernel::Stream;
use packet::{NodeId, Packet, VoqId};
use rand::RngExt;
use scenario::Plan;
use switch_arch::spec::BufferingSpec;
use units::{Span, Time};

use super::{Motion, Waits, find};
use crate::new_run;
use crate::plans::law;
use crate::run::error::RunError;
use crate::run::{Run, RunOptions};
use crate::state::world::World;

/// Interval between samples.
const SAMPLE: Span = Span::from_us(20);

/// A packet at its place: its switch, flow and number.
type Place = (NodeId, u32, u32, bool);

fn plan(sets: &[String]) -> Plan {
    law("two-switches", &sets.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A ring of random size, memory and traffic. Flows lead two or three switches onwards, and stop half-way through the
/// run. Some have messages with short last packets.
fn random_ring(chance: &mut Stream) -> Vec<String> {
    let switches = chance.random_range(6..=8);
    let far = chance.random_bool(0.6);
    let flow = |i: usize, chance: &mut Stream| {
        let onwards = if switches == 6 || !far && chance.random_bool(0.4) { 2 } else { 3 };
        let to = (i + onwards - 1) % switches + 1;
        let message = [4096, 5000, 65_536, 70_001][chance.random_range(0..4)];
        format!(
            "(name: \"F{i}\", from: \"h{i}\", to: \"h{to}\", start: \"0 s\", stop: \"1 ms\", message: \"{message} B\", \
             load: Saturate(outstanding: 8))"
        )
    };
    let flows: Vec<_> = (1..=switches).map(|i| flow(i, chance)).collect();
    let buffering = BufferingSpec::ALL[chance.random_range(0..BufferingSpec::ALL.len())];
    let pauses = chance.random_bool(0.5);
    let buffer = chance.random_range(if pauses { 14..=40 } else { 5..=30 });
    let mut sets = vec![
        format!("topology=Torus(sizes: [{switches}], hosts: 1, host_cable: \"wire\", trunk_cable: \"wire\")"),
        format!("flows=[{}]", flows.join(", ")),
        "routing=MinHop".to_owned(),
        "dependency_cycles=Allowed".to_owned(),
        "duration=\"2 ms\"".to_owned(),
        "sample=\"20 us\"".to_owned(),
        "adapter.ack_timeout=6".to_owned(),
        format!("switch.buffering={buffering:?}"),
        format!("switch.buffer=\"{buffer} KiB\""),
        format!("switch.speedup={}", [1.0, 2.0][chance.random_range(0..2)]),
    ];
    if pauses {
        let offset = chance.random_range(0..=4);
        sets.push(format!(
            "link.flow_control=Pause(resume_offset: \"{offset} KiB\", reaction: \"100 ns\", quanta: 2000)"
        ));
    }
    if buffering.has_output_queues() {
        sets.push(format!("switch.output_buffer=\"{} KiB\"", chance.random_range(3..=20)));
    }
    if buffering != BufferingSpec::InputFifo && chance.random_bool(0.5) {
        let tables: Vec<_> = (0..chance.random_range(1..=4)).map(|_| random_table(chance)).collect();
        sets.push("link.data_lanes=2".to_owned());
        sets.push(format!("switch.sl_to_vl=[{}]", tables.join(", ")));
    }
    if buffering.shares_memory() {
        let guaranteed = if pauses { chance.random_range(0..=2) } else { chance.random_range(3..=5) };
        sets.push(match chance.random_range(0..3) {
            0 => "switch.sharing=Static".to_owned(),
            1 => format!("switch.sharing=Complete(guaranteed: \"{guaranteed} KiB\")"),
            _ => format!(
                "switch.sharing=Dynamic(alpha: {}, guaranteed: \"{guaranteed} KiB\")",
                [0.25, 1.0, 8.0][chance.random_range(0..3)]
            ),
        });
    }
    sets
}

/// A table of service levels to two lanes. It applies to a single input of a switch or to all three, and likewise to
/// its outputs.
fn random_table(chance: &mut Stream) -> String {
    let mut port = |name: &str| match chance.random_range(0..=3) {
        0 => String::new(),
        number => format!("{name}: {number}, "),
    };
    let (input, output) = (port("input"), port("output"));
    let lane = chance.random_range(0..2);
    format!("({input}{output}lanes: [{}])", vec![lane.to_string(); 16].join(", "))
}

/// Returns the packets that wait in buffers, at their places; only those that never move, if `lasting`.
fn waiting(world: &World, lasting: Option<&Waits<'_>>) -> BTreeSet<Place> {
    let mut places = BTreeSet::new();
    for (node, switch) in world.switches() {
        switch.view().visit_buffers(world.pool(node), &mut |packet: &Packet, output| {
            let VoqId { input, lane, .. } = packet.voq();
            if lasting.is_none_or(|waits| waits.stays(node, VoqId { input, output, lane })) {
                places.insert((node, packet.flow.0, packet.bth.psn.get(), packet.payload > 0));
            }
        });
    }
    places
}

/// Runs a plan and drains it, or stops at a deadlock. Also returns the last sample before which a packet moved.
fn run_whole(plan: &Plan) -> (Run<'static>, Result<(), RunError>, Time) {
    let mut run = new_run(plan, RunOptions::default());
    let (mut moved, mut hops) = (Time::ZERO, 0);
    let mut stopped = run.run_to_end(SAMPLE.after_start(), &mut |_| {});
    while stopped.is_ok() && run.world.now() < plan.duration().after_start() {
        if run.world.packet_hops() > hops {
            (moved, hops) = (run.world.now(), run.world.packet_hops());
        }
        stopped = run.run_until(run.world.now() + SAMPLE, &mut |_| {});
    }
    let stopped = stopped.and_then(|()| run.drain(crate::longest_drain(plan), &mut |_| {}));
    (run, stopped, moved)
}

/// Of all packets that a report holds to be stuck, none ever moves again, however long the run goes on. The report
/// comes with the first sample after the last packet moved, unless a time-out could make a host send a short packet.
/// A fabric without a report comes to rest. At least a sixth of the runs end in either way.
#[test]
fn what_is_reported_never_moves_and_what_is_not_comes_to_rest() {
    let mut chance = event_kernel::stream(12, "rings", "test");
    let (mut stuck, mut free) = (0, 0);
    for _ in 0..120 {
        let sets = random_ring(&mut chance);
        let (mut run, stopped, moved) = run_whole(&plan(&sets));
        let deadlock = match stopped {
            Ok(()) => {
                free += 1;
                continue;
            }
            Err(RunError::Violation(violation)) => panic!("{sets:?}: {violation}"),
            Err(RunError::Deadlock(deadlock)) => deadlock,
        };
        stuck += 1;
        let has_short = ["5000 B", "70001 B"].iter().any(|short| sets[1].contains(short));
        assert!(has_short || deadlock.found <= moved + SAMPLE, "{sets:?}: after {moved}: {deadlock}");
        let waits = Waits::that_last(&run.world).expect("a deadlock has been reported");
        let places = waiting(&run.world, Some(&waits));
        assert!(!places.is_empty() && deadlock.cycle.len() > 1, "{sets:?}: {deadlock}");
        let later = run.world.now() + Span::from_us(20_000);
        while run.run_until(later, &mut |_| {}).is_err() {}
        assert!(places.is_subset(&waiting(&run.world, None)), "{sets:?}: {deadlock}");
        let again = find(&run.world).expect("the deadlock is still there");
        assert!(again.stuck >= deadlock.stuck, "{sets:?}: {deadlock}\n{again}");
    }
    assert!(stuck > 20 && free > 20, "{stuck} deadlocks, {free} runs to the end");
}

/// In a fabric in which nothing moves, packets on their way to a host are no deadlock.
#[test]
fn a_fabric_at_rest_is_still_and_has_no_deadlock() {
    let plan = plan(&["duration=\"10 us\"".to_owned(), "sample=\"10 us\"".to_owned()]);
    let mut run = new_run(&plan, RunOptions::default());
    run.run_to_end(plan.duration().after_start(), &mut |_| {}).unwrap_or_else(|stop| panic!("{stop}"));
    assert!(Motion::of(&run.world).is_still());
    assert_eq!(find(&run.world), None);
}
