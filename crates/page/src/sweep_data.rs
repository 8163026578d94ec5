//! Data of the page of a sweep or a tuning, as the script reads them.
//!
//! Invariant: lists by run, or by setting of a tuning, have the same length.

use results::sweep::SweepAnswer;
use serde::Serialize;

use super::table::{MeasureColumn, Setting};
use super::tuning_answer::TuningAnswer;

/// Settings, measures and answers of all runs.
#[derive(Debug, Serialize)]
pub(super) struct SweepData {
    pub(super) kind: &'static str,
    /// Address of the folder of the runs, relative to the page or whole.
    pub(super) runs: String,
    /// Measures that were asked for, the first of them first.
    pub(super) asked: Vec<String>,
    /// The answer of a tuning; `None` in a sweep, and in a folder without it.
    pub(super) found: Option<TuningAnswer>,
    pub(super) settings: Vec<Setting>,
    pub(super) measures: Vec<MeasureColumn>,
    /// Seed of each run, or number of seeds of each setting.
    pub(super) seeds: Vec<Option<u64>>,
    pub(super) ended: Vec<String>,
    /// Names of the folders of the runs. A setting has the name of its first run's folder, empty without a run.
    pub(super) folders: Vec<String>,
    pub(super) names: Vec<String>,
    /// True for each setting of a tuning that keeps the constraints; `None` in a sweep.
    pub(super) feasible: Option<Vec<bool>>,
    /// Answer and means of a sweep (`sweep.json`); `None` in a tuning, and in a folder without it.
    pub(super) answer: Option<SweepAnswer>,
}
