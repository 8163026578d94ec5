//! Jobs in whole runs: closed forms to the picosecond, and changes that change nothing.
//!
//! All runs are over UC on one switch, without acknowledgements, congestion control and wire time of credits, so that a
//! message between idle hosts takes the same time wherever it goes.

use core::fmt::Write;

use fabric::{RunOptions, Saving, simulate, simulate_saving};
use scenario::{Plan, Scenario, ScenarioText};
use telemetry::{JobRecord, NotMeasured, RunEnding, RunRecord, StuckCause};
use topology::Partition;
use units::{Span, Time};

use crate::common::run;

/// Size of all messages, in bytes: several packets, the last not full.
const BYTES: u64 = 10_001;

/// Returns the plan of a job of this program, on six hosts at one switch.
pub(crate) fn plan(goal: &str, hosts: &str, sets: &[&str]) -> Plan {
    let file = format!("{}/../../fixtures/laws/incast.ron", env!("CARGO_MANIFEST_DIR"));
    let jobs = format!(
        "jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), hosts: {hosts}, transport: Uc)]"
    );
    // Credits that take time on the wire would delay messages of the other direction by up to 6 ns each.
    let credits =
        "link.flow_control=Credits(update_blocks: 33, update_interval: \"4.096 us\", wire_time: Free)";
    let off =
        [credits, "congestion_control=Off", "flows=[]", "duration=\"3 ms\"", "sample=\"100 us\"", &jobs];
    let checked = ScenarioText::find(&file).and_then(|source| {
        let mut source = source.with_files(vec![("a.goal".to_owned(), goal.to_owned())]);
        let field = |set: &str| set.split('=').next().map(str::to_owned);
        let is_set = |own: &&&str| !sets.iter().any(|set| field(set) == field(own));
        off.iter().filter(is_set).chain(sets).try_for_each(|set| source.set(set))?;
        Scenario::read(&source)?.check(&source)
    });
    checked.unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
}

pub(crate) const ALL: &str = "\"*\"";

pub(crate) fn of(record: &RunRecord) -> &JobRecord {
    let [job] = &record.jobs[..] else { panic!("{} jobs", record.jobs.len()) };
    job
}

/// Returns the time from a job's start to the end of its last operation.
pub(crate) fn completion(record: &RunRecord) -> Span {
    let job = of(record);
    job.end.unwrap_or_else(|| panic!("{job:?}")).since(job.start)
}

fn completion_of(goal: &str) -> Span {
    completion(&run(&plan(goal, ALL, &[])))
}

/// Two ranks send a message to and fro, and compute before each answer; further ranks do nothing.
pub(crate) fn ping_pong(rounds: u32, [c0, c1]: [u64; 2], ranks: u32) -> String {
    let mut text = format!("num_ranks {ranks}\nrank 0 {{\n");
    for i in 0..rounds {
        write!(text, "s{i}: send {BYTES}b to 1\nr{i}: recv {BYTES}b from 1\nc{i}: calc {c0}\n").unwrap();
        write!(text, "c{i} requires r{i}\nr{i} requires s{i}\n").unwrap();
        if i > 0 {
            writeln!(text, "s{i} requires c{}", i - 1).unwrap();
        }
    }
    text.push_str("}\nrank 1 {\n");
    for i in 0..rounds {
        write!(text, "r{i}: recv {BYTES}b from 0\nc{i}: calc {c1}\ns{i}: send {BYTES}b to 0\n").unwrap();
        write!(text, "c{i} requires r{i}\ns{i} requires c{i}\n").unwrap();
    }
    text.push_str("}\n");
    (2..ranks).for_each(|rank| write!(text, "rank {rank} {{\n}}\n").unwrap());
    text
}

/// A single message, from its posting to its receipt.
fn tau() -> Span {
    completion_of(&format!(
        "num_ranks 2\nrank 0 {{\nsend {BYTES}b to 1\n}}\nrank 1 {{\nrecv {BYTES}b from 0\n}}\n"
    ))
}

/// The time of a message is that of its packets on the first wire, of a header at the switch, of the switch and of two
/// cables. With immediate data its last packet is 4 bytes longer.
#[test]
fn a_message_takes_its_time_on_the_wire() {
    // 10,001 B are four packets of 2,048 B and one of 1,809 B, padded to 1,812 B; 26 B of headers and checks each.
    // A wire of 8 Gb/s takes 1 ns a byte, a cable of 10 m 50 ns; the switch needs the 8 B of the first header and
    // 100 ns.
    let wire = 4 * (2048 + 26) + 1812 + 26 + 4;
    let plain = "flows=[(name: \"F\", from: \"s1\", to: \"s2\", start: \"0 s\", message: \"10001 B\", \
                 load: Messages(1), transport: Uc, operation: Send)]";
    let record = run(&plan("num_ranks 1\nrank 0 {\n}\n", ALL, &[plain]));
    let alone = record.flows[0].last_delivery.get().expect("it is delivered").since_start();
    assert_eq!(tau(), alone + Span::from_ns(4), "the same message without immediate data");
    assert_eq!(tau(), Span::from_ns(wire + 8 + 100 + 2 * 50));
}

/// k rounds take k (2 tau + c0 + c1): nothing else takes time.
#[test]
fn a_ping_pong_takes_its_messages_and_computations() {
    let tau = tau();
    for (rounds, calcs) in
        [(1, [0, 0]), (1, [7, 1_234_567]), (5, [0, 999]), (40, [1, 0]), (17, [333, 77_777])]
    {
        let expected = (tau * 2 + Span::from_ps(calcs[0] + calcs[1])) * u64::from(rounds);
        assert_eq!(completion_of(&ping_pong(rounds, calcs, 2)), expected, "{rounds} rounds, {calcs:?}");
    }
}

/// A token that goes round a ring of six ranks, with a computation at each.
pub(crate) fn token(joint: bool) -> String {
    let mut text = "num_ranks 6\n".to_owned();
    for rank in 0..6 {
        let (before, next) = ((rank + 5) % 6, (rank + 1) % 6);
        writeln!(text, "rank {rank} {{").unwrap();
        let receive = format!("r: recv {BYTES}b from {before} tag 3\n");
        let send = format!("s: send {BYTES}b to {next} tag 3\n");
        let middle = if joint { "j: calc 0\nc requires j\nj requires r\n" } else { "c requires r\n" };
        let calc = format!("c: calc {}\n", 1000 * (rank + 1));
        let edges = if rank == 0 {
            "r requires s\n".to_owned() + middle
        } else {
            middle.to_owned() + "s requires c\n"
        };
        // A joint before the rest shifts all numbers.
        let first = if joint { "calc 0\n" } else { "" };
        write!(text, "{first}{receive}{calc}{send}").unwrap();
        writeln!(text, "{edges}}}").unwrap();
    }
    text
}

#[test]
fn a_token_takes_the_sum_of_its_hops() {
    let calcs: u64 = (1..=6).map(|rank| 1000 * rank).sum();
    assert_eq!(completion_of(&token(false)), tau() * 6 + Span::from_ps(calcs));
}

/// Computations of no time, and ranks without operations, change no event of the fabric.
#[test]
fn what_does_nothing_changes_nothing() {
    let seen = |goal: &str| {
        let record = run(&plan(goal, ALL, &[]));
        (record.digest, completion(&record), record.packet_hops)
    };
    assert_eq!(seen(&token(true)), seen(&token(false)));
    assert_eq!(seen(&ping_pong(6, [10, 20], 5)), seen(&ping_pong(6, [10, 20], 2)));
}

/// Ranks of a host exchange messages in no time, and go their own ways to other hosts.
#[test]
fn ranks_share_a_host() {
    let on = |hosts: &str| completion(&run(&plan(&ping_pong(4, [500, 700], 2), hosts, &[])));
    assert_eq!(on("[\"s1\", \"s1\"]"), Span::from_ps(4 * 1200));
    assert_eq!(on("[\"s3\", \"sink\"]"), (tau() * 2 + Span::from_ps(1200)) * 4, "another pair of hosts");
    // The two sends of rank 0 and rank 1 share the wire of s1.
    let two = format!(
        "num_ranks 4\nrank 0 {{\nsend {BYTES}b to 2\n}}\nrank 1 {{\nsend {BYTES}b to 3\n}}\n\
         rank 2 {{\nrecv {BYTES}b from 0\n}}\nrank 3 {{\nrecv {BYTES}b from 1\n}}\n"
    );
    let shared = completion(&run(&plan(&two, "[\"s1\", \"s1\", \"s2\", \"s3\"]", &[])));
    let wire = Span::from_ns(4 * (2048 + 26) + 1812 + 26 + 4);
    assert_eq!(shared, tau() + wire);
}

/// A run that waits for its traffic ends with the last operation, even if that computes.
#[test]
fn a_run_is_done_with_the_last_operation() {
    for (goal, transport) in [
        (ping_pong(3, [12_345_678, 5], 2), "Uc"),
        (
            "num_ranks 2\nrank 0 {\na: calc 5000000\nb: calc 7\nb requires a\n}\nrank 1 {\ncalc 9\n}\n"
                .to_owned(),
            "Uc",
        ),
        // The last operation is a send, which ends with its acknowledgement.
        (
            format!("num_ranks 2\nrank 0 {{\nsend {BYTES}b to 1\n}}\nrank 1 {{\nrecv {BYTES}b from 0\n}}\n"),
            "Rc",
        ),
    ] {
        let jobs = format!(
            "jobs=[Job(name: \"A\", program: Goal(file: \"a.goal\", calc_unit: \"1 ps\"), transport: {transport})]"
        );
        let whole = run(&plan(&goal, ALL, &[&jobs]));
        let done = run(&plan(&goal, ALL, &[&jobs, "until_done=true"]));
        assert_eq!(done.ended, RunEnding::Done);
        assert_eq!(done.simulated, completion(&whole));
        assert_eq!(of(&done), of(&whole));
        assert_eq!(done.finite.and_then(|finite| finite.done), of(&whole).end);
    }
}

/// A receive from any rank takes the message that another receive is for, which then waits for ever.
#[test]
fn a_job_that_cannot_go_on_is_stuck() {
    let goal = format!(
        "num_ranks 3\nrank 0 {{\na: recv {BYTES}b from -1\nb: recv {BYTES}b from 1\nb requires a\n}}\n\
         rank 1 {{\nsend {BYTES}b to 0\n}}\nrank 2 {{\nc: calc 1000000\ns: send {BYTES}b to 0\ns requires c\n}}\n"
    );
    for until_done in ["until_done=true", "until_done=false"] {
        let record = run(&plan(&goal, ALL, &[until_done]));
        assert_eq!(record.ended, RunEnding::Stuck);
        assert!(record.simulated < Span::from_us(300), "{}", record.simulated);
        let job = of(&record);
        let [waiting] = job.waiting[..] else { panic!("{job:?}") };
        assert_eq!((waiting.rank, waiting.operation, waiting.from, waiting.tag), (0, 1, Some(1), Some(0)));
        assert_eq!((job.end, job.operations - job.ended), (None, 1));
        assert_eq!(job.stuck, Some(StuckCause::AnyMessage));
    }
    // The other order of arrival leaves nothing.
    let late =
        goal.replace("calc 1000000", "calc 0").replace("rank 1 {", "rank 1 {\nw: calc 1000000000\n").replace(
            &format!("send {BYTES}b to 0\n}}\nrank 2"),
            &format!("v: send {BYTES}b to 0\nv requires w\n}}\nrank 2"),
        );
    assert_eq!(run(&plan(&late, ALL, &["until_done=true"])).ended, RunEnding::Done);
}

/// A job without wildcards whose receives are posted in another order than its messages: its replay is stuck as well.
#[test]
fn a_job_that_times_make_stuck_says_why() {
    let goal = "num_ranks 2\nrank 0 {\ns1: send 8b to 1\ns2: send 8b to 1\ny: recv 8b from 1 tag 9\ns2 requires y\n}\n\
                rank 1 {\nc: calc 2000\nr1: recv 8b from 0\nr2: recv 8b from 0\nr1 requires c\n\
                m: send 8b to 0 tag 9\nm requires r1\n}\n";
    let plan = |goal: &str| plan(goal, ALL, &[]);
    let stuck = plan(goal);
    let outlook = &stuck.job_outlooks()[0];
    assert_eq!(outlook.ideal, Err(NotMeasured::Order));
    let record = run(&stuck);
    assert_eq!((record.ended, of(&record).stuck), (RunEnding::Stuck, Some(StuckCause::Order)));
    // The other order of posting, and tags of their own, leave nothing.
    for right in [
        goal.replace("calc 2000", "calc 0"),
        goal.replacen("s1: send 8b to 1", "s1: send 8b to 1 tag 3", 1)
            .replace("r1: recv 8b from 0", "r1: recv 8b from 0 tag 3"),
    ] {
        let record = run(&plan(&right));
        assert_eq!(of(&record).stuck, None, "{right}");
        assert!(of(&record).end.is_some(), "{right}");
    }
}

/// A receive with a wildcard takes a message of another size if that comes first; the record names both.
#[test]
fn receives_of_another_size_are_named() {
    let goal = |late: u32| {
        format!(
            "num_ranks 3\nrank 0 {{\na: recv 8b from -1\nb: recv 9000b from -1\n}}\nrank 1 {{\nc: calc {late}\ns: send 8b to 0\n\
             s requires c\n}}\nrank 2 {{\nc: calc 1000\ns: send 9000b to 0\ns requires c\n}}\n"
        )
    };
    let unequal = |late| of(&run(&plan(&goal(late), ALL, &[]))).unequal;
    assert_eq!(unequal(1000), None);
    let found = unequal(1_000_000_000).expect("the long message comes first");
    assert_eq!((found.send, found.sent.get()), ((2, 1), 9000));
    assert_eq!((found.receive, found.received.get()), ((0, 0), 8));
}

#[test]
fn a_job_does_not_depend_on_how_it_runs() {
    let goal = ping_pong(5, [2_000_000, 700], 2);
    for goal in [&goal, &token(true)] {
        for until_done in ["until_done=true", "until_done=false"] {
            does_not_depend(&plan(goal, ALL, &[until_done, "duration=\"300 us\""]));
        }
    }
}

/// Checks that the record is the same in any number of parts, in any order of turns, and when the run goes on from a
/// state.
pub(crate) fn does_not_depend(plan: &Plan) {
    let told = |options: RunOptions<'_>| {
        let record = simulate(plan, options, &mut |_| {});
        format!("{:#?}", record.unwrap_or_else(|failed| panic!("{failed}")))
    };
    let whole = told(RunOptions::default());
    assert_eq!(told(RunOptions { scramble: Some(3), ..RunOptions::default() }), whole);
    for parts in [2_u16, 3] {
        let of_node: Vec<u16> = (0..plan.graph().nodes() as u16).map(|node| node % parts).collect();
        let partition = Partition::new(&of_node);
        for in_turn in [false, true] {
            let options = RunOptions { partition: Some(&partition), in_turn, ..RunOptions::default() };
            assert_eq!(told(options), whole, "{parts} parts, in turn: {in_turn}");
        }
    }
    resumed(plan, &whole);
}

/// Saves a run every 3.7 us, and goes on from each state.
pub(crate) fn resumed(plan: &Plan, whole: &str) {
    let mut states: Vec<(Time, Vec<u8>)> = Vec::new();
    let save = |from: Option<&[u8]>, every, states: &mut Vec<(Time, Vec<u8>)>| {
        let keep = &mut |at, state| states.push((at, state));
        let saving = Saving { every, from, keep };
        let record = simulate_saving(plan, RunOptions::default(), saving, &mut |_| {});
        format!("{:#?}", record.unwrap_or_else(|failed| panic!("{failed:?}")))
    };
    assert_eq!(save(None, Some(Span::from_ns(3700)), &mut states), whole);
    assert!(states.len() > 10, "{} states", states.len());
    for (at, state) in &states {
        assert_eq!(save(Some(state), None, &mut Vec::new()), whole, "from {at}");
    }
}
