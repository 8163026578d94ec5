//! Messages of jobs over the ways that fabrics and transports offer: any order of packets.
//!
//! Runs are without congestion control and wire time of credits, so that a law on a crossbar is to the picosecond.

use telemetry::RunEnding;

use crate::collectives::{MTU, completion, crossbar, job, plan, tree, with_bytes};
use crate::common::run;
use crate::jobs::does_not_depend;

/// Connections that take packets in any order.
const ANY_ORDER: [&str; 2] = ["adapter.delivery=AnyOrder()", "adapter.recovery=SelectiveRepeat()"];
/// Leaves that deal packets to the spines by turns.
const SPRAYED: [&str; 2] = ["routing=Adaptive", "switch.selection=RoundRobin"];

/// Returns the text of a job over RC.
fn reliable(program: &str, more: &str) -> String {
    job("A", program, more).replace("Uc", "Rc")
}

/// Where no packet overtakes another, the order that connections insist on changes no time.
#[test]
fn any_order_takes_the_times_of_order_on_a_crossbar() {
    for (program, bytes) in [
        ("AllReduce()", 8 * 5 * MTU + 3),
        ("AllToAll(algorithm: Direct)", 8 * 3 * MTU),
        ("Broadcast(algorithm: Chain, chunks: 4)", 8 * 3 * MTU),
        ("Barrier()", 0),
    ] {
        let jobs = reliable(&with_bytes(program, bytes), "iterations: 3");
        let times = |sets: &[&str]| {
            let record = run(&plan(&crossbar(8), &jobs, sets));
            (completion(&record, "A"), record.jobs[0].ends.clone())
        };
        assert_eq!(times(&ANY_ORDER), times(&[]), "{program}");
    }
}

/// Jobs over sprayed packets complete, although last packets overtake others of their message, and whole messages those
/// before them; each message is handed over once. Go-back-N refuses what comes early, and needs longer.
#[test]
fn jobs_take_several_paths() {
    for (program, place) in [
        ("AllReduce(channels: 2)", "Striped(stride: 4)"),
        ("AllToAll(algorithm: Direct, chunks: 2)", "Block()"),
    ] {
        let jobs = reliable(&with_bytes(program, 16 * 6 * MTU), &format!("place: {place}, iterations: 2"));
        // Two flows of other hosts make the queues at the spines differ.
        let others = "flows=[(name: \"F\", from: \"h1\", to: \"h16\", start: \"0 s\", message: \"64 KiB\", \
                      load: Messages(9), operation: Send)]";
        let sets = [&SPRAYED[..], &ANY_ORDER, &[others, "duration=\"100 ms\""]].concat();
        let plan = |sets: &[&str]| plan(&tree("4, 4", 4), &jobs, sets);
        let record = run(&plan(&sets));
        assert_eq!(record.ended, RunEnding::Done, "{program}");
        let all = record.repeats();
        assert!(all.out_of_order > 50 && all.refused == 0, "{program}: {all:?}");
        let [one] = &record.jobs[..] else { panic!("one job") };
        assert_eq!((one.ended, record.finite.map(|it| (it.posted, it.delivered))), {
            let messages = one.messages + 9;
            (one.operations, Some((messages, messages)))
        });
        let strict = run(&plan(&[&SPRAYED[..], &[others, "duration=\"100 ms\""]].concat()));
        assert!(strict.repeats().refused > 0 && completion(&strict, "A") > completion(&record, "A"));
    }
}

/// The record is the same in any number of parts, in any order of turns, and when the run goes on from a state, while
/// last packets wait for others, and packets wait for a slow host.
#[test]
fn any_order_does_not_depend_on_how_it_runs() {
    let jobs = reliable(&with_bytes("AllReduce(channels: 2)", 8 * 6 * MTU), "place: Striped(stride: 4)");
    for slow in [&[][..], &["adapter.drain_limit=\"7 Gb/s\""]] {
        does_not_depend(&plan(&tree("4, 4", 4), &jobs, &[&SPRAYED[..], &ANY_ORDER, slow].concat()));
    }
}
