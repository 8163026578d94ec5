//! `sweep`: many runs of a scenario, here or in parts elsewhere, and the table of their results.
//!
//! Invariant: every run is checked before the first starts. A run that is in the folder is not run again; the same
//! command goes on where it was. The table does not depend on where and in which order the runs were.
//!
//! | module | contents |
//! |---|---|
//! | here | `sweep`, `sweep plan`, `sweep run` |
//! | `asked` | options: which runs, and how |
//! | `folder` | the folder of a sweep |
//! | `table` | `sweep collect` |
//! | `notes` | notes on settings that `check` and `sim` print, too |
//! | `estimate` | `--dry-run` |
//! | `slurm` | `sweep submit` |
//! | `place` | `place`: a sweep over the placements of a job |

mod asked;
mod estimate;
mod folder;
mod notes;
pub(crate) mod place;
mod slurm;
mod table;

use std::path::PathBuf;

use backwater::provenance;
use clap::{Args, Subcommand};
use experiment::store::{BatchEvent, BatchOptions};
use experiment::sweep::{Collected, PlannedRun, Shard, SweepPlan};
use experiment::{Store, UnitResult, VERSION};
use names::shell::word;
use results::format::counted;
use units::Bytes;

use crate::arguments;
use crate::failure::Failure;
use crate::folder_name;
use crate::formats::FormatOptions;
use crate::memory;
use crate::progress::BatchReport;
use crate::terminal::{print, print_exactly, width};
use asked::{AskedOptions, WorkOptions};
use folder::FolderClaim;
use table::{CollectOptions, MeasureOptions};

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SweepOptions {
    #[command(subcommand)]
    part: Option<SweepVerb>,
    #[command(flatten)]
    asked: AskedOptions,
    #[command(flatten)]
    folder: FolderOptions,
    /// Say how many runs there are, how long they take, and how much disk space; run none of them.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    measures: MeasureOptions,
    #[command(flatten)]
    format: FormatOptions,
    #[command(flatten)]
    work: WorkOptions,
    /// Memory that runs at a time may be expected to need together for their traffic; more is refused [default: the
    /// memory that is free].
    #[arg(long, value_name = "SIZE", value_parser = arguments::memory)]
    memory_limit: Option<Bytes>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SweepVerb {
    /// Check all runs, and write them as lines of JSON, without running them.
    Plan(PlanOptions),
    /// Run a sweep that `sweep plan` has written, or a part of it.
    Run(RunOptions),
    /// Write one table of all results of a sweep.
    Collect(CollectOptions),
    /// Submit a planned sweep to a cluster.
    Submit(slurm::SubmitOptions),
}

#[derive(Args, Debug)]
pub(crate) struct PlanOptions {
    #[command(flatten)]
    asked: AskedOptions,
    #[command(flatten)]
    folder: FolderOptions,
}

/// The folder of a sweep.
#[derive(Args, Debug)]
pub(crate) struct FolderOptions {
    /// Folder for the plan, `sweep.jsonl`, and the results. A sweep in it may be extended by settings and seeds
    /// [default: `sweep` takes out/sweep,NAME,..., with all options; `sweep plan` prints the plan].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the plan of another sweep in the folder; finished runs of it stay.
    #[arg(long)]
    force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct RunOptions {
    /// Folder for the results.
    dir: PathBuf,
    /// Part of the sweep: `1/4` to `4/4` are its quarters [default: all runs].
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Plan of the sweep [default: DIR/sweep.jsonl].
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    work: WorkOptions,
}

/// Runs a sweep, or one of its parts.
pub(crate) fn run(options: &SweepOptions) -> Result<(), Failure> {
    match &options.part {
        Some(SweepVerb::Plan(options)) => plan(options),
        Some(SweepVerb::Run(options)) => run_part(options),
        Some(SweepVerb::Collect(options)) => table::collect(options),
        Some(SweepVerb::Submit(options)) => slurm::submit(options),
        None => whole(options),
    }
}

/// Plans, runs and collects.
fn whole(options: &SweepOptions) -> Result<(), Failure> {
    let formats = options.format.checked()?;
    let plan = options.asked.plan()?;
    let wanted = options.measures.read(&plan, true)?;
    options.work.note_fewer_cores();
    let default = || folder_name::of_run("sweep", &options.asked.words(), None);
    let dir = options.folder.out.clone().unwrap_or_else(default);
    let store = Store::open(&dir);
    if options.dry_run {
        print(&estimate::estimate(&plan, &store, &options.work)?);
        return Ok(());
    }
    // A baseline that is no setting is found before the first run.
    wanted.check(&plan)?;
    check_memory(plan.runs.iter().map(|run| run.memory_bytes), &options.work, options.memory_limit)?;
    let claim = folder::claim(&dir, &plan, options.folder.force)?;
    let batch = BatchOptions { measures: wanted.all(), ..options.work.batch() };
    let runs: Vec<_> = plan.runs.iter().collect();
    let results = ran(&store, &runs, &batch, options.work.quiet, claim)?;
    let (ends, failure) = (table::failures(&results), table::all_wrong(&results));
    let results: Vec<_> = results.into_iter().map(Some).collect();
    let measures = wanted.measures.as_deref();
    let collected = Collected::of(&plan, &results, measures);
    let dirs = std::slice::from_ref(&dir);
    let answer = wanted.answer(&plan, &results, (&provenance::command_line().collect::<Vec<_>>(), dirs))?;
    let written = table::write(&dir, formats, (&plan, &collected), &answer)?;
    if !options.work.quiet {
        let text = wanted.printed(&answer, wanted.pooled(&plan, &answer, dirs).as_ref());
        let ends = ends.as_ref().map_or_else(String::new, |ends| format!("{ends}\n"));
        let names: Vec<_> = written.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        let notes = notes::printed(&plan, width());
        let notes = if notes.is_empty() { notes } else { format!("{notes}\n") };
        print(&format!("{text}{notes}{ends}wrote {} to {}\n", names.join(", "), dir.display()));
    }
    failure
}

/// Writes or prints the plan of a sweep.
fn plan(options: &PlanOptions) -> Result<(), Failure> {
    let plan = options.asked.plan()?;
    let Some(dir) = &options.folder.out else {
        print_exactly(&plan.lines());
        return Ok(());
    };
    folder::claim(dir, &plan, options.folder.force)?;
    let (runs, dir) = (counted(plan.runs.len(), "run"), dir.display());
    print(&format!("wrote {runs} to {dir}/{}\n", folder::PLAN));
    Ok(())
}

/// Runs a planned sweep, or a part of it.
fn run_part(options: &RunOptions) -> Result<(), Failure> {
    let plan = match &options.plan {
        Some(file) => SweepPlan::read(file)?,
        None => folder::plan(&options.dir)?,
    };
    if let Some(other) = plan.runs.iter().find(|run| run.version != VERSION) {
        return Err(Failure::PlanOfOtherVersion(other.version.clone()));
    }
    let claim = folder::claim(&options.dir, &plan, false)?;
    options.work.note_fewer_cores();
    let shard = options.shard.unwrap_or(Shard { number: 1, of: 1 });
    let runs: Vec<_> = plan.part(shard).collect();
    check_memory(runs.iter().map(|run| run.memory_bytes), &options.work, None)?;
    let results = ran(&Store::open(&options.dir), &runs, &options.work.batch(), options.work.quiet, claim)?;
    if !options.work.quiet {
        let ends = table::failures(&results).map_or_else(String::new, |ends| format!("{ends}\n"));
        let (number, all) = (results.len(), counted(plan.runs.len(), "run"));
        let dir = word(&options.dir.display().to_string());
        print(&format!("{number} of {all} done\n{ends}when all are: backwater sweep collect {dir}\n"));
    }
    Ok(())
}

/// Runs what is missing, and returns the results of all.
fn ran(
    store: &Store,
    runs: &[&PlannedRun],
    batch: &BatchOptions<'_>,
    quiet: bool,
    claim: FolderClaim,
) -> Result<Vec<UnitResult>, Failure> {
    let units: Vec<_> = runs.iter().map(|run| run.unit()).collect();
    let report = BatchReport::new(!quiet);
    let watch = |event: BatchEvent<'_>| {
        if let BatchEvent::Began { asked, there } = event
            && claim == FolderClaim::Extended
            && !quiet
        {
            print(&format!("{} already here, {} to come\n\n", counted(there, "run"), asked - there));
        }
        report.update(event);
    };
    Ok(store.run(&units, batch, &watch)?)
}

/// Refuses runs that are expected to need more memory together than there is. `each` has the bytes of each run.
fn check_memory(
    each: impl Iterator<Item = u64>,
    work: &WorkOptions,
    limit: Option<Bytes>,
) -> Result<(), Failure> {
    let most = work.budget_memory.map_or(u64::MAX, Bytes::get);
    Ok(memory::check_at_a_time(each.filter(|bytes| *bytes <= most), work.at_a_time(), limit)?)
}
