//! Groups of more flows than a table shows one by one.
//!
//! Invariant: the row of such a group covers all its flows, so that tables lose no number by leaving its flows out.

use std::collections::BTreeSet;

use telemetry::RunRecord;

use super::row::ComparedRun;
use crate::groups::MOST_MEMBERS;

/// Returns for each group whether it has more flows than a table shows, named or not.
pub(super) fn large_groups(record: &RunRecord) -> Vec<bool> {
    record.members().iter().map(|flows| flows.len() > MOST_MEMBERS).collect()
}

/// Returns the names of the named flows that belong to a large group in any run.
pub(super) fn member_names<'a>(runs: &[ComparedRun<'a>]) -> BTreeSet<&'a str> {
    let of_run = |run: &ComparedRun<'a>| {
        let (record, large) = (run.record, large_groups(run.record));
        let is_member = move |group: Option<u32>| group.is_some_and(|group| large[group as usize]);
        let named = &record.flows[..record.named()];
        named.iter().filter(move |flow| is_member(flow.group)).map(|flow| &*flow.name)
    };
    runs.iter().flat_map(of_run).collect()
}
