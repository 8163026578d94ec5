//! Every shipped scenario, whole unless it is too long for a test: its digest and its counts, as a snapshot.
//!
//! A change of the model changes the snapshot and says so in `CHANGELOG.md`; any other change does not.

use crate::common::{run, shipped};
use core::fmt::Write;

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

#[test]
fn shipped_scenarios_give_the_same_to_the_byte() {
    let mut golden = String::new();
    for scenario in scenario::shipped() {
        let sets =
            SHORTENED.iter().find(|(name, _)| *name == scenario.name).map_or(&[][..], |(_, sets)| sets);
        let record = run(&shipped(scenario.name, sets));
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
