//! The answer of a tuning.
//!
//! Invariant: plain data; every number says which runs it is from.

use scenario::Diagnostic;

use super::search::Trial;
use crate::statistics::Estimate;

/// The answer of a tuning.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// All settings that were tried, in their order.
    pub trials: Vec<TrialRow>,
    /// Places of the settings with all training seeds that keep the constraints and that no other dominates.
    pub front: Vec<usize>,
    /// Place of the winner; `None` if no setting keeps the constraints.
    pub winner: Option<usize>,
    /// Baseline over the held-out runs.
    pub baseline: Held,
    /// The winner, then other members of the front, against the baseline.
    pub judged: Vec<Judged>,
    /// Effect of each parameter, in their order.
    pub sensitivity: Vec<Sensitivity>,
    /// Number of different runs that the answer rests on.
    pub runs: usize,
    /// Number of these that had no results: deadlocks, or runs past their budget.
    pub failed: usize,
    /// Number of settings that the scenario refused, and the first refusal.
    pub refused: (usize, Option<Diagnostic>),
    /// True if time ended the search before its budget of runs.
    pub out_of_time: bool,
}

/// A setting that was tried.
#[derive(Clone, Debug)]
pub struct TrialRow {
    /// The setting in the search.
    pub trial: Trial,
    /// Name of its run with the first training seed; `None` if the scenario refuses the setting.
    pub run: Option<String>,
    /// Overrides beyond the job's.
    pub overrides: Vec<String>,
    /// Value of each parameter, as it stands behind its path.
    pub written: Vec<String>,
    /// Mean of the measure of each objective over the training runs; `None` if it is not known.
    pub means: Vec<Option<f64>>,
}

/// Numbers of a setting over the held-out runs.
#[derive(Clone, Debug)]
pub struct Held {
    /// Mean of each objective with its interval; `None` if a run lacks it.
    pub objectives: Vec<Option<Estimate>>,
    /// For each constraint, the number of held-out runs in which it holds.
    pub kept: Vec<usize>,
    /// Number of held-out runs.
    pub runs: usize,
}

/// A setting against the baseline.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Place among the trials.
    pub trial: usize,
    /// Its own numbers.
    pub held: Held,
    /// For each objective, the gain over the baseline, paired by held-out seed: above 0 if the setting is better. `None` if a
    /// run lacks the number.
    pub gains: Vec<Option<Estimate>>,
}

impl Judged {
    /// Returns true if every objective gains with an interval above zero, and the setting keeps each constraint in every
    /// held-out run.
    #[must_use]
    pub fn beats_baseline(&self) -> bool {
        let above =
            |gain: &Option<Estimate>| gain.is_some_and(|gain| gain.ci95.is_some() && gain.low() > 0.0);
        self.gains.iter().all(above) && self.held.kept.iter().all(|kept| *kept == self.held.runs)
    }
}

/// Effect of a parameter on the first objective.
#[derive(Clone, Debug)]
pub struct Sensitivity {
    /// Name of the parameter.
    pub parameter: String,
    /// Spearman's rank correlation with the objective's cost over all trials with a known one: above 0 if a larger value is
    /// worse. `None` for a choice, or too few trials.
    pub rank_correlation: Option<f64>,
    /// The winner's neighbours: the value, and the loss against the winner, paired by training seed; above 0 if the neighbour is
    /// worse, `None` if its objective is not known or it breaks a constraint.
    pub neighbours: Vec<(String, Option<Estimate>)>,
}
