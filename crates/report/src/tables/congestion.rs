//! Congestion trees as tables: `trees.csv`, `victims.csv`, and the worst trees on the terminal.
//!
//! Invariant: the worst tree is that whose branches were held back longest, added up over its branches.

use std::cmp::Reverse;

use telemetry::{RootRecord, RunRecord, TreeSample, VictimRecord};

use crate::format::{aligned, fitted, plain_table};
use crate::table::{Column, Table};

/// Number of trees that are printed; the files have all.
const PRINTED: usize = 5;
/// Number of contributors, and of victims, that a line names.
const NAMED: usize = 3;
/// Column whose lines may break: names of flows can be long.
const FLOWS: usize = 5;
/// Width of the printed table, in characters.
const WIDTH: u16 = 110;

/// A row of `trees.csv`.
#[derive(Debug)]
pub struct TreeRow<'a> {
    root: &'a RootRecord,
    sample: &'a TreeSample,
    contributors: String,
    victims: String,
}

/// Returns `trees.csv`: one row for each tree and sample.
#[must_use]
pub fn trees(record: &RunRecord) -> String {
    let flows = |flows: &[u32]| flows.iter().map(|flow| name(record, *flow)).collect::<Vec<_>>().join(" ");
    let rows = record.congestion.samples.iter().map(|sample| TreeRow {
        root: &record.congestion.roots[sample.root as usize],
        sample,
        contributors: flows(&sample.some_contributors),
        victims: flows(&sample.some_victims),
    });
    tree_table().csv(rows)
}

/// Returns the definition of `trees.csv`.
#[must_use]
pub fn tree_table<'a>() -> Table<TreeRow<'a>> {
    let columns: [Column<TreeRow<'a>>; 14] = [
        Column::number("time_s", "the sample", |row| row.sample.at.seconds()),
        Column::text("root_node", "the root's switch", |row| &row.root.node),
        Column::count("root_port", "its output, counted from 1", |row| row.root.port.into()),
        Column::text("root_peer", "the node at the output's other end", |row| &row.root.peer),
        Column::count("lane", "the lane", |row| row.root.lane.into()),
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
        Column::optional_text(
            "contributor_flows",
            "the first eight contributors by the order of `flows.csv`, separated by spaces",
            |row| Some(row.contributors.as_str()).filter(|flows| !flows.is_empty()),
        ),
        Column::optional_text(
            "victim_flows",
            "the eight victims that waited longest, separated by spaces",
            |row| Some(row.victims.as_str()).filter(|flows| !flows.is_empty()),
        ),
    ];
    let contents = "one row per congestion tree and sample, in order of time";
    Table { file: "trees.csv", contents, columns: columns.into() }
}

/// A row of `victims.csv`.
#[derive(Debug)]
pub struct VictimRow<'a> {
    flow: &'a str,
    root: &'a RootRecord,
    victim: &'a VictimRecord,
}

/// Returns `victims.csv`: one row for each victim and root, with the time that the victim waited.
#[must_use]
pub fn victims(record: &RunRecord) -> String {
    let rows = record.congestion.roots.iter().flat_map(|root| {
        root.victims.iter().map(move |victim| VictimRow { flow: name(record, victim.flow), root, victim })
    });
    victim_table().csv(rows)
}

/// Returns the definition of `victims.csv`.
#[must_use]
pub fn victim_table<'a>() -> Table<VictimRow<'a>> {
    let columns: [Column<VictimRow<'a>>; 9] = [
        Column::text("flow", "the victim", |row| row.flow),
        Column::text("root_node", "the switch of the root for which it waited", |row| &row.root.node),
        Column::count("root_port", "the root's output, counted from 1", |row| row.root.port.into()),
        Column::text("root_peer", "the node at the output's other end", |row| &row.root.peer),
        Column::count("lane", "the root's lane", |row| row.root.lane.into()),
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
    ];
    let contents =
        "one row per victim and root, with the waiting time; roots in the order of their first appearance";
    Table { file: "victims.csv", contents, columns: columns.into() }
}

/// Returns the worst trees as a table for the terminal.
#[must_use]
pub fn printed(record: &RunRecord) -> String {
    let mut roots: Vec<_> = record.congestion.roots.iter().collect();
    if roots.is_empty() {
        return "Congestion trees: none at any sample\n".to_owned();
    }
    roots.sort_by_key(|root| Reverse(root.held_back));
    let mut table = plain_table();
    table.set_header(["root", "from (s)", "to (s)", "branches", "depth", "flows"]);
    for root in roots.iter().take(PRINTED) {
        table.add_row([
            format!("{} port {} to {}, VL{}", root.node, root.port, root.peer, root.lane),
            root.first.seconds().to_string(),
            root.last.seconds().to_string(),
            root.branches.to_string(),
            root.depth.to_string(),
            flows(record, root),
        ]);
    }
    let what = match roots.len() {
        1 => "Congestion trees: one root".to_owned(),
        n if n <= PRINTED => format!("Congestion trees: {n} roots"),
        n => format!("Congestion trees: the worst {PRINTED} of {n} roots; all stand in trees.csv"),
    };
    format!("{what}\n{}\n", aligned(fitted(table, WIDTH, &[FLOWS]), FLOWS + 1))
}

/// Names the contributors, and the victims with their waiting times.
fn flows(record: &RunRecord, root: &RootRecord) -> String {
    let contributors =
        some(root.contributors.iter().map(|(flow, _)| name(record, *flow).to_owned()).collect());
    let victims = some(root.victims.iter().map(|victim| waited(record, victim)).collect());
    format!("contributors {contributors}; victims {victims}")
}

fn waited(record: &RunRecord, victim: &VictimRecord) -> String {
    format!("{} {:.3} ms", name(record, victim.flow), victim.waited.seconds() * 1e3)
}

/// Names the first few, and counts the others.
fn some(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    match (names.is_empty(), more) {
        (true, _) => "-".to_owned(),
        (false, 0) => names.join(", "),
        (false, more) => format!("{} and {more} more", names.join(", ")),
    }
}

fn name(record: &RunRecord, flow: u32) -> &str {
    &record.flows[flow as usize].name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_tables_as_they_are_written_and_printed() {
        let record = sample::record();
        insta::assert_snapshot!("trees", trees(&record));
        insta::assert_snapshot!("victims", victims(&record));
        insta::assert_snapshot!("printed_trees", printed(&record));
    }

    #[test]
    fn a_run_without_congestion_says_so() {
        let mut record = sample::record();
        record.congestion = telemetry::Congestion::default();
        assert_eq!(printed(&record), "Congestion trees: none at any sample\n");
        assert_eq!([trees(&record), victims(&record)].map(|table| table.lines().count()), [1, 1]);
    }

    #[test]
    fn long_names_break_between_words() {
        let mut record = sample::record();
        for (number, flow) in record.flows.iter_mut().enumerate() {
            flow.name = format!("poisson:h{}->h{}", 100 + number, 200 + number);
        }
        let printed = printed(&record);
        assert!(printed.lines().all(|line| line.chars().count() <= usize::from(WIDTH)), "{printed}");
        assert!(printed.contains("poisson:h100->h200,"), "{printed}");
        assert!(printed.lines().count() < 8, "{printed}");
    }

    #[test]
    fn many_trees_and_flows_are_cut_short() {
        let mut record = sample::record();
        let root = record.congestion.roots[0].clone();
        record.congestion.roots = vec![root; 7];
        assert!(
            printed(&record)
                .starts_with("Congestion trees: the worst 5 of 7 roots; all stand in trees.csv\n")
        );
        let names = ["a", "b", "c", "d", "e"].map(str::to_owned);
        assert_eq!(some(names.to_vec()), "a, b, c and 2 more");
    }
}
