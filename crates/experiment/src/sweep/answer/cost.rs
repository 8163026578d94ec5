//! Costs of the best setting in other phases and measures.
//!
//! Invariant: a bound counts only where the number beyond it is worse still, and a setting that lacks the number of a run
//! is not held against the best. Rates of a part of the traffic over unequal times are no cost, and neither are numbers
//! of a job's messages where settings change them.

use std::collections::BTreeSet;
use std::iter;

use measures::run::with_common_names;
use measures::{ALL, Direction, Measure, Quantity};
use results::sweep::SweepMean;

use super::{Asked, Judged};
use crate::cost::{self, Cost, QUANTITIES};
use crate::statistics::verdict::Comparison;
use crate::store::UnitEnd;
use crate::sweep::cases::{CaseSetting, assigned};
use crate::sweep::means::{mean_of, printed};

/// Largest number of flows and groups that are all looked at. Of more, the question's own and all flows together are.
const MOST_GROUPS: usize = 8;

/// Quantities by which settings may differ that have the same number by another.
const DIFFERING: [Quantity; 3] = [Quantity::Goodput, Quantity::LeastGoodput, Quantity::P99];

impl Asked<'_> {
    /// Names the other phases and measures in which the best setting is clearly worse than another setting, the largest
    /// cost first; `None` if there are none, or no best setting.
    pub(super) fn costs(&self) -> Option<String> {
        let judged = match &self.cases[..] {
            [only] => only,
            _ => self.largest()?.0,
        };
        let verdict = judged.verdict.as_ref().ok()?;
        if verdict.comparison().is_none_or(Comparison::is_open) {
            return None;
        }
        if verdict.all_are_equal() {
            return self.differences(judged);
        }
        let best = &judged.case.settings[verdict.best.place];
        let others = self.others(&QUANTITIES);
        let costs = others.iter().filter_map(|measure| self.cost(judged, best, measure)).collect();
        let at = match &judged.case.condition[..] {
            [] => String::new(),
            condition => format!(" at {}", assigned(&self.conditions, condition)),
        };
        Some(format!("It has a cost{at}: {}.", cost::listed(costs)?))
    }

    /// Names the measures in which settings differ clearly that are equal by the measure of the question, the largest
    /// difference first, each with its worst and its best setting: of the question's own flows if they differ, else of
    /// any. `None` if there are none.
    fn differences(&self, judged: &Judged) -> Option<String> {
        let settings = &judged.case.settings;
        let of_measure = |measure: &Measure| {
            let costs = settings.iter().filter_map(|worse| self.cost(judged, worse, measure));
            costs.max_by(|one, other| one.share.total_cmp(&other.share))
        };
        let others = self.others(&DIFFERING);
        let (own, of_others): (Vec<_>, Vec<_>) = others
            .into_iter()
            .filter(|measure| measure.phase.is_none())
            .partition(|measure| measure.group == self.measure.group);
        let listed = |all: Vec<Measure>| cost::listed(all.iter().filter_map(of_measure).collect());
        Some(format!("They differ otherwise: {}.", listed(own).or_else(|| listed(of_others))?))
    }

    /// Returns the measures of flows and groups that the runs have, beside that of the question.
    fn others(&self, quantities: &[Quantity]) -> Vec<Measure> {
        let Some(result) = self.results.iter().flatten().next() else { return Vec::new() };
        let all = result.measures.iter().map(|one| &one.measure);
        let common = with_common_names(iter::empty());
        let is_own = |group: &str| !common.contains(&group);
        let groups: BTreeSet<_> =
            all.clone().map(|one| one.group.as_str()).filter(|group| is_own(group)).collect();
        let is_other = |one: &&Measure| {
            let is_few = groups.len() <= MOST_GROUPS && is_own(&one.group);
            let is_of_group = is_few || one.group == ALL || one.group == self.measure.group;
            is_of_group && quantities.contains(&one.quantity) && **one != self.measure && self.is_alike(one)
        };
        all.filter(is_other).cloned().collect()
    }

    /// Returns true if a measure is of the same traffic and time in every run, as far as it depends on them.
    fn is_alike(&self, measure: &Measure) -> bool {
        let (is_rate, is_of_messages) = cost::depends_on(measure.quantity);
        if !is_rate && !is_of_messages {
            return true;
        }
        let results = || self.results.iter().flatten();
        let is_job = |group: &str| {
            let mut all = results().flat_map(|result| &result.measures).map(|one| &one.measure);
            all.any(|one| one.quantity == Quantity::JobCompletion && (group == ALL || one.group == group))
        };
        // Another placement moves the same messages.
        let changes_jobs =
            self.choices.iter().any(|path| path.starts_with("jobs") && !path.ends_with(".place"));
        if is_of_messages && changes_jobs && is_job(&measure.group) {
            return false;
        }
        let ends = results().filter_map(|result| match result.ended {
            UnitEnd::Done { done_s } => Some(done_s),
            _ => None,
        });
        // Of all traffic together, a rate is its time.
        !is_rate || measure.group == ALL || !cost::times_differ(ends)
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
            let name = |setting: &CaseSetting| assigned(&self.choices, &setting.values);
            // The best setting has a name already, if any is the best.
            let is_best = judged.verdict.as_ref().is_ok_and(|verdict| !verdict.all_are_equal());
            let own = if is_best { String::new() } else { format!(" with {}", name(best)) };
            format!(
                "{measure} is {}{own} instead of {} with {}",
                spelled(&mine),
                spelled(&mean),
                name(setting)
            )
        })
    }

    /// Returns a mean over all runs of a setting; `None` if a run lacks the number.
    fn mean(&self, measure: &Measure, setting: &CaseSetting) -> Option<SweepMean> {
        let mean = mean_of(measure, &setting.runs, self.results);
        (mean.missing == 0).then_some(mean)
    }
}
