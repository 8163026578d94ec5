//! A tuning from its question to its answer: baseline, search, judgement on held-out runs, sensitivity.
//!
//! Invariant: the search sees training runs only; the judgement sees held-out runs only. All runs are in the store, so
//! an interrupted tuning goes on where it was, and a repeated tuning runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::answer::{Held, HeldMean, Judged, Loss, Sensitivity, Side, Tuned};
use super::candidate::{Candidate, NoGuideline};
use super::goal::{Constraint, Objective};
use super::point::Point;
use super::question::{TuningError, TuningJob};
use super::runs::{BatchWatch, Runs};
use super::search::{Trial, best_other, pareto_front, winner};
use super::sensitivity::{neighbours, rank_correlation};
use crate::statistics::Estimate;
use crate::store::{BatchOptions, Store, UnitResult};

impl TuningJob {
    /// Tunes.
    ///
    /// # Errors
    /// If something of the question is wrong, the store cannot be written to, or the user ends the runs.
    pub fn run(
        &self,
        store: &Store,
        options: &BatchOptions<'_>,
        watch: BatchWatch<'_>,
    ) -> Result<Tuned, TuningError> {
        let plan = self.check()?;
        let began = Instant::now();
        let (given, no_guideline) = self.given(&plan);
        let budget = self.budget(&given)?;
        let mut runs = Runs {
            job: self,
            base: self.base(&plan),
            given: &given,
            store,
            options,
            watch,
            seen: BTreeMap::new(),
            refused: BTreeSet::new(),
            first_refusal: None,
            duration: plan.duration(),
            end: self.time.map(|time| began + time),
            out_of_time: false,
        };
        let baseline = runs.held_out(&Candidate::Baseline)?;
        // Before the search: without an objective of the baseline, the whole budget would be spent for no verdict.
        self.check_baseline(&baseline)?;
        let extent = self.extent(&budget);
        let candidates: Vec<_> = given.iter().map(|one| one.candidate.clone()).collect();
        let trials = extent.search(&self.space, &candidates, &mut runs)?;
        let winner = winner(&trials, extent.seeds);
        let front = pareto_front(&trials, extent.seeds);
        let places = self.to_be_judged(&trials, winner, &front, budget.judged);
        let judge =
            |place: usize| Ok(self.judge(place, &runs.held_out(&trials[place].candidate)?, &baseline));
        let judged = places.into_iter().map(judge).collect::<Result<Vec<_>, TuningError>>()?;
        let guideline = self.of_guideline(&trials, &judged, &baseline, &mut runs, no_guideline)?;
        let is_point = |trial: &Trial| trial.candidate.point().is_some();
        let moved = winner.filter(|place| is_point(&trials[*place]));
        let moved = moved.or_else(|| best_other(&trials, extent.seeds, is_point));
        let sensitivity = self.sensitivities(&trials, moved, budget.moved_seeds, &mut runs)?;
        let rows = trials.into_iter().map(|trial| runs.row(trial)).collect();
        Ok(Tuned {
            budget,
            trials: rows,
            front,
            winner,
            baseline: self.held(&baseline),
            judged,
            guideline,
            moved,
            sensitivity,
            runs: runs.seen.len(),
            failed: runs.seen.values().filter(|is_sound| !**is_sound).count(),
            refused: (runs.refused.len(), runs.first_refusal),
            out_of_time: runs.out_of_time,
        })
    }

    /// Returns the winner and other members of the front, without the baseline and up to a limit. If nothing else is on
    /// the front, the best other setting is returned.
    fn to_be_judged(
        &self,
        trials: &[Trial],
        winner: Option<usize>,
        front: &[usize],
        most: usize,
    ) -> Vec<usize> {
        let is_other = |trial: &Trial| trial.candidate != Candidate::Baseline;
        let others = front.iter().copied().filter(|place| Some(*place) != winner);
        let places = winner.into_iter().chain(others).filter(|place| is_other(&trials[*place]));
        let mut places: Vec<_> = places.take(most).collect();
        if places.is_empty() {
            places.extend(best_other(trials, self.training.len(), is_other));
        }
        places
    }

    /// Returns the guideline over the held-out runs.
    fn of_guideline(
        &self,
        trials: &[Trial],
        judged: &[Judged],
        baseline: &[UnitResult],
        runs: &mut Runs<'_>,
        no_guideline: Option<NoGuideline>,
    ) -> Result<Result<Option<Judged>, NoGuideline>, TuningError> {
        if let Some(reason) = no_guideline {
            return Ok(Err(reason));
        }
        let place = trials.iter().position(|trial| trial.candidate == Candidate::Guideline);
        let Some(place) = place else { return Ok(Ok(None)) };
        // The guideline may be on the front, and is then judged already.
        if let Some(judged) = judged.iter().find(|one| one.trial == place) {
            return Ok(Ok(Some(judged.clone())));
        }
        let own = runs.held_out(&Candidate::Guideline)?;
        Ok(Ok(Some(self.judge(place, &own, baseline))))
    }

    fn check_baseline(&self, results: &[UnitResult]) -> Result<(), TuningError> {
        let lacking =
            |objective: &&Objective| results.iter().all(|result| objective.lenient_cost(result).is_none());
        let Some(objective) = self.objectives.iter().find(lacking) else { return Ok(()) };
        let missing = results.iter().find_map(|result| result.measured(&objective.measure)?.missing.clone());
        let ended = results.first().map_or("none", UnitResult::word);
        let reason = missing.map_or_else(|| format!("it ended as `{ended}`"), |missing| missing.to_string());
        Err(TuningError::NoObjective { objective: objective.measure.to_string(), reason })
    }

    fn held(&self, results: &[UnitResult]) -> Held {
        let estimate = |objective: &Objective| {
            let costs: Option<Vec<f64>> = results.iter().map(|one| objective.lenient_cost(one)).collect();
            let numbers: Vec<_> = costs?.into_iter().map(|cost| objective.number(cost)).collect();
            let has_bound = results.iter().any(|one| objective.is_bound(one));
            let (estimate, bound) = (Estimate::of(&numbers), has_bound.then(|| objective.lenient_side()));
            // A mean that a bound went into is a bound, and has no interval.
            let ci95 = estimate.ci95.filter(|_| !has_bound);
            Some(HeldMean { estimate: Estimate { ci95, ..estimate }, bound })
        };
        let kept = |constraint: &Constraint| results.iter().filter(|one| constraint.holds(one)).count();
        Held {
            objectives: self.objectives.iter().map(estimate).collect(),
            kept: self.constraints.iter().map(kept).collect(),
            runs: results.len(),
        }
    }

    fn judge(&self, trial: usize, own: &[UnitResult], baseline: &[UnitResult]) -> Judged {
        let gain = |objective: &Objective| {
            let theirs: Option<Vec<f64>> = baseline.iter().map(|one| objective.lenient_cost(one)).collect();
            let ours: Vec<f64> = own.iter().map(|one| objective.cost(one)).collect();
            let theirs = theirs.filter(|_| ours.iter().all(|cost| cost.is_finite()))?;
            let has_bound = own.iter().chain(baseline).any(|one| objective.is_bound(one));
            let bound = has_bound.then_some(Side::AtLeast);
            Some(HeldMean { estimate: Estimate::of_differences(&theirs, &ours), bound })
        };
        Judged { trial, held: self.held(own), gains: self.objectives.iter().map(gain).collect() }
    }

    fn sensitivities(
        &self,
        trials: &[Trial],
        moved: Option<usize>,
        seeds: usize,
        runs: &mut Runs<'_>,
    ) -> Result<Vec<Sensitivity>, TuningError> {
        let known = trials.iter().filter(|trial| trial.score.objectives[0].is_finite());
        let known: Vec<_> =
            known.filter_map(|trial| Some((trial.candidate.point()?, trial.score.objectives[0]))).collect();
        let costs: Vec<f64> = known.iter().map(|(_, cost)| *cost).collect();
        let numbers: Vec<Vec<f64>> = known.iter().map(|(point, _)| self.space.numbers(point)).collect();
        let moved = moved.filter(|_| seeds > 0).and_then(|place| trials[place].candidate.point());
        let mut all = Vec::with_capacity(self.space.dimensions());
        for (place, parameter) in self.space.parameters.iter().enumerate() {
            let own: Vec<f64> = numbers.iter().map(|numbers| numbers[place]).collect();
            let is_number = parameter.values.choices().is_none();
            let correlation = rank_correlation(&own, &costs).filter(|_| is_number);
            let neighbours = match moved {
                Some(point) => self.losses(point, place, seeds, runs)?,
                None => Vec::new(),
            };
            let parameter = parameter.name.clone();
            all.push(Sensitivity { parameter, rank_correlation: correlation, neighbours });
        }
        Ok(all)
    }

    /// Returns the loss of each neighbour of a point in a parameter, over the first training seeds.
    fn losses(
        &self,
        point: &Point,
        place: usize,
        seeds: usize,
        runs: &mut Runs<'_>,
    ) -> Result<Vec<(String, Loss)>, TuningError> {
        let objective = &self.objectives[0];
        let costs =
            |results: &[UnitResult]| -> Vec<f64> { results.iter().map(|one| objective.cost(one)).collect() };
        let own = runs.training(&Candidate::Searched(point.clone()), seeds)?;
        let own = own.unwrap_or_default();
        let mut losses = Vec::new();
        for neighbour in neighbours(&self.space, point, place) {
            let value = self.space.shown(&neighbour)[place].clone();
            let results = runs.training(&Candidate::Searched(neighbour), seeds)?;
            let loss = results.map_or(Loss::Refused, |results| {
                let breaks = |one: &Constraint| results.iter().any(|run| !one.holds(run));
                let (theirs, ours) = (costs(&results), costs(&own));
                let has_bound = results.iter().chain(&own).any(|one| objective.is_bound(one));
                // The difference of two bounds bounds nothing.
                let is_known = !has_bound && theirs.iter().chain(&ours).all(|cost| cost.is_finite());
                match (self.constraints.iter().any(breaks), is_known) {
                    (true, _) => Loss::Breaks,
                    (false, false) => Loss::Unknown,
                    (false, true) => Loss::Known(Estimate::of_differences(&theirs, &ours)),
                }
            });
            losses.push((value, loss));
        }
        Ok(losses)
    }
}
