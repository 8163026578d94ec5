//! `sweep.json`: the answer of a sweep, and the means of its settings.
//!
//! Invariant: a mean that a lower bound went into is a lower bound itself, and says so. Whoever shows a sweep's answer
//! or its means reads them here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// Name of the file in the folder of a sweep.
pub const ANSWER: &str = "sweep.json";
/// Name and version of the format. It changes if a field changes its meaning or is removed.
pub const SCHEMA: &str = "backwater-sweep/1";

/// The answer of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepAnswer {
    /// Name and version of the format.
    pub schema: String,
    /// Scenarios of the runs.
    pub scenarios: Vec<String>,
    /// Measure by which settings are compared.
    pub measure: String,
    /// Better numbers: `smaller` or `larger`.
    pub better: String,
    /// True if the measure was asked for; false if the program took one.
    pub is_asked: bool,
    /// Varied fields that are conditions, such as a load: they are not to be chosen.
    pub conditions: Vec<String>,
    /// Varied fields and lists of variants that are to be chosen.
    pub choices: Vec<String>,
    /// The answer in four texts.
    pub verdict: Verdict,
    /// Answer and settings under each condition; a single element without conditions.
    pub cases: Vec<SweepCase>,
}

/// The settings under a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepCase {
    /// Value of each field of `conditions`, as written.
    pub condition: Vec<String>,
    /// Place of the best setting among `settings`; `None` if nothing can be compared.
    pub best: Option<u64>,
    /// Answer under this condition, in a sentence.
    pub answer: String,
    /// Settings, in the order of the runs.
    pub settings: Vec<SweepSetting>,
}

/// A setting under a condition, with its means over the seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepSetting {
    /// Value of each field of `choices`, as written.
    pub values: Vec<String>,
    /// Number of runs: one for each seed.
    pub runs: u64,
    /// True if the best setting is significantly better; `None` for the best setting itself, and without any number.
    pub is_worse: Option<bool>,
    /// Means of measures over the seeds.
    pub means: Vec<SweepMean>,
}

/// Mean of a measure over the seeds of a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepMean {
    /// The measure.
    pub measure: String,
    /// Unit of its numbers; `1` for an index or a share.
    pub unit: String,
    /// Mean over the runs that have a number; `None` if none has.
    pub mean: Option<f64>,
    /// Half the width of the 95 % interval (Student's t); `None` for a single number, or a lower bound.
    pub ci95: Option<f64>,
    /// True if the mean is a lower bound: unfinished messages or flows could change a number.
    pub is_bound: bool,
    /// Number of runs without a number.
    pub missing: u64,
}

impl SweepAnswer {
    /// Returns the answer as indented JSON.
    ///
    /// # Panics
    /// Never: an answer is plain data.
    #[must_use]
    pub fn json(&self) -> String {
        names::json::escaped(serde_json::to_string_pretty(self).expect("an answer is plain data")) + "\n"
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// If the text is none.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}
