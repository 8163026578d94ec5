//! The answer of a tuning, as `tuning.json` has it, for the script.
//!
//! Invariant: numbers are those of the file. Values of baseline and winner are those of their rows in `trials.csv`. If
//! the baseline wins, the best other setting stands beside it, and is not called the winner.

use results::reader::{ReadError, RunFiles};
use results::verdict::Verdict;
use serde::{Deserialize, Serialize};

use super::data::read_parsed;
use super::table::{ColumnTable, Setting};
use super::words::count;

/// Name of the file.
pub(super) const FILE: &str = "tuning.json";

/// What a tuning found.
#[derive(Debug, Serialize)]
pub(crate) struct TuningAnswer {
    /// The setting beside the baseline: `winner`, or `best other setting` if the baseline wins.
    rival: &'static str,
    parameters: Vec<Parameter>,
    /// Overrides of the winner, with those of all runs before them.
    set: Vec<String>,
    pub(super) scenario: String,
    /// Number of held-out seeds.
    seeds: usize,
    objectives: Vec<Objective>,
    constraints: Vec<Constraint>,
    sensitivity: Vec<Sensitivity>,
    /// Trial that the sensitivity is measured at, and whether it is the winner.
    #[serde(skip)]
    pub(super) moved: Option<(usize, bool)>,
    /// True if no runs were kept for moves of single parameters.
    #[serde(skip)]
    pub(super) kept_no_runs: bool,
    /// The answer in four sentences, which stand at the head of the page; `None` of a former version.
    #[serde(skip)]
    pub(super) answer: Option<Verdict>,
}

#[derive(Debug, Serialize)]
struct Parameter {
    name: String,
    path: String,
    baseline: String,
    winner: String,
}

#[derive(Debug, Serialize)]
struct Objective {
    name: String,
    unit: &'static str,
    better: &'static str,
    baseline: Option<Estimated>,
    winner: Option<Estimated>,
    gain: Option<Estimated>,
}

/// A constraint, and the held-out runs that keep it.
#[derive(Debug, Serialize)]
struct Constraint {
    name: String,
    baseline: String,
    winner: String,
}

/// A mean with half of its 95 % interval.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct Estimated {
    mean: f64,
    #[serde(rename(deserialize = "ci95"))]
    half: Option<f64>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Sensitivity {
    parameter: String,
    rank_correlation: Option<f64>,
    neighbours: Vec<Neighbour>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Neighbour {
    value: String,
    loss: Option<Estimated>,
}

/// The parts of `tuning.json` that the page needs.
#[derive(Debug, Deserialize)]
struct Written {
    scenario: String,
    set: Vec<String>,
    held_out_seeds: Vec<u64>,
    objectives: Vec<WrittenObjective>,
    parameters: Vec<WrittenParameter>,
    baseline: Held,
    judged: Vec<Judged>,
    winner: Option<Winner>,
    sensitivity: Vec<Sensitivity>,
    answer: Option<Verdict>,
    #[serde(default)]
    budget: WrittenBudget,
    #[serde(default)]
    constraints: Vec<String>,
    #[serde(default)]
    moved: Option<usize>,
    #[serde(default)]
    settings: Vec<WrittenSetting>,
}

/// Runs by what they are for; `None` of a former version.
#[derive(Debug, Default, Deserialize)]
struct WrittenBudget {
    #[serde(default)]
    sensitivity: Option<u64>,
}

/// Values of a parameter by trial, also of settings that the space does not have.
#[derive(Debug, Deserialize)]
struct WrittenSetting {
    parameter: String,
    values: Vec<WrittenValue>,
}

#[derive(Debug, Deserialize)]
struct WrittenValue {
    trial: usize,
    value: String,
}

#[derive(Debug, Deserialize)]
struct WrittenObjective {
    measure: String,
}

#[derive(Debug, Deserialize)]
struct WrittenParameter {
    name: String,
    path: String,
}

#[derive(Debug, Deserialize)]
struct Held {
    objectives: Vec<Option<Estimated>>,
    /// Runs that keep each constraint.
    #[serde(default)]
    kept: Vec<usize>,
    #[serde(default)]
    runs: usize,
}

impl Held {
    /// Returns in words how many runs keep a constraint; empty if it is not known.
    fn keeping(&self, constraint: usize) -> String {
        let kept = self.kept.get(constraint);
        kept.map_or_else(String::new, |kept| format!("kept in {kept} of {}", count(self.runs, "run")))
    }
}

#[derive(Debug, Deserialize)]
struct Judged {
    trial: usize,
    held_out: Held,
    gains: Vec<Option<Estimated>>,
}

#[derive(Debug, Deserialize)]
struct Winner {
    set: Vec<String>,
}

impl TuningAnswer {
    /// Returns true if a parameter was moved alone.
    pub(super) fn has_moves(&self) -> bool {
        self.sensitivity.iter().any(|one| !one.neighbours.is_empty())
    }

    /// Returns the measures that were asked for.
    pub(super) fn asked(&self) -> Vec<String> {
        self.objectives.iter().map(|objective| objective.name.clone()).collect()
    }
}

/// Reads the answer; `None` if the folder has none.
pub(super) fn read(
    files: RunFiles<'_>,
    table: &ColumnTable,
    settings: &[Setting],
) -> Result<Option<TuningAnswer>, ReadError> {
    if !files.has(FILE) {
        return Ok(None);
    }
    let written: Written = read_parsed(files, FILE, |text| serde_json::from_str(text))?;
    let baseline = table.texts("setting")?.iter().position(|setting| setting == "baseline");
    let winner = table.flags("winner")?.iter().position(|is| *is).filter(|row| Some(*row) != baseline);
    let judged = written.judged.first();
    let rival = winner.or_else(|| judged?.trial.checked_sub(1)).filter(|row| *row < table.rows.len());
    let parameters = written.parameters.into_iter().map(|WrittenParameter { name, path }| {
        let found = settings.iter().find_map(|setting| Some((setting, unit_behind(&setting.name, &name)?)));
        let known = written.settings.iter().find(|setting| setting.parameter == name);
        let value = |row: Option<usize>| {
            let Some(row) = row else { return String::new() };
            let cell = found.map(|(setting, unit)| setting.in_words(row, unit));
            // A setting that is no point of the space has no number there.
            let written = || Some(known?.values.iter().find(|one| one.trial == row + 1)?.value.clone());
            cell.filter(|cell| !cell.is_empty()).or_else(written).unwrap_or_default()
        };
        Parameter { baseline: value(baseline), winner: value(rival), name, path }
    });
    let objectives = written.objectives.iter().enumerate().map(|(place, WrittenObjective { measure })| {
        let (_, unit, better) = super::table::named_measure(measure);
        let of = |all: &[Option<Estimated>]| all.get(place).copied().flatten();
        Objective {
            name: measure.clone(),
            unit,
            better,
            baseline: of(&written.baseline.objectives),
            winner: judged.and_then(|judged| of(&judged.held_out.objectives)),
            gain: judged.and_then(|judged| of(&judged.gains)),
        }
    });
    let constraints = written.constraints.iter().enumerate().map(|(place, name)| Constraint {
        name: name.clone(),
        baseline: written.baseline.keeping(place),
        winner: judged.map_or_else(String::new, |judged| judged.held_out.keeping(place)),
    });
    let constraints = constraints.collect();
    let moved = written.moved.map(|trial| (trial, winner == trial.checked_sub(1)));
    let set = written
        .winner
        .filter(|_| winner.is_some())
        .map(|winner| written.set.iter().cloned().chain(winner.set).collect());
    Ok(Some(TuningAnswer {
        rival: if winner.is_some() { "winner" } else { "best other setting" },
        parameters: parameters.collect(),
        set: set.unwrap_or_default(),
        seeds: written.held_out_seeds.len(),
        objectives: objectives.collect(),
        constraints,
        moved,
        kept_no_runs: written.budget.sensitivity == Some(0),
        sensitivity: written.sensitivity,
        scenario: written.scenario,
        answer: written.answer,
    }))
}

/// Returns the unit behind the name of a parameter in the name of its column, empty without a unit; `None` if the
/// column belongs to another parameter.
fn unit_behind<'a>(column: &'a str, parameter: &str) -> Option<&'a str> {
    match column.strip_prefix(parameter)? {
        "" => Some(""),
        rest => rest.strip_prefix('_').filter(|unit| !unit.contains('_')),
    }
}
