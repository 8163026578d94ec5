//! The answer of a sweep: under each condition the best setting, and all of it in four texts.
//!
//! Invariant: settings are compared on their common seeds, under one condition at a time. A run without results counts
//! as missing, never as a number.
//!
//! | module | contents |
//! |---|---|
//! | here | the question, and the answer from plan and results |
//! | `words` | the sentences |
//! | `cost` | other measures by which the best setting is worse than another |
//! | `cause` | further differences between the runs of two settings |
//! | `advice` | the command that answers the next question |

mod advice;
mod cause;
mod cost;
mod words;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use measures::{Direction, Measure, Quantity};
use results::distinct::distinct;
use results::sweep::{SCHEMA, SweepAnswer, SweepCase, SweepMean, SweepSetting};
use results::verdict::VerdictKind;

use super::cases::{Case, CaseSetting, Conditions, assigned};
use super::means::{mean_of, reading};
use super::rows::SweepPlan;
use super::values::{self, Kind};
use crate::statistics::verdict::{NoVerdict, VerdictQuestion};
use crate::statistics::{EdgeOfTried, Setting, Verdict};
use crate::store::UnitResult;
use crate::unit::{Unit, UnitSeeds};

/// Quantities of all flows: the first with a known number in every run is taken if no measure is named, and
/// there is no job whose completion every run knows.
const TAKEN: [Quantity; 2] = [Quantity::P99, Quantity::Goodput];

/// The question to the runs of a sweep.
#[derive(Clone, Debug)]
pub struct SweepQuestion {
    /// Measure that is to be best, and the direction of better numbers; `None` for a measure that the program takes.
    pub measure: Option<(Measure, Direction)>,
    /// Name of the setting with which the best is compared, or a part of it that no other name has; `None` for the next
    /// best.
    pub baseline: Option<String>,
    /// Conditions, which are not to be chosen.
    pub conditions: Conditions,
}

/// A baseline that is no setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`--baseline {name}` is no setting of the sweep")]
pub struct UnknownBaseline {
    name: String,
    known: Vec<String>,
}

impl UnknownBaseline {
    /// Returns the correction.
    #[must_use]
    pub fn help(&self) -> String {
        scenario::help_with_name(&self.name, &self.known, "settings")
    }
}

/// The runs of a sweep, with the question to them.
struct Asked<'a> {
    plan: &'a SweepPlan,
    results: &'a [Option<UnitResult>],
    measure: Measure,
    better: Direction,
    is_asked: bool,
    conditions: Vec<String>,
    choices: Vec<String>,
    /// Name of the baseline.
    baseline: Option<String>,
    cases: Vec<Judged>,
    /// True if a run draws at random. It takes the plans of all runs, so it is found out once, if at all.
    draws: OnceCell<bool>,
}

/// A case with its verdict.
struct Judged {
    case: Case,
    verdict: Result<Verdict, NoVerdict>,
}

impl SweepQuestion {
    /// Returns the whole name of the baseline, if there is one.
    ///
    /// # Errors
    /// If no setting has this name, or several have it.
    pub fn baseline_in(&self, plan: &SweepPlan) -> Result<Option<String>, UnknownBaseline> {
        let Some(name) = &self.baseline else { return Ok(None) };
        let choices = choices(plan, &self.conditions);
        let cases = self.conditions.cases(plan);
        let settings = cases.iter().flat_map(|case| &case.settings);
        let names: Vec<_> = settings.map(|setting| assigned(&choices, &setting.values)).collect();
        let known = distinct(&names);
        let exact = known.iter().find(|known| **known == name);
        let mut within = known.iter().filter(|known| known.contains(name));
        let only = within.next().filter(|_| within.next().is_none());
        match exact.or(only) {
            Some(found) => Ok(Some((*found).clone())),
            None => Err(UnknownBaseline { name: name.clone(), known: known.into_iter().cloned().collect() }),
        }
    }

    /// Returns the measure of the question, or the measure that is taken without one.
    #[must_use]
    pub fn measure_for(&self, results: &[Option<UnitResult>]) -> (Measure, Direction) {
        let taken = || {
            let first = results.iter().flatten().find(|result| result.ended.has_results());
            let listed = first.iter().flat_map(|result| &result.measures).map(|one| &one.measure);
            let of_jobs = listed.filter(|one| one.quantity == Quantity::JobCompletion).cloned();
            let measures: Vec<_> = of_jobs.chain(TAKEN.map(Measure::of_all)).collect();
            let is_known = |measure: &&Measure| {
                let mut all = results.iter().flatten().filter(|result| result.ended.has_results()).peekable();
                let is_known = |result: &UnitResult| reading(Some(result), measure).known().is_some();
                all.peek().is_some() && all.all(is_known)
            };
            let measure = measures.iter().find(is_known).unwrap_or(&measures[TAKEN.len() - 1]).clone();
            let better = measure.quantity.info().better;
            (measure, better)
        };
        self.measure.clone().unwrap_or_else(taken)
    }

    /// Answers the question. `measures` are those of which means are wanted; `command` is the command line of the
    /// sweep, and `dir` its folder.
    ///
    /// # Errors
    /// If the baseline is no setting.
    pub fn answer(
        &self,
        plan: &SweepPlan,
        results: &[Option<UnitResult>],
        measures: &[Measure],
        (command, dir): (&[String], &str),
    ) -> Result<SweepAnswer, UnknownBaseline> {
        let (measure, better) = self.measure_for(results);
        let baseline = self.baseline_in(plan)?;
        let choices = choices(plan, &self.conditions);
        let ends = ends(plan);
        let judged = |case: Case| {
            let settings: Vec<_> = case
                .settings
                .iter()
                .map(|setting| compared(setting, (plan, results), (&measure, &choices), &ends))
                .collect();
            let place = settings.iter().position(|setting| Some(&setting.name) == baseline.as_ref());
            let question = VerdictQuestion { better, ..VerdictQuestion::of(&measure, place) };
            let mut verdict = Verdict::of(question, &settings);
            if let Ok(verdict) = &mut verdict {
                let unit = &plan.runs[case.settings[verdict.best.place].runs[0]].unit;
                verdict.best.edges.retain(|edge| goes_beyond(unit, edge));
            }
            Judged { case, verdict }
        };
        let cases = self.conditions.cases(plan).into_iter().map(judged).collect();
        let conditions = self.conditions.names(plan);
        let is_asked = self.measure.is_some();
        let draws = OnceCell::new();
        let asked =
            Asked { plan, results, measure, better, is_asked, conditions, choices, baseline, cases, draws };
        Ok(asked.answer(measures, command, dir))
    }
}

impl Asked<'_> {
    fn answer(&self, measures: &[Measure], command: &[String], dir: &str) -> SweepAnswer {
        let scenarios: BTreeSet<_> = self.plan.runs.iter().map(|run| run.unit.scenario.clone()).collect();
        let mut of_means = vec![self.measure.clone()];
        of_means.extend(measures.iter().filter(|one| **one != self.measure).cloned());
        SweepAnswer {
            schema: SCHEMA.to_owned(),
            scenarios: scenarios.into_iter().collect(),
            measure: self.measure.to_string(),
            better: self.better.word().to_owned(),
            is_asked: self.is_asked,
            conditions: self.conditions.clone(),
            choices: self.choices.clone(),
            verdict: results::verdict::Verdict {
                loss: self.loss(),
                cause: self.cause(),
                confidence: self.confidence(),
                advice: self.advice(command, dir),
                kind: VerdictKind::Runs,
                measure: Some(self.measure.to_string()),
            },
            cases: self.cases.iter().map(|judged| self.case(judged, &of_means)).collect(),
        }
    }

    fn case(&self, judged: &Judged, measures: &[Measure]) -> SweepCase {
        let verdict = judged.verdict.as_ref().ok();
        let others = verdict.map_or(&[][..], |verdict| &verdict.others[..]);
        let compared = others.iter().filter(|one| !one.is_impossible());
        let is_worse: BTreeMap<_, _> = compared.map(|one| (one.other.place, one.significant)).collect();
        let setting = |(place, setting): (usize, &CaseSetting)| SweepSetting {
            values: setting.values.clone(),
            runs: setting.runs.len() as u64,
            is_worse: is_worse.get(&place).copied(),
            means: self.means(setting, measures),
        };
        SweepCase {
            condition: judged.case.condition.clone(),
            best: verdict.map(|verdict| verdict.best.place as u64),
            answer: self.of_case(judged),
            settings: judged.case.settings.iter().enumerate().map(setting).collect(),
        }
    }

    fn means(&self, setting: &CaseSetting, measures: &[Measure]) -> Vec<SweepMean> {
        measures.iter().map(|measure| mean_of(measure, &setting.runs, self.results)).collect()
    }
}

/// Returns the names of the columns that are to be chosen.
fn choices(plan: &SweepPlan, conditions: &Conditions) -> Vec<String> {
    conditions.choices(plan).into_iter().map(|place| plan.columns()[place].to_owned()).collect()
}

/// Returns a setting with a reading for each seed.
fn compared(
    setting: &CaseSetting,
    (plan, results): (&SweepPlan, &[Option<UnitResult>]),
    (measure, choices): (&Measure, &[String]),
    ends: &BTreeMap<&str, [f64; 2]>,
) -> Setting<UnitSeeds> {
    let of_seed = |run: &usize| (plan.runs[*run].unit.seeds, reading(results[*run].as_ref(), measure));
    let name = assigned(choices, &setting.values);
    let edge = |(path, value): (&String, &String)| {
        let ([least, most], (_, number)) = (ends.get(path.as_str())?, values::quantity(value)?);
        (number == *least || number == *most).then(|| EdgeOfTried {
            path: path.clone(),
            value: value.clone(),
            is_largest: number == *most,
        })
    };
    Setting {
        name: if name.is_empty() { plan.runs[setting.runs[0]].unit.scenario.clone() } else { name },
        edges: choices.iter().zip(&setting.values).filter_map(edge).collect(),
        readings: setting.runs.iter().map(of_seed).collect(),
    }
}

/// Returns true if a run could have a value beyond this edge: the scenario takes the next whole number. Of values that
/// are no whole numbers, nothing is known but that they have neighbours.
fn goes_beyond(unit: &Unit, edge: &EdgeOfTried) -> bool {
    let Ok(value) = edge.value.parse::<i128>() else { return true };
    let next = if edge.is_largest { value + 1 } else { value - 1 };
    let mut beyond = unit.clone();
    beyond.overrides.push(format!("{}={next}", edge.path));
    beyond.plan().is_ok()
}

/// Returns the smallest and the largest value of each column with values of the same kind that are not all equal.
fn ends<'a>(plan: &'a SweepPlan) -> BTreeMap<&'a str, [f64; 2]> {
    let of = |(column, path): (usize, &'a str)| {
        let quantities: Option<Vec<(Kind, f64)>> =
            plan.runs.iter().map(|run| values::quantity(&run.settings[column].1)).collect();
        let quantities = quantities?;
        let plain = |kind: Kind| if kind == Kind::Real { Kind::Whole } else { kind };
        let one_kind = quantities.windows(2).all(|pair| plain(pair[0].0) == plain(pair[1].0));
        let values = || quantities.iter().map(|(_, value)| *value);
        let (least, most) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        (one_kind && least < most).then_some((path, [least, most]))
    };
    plan.columns().into_iter().enumerate().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value at the end of its field's range is no edge of the tried ones.
    #[test]
    fn nothing_lies_beyond_the_range_of_a_field() {
        let threshold = "congestion_control.marking.threshold";
        let cases = [
            ("gran2011-scenario1", threshold, "15", true, false),
            ("gran2011-scenario1", threshold, "14", true, true),
            ("gran2011-scenario1", threshold, "0", false, false),
            ("gran2011-scenario1", threshold, "1", false, true),
            ("one-flow", "adapter.retry_count", "7", true, false),
            ("one-flow", "adapter.retry_count", "6", true, true),
            ("one-flow", "link.mtu", "2 KiB", true, true),
        ];
        for (scenario, path, value, is_largest, expected) in cases {
            let unit = Unit {
                scenario: scenario.to_owned(),
                overrides: vec![format!("{path}={value}")],
                seeds: UnitSeeds::default(),
                drain: false,
            };
            let edge = EdgeOfTried { path: path.to_owned(), value: value.to_owned(), is_largest };
            assert_eq!(goes_beyond(&unit, &edge), expected, "{path}={value}");
        }
    }
}
