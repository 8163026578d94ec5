//! The runs of a comparison at work, each with its results in a folder of its own.
//!
//! Invariant: runs of several seeds are made together where there are threads for them, and progress covers all seeds.

use backwater::provenance::end_of_failure;
use backwater::{FinishedRun, RunError, RunOptions};
use experiment::pool;
use figures::{RunCurves, RunOutput, UndrawnFigure};
use results::manifest::UndrawnEntry;
use results::reader::ReadError;
use results::{FileChoice, Manifest, ResultFolder, RunFiles, TableFormats};

use super::CompareOptions;
use super::asked::RunAsked;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::RunsReport;

/// A run that has ended, and that has its results in its folder.
pub(super) struct Recorded {
    pub(super) run: Result<FinishedRun, RunError>,
    /// Its curves for the figure; `None` of a run that failed.
    pub(super) curves: Option<Result<RunCurves, ReadError>>,
    pub(super) undrawn: Vec<UndrawnFigure>,
}

/// Simulates the runs of all seeds. `work` gets the runs of each seed once they are there, in the order of the seeds,
/// and returns true if further seeds are wanted.
pub(super) fn simulated(
    asked: &[Vec<RunAsked>],
    folders: &[Vec<ResultFolder>],
    (options, formats): (&CompareOptions, TableFormats),
    mut work: impl FnMut(&[RunAsked], Vec<Recorded>) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let jobs: Vec<_> = asked.iter().flatten().zip(folders.iter().flatten()).collect();
    let (each, at_once) = options.threads.of_each(jobs.len());
    let durations: Vec<_> = jobs.iter().map(|(run, _)| run.plan.duration()).collect();
    let at_most = jobs.iter().any(|(run, _)| run.plan.until_done());
    let report = RunsReport::new(&durations, at_most, !options.quiet);
    let (interrupt, drain) = (Some(interrupt::watched()), options.drain.drain);
    let (runs, seeds) = (options.runs.len(), seeds_at_once(options, asked.len()));
    for (batch, jobs) in jobs.chunks(seeds * runs).enumerate() {
        let named = jobs.iter().map(|(run, _)| (run.label.as_str(), &run.plan));
        // Every batch would have the remarks of the first.
        let quiet = options.quiet || options.json || batch > 0;
        let divisions = options.threads.divide_each(named, each, quiet);
        let simulate = |place: &usize| {
            let ((asked, folder), partition) = (jobs[*place], divisions[*place].partition.as_ref());
            let options = RunOptions { drain, interrupt, partition, ..RunOptions::default() };
            let job = batch * seeds * runs + place;
            let run = FinishedRun::of(asked.plan.clone(), options, &mut |now| report.update(job, now));
            record(formats, asked, folder, run)
        };
        let places: Vec<_> = (0..jobs.len()).collect();
        let mut recorded = pool::work_through_by(at_once, None, &places, |_| 1, simulate)?.into_iter();
        for asked in asked.iter().skip(batch * seeds).take(seeds) {
            if !work(asked, recorded.by_ref().take(runs).collect())? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Returns the number of seeds whose runs are in memory together: as many as there are threads for, at least 1.
pub(super) fn seeds_at_once(options: &CompareOptions, seeds: usize) -> usize {
    let runs = options.runs.len();
    let (_, at_once) = options.threads.of_each(runs * seeds);
    (at_once / runs).clamp(1, seeds)
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
            curves = Some(RunCurves::read((&asked.label, &asked.asked), RunFiles::Made(&made)));
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
