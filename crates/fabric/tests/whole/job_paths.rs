//! Critical paths of jobs: their parts add up, and blame what was there.

use core::fmt::Write;

use fabric::{RunOptions, simulate};
use proptest::prelude::*;
use telemetry::{CriticalPath, JobRecord, NotMeasured, PathParts, RunRecord};
use topology::Partition;
use units::{Span, Time};

use crate::common::run;
use crate::jobs::{ALL, completion, of, ping_pong, plan, resumed, token};
use crate::ranks::by_ranks;

pub(crate) fn path(record: &RunRecord) -> &CriticalPath {
    of(record).measures.path.as_ref().unwrap_or_else(|none| panic!("{none:?}"))
}

/// Checks that steps follow each other from the start to the end, and that parts add up, in all of the job and in each
/// step.
pub(crate) fn check_sums(job: &JobRecord) {
    let path = job.measures.path.as_ref().unwrap_or_else(|none| panic!("{none:?}"));
    let mut at = job.start;
    let mut sum = PathParts::default();
    for step in &path.steps {
        assert_eq!(step.start, at, "{step:?}");
        assert_eq!(step.parts.sum(), step.end.since(step.start), "{step:?}");
        at = step.end;
        sum = sum.plus(step.parts);
    }
    assert_eq!(Some(at), job.end);
    assert_eq!((sum, path.steps_left_out), (path.parts, 0));
    assert_eq!(path.places.iter().map(|place| place.span).sum::<Span>(), path.parts.congestion);
    let of_iterations = path.iterations.iter().fold(PathParts::default(), |sum, one| sum.plus(one.parts));
    assert_eq!((of_iterations, path.iterations.len()), (path.parts, job.ends.len()));
    let most = path.iterations.iter().filter_map(|one| Some((one.place?.1, one.parts.congestion)));
    most.for_each(|(most, all)| assert!(most <= all, "{most} of {all}"));
    if let Ok(ideal) = job.measures.ideal {
        let ends = &job.measures.ideal_ends;
        assert_eq!((ends.last(), ends.len()), (Some(&ideal), job.ends.len()));
    }
    let critical: Span = job.measures.ranks.iter().map(|rank| rank.critical).sum();
    assert_eq!(critical, at.since(job.start));
    for rank in &job.measures.ranks {
        let end = rank.end.expect("the job is complete");
        assert_eq!(rank.computing + rank.exposed, end.since(job.start), "{rank:?}");
        assert!(rank.overlap <= rank.computing, "{rank:?}");
    }
}

/// Nothing is in the way: the job takes its ideal time, to the picosecond, and loses nothing.
#[test]
fn a_job_alone_takes_its_ideal_time() {
    for (goal, compute) in [
        (ping_pong(5, [2_000_000, 700], 2), 5 * 2_000_700),
        (token(true), (1..=6).map(|rank| 1000 * rank).sum()),
    ] {
        for transport in ["Uc", "Rc"] {
            let jobs = format!(
                "jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), transport: {transport})]"
            );
            let record = run(&plan(&goal, ALL, &[&jobs]));
            let job = of(&record);
            check_sums(job);
            let (parts, compute) = (path(&record).parts, Span::from_ps(compute));
            let ideal = job.measures.ideal.expect("each receive names its source");
            if transport == "Uc" {
                assert_eq!(ideal, completion(&record));
                let wire = completion(&record) - compute;
                assert_eq!(parts, PathParts { compute, wire, ..PathParts::default() });
            } else {
                // An acknowledgement of 30 B may leave before each message, for 30 ns.
                let most = Span::from_ns(30) * job.messages;
                assert!(ideal <= completion(&record) && completion(&record) <= ideal + most, "{parts:?}");
            }
            let exposed: Vec<_> = job.measures.ranks.iter().map(|rank| rank.exposed).collect();
            assert!(exposed.iter().all(|exposed| *exposed > Span::ZERO), "{exposed:?}");
        }
    }
}

/// Background of one source to the host that answers: it shares the last wire with the messages to rank 1, and with
/// nothing else.
const INCAST: &str = "flows=[(name: \"F\", from: \"s2\", to: \"sink\", start: \"20 us\", message: \"60 KiB\", \
                      load: Messages(1), transport: Uc, operation: Send)]";

/// Without the only source of congestion the job is shorter by exactly the part that is blamed.
#[test]
fn the_blame_of_one_source_is_the_time_that_it_costs() {
    let goal = ping_pong(6, [2_000, 700_000], 2);
    let hosts = "[\"s1\", \"sink\"]";
    let sample = "sample=\"1 us\"";
    let with = run(&plan(&goal, hosts, &[INCAST, sample]));
    let without = run(&plan(&goal, hosts, &[sample]));
    let (with, without) = (&with, &without);
    check_sums(of(with));
    let cost = completion(with) - completion(without);
    assert!(cost > Span::from_us(5), "the source is in the way: {cost}");
    let CriticalPath { parts, places, .. } = path(with);
    assert_eq!(parts.congestion + parts.at_source + parts.in_fabric, cost);
    assert_eq!((parts.waiting, parts.compute), (Span::ZERO, path(without).parts.compute));
    assert_eq!(parts.wire, path(without).parts.wire);
    let blamed: Vec<_> = places.iter().map(|place| (&*place.node, &*place.peer)).collect();
    assert!(blamed.iter().all(|place| *place == ("S", "sink")), "{blamed:?}");
    assert_eq!(parts.congestion, cost, "samples of 1 us see each message that waits");
    assert_eq!(of(with).measures.ideal, Ok(completion(without)));
}

/// The source is in the way of some iterations alone: the latest is late by exactly the part that is blamed in it.
#[test]
fn the_latest_iteration_is_late_by_its_blame() {
    let goal = ping_pong(1, [2_000, 700_000], 2);
    let jobs = "jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), \
                hosts: [\"s1\", \"sink\"], transport: Uc, iterations: 12)]";
    let record = run(&plan(&goal, ALL, &[jobs, INCAST, "sample=\"1 us\""]));
    let job = of(&record);
    check_sums(job);
    let late = job.iterations().filter(|one| one.late() > Some(Span::ZERO)).count();
    assert!((1..12).contains(&late), "{late} iterations are late");
    let latest = job.latest_iteration().expect("one is late");
    let (place, lost) = latest.path.and_then(|path| path.place).expect("samples of 1 us see it");
    assert_eq!(Some(lost), latest.late());
    let place = &path(&record).places[place as usize];
    assert_eq!((&*place.node, &*place.peer), ("S", "sink"));
}

/// A rank that posts three messages at once waits for its own wire.
#[test]
fn messages_of_a_host_wait_for_each_other() {
    let mut goal = "num_ranks 4\nrank 0 {\n".to_owned();
    (1..4).for_each(|to| writeln!(goal, "send 20000b to {to}").unwrap());
    goal.push_str("}\n");
    (1..4).for_each(|rank| write!(goal, "rank {rank} {{\nrecv 20000b from 0\n}}\n").unwrap());
    let record = run(&plan(&goal, ALL, &["sample=\"1 us\""]));
    check_sums(of(&record));
    let parts = path(&record).parts;
    assert_eq!(parts.sum(), parts.wire + parts.waiting, "{parts:?}");
    assert!(parts.waiting > parts.wire, "two of three messages go before: {parts:?}");
    assert_eq!(of(&record).measures.ideal, Ok(completion(&record)), "ideal messages wait there too");
}

#[test]
fn a_job_lacks_measures_for_a_reason() {
    let goal = "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from -1\n}\n";
    let record = run(&plan(goal, ALL, &[]));
    check_sums(of(&record));
    assert_eq!(of(&record).measures.ideal, Err(NotMeasured::AnyMessage));
    let late = ping_pong(5, [900_000_000, 900_000_000], 2);
    let record = run(&plan(&late, ALL, &[]));
    let measures = &of(&record).measures;
    assert_eq!(measures.path.as_ref().err(), Some(&NotMeasured::NotComplete));
    assert!(measures.ideal.is_ok_and(|ideal| ideal > record.simulated));
    assert_eq!(measures.operations.iter().filter(|one| one.end.is_none()).count() as u64, {
        let job = of(&record);
        job.operations - job.ended
    });
}

pub(crate) const STAR: &str = "topology=Custom(\
    hosts: [\"s1\", \"s2\", \"s3\", \"s4\", \"s5\", \"sink\"], switches: [\"S\"], links: [\
    (from: \"s1\", to: \"S\", cable: \"wire\"), (from: \"s2\", to: \"S\", cable: \"wire\"), \
    (from: \"s3\", to: \"S\", cable: \"wire\"), (from: \"s4\", to: \"S\", cable: \"wire\"), \
    (from: \"s5\", to: \"S\", cable: \"wire\"), (from: \"sink\", to: \"S\", cable: \"wire\")])";
/// Two switches with one cable between them.
const PAIR: &str = "topology=Custom(\
    hosts: [\"s1\", \"s2\", \"s3\", \"s4\", \"s5\", \"sink\"], switches: [\"S\", \"T\"], links: [\
    (from: \"s1\", to: \"S\", cable: \"wire\"), (from: \"s2\", to: \"S\", cable: \"wire\"), \
    (from: \"s3\", to: \"S\", cable: \"wire\"), (from: \"s4\", to: \"T\", cable: \"wire\"), \
    (from: \"s5\", to: \"T\", cable: \"wire\"), (from: \"sink\", to: \"T\", cable: \"wire\"), \
    (from: \"S\", to: \"T\", cable: \"wire\")])";

/// A message of a drawn program: sender, receiver, tag, and computations before its send and after its receipt.
pub(crate) type DrawnMessage = (u32, u32, u32, u64, u64);

/// Writes a program in which operations wait for earlier ones of their rank, but receives only in a `chain`. So no
/// circle is possible, and the operations of a processor are in order.
pub(crate) fn program(ranks: u32, messages: &[DrawnMessage], chain: bool) -> String {
    // Of each rank: its text, its operations, and those that the next one waits for.
    let mut texts = vec![(String::new(), 0_u32, Vec::<u32>::new()); ranks as usize];
    let mut add = |rank: u32, operation: &str, is_free: bool| {
        let (text, count, last) = &mut texts[rank as usize];
        writeln!(text, "o{count}: {operation}").unwrap();
        if !is_free {
            last.drain(..).for_each(|last| writeln!(text, "o{count} requires o{last}").unwrap());
        }
        last.push(*count);
        *count += 1;
    };
    for (from, to, tag, before, after) in messages {
        let (from, to) = (from % ranks, to % ranks);
        let to = if from == to { (to + 1) % ranks } else { to };
        add(from, &format!("calc {before}"), false);
        add(from, &format!("send 6000b to {to} tag {tag}"), false);
        add(to, &format!("recv 6000b from {from} tag {tag}"), !chain);
        add(to, &format!("calc {after}"), false);
    }
    let mut goal = format!("num_ranks {ranks}\n");
    for (rank, (text, ..)) in texts.iter().enumerate() {
        write!(goal, "rank {rank} {{\n{text}}}\n").unwrap();
    }
    goal
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    /// Parts add up in any program on any fabric, and no job of equal messages beats its ideal.
    #[test]
    fn parts_add_up(
        ranks in 2_u32..=8,
        messages in prop::collection::vec((0_u32..8, 0_u32..8, 0_u32..2, 0_u64..3_000_000, 0_u64..3_000_000), 1..24),
        chain: bool,
        is_pair: bool,
        transport in prop_oneof![Just("Rc"), Just("Uc")],
        background: bool,
        rendezvous in prop_oneof![Just(""), Just("rendezvous: \"1 KiB\", ")],
        queue_pairs in 1_u32..4,
    ) {
        let goal = program(ranks, &messages, chain);
        let queue_pairs = if transport == "Rc" { queue_pairs } else { 1 };
        let jobs = format!(
            "jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), transport: {transport}, \
             {rendezvous}queue_pairs: {queue_pairs}, \
             hosts: [\"s1\", \"s4\", \"sink\", \"s2\", \"s5\", \"s3\", \"s1\", \"sink\"])]"
        );
        let topology = if is_pair { PAIR } else { STAR };
        let mut sets = vec![&*jobs, topology, "sample=\"3 us\"", "duration=\"30 ms\"", "until_done=true"];
        if background {
            sets.push(INCAST);
        }
        let record = run(&plan(&goal, ALL, &sets));
        let job = of(&record);
        check_sums(job);
        let ideal = job.measures.ideal.expect("each receive names its source");
        prop_assert!(ideal <= completion(&record), "{ideal} {}", completion(&record));
    }
}

/// Measures are the same in any number of parts, in any order of turns, and when the run goes on from a state.
#[test]
fn measures_do_not_depend_on_how_a_job_runs() {
    let goal = ping_pong(5, [2_000_000, 700], 2);
    let sets = [INCAST, "sample=\"2 us\"", "duration=\"300 us\""];
    let plan = plan(&goal, "[\"s1\", \"sink\"]", &sets);
    let told = |options: RunOptions<'_>| {
        let record = simulate(&plan, options, &mut |_| {}).unwrap_or_else(|failed| panic!("{failed}"));
        assert!(path(&record).parts.congestion > Span::ZERO);
        format!("{record:#?}")
    };
    let whole = told(RunOptions::default());
    assert_eq!(told(RunOptions { scramble: Some(3), ..RunOptions::default() }), whole);
    for parts in [2_u16, 3] {
        let of_node: Vec<u16> = (0..plan.graph().nodes() as u16).map(|node| node % parts).collect();
        let partition = Partition::new(&of_node);
        let options = RunOptions { partition: Some(&partition), ..RunOptions::default() };
        assert_eq!(told(options), whole, "{parts} parts");
        assert_eq!(by_ranks(&plan, usize::from(parts), options, told), whole, "{parts} ranks");
    }
    resumed(&plan, &whole);
}

/// An `irequires` goes back to a start, and a send's end to its own.
#[test]
fn a_path_ends_with_a_completion() {
    let goal = "num_ranks 2\nrank 0 {\nc: calc 1000\ns: send 10001b to 1\nd: calc 5\ns requires c\nd irequires s\n}\n\
                rank 1 {\nrecv 10001b from 0\n}\n";
    let jobs = "jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), transport: Rc)]";
    let record = run(&plan(goal, ALL, &[jobs]));
    check_sums(of(&record));
    let kinds: Vec<_> = path(&record).steps.iter().map(|step| format!("{:?}", step.kind)).collect();
    assert_eq!(kinds, ["Compute", "Completion"]);
    let rank = &of(&record).measures.ranks[0];
    assert_eq!((rank.computing, rank.overlap), (Span::from_ps(1005), Span::from_ps(5)));
    assert_eq!(of(&record).start, Time::ZERO);
}
