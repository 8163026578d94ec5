//! Costs of the best setting in other phases and measures.
//!
//! Invariant: a bound counts only where the number beyond it is worse still, and a setting that lacks the number of a run
//! is not held against the best.

use std::collections::BTreeSet;
use std::iter;

use measures::run::with_common_names;
use measures::{ALL, Direction, Measure};
use results::sweep::SweepMean;

use super::{Asked, Judged};
use crate::cost::{self, Cost, QUANTITIES};
use crate::statistics::verdict::Comparison;
use crate::sweep::cases::{CaseSetting, assigned};
use crate::sweep::means::{mean_of, printed};

/// Largest number of flows and groups that are all looked at. Of more, the question's own and all flows together are.
const MOST_GROUPS: usize = 8;

impl Asked<'_> {
    /// Names the other phases and measures in which the best setting is clearly worse than another setting, the largest
    /// cost first; `None` if there are none, or no best setting.
    pub(super) fn costs(&self) -> Option<String> {
        let judged = match &self.cases[..] {
            [only] => only,
            _ => self.largest()?.0,
        };
        let verdict = judged.verdict.as_ref().ok()?;
        if verdict.all_are_equal() || verdict.comparison().is_none_or(Comparison::is_open) {
            return None;
        }
        let best = &judged.case.settings[verdict.best.place];
        let others = self.others();
        let costs = others.iter().filter_map(|measure| self.cost(judged, best, measure)).collect();
        let at = match &judged.case.condition[..] {
            [] => String::new(),
            condition => format!(" at {}", assigned(&self.conditions, condition)),
        };
        Some(format!("It has a cost{at}: {}.", cost::listed(costs)?))
    }

    /// Returns the measures of flows and groups that the runs have, beside that of the question.
    fn others(&self) -> Vec<Measure> {
        let Some(result) = self.results.iter().flatten().next() else { return Vec::new() };
        let all = result.measures.iter().map(|one| &one.measure);
        let common = with_common_names(iter::empty());
        let is_own = |group: &str| !common.contains(&group);
        let groups: BTreeSet<_> =
            all.clone().map(|one| one.group.as_str()).filter(|group| is_own(group)).collect();
        let is_other = |one: &&Measure| {
            let is_few = groups.len() <= MOST_GROUPS && is_own(&one.group);
            let is_of_group = is_few || one.group == ALL || one.group == self.measure.group;
            is_of_group && QUANTITIES.contains(&one.quantity) && **one != self.measure
        };
        all.filter(is_other).cloned().collect()
    }

    /// Returns the cost of the best setting by a measure, against the best other setting by it.
    fn cost(&self, judged: &Judged, best: &CaseSetting, measure: &Measure) -> Option<Cost> {
        let info = measure.quantity.info();
        let mine =
            self.mean(measure, best).filter(|one| !one.is_bound || info.better == Direction::Smaller)?;
        let known = judged.case.settings.iter().filter_map(|setting| {
            let mean = self.mean(measure, setting).filter(|mean| !mean.is_bound)?;
            Some((setting, mean.mean?, mean))
        });
        let order = |one: f64, other: f64| match info.better {
            Direction::Larger => one.total_cmp(&other),
            Direction::Smaller => other.total_cmp(&one),
        };
        let (setting, theirs, mean) = known.max_by(|one, other| order(one.1, other.1))?;
        let half = |mean: &SweepMean| mean.ci95.unwrap_or(0.0);
        let spelled = |mean: &SweepMean| printed(mean, info.unit, 0);
        cost::of((mine.mean?, half(&mine)), (theirs, half(&mean)), info.better, || {
            format!(
                "{measure} is {} instead of {} with {}",
                spelled(&mine),
                spelled(&mean),
                assigned(&self.choices, &setting.values)
            )
        })
    }

    /// Returns a mean over all runs of a setting; `None` if a run lacks the number.
    fn mean(&self, measure: &Measure, setting: &CaseSetting) -> Option<SweepMean> {
        let mean = mean_of(measure, &setting.runs, self.results);
        (mean.missing == 0).then_some(mean)
    }
}
