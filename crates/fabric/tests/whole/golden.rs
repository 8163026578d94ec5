//! Every shipped scenario, whole: its digest and its counts, as a snapshot.
//!
//! A change of the model changes the snapshot and says so in `CHANGELOG.md`; any other change does not.

use crate::common::{run, shipped};
use core::fmt::Write;

#[test]
fn shipped_scenarios_give_the_same_to_the_byte() {
    let mut golden = String::new();
    for scenario in scenario::shipped() {
        let record = run(&shipped(scenario.name, &[]));
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
