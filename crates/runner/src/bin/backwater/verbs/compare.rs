//! `compare`: several runs with the same random streams, side by side.
//!
//! Invariant: all runs have the same seed, except runs that name their own. So runs that differ in a switch or a scheme
//! have the same traffic. All runs are checked before the first starts. Each run leaves its results in a folder of its
//! own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use backwater::provenance::{end_of_failure, manifest, run_manifest};
use backwater::{FinishedRun, Plan, RunError, RunOptions};
use clap::Args;
use experiment::{measuring, pool};
use figures::{RunCurves, RunOutput, UndrawnFigure, compared};
use measures::{Measure, MeasureError};
use names::rule;
use results::comparison::{self, ComparedRun, Comparison};
use results::format::WIDTH;
use results::manifest::FolderKind;
use results::manifest::{RunEnd, UndrawnEntry};
use results::reader::ReadError;
use results::tables::printed;
use results::{FileChoice, Manifest, OutputFile, ResultFolder, RunFiles, TableFormats};
use telemetry::RunEnding;

use crate::ending;
use crate::failure::Failure;
use crate::formats::FormatOptions;
use crate::memory::MemoryOptions;
use crate::progress::RunsReport;
use crate::terminal::{print, print_exactly, warn, warn_of_undrawn, width};
use crate::threads::ThreadOptions;
use crate::until_done::EndOptions;
use crate::{folder_name, interrupt};

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
    /// Folder for the table, the figure, and a folder for each run [default: out/compare,RUN,RUN].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite the results of other runs, and files that no manifest names.
    #[arg(long)]
    force: bool,
    /// Measures in the table, such as `p99(victims),goodput(all)` (docs/statistics.md lists them) [default: goodput
    /// by phase, victims, groups, completions and totals].
    #[arg(long, value_name = "LIST")]
    measures: Option<String>,
    #[command(flatten)]
    format: FormatOptions,
    #[command(flatten)]
    end: EndOptions,
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

/// A run of the comparison, before it starts.
struct RunAsked {
    label: String,
    asked: String,
    plan: Plan,
    manifest: Manifest,
}

/// Runs all scenarios side by side on all cores, writes the table, the figure and the results of each run, prints the
/// table.
pub(crate) fn run(options: &CompareOptions) -> Result<(), Failure> {
    let formats = options.format.checked()?;
    let asked = asked(options, formats)?;
    let measures = options.measures.as_deref().map(Measure::read_list).transpose()?;
    check_measures(measures.as_deref().unwrap_or_default(), &asked)?;
    options.memory.check(&asked.iter().map(|run| &run.plan).collect::<Vec<_>>())?;
    let default =
        || folder_name::of_comparison(&options.runs, &options.end.words(&options.set), options.seed);
    let out = options.out.clone().unwrap_or_else(default);
    let plans = asked.iter().flat_map(|run| run.manifest.plans.clone()).collect();
    let manifest = formats.announced(manifest(FolderKind::Comparison, plans, FILES.map(str::to_owned)));
    let folder = ResultFolder::open(&out, &manifest, options.force)?;
    let own = |run: &RunAsked| {
        ResultFolder::open(&out.join(folder_name::safe(&run.label)), &run.manifest, options.force)
    };
    let folders = asked.iter().map(own).collect::<Result<Vec<_>, _>>()?;
    let simulated = simulated(&asked, &folders, (options, formats))?;
    let (mut runs, mut curves) = (Vec::with_capacity(asked.len()), Vec::with_capacity(asked.len()));
    for Recorded { run, curves: of_run, undrawn } in simulated {
        warn_of_undrawn(&undrawn);
        runs.push(run);
        curves.push(of_run);
    }
    let runs = match runs.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(runs) => runs,
        Err(error) => {
            folder.write(&Manifest { ended: end_of_failure(&error), ..manifest }, &[])?;
            return Err(error.into());
        }
    };
    let curves: Result<Vec<_>, _> = curves.into_iter().flatten().collect();
    let figure = curves.map(|curves| compared(&curves).svg());
    write((options, measures.as_deref()), &asked, &runs, figure, (manifest, &folder))
}

/// Checks that some run has each measure. A run without it has a dash.
fn check_measures(measures: &[Measure], asked: &[RunAsked]) -> Result<(), MeasureError> {
    measures.iter().try_for_each(|measure| {
        let mut of_runs = asked.iter().map(|run| measuring::check(measure, &run.plan));
        let first = of_runs.next().unwrap_or(Ok(()));
        if of_runs.any(|checked| checked.is_ok()) { Ok(()) } else { first }
    })
}

/// Writes and prints the comparison of finished runs.
fn write(
    (options, measures): (&CompareOptions, Option<&[Measure]>),
    asked: &[RunAsked],
    runs: &[FinishedRun],
    figure: Result<String, ReadError>,
    (manifest, folder): (Manifest, &ResultFolder),
) -> Result<(), Failure> {
    let compared: Vec<_> =
        asked
            .iter()
            .zip(runs)
            .map(|(RunAsked { label, asked, .. }, FinishedRun { summary, record, posting, .. })| {
                ComparedRun { label, asked, summary, record, ends: posting }
            })
            .collect();
    let comparison = Comparison::of(&compared, measures);
    let faults = asked.iter().zip(runs).flat_map(|(RunAsked { label, .. }, run)| {
        ending::faults(&run.plan, &run.record).map(move |fault| format!("{label}: {fault}\n"))
    });
    let faults: String = faults.collect();
    let text = faults.clone() + &comparison.printed(WIDTH);
    let undrawn: Vec<_> = figure.as_ref().err().into_iter().map(ToString::to_string).collect();
    undrawn.iter().for_each(|reason| warn(&format!("`{FIGURE}` is not drawn: {reason}")));
    let entry = |reason| UndrawnEntry { file: FIGURE.to_owned(), reason };
    let contents = [Some(text), Some(comparison.csv()), figure.ok()];
    let file = |(name, contents): (&str, Option<String>)| {
        Some(OutputFile { name: name.to_owned(), contents: contents? })
    };
    let files: Vec<_> = FILES.into_iter().zip(contents).filter_map(file).collect();
    let manifest =
        Manifest { ended: end_of_all(runs), undrawn: undrawn.into_iter().map(entry).collect(), ..manifest };
    let files = options.format.checked()?.of(files, &manifest)?;
    folder.write_all(&manifest, &files)?;
    if options.json {
        print_exactly(&comparison.json());
    } else if !options.quiet {
        let labels = asked.iter().map(|one| one.label.as_str());
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).chain(labels).collect();
        let text = faults + &comparison.printed(width());
        print(&format!("{text}\n{}", printed::written(folder.path(), &names)));
    }
    ending::checked_all(runs.iter().map(|run| (&run.plan, &run.record)))
}

/// Returns the end of all runs: of the first that was interrupted, else that gave up, else that was not done.
fn end_of_all(runs: &[FinishedRun]) -> RunEnd {
    let of = |how| runs.iter().find(|run| run.record.ended == how);
    let first =
        of(RunEnding::Interrupted).or_else(|| of(RunEnding::GaveUp)).or_else(|| of(RunEnding::NotDone));
    first.map_or(RunEnd::Complete, FinishedRun::end)
}

/// Returns all runs, checked. The seed of a run is its own, else the command line's, else the first scenario's.
fn asked(options: &CompareOptions, formats: TableFormats) -> Result<Vec<RunAsked>, Failure> {
    let (mut seed, mut labels) = (options.seed, BTreeSet::new());
    let mut runs = Vec::with_capacity(options.runs.len());
    for (place, asked) in options.runs.iter().enumerate() {
        let words = RunWords::of(asked);
        let label = words.label.map_or_else(|| comparison::letter(place), str::to_owned);
        rule::check(&label).map_err(|fault| Failure::Label { label: label.clone(), fault })?;
        // Folders tell labels apart.
        if !labels.insert(folder_name::safe(&label)) {
            return Err(Failure::SameLabel(label));
        }
        let set = words.overrides(&options.set);
        let plan = options.end.plan(words.scenario, &set, seed.filter(|_| !words.names_seed()))?;
        seed.get_or_insert(plan.seed());
        let manifest = formats.announced(run_manifest(&plan, &options.end.overrides(&set, &plan)));
        runs.push(RunAsked { label, asked: asked.clone(), plan, manifest });
    }
    Ok(runs)
}

/// A run that has ended, and that has its results in its folder.
struct Recorded {
    run: Result<FinishedRun, RunError>,
    /// Its curves for the figure; `None` of a run that failed.
    curves: Option<Result<RunCurves, ReadError>>,
    undrawn: Vec<UndrawnFigure>,
}

/// Simulates all plans, as many at a time as the processors have threads for, and writes the results of each to its
/// folder.
fn simulated(
    asked: &[RunAsked],
    folders: &[ResultFolder],
    (options, formats): (&CompareOptions, TableFormats),
) -> Result<Vec<Recorded>, Failure> {
    let (each, at_once) = options.threads.of_each(asked.len());
    let named = asked.iter().map(|run| (run.label.as_str(), &run.plan));
    let divisions = options.threads.divide_each(named, each, options.quiet || options.json);
    let durations: Vec<_> = asked.iter().map(|run| run.plan.duration()).collect();
    let at_most = asked.iter().any(|run| run.plan.until_done());
    let report = RunsReport::new(&durations, at_most, !options.quiet);
    let interrupt = Some(interrupt::watched());
    let work = |place: &usize| {
        let (asked, partition) = (&asked[*place], divisions[*place].partition.as_ref());
        let options = RunOptions { interrupt, partition, ..RunOptions::default() };
        let run = FinishedRun::of(asked.plan.clone(), options, &mut |now| report.update(*place, now));
        record(formats, asked, &folders[*place], run)
    };
    let places: Vec<_> = (0..asked.len()).collect();
    pool::work_through_by(at_once, None, &places, |_| 1, work)
}

/// Writes the results of a run to its folder, or its failure, and reads its curves.
fn record(
    formats: TableFormats,
    asked: &RunAsked,
    folder: &ResultFolder,
    run: Result<FinishedRun, RunError>,
) -> Result<Recorded, Failure> {
    let (mut curves, mut output) = (None, RunOutput { files: Vec::new(), undrawn: Vec::new() });
    let ended = match &run {
        Ok(run) => {
            let made = run.made();
            curves = Some(RunCurves::read(&asked.label, RunFiles::Made(&made)));
            output = run.output_of(made, &FileChoice::All);
            run.end()
        }
        Err(error) => end_of_failure(error),
    };
    let undrawn = output.undrawn.iter().map(UndrawnEntry::from).collect();
    let files = formats.of(output.files, &asked.manifest)?;
    folder.write_all(&Manifest { ended, undrawn, ..asked.manifest.clone() }, &files)?;
    Ok(Recorded { run, curves, undrawn: output.undrawn })
}

/// An argument of the command line in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RunWords<'a> {
    label: Option<&'a str>,
    scenario: &'a str,
    /// Overrides of this run alone, divided by semicolons.
    own: Option<&'a str>,
}

impl<'a> RunWords<'a> {
    /// Splits `LABEL=SCENARIO:PATH=VALUE;PATH=VALUE`. The name of a file has neither label nor overrides.
    fn of(asked: &'a str) -> Self {
        let bare = |text: &str| Path::new(text).is_file();
        let (label, rest) = match asked.split_once('=') {
            Some((label, rest)) if !label.contains(':') && !bare(asked) => (Some(label), rest),
            _ => (None, asked),
        };
        match rest.split_once(':') {
            Some((scenario, own)) if !bare(rest) => Self { label, scenario, own: Some(own) },
            _ => Self { label, scenario: rest, own: None },
        }
    }

    /// Returns the overrides of all runs, then this run's own.
    fn overrides(&self, of_all: &[String]) -> Vec<String> {
        let own = self.own.into_iter().flat_map(|own| own.split(';')).map(|one| one.trim().to_owned());
        of_all.iter().cloned().chain(own).collect()
    }

    /// Returns true if the run names its own seed.
    fn names_seed(&self) -> bool {
        let mut paths =
            self.own.into_iter().flat_map(|own| own.split(';')).filter_map(|set| set.split('=').next());
        paths.any(|path| path.trim() == "seed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_can_have_a_label_and_its_own_overrides() {
        let words = |asked| {
            let words = RunWords::of(asked);
            (words.label, words.scenario, words.overrides(&["all=1".to_owned()]))
        };
        let overrides = |own: &[&str]| -> Vec<String> {
            ["all=1"].iter().chain(own).map(|one| (*one).to_owned()).collect()
        };
        assert_eq!(words("victim"), (None, "victim", overrides(&[])));
        assert_eq!(words("on=victim"), (Some("on"), "victim", overrides(&[])));
        assert_eq!(
            words("off=a.ron:congestion_control=Off; switch.arbiter=Islip(iterations: 4)"),
            (
                Some("off"),
                "a.ron",
                overrides(&["congestion_control=Off", "switch.arbiter=Islip(iterations: 4)"])
            )
        );
        assert_eq!(words("victim:duration=1 s"), (None, "victim", overrides(&["duration=1 s"])));
    }

    #[test]
    fn a_run_can_name_its_own_seed() {
        assert!(RunWords::of("victim:duration=1 s; seed=3").names_seed());
        assert!(!RunWords::of("victim:workload.seed=3").names_seed());
    }
}
