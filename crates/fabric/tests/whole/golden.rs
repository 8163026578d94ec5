//! Every shipped scenario, whole unless it is too long for a test: its digest and its counts, as a snapshot.
//!
//! A change of the model changes the snapshot and says so in `CHANGELOG.md`; any other change does not.

use crate::common::{run, shipped};
use core::fmt::Write;
use fabric::{RunOptions, simulate};
use scenario::Plan;
use topology::Partition;

/// Scenarios that take a minute each are cut to half a millisecond, with hot spots in it.
const SHORTENED: [(&str, &[&str]); 1] = [(
    "dcs648",
    &[
        "duration=500 us",
        "sample=100 us",
        "traffic[4].at=100 us",
        "traffic[5].at=120 us",
        "traffic[6].at=140 us",
        "traffic[7].at=160 us",
        "traffic[8].at=180 us",
        "traffic[9].at=200 us",
    ],
)];

/// Packet-hops of scenarios that are cheap enough to run three times.
const CHEAP: u64 = 400_000;

/// Runs a plan in two parts and in three parts, on a single thread. Runs on several threads are in `parts`.
fn same_in_parts(plan: &Plan, digest: u64) {
    for parts in [2, 3] {
        let partition = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), parts);
        let options = RunOptions { partition: Some(&partition), in_turn: true, ..RunOptions::default() };
        let record = simulate(plan, options, &mut |_| {}).unwrap_or_else(|failed| panic!("{failed}"));
        assert_eq!(record.digest, digest, "{} in {parts} parts", plan.name());
    }
}

#[test]
fn shipped_scenarios_give_the_same_to_the_byte() {
    let mut golden = String::new();
    for scenario in scenario::shipped() {
        let sets =
            SHORTENED.iter().find(|(name, _)| *name == scenario.name).map_or(&[][..], |(_, sets)| sets);
        let plan = shipped(scenario.name, sets);
        let record = run(&plan);
        if record.packet_hops < CHEAP {
            same_in_parts(&plan, record.digest);
        }
        let delivered: u64 = record.flows.iter().map(|flow| flow.delivered.get()).sum();
        writeln!(
            golden,
            "{:20} {:016x}  {:>9} packet-hops, {:>11} bytes delivered, {:>6} marks, {:>6} BECNs",
            scenario.name,
            record.digest,
            record.packet_hops,
            delivered,
            record.marks.total(),
            record.transport.becns,
        )
        .expect("a string takes all");
    }
    insta::assert_snapshot!(golden);
}
