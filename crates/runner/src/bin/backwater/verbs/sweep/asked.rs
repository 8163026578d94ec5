//! The options that say which runs a sweep has, and how they are run.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use backwater::Threads;
use backwater::provenance::{COMMIT, command_line};
use clap::Args;
use experiment::store::{BatchOptions, Origin, RunBudget};
use experiment::sweep::{Given, SweepPlan, SweepRequest};
use results::FileChoice;
use results::OutputError;
use units::{Bytes, Span};

use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::threads;
use crate::until_done::{DrainOptions, EndOptions};

#[derive(Args, Debug)]
pub(crate) struct AskedOptions {
    /// File, or name of a shipped scenario (see `list`).
    pub(crate) scenario: Option<String>,
    /// Sweep file (RON) with the fields `scenario`, `set`, `vary`, `zip`, `range`, `lhs`, `lhs_seed`, `variants`,
    /// `seeds`; options are added to its entries.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Override of a field in all runs.
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Values of a field, each of which is run with each of every other list: `--vary link.mtu=1 KiB,2 KiB`. Commas in
    /// brackets and quotes divide nothing. `@NAME` is a list of variants of the sweep file.
    #[arg(long, value_name = "PATH=A,B,...")]
    vary: Vec<String>,
    /// Values of several fields that change together: `--zip 'switch.buffer=32 KiB,64 KiB; switch.speedup=1.0,2.0'`.
    #[arg(long, value_name = "PATH=A,B; PATH=C,D")]
    zip: Vec<String>,
    /// Named bundle of overrides, one of a list: `--variant off:congestion_control=Off --variant on:`. The path
    /// `scenario` names another scenario.
    #[arg(long, value_name = "NAME:PATH=VALUE; ...")]
    variant: Vec<String>,
    /// Range of values with equal differences or ratios: `--range 'duration=lin:1 ms..5 ms:3'`, `--range
    /// 'x=log:1..1000:4'`.
    #[arg(long, value_name = "PATH=lin|log:FROM..TO:N")]
    range: Vec<String>,
    /// Points of a Latin hypercube over all ranges, which then have no number of values.
    #[arg(long, value_name = "N")]
    lhs: Option<usize>,
    /// Seed of the Latin hypercube [default: 1].
    #[arg(long, value_name = "N", requires = "lhs")]
    lhs_seed: Option<u64>,
    /// Seeds of each setting: `1..=20`, `1,2,7`. `traffic=`, `ecmp=` or `marking=` before them varies these random
    /// streams apart [default: the scenario's].
    #[arg(long, value_name = "LIST")]
    seeds: Vec<String>,
    #[command(flatten)]
    end: EndOptions,
    #[command(flatten)]
    drain: DrainOptions,
}

#[derive(Args, Debug)]
pub(crate) struct WorkOptions {
    /// Number of runs at a time, at most as many as the machine has cores [default: as many]. Results are the same
    /// for any number.
    #[arg(long, value_name = "N", value_parser = threads::number)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Real time that each run may take: `60s`. A run that takes longer is a row with `over_time`.
    #[arg(long, value_name = "TIME", value_parser = arguments::span)]
    budget_run: Option<Span>,
    /// Memory that each run may be expected to need. A run that needs more is a row with `over_memory`.
    #[arg(long, value_name = "SIZE", value_parser = arguments::memory)]
    pub(crate) budget_memory: Option<Bytes>,
    /// Files that are kept of each run, besides `result.json` with its measures: those of `sim`, as its `--files`
    /// names them.
    #[arg(long, value_name = "LIST", default_value = "none", alias = "keep", value_parser = FileChoice::read)]
    files: FileChoice,
    /// Print no progress and no table.
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl AskedOptions {
    /// Checks all runs and names them.
    pub(crate) fn plan(&self) -> Result<SweepPlan, Failure> {
        let given = |option: &'static str, texts: &[String]| -> Vec<Given> {
            texts.iter().map(|text| Given::by_option(option, text)).collect()
        };
        let file = self.file.as_deref().map(SweepRequest::of_file).transpose()?;
        let mut request = file.unwrap_or_default();
        if self.scenario.is_some() {
            request.scenario.clone_from(&self.scenario);
        }
        request.set.extend(given("--set", &self.set));
        request.vary.extend(given("--vary", &self.vary));
        request.zip.extend(given("--zip", &self.zip));
        request.variant.extend(given("--variant", &self.variant));
        request.range.extend(given("--range", &self.range));
        request.seeds.extend(given("--seeds", &self.seeds));
        if let Some(points) = self.lhs {
            request.lhs = Some((points, Given::by_option("--lhs", &points.to_string())));
        }
        request.lhs_seed = self.lhs_seed.or(request.lhs_seed);
        let end = self.end.of_many_runs(request.scenario.as_deref(), &self.set)?;
        request.until_done = end.or(request.until_done);
        request.drain |= self.drain.drain;
        Ok(request.sweep()?.identify()?)
    }

    /// Returns the words of a default folder's name.
    pub(crate) fn words(&self) -> Vec<String> {
        let lists = [&self.set, &self.vary, &self.zip, &self.variant, &self.range];
        let file = self
            .file
            .as_ref()
            .and_then(|file| file.file_stem())
            .map(|stem| stem.to_string_lossy().into_owned());
        let scenario = self.scenario.as_ref().and_then(|name| {
            std::path::Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned())
        });
        let seeds = self.seeds.iter().map(|seeds| format!("seeds={seeds}"));
        let lhs = self.lhs.map(|points| format!("lhs={points}"));
        let words = file.into_iter().chain(scenario).chain(lists.into_iter().flatten().cloned());
        words.chain(lhs).chain(seeds).chain(self.end.words(&[])).chain(self.drain.words()).collect()
    }
}

impl WorkOptions {
    /// Returns the settings of a batch of runs.
    pub(crate) fn batch(&self) -> BatchOptions<'static> {
        BatchOptions {
            threads: self.threads,
            budget: RunBudget {
                wall: self.budget_run.map(|span| Duration::from_nanos(span.ps() / 1000)),
                memory: self.budget_memory,
            },
            keep: self.files.clone(),
            measures: Vec::new(),
            origin: Origin { commit: COMMIT.map(str::to_owned), command: command_line().collect() },
            interrupt: Some(interrupt::watched()),
        }
    }

    pub(crate) const fn files(&self) -> &FileChoice {
        &self.files
    }

    /// Returns the options as words of a command line, for jobs.
    pub(crate) fn words(&self) -> Vec<String> {
        let budget = self.budget_run.map(|span| format!("--budget-run={span}"));
        let memory = self.budget_memory.map(|bytes| format!("--budget-memory={bytes}"));
        let names = || self.files.names().join(",");
        let files = (self.files != FileChoice::none()).then(|| format!("--files={}", names()));
        budget.into_iter().chain(memory).chain(files).collect()
    }

    /// Returns the number of runs at a time, if there are as many.
    pub(crate) fn at_a_time(&self) -> usize {
        self.threads.map_or(Threads::Auto, Threads::AtMost).most()
    }

    /// Notes that the machine has fewer cores than are asked for, unless that is to be `quiet`.
    pub(crate) fn note_fewer_cores(&self) {
        threads::note_fewer_cores(self.threads.filter(|_| !self.quiet));
    }
}

/// An output folder that cannot be written to.
pub(crate) fn unwritable(folder: &std::path::Path) -> impl Fn(std::io::Error) -> Failure {
    let folder = folder.to_owned();
    move |cause| OutputError::Unwritable { folder: folder.clone(), cause }.into()
}
