//! `compare`: several runs with the same random streams, side by side.
//!
//! Invariant: all runs have the same seeds, except runs that name their own. So runs that differ in a switch or a
//! scheme have the same traffic. All runs are checked before the first starts. Each run leaves its results in a folder
//! of its own.

mod asked;
mod simulated;

use std::path::PathBuf;
use std::slice;

use backwater::provenance::{end_of_failure, manifest};
use backwater::{FinishedRun, RunError};
use clap::Args;
use experiment::comparison::{CompareCommand, SeededComparison};
use experiment::{SeedList, measuring};
use measures::{Measure, MeasureError};
use names::shell;
use results::comparison::{ComparedRun, Shown};
use results::format::WIDTH;
use results::manifest::FolderKind;
use results::manifest::{RunEnd, UndrawnEntry};
use results::reader::ReadError;
use results::tables::{brief, printed};
use results::verdict::Verdict;
use results::{Manifest, OutputFile, ResultFolder};
use serde_json::{Value, json};
use telemetry::RunEnding;

use crate::arguments;
use crate::ending;
use crate::failure::Failure;
use crate::folder_name;
use crate::formats::FormatOptions;
use crate::memory::MemoryOptions;
use crate::terminal::{print, print_exactly, warn, warn_of_undrawn, width};
use crate::threads::ThreadOptions;
use crate::until_done::{DrainOptions, EndOptions};
use asked::{RunAsked, asked};
use simulated::{Recorded, seeds_at_once, simulated};

/// The figure of a comparison.
const FIGURE: &str = "compare.svg";
/// Files of a comparison, without the folders of its runs.
const FILES: [&str; 3] = ["compare.txt", "compare.csv", FIGURE];

#[derive(Args, Debug)]
pub(crate) struct CompareOptions {
    /// Two or more scenarios, each a file or a shipped one. `LABEL=SCENARIO` names the run, and
    /// `SCENARIO:PATH=VALUE;PATH=VALUE` overrides fields of that run only:
    /// `compare on=victim 'off=victim:congestion_control=Off'`.
    #[arg(value_name = "RUN", num_args = 2.., required = true)]
    runs: Vec<String>,
    /// Override of a field in all runs.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Seed of all runs that name none [default: the first scenario's].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Seeds of all runs, such as `1..=8`: the table has means with 95 % intervals, and differences seed by seed.
    #[arg(long, value_name = "LIST", conflicts_with = "seed", value_parser = arguments::seeds)]
    seeds: Option<SeedList>,
    /// Folder for the table, the figure, and a folder for each run and seed [default: out/compare,RUN,RUN].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite the results of other runs, and files that no manifest names.
    #[arg(long)]
    force: bool,
    /// Measures in the table, such as `p99(victims),goodput(all)` (docs/statistics.md lists them) [default: goodput
    /// by phase, victims, groups, completions and totals].
    #[arg(long, value_name = "LIST")]
    measures: Option<String>,
    /// Print all tables, and the flows of groups with more than eight. The files always have them.
    #[arg(long)]
    tables: bool,
    #[command(flatten)]
    format: FormatOptions,
    #[command(flatten)]
    end: EndOptions,
    #[command(flatten)]
    drain: DrainOptions,
    /// Print the table as JSON: a row for each number, with the value of each run.
    #[arg(long)]
    json: bool,
    /// Print only errors and the output of `--json`.
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    threads: ThreadOptions,
    #[command(flatten)]
    memory: MemoryOptions,
}

/// Runs that have ended.
struct Compared {
    seeds: SeededComparison,
    /// The comparison of a single seed.
    alone: Option<Alone>,
    figure: Result<String, ReadError>,
    /// Faults of fabrics, a line each.
    faults: String,
    /// The gravest failure of all runs.
    failure: Result<(), Failure>,
    /// End of all runs: of the first that did not end as it was to.
    ended: RunEnd,
}

/// Texts of a comparison with a single seed.
struct Alone {
    /// Tables of the file.
    file: String,
    /// Tables of the terminal.
    terminal: String,
    json: Value,
}

/// Runs all scenarios side by side on all cores, writes the table, the figure and the results of each run, prints the
/// answer and the table.
pub(crate) fn run(options: &CompareOptions) -> Result<(), Failure> {
    let formats = options.format.checked()?;
    let asked = asked(options, formats)?;
    let measures = options.measures.as_deref().map(Measure::read_list).transpose()?;
    check_measures(measures.as_deref().unwrap_or_default(), &asked[0])?;
    let together = asked.iter().take(seeds_at_once(options, asked.len())).flatten();
    options.memory.check(&together.map(|run| &run.plan).collect::<Vec<_>>())?;
    let out = out(options);
    let plans = asked.iter().flatten().flat_map(|run| run.manifest.plans.clone()).collect();
    let manifest = formats.announced(manifest(FolderKind::Comparison, plans, FILES.map(str::to_owned)));
    let folder = ResultFolder::open(&out, &manifest, options.force)?;
    let own = |run: &RunAsked| ResultFolder::open(&out.join(&run.folder), &run.manifest, options.force);
    let of_seed = |runs: &Vec<RunAsked>| runs.iter().map(own).collect::<Result<Vec<_>, _>>();
    let folders = asked.iter().map(of_seed).collect::<Result<Vec<_>, _>>()?;
    let (mut compared, mut failed) = (None, None);
    let asked_for = AskedFor {
        measures: measures.as_deref(),
        shown: shown(options),
        several: asked.len() > 1,
        drain: options.drain.drain,
    };
    simulated(&asked, &folders, (options, formats), |asked, recorded| {
        let added = add(&mut compared, asked_for, asked, recorded);
        failed = added.as_ref().err().map(end_of_failure);
        Ok(added?)
    })
    .or_else(|failure| match failed {
        Some(ended) => {
            folder.write(&Manifest { ended, ..manifest.clone() }, &[])?;
            Err(failure)
        }
        None => Err(failure),
    })?;
    let compared = compared.expect("a comparison has a seed");
    write(options, &asked, compared, (manifest, &folder))
}

/// Returns the rows that the terminal shows.
const fn shown(options: &CompareOptions) -> Shown {
    if options.tables { Shown::All } else { Shown::Brief }
}

/// Returns the folder of the comparison.
fn out(options: &CompareOptions) -> PathBuf {
    let several = options.seeds.as_ref().map(|seeds| {
        let seeds: Vec<_> = seeds.0.iter().map(ToString::to_string).collect();
        format!("seeds={}", seeds.join("+"))
    });
    let seeds = several.or_else(|| options.seed.map(|seed| format!("seed={seed}")));
    let words = options.end.words(&options.set).into_iter().chain(options.drain.words()).collect::<Vec<_>>();
    let default = || folder_name::of_comparison(&options.runs, &words, seeds);
    options.out.clone().unwrap_or_else(default)
}

/// Checks that some run has each measure. A run without it has a dash.
fn check_measures(measures: &[Measure], asked: &[RunAsked]) -> Result<(), MeasureError> {
    measures.iter().try_for_each(|measure| {
        let mut of_runs = asked.iter().map(|run| measuring::check(measure, &run.plan));
        let first = of_runs.next().unwrap_or(Ok(()));
        if of_runs.any(|checked| checked.is_ok()) { Ok(()) } else { first }
    })
}

/// Parts of the question that each seed is added by.
#[derive(Clone, Copy)]
struct AskedFor<'a> {
    measures: Option<&'a [Measure]>,
    shown: Shown,
    /// True if there are several seeds.
    several: bool,
    /// True if every run was to be drained.
    drain: bool,
}

/// Adds the runs of a seed, and returns true if further seeds are wanted.
fn add(
    compared: &mut Option<Compared>,
    AskedFor { measures, shown, several, drain }: AskedFor<'_>,
    asked: &[RunAsked],
    recorded: Vec<Recorded>,
) -> Result<bool, RunError> {
    let (mut runs, mut curves) = (Vec::with_capacity(asked.len()), Vec::with_capacity(asked.len()));
    for Recorded { run, curves: of_run, undrawn } in recorded {
        warn_of_undrawn(&undrawn);
        runs.push(run);
        curves.push(of_run);
    }
    let runs = runs.into_iter().collect::<Result<Vec<_>, _>>()?;
    let interrupted = runs.iter().any(|run| run.record.ended == RunEnding::Interrupted);
    let failure = ending::checked_all(runs.iter().map(|run| (&run.plan, &run.record)), drain);
    let ended = end_of_all(&runs);
    let faults = asked.iter().zip(&runs).flat_map(|(RunAsked { folder, .. }, run)| {
        ending::faults(&run.plan, &run.record).map(move |fault| format!("{folder}: {fault}\n"))
    });
    let faults: String = faults.collect();
    if let Some(all) = compared {
        // Numbers of an interrupted run would shift the means of whole runs.
        if !interrupted {
            let _ = all.seeds.add(&sides(asked, &runs));
        }
        all.faults += &faults;
        if all
            .failure
            .as_ref()
            .err()
            .is_none_or(|known| failure.as_ref().is_err_and(|one| one.rank() < known.rank()))
        {
            (all.failure, all.ended) = (failure, ended);
        }
    } else {
        let curves: Result<Vec<_>, _> = curves.into_iter().flatten().collect();
        let figure = curves.map(|curves| figures::compared(&curves).svg());
        let mut seeds = SeededComparison::new(measures);
        let sides = sides(asked, &runs);
        let comparison = seeds.add(&sides);
        let alone = (!several).then(|| Alone {
            file: comparison.printed(WIDTH, Shown::All),
            terminal: comparison.printed(width(), shown),
            json: comparison.json(),
        });
        *compared = Some(Compared { seeds, alone, figure, faults, failure, ended });
    }
    Ok(!interrupted)
}

/// Returns the runs as a comparison takes them.
fn sides<'a>(asked: &'a [RunAsked], runs: &'a [FinishedRun]) -> Vec<ComparedRun<'a>> {
    let side = |(asked, run): (&'a RunAsked, &'a FinishedRun)| ComparedRun {
        label: &asked.label,
        asked: &asked.asked,
        summary: &run.summary,
        record: &run.record,
        ends: &run.posting,
    };
    asked.iter().zip(runs).map(side).collect()
}

/// Writes and prints the comparison of finished runs.
fn write(
    options: &CompareOptions,
    asked: &[Vec<RunAsked>],
    compared: Compared,
    (manifest, folder): (Manifest, &ResultFolder),
) -> Result<(), Failure> {
    let Compared { seeds, alone, figure, faults, failure, ended } = compared;
    let verdict = verdict(options, &seeds, folder, &asked[0]);
    let of_seeds = |width, shown| seeds.printed(width, shown);
    let (file_text, terminal, numbers) = match alone {
        Some(Alone { file, terminal, json }) => (file, terminal, json),
        None => (of_seeds(WIDTH, Shown::All), of_seeds(width(), shown(options)), seeds.json()),
    };
    let text = |tables: &str, width| {
        let notes = seeds.remarks_in_words(width);
        let gap = if notes.is_empty() { "" } else { "\n" };
        format!("{faults}{}\n{notes}{gap}{tables}", brief::verdict(&verdict, width))
    };
    let undrawn: Vec<_> = figure.as_ref().err().into_iter().map(ToString::to_string).collect();
    undrawn.iter().for_each(|reason| warn(&format!("`{FIGURE}` is not drawn: {reason}")));
    let entry = |reason| UndrawnEntry { file: FIGURE.to_owned(), reason };
    let contents = [Some(text(&file_text, WIDTH)), Some(seeds.csv().to_owned()), figure.ok()];
    let file = |(name, contents): (&str, Option<String>)| {
        Some(OutputFile { name: name.to_owned(), contents: contents? })
    };
    let files: Vec<_> = FILES.into_iter().zip(contents).filter_map(file).collect();
    let manifest = Manifest { ended, undrawn: undrawn.into_iter().map(entry).collect(), ..manifest };
    let files = options.format.checked()?.of(files, &manifest)?;
    folder.write_all(&manifest, &files)?;
    if options.json {
        print_exactly(&with_verdict(numbers, &seeds, &verdict));
    } else if !options.quiet {
        let folders = asked.iter().flatten().map(|one| one.folder.as_str());
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).chain(folders).collect();
        let more = if options.tables { "" } else { "\nAll tables: `--tables`, or compare.txt\n" };
        print(&format!("{}{more}\n{}", text(&terminal, width()), printed::written(folder.path(), &names)));
    }
    failure
}

/// Returns the answer, with advice that repeats the command.
fn verdict(
    options: &CompareOptions,
    seeds: &SeededComparison,
    folder: &ResultFolder,
    asked: &[RunAsked],
) -> Verdict {
    let set = options.set.iter().flat_map(|set| ["--set".to_owned(), set.clone()]);
    let measures = options.measures.iter().flat_map(|list| ["--measures".to_owned(), list.clone()]);
    let words = ["backwater", "compare"].map(str::to_owned).into_iter().chain(options.runs.iter().cloned());
    let words = shell::line(
        words.chain(set).chain(options.end.options()).chain(options.drain.options()).chain(measures),
    );
    let place = |run: &RunAsked| shell::word(&folder.path().join(&run.folder).display().to_string());
    let folders: Vec<_> = asked.iter().map(place).collect();
    seeds.verdict(CompareCommand {
        words: &words,
        folders: &folders,
        until_done: options.end.is_until_done(),
        drain: options.drain.drain,
        own_seeds: asked.iter().any(|run| run.names_seed),
        draws_at_random: asked.iter().any(|run| run.plan.draws_at_random()),
        seeds: options
            .seeds
            .as_ref()
            .map(|seeds| &seeds.0[..])
            .or(options.seed.as_ref().map(slice::from_ref)),
    })
}

/// Returns the numbers of a comparison with its remarks and the answer, as text.
fn with_verdict(numbers: Value, seeds: &SeededComparison, verdict: &Verdict) -> String {
    let mut all = numbers;
    all["remarks"] = json!(seeds.remarks());
    all["verdict"] = json!(verdict);
    names::json::escaped(serde_json::to_string_pretty(&all).expect("the values are plain data") + "\n")
}

/// Returns the end of all runs: of the first that was interrupted, else that gave up, else that was stuck, else that
/// was not done.
fn end_of_all(runs: &[FinishedRun]) -> RunEnd {
    let of = |how| runs.iter().find(|run| run.record.ended == how);
    let order = [RunEnding::Interrupted, RunEnding::GaveUp, RunEnding::Stuck, RunEnding::NotDone];
    let first = order.into_iter().find_map(of);
    first.map_or(RunEnd::Complete, FinishedRun::end)
}
