//! The collected table of a sweep: written as CSV, printed as text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use backwater::provenance;
use clap::Args;
use experiment::measuring;
use experiment::statistics::pooled::Pooled;
use experiment::sweep::{self, Collected, PlannedRun, SweepPlan};
use experiment::{Store, UnitResult};
use measures::{ALL, Direction, Measure, Measured, Quantity};
use results::TableFormats;
use results::format::{counted, in_blocks};
use results::formats::{self, FormatFault};
use results::manifest::FolderKind;
use serde_json::json;

use super::folder::{self, BINARY_TABLE, SCHEMA, TABLE};
use crate::failure::Failure;
use crate::formats::FormatOptions;
use crate::new_file;
use crate::terminal::{print, print_exactly, warn, width};

/// Largest number of rows that are printed.
const MOST_ROWS: usize = 40;
/// Quantities of all flows that are printed unless measures are named.
const SHOWN: [Quantity; 4] = [Quantity::Goodput, Quantity::LeastGoodput, Quantity::P99, Quantity::Last];

#[derive(Args, Debug)]
pub(crate) struct CollectOptions {
    /// Folder of a sweep; several, if parts of it ran in folders of their own.
    #[arg(required = true)]
    dir: Vec<PathBuf>,
    #[command(flatten)]
    measures: MeasureOptions,
    /// File for the table [default: DIR/results.csv]. A table in Parquet has the same name with `.parquet`.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the files of `--out` if they are there.
    #[arg(long, requires = "out")]
    force: bool,
    #[command(flatten)]
    format: FormatOptions,
    /// Print the table as CSV, and write it only to `--out`.
    #[arg(long)]
    csv: bool,
    /// Print nothing.
    #[arg(long)]
    quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct MeasureOptions {
    /// Measures in the table, such as `p99(victims),goodput(all)` (docs/statistics.md lists them) [default: all that a run has].
    #[arg(long, value_name = "LIST")]
    measures: Option<String>,
    /// Measure whose smallest mean over the seeds is best: the verdict names the best setting, by how much, and how sure that is.
    #[arg(long, visible_alias = "minimize", value_name = "MEASURE", conflicts_with = "maximise")]
    minimise: Option<String>,
    /// Measure whose largest mean over the seeds is best.
    #[arg(long, visible_alias = "maximize", value_name = "MEASURE")]
    maximise: Option<String>,
    /// Setting with which the best is compared, such as `congestion_control=Off` [default: the next best].
    #[arg(long, value_name = "PATH=VALUE, ...")]
    baseline: Option<String>,
}

/// The measures of a table, and the question of the verdict.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Measures of the table, if they are named.
    pub(crate) measures: Option<Vec<Measure>>,
    question: Option<(Measure, Direction)>,
    baseline: Option<String>,
}

impl Wanted {
    /// Returns all measures that results must have.
    pub(crate) fn all(&self) -> Vec<Measure> {
        let mut all = self.measures.clone().unwrap_or_default();
        let question = self.question.iter().map(|(measure, _)| measure);
        let more: Vec<_> = question.filter(|measure| !all.contains(measure)).cloned().collect();
        all.extend(more);
        all
    }

    /// Returns the measures to print: the named measures, then the question's; `None` if there are none.
    pub(crate) fn printed(&self) -> Option<Vec<Measure>> {
        let all = self.all();
        (!all.is_empty()).then_some(all)
    }

    /// Returns the verdict in words, if the command line asks for it.
    pub(crate) fn verdict(
        &self,
        plan: &SweepPlan,
        results: &[Option<UnitResult>],
        dirs: &[PathBuf],
    ) -> Result<Option<String>, Failure> {
        let Some((measure, better)) = &self.question else { return Ok(None) };
        let settings = sweep::settings(plan, results, measure);
        let place = |name: &str| {
            let exact = settings.iter().position(|setting| setting.name == name);
            let mut within = (0..settings.len()).filter(|place| settings[*place].name.contains(name));
            let only = within.next().filter(|_| within.next().is_none());
            let names = settings.iter().map(|setting| setting.name.as_str());
            exact.or(only).ok_or_else(|| Failure::NoBaseline {
                name: name.to_owned(),
                help: scenario::help_with_name(name, names, "settings"),
            })
        };
        let baseline = self.baseline.as_deref().map(place).transpose()?;
        Ok(Some(match sweep::verdict(&settings, measure, *better, baseline) {
            Ok(verdict) => {
                let pooled = pooled(plan, verdict.best.place, measure, dirs);
                let pooled = pooled.map_or_else(String::new, |pooled| format!("\n{pooled}"));
                format!("{verdict}{pooled}")
            }
            Err(none) => format!("No verdict on {measure}: {none}."),
        }))
    }
}

/// Returns a quantile of completion times over the messages of all runs of a setting. `None` if the measure is no such
/// quantile, or a run lacks them.
fn pooled(plan: &SweepPlan, place: usize, measure: &Measure, dirs: &[PathBuf]) -> Option<Pooled> {
    let of_run = |run: &PlannedRun| dirs.iter().find_map(|dir| Store::open(dir).completions(&run.name));
    let runs = sweep::runs_of(plan, place).map(of_run).collect::<Option<Vec<_>>>()?;
    Pooled::of(measure, &runs.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

impl MeasureOptions {
    /// Reads the measures, and checks them with the first run's plan, if any.
    pub(crate) fn read(&self, plan: Option<&SweepPlan>) -> Result<Wanted, Failure> {
        let measures = self.measures.as_deref().map(Measure::read_list).transpose()?;
        let question = match (&self.minimise, &self.maximise) {
            (Some(text), _) => Some((text.parse()?, Direction::Smaller)),
            (None, Some(text)) => Some((text.parse()?, Direction::Larger)),
            (None, None) => None,
        };
        if let (Some(name), None) = (&self.baseline, &question) {
            return Err(Failure::BaselineAlone(name.clone()));
        }
        let wanted = Wanted { measures, question, baseline: self.baseline.clone() };
        if let Some(plan) = plan {
            let first = plan.runs[0].unit.plan()?;
            wanted.all().iter().try_for_each(|measure| measuring::check(measure, &first))?;
        }
        Ok(wanted)
    }
}

/// Collects the results of a sweep from its folders.
pub(crate) fn collect(options: &CollectOptions) -> Result<(), Failure> {
    let formats = options.format.checked()?;
    let wanted = options.measures.read(None)?;
    let plan = folder::same_plan(&options.dir)?;
    let results = looked_up(&plan, &options.dir);
    let lacks = |result: &UnitResult, measure: &Measure| {
        result.ended.has_results() && result.measured(measure).is_none()
    };
    let all = wanted.all();
    let missing = all.iter().find(|one| results.iter().flatten().any(|result| lacks(result, one)));
    if let Some(missing) = missing {
        return Err(Failure::MeasureNotStored(missing.to_string()));
    }
    let measures = wanted.measures.as_deref();
    let verdict = wanted.verdict(&plan, &results, &options.dir)?;
    let table = Collected::of(&plan, &results, measures);
    let mut written = Vec::new();
    if let Some(path) = &options.out {
        written = write_to((path, options.force), formats, &plan, &table)?;
    } else if !options.csv {
        written = write(&options.dir[0], formats, (&plan, &table), verdict.as_deref())?;
    }
    if options.csv {
        print_exactly(&table.csv());
    } else if !options.quiet {
        let verdict = verdict.map_or_else(String::new, |verdict| format!("{verdict}\n"));
        let text = printed(&plan, &results, wanted.printed().as_deref());
        let paths: Vec<_> = written.iter().map(|path| path.display().to_string()).collect();
        print(&format!("{text}\n{verdict}wrote {}\n", paths.join(", ")));
    }
    warn_of_missing(&results);
    Ok(())
}

/// Writes the table into the folder of the sweep, in its formats, with its schema, and the answer into the manifest.
/// Returns the paths of the tables. A table in the other format goes, which an earlier call may have left: it could be
/// of fewer runs.
pub(super) fn write(
    folder: &Path,
    formats: TableFormats,
    (plan, table): (&SweepPlan, &Collected),
    verdict: Option<&str>,
) -> Result<Vec<PathBuf>, Failure> {
    let _lock = folder::locked(folder, plan)?;
    let mut written = Vec::new();
    let all = [(formats.csv, TABLE), (formats.parquet, BINARY_TABLE)];
    for (_, name) in all.into_iter().filter(|(is_wanted, _)| *is_wanted) {
        folder::write(folder, name, contents(name, plan, table)?)?;
        written.push(folder.join(name));
    }
    for (_, name) in all.into_iter().filter(|(is_wanted, _)| !is_wanted) {
        folder::remove(folder, name)?;
    }
    folder::write(folder, SCHEMA, table.schema())?;
    folder::describe(folder, verdict)?;
    Ok(written)
}

/// Writes the table to a file of any name, in its formats, with its schema beside it. Returns the paths of the tables.
fn write_to(
    (path, force): (&Path, bool),
    formats: TableFormats,
    plan: &SweepPlan,
    table: &Collected,
) -> Result<Vec<PathBuf>, Failure> {
    let binary = path.with_extension("parquet");
    let all = [(formats.csv, path.to_owned()), (formats.parquet, binary)];
    let written: Vec<_> = all.into_iter().filter_map(|(is_wanted, path)| is_wanted.then_some(path)).collect();
    for path in &written {
        new_file::write(path, contents(&path.to_string_lossy(), plan, table)?, force)?;
    }
    new_file::write(&path.with_extension("schema.json"), table.schema(), force)?;
    Ok(written)
}

/// Returns the table in the format of a file's name.
fn contents(name: &str, plan: &SweepPlan, table: &Collected) -> Result<Vec<u8>, Failure> {
    if !name.ends_with(".parquet") {
        return Ok(table.csv().into_bytes());
    }
    let fault = |fault| FormatFault { file: name.to_owned(), fault };
    Ok(table.parquet(facts(plan)).map_err(fault)?)
}

/// Returns the origin of a collected table for its metadata: the scenarios, the number of runs, and this program. Seeds
/// and digests are columns.
fn facts(plan: &SweepPlan) -> Vec<(String, String)> {
    let scenarios: BTreeSet<_> = plan.runs.iter().map(|run| run.unit.scenario.as_str()).collect();
    let mut facts = formats::facts(&provenance::manifest(FolderKind::Sweep, Vec::new(), []));
    facts.retain(|(name, _)| name != "backwater.plans");
    facts.extend([
        ("backwater.scenarios".to_owned(), json!(scenarios).to_string()),
        ("backwater.runs".to_owned(), plan.runs.len().to_string()),
        ("backwater.table".to_owned(), TABLE.to_owned()),
    ]);
    facts
}

/// Returns the results of all runs, each from the first folder that has it.
fn looked_up(plan: &SweepPlan, folders: &[PathBuf]) -> Vec<Option<UnitResult>> {
    let stores: Vec<_> = folders.iter().map(|folder| Store::open(folder)).collect();
    plan.runs.iter().map(|run| stores.iter().find_map(|store| store.result(&run.unit()))).collect()
}

fn warn_of_missing(results: &[Option<UnitResult>]) {
    let missing = results.iter().filter(|result| result.is_none()).count();
    if missing > 0 {
        let all = counted(results.len(), "run");
        warn(&format!("{missing} of {all} without a result: `not_run` in the table"));
    }
}

/// Returns the ends of runs without results and the faults of others in words, with their numbers; `None` if all are
/// sound.
pub(super) fn failures(results: &[UnitResult]) -> Option<String> {
    let (without, faulty): (Vec<_>, Vec<_>) = results
        .iter()
        .filter(|result| !result.is_sound())
        .map(|result| (result.ended.has_results(), result.word()))
        .partition(|(has_results, _)| !has_results);
    let by_end = |ends: &[(bool, &'static str)]| {
        let mut counts = BTreeMap::<&str, usize>::new();
        ends.iter().for_each(|(_, word)| *counts.entry(word).or_default() += 1);
        counts.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    };
    let of = counted(results.len(), "run");
    let without = (!without.is_empty())
        .then(|| format!("{} of {of} ended without results: {}", without.len(), by_end(&without)));
    let faulty = (!faulty.is_empty()).then(|| {
        format!(
            "{} of {of} with results of a fabric that does not do its work: {}; they count below like all others",
            faulty.len(),
            by_end(&faulty)
        )
    });
    let lines: Vec<_> = without.into_iter().chain(faulty).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns the table as text: the first rows, with the measures named, or a few of all flows.
pub(super) fn printed(
    plan: &SweepPlan,
    results: &[Option<UnitResult>],
    measures: Option<&[Measure]>,
) -> String {
    let few = || -> Vec<Measure> {
        let stored = |measure: &Measure| {
            let mut measured = results.iter().flatten().filter_map(|result| result.measured(measure));
            measured.any(|one| one.value.is_some())
        };
        let of_all = |quantity| Measure { group: ALL.to_owned(), quantity, phase: None };
        SHOWN.map(of_all).into_iter().filter(stored).collect()
    };
    let measures = measures.map_or_else(few, <[Measure]>::to_vec);
    let own = ["run".to_owned()].into_iter().chain(plan.columns().into_iter().map(str::to_owned));
    let header: Vec<_> = own
        .chain(["seed".to_owned(), "ended".to_owned()])
        .chain(measures.iter().map(ToString::to_string))
        .collect();
    let row = |(run, result): (&PlannedRun, &Option<UnitResult>)| -> Vec<String> {
        let settings = run.settings.iter().map(|(_, value)| value.clone());
        let dash = || "-".to_owned();
        let seed = result.as_ref().map_or_else(dash, |result| result.seed.to_string());
        let ended = result.as_ref().map_or("not_run", UnitResult::word).to_owned();
        let value = |measure: &Measure| {
            let measured = result.as_ref().and_then(|result| result.measured(measure));
            measured.map_or_else(dash, Measured::printed)
        };
        let first = [run.run.to_string()].into_iter().chain(settings).chain([seed, ended]);
        first.chain(measures.iter().map(value)).collect()
    };
    let rows: Vec<_> = plan.runs.iter().zip(results).take(MOST_ROWS).map(row).collect();
    let text = in_blocks(&header, &rows, 1 + plan.columns().len() + 1, 1 + plan.columns().len(), width());
    let more = plan.runs.len().saturating_sub(MOST_ROWS);
    if more > 0 { format!("{text}\n... and {more} more rows in the table\n") } else { text + "\n" }
}
