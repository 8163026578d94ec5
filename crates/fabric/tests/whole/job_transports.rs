//! Messages of jobs over the ways that fabrics and transports offer: rendezvous, several queue pairs, packets in any
//! order.
//!
//! Runs are without congestion control and wire time of credits, so that a law on a crossbar is to the picosecond.

use std::collections::BTreeSet;

use telemetry::{JobRecord, PathStepKind, RunEnding, RunRecord, StuckCause};
use units::{Bytes, Span, Time};

use crate::collectives::{HOP, MTU, completion, crossbar, job, plan, tau, tree, with_bytes};
use crate::common::run;
use crate::job_paths::{check_sums, path};
use crate::jobs::{self, ALL, does_not_depend, ping_pong};

/// An acknowledgement: LRH 8, BTH 12, AETH 4, ICRC 4, VCRC 2.
const ACKNOWLEDGEMENT: u64 = 30;

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

/// Runs a program of GOAL on six hosts at one switch, with these fields of its job.
fn goal(text: &str, fields: &str, sets: &[&str]) -> RunRecord {
    let jobs =
        format!("jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), {fields})]");
    run(&jobs::plan(text, ALL, &[&[&*jobs, "until_done=true"], sets].concat()))
}

/// Returns the end of a rank's operation.
fn end(job: &JobRecord, rank: u32, operation: u32) -> Time {
    let mut all = job.measures.operations.iter();
    let found = all.find(|one| (one.rank, one.operation) == (rank, operation));
    found.and_then(|one| one.end).unwrap_or_else(|| panic!("{rank}, {operation}: {job:?}"))
}

/// A message by rendezvous is a request, an answer and a payload, to the picosecond; over RC the answer and the payload
/// wait for the acknowledgement of what released them, and the send for its own. A receive that is posted late alone
/// delays the answer. One byte below the threshold nothing asks.
#[test]
fn a_rendezvous_takes_three_messages() {
    let bytes = 3 * MTU;
    let [request, clear, payload] = [32, 40, bytes].map(|bytes| tau(bytes, 2));
    let own = Span::from_ns(ACKNOWLEDGEMENT);
    let back = own + Span::from_ns(HOP + 50);
    let late = Span::from_us(30);
    let text = |calc: u64| {
        format!(
            "num_ranks 2\nrank 0 {{\nsend {bytes}b to 1\n}}\n\
             rank 1 {{\nc: calc {calc}\nr: recv {bytes}b from 0\nr requires c\n}}\n"
        )
    };
    for (calc, fields, expected) in [
        (0, "transport: Uc, rendezvous: \"6144 B\"", request + clear + payload),
        (0, "transport: Uc, rendezvous: \"6145 B\"", payload),
        (late.ps(), "transport: Uc, rendezvous: \"0 B\"", late + clear + payload),
        (0, "transport: Rc, rendezvous: \"6 KiB\"", request + own + clear + own + payload + back),
        (late.ps(), "transport: Rc, rendezvous: \"6 KiB\"", late + clear + own + payload + back),
    ] {
        let record = goal(&text(calc), fields, &["adapter.ack_every=1024"]);
        let job = jobs::of(&record);
        assert_eq!(jobs::completion(&record), expected, "{fields}, {calc} ps");
        check_sums(job);
        let kinds: Vec<_> = path(&record).steps.iter().map(|step| step.kind).collect();
        let last = if fields.contains("Rc") { PathStepKind::Completion } else { PathStepKind::Message };
        let first = if calc > 0 { PathStepKind::Compute } else { PathStepKind::Request };
        let asked = vec![first, PathStepKind::Clear, last];
        assert_eq!(kinds, if fields.contains("6145") { vec![last] } else { asked });
        // A program has one message, whatever it takes.
        assert_eq!((job.messages, job.bytes.get()), (1, bytes));
        assert_eq!(record.finite.map(|finite| finite.delivered), Some(if kinds.len() == 1 { 1 } else { 3 }));
    }
}

/// Steps of a collective by rendezvous add up: over UC each is a request, an answer and a payload; over RC each part
/// waits for the acknowledgement of the part that released it.
#[test]
fn collectives_ask_in_each_step() {
    for (program, steps, block) in
        [("AllReduce()", 14, 1), ("AllReduce(algorithm: RecursiveDoubling)", 3, 8), ("ReduceScatter()", 7, 1)]
    {
        let text = with_bytes(program, 8 * 3 * MTU);
        let jobs = job("A", &text, "rendezvous: \"1 KiB\"");
        let once = tau(32, 2) + tau(40, 2) + tau(block * 3 * MTU, 2);
        let record = run(&plan(&crossbar(8), &jobs, &[]));
        assert_eq!(completion(&record, "A"), once * steps, "{program}");
        assert_eq!(record.jobs[0].measures.ideal, Ok(once * steps), "{program}");
        check_sums(&record.jobs[0]);
        let record = run(&plan(&crossbar(8), &jobs.replace("Uc", "Rc"), &["adapter.ack_every=1024"]));
        let own = Span::from_ns(ACKNOWLEDGEMENT);
        let back = own + Span::from_ns(HOP + 50);
        assert_eq!(completion(&record, "A"), once * steps + own * (3 * steps - 1) + back, "{program}");
    }
}

/// Two ranks that send to each other before they receive go on if messages are eager. By rendezvous both wait for ever,
/// and both are named, also where a receive takes messages from any rank.
#[test]
fn sends_that_wait_for_each_other_are_stuck() {
    // Without a wildcard a plan is refused: no run ends.
    for from in [["-1", "0"], ["-1", "-1"]] {
        let rank = |own: usize| {
            let other = 1 - own;
            let from = from[own];
            format!(
                "rank {own} {{\ns: send 9000b to {other} tag 7\nr: recv 9000b from {from} tag 7\nr requires s\n}}\n"
            )
        };
        let text = format!("num_ranks 2\n{}{}", rank(0), rank(1));
        assert_eq!(goal(&text, "rendezvous: \"9001 B\"", &[]).ended, RunEnding::Done);
        let record = goal(&text, "rendezvous: \"9000 B\"", &[]);
        assert_eq!(record.ended, RunEnding::Stuck);
        let waiting = &jobs::of(&record).waiting;
        let told: Vec<_> = waiting.iter().map(|it| (it.rank, it.operation, it.from, it.to, it.tag)).collect();
        assert_eq!(told, [(0, 0, None, Some(1), Some(7)), (1, 0, None, Some(0), Some(7))]);
        assert!(jobs::of(&record).measures.ideal.is_err());
        assert_eq!(jobs::of(&record).stuck, Some(StuckCause::Rendezvous(Bytes::new(9000))));
    }
}

/// Messages that UC has lost packets of never arrive, and nothing else is under way: the job is stuck, however long the
/// run may last. Over RC on the same fabric it ends.
#[test]
fn a_job_that_lost_a_message_is_stuck() {
    let sets =
        ["link.flow_control=Lossy", "switch.buffer=\"9 KiB\"", "duration=\"40 ms\"", "sample=\"100 us\""];
    let to_one = with_bytes("Reduce(algorithm: Flat)", 64 * MTU);
    let lossy = plan(&crossbar(8), &job("A", &to_one, ""), &sets);
    let record = run(&lossy);
    assert!(record.audit.dropped > 0, "the buffers hold everything");
    assert_eq!((record.ended, record.jobs[0].stuck), (RunEnding::Stuck, Some(StuckCause::Lost)));
    assert!(record.simulated < Span::from_us(2000), "{}", record.simulated);
    assert!(!record.jobs[0].waiting.is_empty());
    does_not_depend(&lossy);
}

/// A job that gives up ends a run only once no other job goes on: here one that computes meanwhile.
#[test]
fn a_job_that_gives_up_leaves_others_their_time() {
    let lossy =
        ["link.flow_control=Lossy", "switch.buffer=\"9 KiB\"", "duration=\"50 ms\"", "sample=\"100 us\""];
    let gives_up = ["adapter.ack_timeout=1", "adapter.retry_count=1"];
    let sets = [&lossy[..], &gives_up].concat();
    let hard = with_bytes("Reduce(algorithm: Flat)", 64 * MTU);
    let first = reliable(&hard, "hosts: [\"h1..h8\"]");
    let later = reliable("Sequence([Compute(\"3 ms\"), Barrier()])", "hosts: [\"h9..h12\"]")
        .replace("\"A\"", "\"B\"");
    let alone = run(&plan(&crossbar(12), &first, &sets));
    assert_eq!(alone.ended, RunEnding::GaveUp);
    assert!(alone.simulated < Span::from_us(2000), "{}", alone.simulated);
    let both = run(&plan(&crossbar(12), &format!("{first}, {later}"), &sets));
    assert_eq!(both.ended, RunEnding::GaveUp);
    let end = both.jobs[1].end.expect("nothing keeps the other job");
    assert!(end.since_start() > Span::from_us(3000));
    assert!(both.simulated >= end.since_start());
}

/// A short message that overtakes a long one on another queue pair waits for it: receives of one tag take messages in
/// the order of posting, as MPI has it. On a queue pair alone the short one follows. With the messages the other way
/// round, nothing waits.
#[test]
fn messages_of_several_queue_pairs_keep_their_order() {
    let text = |sizes: [u64; 2]| {
        let each = |what: &str| {
            let line = |(i, bytes): (usize, &u64)| {
                format!("o{i}: {what} {bytes}b {}\n", ["to 1", "from 0"][usize::from(what == "recv")])
            };
            sizes.iter().enumerate().map(line).collect::<String>()
        };
        // The second send is posted with the first, after it.
        format!("num_ranks 2\nrank 0 {{\n{}}}\nrank 1 {{\n{}}}\n", each("send"), each("recv"))
    };
    let ends = |sizes, queue_pairs: u32| {
        let record = goal(&text(sizes), &format!("queue_pairs: {queue_pairs}"), &[]);
        let job = jobs::of(&record);
        check_sums(job);
        assert_eq!(record.flows.len(), queue_pairs as usize);
        [0, 1].map(|receive| end(job, 1, receive))
    };
    let [long, short] = ends([60_000, 8], 2);
    assert_eq!(long, short, "the short one waits for the long one, and not the reverse");
    let [alone, behind] = ends([60_000, 8], 1);
    assert!(alone < behind && alone < long, "{alone} {behind} {long}");
    let [short, long] = ends([8, 60_000], 2);
    assert!(short < long && short.since_start() < Span::from_us(10), "{short} {long}");
}

/// Hashes send the queue pairs of two ranks over several spines, and a single one over one.
#[test]
fn queue_pairs_take_different_paths() {
    let spines = |queue_pairs: u32| {
        let program = "Broadcast(ranks: 2, bytes: \"2 MiB\", algorithm: Chain, chunks: 64)";
        let more = format!("hosts: [\"h1\", \"h5\"], queue_pairs: {queue_pairs}");
        let jobs = reliable(program, &more);
        let record = run(&plan(&tree("4, 4", 4), &jobs, &["routing=Adaptive", "switch.selection=Hash"]));
        assert_eq!((record.ended, record.repeats().out_of_order), (RunEnding::Done, 0));
        // A message has one acknowledgement, 64 in all.
        let used = record.lanes.iter().filter(|at| at.packets > 100 && at.node.starts_with("spine"));
        used.map(|at| at.node.clone()).collect::<BTreeSet<_>>().len()
    };
    assert_eq!(spines(1), 1);
    let several = spines(16);
    assert!(several > 2, "{several} spines");
}

/// Collectives over several queue pairs, by rendezvous or not, complete with each message handed over once, and change
/// nothing on a crossbar where a rank has one message under way.
#[test]
fn several_queue_pairs_carry_collectives() {
    let times = |more: &str| {
        let text = with_bytes("AllReduce()", 8 * 3 * MTU);
        let record = run(&plan(&crossbar(8), &reliable(&text, more), &["adapter.ack_every=1024"]));
        let [one] = &record.jobs[..] else { panic!("one job") };
        assert_eq!((record.ended, one.ended), (RunEnding::Done, one.operations));
        let messages = one.messages * if more.contains("rendezvous") { 3 } else { 1 };
        assert_eq!(record.finite.map(|it| (it.posted, it.delivered)), Some((messages, messages)));
        check_sums(one);
        completion(&record, "A")
    };
    assert_eq!(times("queue_pairs: 4"), times(""));
    assert_eq!(times("queue_pairs: 3, rendezvous: \"1 KiB\""), times("rendezvous: \"1 KiB\""));
    for program in ["AllToAll(algorithm: Direct, chunks: 3)", "AllReduce(chunks: 2, channels: 3)"] {
        let text = with_bytes(program, 8 * 9 * MTU);
        let jobs = reliable(&text, "queue_pairs: 3, iterations: 2, rendezvous: \"3 KiB\"");
        let record = run(&plan(&crossbar(8), &jobs, &[]));
        let [one] = &record.jobs[..] else { panic!("one job") };
        assert_eq!((record.ended, one.ended), (RunEnding::Done, one.operations), "{program}");
        check_sums(one);
    }
}

/// The record is the same in any number of parts, in any order of turns, and when the run goes on from a state, while
/// sends wait for answers and messages for others of their rank.
#[test]
fn rendezvous_does_not_depend_on_how_it_runs() {
    let text = with_bytes("AllToAll(ranks: 6, algorithm: Direct, chunks: 2)", 6 * 6 * MTU);
    let more = "rendezvous: \"2 KiB\", queue_pairs: 3, iterations: 2, place: Cyclic, hosts: \"h1..h3\", \
                start_skew: \"9 us\", local: Link(rate: \"16 Gb/s\", latency: \"300 ns\")";
    for sets in [&[][..], &ANY_ORDER] {
        does_not_depend(&plan(&crossbar(4), &reliable(&text, more), sets));
    }
    let jobs = "jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), \
                rendezvous: \"1 KiB\", transport: Uc)]";
    does_not_depend(&jobs::plan(&ping_pong(5, [2_000_000, 700], 2), ALL, &[jobs, "duration=\"300 us\""]));
}
