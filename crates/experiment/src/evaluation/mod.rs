//! An evaluation for an outside optimiser: parameters in, measures out.
//!
//! Invariant: an answer states every measure that was asked for, with a number or with the reason for which it has
//! none. Over several seeds the number is the mean, and it exists only if every run has the measure.
//!
//! | module | contents |
//! |---|---|
//! | [`parameters`](mod@parameters) | parameters as text, and the overrides that they stand for |

pub mod parameters;

use fabric::RunOptions;
use scenario::{Diagnostic, Plan};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::measuring;
use crate::pool;
use crate::simulation::{plan, simulate};
use crate::store::{RunFault, UnitEnd};
use measures::{Measure, MeasureError, Measured};

pub use parameters::{ParameterError, ParameterFormat, overrides};

/// Name and version of the format of an answer. It changes if a field changes its meaning or is removed.
pub const SCHEMA: &str = "backwater-evaluation/1";

/// Reason for which parameters cannot be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    /// The scenario or a parameter is wrong.
    #[error(transparent)]
    Scenario(#[from] Diagnostic),
    /// The scenario does not have a measure.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// The parameters cannot be read.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
}

/// A scenario and the measures that are asked of it, whatever the parameters.
#[derive(Clone, Debug)]
pub struct EvaluationQuestion {
    /// A file, or the name of a shipped scenario.
    pub scenario: String,
    /// Overrides before the parameters, each as `PATH=VALUE`.
    pub set: Vec<String>,
    /// Seeds; the scenario's own if there are none.
    pub seeds: Vec<u64>,
    /// Measures; those that `measuring::list` lists if there are none.
    pub measures: Vec<Measure>,
}

/// A question with its parameters, checked.
#[derive(Debug)]
pub struct CheckedQuestion {
    scenario: String,
    overrides: Vec<String>,
    measures: Vec<Measure>,
    plans: Vec<Plan>,
}

impl EvaluationQuestion {
    /// Checks the question with the overrides of a set of parameters.
    ///
    /// # Errors
    /// If the scenario or an override is wrong, or the scenario does not have a measure.
    ///
    /// # Panics
    /// Never: there is a plan for each seed, or for the scenario's own.
    pub fn check(&self, parameters: &[String]) -> Result<CheckedQuestion, EvaluationError> {
        let overrides: Vec<_> = self.set.iter().chain(parameters).cloned().collect();
        let own = self.seeds.is_empty().then_some(None);
        let seeds = self.seeds.iter().copied().map(Some).chain(own);
        let plans = seeds.map(|seed| plan(&self.scenario, &overrides, seed));
        let plans = plans.collect::<Result<Vec<_>, _>>()?;
        // Groups, flows and phases do not depend on the seed.
        let first = plans.first().expect("there is a seed, or the scenario's own");
        self.measures.iter().try_for_each(|measure| measuring::check(measure, first))?;
        let measures = if self.measures.is_empty() { measuring::list(first) } else { self.measures.clone() };
        Ok(CheckedQuestion { scenario: self.scenario.clone(), overrides, measures, plans })
    }
}

impl CheckedQuestion {
    /// Returns the plans, in the order of the seeds.
    #[must_use]
    pub fn plans(&self) -> &[Plan] {
        &self.plans
    }

    /// Runs all seeds, as many at a time as there are processors, and reads the measures off the runs.
    ///
    /// # Panics
    /// Never: a run that fails is an answer.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let runs = pool::results(&self.plans, |plan| self.run(plan));
        let (runs, measured): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        let number = |(place, measure): (usize, &Measure)| {
            let of_runs = runs.iter().zip(&measured).map(|(run, all)| (run, all.get(place)));
            (measure.clone(), Number::of(measure, of_runs))
        };
        let measures = self.measures.iter().enumerate().map(number).collect();
        Answer {
            schema: SCHEMA,
            scenario: self.scenario.clone(),
            overrides: self.overrides.clone(),
            status: status(&runs),
            measures: Numbers(measures),
            runs,
        }
    }

    /// Runs a plan. A run without results has no measures.
    fn run(&self, plan: &Plan) -> (EvaluatedRun, Vec<Measured>) {
        let outcome = simulate(plan, RunOptions::default(), &mut |_| {});
        // Nobody interrupts an evaluation.
        let ended = UnitEnd::of(&outcome).unwrap_or(UnitEnd::Complete);
        let outcome = outcome.ok().filter(|_| ended.has_results());
        let digest = outcome.as_ref().map(|outcome| outcome.summary.digest.to_string());
        let fault = outcome.as_ref().and_then(|outcome| RunFault::of(plan, &outcome.record, false));
        let measured = outcome.map(|outcome| {
            self.measures.iter().map(|measure| measures::run::one(outcome.measured(), measure)).collect()
        });
        let run =
            EvaluatedRun { seed: plan.seed(), plan_digest: plan.digest().to_string(), ended, fault, digest };
        (run, measured.unwrap_or_default())
    }
}

/// Returns the end of all runs in a single word. The worst end decides: no results, then a standstill, a loss in a
/// lossless fabric, gave up, a job at fault or a drain too long, not done. Among equals, the first run decides.
fn status(runs: &[EvaluatedRun]) -> &'static str {
    // Of equal ranks the first run decides.
    let rank = |run: &&EvaluatedRun| match (&run.ended, run.fault) {
        (ended, _) if !ended.has_results() => 0,
        (_, Some(RunFault::StandsStill { .. })) => 1,
        (_, Some(RunFault::NotLossless { .. })) => 2,
        (_, Some(RunFault::NotDrained { .. } | RunFault::SizesDiffer))
        | (UnitEnd::GaveUp { .. } | UnitEnd::Stuck { .. }, None) => 3,
        (UnitEnd::NotDone { .. }, None) => 4,
        _ => 5,
    };
    runs.iter().min_by_key(rank).map_or("complete", EvaluatedRun::word)
}

/// The answer to a question, as JSON has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// Name and version of the format: [`SCHEMA`].
    pub schema: &'static str,
    /// The scenario as it was named.
    pub scenario: String,
    /// Overrides. The parameters' overrides are the last.
    pub overrides: Vec<String>,
    /// End of the runs: `complete`, `done`, `not_done`, `gave_up`, `not_lossless`, `stands_still`, `deadlock` or
    /// `violation`. Of several runs the first without results decides, then the first in the reverse of this order.
    pub status: &'static str,
    /// Numbers by measure.
    pub measures: Numbers,
    /// Runs in the order of their seeds.
    pub runs: Vec<EvaluatedRun>,
}

/// A run of an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvaluatedRun {
    /// Seed of its random streams.
    pub seed: u64,
    /// Digest of its plan, in hexadecimal.
    pub plan_digest: String,
    /// End of the run.
    pub ended: UnitEnd,
    /// Fault of a run with results, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<RunFault>,
    /// Digest of the run; `None` if it has no results.
    pub digest: Option<String>,
}

impl EvaluatedRun {
    /// Returns the end as a single word ([`UnitEnd::word_with`] its fault).
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.ended.word_with(self.fault)
    }
}

/// Numbers by measure, in the order in which they were asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers(pub Vec<(Measure, Number)>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (measure, number) in &self.0 {
            map.serialize_entry(&measure.to_string(), number)?;
        }
        map.end()
    }
}

/// A number over the runs of an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// Unit: `s`, `bit/s`, `bytes`, `packets`, or `1` for shares, ratios and indices.
    pub unit: String,
    /// Mean over the runs, or a lower bound of it if it is censored; `None` if a run lacks it.
    pub value: Option<f64>,
    /// True if the number of a run is a lower bound.
    pub censored: bool,
    /// Upper bound of a censored value, if every run has such a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Numbers of the runs, in the order of their seeds.
    pub values: Vec<Option<f64>>,
    /// Reasons of the runs that lack the number, with their seeds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl Number {
    /// Joins the numbers of all runs.
    fn of<'a>(
        measure: &Measure,
        runs: impl Iterator<Item = (&'a EvaluatedRun, Option<&'a Measured>)>,
    ) -> Self {
        let (mut values, mut highest, mut missing, mut censored) = (vec![], vec![], vec![], false);
        for (run, measured) in runs {
            values.push(measured.and_then(|measured| measured.value));
            highest.push(measured.and_then(|one| one.at_most.or(one.value.filter(|_| !one.censored))));
            censored |= measured.is_some_and(|measured| measured.censored);
            let reason = match measured {
                Some(measured) => measured.missing.as_ref().map(ToString::to_string),
                None => Some(format!("the run has no results: {}", run.ended.word())),
            };
            missing.extend(reason.map(|reason| format!("seed {}: {reason}", run.seed)));
        }
        let at_most = mean(&highest).filter(|_| censored);
        let unit = measure.quantity.info().unit.to_string();
        Self { unit, value: mean(&values), censored, at_most, values, missing }
    }
}

/// Returns the mean, if every value exists.
fn mean(values: &[Option<f64>]) -> Option<f64> {
    let all: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
    measures::statistics::mean(&all)
}

#[cfg(test)]
mod tests;
