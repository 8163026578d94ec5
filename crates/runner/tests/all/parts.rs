//! Runs in several parts: every file equals a single part's, to the byte.

#[path = "../../../fabric/tests/whole/drawn.rs"]
mod drawn;

use std::collections::BTreeMap;

use crate::cost::without_cost;
use backwater::{FinishedRun, Plan, RunOptions};
use drawn::{cases, drawn};
use proptest::prelude::*;
use topology::Partition;

/// Returns the contents of every file of a run by name, without its cost; or the reason for which it failed.
fn files(plan: &Plan, options: RunOptions<'_>) -> Result<BTreeMap<String, String>, String> {
    let run = FinishedRun::of(plan.clone(), options, &mut |_| {}).map_err(|failed| failed.to_string())?;
    let files = run.output().files.into_iter();
    Ok(files
        .map(|file| match file.name.as_str() {
            "summary.json" => {
                (file.name, without_cost(serde_json::from_str(&file.contents).expect("a summary is JSON")))
            }
            _ => (file.name, file.contents),
        })
        .collect())
}

proptest! {
    #![proptest_config(cases(48))]

    /// Any assignment of nodes to 2, 3 or 7 parts, on threads or in turn, gives the same files, or fails for the same
    /// reason.
    #[test]
    fn every_partition_gives_the_same_files(drawn in drawn()) {
        let plan = drawn.plan();
        let partition = Partition::new(&drawn.of_node[..plan.graph().nodes()]);
        let one = files(&plan, drawn.options());
        let several = files(&plan, RunOptions { partition: Some(&partition), ..drawn.options() });
        match (one, several) {
            (Ok(one), Ok(several)) => {
                prop_assert!(one.len() > 10, "{:?}", one.keys());
                prop_assert!(one.keys().eq(several.keys()), "{:?} and {:?}", one.keys(), several.keys());
                for (name, contents) in &one {
                    prop_assert!(*contents == several[name], "{name} differs");
                }
            }
            (one, several) => prop_assert_eq!(one.err(), several.err()),
        }
    }
}
