//! `sim`: a run, printed and written to a folder.
//!
//! Invariant: a folder that cannot be written to, or that holds the results of another run, is refused before the run.
//! Nothing is written before the run is over, but its checkpoints. A run that fails leaves its manifest alone.

use std::path::{Path, PathBuf};

use backwater::provenance::{end_of_failure, run_manifest};
use backwater::{FinishedRun, Plan, ResumeError, RunError, RunOptions, Saving};
use clap::Args;
use fabric::{BlockedOutput, Deadlock};
use figures::RunOutput;
use measures::spelling::instant;
use parallel::Ranks;
use results::choice::{FCT_TXT, FileChoice, PAGE};
use results::manifest::{RunEnd, UndrawnEntry};
use results::tables::{brief, completions, printed};
use results::verdict::Verdict;
use results::verdict::command::{AskedEnd, AskedScenario};
use results::verdict::deadlock::ProvedDeadlock;
use results::{Manifest, ResultFolder, RunFiles, TableFormats};

use crate::browser;
use crate::checkpoint::{CheckpointOptions, Checkpoints};
use crate::ending;
use crate::failure::Failure;
use crate::files::FileOptions;
use crate::folder_name;
use crate::formats::FormatOptions;
use crate::interrupt;
use crate::memory::MemoryOptions;
use crate::overrides::ChangeOptions;
use crate::progress::ProgressReport;
use crate::terminal::{print, print_exactly, warn, warn_of_undrawn, width};
use crate::threads::ThreadOptions;
use crate::until_done::{DrainOptions, EndOptions};

/// Scenario that runs if none is named.
const DEFAULT_SCENARIO: &str = "gran2011-scenario1";

/// Help of `--threads`, which `sim` alone takes for several processes, too.
const THREADS: &str = "Threads that a run takes, at most as many as the machine has cores: a number, or `auto` for as many as gain. \
                       Under `mpirun`, those of each process. The results are the same [default: 1]";

#[derive(Args, Debug)]
#[command(mut_arg("threads", |threads| threads.help(THREADS)))]
pub(crate) struct SimOptions {
    /// File, or name of a shipped scenario (see `list`).
    #[arg(default_value = DEFAULT_SCENARIO)]
    scenario: String,
    #[command(flatten)]
    change: ChangeOptions,
    /// Folder for the results [default: out/NAME, with overrides and seed: `out/victim,congestion_control=Off,seed=7`].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite the results of another run, and files that no manifest names.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatOptions,
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    end: EndOptions,
    #[command(flatten)]
    drain: DrainOptions,
    #[command(flatten)]
    checkpoint: CheckpointOptions,
    /// Write completion times in the format of HPCC's simulator, too: `fct.txt`.
    #[arg(long)]
    fct_txt: bool,
    /// Make the page `report.html`, too, and open it in the browser; print its path where there is none.
    #[arg(long)]
    open: bool,
    /// Print all tables: goodput over whole phases, completion by size, marks and counts, trees, hottest outputs,
    /// margins.
    #[arg(long)]
    tables: bool,
    /// Print `summary.json` instead of tables.
    #[arg(long)]
    json: bool,
    /// Print no progress and no tables, only errors and the output of `--json`.
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    threads: ThreadOptions,
    #[command(flatten)]
    memory: MemoryOptions,
}

/// Returns the plan of the run.
pub(crate) fn plan(options: &SimOptions) -> Result<Plan, Failure> {
    options.end.plan(&options.scenario, options.change.set(), options.change.seed)
}

/// Runs the scenario, writes the results, prints the tables. With ranks, this is rank 0.
pub(crate) fn run(options: &SimOptions, ranks: Option<&dyn Ranks>) -> Result<(), Failure> {
    let formats = options.format.checked()?;
    let plan = plan(options)?;
    if options.fct_txt && !plan.keeps_completions() {
        return Err(Failure::NoCompletions);
    }
    // A state is saved and loaded by an image of all parts.
    match ranks.filter(|_| !options.checkpoint.needs_all_parts()) {
        None => options.memory.check(&[&plan])?,
        Some(ranks) => options.memory.check_first_rank(&plan, ranks.count())?,
    }
    let (manifest, folder) = opened(&plan, options, formats)?;
    let mut checkpoints = options.checkpoint.opened(&plan, folder.path(), options.force)?;
    let asked = asked(options, &plan);
    let routing = plan.scenario().routing.word();
    let mut run = simulated(plan, (options, ranks), &mut checkpoints).map_err(|error| match error {
        ResumeError::State(error) => checkpoints.unusable(error),
        ResumeError::Ranks(fault) => fault.into(),
        ResumeError::Run(error) => {
            record_failure(&error, &manifest, &folder);
            if let RunError::Deadlock(deadlock) = &error
                && !options.quiet
                && !options.json
            {
                print(&brief::verdict(&verdict_of(deadlock, routing, &asked), width()));
            }
            if matches!(error, RunError::Deadlock(_)) {
                checkpoints.remove(); // The run has ended, and would end in the same way again.
            }
            error.into()
        }
    })?;
    let ended = run.end();
    let manifest = Manifest { ended: ended.clone(), ..manifest };
    let RunOutput { files, undrawn } = output(&run, options, (&manifest, folder.path()))?;
    let manifest = Manifest { undrawn: undrawn.iter().map(UndrawnEntry::from).collect(), ..manifest };
    warn_of_undrawn(&undrawn);
    options.files.warn_of_missing(&files, &undrawn);
    let files = formats.of(files, &manifest)?;
    folder.write_all(&manifest, &files)?;
    if options.json {
        print_exactly(&run.summary.json());
    } else if !options.quiet {
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        let completions = run.summary.completions.as_ref();
        let note = completions.filter(|_| names.contains(&FCT_TXT)).and_then(completions::hpcc_note);
        let written = printed::written(folder.path(), &names);
        // In files the command names `plan.ron`: results depend on the plan alone, not on the words of a command line.
        run.summary.advise(&asked);
        let tables = if options.tables { run.tables_within(width()) } else { run.printed_within(width()) };
        print(&format!("{tables}\n{}{written}", note.unwrap_or_default()));
    }
    if options.open {
        browser::open(&folder.path().join(PAGE));
    }
    if let RunEnd::Interrupted { simulated_s } = ended {
        return Err(match checkpoints.command() {
            Some(command) => Failure::InterruptedAndSaved { simulated_s, command },
            None => Failure::Interrupted { simulated_s },
        });
    }
    checkpoints.remove();
    ending::checked(&run.plan, &run.record, options.drain.drain)
}

/// Returns the scenario as the command line names it, for the command that the verdict advises.
fn asked(options: &SimOptions, plan: &Plan) -> AskedScenario {
    AskedScenario {
        scenario: options.scenario.clone(),
        sets: options.change.set().to_vec(),
        seed: options.change.seed,
        end: AskedEnd {
            options: options.end.options().into_iter().chain(options.drain.options()).collect(),
            sets: options.end.overrides(&[], plan),
        },
    }
}

/// Returns the verdict of a run that a deadlock has ended.
fn verdict_of(deadlock: &Deadlock, routing: &str, asked: &AskedScenario) -> Verdict {
    let output = |at: &BlockedOutput| format!("{} port {} to {}", at.node, at.port, at.peer);
    let proved = ProvedDeadlock {
        found: instant(deadlock.found.seconds()),
        cycle: deadlock.cycle.iter().map(output).collect(),
        stuck: deadlock.stuck,
    };
    results::verdict::deadlock::verdict(routing, &proved, asked)
}

/// Opens the result folder of a run, and returns the manifest of the run to come.
fn opened(
    plan: &Plan,
    options: &SimOptions,
    formats: TableFormats,
) -> Result<(Manifest, ResultFolder), Failure> {
    let manifest = run_manifest(plan, &options.end.overrides(options.change.set(), plan));
    let manifest = formats.announced(options.files.announced(manifest, &choice(options)));
    let default =
        || folder_name::of_run(plan.name(), &options.end.words(options.change.set()), options.change.seed);
    let path = options.out.clone().unwrap_or_else(default);
    let folder = ResultFolder::open(&path, &manifest, options.force)?;
    Ok((manifest, folder))
}

/// Returns the files that the options choose.
fn choice(options: &SimOptions) -> FileChoice {
    let choice = options.files.choice();
    let choice = if options.fct_txt { choice.with(FCT_TXT) } else { choice };
    if options.open { choice.with(PAGE) } else { choice }
}

fn simulated(
    plan: Plan,
    (options, ranks): (&SimOptions, Option<&dyn Ranks>),
    checkpoints: &mut Checkpoints,
) -> Result<FinishedRun, ResumeError> {
    let division = match ranks {
        None => options.threads.divide(&plan, options.quiet),
        Some(ranks) => options.threads.divide_among(ranks.count(), &plan, options.quiet),
    };
    let ranks = ranks.filter(|ranks| division.parts() >= ranks.count());
    let partition = division.partition.as_ref();
    let mut report = ProgressReport::new(plan.duration(), plan.until_done(), !options.quiet);
    let interrupt = Some(interrupt::watched());
    let simulation =
        RunOptions { drain: options.drain.drain, interrupt, partition, ranks, ..RunOptions::default() };
    let (every, earlier, from) = (checkpoints.every, checkpoints.earlier(), checkpoints.take_state());
    let keep = &mut |at, state| checkpoints.keep(at, state);
    let saving = Saving { every, from: from.as_deref(), keep };
    FinishedRun::saving(plan, simulation, (saving, earlier), &mut |progress| report.update(progress))
}

/// Leaves the manifest of a run that failed, without files.
fn record_failure(error: &RunError, manifest: &Manifest, folder: &ResultFolder) {
    let manifest = Manifest { ended: end_of_failure(error), ..manifest.clone() };
    if let Err(error) = folder.write(&manifest, &[]) {
        // The exit status tells the failure of the run, so this error is only a warning.
        warn(&error.to_string());
    }
}

/// Returns the files of a run that the options ask for. The page is made of all of the run's tables, whatever their
/// formats, and whether or not they are written.
fn output(
    run: &FinishedRun,
    options: &SimOptions,
    (manifest, folder): (&Manifest, &Path),
) -> Result<RunOutput, Failure> {
    let (made, choice) = (run.made(), choice(options));
    let page = choice.has(PAGE).then(|| page::of_files(RunFiles::Made(&made), manifest)).transpose();
    let page = page.map_err(|fault| Failure::Page { folder: folder.to_owned(), fault })?;
    let mut output = run.output_of(made, &choice);
    output.files.extend(page);
    Ok(output)
}
