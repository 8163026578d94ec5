//! Costs of the best run in other phases and measures of the table.
//!
//! Invariant: numbers that a seed does not know are no part of a cost.

use super::SeededComparison;
use super::row::SeededRow;
use crate::cost::{self, Cost, QUANTITIES};
use crate::statistics::verdict::Comparison;
use crate::statistics::{Estimate, Verdict};
use measures::Direction;

impl SeededComparison {
    /// Names the rows in which the best run is clearly worse than another run, the largest cost first; `None` if there
    /// are none, or no best run.
    pub(super) fn costs(&self, best: &Verdict) -> Option<String> {
        if best.all_are_equal() || best.comparison().is_none_or(Comparison::is_open) {
            return None;
        }
        let costs = self.rows.iter().filter_map(|row| self.cost(best.best.place, row)).collect();
        Some(format!("{} has a cost: {}.", best.best.name, cost::listed(costs)?))
    }

    fn cost(&self, best: usize, row: &SeededRow) -> Option<Cost> {
        let story = self.story.as_ref()?;
        let asked = |measure: &&measures::Measure| {
            QUANTITIES.contains(&measure.quantity) && **measure != story.measure && !row.row.is_member
        };
        let measure = row.row.measure.as_ref().filter(asked)?;
        let info = measure.quantity.info();
        let estimate = |run: usize| row.estimate(run, self.seeds.len());
        let others = (0..self.runs.len()).filter(|run| *run != best);
        let known = others.filter_map(|run| Some((run, estimate(run)?)));
        let (other, theirs) = known.max_by(|one, other| match info.better {
            Direction::Larger => one.1.mean.total_cmp(&other.1.mean),
            Direction::Smaller => other.1.mean.total_cmp(&one.1.mean),
        })?;
        let own = estimate(best)?;
        let spread = |one: &Estimate| (one.mean, one.ci95.unwrap_or(0.0));
        cost::of(spread(&own), spread(&theirs), info.better, || {
            let label = &self.runs[other].label;
            format!(
                "{measure} is {} instead of {} with {label}",
                own.spelled(info.unit),
                theirs.spelled(info.unit)
            )
        })
    }
}
