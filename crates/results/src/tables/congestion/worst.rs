//! `worst_tree.csv`: the congestion tree with most branches at any sample, output by output and flow by flow.
//!
//! Invariant: the root comes first, then branches, parents before children, then flows.

use std::iter;

use telemetry::{RootRecord, RunRecord};

use crate::rows::WorstTreeRow;
use crate::table::TableRow;

/// Returns `worst_tree.csv`; `None` if no tree was found.
#[must_use]
pub fn worst_tree(record: &RunRecord) -> Option<String> {
    let tree = record.congestion.worst.as_ref()?;
    let row = |role: &'static str| WorstTreeRow {
        time_s: tree.at.seconds(),
        role: role.into(),
        ..WorstTreeRow::default()
    };
    let RootRecord { node, port, peer, lane, .. } = &record.congestion.roots[tree.root as usize];
    let root = WorstTreeRow {
        node: Some(node.as_str().into()),
        port: Some((*port).into()),
        peer: Some(peer.as_str().into()),
        lane: Some((*lane).into()),
        depth: Some(0),
        ..row("root")
    };
    let flow = |role: &'static str, flow: u32| {
        let flow = &record.flows[flow as usize];
        WorstTreeRow {
            flow: Some((&*flow.name).into()),
            src: Some(flow.source.as_str().into()),
            dst: Some(flow.destination.as_str().into()),
            ..row(role)
        }
    };
    let branches = tree.branches.iter().map(|branch| WorstTreeRow {
        node: Some(branch.node.as_str().into()),
        port: Some(branch.port.into()),
        peer: Some(branch.peer.as_str().into()),
        lane: Some(branch.lane.into()),
        depth: Some(branch.depth),
        ..row("branch")
    });
    let contributors = tree.contributors.iter().map(|one| flow("contributor", *one));
    let victims = tree.victims.iter().map(|one| flow("victim", *one));
    Some(WorstTreeRow::csv(iter::once(root).chain(branches).chain(contributors).chain(victims)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_table_as_it_is_written_and_none_without_a_tree() {
        let mut record = sample::record();
        insta::assert_snapshot!("worst_tree", worst_tree(&record).expect("there is a tree"));
        record.congestion.worst = None;
        assert_eq!(worst_tree(&record), None);
    }
}
