//! Scenarios that are no longer as the record has them: new ones, and those with another digest.
//!
//! Invariant: the golden digests are of today's scenarios and simulator, since a test of the fabric holds them. A record
//! that is behind them says so on the pages that tell its numbers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Digests of the shipped scenarios, a line each: name, digest, counts.
const GOLDEN: &str =
    "crates/fabric/tests/whole/snapshots/whole__golden__shipped_scenarios_give_the_same_to_the_byte.snap";
/// Scenario that the record and the golden digests shorten, each in its way.
const SHORTENED: &str = "dcs648";

/// Names of scenarios that a record does not have as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Since {
    /// Scenarios that the record lacks.
    lacking: Vec<String>,
    /// Scenarios with another digest.
    changed: Vec<String>,
}

impl Since {
    /// Compares a record's shipped scenarios, digests by name, with the golden digests.
    pub(super) fn read(root: &Path, shipped: &BTreeMap<&str, &str>) -> Result<Self, String> {
        let golden = fs::read_to_string(root.join(GOLDEN)).map_err(|cause| format!("{GOLDEN}: {cause}"))?;
        let since = Self::of(&golden, shipped);
        since.ok_or_else(|| format!("{GOLDEN} has no lines of a name and a digest"))
    }

    fn of(golden: &str, shipped: &BTreeMap<&str, &str>) -> Option<Self> {
        let mut since = Self::default();
        let (_, lines) = golden.trim_start_matches("---").split_once("---\n")?;
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let mut words = line.split_whitespace();
            let (name, digest) = (words.next()?, words.next()?);
            match shipped.get(name) {
                None => since.lacking.push(name.to_owned()),
                Some(recorded) if name != SHORTENED && *recorded != digest => {
                    since.changed.push(name.to_owned());
                }
                Some(_) => {}
            }
        }
        Some(since)
    }

    /// Returns true if a scenario has another digest.
    pub(super) fn has_changed(&self, name: &str) -> bool {
        self.changed.iter().any(|one| one == name)
    }

    /// Returns the scenarios that the record lacks.
    pub(super) fn lacking(&self) -> &[String] {
        &self.lacking
    }

    /// Returns words behind the number of scenarios in the record, which say how many there are; empty if it lacks none.
    pub(super) fn of_all(&self, recorded: u64) -> String {
        match self.lacking.len() as u64 {
            0 => String::new(),
            lacking => format!(" of {}", recorded + lacking),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_that_are_new_or_changed_are_found() {
        let golden = "---\nsource: a.rs\n---\na  11 1 packet-hops\nb 22 1\nc 33 1\ndcs648 44 1\n";
        let now = BTreeMap::from([("a", "11"), ("b", "22"), ("c", "33"), ("dcs648", "99")]);
        assert_eq!(Since::of(golden, &now), Some(Since::default()));
        assert_eq!(Since::default().of_all(3), "");
        let former = BTreeMap::from([("a", "11"), ("b", "21"), ("dcs648", "99")]);
        let behind = Since::of(golden, &former).unwrap();
        assert!(behind.has_changed("b") && !behind.has_changed("a") && !behind.has_changed("dcs648"));
        assert_eq!((behind.lacking(), behind.of_all(2).as_str()), (&["c".to_owned()][..], " of 3"));
        assert_eq!(Since::of("---\n---\nalone\n", &now), None);
    }
}
