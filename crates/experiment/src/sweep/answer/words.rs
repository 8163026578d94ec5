//! The finding of a sweep and its certainty, in sentences.
//!
//! Invariant: every sentence names its measure and its numbers. Seeds and settings that change nothing are told once.

use results::format::{counted, lowered};
use results::sweep::SweepMean;

use super::{Asked, Judged};
use crate::statistics::Verdict;
use crate::statistics::verdict::{Comparison, Test, chance_in_words};
use crate::store::{UnitEnd, UnitResult};
use crate::sweep::alike;
use crate::sweep::cases::assigned;
use crate::sweep::means::{mean_of, printed};

/// Largest number of conditions that are listed.
const MOST_LISTED: usize = 4;

impl Asked<'_> {
    /// Returns the best setting and its difference from another; of several conditions, the best under each.
    pub(super) fn loss(&self) -> String {
        let taken = if self.is_asked {
            String::new()
        } else {
            format!(
                " {} is taken, since neither `--maximise` nor `--minimise` names a measure.",
                self.measure
            )
        };
        let has_choice = self.cases.iter().any(|judged| judged.case.settings.len() > 1);
        let found = match &self.cases[..] {
            [only] if has_choice => match &only.verdict {
                Ok(verdict) => verdict.finding(),
                Err(none) => format!("No verdict on {}: {none}.", self.measure),
            },
            _ if has_choice => self.of_conditions(),
            [only] => format!(
                "{} is {} with the only setting.",
                self.measure,
                self.spelled(&mean_of(&self.measure, &only.case.settings[0].runs, self.results), only)
            ),
            _ => self.of_curve(),
        };
        [self.of_failures(), Some(found + &taken), self.costs()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Names the runs without results, and those with a fault.
    fn of_failures(&self) -> Option<String> {
        let failed: Vec<_> = self.failed().collect();
        let one = |(place, result): &(usize, &UnitResult)| {
            let settings = &self.plan.runs[*place].settings;
            let set: Vec<_> = settings.iter().map(|(path, value)| format!("{path}={value}")).collect();
            let at = if set.is_empty() { "the run".to_owned() } else { set.join(", ") };
            format!("{at} ({})", result.ended.words_with(result.fault))
        };
        let mut named: Vec<_> = failed.iter().take(MOST_LISTED).map(one).collect();
        let more = failed.len().saturating_sub(MOST_LISTED);
        if more > 0 {
            named.push(format!("{more} more"));
        }
        let all = counted(self.results.len(), "run");
        (!failed.is_empty()).then(|| format!("FAILED: {} of {all}: {}.", failed.len(), named.join("; ")))
    }

    /// Returns the places and results of runs that have no results, a fault, or a job that is stuck.
    pub(super) fn failed(&self) -> impl Iterator<Item = (usize, &UnitResult)> {
        let all = self.results.iter().enumerate();
        all.filter_map(|(place, result)| Some((place, result.as_ref()?)))
            .filter(|(_, result)| !result.is_sound())
    }

    /// Returns the best setting of a case, and its difference from another, in a line.
    pub(super) fn of_case(&self, judged: &Judged) -> String {
        let verdict = match &judged.verdict {
            Ok(verdict) => verdict,
            Err(none) => return format!("{none}"),
        };
        let mean = mean_of(&self.measure, &judged.case.settings[verdict.best.place].runs, self.results);
        let number = self.spelled(&mean, judged);
        let Some(comparison) = verdict.comparison() else { return number };
        let difference = lowered(&verdict.difference(comparison));
        let certainty = certainty_in_brief(comparison);
        let certainty = certainty.map_or_else(String::new, |certainty| format!(" ({certainty})"));
        format!("{}, {number}; {difference}{certainty}", verdict.best.name)
    }

    /// Says which setting is best under which conditions, and where it matters most.
    fn of_conditions(&self) -> String {
        let mut best: Vec<(String, Vec<&Judged>)> = Vec::new();
        for judged in &self.cases {
            let name = judged.verdict.as_ref().map_or_else(|_| "no setting".to_owned(), best_and_its_equals);
            match best.iter_mut().find(|(known, _)| *known == name) {
                Some((_, cases)) => cases.push(judged),
                None => best.push((name, vec![judged])),
            }
        }
        let count = counted(self.cases.len(), "condition");
        let each = |(name, cases): &(String, Vec<&Judged>)| match cases.len() {
            all if all == self.cases.len() => format!("{name} under all {count}"),
            _ => format!("{name} at {}", self.listed(cases)),
        };
        let listed = best.iter().map(each).collect::<Vec<_>>().join("; ");
        let better = self.better.word();
        let largest = self.largest().filter(|(_, comparison)| !comparison.is_equal());
        let most = largest.map_or_else(String::new, |(judged, comparison)| {
            let verdict = judged.verdict.as_ref().expect("it has a comparison");
            let at = assigned(&self.conditions, &judged.case.condition);
            format!(" It matters most at {at}: {}.", lowered(&verdict.difference(comparison)))
        });
        format!("Best by {} ({better} is better): {listed}.{most}", self.measure)
    }

    /// Returns the case with the largest difference, as a share of the other setting's mean.
    pub(super) fn largest(&self) -> Option<(&Judged, &Comparison)> {
        let share = |comparison: &Comparison| {
            let other = comparison.other.estimate.map(|one| one.mean.abs()).filter(|mean| *mean > 0.0);
            Some(comparison.advantage?.mean / other?)
        };
        let all = self.cases.iter().filter_map(|judged| {
            let comparison = judged.verdict.as_ref().ok()?.comparison()?;
            Some((judged, comparison, share(comparison)?))
        });
        let (judged, comparison, _) = all.max_by(|one, other| one.2.total_cmp(&other.2))?;
        Some((judged, comparison))
    }

    /// Says between which numbers the measure goes, where nothing is to be chosen.
    fn of_curve(&self) -> String {
        let mean = |judged: &Judged| mean_of(&self.measure, &judged.case.settings[0].runs, self.results);
        let all: Vec<_> = self.cases.iter().map(|judged| (judged, mean(judged))).collect();
        let known = || all.iter().filter_map(|(judged, mean)| Some((*judged, mean, mean.mean?)));
        let least = known().min_by(|one, other| one.2.total_cmp(&other.2));
        let most = known().max_by(|one, other| one.2.total_cmp(&other.2));
        let (Some((low, least, _)), Some((high, most, _))) = (least, most) else {
            return format!("No run has a number of {}.", self.measure);
        };
        let at = |judged: &Judged| assigned(&self.conditions, &judged.case.condition);
        format!(
            "{} is least at {}, {}, and most at {}, {}.",
            self.measure,
            at(low),
            self.spelled(least, low),
            at(high),
            self.spelled(most, high)
        )
    }

    /// Returns the sentences on chance, bounds, and runs that repeat others.
    pub(super) fn confidence(&self) -> String {
        let mut sentences = Vec::new();
        let cases: Vec<_> = self.cases.iter().map(|judged| &judged.case).collect();
        sentences.extend(self.of_ends());
        let (several, alike) = alike::seeds_without_effect(&cases, self.results);
        sentences.extend(self.of_seeds(several, alike));
        let is_chance = if several == 0 { self.draws_at_random() } else { alike < several };
        match &self.cases[..] {
            [only] => match &only.verdict {
                Ok(verdict) if only.case.settings.len() > 1 && is_chance && self.seeds() > 1 => {
                    sentences.push(verdict.certainty());
                }
                _ => sentences.extend(self.of_bounds()),
            },
            _ => {
                sentences.extend(self.of_significance().filter(|_| is_chance));
                sentences.extend(self.of_bounds());
            }
        }
        let baseline = self.baseline.as_deref();
        sentences.extend(alike::equal_settings(&cases, &self.choices, self.results, baseline));
        sentences.retain(|sentence| !sentence.is_empty());
        if sentences.is_empty() { "Every number is known.".to_owned() } else { sentences.join(" ") }
    }

    /// Says whether seeds change anything.
    fn of_seeds(&self, several: usize, alike: usize) -> Option<String> {
        let seeds = self.seeds();
        match (several, alike) {
            (0, _) if seeds == 1 && self.draws_at_random() => {
                Some("One seed: nothing says what chance does.".to_owned())
            }
            (0, _) if seeds == 1 => Some(
                "Nothing is drawn at random: every seed gives these numbers, so that no difference is chance."
                    .to_owned(),
            ),
            (_, 0) => None,
            (all, alike) if all == alike => Some(format!(
                "Seeds change nothing: the {seeds} runs of each setting are the same, so that one is enough, and no \
                 difference is chance."
            )),
            (all, alike) => Some(format!("Seeds change nothing in {alike} of {all} settings.")),
        }
    }

    /// Returns true if a run draws at random, so that seeds may change it. A run without a plan may, too.
    pub(super) fn draws_at_random(&self) -> bool {
        *self.draws.get_or_init(|| {
            let mut runs = self.plan.runs.iter();
            runs.any(|run| run.unit.plan().map_or(true, |plan| plan.draws_at_random()))
        })
    }

    /// Returns the largest number of seeds of a setting.
    pub(super) fn seeds(&self) -> usize {
        let settings = self.cases.iter().flat_map(|judged| &judged.case.settings);
        settings.map(|setting| setting.runs.len()).max().unwrap_or(0)
    }

    /// Returns the number of runs whose number is a bound, and of runs without a number.
    pub(super) fn unknown(&self) -> (usize, usize) {
        let readings =
            || self.results.iter().map(|run| crate::sweep::means::reading(run.as_ref(), &self.measure));
        let count = |is: fn(&crate::statistics::Reading) -> bool| readings().filter(is).count();
        (
            count(|reading| matches!(reading, crate::statistics::Reading::AtLeast(_))),
            count(|reading| matches!(reading, crate::statistics::Reading::Missing)),
        )
    }

    /// Says how many runs ended at their longest time, before their finite traffic was delivered.
    fn of_ends(&self) -> Option<String> {
        let ends = || self.results.iter().flatten().map(|result| &result.ended);
        let left = ends().filter(|ended| matches!(ended, UnitEnd::NotDone { .. })).count();
        let runs = match (left, ends().count()) {
            (1, 1) => "The run".to_owned(),
            (left, all) if left == all => format!("All {}", counted(all, "run")),
            (left, all) => format!("{left} of {}", counted(all, "run")),
        };
        (left > 0).then(|| {
            format!(
                "{runs} did not deliver all finite traffic in the longest time (`not_done`): numbers of them are of a part of \
                 it; a longer `duration` delivers more."
            )
        })
    }

    fn of_bounds(&self) -> Option<String> {
        let (bounds, missing) = self.unknown();
        let of = counted(self.results.len(), "run");
        let bounds = (bounds > 0).then(|| {
            format!("In {bounds} of {of} the number is a lower bound: messages were unfinished at the end.")
        });
        let missing = (missing > 0).then(|| format!("{missing} of {of} have no number."));
        let sentences: Vec<_> = bounds.into_iter().chain(missing).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// Says under how many conditions the best is significantly better than the setting with which it is compared.
    fn of_significance(&self) -> Option<String> {
        let comparisons = self.cases.iter().filter_map(|judged| judged.verdict.as_ref().ok()?.comparison());
        let comparisons = comparisons.filter(|one| !one.is_impossible());
        let (significant, others): (Vec<_>, Vec<_>) = comparisons.partition(|one| one.significant);
        let all = significant.len() + others.len();
        if all == 0 || self.seeds() < 2 {
            return None;
        }
        let against = if self.baseline.is_some() { "the baseline" } else { "the next best" };
        let undecidable = others.iter().filter(|one| one.is_undecidable()).count();
        let undecidable = match undecidable {
            0 => String::new(),
            count => {
                let needed = others.iter().filter(|one| one.is_undecidable());
                let needed = needed.filter_map(|one| Some(one.wins.0 + one.more_seeds?)).max().unwrap_or(0);
                format!(
                    " Under {} the best is better in every seed that tells, which are too few for the sign test: {needed} \
                     are needed.",
                    counted(count, "condition")
                )
            }
        };
        Some(format!(
            "Significant against {against} under {} of {}.{undecidable}",
            significant.len(),
            counted(all, "condition")
        ))
    }

    fn listed(&self, cases: &[&Judged]) -> String {
        let all =
            cases.iter().take(MOST_LISTED).map(|judged| assigned(&self.conditions, &judged.case.condition));
        let listed = all.collect::<Vec<_>>().join("; ");
        match cases.len().saturating_sub(MOST_LISTED) {
            0 => listed,
            more => format!("{listed} and {more} more"),
        }
    }

    fn spelled(&self, mean: &SweepMean, judged: &Judged) -> String {
        let runs = judged.case.settings[0].runs.len() as u64;
        printed(mean, self.measure.quantity.info().unit, runs)
    }
}

/// Returns the names of the best setting and of settings with the same number in every seed.
fn best_and_its_equals(verdict: &Verdict) -> String {
    if verdict.comparison().is_some_and(Comparison::is_open) {
        return "no setting for certain".to_owned();
    }
    if verdict.all_are_equal() {
        return "all settings alike".to_owned();
    }
    let equal = verdict.others.iter().filter(|one| one.is_equal());
    let mut names: Vec<_> =
        [verdict.best.name.as_str()].into_iter().chain(equal.map(|one| one.other.name.as_str())).collect();
    names.sort_unstable();
    names.join(" and ")
}

/// Returns the certainty of a difference in a few words; `None` if there is nothing to compare.
fn certainty_in_brief(comparison: &Comparison) -> Option<String> {
    if comparison.is_impossible() {
        return None;
    }
    let Some(chance) = comparison.corrected_chance else { return Some("one seed".to_owned()) };
    if comparison.is_equal() || comparison.significant && comparison.is_alike() {
        return Some("the same in every seed".to_owned());
    }
    let more = comparison.more_seeds.map(|more| format!(", {} needed", counted(more, "more seed")));
    Some(match (comparison.significant, comparison.test) {
        (true, _) => chance_in_words(chance),
        (false, Test::PairedT) => {
            format!("not significant{}", more.unwrap_or_default().replace(", ", ", about "))
        }
        (false, Test::Signs | Test::Impossible) => format!("not decided{}", more.unwrap_or_default()),
    })
}
