//! The runs of a tuning, by the store: scores of settings, results of held-out runs.
//!
//! Invariant: a setting that the scenario refuses, and a run without results, have the worst score; neither ends the
//! search.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use scenario::Diagnostic;
use units::Span;

use super::answer::TrialRow;
use super::candidate::{Candidate, GUIDELINE};
use super::goal::{Constraint, Objective};
use super::question::{Given, TuningError, TuningJob};
use super::score::Score;
use super::search::{Scored, Scorer, Trial, WHOLE};
use crate::store::{BatchEvent, BatchOptions, Store, UnitResult};
use crate::unit::IdentifiedUnit;

/// Progress of a tuning.
pub type BatchWatch<'a> = &'a (dyn Fn(BatchEvent<'_>) + Sync);

/// The runs of a tuning, by the store.
pub(super) struct Runs<'a> {
    pub(super) job: &'a TuningJob,
    /// Overrides of every point of the space, without the overrides of the space itself.
    pub(super) base: Vec<String>,
    pub(super) given: &'a [Given],
    pub(super) store: &'a Store,
    pub(super) options: &'a BatchOptions<'a>,
    pub(super) watch: BatchWatch<'a>,
    /// Names of all runs, and true for those with results and no fault.
    pub(super) seen: BTreeMap<String, bool>,
    /// Overrides that the scenario refused.
    pub(super) refused: BTreeSet<Vec<String>>,
    pub(super) first_refusal: Option<Diagnostic>,
    /// Duration of a whole run.
    pub(super) duration: Span,
    pub(super) end: Option<Instant>,
    pub(super) out_of_time: bool,
}

impl Runs<'_> {
    fn run(&mut self, units: &[IdentifiedUnit]) -> Result<Vec<UnitResult>, TuningError> {
        let results = self.store.run(units, self.options, self.watch)?;
        self.seen.extend(results.iter().map(|one| (one.name.clone(), one.is_sound())));
        Ok(results)
    }

    /// Returns the results of a setting's held-out runs.
    pub(super) fn held_out(&mut self, candidate: &Candidate) -> Result<Vec<UnitResult>, TuningError> {
        let (base, own) = self.overrides(candidate);
        let scenarios = self.store.scenarios();
        let unit = |seed: &u64| scenarios.identify(&self.job.unit(base, &own, *seed, true));
        let units = self.job.held_out.iter().map(unit).collect::<Result<Vec<_>, _>>()?;
        self.run(&units)
    }

    /// Returns the overrides of a setting: those before the held-out traffic, and those behind it.
    fn overrides(&self, candidate: &Candidate) -> (&[String], Vec<String>) {
        match candidate {
            Candidate::Baseline => (&self.job.set, Vec::new()),
            Candidate::Guideline => (&self.job.set, vec![GUIDELINE.to_owned()]),
            Candidate::Searched(point) => (&self.base, self.job.space.overrides(point)),
        }
    }

    /// Returns the units of a setting's training runs; `None` if the scenario refuses the setting.
    fn units(&mut self, candidate: &Candidate, seeds: usize, share: f64) -> Option<Vec<IdentifiedUnit>> {
        let (base, mut own) = self.overrides(candidate);
        if share < WHOLE {
            let duration = Span::from_ps((self.duration.ps() as f64 * share) as u64);
            own.push(format!("duration=\"{duration}\""));
        }
        let scenarios = self.store.scenarios();
        let unit = |seed: &u64| scenarios.identify(&self.job.unit(base, &own, *seed, false));
        match self.job.training[..seeds].iter().map(unit).collect() {
            Ok(units) => Some(units),
            Err(refusal) => {
                self.refused.insert(own);
                self.first_refusal.get_or_insert(refusal);
                None
            }
        }
    }

    /// Returns the results of a setting's training runs; `None` if the scenario refuses the setting.
    pub(super) fn training(
        &mut self,
        candidate: &Candidate,
        seeds: usize,
    ) -> Result<Option<Vec<UnitResult>>, TuningError> {
        let Some(units) = self.units(candidate, seeds, WHOLE) else { return Ok(None) };
        self.run(&units).map(Some)
    }

    fn score(&self, results: &[UnitResult]) -> Score {
        let mean = |objective: &Objective| {
            results.iter().map(|one| objective.cost(one)).sum::<f64>() / results.len() as f64
        };
        let worst =
            |constraint: &Constraint| results.iter().map(|one| constraint.violation(one)).fold(0.0, f64::max);
        // A setting under which a lossless fabric drops packets or stands still is none to recommend, whatever its
        // goodput.
        let ended = results.iter().all(UnitResult::is_sound);
        // The sum of nothing is -0.
        let broken: f64 = self.job.constraints.iter().map(worst).sum::<f64>() + 0.0;
        Score {
            objectives: self.job.objectives.iter().map(mean).collect(),
            violation: if ended { broken } else { f64::INFINITY },
        }
    }

    pub(super) fn row(&self, trial: Trial) -> TrialRow {
        let numbers = self.job.objectives.iter().zip(&trial.score.objectives);
        let means = numbers.map(|(one, cost)| cost.is_finite().then(|| one.number(*cost))).collect();
        let (base, own) = self.overrides(&trial.candidate);
        let overrides = base[self.job.set.len()..].iter().cloned().chain(own).collect();
        let space = &self.job.space;
        let given = || self.given.iter().find(|one| one.candidate == trial.candidate);
        let (written, numbers) = match trial.candidate.point() {
            Some(point) => (
                space.written(point).into_iter().map(Some).collect(),
                space.numbers(point).into_iter().map(Some).collect(),
            ),
            None => given().map(|given| (given.written.clone(), given.numbers.clone())).unwrap_or_default(),
        };
        TrialRow { trial, overrides, written, numbers, means }
    }
}

impl Scorer for Runs<'_> {
    type Error = TuningError;

    /// Runs all settings together, so that all processors have work.
    fn scores(
        &mut self,
        candidates: &[Candidate],
        seeds: usize,
        share: f64,
    ) -> Result<Option<Vec<Scored>>, TuningError> {
        if self.end.is_some_and(|end| Instant::now() >= end) {
            self.out_of_time = true;
            return Ok(None);
        }
        let units: Vec<_> = candidates.iter().map(|one| self.units(one, seeds, share)).collect();
        let all: Vec<_> = units.iter().flatten().flatten().cloned().collect();
        let results = self.run(&all)?;
        let mut parts = results.chunks(seeds);
        let goals = &self.job.objectives;
        let score = |units: &Option<Vec<IdentifiedUnit>>| match units {
            Some(units) => {
                let results = parts.next().expect("every unit has a result");
                let is_bound = |goal: &Objective| results.iter().any(|one| goal.is_bound(one));
                Scored {
                    score: self.score(results),
                    bounds: goals.iter().map(is_bound).collect(),
                    run: units.first().map(|unit| unit.name().to_owned()),
                }
            }
            None => Scored { score: Score::worst(goals.len()), bounds: vec![false; goals.len()], run: None },
        };
        Ok(Some(units.iter().map(score).collect()))
    }
}
