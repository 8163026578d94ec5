//! Messages of a job that wait at their host: for each other, for what holds those up, and for other traffic.
//!
//! Invariant: each law is to the picosecond. Messages are posted at times that do not depend on others. So without the
//! only source in their way the job is shorter by exactly the part that is blamed, if the same message comes last; else
//! by less.

use core::fmt::Write;

use proptest::prelude::*;
use telemetry::{CriticalPath, JobRecord, PathParts, RunRecord};
use units::Span;

use crate::common::run;
use crate::job_paths::check_sums;
use crate::jobs::{ALL, plan};

const SAMPLE: &str = "sample=\"1 us\"";

/// A message of a host: the picoseconds from the posting of the one before, its receiver and its payload.
type Message = (u64, u32, u64);

/// Writes a program in which rank 0 posts messages at these times.
fn program(messages: &[Message]) -> String {
    let mut text = "num_ranks 6\nrank 0 {\n".to_owned();
    for (i, (after, to, bytes)) in messages.iter().enumerate() {
        write!(text, "c{i}: calc {after}\ns{i}: send {bytes}b to {to} tag {i}\ns{i} requires c{i}\n")
            .unwrap();
        if i > 0 {
            writeln!(text, "c{i} requires c{}", i - 1).unwrap();
        }
    }
    text.push_str("}\n");
    for rank in 1..6 {
        writeln!(text, "rank {rank} {{").unwrap();
        let own = messages.iter().enumerate().filter(|(_, (_, to, _))| *to == rank);
        own.for_each(|(i, (_, _, bytes))| writeln!(text, "recv {bytes}b from 0 tag {i}").unwrap());
        text.push_str("}\n");
    }
    text
}

/// Returns the jobs of a plan: the program, and another job of these fields.
fn jobs(other: &str) -> String {
    format!(
        "jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), hosts: {ALL}, transport: Uc, \
         shared_hosts: Allowed), {other}]"
    )
}

fn first(record: &RunRecord) -> (&JobRecord, &CriticalPath) {
    let job = &record.jobs[0];
    check_sums(job);
    (job, job.measures.path.as_ref().unwrap_or_else(|none| panic!("{none:?}")))
}

/// Checks that a source costs a job what its critical path blames on it, and that only an output between these nodes is
/// named. Returns the path with the source, and the cost.
fn check_blame(with: &RunRecord, without: &RunRecord, output: (&str, &str)) -> (CriticalPath, Span) {
    let ((job, path), (alone, path_alone)) = (first(with), first(without));
    let [end, end_alone] = [job, alone].map(|job| job.end.expect("it is complete"));
    let cost = end.since(end_alone);
    let PathParts { compute, wire, waiting, congestion, at_source, in_fabric } = path.parts;
    let blamed = congestion + at_source + in_fabric;
    let parts = PathParts { compute, wire, waiting, ..PathParts::default() };
    let last = |path: &CriticalPath| path.steps.last().map(|step| (step.rank, step.operation));
    if last(path) == last(path_alone) {
        assert_eq!((blamed, parts), (cost, path_alone.parts));
    } else {
        assert!(blamed >= cost, "{blamed} is blamed for {cost}");
    }
    for place in &path.places {
        assert_eq!((&*place.node, &*place.peer), output, "{path:?}");
    }
    (path.clone(), cost)
}

/// Checks that all of the blame has a place. Waits of less than a sample could have none.
fn check_seen(path: &CriticalPath) {
    assert_eq!((path.parts.at_source, path.parts.in_fabric), (Span::ZERO, Span::ZERO), "{path:?}");
    assert_eq!(path.places.len(), 1, "{path:?}");
}

/// Traffic to the sink, into which messages of the job go as well.
const INCAST: &str = "flows=[(name: \"F\", from: \"s2\", to: \"sink\", start: \"20 us\", message: \"60 KiB\", \
                      load: Messages(3), transport: Uc, operation: Send)]";

/// Messages that the host could send one by one queue up behind those that an output holds up: the wait is not the
/// job's own.
#[test]
fn messages_behind_held_ones_are_held_up_too() {
    let spaced = [(12_000_000, 5, 10_001); 16];
    let mut mixed = spaced;
    // The last one goes elsewhere, and waits for credits at the host alone.
    mixed[15].1 = 2;
    for (messages, node) in [(spaced, "S"), (mixed, "S")] {
        let goal = program(&messages);
        let [with, without] =
            [&[INCAST, SAMPLE, &jobs("")][..], &[SAMPLE, &jobs("")]].map(|sets| run(&plan(&goal, ALL, sets)));
        let (path, cost) = check_blame(&with, &without, (node, "sink"));
        assert!(cost > Span::from_us(20), "{cost}");
        assert_eq!(path.parts.waiting, Span::ZERO, "none waits for the wire alone");
        check_seen(&path);
    }
}

/// A burst on several queue pairs waits for itself, and for an incast at the receiver of some: both are told apart.
#[test]
fn a_burst_waits_for_itself_and_for_the_incast() {
    let burst =
        [(0, 5, 30_000), (0, 2, 30_000), (0, 5, 30_000), (0, 3, 30_000), (0, 5, 20_000), (0, 2, 40_000)];
    let goal = program(&burst);
    let [with, without] =
        [&[INCAST, SAMPLE, &jobs("")][..], &[SAMPLE, &jobs("")]].map(|sets| run(&plan(&goal, ALL, sets)));
    let (path, cost) = check_blame(&with, &without, ("S", "sink"));
    check_seen(&path);
    assert!(cost > Span::from_us(10) && path.parts.waiting > Span::from_us(100), "{cost}, {path:?}");
}

/// A second job and named traffic at the same host, which share its link and nothing else.
const SECOND: &str = "Job(name: \"K\", program: Broadcast(bytes: \"70 KB\"), hosts: [\"s1\", \"s2\"], \
                      transport: Uc, shared_hosts: Allowed, start: \"3 us\")";
const NAMED: &str = "flows=[(name: \"F\", from: \"s1\", to: \"s2\", start: \"3 us\", message: \"35 KB\", \
                     load: Messages(2), transport: Uc, operation: Send)]";

#[test]
fn other_traffic_of_the_host_is_named() {
    let goal = program(&[(0, 2, 30_000), (2_000_000, 3, 20_001), (9_999, 2, 50_000), (40_000_000, 4, 100)]);
    let single = program(&[(0, 2, 200_000)]);
    // Posted first, the single message would wait for none where the oldest goes first.
    for (goal, schedules) in [(&goal, &["RoundRobin", "OldestFirst"][..]), (&single, &["RoundRobin"])] {
        for schedule in schedules {
            let schedule = format!("adapter.schedule={schedule}");
            let alone = run(&plan(goal, ALL, &[SAMPLE, &schedule, &jobs("")]));
            for (flows, second) in [("flows=[]", SECOND), (NAMED, "")] {
                let with = run(&plan(goal, ALL, &[SAMPLE, &schedule, flows, &jobs(second)]));
                let (path, cost) = check_blame(&with, &alone, ("s1", "S"));
                check_seen(&path);
                assert!(cost > Span::from_us(10), "{cost}");
                let [shared] = &path.shared[..] else { panic!("{path:?}") };
                let named = |flow: &u32| with.flows[*flow as usize].name.to_string();
                let others: Vec<_> = shared.flows.iter().map(named).collect();
                assert_eq!(others, [if second.is_empty() { "F" } else { "K:0->1" }]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    /// The same with drawn messages of both.
    #[test]
    fn the_blame_of_a_shared_link_is_the_time_that_it_costs(
        messages in prop::collection::vec((0_u64..30_000_000, 2_u32..5, 1_u64..40_000), 1..10),
        bytes in 1_u64..200_000,
        start in 0_u64..100_000,
        in_turn: bool,
    ) {
        let goal = program(&messages);
        let second = SECOND.replace("70 KB", &format!("{bytes} B")).replace("3 us", &format!("{start} ns"));
        let schedule = format!("adapter.schedule={}", if in_turn { "RoundRobin" } else { "OldestFirst" });
        let [with, alone] =
            [&*second, ""].map(|second| run(&plan(&goal, ALL, &[SAMPLE, &schedule, &jobs(second)])));
        check_blame(&with, &alone, ("s1", "S"));
    }

    /// The same with an incast elsewhere, which holds up the host.
    #[test]
    fn the_blame_of_an_incast_is_the_time_that_it_costs(
        messages in prop::collection::vec((0_u64..30_000_000, 2_u32..6, 1_u64..40_000), 1..16),
        in_turn: bool,
    ) {
        let goal = program(&messages);
        let schedule = format!("adapter.schedule={}", if in_turn { "RoundRobin" } else { "OldestFirst" });
        let [with, alone] = [INCAST, "flows=[]"]
            .map(|flows| run(&plan(&goal, ALL, &[SAMPLE, &schedule, flows, &jobs("")])));
        check_blame(&with, &alone, ("S", "sink"));
    }
}
