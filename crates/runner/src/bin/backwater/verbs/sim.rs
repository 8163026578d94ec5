//! `sim`: one run, printed and written to a folder.
//!
//! Invariant: an output folder that cannot be written to is refused before the run, and nothing is written before the
//! run is over.

use std::path::PathBuf;

use backwater::{FinishedRun, RunOptions};
use clap::Args;
use report::tables::{completions, printed};
use report::{OutputFile, folder};

use crate::failure::Failure;
use crate::memory::MemoryOptions;
use crate::progress::ProgressReport;
use crate::terminal::print;

/// Scenario that runs if none is named.
const DEFAULT_SCENARIO: &str = "gran2011-scenario1";

#[derive(Args, Debug)]
pub(crate) struct SimOptions {
    /// File, or name of a shipped scenario (see `list`).
    #[arg(default_value = DEFAULT_SCENARIO)]
    scenario: String,
    /// Override of a field: `--set congestion_control=Off`, `--set 'duration=1 s'`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Seed of the random streams, instead of the scenario's.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Folder for the results [default: out/NAME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Drain at the end: stop the sources, run until nothing moves, and require that every packet is delivered and every
    /// credit returned.
    #[arg(long)]
    drain: bool,
    /// Write completion times in the format of HPCC's simulator, too: `fct.txt`.
    #[arg(long)]
    fct_txt: bool,
    /// Print `summary.json` instead of tables.
    #[arg(long)]
    json: bool,
    /// Print no progress and no tables, only errors and the output of `--json`.
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    memory: MemoryOptions,
}

/// Runs the scenario, writes the results, prints the tables.
pub(crate) fn run(options: &SimOptions) -> Result<(), Failure> {
    let plan = experiment::plan(&options.scenario, &options.set, options.seed)?;
    let out = options.out.clone().unwrap_or_else(|| default_folder(plan.name()));
    if options.fct_txt && !plan.keeps_completions() {
        return Err(Failure::NoCompletions);
    }
    options.memory.check(&plan)?;
    folder::probe(&out)?;
    let mut report = ProgressReport::new(plan.duration(), !options.quiet);
    let simulation = RunOptions { drain: options.drain, ..RunOptions::default() };
    let run = FinishedRun::of(plan, simulation, &mut |progress| report.update(progress))?;
    drop(report);
    let mut files = run.files();
    if options.fct_txt {
        let contents = completions::hpcc(&run.record).ok_or(Failure::NoCompletions)?;
        files.push(OutputFile { name: "fct.txt".to_owned(), contents });
    }
    folder::write(&out, &files)?;
    if options.json {
        print(&run.summary.json());
    } else if !options.quiet {
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        print(&format!("{}\n{}", run.printed(), printed::written(&out, &names)));
    }
    Ok(())
}

/// Returns `out/NAME`, with characters replaced that could lead out of it.
fn default_folder(name: &str) -> PathBuf {
    let safe = |c: char| if c.is_alphanumeric() || "-_+".contains(c) { c } else { '_' };
    PathBuf::from("out").join(name.chars().map(safe).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(default_folder("gran2011-scenario1"), PathBuf::from("out/gran2011-scenario1"));
        assert_eq!(default_folder("../a b"), PathBuf::from("out/___a_b"));
    }
}
