//! A search: which settings are tried with how many seeds, in which order.
//!
//! Invariant: a search is a function of the space, the method, the seed and the scores. A search that is repeated with the
//! same scores asks for the same runs, so one that was interrupted goes on where it was.

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
    /// Latin hypercube with one seed, then the better half with twice the seeds, until all seeds are used.
    Halving,
    /// Latin hypercube for a third of the settings, then the tree-structured Parzen estimator.
    Tpe,
}

/// Extent of a search.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Method.
    pub method: Method,
    /// Most runs of points of the space, one setting with one seed each. Given candidates are not counted.
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
    /// Number of training seeds that it was run with, the first ones of all.
    pub seeds: usize,
    /// Share of the scenario's duration that its runs had.
    pub share: f64,
    /// Its score over these runs.
    pub score: Score,
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
    /// Name of the run with the first training seed; `None` if the scenario refuses the setting.
    pub run: Option<String>,
}

/// Scores of settings.
pub trait Scorer {
    /// Reason why a score cannot be had.
    type Error;

    /// Returns the score of each setting over the first `seeds` training seeds, in runs of this share of the duration; `None` if
    /// there is no more time.
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

    /// Searches a space, and returns the settings in the order in which they were tried, the given candidates first. A setting
    /// that later got more seeds stands once, with its last score.
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
        let rungs = match self.halved {
            Halved::Seeds => halving::within(self.runs, self.seeds),
            Halved::Duration => halving::of_durations(self.runs, self.seeds),
        };
        let Some(rungs) = rungs else { return Ok(Vec::new()) };
        let points = self.drawn(space, rungs[0].settings);
        let all: Vec<_> = given.iter().cloned().chain(searched(&points)).collect();
        let mut trials: Vec<Trial> = Vec::new();
        let mut standing: Vec<usize> = (given.len()..all.len()).collect();
        for rung in rungs {
            standing.truncate(rung.settings);
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
    let trial = |(candidate, Scored { score, run }): (&Candidate, Scored)| Trial {
        candidate: candidate.clone(),
        run,
        seeds,
        share,
        score,
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

/// Returns the place of the best setting among those with all seeds that keep the constraints and that are `wanted`, by their
/// ranking; `None` if there is none.
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
mod tests {
    use std::convert::Infallible;

    use rand::RngExt;
    use scenario::ScenarioText;

    use super::*;

    /// A synthetic function with noise by seed, whose runs are counted.
    struct Synthetic<F> {
        function: F,
        noise: f64,
        runs: BTreeSet<(String, usize)>,
        most: usize,
        /// Score of the given candidate, and the seeds and shares with which it was asked for.
        baseline: Score,
        given: Vec<(usize, f64)>,
    }

    impl<F: Fn(&[f64]) -> (Vec<f64>, f64)> Scorer for Synthetic<F> {
        type Error = Infallible;

        fn scores(
            &mut self,
            candidates: &[Candidate],
            seeds: usize,
            share: f64,
        ) -> Result<Option<Vec<Scored>>, Infallible> {
            if self.runs.len() >= self.most {
                return Ok(None);
            }
            let score = |candidate: &Candidate| {
                let Candidate::Searched(point) = candidate else {
                    self.given.push((seeds, share));
                    return Scored { score: self.baseline.clone(), run: None };
                };
                let (mut objectives, violation) = (self.function)(point.coordinates());
                for seed in 0..seeds {
                    let owner = format!("{point:?}");
                    let noise = event_kernel::stream(seed as u64, "noise", &owner).random::<f64>() - 0.5;
                    objectives[0] += self.noise * noise / seeds as f64;
                    self.runs.insert((format!("{owner} {share}"), seed));
                }
                Scored { score: Score { objectives, violation }, run: None }
            };
            Ok(Some(candidates.iter().map(score).collect()))
        }
    }

    fn synthetic<F: Fn(&[f64]) -> (Vec<f64>, f64)>(function: F, noise: f64) -> Synthetic<F> {
        let baseline = Score { objectives: vec![-1.0], violation: 0.0 };
        Synthetic { function, noise, runs: BTreeSet::new(), most: usize::MAX, baseline, given: Vec::new() }
    }

    /// Four numbers and a choice of three.
    fn space() -> Space {
        let number = |name| format!("(name: \"{name}\", path: \"{name}\", values: Linear(from: 0, to: 1)),");
        let choice = "(name: \"e\", path: \"e\", values: Choice([\"A\", \"B\", \"C\"]))";
        let text =
            format!("(about: \"\", parameters: [{}{choice}])", ["a", "b", "c", "d"].map(number).concat());
        Space::read(&ScenarioText::new("s.ron", &text)).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A bowl with its bottom, 0, at 0.3, 0.7, 0.2, 0.9 and the second choice.
    fn bowl(at: &[f64]) -> (Vec<f64>, f64) {
        let bottom = [0.3, 0.7, 0.2, 0.9];
        let sides: f64 = at.iter().zip(bottom).map(|(at, bottom)| (at - bottom).powi(2)).sum();
        (vec![sides + if (at[4] * 3.0) as usize == 1 { 0.0 } else { 0.3 }], 0.0)
    }

    fn at(trial: &Trial) -> &[f64] {
        trial.candidate.point().expect("the setting is a point").coordinates()
    }

    fn extent(method: Method, runs: usize, seeds: usize, seed: u64) -> Extent {
        Extent { method, runs, seeds, seed, batch: 4, halved: Halved::Seeds }
    }

    fn best(extent: Extent, function: impl Fn(&[f64]) -> (Vec<f64>, f64), noise: f64) -> f64 {
        let mut scorer = synthetic(&function, noise);
        let Ok(trials) = extent.search(&space(), &[], &mut scorer);
        assert!(scorer.runs.len() <= extent.runs, "{} runs of {}", scorer.runs.len(), extent.runs);
        let winner = winner(&trials, extent.seeds).expect("there is a winner");
        function(at(&trials[winner])).0[0]
    }

    #[test]
    fn the_estimator_finds_what_a_hypercube_of_the_same_size_does_not() {
        let mean =
            |method| (0..20).map(|seed| best(extent(method, 90, 1, seed), bowl, 0.0)).sum::<f64>() / 20.0;
        let (drawn, estimated) = (mean(Method::LatinHypercube), mean(Method::Tpe));
        assert!(estimated < 0.5 * drawn, "{estimated} of the estimator, {drawn} of the hypercube");
    }

    #[test]
    fn halving_finds_more_than_the_same_runs_with_all_seeds() {
        let mean =
            |method| (0..40).map(|seed| best(extent(method, 128, 8, seed), bowl, 0.2)).sum::<f64>() / 40.0;
        let (drawn, halved) = (mean(Method::LatinHypercube), mean(Method::Halving));
        assert!(halved < drawn, "{halved} by halving, {drawn} without");
    }

    #[test]
    fn a_search_is_a_function_of_its_seed() {
        for method in METHODS {
            let points = |seed| {
                let Ok(trials) = extent(method, 60, 2, seed).search(&space(), &[], &mut synthetic(bowl, 0.1));
                trials
            };
            assert_eq!(points(1), points(1), "{method:?}");
            assert_eq!(points(1) == points(2), method == Method::Grid, "{method:?}");
        }
    }

    const METHODS: [Method; 4] = [Method::Grid, Method::LatinHypercube, Method::Halving, Method::Tpe];

    /// The baseline is tried with all seeds in every method, and wins if it is the best; the points are those of a search
    /// without it.
    #[test]
    fn a_given_candidate_takes_part_in_every_rung() {
        for method in METHODS {
            let search = |given: &[Candidate], score: f64| {
                let mut scorer = synthetic(bowl, 0.1);
                scorer.baseline.objectives = vec![score];
                let Ok(trials) = extent(method, 64, 4, 1).search(&space(), given, &mut scorer);
                (trials, scorer)
            };
            let (trials, scorer) = search(&[Candidate::Baseline], -1.0);
            assert_eq!(winner(&trials, 4), Some(0), "{method:?}: nothing beats the baseline");
            let rungs: &[_] = match method {
                Method::Halving => &[(1, WHOLE), (2, WHOLE), (4, WHOLE)],
                _ => &[(4, WHOLE)],
            };
            assert_eq!(scorer.given, rungs, "{method:?}");
            let (trials, _) = search(&[Candidate::Baseline], 100.0);
            assert!(winner(&trials, 4) > Some(0), "{method:?}: a bad baseline does not win");
            assert_eq!(trials[1..], search(&[], 0.0).0, "{method:?}: the same points");
        }
        let (halved, seeds) = (Halved::Duration, 2);
        let whole = Extent { halved, ..extent(Method::Halving, 70, seeds, 1) };
        let mut scorer = synthetic(bowl, 0.0);
        let Ok(trials) = whole.search(&space(), &[Candidate::Baseline], &mut scorer);
        assert_eq!(scorer.given, [(2, 0.25), (2, 0.5), (2, WHOLE)]);
        assert_eq!(scorer.given.len() * seeds, Extent::runs_of_given(Method::Halving, halved, seeds));
        assert_eq!(winner(&trials, seeds), Some(0));
    }

    /// A search that ran out of time is the beginning of the whole one.
    #[test]
    fn a_search_goes_on_where_it_was() {
        let whole = extent(Method::Tpe, 60, 2, 1);
        let Ok(all) = whole.search(&space(), &[], &mut synthetic(bowl, 0.1));
        let mut short = Synthetic { most: 30, ..synthetic(bowl, 0.1) };
        let Ok(beginning) = whole.search(&space(), &[], &mut short);
        assert!(!beginning.is_empty() && beginning.len() < all.len());
        assert_eq!(beginning, all[..beginning.len()]);
    }

    /// The bottom is forbidden; the best allowed point lies on the border, at a first coordinate of 0.5.
    #[test]
    fn a_constraint_is_kept() {
        let forbidden = |at: &[f64]| (bowl(at).0, (0.5 - at[0]).max(0.0));
        for seed in 0..5 {
            let whole = extent(Method::Tpe, 120, 1, seed);
            let Ok(trials) = whole.search(&space(), &[], &mut synthetic(forbidden, 0.0));
            let winner = &trials[winner(&trials, 1).expect("half of the cube is allowed")];
            let at = at(winner)[0];
            assert!((0.5..0.75).contains(&at), "{at}");
        }
        let impossible = |at: &[f64]| (bowl(at).0, 1.0);
        let Ok(trials) = extent(Method::Tpe, 30, 1, 1).search(&space(), &[], &mut synthetic(impossible, 0.0));
        assert_eq!(winner(&trials, 1), None);
    }

    #[test]
    fn a_winner_had_whole_runs() {
        let whole = Extent { halved: Halved::Duration, ..extent(Method::Halving, 70, 2, 1) };
        let mut scorer = synthetic(bowl, 0.0);
        let Ok(trials) = whole.search(&space(), &[], &mut scorer);
        let had = |share: f64| trials.iter().filter(|trial| trial.share == share).count();
        // 20 settings with 2 seeds, 10, 5: 70 runs.
        assert_eq!((had(0.25), had(0.5), had(1.0), scorer.runs.len()), (10, 5, 5, 70));
        let winner = &trials[winner(&trials, 2).expect("there is one")];
        assert!(
            winner.share == WHOLE && trials.iter().all(|one| one.score.objectives >= winner.score.objectives)
        );
    }

    /// Two objectives with their minima at 0.2 and 0.6 of the first coordinate: the front lies between.
    #[test]
    fn two_objectives_have_a_front_between_their_minima() {
        let two = |at: &[f64]| {
            let rest: f64 = at[1..4].iter().map(|at| (at - 0.5).powi(2)).sum();
            (vec![(at[0] - 0.2).powi(2) + rest, (at[0] - 0.6).powi(2) + rest], 0.0)
        };
        let Ok(trials) = extent(Method::Tpe, 200, 1, 3).search(&space(), &[], &mut synthetic(two, 0.0));
        let front = pareto_front(&trials, 1);
        assert!(front.len() >= 4, "{} members", front.len());
        let inside = front.iter().filter(|place| (0.1..0.7).contains(&at(&trials[**place])[0])).count();
        assert!(inside * 10 >= front.len() * 8, "{inside} of {}", front.len());
        assert!(front.contains(&winner(&trials, 1).expect("there is a front")));
    }
}
