//! The worst trees on the terminal: cause, cost, contributors and victims.
//!
//! Invariant: contributors stand in the order of the payload that passed, victims in the order of their waits.

use std::collections::BTreeMap;

use telemetry::{ContributorRecord, RootRecord, RunRecord, VictimRecord};

use crate::congestion::{cause, lost_bps, through, worst};

/// Number of trees that are printed; the files have all.
const PRINTED: usize = 5;
/// Number of contributors, and of victims, that a line names.
const NAMED: usize = 3;

/// Explains words of a tree's first line.
const WORDS: &str = "branches: outputs that the root holds up; depth: links from the root to the farthest of them; VL: lane\n";

/// Returns the worst trees, each in a paragraph.
pub(super) fn printed(record: &RunRecord) -> String {
    let roots = worst(record);
    let what = match roots.len() {
        0 => return "Congestion trees: none at any sample\n".to_owned(),
        1 => "Congestion trees: one root".to_owned(),
        n if n <= PRINTED => format!("Congestion trees: {n} roots"),
        n => format!("Congestion trees: the worst {PRINTED} of {n} roots; roots.csv has all"),
    };
    let trees = roots.iter().take(PRINTED).map(|root| tree(record, root));
    std::iter::once(what + "\n").chain(trees).chain([WORDS.to_owned()]).collect()
}

/// Returns the worst tree in a paragraph; `None` if there is none.
pub(super) fn worst_printed(record: &RunRecord) -> Option<String> {
    let roots = worst(record);
    let what = match roots.len() {
        1 => "Congestion tree: one root".to_owned(),
        n => format!("Congestion trees: the worst of {n} roots; roots.csv has all"),
    };
    Some(format!("{what}\n{}{WORDS}", tree(record, roots.first()?)))
}

/// Returns the extent of a tree, the cause of its root, the contributors with their shares, and the victims with their
/// waits.
fn tree(record: &RunRecord, root: &RootRecord) -> String {
    let mut lines = vec![("cause", cause::words(root))];
    let share = |bytes: u64| match through(root) {
        None | Some(0) => String::new(),
        Some(total) => format!(" {} %", percent(bytes, total)),
    };
    let bytes = |one: &ContributorRecord| one.through.unwrap_or_default().get();
    let contributor = |one: &ContributorRecord| format!("{}{}", name(record, one.flow), share(bytes(one)));
    lines.push(("contributors", some(root.contributors.iter().map(contributor))));
    // A host or a group says more than its flows, where it has several.
    for (what, of) in [("  by host", host as fn(&RunRecord, u32) -> Option<&str>), ("  by group", group)] {
        let named = |one: &ContributorRecord| Some((of(record, one.flow)?, bytes(one)));
        let sums = sums(root.contributors.iter().filter_map(named));
        if !sums.is_empty() && sums.len() < root.contributors.len() {
            let names = sums.iter().map(|(name, bytes)| format!("{name}{}", share(*bytes)));
            lines.push((what, some(names)));
        }
    }
    let victim = |one: &VictimRecord| {
        format!("{} waited {:.3} ms", name(record, one.flow), one.waited.seconds() * 1e3)
    };
    lines.push(("victims", some(root.victims.iter().map(victim))));
    let lost = |one: &VictimRecord| Some((group(record, one.flow)?, one.lost.get()));
    let groups = sums(root.victims.iter().filter_map(lost));
    if !groups.is_empty() {
        let names = groups.iter().map(|(name, bytes)| format!("{name} lost {:.1} MB", *bytes as f64 / 1e6));
        lines.push(("  by group", some(names)));
    }
    let lines = lines.into_iter().map(|(what, text)| format!("    {what:<13} {text}\n"));
    std::iter::once(extent(record, root)).chain(lines).collect()
}

fn extent(record: &RunRecord, root: &RootRecord) -> String {
    format!(
        " {} port {} to {}, VL{}, from {} s to {} s: {}, depth {}; victims lost {:.2} Gb/s\n",
        root.node,
        root.port,
        root.peer,
        root.lane,
        root.first.seconds(),
        root.last.seconds(),
        if root.branches == 1 { "1 branch".to_owned() } else { format!("{} branches", root.branches) },
        root.depth,
        lost_bps(record, root) / 1e9,
    )
}

/// Adds up the numbers of each name, the largest sum first.
fn sums<'a>(named: impl Iterator<Item = (&'a str, u64)>) -> Vec<(&'a str, u64)> {
    let mut sums = BTreeMap::new();
    for (name, amount) in named {
        *sums.entry(name).or_insert(0) += amount;
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    sums
}

/// Returns a part in whole percent, rounded.
const fn percent(part: u64, whole: u64) -> u128 {
    (part as u128 * 200 + whole as u128) / (2 * whole as u128)
}

/// Names the first few, and counts the others.
fn some(names: impl ExactSizeIterator<Item = String>) -> String {
    let (all, named) = (names.len(), names.take(NAMED).collect::<Vec<_>>().join(", "));
    match all {
        0 => "none".to_owned(),
        1..=NAMED => named,
        _ => format!("{named} and {} more", all - NAMED),
    }
}

fn name(record: &RunRecord, flow: u32) -> &str {
    &record.flows[flow as usize].name
}

#[expect(clippy::unnecessary_wraps, reason = "a group may be missing, and both are looked up alike")]
fn host(record: &RunRecord, flow: u32) -> Option<&str> {
    Some(&record.flows[flow as usize].source)
}

fn group(record: &RunRecord, flow: u32) -> Option<&str> {
    let group = record.flows[flow as usize].group?;
    Some(&record.groups[group as usize].name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn many_trees_and_flows_are_cut_short() {
        let mut record = sample::record();
        let root = record.congestion.roots[0].clone();
        record.congestion.roots = vec![root; 7];
        assert!(
            printed(&record).starts_with("Congestion trees: the worst 5 of 7 roots; roots.csv has all\n")
        );
        let names = ["a", "b", "c", "d", "e"].map(str::to_owned);
        assert_eq!(some(names.into_iter()), "a, b, c and 2 more");
    }

    #[test]
    fn shares_are_rounded_and_sums_are_in_order() {
        assert_eq!([percent(1, 3), percent(2, 3), percent(199, 200)], [33, 67, 100]);
        assert_eq!(sums([("a", 1), ("b", 5), ("a", 3)].into_iter()), [("b", 5), ("a", 4)]);
    }
}
