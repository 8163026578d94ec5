//! Congestion trees in files: `trees.csv`, `roots.csv`, `contributors.csv`, `victims.csv`.
//!
//! Invariant: a root is named by the same four columns in all of them.

use telemetry::{ContributorRecord, FlowRecord, RootRecord, RunRecord, TreeSample, VictimRecord};
use units::Bytes;

use crate::congestion::{cause, lost_bps, through};
use crate::rows::{ContributorRow, RootRow, TreeRow, VictimRow};
use crate::table::TableRow;
use measures::rounded;

/// Returns `trees.csv`: one row for each tree and sample.
#[must_use]
pub fn trees(record: &RunRecord) -> String {
    let row = |sample: &TreeSample| {
        let root = &record.congestion.roots[sample.root as usize];
        TreeRow {
            time_s: sample.at.seconds(),
            root_node: root.node.as_str().into(),
            root_port: root.port.into(),
            root_peer: root.peer.as_str().into(),
            lane: root.lane.into(),
            since_s: sample.since.seconds(),
            queue_bytes: sample.queue.get(),
            branches: sample.branches,
            depth: sample.depth,
            saturated_ports: sample.ports,
            contributors: sample.contributors,
            victims: sample.victims,
        }
    };
    TreeRow::csv(record.congestion.samples.iter().map(row))
}

/// Returns `roots.csv`: one row for each root, over the whole run.
#[must_use]
pub fn roots(record: &RunRecord) -> String {
    RootRow::csv(record.congestion.roots.iter().map(|root| root_row(record, root)))
}

fn root_row<'a>(record: &RunRecord, root: &'a RootRecord) -> RootRow<'a> {
    RootRow {
        root_node: root.node.as_str().into(),
        root_port: root.port.into(),
        root_peer: root.peer.as_str().into(),
        lane: root.lane.into(),
        link_rate_bps: root.rate.get() as f64,
        from_s: root.first.seconds(),
        to_s: root.last.seconds(),
        samples: root.samples,
        branches: root.branches,
        depth: root.depth,
        saturated_ports: root.ports,
        branches_stalled_s: root.stalled.seconds(),
        cause: root.cause.map(|cause| cause::word(cause).into()),
        senders: root.senders,
        contributors: root.contributors.len() as u64,
        victims: root.victims.len() as u64,
        lost_bytes: root.lost.get(),
        lost_bps: lost_bps(record, root).round(),
    }
}

/// Returns `contributors.csv`: one row for each contributor and root.
#[must_use]
pub fn contributors(record: &RunRecord) -> String {
    let rows = record.congestion.roots.iter().flat_map(|root| {
        let all = through(root);
        root.contributors.iter().map(move |one| contributor(record, root, one, all))
    });
    ContributorRow::csv(rows)
}

/// Returns the row of a contributor; `all` bytes went through the root, if that is known.
fn contributor<'a>(
    record: &'a RunRecord,
    root: &'a RootRecord,
    one: &ContributorRecord,
    all: Option<u64>,
) -> ContributorRow<'a> {
    let flow = &record.flows[one.flow as usize];
    ContributorRow {
        flow: (&*flow.name).into(),
        src: flow.source.as_str().into(),
        dst: flow.destination.as_str().into(),
        group: group(record, flow).map(Into::into),
        root_node: root.node.as_str().into(),
        root_port: root.port.into(),
        root_peer: root.peer.as_str().into(),
        lane: root.lane.into(),
        samples: one.samples,
        through_bytes: one.through.map(Bytes::get),
        share: one.through.zip(all).map(|(own, all)| rounded(own.get() as f64 / all.max(1) as f64, 6)),
    }
}

/// Returns `victims.csv`: one row for each victim and root, with the time that the victim waited.
#[must_use]
pub fn victims(record: &RunRecord) -> String {
    let of_root = record.congestion.roots.iter().map(|root| (root, &root.victims));
    let rows = of_root.flat_map(|(root, victims)| victims.iter().map(move |one| victim(record, root, one)));
    VictimRow::csv(rows)
}

fn victim<'a>(record: &'a RunRecord, root: &'a RootRecord, one: &VictimRecord) -> VictimRow<'a> {
    let flow = &record.flows[one.flow as usize];
    VictimRow {
        flow: (&*flow.name).into(),
        src: flow.source.as_str().into(),
        dst: flow.destination.as_str().into(),
        group: group(record, flow).map(Into::into),
        root_node: root.node.as_str().into(),
        root_port: root.port.into(),
        root_peer: root.peer.as_str().into(),
        lane: root.lane.into(),
        from_s: root.first.seconds(),
        to_s: root.last.seconds(),
        samples: one.samples,
        waited_s: one.waited.seconds(),
        lost_bytes: one.lost.get(),
    }
}

/// Returns the name of a flow's group.
fn group<'a>(record: &'a RunRecord, flow: &FlowRecord) -> Option<&'a str> {
    flow.group.map(|group| record.groups[group as usize].name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::WIDTH;
    use crate::sample;
    use crate::tables::congestion::printed;

    #[test]
    fn the_tables_as_they_are_written_and_printed() {
        let record = sample::record();
        insta::assert_snapshot!("trees", trees(&record));
        insta::assert_snapshot!("roots", roots(&record));
        insta::assert_snapshot!("contributors", contributors(&record));
        insta::assert_snapshot!("victims", victims(&record));
        insta::assert_snapshot!("printed_trees", printed(&record, WIDTH));
    }

    #[test]
    fn a_run_without_congestion_says_so() {
        let mut record = sample::record();
        record.congestion = telemetry::Congestion::default();
        record.lanes.iter_mut().for_each(|lane| lane.load = None);
        assert_eq!(printed(&record, WIDTH), "Congestion trees: none at any sample\n");
        let files = [trees, roots, contributors, victims].map(|file| file(&record).lines().count());
        assert_eq!(files, [1; 4]);
    }
}
