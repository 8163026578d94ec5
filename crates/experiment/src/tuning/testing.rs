//! Questions and answers of tunings for tests.
//!
//! Invariant: an answer has the scenario's own settings first, and two points.

use super::answer::TrialRow;
use super::answer::{Held, HeldMean, Judged, Tuned};
use super::budget::Demand;
use super::candidate::{Candidate, NoGuideline};
use super::goal::Objective;
use super::point::Point;
use super::question::TuningJob;
use super::score::Score;
use super::search::{Halved, Method, Trial};
use super::space::Space;
use crate::statistics::Estimate;
use measures::Direction;

pub(super) fn job(objectives: &[&str], constraints: &[&str]) -> TuningJob {
    let objective = |text: &&str| Objective {
        measure: text.parse().unwrap_or_else(|error| panic!("{error}")),
        direction: Direction::Larger,
    };
    TuningJob {
        scenario: "victim".to_owned(),
        set: Vec::new(),
        space: Space::find("iba").unwrap_or_else(|error| panic!("{error}")),
        objectives: objectives.iter().map(objective).collect(),
        constraints: constraints.iter().map(|text| text.parse().unwrap()).collect(),
        training: vec![1],
        held_out: vec![2, 3],
        held_out_set: Vec::new(),
        until_done: None,
        drain: false,
        method: Method::Tpe,
        runs: 100,
        time: None,
        seed: 1,
        batch: 4,
        halved: Halved::Seeds,
        sensitivity: false,
    }
}

/// Returns a mean of numbers that are all known.
pub(super) fn known(estimate: Estimate) -> HeldMean {
    HeldMean { estimate, bound: None }
}

pub(super) fn held(means: &[f64], kept: &[usize]) -> Held {
    let estimate = |mean: &f64| Some(known(Estimate { mean: *mean, ci95: Some(1e7), seeds: 2 }));
    Held { objectives: means.iter().map(estimate).collect(), kept: kept.to_vec(), runs: 2 }
}

/// An answer with a baseline, two points, and the judgement of a point.
pub(super) fn tuned(winner: Option<usize>, judged: Option<(usize, Held, &[f64])>, baseline: Held) -> Tuned {
    let row = |candidate: Candidate| TrialRow {
        trial: Trial {
            candidate,
            run: None,
            seeds: 1,
            share: 1.0,
            score: Score::worst(1),
            bounds: vec![false],
        },
        overrides: Vec::new(),
        written: Vec::new(),
        numbers: Vec::new(),
        means: Vec::new(),
    };
    let point = || Candidate::Searched(Point::new(vec![0.5; 5]));
    let gain = |mean: &f64| Some(known(Estimate { mean: *mean, ci95: Some(1e8), seeds: 2 }));
    let judged =
        judged.map(|(trial, held, gains)| Judged { trial, held, gains: gains.iter().map(gain).collect() });
    let demand =
        Demand { runs: 300, given: 1, each_given: 1, each: 1, judged: 1, held_out: 2, neighbours: 0 };
    Tuned {
        budget: demand.divided().expect("there are enough runs"),
        trials: vec![row(Candidate::Baseline), row(point()), row(point())],
        front: Vec::new(),
        winner,
        baseline,
        judged: judged.into_iter().collect(),
        guideline: Err(NoGuideline::IsBaseline),
        moved: None,
        sensitivity: Vec::new(),
        runs: 0,
        failed: 0,
        refused: (0, None),
        out_of_time: false,
    }
}
