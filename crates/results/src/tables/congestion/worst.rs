//! `worst_tree.csv`: the congestion tree with most branches at any sample, output by output and flow by flow.
//!
//! Invariant: the root comes first, then branches, parents before children, then flows.

use telemetry::{BranchRecord, RunRecord, WorstTree};

use crate::table::{Column, Table};

/// A row of `worst_tree.csv`.
#[derive(Debug)]
pub struct WorstTreeRow<'a> {
    record: &'a RunRecord,
    tree: &'a WorstTree,
    part: TreePart<'a>,
}

/// A part of a tree.
#[derive(Debug)]
enum TreePart<'a> {
    Root,
    Branch(&'a BranchRecord),
    Contributor(u32),
    Victim(u32),
}

/// Returns `worst_tree.csv`; `None` if no tree was found.
#[must_use]
pub fn worst_tree(record: &RunRecord) -> Option<String> {
    let tree = record.congestion.worst.as_ref()?;
    let branches = tree.branches.iter().map(TreePart::Branch);
    let contributors = tree.contributors.iter().map(|flow| TreePart::Contributor(*flow));
    let victims = tree.victims.iter().map(|flow| TreePart::Victim(*flow));
    let parts = core::iter::once(TreePart::Root).chain(branches).chain(contributors).chain(victims);
    Some(table().csv(parts.map(|part| WorstTreeRow { record, tree, part })))
}

/// Returns the definition of `worst_tree.csv`.
#[must_use]
pub fn table<'a>() -> Table<WorstTreeRow<'a>> {
    let columns: [Column<WorstTreeRow<'a>>; 10] = [
        Column::number("time_s", "the sample, the same in all rows", |row| row.tree.at.seconds()),
        Column::text(
            "role",
            "`root`: the output that is itself the obstacle; `branch`: an output that was without credit because of it; \
             `contributor`: a flow that leaves by the root; `victim`: a flow that waited and leaves elsewhere",
            WorstTreeRow::role,
        ),
        Column::optional_text(
            "node",
            "the output's node; this and the next four are empty for a flow",
            |row| Some(row.output()?.0),
        ),
        Column::optional_count("port", "the output, counted from 1", |row| Some(row.output()?.1.into())),
        Column::optional_text("peer", "the node at the output's other end", |row| Some(row.output()?.2)),
        Column::optional_count("lane", "the lane", |row| Some(row.output()?.3.into())),
        Column::optional_count("depth", "distance of the output from the root, in links", |row| {
            match row.part {
                TreePart::Root => Some(0),
                TreePart::Branch(branch) => Some(branch.depth.into()),
                TreePart::Contributor(_) | TreePart::Victim(_) => None,
            }
        }),
        Column::optional_text("flow", "the flow; this and the next two are empty for an output", |row| {
            row.flow().map(|flow| &*flow.name)
        }),
        Column::optional_text("src", "source host of its data", |row| {
            row.flow().map(|flow| flow.source.as_str())
        }),
        Column::optional_text("dst", "destination host of its data", |row| {
            row.flow().map(|flow| flow.destination.as_str())
        }),
    ];
    let contents = "one row per output and flow of the congestion tree with most branches at one sample; no file without a tree";
    Table { file: "worst_tree.csv", contents, columns: columns.into() }
}

impl<'a> WorstTreeRow<'a> {
    fn role(&self) -> &str {
        match self.part {
            TreePart::Root => "root",
            TreePart::Branch(_) => "branch",
            TreePart::Contributor(_) => "contributor",
            TreePart::Victim(_) => "victim",
        }
    }

    /// Returns node, port, peer and lane of an output.
    fn output(&self) -> Option<(&'a str, u16, &'a str, u8)> {
        match self.part {
            TreePart::Root => {
                let root = &self.record.congestion.roots[self.tree.root as usize];
                Some((&root.node, root.port, &root.peer, root.lane))
            }
            TreePart::Branch(branch) => Some((&branch.node, branch.port, &branch.peer, branch.lane)),
            TreePart::Contributor(_) | TreePart::Victim(_) => None,
        }
    }

    fn flow(&self) -> Option<&'a telemetry::FlowRecord> {
        match self.part {
            TreePart::Contributor(flow) | TreePart::Victim(flow) => Some(&self.record.flows[flow as usize]),
            TreePart::Root | TreePart::Branch(_) => None,
        }
    }
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
