//! The answer of a tuning.
//!
//! Invariant: plain data; every number says which runs it is from.

use measures::Unit;
use scenario::Diagnostic;
use serde::Serialize;

use super::budget::Budget;
use super::candidate::{Candidate, NoGuideline};
use super::search::Trial;
use crate::statistics::Estimate;

/// The answer of a tuning.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// Runs that there were for each purpose.
    pub budget: Budget,
    /// All settings that were tried, in their order, the scenario's own first.
    pub trials: Vec<TrialRow>,
    /// Places of the settings with all training seeds that keep the constraints and that no other dominates.
    pub front: Vec<usize>,
    /// Place of the winner, which may be the baseline; `None` if no setting keeps the constraints.
    pub winner: Option<usize>,
    /// Baseline over the held-out runs.
    pub baseline: Held,
    /// The winner, then other members of the front, against the baseline. If the baseline wins alone, the best other
    /// setting.
    pub judged: Vec<Judged>,
    /// The guideline against the baseline, or the reason for which it is no candidate; `None` if time ended the search
    /// before it.
    pub guideline: Result<Option<Judged>, NoGuideline>,
    /// Place of the point with the parameters that are moved: the winner, or the best other point; `None` if no point
    /// is feasible.
    pub moved: Option<usize>,
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
    /// Overrides beyond the job's; none of the baseline.
    pub overrides: Vec<String>,
    /// Value of each parameter, as it stands behind its path; `None` if a given candidate has no such field.
    pub written: Vec<Option<String>>,
    /// Number of each parameter in its unit, the index of a choice; `None` if the value of a given candidate is no such
    /// number.
    pub numbers: Vec<Option<f64>>,
    /// Mean of the measure of each objective over the training runs, of bounds the worse; `None` if it is not known.
    pub means: Vec<Option<f64>>,
}

/// A mean over held-out runs, or a bound of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeldMean {
    /// Mean of the numbers, or of their bounds.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Side of the bound; `None` if every number is known.
    pub bound: Option<Side>,
}

/// Side on which a number is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The number is this large or larger.
    AtLeast,
    /// The number is this large or smaller.
    AtMost,
}

impl HeldMean {
    /// Returns the mean with the sign of its bound and half of its interval: `2.41 ms ± 120 us`, `≥ 2.41 ms`.
    #[must_use]
    pub fn spelled(&self, unit: Unit) -> String {
        let sign = match self.bound {
            None => "",
            Some(Side::AtLeast) => "≥ ",
            Some(Side::AtMost) => "≤ ",
        };
        format!("{sign}{}", self.estimate.spelled(unit))
    }

    /// Returns true if the interval lies above zero.
    fn is_above_zero(&self) -> bool {
        self.estimate.ci95.is_some() && self.estimate.low() > 0.0
    }
}

/// Numbers of a setting over the held-out runs.
#[derive(Clone, Debug)]
pub struct Held {
    /// Mean of each objective with its interval, or a bound of it without one; `None` if a run lacks it.
    pub objectives: Vec<Option<HeldMean>>,
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
    /// For each objective, the gain over the baseline, paired by held-out seed: above 0 if the setting is better. Where
    /// a number is known only between bounds, it is the least gain, with the interval of that. `None` if a run lacks the
    /// number.
    pub gains: Vec<Option<HeldMean>>,
}

/// Advice of a tuning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// The winner is better than the baseline on held-out runs, or keeps constraints that the baseline breaks: take it.
    Change,
    /// Nothing is shown to be better than the scenario's own settings: keep them.
    Keep,
    /// Of several objectives the winner gains some and not others: choose.
    Trade,
    /// No setting keeps the constraints, the baseline included.
    NoneFeasible,
}

impl Advice {
    /// Returns true if there are settings to take.
    #[must_use]
    pub const fn has_settings(self) -> bool {
        matches!(self, Self::Change | Self::Trade)
    }
}

impl Tuned {
    /// Returns the advice: it rests on the held-out runs of the setting that won the search.
    #[must_use]
    pub fn advice(&self) -> Advice {
        let Some(winner) = self.winner else { return Advice::NoneFeasible };
        let of_winner = self.judged.iter().find(|judged| judged.trial == winner);
        let Some(judged) = of_winner.filter(|_| !self.is_baseline(winner)) else { return Advice::Keep };
        let keeps_all = |held: &Held| held.kept.iter().all(|kept| *kept == held.runs);
        let gains = judged.gains.iter().flatten().any(HeldMean::is_above_zero);
        if !keeps_all(&judged.held) {
            Advice::Keep
        } else if judged.beats_baseline() || !keeps_all(&self.baseline) {
            Advice::Change
        } else if gains {
            Advice::Trade
        } else {
            Advice::Keep
        }
    }

    /// Returns true if the setting at this place is the scenario's own.
    #[must_use]
    pub fn is_baseline(&self, place: usize) -> bool {
        self.trials[place].trial.candidate == Candidate::Baseline
    }
}

impl Judged {
    /// Returns true if every objective gains with an interval above zero, and the setting keeps each constraint in
    /// every held-out run.
    #[must_use]
    pub fn beats_baseline(&self) -> bool {
        let above = |gain: &Option<HeldMean>| gain.as_ref().is_some_and(HeldMean::is_above_zero);
        self.gains.iter().all(above) && self.held.kept.iter().all(|kept| *kept == self.held.runs)
    }
}

/// Effect of a parameter on the first objective.
#[derive(Clone, Debug)]
pub struct Sensitivity {
    /// Name of the parameter.
    pub parameter: String,
    /// Spearman's rank correlation with the objective's cost over all trials with a known cost: above 0 if a larger
    /// value is worse. `None` for a choice, or too few trials.
    pub rank_correlation: Option<f64>,
    /// The neighbours of the point that is moved: the value, and the loss against that point.
    pub neighbours: Vec<(String, Loss)>,
}

/// Loss of a neighbour against the point that is moved, or the reason for which there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// The loss, paired by training seed: above 0 if the neighbour is worse.
    Known(Estimate),
    /// A number of either is missing, or only a bound.
    Unknown,
    /// The neighbour breaks a constraint.
    Breaks,
    /// The scenario refuses the neighbour.
    Refused,
}

impl Loss {
    /// Returns the loss, if it is known.
    #[must_use]
    pub const fn known(&self) -> Option<&Estimate> {
        match self {
            Self::Known(loss) => Some(loss),
            Self::Unknown | Self::Breaks | Self::Refused => None,
        }
    }

    /// Returns the loss in a unit, or in words the reason for which there is none.
    #[must_use]
    pub fn spelled(&self, unit: Unit) -> String {
        match self {
            Self::Known(loss) => loss.spelled(unit),
            Self::Unknown => "not known".to_owned(),
            Self::Breaks => "breaks a constraint".to_owned(),
            Self::Refused => "refused".to_owned(),
        }
    }
}
