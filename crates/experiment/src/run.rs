//! A run of a batch, as written in a file that asks for many.
//!
//! Invariant: a run is compared and ordered by its text, so that equal runs are simulated once.

use cc_policies::Scheme;
use ron::extensions::Extensions;
use scenario::Plan;
use serde::Deserialize;
use std::ops::RangeInclusive;

use crate::relative::{RelativeError, RelativeSetting};
use crate::simulation::{self, SimulationError};

/// A scenario, its overrides and its tuned settings. The seed is not part of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// Name of a shipped scenario, or of a [configuration](crate::configurations).
    pub scenario: String,
    /// Overrides, each as `PATH=VALUE`.
    #[serde(default)]
    pub set: Vec<String>,
    /// Settings of IBA's congestion control, relative to the scenario's, applied after `set`.
    #[serde(default)]
    pub tune: Vec<RelativeSetting>,
}

impl RunSpec {
    /// Returns the plan of the run with a seed. Completion times of single messages are not recorded,
    /// unless `set` asks for them: over hundreds of runs they would take gigabytes.
    ///
    /// # Errors
    /// If the scenario or an override is wrong, or the congestion control cannot be tuned as asked.
    pub fn plan(&self, seed: u64) -> Result<Plan, SimulationError> {
        Ok(simulation::plan(&self.scenario, &self.overrides()?, Some(seed))?)
    }

    /// Returns all overrides, with tuned settings written out.
    fn overrides(&self) -> Result<Vec<String>, SimulationError> {
        let mut overrides = self.set.clone();
        if !self.set.iter().any(|set| set.starts_with("completions=")) {
            overrides.push("completions=NotKept".to_owned());
        }
        if !self.tune.is_empty() {
            let plan = simulation::plan(&self.scenario, &self.set, None)?;
            let Scheme::Iba(iba) = plan.scheme() else { return Err(RelativeError::NotIba.into()) };
            let mut iba = iba.clone();
            self.tune.iter().try_for_each(|tuning| tuning.apply(&mut iba))?;
            // Scenarios write the fields of a variant without a second pair of brackets.
            let options = ron::Options::default().with_default_extension(Extensions::UNWRAP_VARIANT_NEWTYPES);
            let text = options.to_string(&Scheme::Iba(iba)).expect("settings are plain data");
            overrides.push(format!("congestion_control={text}"));
        }
        Ok(overrides)
    }
}

/// Number of seeds of a run: in a quick batch, and in a full batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedCount {
    /// Seeds in a quick batch, at least 1.
    pub quick: u64,
    /// Seeds in a full batch, at least 1.
    pub full: u64,
}

impl Default for SeedCount {
    fn default() -> Self {
        Self { quick: 1, full: 1 }
    }
}

impl SeedCount {
    /// Returns the seeds: 1, 2, and so on.
    #[must_use]
    pub fn seeds(self, full: bool) -> RangeInclusive<u64> {
        1..=if full { self.full } else { self.quick }
    }

    /// Returns true if a batch would have no seed.
    #[must_use]
    pub const fn lacks_one(self) -> bool {
        self.quick == 0 || self.full == 0
    }
}

#[cfg(test)]
mod tests {
    use cc_policies::iba::spec::{CctSpec, IbaScheme};

    use super::*;

    fn tuned(tune: &[RelativeSetting]) -> IbaScheme {
        let run = RunSpec { scenario: "pfister2005".to_owned(), set: vec![], tune: tune.to_vec() };
        let plan = run.plan(1).expect("the run can be tuned");
        let Scheme::Iba(iba) = plan.scheme() else { panic!("the guideline's settings are IBA's") };
        iba.clone()
    }

    #[test]
    fn tuned_settings_change_and_all_others_stay() {
        let (plain, tuned_twice) =
            (tuned(&[]), tuned(&[RelativeSetting::Timer(250), RelativeSetting::Threshold(9)]));
        assert_eq!((plain.response.ccti_timer, tuned_twice.response.ccti_timer), (10, 25));
        assert_eq!((plain.marking.threshold, tuned_twice.marking.threshold), (2, 9));
        assert_eq!(plain.response.cct, tuned_twice.response.cct);
        let last = |iba: &IbaScheme| match &iba.response.cct {
            CctSpec::Entries(entries) => entries[127],
            other => panic!("{other:?} is not written out"),
        };
        let (shift, multiplier) = last(&plain);
        assert_eq!(last(&tuned(&[RelativeSetting::Table(50)])), (shift, multiplier.div_ceil(2)));
        let low = tuned(&[
            RelativeSetting::Timer(0),
            RelativeSetting::Increment(0),
            RelativeSetting::MarkingRate(3),
        ]);
        assert_eq!(
            (low.response.ccti_timer, low.response.ccti_increase, low.marking.marking_rate),
            (1, 1, 3)
        );
    }

    #[test]
    fn a_run_without_iba_s_control_cannot_be_tuned() {
        let off = RunSpec {
            scenario: "pfister2005".to_owned(),
            set: vec!["congestion_control=Off".to_owned()],
            tune: vec![RelativeSetting::Timer(250)],
        };
        assert!(matches!(off.plan(1), Err(SimulationError::Relative(RelativeError::NotIba))));
    }

    #[test]
    fn seeds_count_from_one() {
        let count = SeedCount { quick: 2, full: 3 };
        assert_eq!((count.seeds(false), count.seeds(true)), (1..=2, 1..=3));
        assert!(!count.lacks_one() && SeedCount { full: 0, ..count }.lacks_one());
    }
}
