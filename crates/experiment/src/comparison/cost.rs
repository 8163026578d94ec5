//! Costs of the best run in other phases and measures of the table.
//!
//! Invariant: numbers that a seed does not know are no part of a cost, and neither are rates over unequal times and
//! times of other messages.

use super::SeededComparison;
use super::row::SeededRow;
use crate::cost::{self, Cost, QUANTITIES};
use crate::statistics::verdict::Comparison;
use crate::statistics::{Estimate, Verdict};
use measures::{ALL, Direction, Quantity};

/// Name of the row with the goodput of all flows in a phase.
const TOTAL: &str = "total";

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
        let (name, quantity) = self.named(row)?;
        let info = quantity.info();
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
                "{name} is {} instead of {} with {label}",
                own.spelled(info.unit),
                theirs.spelled(info.unit)
            )
        })
    }

    /// Returns the name of a row that may have a cost, and its quantity; `None` for other rows, and for the answer's own.
    fn named(&self, SeededRow { row, .. }: &SeededRow) -> Option<(String, Quantity)> {
        let story = self.story.as_ref().filter(|_| !row.is_member)?;
        if let Some(measure) = &row.measure {
            let is_other = QUANTITIES.contains(&measure.quantity) && *measure != story.measure;
            return (is_other && story.unlike.allows(measure))
                .then(|| (measure.to_string(), measure.quantity));
        }
        let goodput = Quantity::Goodput;
        let whose = if row.what == TOTAL { "all flows" } else { &row.what };
        let group = if row.what == TOTAL { ALL } else { &row.what };
        let is_own = story.measure.quantity == goodput
            && story.measure.group == group
            && story.phase.as_ref() == Some(&row.phase);
        (row.topic == goodput.name() && !is_own && story.unlike.allows_rate(group, Some(&row.phase)))
            .then(|| (format!("goodput of {whose} in phase `{}`", row.phase), goodput))
    }
}
