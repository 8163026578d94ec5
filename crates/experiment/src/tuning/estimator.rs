//! Tree-structured Parzen estimator (TPE): the next point from the points so far (Bergstra and others 2011).
//!
//! Invariant: the next point is a function of the history, the number of points asked for, and the seed. Only the order
//! of the scores counts, so that constraints and several objectives need no weights.

use event_kernel::{Stream, stream};
use tpe::{TpeOptimizer, histogram_estimator, parzen_estimator};

use super::point::Point;
use super::space::Space;

/// Number of proposals for a new point before a repeated point is accepted.
const ATTEMPTS: usize = 16;

/// Proposes points, each after the score of the previous point.
pub(super) struct Estimator<'a> {
    space: &'a Space,
    random: Stream,
}

impl<'a> Estimator<'a> {
    #[must_use]
    pub(super) fn new(space: &'a Space, seed: u64) -> Self {
        Self { space, random: stream(seed, "tpe", "tuning") }
    }

    /// Returns the next point. `ranked` are the points so far, the best first. `is_known` says whether a setting was
    /// tried: such a point is proposed only if nothing else is found.
    pub(super) fn propose(&mut self, ranked: &[&Point], is_known: impl Fn(&Point) -> bool) -> Point {
        let mut parameters: Vec<_> = (0..self.space.dimensions()).map(|at| self.model(ranked, at)).collect();
        let mut point = self.sample(&mut parameters);
        for _ in 1..ATTEMPTS {
            if !is_known(&point) {
                break;
            }
            point = self.sample(&mut parameters);
        }
        point
    }

    /// Returns the model of a parameter: a number in its coordinate, a choice by its index.
    fn model(&self, ranked: &[&Point], dimension: usize) -> Model {
        let choices = self.space.parameters[dimension].values.choices();
        let (estimator, range) = match choices {
            Some(count) => (histogram_estimator(), tpe::categorical_range(count)),
            None => (parzen_estimator(), tpe::range(0.0, 1.0)),
        };
        let mut optimizer = TpeOptimizer::new(estimator, range.expect("the range is not empty"));
        for (rank, point) in ranked.iter().enumerate() {
            let at = point.coordinates()[dimension] * choices.map_or(1.0, |count| count as f64);
            let at = choices.map_or(at, |_| at.floor());
            optimizer.tell(at, rank as f64).expect("a coordinate is inside its range");
        }
        Model { optimizer, choices }
    }

    fn sample(&mut self, parameters: &mut [Model]) -> Point {
        let random = &mut self.random;
        let coordinate = |model: &mut Model| {
            let at = model.optimizer.ask(random).expect("the estimators have no errors");
            // The middle of the choice's part of the range, so that rounding cannot lead to a neighbour.
            model.choices.map_or(at, |count| (at + 0.5) / count as f64)
        };
        Point::new(parameters.iter_mut().map(coordinate).collect())
    }
}

struct Model {
    optimizer: TpeOptimizer,
    /// Number of choices; `None` for a number.
    choices: Option<usize>,
}
