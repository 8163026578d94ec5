//! The question of a tuning, and everything about it that can be checked before the first run.
//!
//! Invariant: a question that passes has a scenario that takes settings of the space, and goals that its runs list. It
//! has held-out seeds, and a budget with room for a search.

use std::time::Duration;

use cc_policies::Scheme;
use ron::extensions::Extensions;
use scenario::{Diagnostic, Plan, ScenarioText};
use settings::FieldPath;

use super::budget::{Budget, Demand};
use super::candidate::{Candidate, GUIDELINE, NoGuideline};
use super::design;
use super::goal::{Constraint, GoalError, Objective, check_measure};
use super::point::Point;
use super::search::{Extent, Halved, Method};
use super::space::Space;
use crate::simulation;
use crate::store::StoreError;
use crate::sweep::UntilDone;
use crate::unit::{Unit, UnitSeeds};

/// Settings of the Pareto front that are judged.
const MOST_JUDGED: usize = 5;

/// The question of a tuning.
#[derive(Clone, Debug)]
pub struct TuningJob {
    /// A file, or the name of a shipped scenario.
    pub scenario: String,
    /// Overrides of every run, the baseline's included.
    pub set: Vec<String>,
    /// The space.
    pub space: Space,
    /// Objectives. The list is not empty.
    pub objectives: Vec<Objective>,
    /// Constraints.
    pub constraints: Vec<Constraint>,
    /// Seeds of the search. The list is not empty.
    pub training: Vec<u64>,
    /// Seeds of the judgement, at least two.
    pub held_out: Vec<u64>,
    /// Further overrides of the judgement's runs: other traffic.
    pub held_out_set: Vec<String>,
    /// End of all runs, if it is not their scenario's.
    pub until_done: Option<UntilDone>,
    /// True if everything under way is delivered after the end of each run.
    pub drain: bool,
    /// Method of the search.
    pub method: Method,
    /// Most runs, including baseline, guideline, judgement and sensitivity.
    pub runs: usize,
    /// Time after which no further settings are tried.
    pub time: Option<Duration>,
    /// Seed of the search itself.
    pub seed: u64,
    /// Settings that the estimator proposes at a time.
    pub batch: usize,
    /// Budget that successive halving doubles.
    pub halved: Halved,
    /// True if each parameter is moved by itself from the best point of the space, which a given setting may beat.
    pub sensitivity: bool,
}

/// A candidate that is given beforehand, and the values that it has for the parameters of the space.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) candidate: Candidate,
    /// Value of each parameter in its resolved plan; `None` if the plan has no such field.
    pub(super) written: Vec<Option<String>>,
    /// Number of each parameter in its unit; `None` if the value is no such number.
    pub(super) numbers: Vec<Option<f64>>,
}

/// Reason for which a tuning could not be done.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// The scenario, or every setting of the space that was looked at, is wrong.
    #[error(transparent)]
    Scenario(#[from] Diagnostic),
    /// A goal is wrong.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// A run could not be made.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The budget has no room for the search and the judgement.
    #[error(
        "{runs} runs are too few: at least half of them are for the search, and the judgement of {judged} takes {held_out} held-out \
         runs; {least} runs are enough"
    )]
    Budget {
        /// The budget.
        runs: usize,
        /// Settings that are judged.
        judged: &'static str,
        /// Runs of their judgement.
        held_out: usize,
        /// Smallest budget with room for both.
        least: usize,
    },
    /// A seed is in both lists, and the traffic is the same.
    #[error("seed {0} is for the search and for the judgement")]
    SeedTwice(u64),
    /// Halving has the duration of runs that end by their traffic.
    #[error("runs that end when their traffic is delivered have no duration that halving could shorten")]
    NoDuration,
    /// A list of seeds is too short.
    #[error("the {list} needs {least} seeds or more")]
    FewSeeds {
        /// The list.
        list: &'static str,
        /// Smallest number.
        least: usize,
    },
    /// The baseline lacks an objective.
    #[error("a run of the scenario as it is has no `{objective}`: {reason}")]
    NoObjective {
        /// The objective's measure.
        objective: String,
        /// Reason.
        reason: String,
    },
}

impl TuningJob {
    /// Returns the plan of the baseline with the first training seed, after a check of everything that can be checked
    /// without a run.
    ///
    /// # Errors
    /// If the scenario, the space, a goal, the seeds or the budget are wrong.
    pub fn check(&self) -> Result<Plan, TuningError> {
        for (list, seeds, least) in [("search", &self.training, 1), ("judgement", &self.held_out, 2)] {
            if seeds.len() < least {
                return Err(TuningError::FewSeeds { list, least });
            }
        }
        let twice = self.training.iter().find(|seed| self.held_out.contains(seed));
        if let Some(seed) = twice.filter(|_| self.held_out_set.is_empty()) {
            return Err(TuningError::SeedTwice(*seed));
        }
        if self.until_done.is_some() && self.method == Method::Halving && self.halved == Halved::Duration {
            return Err(TuningError::NoDuration);
        }
        let plan = self.plan(&self.set, self.training[0])?;
        let held_out: Vec<_> = self.set.iter().chain(&self.held_out_set).cloned().collect();
        let held_plan = self.plan(&held_out, self.held_out[0])?;
        let measures = self.objectives.iter().map(|objective| &objective.measure);
        for measure in measures.chain(self.constraints.iter().map(|constraint| &constraint.measure)) {
            check_measure(measure, &plan)?;
            check_measure(measure, &held_plan)?;
        }
        self.budget(&self.given(&plan).0)?;
        self.check_space(&plan)?;
        Ok(plan)
    }

    /// Returns the plan of a run with these overrides, and with the end that all runs have.
    fn plan(&self, set: &[String], seed: u64) -> Result<Plan, Diagnostic> {
        match self.until_done {
            None => simulation::plan(&self.scenario, set, Some(seed)),
            Some(UntilDone { at_most }) => {
                simulation::plan_until_done(&self.scenario, set, Some(seed), at_most)
            }
        }
    }

    /// Returns the overrides of every run, with those that stand for its end.
    #[must_use]
    pub fn overrides(&self) -> Vec<String> {
        self.set.iter().cloned().chain(self.end(&self.set)).collect()
    }

    /// Returns the overrides that stand for the end of all runs, after these; none if it is the scenario's. Of overrides
    /// that the scenario refuses there are none either, and the run is refused by itself.
    fn end(&self, set: &[String]) -> Vec<String> {
        let of = |UntilDone { at_most }: UntilDone| {
            simulation::overrides_until_done(&self.scenario, set, at_most).ok()
        };
        self.until_done.and_then(of).into_iter().flatten().collect()
    }

    /// Returns the candidates that are given beforehand, the baseline first, and the reason for which no guideline is
    /// among them.
    pub(super) fn given(&self, plan: &Plan) -> (Vec<Given>, Option<NoGuideline>) {
        let mut given = vec![self.values_of(Candidate::Baseline, plan)];
        match self.guideline(plan) {
            Ok(guideline) => {
                given.push(self.values_of(Candidate::Guideline, &guideline));
                (given, None)
            }
            Err(reason) => (given, Some(reason)),
        }
    }

    /// Returns the plan of the scenario with the settings of the guideline for its network.
    fn guideline(&self, plan: &Plan) -> Result<Plan, NoGuideline> {
        let is_below = |path: &str| path.trim_start().starts_with("congestion_control");
        if !self.space.parameters.iter().any(|parameter| is_below(&parameter.path)) {
            return Err(NoGuideline::OtherFields);
        }
        if !matches!(plan.scheme(), Scheme::Iba(_)) {
            return Err(NoGuideline::OtherScheme(plan.congestion_control().to_owned()));
        }
        let set: Vec<_> = self.set.iter().cloned().chain([GUIDELINE.to_owned()]).collect();
        let refused = |refusal: Diagnostic| NoGuideline::Refused(refusal.faults()[0].message.clone());
        let guideline = self.plan(&set, self.training[0]).map_err(refused)?;
        if guideline.digest() == plan.digest() { Err(NoGuideline::IsBaseline) } else { Ok(guideline) }
    }

    fn values_of(&self, candidate: Candidate, plan: &Plan) -> Given {
        let resolved = ScenarioText::new("plan.ron", &plan.resolved());
        let parameters = &self.space.parameters;
        let written: Vec<_> = parameters
            .iter()
            .map(|parameter| resolved.value_at(&FieldPath::from(parameter.path.as_str())))
            .collect();
        let numbers = parameters.iter().zip(&written);
        let numbers = numbers.map(|(parameter, value)| parameter.number_of(value.as_deref()?)).collect();
        Given { candidate, written, numbers }
    }

    /// Returns the division of the runs in words, to be told before the first of them. `plan` is the baseline's plan.
    ///
    /// # Errors
    /// If the budget has no room for the search and the judgement.
    pub fn told_budget(&self, plan: &Plan) -> Result<String, TuningError> {
        let budget = self.budget(&self.given(plan).0)?;
        Ok(budget.told(self.extent(&budget).most_points()))
    }

    pub(super) fn extent(&self, budget: &Budget) -> Extent {
        Extent {
            method: self.method,
            runs: budget.points,
            seeds: self.training.len(),
            seed: self.seed,
            batch: self.batch,
            halved: self.halved,
        }
    }

    /// Divides the runs between the search and its judgement.
    pub(super) fn budget(&self, given: &[Given]) -> Result<Budget, TuningError> {
        let each = self.training.len();
        let demand = Demand {
            runs: self.runs,
            given: given.len(),
            each_given: Extent::runs_of_given(self.method, self.halved, each),
            each,
            // With a single objective, only the winner is judged, beside baseline and guideline.
            judged: if self.objectives.len() > 1 { MOST_JUDGED } else { 1 },
            held_out: self.held_out.len(),
            neighbours: if self.sensitivity { 2 * self.space.dimensions() } else { 0 },
        };
        demand.divided().ok_or_else(|| TuningError::Budget {
            runs: self.runs,
            judged: if given.len() > 1 { "baseline, guideline and winner" } else { "baseline and winner" },
            held_out: (given.len() + 1) * self.held_out.len(),
            least: demand.least(),
        })
    }

    /// Checks that the scenario takes settings of the space. A single setting out of nine is enough: others may break a
    /// rule across fields.
    fn check_space(&self, plan: &Plan) -> Result<(), TuningError> {
        let middle = Point::new(vec![0.5; self.space.dimensions()]);
        let points =
            [middle].into_iter().chain(design::latin_hypercube(self.space.dimensions(), 8, self.seed));
        let base = self.base(plan);
        let mut first = None;
        for point in points {
            match self.unit(&base, &self.space.overrides(&point), self.training[0], false).identify() {
                Ok(_) => return Ok(()),
                Err(diagnostic) => {
                    first.get_or_insert(diagnostic);
                }
            }
        }
        Err(first.expect("nine points were looked at").into())
    }

    /// Returns the override that every setting of the space needs before its own. It writes congestion control out
    /// where the fields of the space have no path otherwise, as with `Guideline` and presets.
    fn prefix(&self, plan: &Plan) -> Option<String> {
        let below = |path: &str| path.trim_start().starts_with("congestion_control.");
        let parameters = self.space.parameters.iter().map(|parameter| parameter.path.as_str());
        if !parameters.chain(self.space.base.iter().map(String::as_str)).any(below) {
            return None;
        }
        let own = self.space.overrides(&Point::new(vec![0.5; self.space.dimensions()]));
        let with = |prefix: Option<String>| {
            let base: Vec<_> = self.set.iter().cloned().chain(prefix).collect();
            self.unit(&base, &own, self.training[0], false)
                .identify()
                .map(|unit| unit.plan_digest().to_owned())
        };
        let written = written_out(plan.scheme());
        let is_needless = with(None).is_ok_and(|plain| with(Some(written.clone())) == Ok(plain));
        (!is_needless).then_some(written)
    }

    /// Returns the overrides of every setting of the space, without the overrides of the space itself.
    pub(super) fn base(&self, plan: &Plan) -> Vec<String> {
        self.set.iter().cloned().chain(self.prefix(plan)).collect()
    }

    pub(super) fn unit(&self, base: &[String], own: &[String], seed: u64, held_out: bool) -> Unit {
        let traffic = self.held_out_set.iter().filter(|_| held_out);
        let mut overrides: Vec<_> = base.iter().chain(traffic).chain(own).cloned().collect();
        overrides.extend(self.end(&overrides));
        let seeds = UnitSeeds::of_run(seed);
        Unit { scenario: self.scenario.clone(), overrides, seeds, drain: self.drain }
    }
}

/// Returns a scheme as an override.
fn written_out(scheme: &Scheme) -> String {
    // Scenarios write the fields of a variant without a second pair of brackets.
    let options = ron::Options::default().with_default_extension(Extensions::UNWRAP_VARIANT_NEWTYPES);
    let text = options.to_string(scheme).expect("settings are plain data");
    format!("congestion_control={text}")
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn job(scenario: &str, space: &str, measure: &str) -> TuningJob {
        TuningJob {
            scenario: scenario.to_owned(),
            space: Space::find(space).unwrap_or_else(|error| panic!("{error}")),
            training: vec![1, 2],
            held_out: vec![3, 4],
            sensitivity: true,
            ..testing::job(&[measure], &[])
        }
    }

    /// A control that is written out is the same control, and is written out only where fields have no path without it.
    #[test]
    fn congestion_control_is_written_out_where_it_must_be() {
        for (scenario, space, needed) in [
            ("pfister2005", "iba", true),
            ("gran2011-scenario1", "iba", false),
            ("roce400-leaf-spine", "dcqcn", false),
            ("roce400-leaf-spine", "pfc", false),
            ("hp2001-rate", "hp", false),
        ] {
            let job = job(scenario, space, "goodput(all)");
            let plan = job.check().unwrap_or_else(|error| panic!("{scenario}: {error}"));
            assert_eq!(job.prefix(&plan).is_some(), needed, "{scenario}");
            let written = simulation::plan(scenario, &[written_out(plan.scheme())], Some(1)).unwrap();
            assert_eq!(written.digest(), plan.digest(), "{scenario}");
        }
    }

    /// The guideline is a candidate where it is for the scenario's congestion control and is not the baseline.
    #[test]
    fn a_guideline_is_a_candidate_where_it_applies() {
        let set = |set: &str| vec![set.to_owned()];
        let given = |scenario: &str, space: &str, set: Vec<String>| {
            let job = TuningJob { set, ..job(scenario, space, "goodput(all)") };
            let plan = job.check().unwrap_or_else(|error| panic!("{scenario}: {error}"));
            let (given, reason) = job.given(&plan);
            (given, reason.map(|reason| reason.to_string()))
        };
        let (both, none) = given("gran2011-scenario1", "iba", Vec::new());
        assert_eq!((both.len(), none), (2, None));
        assert_eq!(both[1].candidate, Candidate::Guideline);
        assert_ne!(both[0].numbers, both[1].numbers);
        let alone = |scenario: &str, space: &str, set: Vec<String>| {
            let (given, reason) = given(scenario, space, set);
            assert_eq!(given.len(), 1, "{scenario}");
            reason.expect("there is a reason")
        };
        assert!(
            alone("pfister2005", "iba", Vec::new()).contains("baseline has the settings of the guideline")
        );
        let explicit = set("congestion_control=Guideline");
        assert!(alone("gran2011-scenario1", "iba", explicit).contains("baseline has the settings"));
        assert!(alone("roce400-leaf-spine", "dcqcn", Vec::new()).contains("the scenario has `Dcqcn`"));
        assert!(alone("roce400-leaf-spine", "pfc", Vec::new()).contains("no parameter of the space"));
    }

    #[test]
    fn a_question_without_an_answer_is_refused_before_the_first_run() {
        let whole = job("gran2011-scenario1", "iba", "goodput(F1)");
        let refused = |job: TuningJob| job.check().expect_err("the question is wrong").to_string();
        // 2 held-out seeds for winner, baseline and guideline are half of the runs; the latter two and a point have 2
        // training seeds each.
        assert_eq!(
            refused(TuningJob { runs: 11, ..whole.clone() }),
            "11 runs are too few: at least half of them are for the search, and the judgement of baseline, guideline and winner takes 6 \
             held-out runs; 12 runs are enough"
        );
        assert!(TuningJob { runs: 12, ..whole.clone() }.check().is_ok());
        assert_eq!(
            refused(TuningJob { held_out: vec![2, 3], ..whole.clone() }),
            "seed 2 is for the search and for the judgement"
        );
        let other_traffic = vec!["flows.F2.start=50 ms".to_owned()];
        assert!(
            TuningJob { held_out: vec![2, 3], held_out_set: other_traffic, ..whole.clone() }.check().is_ok()
        );
        assert_eq!(
            refused(TuningJob { held_out: vec![3], ..whole.clone() }),
            "the judgement needs 2 seeds or more"
        );
        assert!(refused(job("gran2011-scenario1", "iba", "goodput(F9)")).contains("no group or flow `F9`"));
        assert!(refused(job("roce400-leaf-spine", "iba", "goodput(all)")).contains("congestion_control"));
    }
}
