//! Tunings of shipped scenarios against the parameters of papers: `fixtures/tunings.ron`.
//!
//! Invariant: seeds and budgets are the same for all of them.

use experiment::tuning::{Halved, Method, Objective, Space, TuningJob};
use measures::Direction;
use serde::Deserialize;

/// The name by which `repro` takes all tunings.
pub const TUNING: &str = "tuning";
/// Seeds of the search.
const TRAINING: std::ops::RangeInclusive<u64> = 1..=3;
/// Seeds of the judgement.
const HELD_OUT: std::ops::RangeInclusive<u64> = 1001..=1010;
/// Most runs of a tuning: a quick tuning, and a full tuning.
const RUNS: (usize, usize) = (160, 300);
/// Settings that the estimator proposes at a time.
const BATCH: usize = 4;

/// A tuning against a baseline.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShippedTuning {
    /// Name of its folder.
    pub name: String,
    /// The baseline's parameters, in words.
    pub baseline: String,
    scenario: String,
    #[serde(default)]
    set: Vec<String>,
    space: String,
    #[serde(default)]
    minimise: Vec<String>,
    #[serde(default)]
    maximise: Vec<String>,
    #[serde(default)]
    subject_to: Vec<String>,
}

/// Returns all tunings that ship.
///
/// # Panics
/// Never: the file is part of the program and tested.
#[must_use]
pub fn shipped_tunings() -> Vec<ShippedTuning> {
    ron::from_str(include_str!("../../../fixtures/tunings.ron")).expect("the tunings can be read")
}

impl ShippedTuning {
    /// Returns the question, with the budget of a full tuning if `full`.
    ///
    /// # Panics
    /// Never: the file is part of the program and tested.
    #[must_use]
    pub fn job(&self, full: bool) -> TuningJob {
        let objective = |text: &String, direction: Direction| Objective {
            measure: text.parse().unwrap_or_else(|error| panic!("{}: {error}", self.name)),
            direction,
        };
        let smaller = self.minimise.iter().map(|text| objective(text, Direction::Smaller));
        let larger = self.maximise.iter().map(|text| objective(text, Direction::Larger));
        let constraint =
            |text: &String| text.parse().unwrap_or_else(|error| panic!("{}: {error}", self.name));
        TuningJob {
            scenario: self.scenario.clone(),
            set: self.set.clone(),
            space: Space::find(&self.space).unwrap_or_else(|error| panic!("{error}")),
            objectives: smaller.chain(larger).collect(),
            constraints: self.subject_to.iter().map(constraint).collect(),
            training: TRAINING.collect(),
            held_out: HELD_OUT.collect(),
            held_out_set: Vec::new(),
            until_done: None,
            drain: false,
            method: Method::Tpe,
            runs: if full { RUNS.1 } else { RUNS.0 },
            time: None,
            seed: 1,
            batch: BATCH,
            halved: Halved::Seeds,
            sensitivity: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tuning_is_a_question_that_its_scenario_can_answer() {
        let all = shipped_tunings();
        assert_eq!(all.len(), 3);
        for tuning in all {
            for full in [false, true] {
                let checked = tuning.job(full).check();
                assert!(checked.is_ok(), "{}: {}", tuning.name, checked.unwrap_err());
            }
        }
    }
}
