//! Runs in several parts: the record is the same as in a single part, to the last digit, for any division of any
//! fabric.

use core::fmt::Write;
use core::sync::atomic::{AtomicBool, Ordering};

use fabric::{RunOptions, simulate};
use proptest::prelude::*;
use scenario::Plan;
use telemetry::{Progress, RunEnding};
use topology::Partition;
use units::Time;

use crate::common::{run, shipped};
use crate::drawn::{Drawn, cases, drawn};

/// Returns the whole record of a run, or the reason for which it failed.
pub(crate) fn told(plan: &Plan, options: RunOptions<'_>) -> String {
    let mut text = String::new();
    match simulate(plan, options, &mut |_| {}) {
        Ok(record) => {
            // The least traffic that is drawn: an incast of four messages of ten packets, over two hops.
            assert!(record.packet_hops > 50, "traffic moves");
            write!(text, "{record:#?}")
        }
        Err(failed) => write!(text, "{failed:#?}"),
    }
    .expect("a string takes all");
    text
}

/// Returns the record of a run in these parts.
pub(crate) fn outcome(plan: &Plan, drawn: &Drawn, partition: Option<&Partition>) -> String {
    told(plan, RunOptions { partition, ..drawn.options() })
}

/// Panics at the first line that differs.
pub(crate) fn assert_same(one: &str, other: &str, what: &dyn core::fmt::Debug) {
    if one != other {
        let differs = one.lines().zip(other.lines()).enumerate().find(|(_, (one, other))| one != other);
        panic!("{what:#?}\ndiffers: {differs:?}");
    }
}

proptest! {
    #![proptest_config(cases(24))]

    /// Any assignment of nodes to parts gives the same record: digest, every count and series, completions, trees,
    /// and the same deadlock at the same instant.
    #[test]
    fn every_partition_gives_the_same_record(drawn in drawn()) {
        let plan = drawn.plan();
        let partition = Partition::new(&drawn.of_node[..plan.graph().nodes()]);
        let one = outcome(&plan, &drawn, None);
        assert_same(&one, &outcome(&plan, &drawn, Some(&partition)), &drawn);
        // Adapters are with their switches, so that threads meet before their turns.
        let balanced = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), 2);
        let on_threads = RunOptions { partition: Some(&balanced), in_turn: false, ..drawn.options() };
        assert_same(&one, &told(&plan, on_threads), &drawn);
    }
}

/// A run that is interrupted in several parts has the digest of a run in a single part that lasts as long.
#[test]
fn an_interrupted_run_in_parts_is_whole_up_to_its_end() {
    // At a sample; and between two, where progress is reported.
    for (in_turn, sample) in [(false, "10 us"), (true, "10 us"), (false, "1 ms"), (true, "1 ms")] {
        let sample = format!("sample=\"{sample}\"");
        let plan = shipped("bench-b128", &[&sample]);
        let partition = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), 2);
        let interrupt = AtomicBool::new(false);
        let reported = |progress: Progress| {
            interrupt.store(progress.now > Time::ZERO, Ordering::Relaxed);
        };
        let options = RunOptions {
            interrupt: Some(&interrupt),
            partition: Some(&partition),
            in_turn,
            ..RunOptions::default()
        };
        let record = simulate(&plan, options, &mut { reported }).unwrap_or_else(|failed| panic!("{failed}"));
        assert_eq!(record.ended, RunEnding::Interrupted);
        let duration = format!("duration=\"{}\"", record.simulated);
        let same = run(&shipped("bench-b128", &["sample=\"10 us\"", &duration]));
        assert_eq!(
            (same.digest, same.events),
            (record.digest, record.events),
            "in turn: {in_turn}, {sample}"
        );
    }
}

/// Spines on long cables are parts without inner cables, so their event lists have long buckets. The windows in which
/// deliveries are counted are as short as the cables to hosts, and still go on.
#[test]
fn short_windows_go_on_in_long_buckets() {
    let sets = [
        "topology=Clos(radix: 4, host_cable: \"near\", trunk_cable: \"far\")",
        "cables={\"near\": (width: X4, speed: EDR, propagation: Delay(\"5 ns\")), \
         \"far\": (width: X4, speed: EDR, propagation: Delay(\"700 ns\"))}",
        "traffic=[Permutation(at: \"3 us\", bytes: \"64 KiB\")]",
        "until_done=true",
        "duration=\"60 us\"",
        "sample=\"5 us\"",
    ];
    let plan = shipped("bench-a32", &sets);
    let of_node: Vec<u16> = plan.graph().names().map(|name| u16::from(name.starts_with("spine"))).collect();
    assert!(of_node.contains(&1), "a Clos network has spines");
    let partition = Partition::new(&of_node);
    for in_turn in [false, true] {
        let drawn = Drawn { sets: Vec::new(), drain: false, scramble: None, in_turn, of_node: Vec::new() };
        let [one, other] = [None, Some(&partition)].map(|partition| outcome(&plan, &drawn, partition));
        assert_same(&one, &other, &in_turn);
    }
}

/// The smallest run on threads, 20 windows of a microsecond, which Miri can interpret: `cargo xtask test-races`.
#[test]
fn a_run_of_microseconds_on_threads_is_that_of_one_part() {
    let plan =
        shipped("one-flow", &["cables.host.propagation=Cable(\"200 m\")", "duration=20 us", "sample=10 us"]);
    let hosts_apart = Partition::new(&[0, 1, 1]);
    let [one, two] = [None, Some(&hosts_apart)].map(|partition| {
        let options = RunOptions { partition, ..RunOptions::default() };
        simulate(&plan, options, &mut |_| {}).unwrap_or_else(|failed| panic!("{failed}"))
    });
    assert!(one.packet_hops > 20, "traffic moves: {}", one.packet_hops);
    assert_eq!((two.digest, two.events, two.packet_hops), (one.digest, one.events, one.packet_hops));
}
