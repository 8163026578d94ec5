//! Searches of synthetic functions with known best points.

use std::convert::Infallible;

use rand::RngExt;
use scenario::ScenarioText;

use super::*;

/// A synthetic function with noise by seed. It counts its runs.
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
                return Scored { score: self.baseline.clone(), bounds: Vec::new(), run: None };
            };
            let (mut objectives, violation) = (self.function)(point.coordinates());
            for seed in 0..seeds {
                let owner = format!("{point:?}");
                let noise = event_kernel::stream(seed as u64, "noise", &owner).random::<f64>() - 0.5;
                objectives[0] += self.noise * noise / seeds as f64;
                self.runs.insert((format!("{owner} {share}"), seed));
            }
            Scored { score: Score { objectives, violation }, bounds: Vec::new(), run: None }
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
    let text = format!("(about: \"\", parameters: [{}{choice}])", ["a", "b", "c", "d"].map(number).concat());
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
    let mean = |method| (0..20).map(|seed| best(extent(method, 90, 1, seed), bowl, 0.0)).sum::<f64>() / 20.0;
    let (drawn, estimated) = (mean(Method::LatinHypercube), mean(Method::Tpe));
    assert!(estimated < 0.5 * drawn, "{estimated} of the estimator, {drawn} of the hypercube");
}

#[test]
fn halving_finds_more_than_the_same_runs_with_all_seeds() {
    let mean = |method| (0..40).map(|seed| best(extent(method, 128, 8, seed), bowl, 0.2)).sum::<f64>() / 40.0;
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

/// The baseline is tried with all seeds in every method, and wins if it is the best. The points equal the points of a
/// search without it.
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

/// A search that ran out of time is the beginning of the whole search.
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
