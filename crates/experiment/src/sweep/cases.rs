//! Conditions and choices: the runs of a sweep by given fields, and by fields to be chosen.
//!
//! Invariant: every run belongs to a single setting of a single case. Cases and settings have the order of the plan.

use std::collections::BTreeMap;

use super::rows::{PlannedRun, SweepPlan};

/// First steps of the paths that are conditions unless others are named: the traffic, and the length of the run.
const GIVEN: [&str; 3] = ["traffic", "flows", "duration"];
/// Last steps of such paths in a job: how much there is to do. Its algorithm, chunks and placement are to be chosen.
const GIVEN_OF_JOBS: [&str; 3] = ["bytes", "ranks", "iterations"];
/// Word for no condition.
pub const NO_CONDITION: &str = "none";

/// Places of the columns that are conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    columns: Vec<usize>,
}

/// A name that is no varied field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`--by {name}` is no field that the sweep varies")]
pub struct UnknownCondition {
    name: String,
    known: Vec<String>,
}

/// The runs under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    /// Value of each condition.
    pub(super) condition: Vec<String>,
    pub(super) settings: Vec<CaseSetting>,
}

/// The runs of a setting under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CaseSetting {
    /// Value of each choice.
    pub(super) values: Vec<String>,
    /// Places of its runs in the plan, one for each seed.
    pub(super) runs: Vec<usize>,
}

impl UnknownCondition {
    /// Returns the correction.
    #[must_use]
    pub fn help(&self) -> String {
        match &self.known[..] {
            [] => "vary it: `--vary PATH=A,B --by PATH`".to_owned(),
            known => scenario::help_with_name(&self.name, known, "varied fields"),
        }
    }
}

impl Conditions {
    /// Finds the columns of these names; `none` stands for no condition. Without names, fields of the traffic, the
    /// duration, and how much jobs do are conditions.
    ///
    /// # Errors
    /// If the sweep does not vary a field of a name.
    pub fn of(plan: &SweepPlan, names: &[String]) -> Result<Self, UnknownCondition> {
        let known = plan.columns();
        if names.is_empty() {
            return Ok(Self { columns: (0..known.len()).filter(|place| is_given(known[*place])).collect() });
        }
        let mut columns = Vec::new();
        for name in names.iter().filter(|name| *name != NO_CONDITION) {
            let unknown = || UnknownCondition {
                name: name.clone(),
                known: known.iter().map(|&known| known.to_owned()).collect(),
            };
            let place = known.iter().position(|path| path == name).ok_or_else(unknown)?;
            if !columns.contains(&place) {
                columns.push(place);
            }
        }
        Ok(Self { columns })
    }

    /// Returns the names of the conditions.
    pub(super) fn names(&self, plan: &SweepPlan) -> Vec<String> {
        self.columns.iter().map(|place| plan.columns()[*place].to_owned()).collect()
    }

    /// Returns the places of the columns that are to be chosen.
    pub(super) fn choices(&self, plan: &SweepPlan) -> Vec<usize> {
        (0..plan.columns().len()).filter(|place| !self.columns.contains(place)).collect()
    }

    /// Returns the runs by condition and setting.
    pub(super) fn cases(&self, plan: &SweepPlan) -> Vec<Case> {
        let choices = self.choices(plan);
        let values = |run: &PlannedRun, places: &[usize]| -> Vec<String> {
            places.iter().map(|place| run.settings[*place].1.clone()).collect()
        };
        let (mut cases, mut places) = (Vec::<Case>::new(), BTreeMap::new());
        let mut settings = BTreeMap::new();
        for (place, run) in plan.runs.iter().enumerate() {
            let (condition, values) = (values(run, &self.columns), values(run, &choices));
            let case = *places.entry(condition.clone()).or_insert(cases.len());
            if case == cases.len() {
                cases.push(Case { condition, settings: Vec::new() });
            }
            let all = &mut cases[case].settings;
            let setting = *settings.entry((case, values.clone())).or_insert(all.len());
            if setting == all.len() {
                all.push(CaseSetting { values, runs: Vec::new() });
            }
            all[setting].runs.push(place);
        }
        cases
    }
}

/// Returns true if a field says how much there is to do, and for how long, rather than how it is done.
fn is_given(path: &str) -> bool {
    match path.split(['.', '[']).next().unwrap_or(path) {
        "jobs" => GIVEN_OF_JOBS.contains(&path.rsplit('.').next().unwrap_or(path)),
        first => GIVEN.contains(&first),
    }
}

/// Returns fields with their values: `link.mtu=1 KiB, switch.buffer=16 KiB`.
pub(super) fn assigned(names: &[String], values: &[String]) -> String {
    let pairs = names.iter().zip(values).map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_do_is_a_condition_and_how_it_is_done_a_choice() {
        let given = [
            "traffic[0].load",
            "flows.victim.bytes",
            "duration",
            "jobs.train.program.bytes",
            "jobs[1].program.steps[0].bytes",
            "jobs.train.program.ranks",
            "jobs.train.iterations",
        ];
        given.into_iter().for_each(|path| assert!(is_given(path), "{path}"));
        let chosen = [
            "jobs.train.place",
            "jobs.train.program.algorithm",
            "jobs.train.program.chunks",
            "jobs",
            "jobs.train.program",
            "switch.buffer",
            "link.bytes",
            "congestion_control",
        ];
        chosen.into_iter().for_each(|path| assert!(!is_given(path), "{path}"));
    }
}
