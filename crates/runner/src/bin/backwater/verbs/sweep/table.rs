//! The collected table of a sweep: written as CSV, printed as text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use backwater::provenance;
use clap::Args;
use experiment::measuring;
use experiment::statistics::pooled::Pooled;
use experiment::sweep::{
    self, Collected, Conditions, PlannedRun, SweepPlan, SweepQuestion, UnknownBaseline, UnknownCondition,
};
use experiment::{Store, UnitResult};
use measures::{Direction, Measure, Quantity};
use results::TableFormats;
use results::format::counted;
use results::formats::{self, FormatFault};
use results::manifest::FolderKind;
use results::sweep::{ANSWER, SweepAnswer};
use results::tables::brief;
use serde_json::json;

use super::folder::{self, BINARY_TABLE, SCHEMA, TABLE};
use crate::failure::Failure;
use crate::formats::FormatOptions;
use crate::new_file;
use crate::terminal::{print, print_exactly, warn, width};

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
    /// Measures in the table, such as `p99(victims),goodput(all)` (docs/statistics.md lists them) [default: all that
    /// a run has].
    #[arg(long, value_name = "LIST")]
    measures: Option<String>,
    /// Measure whose smallest mean over the seeds is best: the answer names the best setting, by how much, and how
    /// sure that is [default: p99(all) if it is known in every run, else the largest goodput(all)].
    #[arg(long, visible_alias = "minimize", value_name = "MEASURE", conflicts_with = "maximise")]
    minimise: Option<String>,
    /// Measure whose largest mean over the seeds is best.
    #[arg(long, visible_alias = "maximize", value_name = "MEASURE")]
    maximise: Option<String>,
    /// Setting with which the best is compared, such as `congestion_control=Off` [default: the next best].
    #[arg(long, value_name = "PATH=VALUE, ...")]
    baseline: Option<String>,
    /// Varied fields that are conditions, such as `traffic.job.load`, which nobody chooses: each combination of their
    /// values has a best setting of its own. `none` for no condition [default: varied fields of the traffic,
    /// `duration`, and a job's `bytes`, `ranks` and `iterations`].
    #[arg(long, value_name = "PATH,...", value_delimiter = ',')]
    by: Vec<String>,
}

/// The measures of a table, and the question of the answer.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Measures of the table, if they are named.
    pub(crate) measures: Option<Vec<Measure>>,
    question: SweepQuestion,
}

impl From<UnknownBaseline> for Failure {
    fn from(unknown: UnknownBaseline) -> Self {
        Self::Worded { error: unknown.to_string(), help: unknown.help() }
    }
}

impl From<UnknownCondition> for Failure {
    fn from(unknown: UnknownCondition) -> Self {
        Self::Worded { error: unknown.to_string(), help: unknown.help() }
    }
}

impl Wanted {
    /// Wants these measures, and the smallest of the first.
    pub(super) fn smallest(measures: Vec<Measure>) -> Self {
        let measure = measures.first().map(|first| (first.clone(), Direction::Smaller));
        let question = SweepQuestion { measure, baseline: None, conditions: Conditions::default() };
        Self { measures: Some(measures), question }
    }

    /// Returns all measures that results must have.
    pub(crate) fn all(&self) -> Vec<Measure> {
        let mut all = self.measures.clone().unwrap_or_default();
        let question = self.question.measure.iter().map(|(measure, _)| measure);
        let more: Vec<_> = question.filter(|measure| !all.contains(measure)).cloned().collect();
        all.extend(more);
        all
    }

    /// Refuses a baseline that is no setting.
    pub(crate) fn check(&self, plan: &SweepPlan) -> Result<(), Failure> {
        Ok(self.question.baseline_in(plan).map(drop)?)
    }

    /// Returns the answer to the question. `command` is that of the sweep, and `dirs` are its folders.
    pub(crate) fn answer(
        &self,
        plan: &SweepPlan,
        results: &[Option<UnitResult>],
        (command, dirs): (&[String], &[PathBuf]),
    ) -> Result<SweepAnswer, Failure> {
        let few = || {
            let is_stored = |measure: &Measure| {
                let mut measured = results.iter().flatten().filter_map(|result| result.measured(measure));
                measured.any(|one| one.value.is_some())
            };
            SHOWN.map(Measure::of_all).into_iter().filter(is_stored).collect()
        };
        let measures = self.measures.clone().unwrap_or_else(few);
        let dir = dirs[0].display().to_string();
        Ok(self.question.answer(plan, results, &measures, (command, &dir))?)
    }

    /// Returns the answer, the best under each condition and the means as text.
    pub(crate) fn printed(&self, answer: &SweepAnswer, pooled: Option<&Pooled>) -> String {
        let pooled = pooled.map_or_else(String::new, |pooled| format!("{pooled}\n"));
        let means = sweep::means_table(answer, self.measures.is_some(), width());
        let verdict = brief::verdict(&answer.verdict, width());
        format!("{verdict}\n{}{means}{pooled}", sweep::conditions_table(answer))
    }

    /// Returns a quantile of completion times over the messages of all runs of the best setting. `None` under several
    /// conditions, if the measure is no such quantile, or if a run lacks them.
    pub(crate) fn pooled(&self, plan: &SweepPlan, answer: &SweepAnswer, dirs: &[PathBuf]) -> Option<Pooled> {
        let (measure, _) = self.question.measure.as_ref()?;
        let [only] = &answer.cases[..] else { return None };
        let best = only.settings.get(usize::try_from(only.best?).ok()?)?;
        let is_of_best = |run: &&PlannedRun| run.settings.iter().map(|(_, value)| value).eq(&best.values);
        let of_run = |run: &PlannedRun| dirs.iter().find_map(|dir| Store::open(dir).completions(&run.name));
        let runs = plan.runs.iter().filter(is_of_best).map(of_run).collect::<Option<Vec<_>>>()?;
        Pooled::of(measure, &runs.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }
}

impl MeasureOptions {
    /// Reads the measures and the question. With `checks`, the measures are compared with the first run's plan.
    pub(crate) fn read(&self, plan: &SweepPlan, checks: bool) -> Result<Wanted, Failure> {
        let measures = self.measures.as_deref().map(Measure::read_list).transpose()?;
        let measure = match (&self.minimise, &self.maximise) {
            (Some(text), _) => Some((text.parse()?, Direction::Smaller)),
            (None, Some(text)) => Some((text.parse()?, Direction::Larger)),
            (None, None) => None,
        };
        let conditions = Conditions::of(plan, &self.by)?;
        let question = SweepQuestion { measure, baseline: self.baseline.clone(), conditions };
        let wanted = Wanted { measures, question };
        if checks {
            let first = plan.runs[0].unit.plan()?;
            wanted.all().iter().try_for_each(|measure| measuring::check(measure, &first))?;
        }
        Ok(wanted)
    }
}

/// Collects the results of a sweep from its folders.
pub(crate) fn collect(options: &CollectOptions) -> Result<(), Failure> {
    let formats = options.format.checked()?;
    let plan = folder::same_plan(&options.dir)?;
    let wanted = options.measures.read(&plan, false)?;
    let results = looked_up(&plan, &options.dir);
    let all = wanted.all();
    let missing = all.iter().find(|one| results.iter().flatten().any(|result| result.lacks(one)));
    if let Some(missing) = missing {
        return Err(Failure::MeasureNotStored(missing.to_string()));
    }
    let measures = wanted.measures.as_deref();
    let command = folder::command(&options.dir[0])?;
    let answer = wanted.answer(&plan, &results, (&command, &options.dir))?;
    let table = Collected::of(&plan, &results, measures);
    let mut written = Vec::new();
    if let Some(path) = &options.out {
        written = write_to((path, options.force), formats, &plan, &table)?;
    } else if !options.csv {
        written = write(&options.dir[0], formats, (&plan, &table), &answer)?;
    }
    if options.csv {
        print_exactly(&table.csv());
    } else if !options.quiet {
        let text = wanted.printed(&answer, wanted.pooled(&plan, &answer, &options.dir).as_ref());
        let paths: Vec<_> = written.iter().map(|path| path.display().to_string()).collect();
        print(&format!("{text}wrote {}\n", paths.join(", ")));
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
    answer: &SweepAnswer,
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
    folder::write(folder, ANSWER, answer.json())?;
    folder::describe(folder, Some(&answer.verdict.to_string()))?;
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

/// Returns the failure of runs of which each has a job at fault, so that no number says anything.
pub(super) fn all_wrong(results: &[UnitResult]) -> Result<(), Failure> {
    match results.first() {
        Some(first) if results.iter().all(|result| result.is_stuck() || result.is_of_wrong_job()) => {
            Err(Failure::AllWrong(first.ended.words_with(first.fault)))
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns the ends of runs without results and the faults of others in words, with their numbers; `None` if all are
/// sound.
pub(super) fn failures(results: &[UnitResult]) -> Option<String> {
    let (unequal, stuck): (Vec<_>, Vec<_>) =
        results.iter().filter(|result| result.is_of_wrong_job()).partition(|result| result.fault.is_some());
    let (without, faulty): (Vec<_>, Vec<_>) = results
        .iter()
        .filter(|result| !(result.is_sound() || result.is_of_wrong_job()))
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
    let wrong = |runs: Vec<&UnitResult>, words: &str| {
        (!runs.is_empty()).then(|| format!("{} of {of} with {words}", runs.len()))
    };
    let stuck = wrong(stuck, "a stuck job: none of its ranks can go on");
    let unequal = wrong(unequal, "a job whose sizes differ: a receive has taken a message of another size");
    let lines: Vec<_> = without.into_iter().chain(faulty).chain(stuck).chain(unequal).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
