//! The worst congestion tree of a run, as the picture of the fabric shows it.
//!
//! Invariant: everything belongs to a single sample, and not to the run.

use std::collections::BTreeSet;

use measures::rounded;
use results::reader::{ReadError, RunFiles};
use results::rows::{TreeRow, WorstTreeRow};
use results::table::TableRow;

use super::super::engine::axis::number;

/// An output, by node and port.
pub(super) type OutputName = (String, u32);

/// The tree with most branches at a sample.
pub(super) struct WorstTree {
    pub root: OutputName,
    pub branches: BTreeSet<OutputName>,
    /// Source hosts of contributors.
    pub contributors: BTreeSet<String>,
    /// Source hosts of victims.
    pub victims: BTreeSet<String>,
    /// Time of the sample, in s.
    pub time_s: f64,
    /// The tree in words.
    pub words: String,
}

impl WorstTree {
    /// Reads the tree; `None` if no tree was found.
    pub(super) fn read(files: RunFiles<'_>) -> Result<Option<Self>, ReadError> {
        if !files.has(WorstTreeRow::FILE) {
            return Ok(None);
        }
        let (rows, trees): (Vec<WorstTreeRow<'_>>, Vec<TreeRow<'_>>) = (files.rows()?, files.rows()?);
        let of_role = |role: &'static str| rows.iter().filter(move |row| row.role == role);
        let outputs = |role| of_role(role).filter_map(WorstTreeRow::output);
        let hosts = |role| of_role(role).filter_map(|row| row.src.as_deref().map(str::to_owned)).collect();
        let (Some(root), Some(first)) = (outputs("root").next(), rows.first()) else { return Ok(None) };
        let is_it = |tree: &&TreeRow<'_>| {
            tree.time_s.total_cmp(&first.time_s).is_eq()
                && (&*tree.root_node, tree.root_port) == (root.0.as_str(), root.1)
        };
        let queue = trees.iter().find(is_it).map_or_else(String::new, |tree| {
            let (unit, bytes) = if tree.queue_bytes >= 10_000_000 { ("MB", 1e6) } else { ("KB", 1e3) };
            let queue = number(rounded(tree.queue_bytes as f64 / bytes, 1));
            format!(" to {}, {queue} {unit} waiting", tree.root_peer)
        });
        let [contributors, victims]: [BTreeSet<String>; 2] = ["contributor", "victim"].map(hosts);
        let flows = |role, hosts: usize| {
            let flows = of_role(role).count();
            format!("{flows} {role}{} from {hosts} host{}", plural(flows), plural(hosts))
        };
        let branches = of_role("branch").count();
        let words = format!(
            "The tree with most branches at one sample, that of {} ms. Root: {} port {}{queue}. {branches} branch{}, {}, {}.",
            number(first.time_s * 1e3),
            root.0,
            root.1,
            if branches == 1 { "" } else { "es" },
            flows("contributor", contributors.len()),
            flows("victim", victims.len()),
        );
        let branches = outputs("branch").collect();
        Ok(Some(Self { root, branches, contributors, victims, time_s: first.time_s, words }))
    }

    /// Returns the time of the sample, in ms.
    pub(super) fn at_ms(&self) -> String {
        number(self.time_s * 1e3)
    }
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
