//! `place`: a sweep over the placements of a job, and what each costs.
//!
//! Invariant: the folder is that of a sweep, which `sweep collect`, `report` and `rerun` read.

use std::path::{Path, PathBuf};

use backwater::provenance;
use clap::Args;
use experiment::Store;
use experiment::store::BatchOptions;
use experiment::sweep::{Collected, Given, PlacementError, PlacementRequest, SweepRequest};
use measures::Quantity;
use results::tables::brief;
use units::Bytes;

use super::asked::WorkOptions;
use super::table::{self, Wanted};
use super::{check_memory, folder, ran};
use crate::arguments;
use crate::failure::Failure;
use crate::folder_name;
use crate::formats::FormatOptions;
use crate::terminal::{print, width};
use crate::until_done::{DrainOptions, EndOptions};

/// Measures of each run; the first says which placement is best.
const MEASURES: [Quantity; 4] =
    [Quantity::JobCompletion, Quantity::JobSlowdown, Quantity::PathLate, Quantity::PathBlamed];

#[derive(Args, Debug)]
pub(crate) struct PlaceOptions {
    /// File, or name of a shipped scenario (see `list`), with the job: by name, or from a file in GOAL.
    scenario: String,
    /// Name of the job; needed if the scenario has several.
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// Placements, as the job's field `place` has them: `Block(),Striped(stride: 4),Random` [default: these, `Cyclic`
    /// and `OnePerLeaf`, with the job's hosts at a leaf as stride].
    #[arg(long, value_name = "LIST")]
    places: Option<String>,
    /// Override of a field in all runs.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Seeds of each placement: `1..=20`, `1,2,7` [default: the scenario's]. `Random` draws other hosts with each.
    #[arg(long, value_name = "LIST")]
    seeds: Vec<String>,
    #[command(flatten)]
    end: EndOptions,
    #[command(flatten)]
    drain: DrainOptions,
    /// Folder for the plan and the results, which is that of a sweep [default: out/place,NAME,..., with all options].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the plan of another sweep in the folder; finished runs of it stay.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatOptions,
    #[command(flatten)]
    work: WorkOptions,
    /// Memory that runs at a time may be expected to need together for their traffic; more is refused [default: the
    /// memory that is free].
    #[arg(long, value_name = "SIZE", value_parser = arguments::memory)]
    memory_limit: Option<Bytes>,
}

impl From<PlacementError> for Failure {
    fn from(error: PlacementError) -> Self {
        let help = error.help().unwrap_or_default();
        match error {
            PlacementError::Scenario(diagnostic) => diagnostic.into(),
            other => Self::Worded { error: other.to_string(), help },
        }
    }
}

/// Tries the placements, and prints what each costs.
pub(crate) fn run(options: &PlaceOptions) -> Result<(), Failure> {
    let formats = options.format.checked()?;
    let placements = options.request()?.placements()?;
    let plan = &placements.plan;
    options.work.note_fewer_cores();
    let dir = options.out.clone().unwrap_or_else(|| options.folder());
    check_memory(plan.runs.iter().map(|run| run.memory_bytes), &options.work, options.memory_limit)?;
    let claim = folder::claim(&dir, plan, options.force)?;
    let wanted = Wanted::smallest(MEASURES.map(|quantity| placements.measure(quantity)).to_vec());
    let batch = BatchOptions { measures: wanted.all(), ..options.work.batch() };
    let runs: Vec<_> = plan.runs.iter().collect();
    let results = ran(&Store::open(&dir), &runs, &batch, options.work.quiet, claim)?;
    let (ends, failure) = (table::failures(&results), table::all_wrong(&results));
    let results: Vec<_> = results.into_iter().map(Some).collect();
    let collected = Collected::of(plan, &results, wanted.measures.as_deref());
    let command: Vec<_> = provenance::command_line().collect();
    let answer = wanted.answer(plan, &results, (&command, std::slice::from_ref(&dir)))?;
    let written = table::write(&dir, formats, (plan, &collected), &answer)?;
    if !options.work.quiet {
        let verdict = brief::verdict(&placements.told(&answer.verdict), width());
        let ends = ends.map_or_else(String::new, |ends| format!("{ends}\n"));
        let names: Vec<_> = written.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        let places = placements.table(&answer, width());
        print(&format!("{verdict}\n{places}{ends}wrote {} to {}\n", names.join(", "), dir.display()));
    }
    failure
}

impl PlaceOptions {
    fn request(&self) -> Result<PlacementRequest, Failure> {
        let given = |option: &'static str, texts: &[String]| -> Vec<Given> {
            texts.iter().map(|text| Given::by_option(option, text)).collect()
        };
        let mut sweep = SweepRequest::default();
        sweep.scenario = Some(self.scenario.clone());
        sweep.set = given("--set", &self.set);
        sweep.seeds = given("--seeds", &self.seeds);
        sweep.until_done = self.end.of_many_runs(Some(&self.scenario), &self.set)?;
        sweep.drain = self.drain.drain;
        let places = self.places.as_ref().map(|places| Given::by_option("--places", places));
        Ok(PlacementRequest { sweep, job: self.job.clone(), places })
    }

    /// Returns the default folder.
    fn folder(&self) -> PathBuf {
        let stem = Path::new(&self.scenario).file_stem();
        let scenario = stem.map(|stem| stem.to_string_lossy().into_owned());
        let seeds = self.seeds.iter().map(|seeds| format!("seeds={seeds}"));
        let job = self.job.iter().map(|job| format!("job={job}"));
        let places = self.places.iter().map(|places| format!("places={places}"));
        let words =
            scenario.into_iter().chain(job).chain(places).chain(self.set.iter().cloned()).chain(seeds);
        let words: Vec<_> = words.chain(self.end.words(&[])).chain(self.drain.words()).collect();
        folder_name::of_run("place", &words, None)
    }
}
