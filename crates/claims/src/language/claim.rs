//! Claims, and the references that they compare with.
//!
//! Invariant: a claim without a fault can be judged, if its run has the claim's flows and phases.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::expectation::Expectation;
use super::measure::Measure;
use super::unit::Unit;

/// A result that a paper reports.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Short name, unique among the paper's claims.
    pub id: String,
    /// The reported result, in our words.
    pub statement: String,
    /// Section, figure or page of the paper.
    pub source: String,
    /// Name of the run.
    pub run: String,
    /// Numbers to be read off the run.
    pub measure: Measure,
    /// Unit of the measured numbers and of the expectation.
    pub unit: Unit,
    /// Expected range.
    pub expect: Expectation,
    /// Known verdict: met, or failing for a reason.
    #[serde(default)]
    pub status: ClaimStatus,
    /// Kind of statement.
    #[serde(default)]
    pub role: ClaimRole,
    /// Range of the means, in `unit`, in which they were when the claim was written. For a claim that is not met, and
    /// for a report: outside this range the verdict is FAIL, so that neither can drift unseen.
    #[serde(default)]
    pub measured: Option<(f64, f64)>,
    /// Runs under which the claim must fail, by name: the same question to another policy, or to none. A claim that
    /// also holds there says nothing about its own run.
    #[serde(default)]
    pub fails_under: Vec<String>,
}

/// Kind of statement that a claim is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(serialize = "lowercase"))]
pub enum ClaimRole {
    /// A result of the paper, to which nothing of the scenario was fitted.
    #[default]
    Test,
    /// A result on which parameters of the scenario were searched: goodness of fit.
    Fit,
    /// A condition of the scenario, which it must meet for the paper's results to be looked for in it.
    Check,
}

/// Known verdict on a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ClaimStatus {
    /// The claim is met.
    #[default]
    Expected,
    /// The claim is not met, for this reason.
    Failing(String),
    /// The claim is met with the seeds of `--full`. Usual runs have too few to say so, by the difference that is given here.
    Undecided(String),
}

/// A single number to be read off a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantity {
    /// Name of the run.
    pub run: String,
    /// The number.
    pub measure: Measure,
}

/// Numbers that others are measured in or compared with, by name.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct References(BTreeMap<String, Quantity>);

impl References {
    /// Returns a reference.
    ///
    /// # Panics
    /// If there is none of this name: a paper that has been read names only references that exist.
    #[must_use]
    pub fn get(&self, name: &str) -> &Quantity {
        &self.0[name]
    }

    /// Returns all references with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Quantity)> {
        self.0.iter()
    }

    /// Returns the fault of a unit that does not fit the measure, if any; `id` names their owner.
    pub(crate) fn fault_of_unit(&self, id: &str, measure: &Measure, unit: &Unit) -> Option<String> {
        if let Unit::Of(name) = unit {
            match self.0.get(name) {
                None => {
                    return Some(format!("{id} is measured in `{name}`, which is not among the references"));
                }
                Some(reference) if reference.measure.unit() != measures::Unit::BitsPerSecond => {
                    return Some(format!("{name} is not a goodput, and nothing can be measured in it"));
                }
                Some(_) => {}
            }
        }
        let fits = measure.unit() == unit.plain();
        (!fits).then(|| format!("the unit of {id} does not fit its measure"))
    }

    /// Returns the fault of a claim's unit or comparison, if any.
    pub(crate) fn fault_of_claim(&self, claim: &Claim) -> Option<String> {
        let unit = self.fault_of_unit(&claim.id, &claim.measure, &claim.unit);
        unit.or_else(|| self.fault_of_comparison(claim))
    }

    /// Returns the fault of the range in which a claim was measured, if any.
    pub(crate) fn fault_of_range(claim: &Claim) -> Option<String> {
        let needs_one = claim.expect == Expectation::Report || claim.status != ClaimStatus::Expected;
        match claim.measured {
            None if needs_one => Some(format!("{} is reported or not met, and needs `measured`", claim.id)),
            Some(_) if !needs_one => Some(format!("{} is judged, and `measured` has no effect", claim.id)),
            Some((low, high)) if low.partial_cmp(&high).is_none_or(core::cmp::Ordering::is_gt) => {
                Some(format!("{} was measured from {low} to {high}, which is no range", claim.id))
            }
            _ => None,
        }
    }

    fn fault_of_comparison(&self, claim: &Claim) -> Option<String> {
        let name = claim.expect.reference()?;
        let id = &claim.id;
        match self.0.get(name) {
            None => Some(format!("{id} is compared with `{name}`, which is not among the references")),
            Some(reference) if reference.measure.unit() != claim.measure.unit() => {
                Some(format!("{id} is compared with `{name}`, which has another dimension"))
            }
            Some(_) => None,
        }
    }
}
