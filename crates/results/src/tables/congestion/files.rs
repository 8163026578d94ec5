//! Congestion trees in files: `trees.csv`, `roots.csv`, `contributors.csv`, `victims.csv`.
//!
//! Invariant: a root is named by the same four columns in all of them.

use telemetry::{ContributorRecord, FlowRecord, RootRecord, RunRecord, TreeSample, VictimRecord};

use crate::congestion::{cause, lost_bps};
use crate::table::{Column, Table};
use measures::rounded;

/// The output and lane that a row of any of these files is about.
trait OfRoot {
    fn root(&self) -> &RootRecord;
}

/// The columns that name a root, for rows of type `R`.
macro_rules! root_columns {
    ($row:ty) => {
        [
            Column::<$row>::text("root_node", "the root's switch", |row| &row.root().node),
            Column::count("root_port", "its output, counted from 1", |row| row.root().port.into()),
            Column::text("root_peer", "the node at the output's other end", |row| &row.root().peer),
            Column::count("lane", "the lane", |row| row.root().lane.into()),
        ]
    };
}

/// The columns that name a flow, for rows of type `R`.
macro_rules! flow_columns {
    ($row:ty, $meaning:literal) => {
        [
            Column::<$row>::text("flow", $meaning, |row| &row.flow().name),
            Column::text("src", "source host of its data", |row| &row.flow().source),
            Column::text("dst", "destination host of its data", |row| &row.flow().destination),
            Column::optional_text("group", "its group, if it has one", |row| row.group()),
        ]
    };
}

/// A row of `trees.csv`.
#[derive(Debug)]
pub struct TreeRow<'a> {
    root: &'a RootRecord,
    sample: &'a TreeSample,
}

/// Returns `trees.csv`: one row for each tree and sample.
#[must_use]
pub fn trees(record: &RunRecord) -> String {
    let root = |sample: &TreeSample| &record.congestion.roots[sample.root as usize];
    tree_table().csv(record.congestion.samples.iter().map(|sample| TreeRow { root: root(sample), sample }))
}

/// Returns the definition of `trees.csv`.
#[must_use]
pub fn tree_table<'a>() -> Table<TreeRow<'a>> {
    let tree: [Column<TreeRow<'a>>; 7] = [
        Column::number(
            "since_s",
            "the first of the consecutive samples up to this one that showed this root",
            |row| row.sample.since.seconds(),
        ),
        Column::count("queue_bytes", "packets waiting in the root's switch to leave by it", |row| {
            row.sample.queue.get()
        }),
        Column::count(
            "branches",
            "outputs and lanes, of switches and adapters, that were without credit because of the root",
            |row| row.sample.branches.into(),
        ),
        Column::count("depth", "the longest path from the root to the end of a branch, in links", |row| {
            row.sample.depth.into()
        }),
        Column::count("saturated_ports", "ports of the branches and of the root", |row| {
            row.sample.ports.into()
        }),
        Column::count("contributors", "number of contributors", |row| row.sample.contributors.into()),
        Column::count("victims", "number of victims", |row| row.sample.victims.into()),
    ];
    let time = [Column::number("time_s", "the sample", |row: &TreeRow<'a>| row.sample.at.seconds())];
    let columns = time.into_iter().chain(root_columns!(TreeRow<'a>)).chain(tree).collect();
    Table { file: "trees.csv", contents: "one row per congestion tree and sample, in order of time", columns }
}

/// A row of `roots.csv`.
#[derive(Debug)]
pub struct RootRow<'a> {
    record: &'a RunRecord,
    root: &'a RootRecord,
}

/// Returns `roots.csv`: one row for each root, over the whole run.
#[must_use]
pub fn roots(record: &RunRecord) -> String {
    root_table().csv(record.congestion.roots.iter().map(|root| RootRow { record, root }))
}

/// Returns the definition of `roots.csv`.
#[must_use]
pub fn root_table<'a>() -> Table<RootRow<'a>> {
    let extent: [Column<RootRow<'a>>; 8] = [
        Column::number("link_rate_bps", "the rate of the root's link", |row| row.root.rate.get() as f64),
        Column::number("from_s", "the first sample that showed this root", |row| row.root.first.seconds()),
        Column::number("to_s", "the last sample that showed this root", |row| row.root.last.seconds()),
        Column::count("samples", "number of samples that showed it", |row| row.root.samples.into()),
        Column::count("branches", "the most branches at one sample", |row| row.root.branches.into()),
        Column::count("depth", "the longest path from the root to the end of a branch, in links", |row| {
            row.root.depth.into()
        }),
        Column::count("saturated_ports", "the most ports of branches and root at one sample", |row| {
            row.root.ports.into()
        }),
        Column::number(
            "branches_without_credit_s",
            "time without credit, added up over the branches",
            |row| row.root.held_back.seconds(),
        ),
    ];
    let columns = root_columns!(RootRow<'a>).into_iter().chain(extent).chain(causes()).collect();
    let contents = "one row per root, with its cause and cost; roots in the order of their first appearance";
    Table { file: "roots.csv", contents, columns }
}

fn causes<'a>() -> [Column<RootRow<'a>>; 6] {
    [
        Column::optional_text(
            "cause",
            "the cause of the root: `slow_receiver`, `credit_round_trip`, `head_of_line`, `slower_link`, `more_senders`, \
             `slower_link_of_several`; empty if the rule names none",
            |row| row.root.cause.map(cause::word),
        ),
        Column::count("senders", "number of hosts that send the contributors' data", |row| {
            row.root.senders.into()
        }),
        Column::count("contributors", "number of contributors", |row| row.root.contributors.len() as u64),
        Column::count("victims", "number of victims", |row| row.root.victims.len() as u64),
        Column::count(
            "lost_bytes",
            "the cost of the tree: payload that the idle branches on the victims' paths could have carried for them",
            |row| row.root.lost.get(),
        ),
        Column::number("lost_bps", "`lost_bytes` over the time of its samples", |row| {
            lost_bps(row.record, row.root).round()
        }),
    ]
}

/// A row of `contributors.csv`.
#[derive(Debug)]
pub struct ContributorRow<'a> {
    record: &'a RunRecord,
    root: &'a RootRecord,
    one: &'a ContributorRecord,
}

/// Returns `contributors.csv`: one row for each contributor and root.
#[must_use]
pub fn contributors(record: &RunRecord) -> String {
    let rows = record
        .congestion
        .roots
        .iter()
        .flat_map(|root| root.contributors.iter().map(move |one| ContributorRow { record, root, one }));
    contributor_table().csv(rows)
}

/// Returns the definition of `contributors.csv`.
#[must_use]
pub fn contributor_table<'a>() -> Table<ContributorRow<'a>> {
    let parts: [Column<ContributorRow<'a>>; 3] = [
        Column::count("samples", "number of samples at which its data waited in the tree", |row| {
            row.one.samples.into()
        }),
        Column::count(
            "through_bytes",
            "payload that its host took in the sampling intervals that began with such a sample",
            |row| row.one.through.get(),
        ),
        Column::number("share", "`through_bytes` over the sum of the root's contributors, 0 to 1", |row| {
            let all: u64 = row.root.contributors.iter().map(|one| one.through.get()).sum();
            rounded(row.one.through.get() as f64 / all.max(1) as f64, 6)
        }),
    ];
    let flow = flow_columns!(ContributorRow<'a>, "the contributor");
    let columns = flow.into_iter().chain(root_columns!(ContributorRow<'a>)).chain(parts).collect();
    let contents = "one row per contributor and root, the largest contributor of each root first";
    Table { file: "contributors.csv", contents, columns }
}

/// A row of `victims.csv`.
#[derive(Debug)]
pub struct VictimRow<'a> {
    record: &'a RunRecord,
    root: &'a RootRecord,
    victim: &'a VictimRecord,
}

/// Returns `victims.csv`: one row for each victim and root, with the time that the victim waited.
#[must_use]
pub fn victims(record: &RunRecord) -> String {
    let rows = record
        .congestion
        .roots
        .iter()
        .flat_map(|root| root.victims.iter().map(move |victim| VictimRow { record, root, victim }));
    victim_table().csv(rows)
}

/// Returns the definition of `victims.csv`.
#[must_use]
pub fn victim_table<'a>() -> Table<VictimRow<'a>> {
    let waits: [Column<VictimRow<'a>>; 5] = [
        Column::number("from_s", "the first sample that showed this root", |row| row.root.first.seconds()),
        Column::number("to_s", "the last sample that showed this root", |row| row.root.last.seconds()),
        Column::count(
            "samples",
            "number of samples at which packets of the flow waited in the tree",
            |row| row.victim.samples.into(),
        ),
        Column::number(
            "waited_s",
            "time for which an output on their path was without credit, over the intervals that end at those samples",
            |row| row.victim.waited.seconds(),
        ),
        Column::count(
            "lost_bytes",
            "payload that the idle branches on its path could have carried for it, shared fairly with other victims",
            |row| row.victim.lost.get(),
        ),
    ];
    let flow = flow_columns!(VictimRow<'a>, "the victim");
    let columns = flow.into_iter().chain(root_columns!(VictimRow<'a>)).chain(waits).collect();
    let contents =
        "one row per victim and root, with the waiting time; roots in the order of their first appearance";
    Table { file: "victims.csv", contents, columns }
}

/// Implements the access to root and flow of rows about a flow in a tree.
macro_rules! row_of_flow {
    ($row:ident, $member:ident) => {
        impl OfRoot for $row<'_> {
            fn root(&self) -> &RootRecord {
                self.root
            }
        }

        impl $row<'_> {
            fn flow(&self) -> &FlowRecord {
                &self.record.flows[self.$member.flow as usize]
            }

            fn group(&self) -> Option<&str> {
                let group = self.flow().group?;
                Some(&self.record.groups[group as usize].name)
            }
        }
    };
}

row_of_flow!(ContributorRow, one);
row_of_flow!(VictimRow, victim);

impl OfRoot for TreeRow<'_> {
    fn root(&self) -> &RootRecord {
        self.root
    }
}

impl OfRoot for RootRow<'_> {
    fn root(&self) -> &RootRecord {
        self.root
    }
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
