//! `bench`: speed and memory of the simulator.
//!
//! Invariant: every run has a process of its own, because the system counts peak memory over the whole life of a
//! process. Processor time includes reading and checking the scenario.

mod against;
mod cases;
mod measure;
mod record;
mod table;

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use clap::builder::PossibleValuesParser;
use experiment::{VERSION, resources};
use fabric::Threads;

use self::cases::{BenchCase, SHIPPED};
use self::record::{BenchRecord, BenchTotal, SCHEMA};
use crate::failure::Failure;
use crate::progress::StepReport;
use crate::terminal::{print, print_exactly};
use crate::threads;

#[derive(Args, Debug)]
pub(crate) struct BenchOptions {
    /// Cases to run, or `shipped` for all shipped scenarios and their total; a shipped scenario's name stands for it alone
    /// [default: all cases, and `shipped`].
    #[arg(value_name = "CASE", value_parser = PossibleValuesParser::new(cases::names().chain([SHIPPED.into()])))]
    cases: Vec<String>,
    /// Print JSON instead of a table, for a later `--against`: version, processor, and the cases.
    #[arg(long)]
    json: bool,
    /// File that `--json` printed before: print how many times as fast each case is now, and name the slower ones.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    against: Option<PathBuf>,
    /// Number of runs of each case; the fastest is reported.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Run one case once in this process, and print its cost. `bench` starts itself with this option for each run.
    #[arg(long, hide = true, value_parser = PossibleValuesParser::new(cases::names()))]
    case: Option<String>,
    /// Threads of a second measurement of each case, at most as many as the machine has cores: a number, or `auto` for as many
    /// as gain; 1 for none. With `--case`: threads of the run [default: auto; with `--case` 1].
    #[arg(long, value_name = "N|auto", value_parser = threads::parsed)]
    threads: Option<Threads>,
    /// With `--case`: a further override of a field.
    #[arg(long, hide = true, requires = "case", value_name = "PATH=VALUE")]
    set: Vec<String>,
}

/// Runs every case as often as asked for, and prints the fastest run of each.
pub(crate) fn run(options: &BenchOptions) -> Result<(), Failure> {
    if let Some(case) = &options.case {
        let reading = measure::read(case, &options.set, options.threads.unwrap_or_default())?;
        print_exactly(&(serde_json::to_string(&reading).expect("a reading is plain data") + "\n"));
        return Ok(());
    }
    let before = options.against.as_deref().map(BenchRecord::read).transpose()?;
    let mut record = measured(options)?;
    if options.json || options.threads.is_none() {
        record.cases.iter_mut().for_each(|one| one.fewer_threads = None);
    }
    if options.json {
        print_exactly(&(serde_json::to_string_pretty(&record).expect("readings are plain data") + "\n"));
    } else {
        print(&table::printed(&record, before.as_ref()));
    }
    Ok(())
}

/// Measures what the command line asks for. Shipped scenarios are for comparing versions, so they run on a single
/// thread.
fn measured(options: &BenchOptions) -> Result<BenchRecord, Failure> {
    let (cases, shipped) = cases::asked(&options.cases);
    let shipped: Vec<_> = shipped.then(cases::shipped_cases).into_iter().flatten().collect();
    let mut report = StepReport::new(cases.len() + shipped.len());
    let mut fastest = |case: BenchCase, threads| {
        report.begin(case.name);
        measure::fastest(case, options.runs, threads)
    };
    let threads = options.threads.unwrap_or(Threads::Auto);
    let cases: Vec<_> = cases.into_iter().map(|case| fastest(case, threads)).collect::<Result<_, _>>()?;
    let shipped: Vec<_> =
        shipped.into_iter().map(|case| fastest(case, Threads::One)).collect::<Result<_, _>>()?;
    Ok(BenchRecord {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        processor: resources::processor(),
        day: Some(record::day(SystemTime::now())),
        runs: options.runs,
        shipped_total: BenchTotal::of(&shipped),
        cases,
        shipped,
    })
}
