//! Outcomes of mutants: what cargo-mutants writes, and the table.
//!
//! Invariant: a mutant that does not compile counts nowhere but in its own column. One that never ends is caught.

use std::fmt::{self, Display, Formatter};

use serde_json::Value;

/// A mutant that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    /// `FILE:LINE:COLUMN: CHANGE`.
    pub(super) place: String,
    pub(super) outcome: Outcome,
}

/// Outcome of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Caught,
    Missed,
    Timeout,
    Unviable,
}

impl Mutant {
    /// Returns the name that outlives edits elsewhere in the file: `FILE: CHANGE`.
    pub(super) fn name(&self) -> String {
        without_place(&self.place)
    }
}

/// Removes line and column from `FILE:LINE:COLUMN: CHANGE`.
pub(super) fn without_place(place: &str) -> String {
    let (position, change) = place.split_once(": ").unwrap_or((place, ""));
    let file = position.split(':').next().unwrap_or(position);
    format!("{file}: {change}")
}

/// Reads `outcomes.json`.
pub(super) fn read(text: &str) -> Result<Vec<Mutant>, String> {
    let all: Value = serde_json::from_str(text).map_err(|cause| cause.to_string())?;
    let outcomes = all["outcomes"].as_array().ok_or("no list of outcomes")?;
    outcomes
        .iter()
        .filter(|one| one["scenario"].get("Mutant").is_some())
        .map(|one| {
            let place = one["scenario"]["Mutant"]["name"].as_str().ok_or("a mutant without a name")?;
            let outcome = match one["summary"].as_str() {
                Some("CaughtMutant") => Outcome::Caught,
                Some("MissedMutant") => Outcome::Missed,
                Some("Timeout") => Outcome::Timeout,
                Some("Unviable") => Outcome::Unviable,
                other => return Err(format!("{place}: the outcome {other:?} is unknown")),
            };
            Ok(Mutant { place: place.to_owned(), outcome })
        })
        .collect()
}

/// Returns the first round's outcomes, replaced by the second round's where a mutant was in both.
pub(super) fn merged(mut first: Vec<Mutant>, second: Vec<Mutant>) -> Vec<Mutant> {
    for later in second {
        if let Some(one) = first.iter_mut().find(|one| one.place == later.place) {
            *one = later;
        }
    }
    first
}

/// Counts by crate.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    rows: Vec<(String, Counts)>,
}

/// Counts of outcomes.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    caught: usize,
    missed: usize,
    timeouts: usize,
    unviable: usize,
}

impl Counts {
    fn of(mutants: &[Mutant]) -> Self {
        let count = |outcome| mutants.iter().filter(|one| one.outcome == outcome).count();
        Self {
            caught: count(Outcome::Caught),
            missed: count(Outcome::Missed),
            timeouts: count(Outcome::Timeout),
            unviable: count(Outcome::Unviable),
        }
    }

    fn share(self) -> f64 {
        let caught = self.caught + self.timeouts;
        if self.missed == 0 { 1.0 } else { caught as f64 / (caught + self.missed) as f64 }
    }
}

impl Table {
    /// Adds a crate.
    pub(super) fn add(&mut self, name: &str, mutants: &[Mutant]) {
        self.rows.push((name.to_owned(), Counts::of(mutants)));
    }

    /// Returns the share of caught mutants among all that compile.
    pub(super) fn share(&self) -> f64 {
        self.total().share()
    }

    fn total(&self) -> Counts {
        self.rows.iter().fold(Counts::default(), |sum, (_, row)| Counts {
            caught: sum.caught + row.caught,
            missed: sum.missed + row.missed,
            timeouts: sum.timeouts + row.timeouts,
            unviable: sum.unviable + row.unviable,
        })
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:14}{:>9}{:>9}{:>10}{:>10}{:>11}{:>9}",
            "crate", "mutants", "caught", "timeouts", "unviable", "survivors", "share"
        )?;
        let total = ("together".to_owned(), self.total());
        for (name, counts) in self.rows.iter().chain([&total]) {
            let Counts { caught, missed, timeouts, unviable } = *counts;
            let all = caught + missed + timeouts + unviable;
            let share = counts.share() * 100.0;
            writeln!(
                f,
                "{name:14}{all:>9}{caught:>9}{timeouts:>10}{unviable:>10}{missed:>11}{share:>7.1} %"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = r#"{"outcomes": [
        {"scenario": "Baseline", "summary": "Success"},
        {"scenario": {"Mutant": {"name": "a.rs:1:2: replace + with - in f"}}, "summary": "MissedMutant"},
        {"scenario": {"Mutant": {"name": "a.rs:1:2: replace + with * in f"}}, "summary": "CaughtMutant"},
        {"scenario": {"Mutant": {"name": "a.rs:9:2: replace g with ()"}}, "summary": "Unviable"},
        {"scenario": {"Mutant": {"name": "b.rs:3:1: replace f::g -> u8 with 0"}}, "summary": "Timeout"}]}"#;

    #[test]
    fn outcomes_are_read_and_counted() {
        let mutants = read(WRITTEN).unwrap();
        assert_eq!(mutants[0].name(), "a.rs: replace + with - in f");
        assert_eq!(mutants[3].name(), "b.rs: replace f::g -> u8 with 0");
        let mut table = Table::default();
        table.add("one", &mutants);
        assert!((table.share() - 2.0 / 3.0).abs() < 1e-9, "{table}");
        let line = table
            .to_string()
            .lines()
            .nth(1)
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(line.as_deref(), Some("one 4 1 1 1 1 66.7 %"));
    }

    #[test]
    fn a_later_round_decides() {
        let first = read(WRITTEN).unwrap();
        let second = vec![Mutant { outcome: Outcome::Caught, ..first[0].clone() }];
        let both = merged(first.clone(), second);
        assert_eq!(both[0].outcome, Outcome::Caught);
        assert_eq!(both[1..], first[1..]);
    }

    #[test]
    fn an_unknown_outcome_is_refused() {
        assert!(read(&WRITTEN.replace("Timeout", "Nothing")).is_err());
        assert!(read("{}").is_err());
    }
}
