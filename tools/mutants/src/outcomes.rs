//! Outcomes of mutants, and the table.
//!
//! Invariant: a mutant that does not compile counts nowhere but in its own column. One that never ends is caught.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use crate::listing::{self, Mutant};

/// A mutant that was tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
    use super::*;

    #[test]
    fn the_share_leaves_out_what_does_not_compile() {
        let one = |outcome| Tested {
            number: 1,
            place: "a.rs:1:2: replace g with ()".to_owned(),
            outcome,
            test: String::new(),
            tests: 0,
            left_out: 0,
            alone: false,
        };
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
