//! Outcomes of mutants, and the table.
//!
//! Invariant: a mutant that does not compile counts nowhere but in its own column. One that never ends is caught.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use crate::listing::{self, Mutant};

/// A mutant that was tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    /// Number in the list of the crate's mutants, from 1.
    pub number: u32,
    /// `FILE:LINE:COLUMN: CHANGE`.
    pub place: String,
    /// Outcome of its tests.
    pub outcome: Outcome,
    /// Test that caught it; empty for a survivor.
    pub test: String,
    /// Number of tests that a survivor passed in its last round.
    pub tests: usize,
    /// Number of tests that reach it and were left out in its last round, for their time.
    pub left_out: usize,
    /// True if it had a build of its own.
    pub alone: bool,
}

/// Outcome of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Outcome {
    /// A test of the crate fails.
    Caught,
    /// The crate's tests pass, and a test of a higher crate fails.
    CaughtByLaw,
    /// A test runs into the limit of time or memory, or to the end of the stack.
    Endless,
    /// All tests pass.
    Missed,
    /// It does not compile.
    Unviable,
}

impl Tested {
    pub(crate) fn new(mutant: &Mutant, outcome: Outcome) -> Self {
        let place = mutant.place.clone();
        Self {
            number: mutant.number,
            place,
            outcome,
            test: String::new(),
            tests: 0,
            left_out: 0,
            alone: false,
        }
    }

    /// Returns the name that outlives edits elsewhere in the file: `FILE: CHANGE`.
    pub(crate) fn name(&self) -> String {
        listing::name(&self.place)
    }
}

/// Returns the results of an earlier run that stand: those of mutants that were caught or did not compile, under the numbers and
/// places of today's list. A mutant is known by file and change; among places of one name by their order. A name with another
/// number of places than before has no result that stands.
#[must_use]
pub fn standing(earlier: &[Tested], mutants: &[Mutant]) -> Vec<Tested> {
    let mut results: BTreeMap<String, Vec<&Tested>> = BTreeMap::new();
    earlier.iter().for_each(|tested| results.entry(tested.name()).or_default().push(tested));
    let mut places: BTreeMap<String, Vec<&Mutant>> = BTreeMap::new();
    mutants.iter().for_each(|mutant| places.entry(listing::name(&mutant.place)).or_default().push(mutant));
    let pairs = places.iter().filter_map(|(name, mutants)| {
        let results = results.get(name).filter(|results| results.len() == mutants.len())?;
        Some(mutants.iter().zip(results))
    });
    let standing = pairs.flatten().filter(|(_, tested)| tested.outcome != Outcome::Missed);
    let renumbered = standing.map(|(mutant, tested)| Tested {
        number: mutant.number,
        place: mutant.place.clone(),
        ..(*tested).clone()
    });
    renumbered.collect()
}

/// Counts by crate.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: Vec<(String, Counts)>,
}

/// Numbers of mutants by outcome, in the outcomes' order.
#[derive(Clone, Copy, Debug, Default)]
struct Counts([usize; 5]);

impl Counts {
    fn of(tested: &[Tested]) -> Self {
        let mut counts = Self::default();
        for one in tested {
            counts.0[one.outcome as usize] += 1;
        }
        counts
    }

    fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] + other.0[at]))
    }

    fn share(self) -> f64 {
        let [own, laws, endless, missed, _] = self.0;
        let caught = own + laws + endless;
        if missed == 0 { 1.0 } else { caught as f64 / (caught + missed) as f64 }
    }
}

impl Table {
    /// Adds a crate.
    pub fn add(&mut self, name: &str, tested: &[Tested]) {
        self.rows.push((name.to_owned(), Counts::of(tested)));
    }

    /// Returns the crates of whose compiling mutants less than this share is caught.
    #[must_use]
    pub fn poor(&self, least: f64) -> Vec<&str> {
        self.rows.iter().filter(|(_, counts)| counts.share() < least).map(|(name, _)| name.as_str()).collect()
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let head = ["mutants", "own tests", "laws", "endless", "survivors", "unviable", "share"];
        writeln!(f, "| crate | {} |", head.join(" | "))?;
        writeln!(f, "|---|{}", "--:|".repeat(head.len()))?;
        let total = self.rows.iter().fold(Counts::default(), |sum, (_, row)| sum.plus(*row));
        for (name, counts) in self.rows.iter().chain([&("together".to_owned(), total)]) {
            let all: usize = counts.0.iter().sum();
            let columns: Vec<_> = [all].iter().chain(&counts.0).map(usize::to_string).collect();
            writeln!(f, "| {name} | {} | {:.1} % |", columns.join(" | "), counts.share() * 100.0)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn mutant(number: u32, place: &str) -> Mutant {
        let file = PathBuf::from("a.rs");
        Mutant {
            number,
            place: place.to_owned(),
            file,
            span: 0..0,
            function: None,
            replacement: String::new(),
        }
    }

    #[test]
    fn results_stand_for_the_same_change_at_the_same_number_of_places() {
        let earlier = [
            Tested::new(&mutant(1, "a.rs:1:1: replace f with ()"), Outcome::Caught),
            Tested::new(&mutant(2, "a.rs:2:1: replace + with -"), Outcome::Missed),
            Tested::new(&mutant(3, "a.rs:3:1: replace + with -"), Outcome::CaughtByLaw),
            Tested::new(&mutant(4, "a.rs:4:1: replace * with /"), Outcome::Caught),
        ];
        let today = [
            mutant(1, "a.rs:5:1: replace new with ()"),
            mutant(2, "a.rs:6:1: replace f with ()"),
            mutant(3, "a.rs:7:1: replace + with -"),
            mutant(4, "a.rs:8:1: replace + with -"),
            mutant(5, "a.rs:9:1: replace * with /"),
            mutant(6, "a.rs:9:9: replace * with /"),
        ];
        let stand = standing(&earlier, &today);
        let found: Vec<_> = stand.iter().map(|one| (one.number, one.place.as_str(), one.outcome)).collect();
        assert_eq!(
            found,
            [
                (4, "a.rs:8:1: replace + with -", Outcome::CaughtByLaw),
                (2, "a.rs:6:1: replace f with ()", Outcome::Caught),
            ]
        );
    }

    #[test]
    fn the_share_leaves_out_what_does_not_compile() {
        let one = |outcome| Tested::new(&mutant(1, "a.rs:1:2: replace g with ()"), outcome);
        let outcomes =
            [Outcome::Caught, Outcome::CaughtByLaw, Outcome::Endless, Outcome::Missed, Outcome::Unviable];
        let mut table = Table::default();
        table.add("one", &outcomes.map(one));
        table.add("two", &[one(Outcome::Caught)]);
        let lines: Vec<_> = table.to_string().lines().skip(2).map(str::to_owned).collect();
        assert_eq!(lines[0], "| one | 5 | 1 | 1 | 1 | 1 | 1 | 75.0 % |");
        assert_eq!(lines[2], "| together | 6 | 2 | 1 | 1 | 1 | 1 | 80.0 % |");
        assert_eq!((table.poor(0.75), table.poor(0.76)), (vec![], vec!["one"]));
    }
}
