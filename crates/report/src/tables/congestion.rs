//! Congestion trees as tables: `trees.csv`, `victims.csv`, and the worst trees on the terminal.
//!
//! Invariant: the worst tree is that whose branches were held back longest, added up over its branches.

use std::cmp::Reverse;

use telemetry::{RootRecord, RunRecord, TreeSample, VictimRecord};

use crate::format::{aligned, csv, fitted, plain_table};

/// Number of trees that are printed; the files have all.
const PRINTED: usize = 5;
/// Number of contributors, and of victims, that a line names.
const NAMED: usize = 3;
/// Column whose lines may break: names of flows can be long.
const FLOWS: usize = 5;
/// Width of the printed table, in characters.
const WIDTH: u16 = 110;

/// Returns `trees.csv`: one row for each tree and sample.
#[must_use]
pub fn trees(record: &RunRecord) -> String {
    let header = [
        "time_s",
        "root_node",
        "root_port",
        "root_peer",
        "lane",
        "since_s",
        "queue_bytes",
        "branches",
        "depth",
        "saturated_ports",
        "contributors",
        "victims",
        "contributor_flows",
        "victim_flows",
    ];
    let row = |sample: &TreeSample| {
        let root = &record.congestion.roots[sample.root as usize];
        let flows =
            |flows: &[u32]| flows.iter().map(|flow| name(record, *flow)).collect::<Vec<_>>().join(" ");
        let counts = [sample.branches, sample.depth, sample.ports, sample.contributors, sample.victims];
        let mut row = vec![sample.at.seconds().to_string()];
        row.extend(place(root));
        row.extend([sample.since.seconds().to_string(), sample.queue.get().to_string()]);
        row.extend(counts.map(|count| count.to_string()));
        row.extend([flows(&sample.some_contributors), flows(&sample.some_victims)]);
        row
    };
    csv(header.map(str::to_owned).to_vec(), record.congestion.samples.iter().map(row))
}

/// Returns `victims.csv`: one row for each victim and root, with the time that the victim waited.
#[must_use]
pub fn victims(record: &RunRecord) -> String {
    let header =
        ["flow", "root_node", "root_port", "root_peer", "lane", "from_s", "to_s", "samples", "waited_s"];
    let row = |root: &RootRecord, victim: &VictimRecord| {
        let mut row = vec![name(record, victim.flow).to_owned()];
        row.extend(place(root));
        row.extend([root.first.seconds().to_string(), root.last.seconds().to_string()]);
        row.extend([victim.samples.to_string(), victim.waited.seconds().to_string()]);
        row
    };
    let roots = record.congestion.roots.iter();
    let rows = roots.flat_map(|root| root.victims.iter().map(move |victim| row(root, victim)));
    csv(header.map(str::to_owned).to_vec(), rows)
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

/// Node, port, peer and lane of a root.
fn place(root: &RootRecord) -> [String; 4] {
    [root.node.clone(), root.port.to_string(), root.peer.clone(), root.lane.to_string()]
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

    #[test]
    fn the_manual_describes_every_column() {
        let record = sample::record();
        sample::assert_described("trees.csv", &trees(&record));
        sample::assert_described("victims.csv", &victims(&record));
    }
}
