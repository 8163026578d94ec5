//! Runs by several ranks: the record is the same as from a single process, to the last digit, for any division of any
//! fabric.
//!
//! The ranks are threads here, each with memory of its own, and exchange nothing but messages.
#![expect(clippy::disallowed_methods, reason = "threads stand for processes here")]

use std::panic::catch_unwind;
use std::thread;

use fabric::{Keep, ResumeError, RunOptions, Saving, follow, release, simulate_saving};
use parallel::{Ranks, RanksInThreads};
use proptest::prelude::*;
use scenario::Plan;
use telemetry::RunRecord;
use topology::Partition;
use units::Span;

use crate::common::shipped;
use crate::drawn::{cases, drawn};
use crate::parts::{assert_same, outcome, told};

/// Runs a plan by `ranks` ranks. Rank 0 has these options.
pub(crate) fn by_ranks<T>(
    plan: &Plan,
    ranks: usize,
    options: RunOptions<'_>,
    lead: impl FnOnce(RunOptions<'_>) -> T,
) -> T {
    let mut ranks = RanksInThreads::new(ranks).into_iter();
    let first = ranks.next().expect("there is a rank");
    // Each thread owns its rank: if a thread fails, the others notice, since its messages end.
    thread::scope(move |scope| {
        for own in ranks {
            let scramble = options.scramble;
            scope.spawn(move || {
                follow(Some(plan), RunOptions { scramble, ranks: Some(&own), ..RunOptions::default() });
            });
        }
        let led = lead(RunOptions { ranks: Some(&first), ..options });
        release(&first);
        led
    })
}

#[test]
fn a_rank_that_fails_ends_the_others() {
    let plan = shipped("bench-a32", &[]);
    let failed =
        catch_unwind(|| by_ranks(&plan, 3, RunOptions::default(), |_| -> () { panic!("rank 0 fails") }));
    assert!(failed.is_err(), "the others do not wait for it");
}

/// Runs a plan on the way saved at intervals, and from a state.
fn saving(
    plan: &Plan,
    options: RunOptions<'_>,
    (every, from): (Option<Span>, Option<&[u8]>),
    keep: &mut Keep<'_>,
) -> Result<RunRecord, ResumeError> {
    simulate_saving(plan, options, Saving { every, from, keep }, &mut |_| {})
}

proptest! {
    #![proptest_config(cases(8))]

    /// Any assignment of nodes to parts, and of parts to ranks, gives the same record. That includes the digest,
    /// every count and series, completions, trees, and the same deadlock at the same instant.
    #[test]
    fn any_number_of_ranks_gives_the_same_record(drawn in drawn(), ranks in 1..=3_usize) {
        let plan = drawn.plan();
        let partition = Partition::new(&drawn.of_node[..plan.graph().nodes()]);
        let options = RunOptions { partition: Some(&partition), ..drawn.options() };
        // Parts between which a packet takes no time become a single part.
        let parts = match partition.cost(&plan.weighed_graph(&plan.expected_work())).window {
            Some(Span::ZERO) => 1,
            _ => partition.parts(),
        };
        let by_some = by_ranks(&plan, ranks.min(parts), options, |options| told(&plan, options));
        assert_same(&outcome(&plan, &drawn, None), &by_some, &drawn);
    }
}

/// States equal the states of a single process, byte for byte, and a run continues from them on another number of
/// ranks.
#[test]
fn a_run_goes_on_by_another_number_of_ranks() {
    let traffic = "traffic=[Permutation(at: \"3 us\", bytes: \"1 MiB\")]";
    let plan = shipped("bench-a32", &["duration=\"300 us\"", "sample=\"20 us\"", traffic]);
    let partition = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), 4);
    let options = RunOptions { partition: Some(&partition), ..RunOptions::default() };
    let every = Some(Span::from_us(100));
    let kept = |ranks| {
        let mut states = Vec::new();
        let mut lead = |options: RunOptions<'_>| {
            let keep = &mut |at, state| states.push((at, state));
            let record = saving(&plan, options, (every, None), keep).expect("the run ends well");
            format!("{record:#?}")
        };
        let record = match ranks {
            None => lead(RunOptions { partition: None, ..options }),
            Some(ranks) => by_ranks(&plan, ranks, options, &mut lead),
        };
        (record, states)
    };
    let (alone, states) = kept(None);
    assert_eq!(states.len(), 3, "a state each 100 us");
    let (together, same) = kept(Some(2));
    assert_same(&alone, &together, &"two ranks");
    assert!(states == same, "states by two ranks are those of one process");
    for ranks in [1, 3, 4] {
        let resumed = by_ranks(&plan, ranks, options, |options| {
            saving(&plan, options, (None, Some(&states[1].1)), &mut |_, _| {}).expect("the run ends well")
        });
        assert_same(&alone, &format!("{resumed:#?}"), &ranks);
    }
}

/// Ranks that have read another scenario, or none, are named before anything runs.
#[test]
fn ranks_with_another_plan_are_named() {
    let [plan, other] = ["seed=1", "seed=2"].map(|seed| shipped("bench-a32", &[seed]));
    let partition = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), 3);
    for (of_second, expected) in [
        (Some(&other), "rank 2 has read another scenario than rank 0"),
        (None, "rank 2 cannot read the scenario, or a file that it names, which rank 0 can"),
    ] {
        let all: [RanksInThreads; 3] = RanksInThreads::new(3).try_into().expect("three ranks");
        let [first, second, third] = all;
        let failed = thread::scope(|scope| {
            scope.spawn(|| follow(Some(&plan), RunOptions { ranks: Some(&second), ..RunOptions::default() }));
            scope.spawn(|| follow(of_second, RunOptions { ranks: Some(&third), ..RunOptions::default() }));
            let options =
                RunOptions { ranks: Some(&first), partition: Some(&partition), ..RunOptions::default() };
            let failed = saving(&plan, options, (None, None), &mut |_, _| {});
            release(&first);
            failed.expect_err("the plans differ")
        });
        assert_eq!((failed.to_string().as_str(), first.count()), (expected, 3));
    }
}
