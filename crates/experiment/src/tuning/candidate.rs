//! Candidates of a search: points of the space, and settings that are given beforehand.
//!
//! Invariant: a given candidate takes part in every rung with the same seeds as the points, and is never dropped before
//! the last.

use super::point::Point;

/// Override that puts the settings of a guideline in the place of the scenario's congestion control.
pub(super) const GUIDELINE: &str = "congestion_control=Guideline";

/// A setting that takes part in a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Candidate {
    /// The scenario's own settings, without a change.
    Baseline,
    /// The scenario with the settings of a published guideline for its network (`congestion_control=Guideline`).
    Guideline,
    /// A point of the space.
    Searched(Point),
}

impl Candidate {
    /// Returns the point of the space; `None` for a given candidate.
    #[must_use]
    pub const fn point(&self) -> Option<&Point> {
        match self {
            Self::Searched(point) => Some(point),
            Self::Baseline | Self::Guideline => None,
        }
    }

    /// Returns the word of tables: `baseline`, `guideline` or `searched`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Guideline => "guideline",
            Self::Searched(_) => "searched",
        }
    }
}

/// Reason for which no guideline is a candidate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoGuideline {
    /// The scenario's own settings equal the guideline's.
    #[error("the baseline has the settings of the guideline already")]
    IsBaseline,
    /// The space leaves congestion control alone.
    #[error("no parameter of the space belongs to congestion control")]
    OtherFields,
    /// The scenario has another congestion control.
    #[error("that of Pfister and others (2005) is for `Iba`, and the scenario has `{0}`")]
    OtherScheme(String),
    /// The scenario cannot be run with the guideline.
    #[error("the scenario refuses it: {0}")]
    Refused(String),
}
