//! The rows of a sweep, and its plan: a line of JSON for each run.
//!
//! Invariant: every row is checked before any is run, so a wrong value of the last row is found before the first run. A
//! plan is read back only if it is whole.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use names::rule::{NameFault, check_prose};
use results::format::counted;
use scenario::{Diagnostic, Excerpt, LocatedFault, ScenarioText};
use serde::{Deserialize, Serialize};
use settings::files::{MOST_TEXT, limited_text};
use units::Span;

use super::fault::{Given, GivenPlace};
use crate::pool;
use crate::scenarios::Scenarios;
use crate::simulation::{self, VERSION};
use crate::unit::{IdentifiedUnit, Unit, is_name};

/// A sweep before its values are checked.
#[derive(Clone, Debug)]
pub struct Sweep {
    pub(super) rows: Vec<SweepRow>,
    /// The place of each override.
    pub(super) origins: BTreeMap<String, Given>,
    pub(super) file: Option<ScenarioText>,
    /// End of all runs, if it is not their scenario's.
    pub(super) until_done: Option<UntilDone>,
}

/// Runs end when their finite traffic is delivered, as `--until-done` has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UntilDone {
    /// Longest simulated time of a run; `None` for ten times its duration.
    pub at_most: Option<Span>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SweepRow {
    pub(super) unit: Unit,
    /// Varied paths and lists of variants, each with its value as written.
    pub(super) settings: Vec<(String, String)>,
}

/// A run of a sweep: a line of its plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedRun {
    /// Number of the run, from 1.
    pub run: usize,
    /// Number of runs of the sweep.
    pub runs: usize,
    /// Name of the unit, and of its folder.
    pub name: String,
    /// Digest of the plan, in hexadecimal.
    pub plan_digest: String,
    /// Version of the simulator that made this line.
    pub version: String,
    /// Memory that the traffic of the run is expected to need, in bytes.
    pub memory_bytes: u64,
    /// Varied paths and lists of variants, each with its value as written.
    pub settings: Vec<(String, String)>,
    /// The unit.
    pub unit: Unit,
}

/// The plan of a sweep: all of its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepPlan {
    /// The runs, in order of their numbers; never empty.
    pub runs: Vec<PlannedRun>,
}

/// A part of a sweep: every `of`-th run, from run `number` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, from 1.
    pub number: usize,
    /// Number of parts.
    pub of: usize,
}

impl Sweep {
    /// Returns the number of runs.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns false: a sweep is never empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Checks every run and names it.
    ///
    /// # Errors
    /// If values are wrong: each fault once, with the option or the place in the sweep file that gives the value.
    pub fn identify(&self) -> Result<SweepPlan, Diagnostic> {
        let scenarios = Scenarios::default();
        let rows = self.with_ends();
        let check = |row: &SweepRow| {
            let plan = scenarios.plan(&row.unit)?;
            Ok((IdentifiedUnit::new(row.unit.clone(), &plan), plan.memory().total().get()))
        };
        let named: Vec<Result<_, Diagnostic>> = pool::results(&rows, check);
        let (mut faults, mut known) = (Vec::new(), BTreeSet::new());
        let mut runs = Vec::with_capacity(named.len());
        for (place, (named, row)) in named.into_iter().zip(&*rows).enumerate() {
            match named {
                Ok((unit, memory_bytes)) => runs.push(PlannedRun {
                    memory_bytes,
                    run: place + 1,
                    runs: rows.len(),
                    name: unit.name().to_owned(),
                    plan_digest: unit.plan_digest().to_owned(),
                    version: VERSION.to_owned(),
                    settings: row.settings.clone(),
                    unit: row.unit.clone(),
                }),
                Err(diagnostic) => {
                    for fault in diagnostic.faults() {
                        let fault = self.placed(fault, &row.unit);
                        if known.insert(fault.clone()) {
                            faults.push(fault);
                        }
                    }
                }
            }
        }
        if faults.is_empty() { Ok(SweepPlan { runs }) } else { Err(Diagnostic::new(faults)) }
    }

    /// Returns the rows with the overrides that `--until-done` stands for. Rows that cannot be read stay, and their
    /// faults are told of the options that they come from.
    fn with_ends(&self) -> Cow<'_, [SweepRow]> {
        let Some(UntilDone { at_most }) = self.until_done else { return Cow::Borrowed(&self.rows) };
        let mut rows = self.rows.clone();
        let is_same = |one: &SweepRow, other: &SweepRow| {
            (&one.unit.scenario, &one.unit.overrides) == (&other.unit.scenario, &other.unit.overrides)
        };
        // Rows that differ in their seeds alone stand together, and end alike.
        for rows in rows.chunk_by_mut(is_same) {
            let Unit { scenario, overrides, .. } = &rows[0].unit;
            let Ok(end) = simulation::overrides_until_done(scenario, overrides, at_most) else { continue };
            rows.iter_mut().for_each(|row| row.unit.overrides.extend(end.clone()));
        }
        Cow::Owned(rows)
    }

    /// Returns a fault of an override with the place at which the sweep gives it. Where another file than the override
    /// is at fault, the message names the run in which it is.
    fn placed(&self, fault: &LocatedFault, unit: &Unit) -> LocatedFault {
        let set = fault.file.strip_prefix("--set ");
        match set.and_then(|set| Some((set, self.origins.get(set)?))) {
            Some((set, Given { place: GivenPlace::Option(option), .. })) => {
                let help = fault.help.as_ref().map(|help| for_this_value_alone(help, (option, set)));
                LocatedFault { file: format!("{option} {set}"), help, ..fault.clone() }
            }
            Some((set, Given { place: GivenPlace::File(path), .. })) => {
                let path_of = if fault.path.is_empty() { String::new() } else { format!("{}: ", fault.path) };
                let message = format!("`{set}`: {path_of}{}", fault.message);
                match &self.file {
                    Some(file) => file.fault_at(path, message, fault.help.clone()),
                    None => LocatedFault { message, ..fault.clone() },
                }
            }
            None if set.is_some() || unit.overrides.is_empty() => fault.clone(),
            None => LocatedFault {
                message: format!("{} (with {})", fault.message, unit.overrides.join(", ")),
                ..fault.clone()
            },
        }
    }
}

/// Returns the help for a value of `--vary` that needs further overrides, with the variant that has them alone: `--set`
/// would change the runs of all other values, too.
fn for_this_value_alone(help: &str, (option, set): (&str, &str)) -> String {
    let all = help.strip_prefix("add `--set ").and_then(|rest| rest.split_once('`'));
    let Some((needed, _)) = all.filter(|_| option == "--vary") else { return help.to_owned() };
    let (_, value) = set.split_once('=').unwrap_or(("", set));
    let name: String = value.chars().take_while(|letter| letter.is_alphanumeric()).collect();
    let sets: Vec<_> = needed.split(" --set ").collect();
    let variant = format!("{name}: {set}; {}", sets.join("; "));
    format!(
        "{help}; for this value alone, in place of `--vary`: `--variant {}`, and a variant for each other value",
        names::shell::word(&variant)
    )
}

impl SweepPlan {
    /// Returns the plan as lines of JSON.
    ///
    /// # Panics
    /// Never: a plan is plain data.
    #[must_use]
    pub fn lines(&self) -> String {
        let line = |run: &PlannedRun| {
            names::json::escaped(serde_json::to_string(run).expect("a run is plain data")) + "\n"
        };
        self.runs.iter().map(line).collect()
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// If the file cannot be read, a line is no run, or runs are missing or not in order.
    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        let file = path.display().to_string();
        let fault = |place: Option<Excerpt>, message: String| -> Diagnostic {
            let help = Some("name the file that `sweep` or `sweep plan` has written, as it is".to_owned());
            let place = place.map(Box::new);
            LocatedFault { file: file.clone(), place, path: String::new(), message, help }.into()
        };
        let text = limited_text(path, MOST_TEXT)
            .map_err(|error| fault(None, format!("it cannot be read: {error}")))?;
        let mut runs = Vec::new();
        for (place, line) in text.lines().enumerate() {
            let at = |column: usize, width: usize| {
                let (line_number, text) = (place + 1, line.to_owned());
                Some(Excerpt { line: line_number, column: column.max(1), width: width.max(1), text })
            };
            let run: PlannedRun = serde_json::from_str(line).map_err(|error| {
                fault(at(error.column(), 1), format!("this is no run of a sweep: {error}"))
            })?;
            if run.run != place + 1 {
                let message = format!("run {} stands where run {} would be", run.run, place + 1);
                return Err(fault(at(1, line.chars().count()), message));
            }
            if let Some(first) = runs.first().filter(|first| !run.varies_as(first)) {
                let message = format!("run {} varies other fields than run {}", run.run, first.run);
                return Err(fault(at(1, line.chars().count()), message));
            }
            // The name becomes the name of a folder, which is replaced.
            if !is_name(&run.name, &run.plan_digest, &run.version, run.unit.drain) {
                let column = line.find("\"name\":").map_or(1, |at| line[..at].chars().count() + 1);
                let message = format!("`{}` is not the name of a run of this plan and version", run.name);
                return Err(fault(at(column, 6), message));
            }
            check_texts(&run).map_err(|wrong| fault(at(1, line.chars().count()), wrong.to_string()))?;
            runs.push(run);
        }
        match runs.last() {
            None => Err(fault(None, "it holds no run".to_owned())),
            Some(last) if last.runs != runs.len() => {
                Err(fault(None, format!("it holds {} of {}", runs.len(), counted(last.runs, "run"))))
            }
            Some(_) => Ok(Self { runs }),
        }
    }

    /// Returns true if all runs of another plan are among this plan's runs.
    #[must_use]
    pub fn extends(&self, other: &Self) -> bool {
        let own: BTreeSet<&str> = self.runs.iter().map(|run| run.name.as_str()).collect();
        other.runs.iter().all(|run| own.contains(run.name.as_str()))
    }

    /// Returns the runs of a part of the sweep.
    pub fn part(&self, shard: Shard) -> impl Iterator<Item = &PlannedRun> {
        self.runs.iter().filter(move |run| (run.run - 1) % shard.of == shard.number - 1)
    }

    /// Returns the columns of the varied paths and lists of variants.
    #[must_use]
    pub fn columns(&self) -> Vec<&str> {
        self.runs[0].settings.iter().map(|(path, _)| path.as_str()).collect()
    }
}

/// Checks the texts of a run, which become names of columns, cells and arguments.
fn check_texts(run: &PlannedRun) -> Result<(), NameFault> {
    let PlannedRun { settings, unit, .. } = run;
    settings.iter().flat_map(|(path, value)| [path, value]).try_for_each(|text| check_prose(text))?;
    unit.overrides.iter().chain([&unit.scenario]).try_for_each(|text| check_prose(text))
}

impl PlannedRun {
    /// Returns true if both runs vary the same fields, in the same order.
    fn varies_as(&self, other: &Self) -> bool {
        let paths = |run: &Self| run.settings.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
        paths(self) == paths(other)
    }

    /// Returns the unit with the name that it was given when it was planned. Its scenario is compared with the plan's
    /// digest when it runs.
    #[must_use]
    pub fn unit(&self) -> IdentifiedUnit {
        IdentifiedUnit::named_before(self.unit.clone(), self.name.clone(), self.plan_digest.clone())
    }
}

impl std::str::FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let fault = || ShardError { given: text.to_owned() };
        let (number, of) = text.split_once('/').ok_or_else(fault)?;
        let parse = |text: &str| text.trim().parse::<usize>().map_err(|_| fault());
        let shard = Self { number: parse(number)?, of: parse(of)? };
        if (1..=shard.of).contains(&shard.number) { Ok(shard) } else { Err(fault()) }
    }
}

/// Error of a text that names no part of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no part of a sweep: write `1/4` to `4/4` for the four quarters")]
pub struct ShardError {
    given: String,
}
