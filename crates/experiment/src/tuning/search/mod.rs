//! A search: which settings are tried with how many seeds, in which order.
//!
//! Invariant: a search is a function of the space, the method, the seed and the scores. A search that is repeated with
//! the same scores asks for the same runs, so an interrupted search goes on where it was.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::design;
use super::estimator::Estimator;
use super::halving;
use super::point::Point;
use super::score::{Score, ranking};
use super::space::Space;

/// Method of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Full grid, with as many levels as the budget allows.
    Grid,
    /// Latin hypercube.
    LatinHypercube,
    /// Latin hypercube with a single seed, then the better half with twice the seeds, until all seeds are used.
    Halving,
    /// Latin hypercube for a third of the settings, then the tree-structured Parzen estimator.
    Tpe,
}

/// Extent of a search.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Method.
    pub method: Method,
    /// Most runs of points of the space. A run is a setting with a seed. Given candidates are not counted.
    pub runs: usize,
    /// Training seeds of each setting.
    pub seeds: usize,
    /// Seed of the search itself.
    pub seed: u64,
    /// Settings that the estimator proposes at a time, at least 1.
    pub batch: usize,
    /// Budget that successive halving gives to settings in doses.
    pub halved: Halved,
}

/// Budget of a setting that successive halving doubles from rung to rung.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halved {
    /// Number of seeds.
    #[default]
    Seeds,
    /// Simulated time of each run: a quarter, a half, the whole. Slow settings look bad in short runs.
    Duration,
}

/// A setting that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The setting.
    pub candidate: Candidate,
    /// Name of its run with the first training seed; `None` if the scenario refuses the setting.
    pub run: Option<String>,
    /// Number of training seeds that it was run with, from the first.
    pub seeds: usize,
    /// Share of the scenario's duration that its runs had.
    pub share: f64,
    /// Its score over these runs.
    pub score: Score,
    /// For each objective, true if a number of these runs is known only between bounds, of which the worse counts.
    pub bounds: Vec<bool>,
}

impl Trial {
    /// Returns true if the setting had all seeds and whole runs, and keeps the constraints.
    fn is_complete(&self, seeds: usize) -> bool {
        self.seeds == seeds && self.share >= WHOLE && self.score.is_feasible()
    }
}

/// Score of a setting, and the run that it begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The score.
    pub score: Score,
    /// For each objective, true if a number is known only between bounds.
    pub bounds: Vec<bool>,
    /// Name of the run with the first training seed; `None` if the scenario refuses the setting.
    pub run: Option<String>,
}

/// Scores of settings.
pub trait Scorer {
    /// Reason why a score cannot be had.
    type Error;

    /// Returns the score of each setting over the first `seeds` training seeds. Runs have this share of the duration.
    /// `None` if there is no more time.
    ///
    /// # Errors
    /// If the runs as a whole are impossible. A setting that cannot be run has the worst score.
    fn scores(
        &mut self,
        candidates: &[Candidate],
        seeds: usize,
        share: f64,
    ) -> Result<Option<Vec<Scored>>, Self::Error>;
}

/// Share of the duration of a whole run.
pub const WHOLE: f64 = 1.0;
/// Share of the settings that are drawn before the estimator has a say.
const DRAWN_SHARE: usize = 3;

impl Extent {
    /// Returns the number of settings that the budget allows with all training seeds.
    #[must_use]
    pub const fn settings(&self) -> usize {
        self.runs / self.seeds
    }

    /// Returns the number of points that the search tries at most. A grid may have fewer.
    #[must_use]
    pub fn most_points(&self) -> usize {
        match self.method {
            Method::Halving => self.rungs().map_or(0, |rungs| rungs[0].settings),
            Method::Grid | Method::LatinHypercube | Method::Tpe => self.settings(),
        }
    }

    /// Returns the rungs of successive halving; `None` if the budget has no room for a single setting.
    fn rungs(&self) -> Option<Vec<halving::Rung>> {
        match self.halved {
            Halved::Seeds => halving::within(self.runs, self.seeds),
            Halved::Duration => halving::of_durations(self.runs, self.seeds),
        }
    }

    /// Searches a space, and returns the settings in the order in which they were tried, the given candidates first. A
    /// setting that later got more seeds stands once, with its last score.
    ///
    /// # Errors
    /// The first error of the scores.
    pub fn search<S: Scorer>(
        &self,
        space: &Space,
        given: &[Candidate],
        scorer: &mut S,
    ) -> Result<Vec<Trial>, S::Error> {
        match self.method {
            Method::Grid => self.all_at_once(given, &design::grid(space, self.settings()), scorer),
            Method::LatinHypercube => self.all_at_once(given, &self.drawn(space, self.settings()), scorer),
            Method::Halving => self.halve(space, given, scorer),
            Method::Tpe => self.estimate(space, given, scorer),
        }
    }

    /// Returns the runs that a given candidate takes until it has all seeds and the whole duration.
    #[must_use]
    pub const fn runs_of_given(method: Method, halved: Halved, seeds: usize) -> usize {
        match (method, halved) {
            (Method::Halving, Halved::Duration) => halving::SHARES.len() * seeds,
            _ => seeds,
        }
    }

    fn drawn(&self, space: &Space, count: usize) -> Vec<Point> {
        let mut known = BTreeSet::new();
        let points = design::latin_hypercube(space.dimensions(), count, self.seed);
        // Different points may round to the same overrides, and would spend runs on the same setting.
        points.into_iter().filter(|point| known.insert(space.overrides(point))).collect()
    }

    /// Scores the given candidates and the points of a design, some at a time, so that time can run out between them.
    fn all_at_once<S: Scorer>(
        &self,
        given: &[Candidate],
        points: &[Point],
        scorer: &mut S,
    ) -> Result<Vec<Trial>, S::Error> {
        let all: Vec<_> = given.iter().cloned().chain(searched(points)).collect();
        let mut trials = Vec::with_capacity(all.len());
        for part in all.chunks(self.batch.max(1)) {
            let Some(scores) = scorer.scores(part, self.seeds, WHOLE)? else { break };
            trials.extend(of(part, self.seeds, WHOLE, scores));
        }
        Ok(trials)
    }

    /// Halves the points from rung to rung. The given candidates stay: each rung compares with them.
    fn halve<S: Scorer>(
        &self,
        space: &Space,
        given: &[Candidate],
        scorer: &mut S,
    ) -> Result<Vec<Trial>, S::Error> {
        let Some(rungs) = self.rungs() else { return Ok(Vec::new()) };
        let points = self.drawn(space, rungs[0].settings);
        let all: Vec<_> = given.iter().cloned().chain(searched(&points)).collect();
        let mut trials: Vec<Trial> = Vec::new();
        let mut standing: Vec<usize> = (given.len()..all.len()).collect();
        for rung in rungs {
            standing.truncate(rung.settings);
            // Given settings take part in every rung: they must have all seeds to be compared with the last points.
            let places: Vec<usize> = (0..given.len()).chain(standing.iter().copied()).collect();
            let part: Vec<_> = places.iter().map(|place| all[*place].clone()).collect();
            let Some(scores) = scorer.scores(&part, rung.seeds, rung.share)? else { break };
            let of_points: Vec<_> = scores[given.len()..].iter().map(|scored| scored.score.clone()).collect();
            for (place, trial) in places.iter().zip(of(&part, rung.seeds, rung.share, scores)) {
                match trials.get_mut(*place) {
                    Some(known) => *known = trial,
                    None => trials.push(trial),
                }
            }
            standing = ranking(&of_points).into_iter().map(|at| standing[at]).collect();
        }
        Ok(trials)
    }

    /// Searches by the estimator, which learns from points alone: a given candidate need not lie in the space.
    fn estimate<S: Scorer>(
        &self,
        space: &Space,
        given: &[Candidate],
        scorer: &mut S,
    ) -> Result<Vec<Trial>, S::Error> {
        let settings = self.settings();
        let start = self.drawn(space, settings.div_ceil(DRAWN_SHARE));
        let started = given.len() + start.len();
        let mut trials = self.all_at_once(given, &start, scorer)?;
        if trials.len() < started {
            return Ok(trials);
        }
        let points = trials.iter().filter_map(|trial| trial.candidate.point());
        let mut known: BTreeSet<_> = points.map(|point| space.overrides(point)).collect();
        let mut estimator = Estimator::new(space, self.seed);
        while trials.len() - given.len() < settings {
            let scores: Vec<_> = trials[given.len()..].iter().map(|trial| trial.score.clone()).collect();
            let of_rank = |place: usize| trials[given.len() + place].candidate.point();
            let ranked: Vec<_> = ranking(&scores).into_iter().filter_map(of_rank).collect();
            let count = self.batch.max(1).min(settings - scores.len());
            let mut proposed = Vec::with_capacity(count);
            for _ in 0..count {
                let point = estimator.propose(&ranked, |point| known.contains(&space.overrides(point)));
                // Points of a batch are proposed from the same scores, so nothing else keeps them apart.
                known.insert(space.overrides(&point));
                proposed.push(point);
            }
            let proposed: Vec<_> = searched(&proposed).collect();
            let Some(scores) = scorer.scores(&proposed, self.seeds, WHOLE)? else { break };
            trials.extend(of(&proposed, self.seeds, WHOLE, scores));
        }
        Ok(trials)
    }
}

fn searched(points: &[Point]) -> impl Iterator<Item = Candidate> {
    points.iter().cloned().map(Candidate::Searched)
}

fn of(candidates: &[Candidate], seeds: usize, share: f64, scores: Vec<Scored>) -> Vec<Trial> {
    let trial = |(candidate, Scored { score, bounds, run }): (&Candidate, Scored)| Trial {
        candidate: candidate.clone(),
        run,
        seeds,
        share,
        score,
        bounds,
    };
    candidates.iter().zip(scores).map(trial).collect()
}

/// Returns the place of the best setting among those with all seeds; `None` if none keeps the constraints. Of several
/// objectives, it is the member of the Pareto front that is nearest to the ideal point.
#[must_use]
pub fn winner(trials: &[Trial], seeds: usize) -> Option<usize> {
    let front = pareto_front(trials, seeds);
    let points: Vec<&[f64]> = front.iter().map(|place| trials[*place].score.objectives.as_slice()).collect();
    super::pareto::nearest_to_ideal(&points).map(|at| front[at])
}

/// Returns the place of the best setting, by ranking, among `wanted` settings with all seeds that keep the constraints;
/// `None` if there is none.
pub(super) fn best_other(trials: &[Trial], seeds: usize, wanted: impl Fn(&Trial) -> bool) -> Option<usize> {
    let places: Vec<usize> = (0..trials.len())
        .filter(|place| trials[*place].is_complete(seeds) && wanted(&trials[*place]))
        .collect();
    let scores: Vec<_> = places.iter().map(|place| trials[*place].score.clone()).collect();
    ranking(&scores).first().map(|at| places[*at])
}

/// Returns the places of the settings with all seeds that keep the constraints and that no such setting dominates.
#[must_use]
pub fn pareto_front(trials: &[Trial], seeds: usize) -> Vec<usize> {
    let feasible: Vec<usize> = (0..trials.len()).filter(|place| trials[*place].is_complete(seeds)).collect();
    let points: Vec<&[f64]> =
        feasible.iter().map(|place| trials[*place].score.objectives.as_slice()).collect();
    super::pareto::front(&points).into_iter().map(|at| feasible[at]).collect()
}

#[cfg(test)]
mod tests;
