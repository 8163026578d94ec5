//! Laws of jobs over random programs: changes that change nothing, and changes that change everything alike.
//!
//! Invariant: each law is to the picosecond. A rank has one operation at a time where ranks change their numbers, since
//! queue pairs of a host take their turns in the order of numbers.

use core::fmt::Write;

use proptest::prelude::*;
use telemetry::{RunEnding, RunRecord};
use units::{Span, Time};

use crate::collectives::{checked, tree};
use crate::common::run;
use crate::job_paths::{DrawnMessage, program};
use crate::jobs::{self, ALL};

const RANKS: u32 = 6;

/// Messages of a program, with computations of up to 3 us.
fn drawn(most: usize) -> impl Strategy<Value = Vec<DrawnMessage>> {
    let message = (0..RANKS, 0..RANKS, 0_u32..2, 0_u64..3_000_000, 0_u64..3_000_000);
    prop::collection::vec(message, 1..most)
}

/// Services and protocols of a job.
fn protocol() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "transport: Uc",
        "transport: Rc",
        "transport: Uc, rendezvous: \"1 KiB\"",
        "transport: Rc, rendezvous: \"1 KiB\", queue_pairs: 3",
    ])
}

/// Runs a program on six hosts at one switch, and checks that each message was handed over once.
fn run_on(goal: &str, fields: &str, hosts: &str, sets: &[&str]) -> RunRecord {
    let jobs = format!(
        "jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), {fields}, hosts: {hosts})]"
    );
    let record =
        run(&jobs::plan(goal, ALL, &[&[&*jobs, "until_done=true", "duration=\"100 ms\""], sets].concat()));
    let job = jobs::of(&record);
    assert_eq!((record.ended, job.ended), (RunEnding::Done, job.operations));
    let asks = fields.contains("rendezvous");
    let finite = record.finite.expect("a job is finite");
    let messages = job.messages * if asks { 3 } else { 1 };
    assert_eq!((finite.posted, finite.delivered), (messages, messages));
    record
}

/// Returns the end of each rank.
fn ends(record: &RunRecord) -> Vec<Option<Time>> {
    jobs::of(record).measures.ranks.iter().map(|rank| rank.end).collect()
}

/// Writes a program with a `calc 0` before some of its operations, which then waits for what they waited for.
fn with_joints(goal: &str, joints: &[bool]) -> String {
    let mut places = joints.iter().cycle();
    let (mut text, mut jointed) = (String::new(), Vec::new());
    for line in goal.lines() {
        if line.starts_with("rank") {
            jointed.clear();
        }
        match line.split_once(": ") {
            Some((label, _)) if *places.next().expect("a cycle") => {
                writeln!(text, "j{label}: calc 0\n{line}\n{label} requires j{label}").unwrap();
                jointed.push(label.to_owned());
            }
            _ => match line.split_once(" requires ") {
                Some((later, earlier)) if jointed.iter().any(|label| label == later) => {
                    writeln!(text, "j{later} requires {earlier}").unwrap();
                }
                _ => writeln!(text, "{line}").unwrap(),
            },
        }
    }
    text
}

const HOSTS: [&str; 6] = ["s1", "s2", "s3", "s4", "s5", "sink"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Computations of no time, wherever they stand, change no event of the fabric, nor does a rank without operations.
    #[test]
    fn operations_of_no_time_change_nothing(
        messages in drawn(16), chain: bool, fields in protocol(), joints in prop::collection::vec(any::<bool>(), 1..9),
    ) {
        let goal = program(RANKS - 1, &messages, chain);
        let plain = run_on(&goal, fields, ALL, &[]);
        let jointed = run_on(&with_joints(&goal, &joints), fields, ALL, &[]);
        prop_assert_eq!((plain.digest, ends(&plain)), (jointed.digest, ends(&jointed)));
        let idle = goal.replace("num_ranks 5", "num_ranks 6") + "rank 5 {\n}\n";
        let idle = run_on(&idle, fields, ALL, &[]);
        prop_assert_eq!((plain.digest, ends(&plain)), (idle.digest, ends(&idle)[..5].to_vec()));
    }

    /// Other numbers of ranks on the same hosts change no time, if the programs change their numbers too.
    #[test]
    fn numbers_of_ranks_change_nothing(
        messages in drawn(16), fields in protocol(), order in Just((0..RANKS).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let other_end = |from: u32, to: u32| if from == to { (to + 1) % RANKS } else { to };
        let messages: Vec<DrawnMessage> =
            messages.into_iter().map(|(from, to, ..)| (from, other_end(from, to))).zip(0..)
            .map(|((from, to), i)| (from, to, 0, 1000 * i, 777)).collect();
        let renumbered: Vec<DrawnMessage> = messages.iter().map(|(from, to, tag, before, after)| {
            (order[*from as usize], order[*to as usize], *tag, *before, *after)
        }).collect();
        let plain = run_on(&program(RANKS, &messages, true), fields, ALL, &[]);
        let mut hosts = [""; 6];
        order.iter().zip(HOSTS).for_each(|(number, host)| hosts[*number as usize] = host);
        let again = run_on(&program(RANKS, &renumbered, true), fields, &format!("{hosts:?}"), &[]);
        let (before, after) = (ends(&plain), ends(&again));
        let moved: Vec<_> = order.iter().map(|number| after[*number as usize]).collect();
        prop_assert_eq!(before, moved);
    }

    /// All times grow alike: a quarter of the rate, four times the latencies and computations.
    #[test]
    fn times_scale(messages in drawn(16), chain: bool, fields in protocol()) {
        let slow: Vec<DrawnMessage> = messages.iter().map(|(from, to, tag, before, after)| {
            (*from, *to, *tag, before * 4, after * 4)
        }).collect();
        let fast = run_on(&program(RANKS, &messages, chain), fields, ALL, &[]);
        let sets = [
            "cables={\"wire\": (width: X1, speed: SDR, propagation: Delay(\"200 ns\"))}", "switch.latency=\"400 ns\"",
            "link.flow_control=Credits(update_blocks: 33, update_interval: \"16.384 us\", wire_time: Free)",
        ];
        let slow = run_on(&program(RANKS, &slow, chain), fields, ALL, &sets);
        prop_assert_eq!(jobs::completion(&fast) * 4, jobs::completion(&slow));
        let longer = |end: Time| (end.since_start() * 4).after_start();
        let scaled: Vec<_> = ends(&fast).into_iter().map(|end| end.map(longer)).collect();
        prop_assert_eq!(scaled, ends(&slow));
    }

    /// Messages of one host to several take the times of the ideal replay, whichever passes which.
    #[test]
    fn messages_of_one_host_take_their_ideal_times(
        messages in prop::collection::vec((1..RANKS, 0_u64..40_000, 0_u64..9_000_000, 0_u64..5_000_000), 1..12),
        schedule in prop::sample::select(vec!["RoundRobin", "OldestFirst"]),
    ) {
        let [mut sender, mut receivers] = [String::new(), String::new()];
        for (place, (_, bytes, before, _)) in messages.iter().enumerate() {
            let to = messages[place].0;
            // All computations begin at once, each on a processor of its own.
            let send = format!("send {bytes}b to {to} tag {place}");
            writeln!(sender, "c{place}: calc {before} cpu {place}\ns{place}: {send}").unwrap();
            writeln!(sender, "s{place} requires c{place}").unwrap();
        }
        for rank in 1..RANKS {
            writeln!(receivers, "rank {rank} {{").unwrap();
            for (place, (_, bytes, _, after)) in messages.iter().enumerate().filter(|(_, one)| one.0 == rank) {
                writeln!(receivers, "r{place}: recv {bytes}b from 0 tag {place}").unwrap();
                write!(receivers, "c{place}: calc {after} cpu {place}\nc{place} requires r{place}\n").unwrap();
            }
            writeln!(receivers, "}}").unwrap();
        }
        let goal = format!("num_ranks {RANKS}\nrank 0 {{\n{sender}}}\n{receivers}");
        let record = run_on(&goal, "transport: Uc", ALL, &[&format!("adapter.schedule={schedule}")]);
        prop_assert_eq!(jobs::of(&record).measures.ideal, Ok(jobs::completion(&record)));
    }

    /// Jobs on leaves of their own take the times that they take alone, each rank of them, whatever both do.
    #[test]
    fn aligned_jobs_are_isolated(
        one in drawn(16), other in drawn(16), chain: bool, fields in protocol(), late in 0_u64..9,
    ) {
        let job = |name: &str, hosts: &str| format!(
            "Job(name: \"{name}\", program: Goal(file: \"{name}.goal\", calc_unit: \"1 ps\"), {fields}, \
             hosts: \"{hosts}\", start: \"{late} us\")"
        );
        let files = [("A.goal", program(RANKS, &one, chain)), ("B.goal", program(RANKS, &other, !chain))];
        let [a, b] = [job("A", "h1..h6"), job("B", "h9..h14")];
        let ranks = |jobs: &str| {
            let files: Vec<_> = files.iter().map(|(name, text)| (*name, &**text)).collect();
            let plan = checked(&tree("4, 4", 4), jobs, &[], &files).unwrap_or_else(|fault| panic!("{fault}"));
            let record = run(&plan);
            assert_eq!(record.ended, RunEnding::Done);
            record.jobs.iter().map(|job| job.measures.ranks.clone()).collect::<Vec<_>>()
        };
        prop_assert_eq!(ranks(&format!("{a}, {b}")), [ranks(&a), ranks(&b)].concat());
    }
}

/// The laws see differences: a computation of 1 ps is one.
#[test]
fn the_least_computation_changes_times() {
    let messages = [(0, 1, 0, 0, 0), (1, 2, 0, 0, 0)];
    let goal = program(RANKS, &messages, true);
    let longer = goal.replacen("calc 0", "calc 1", 1);
    let [plain, longer] =
        [goal, longer].map(|goal| jobs::completion(&run_on(&goal, "transport: Uc", ALL, &[])));
    assert_eq!(longer, plain + Span::from_ps(1));
}

/// A receive behind a computation of no time is posted before one that has a higher number, in a run and in its ideal:
/// all three take messages of one tag, and a computation waits for the first.
#[test]
fn receives_are_posted_in_one_order() {
    let goal = "num_ranks 2\nrank 0 {\ns: send 8b to 1\nr: recv 8b from 1\nl: send 8b to 1\nl requires r\n}\n\
        rank 1 {\nc: calc 0\nfirst: recv 8b from 0\nfirst irequires c\nlong: calc 5000000\nlong requires first\n\
        s: send 8b to 0\nsecond: recv 8b from 0\n}\n";
    let record = run_on(goal, "transport: Uc", ALL, &[]);
    let job = jobs::of(&record);
    assert_eq!(job.measures.ideal, Ok(jobs::completion(&record)));
    let long = Span::from_us(5)
        + jobs::completion(&run_on(
            "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n",
            "transport: Uc",
            ALL,
            &[],
        ));
    assert_eq!(jobs::completion(&record), long, "the computation waits for the first message alone");
}
