//! Scores of settings, and their order.
//!
//! Invariant: the order is total and deterministic. A setting that keeps every constraint precedes each setting that
//! does not. An unknown objective is the worst (Deb 2000, "An efficient constraint handling method for genetic
//! algorithms": feasible by objective, infeasible by violation, the feasible first).

use std::cmp::Ordering;

use super::pareto;

/// Score of a setting over the seeds that it was run with.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Objectives, each turned so that smaller is better; infinite where unknown, or known only as a bound.
    pub objectives: Vec<f64>,
    /// Violation of the constraints, 0 if all are kept. It is the sum over constraints of the worst seed's violation,
    /// relative to each bound. It is infinite if a run did not end or a measure has no value.
    pub violation: f64,
}

impl Score {
    /// Score of a setting that cannot be run.
    #[must_use]
    pub fn worst(objectives: usize) -> Self {
        Self { objectives: vec![f64::INFINITY; objectives], violation: f64::INFINITY }
    }

    /// Returns true if all constraints are kept and all objectives known.
    #[must_use]
    pub fn is_feasible(&self) -> bool {
        self.violation == 0.0 && self.objectives.iter().all(|objective| objective.is_finite())
    }

    /// Compares two settings of a search for a single objective.
    fn compare(&self, other: &Self) -> Ordering {
        other
            .is_feasible()
            .cmp(&self.is_feasible())
            .then(if self.is_feasible() {
                Ordering::Equal
            } else {
                self.violation.total_cmp(&other.violation)
            })
            .then_with(|| self.objectives[0].total_cmp(&other.objectives[0]))
    }
}

/// Returns the places of the scores, best first; equal scores in their given order. Several objectives are ordered by
/// Pareto front, and inside a front by crowding distance, the least crowded first (Deb and others 2002, NSGA-II).
#[must_use]
pub fn ranking(scores: &[Score]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scores.len()).collect();
    if scores.first().is_none_or(|score| score.objectives.len() == 1) {
        places.sort_by(|a, b| scores[*a].compare(&scores[*b]));
        return places;
    }
    let (mut feasible, mut others): (Vec<_>, Vec<_>) =
        places.into_iter().partition(|place| scores[*place].is_feasible());
    others.sort_by(|a, b| scores[*a].violation.total_cmp(&scores[*b].violation));
    let mut ranked = Vec::with_capacity(scores.len());
    while !feasible.is_empty() {
        let points: Vec<&[f64]> = feasible.iter().map(|place| scores[*place].objectives.as_slice()).collect();
        let front = pareto::front(&points);
        let members: Vec<&[f64]> = front.iter().map(|at| points[*at]).collect();
        let crowding = pareto::crowding_distances(&members);
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|a, b| crowding[*b].total_cmp(&crowding[*a]));
        ranked.extend(order.iter().map(|at| feasible[front[*at]]));
        let taken: Vec<usize> = front.iter().map(|at| feasible[*at]).collect();
        feasible.retain(|place| !taken.contains(place));
    }
    ranked.extend(others);
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(objectives: &[f64], violation: f64) -> Score {
        Score { objectives: objectives.to_vec(), violation }
    }

    #[test]
    fn a_kept_constraint_counts_more_than_any_objective() {
        let scores = [
            score(&[1.0], 0.5),
            score(&[9.0], 0.0),
            score(&[2.0], 0.1),
            score(&[f64::INFINITY], 0.0),
            score(&[3.0], 0.0),
        ];
        assert_eq!(ranking(&scores), [4, 1, 3, 2, 0]);
    }

    #[test]
    fn several_objectives_are_ordered_by_front() {
        let scores = [
            score(&[3.0, 3.0], 0.0),
            score(&[1.0, 4.0], 0.0),
            score(&[4.0, 1.0], 0.0),
            score(&[2.0, 2.0], 0.0),
            score(&[0.0, 0.0], 1.0),
        ];
        let ranked = ranking(&scores);
        // The ends of the front are the least crowded.
        assert_eq!(ranked, [1, 2, 3, 0, 4]);
    }

    #[test]
    fn no_scores_have_no_order() {
        assert!(ranking(&[]).is_empty());
        assert!(!Score::worst(2).is_feasible());
    }
}
