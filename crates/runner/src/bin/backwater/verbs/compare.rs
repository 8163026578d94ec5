//! `compare`: several runs with the same random streams, side by side.
//!
//! Invariant: all runs have one seed, so runs that differ in a switch or a scheme have the same traffic. All runs are
//! checked before the first starts.

use std::path::{Path, PathBuf};

use clap::Args;
use experiment::Outcome;
use fabric::RunOptions;
use report::comparison::{self, ComparedRun};
use report::tables::printed;
use report::{OutputFile, folder};
use scenario::Plan;

use crate::failure::Failure;
use crate::memory::MemoryOptions;
use crate::progress::ProgressReport;
use crate::terminal::print;

#[derive(Args, Debug)]
pub(crate) struct CompareOptions {
    /// Two or more scenarios, each a file or a shipped one. `SCENARIO:PATH=VALUE;PATH=VALUE` overrides fields of that run
    /// only: `compare victim 'victim:congestion_control=Off'`.
    #[arg(value_name = "SCENARIO", num_args = 2.., required = true)]
    runs: Vec<String>,
    /// Override of a field in all runs.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Seed of all runs [default: the first scenario's].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Folder for the table and the figure.
    #[arg(long, value_name = "DIR", default_value = "out/compare")]
    out: PathBuf,
    /// Print only errors.
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    memory: MemoryOptions,
}

/// Runs all scenarios, writes the table and the figure, prints the table.
pub(crate) fn run(options: &CompareOptions) -> Result<(), Failure> {
    let plans = plans(options)?;
    plans.iter().try_for_each(|plan| options.memory.check(plan))?;
    folder::probe(&options.out)?;
    let outcomes = plans.iter().map(|plan| simulated(plan, options.quiet)).collect::<Result<Vec<_>, _>>()?;
    let runs: Vec<_> = options
        .runs
        .iter()
        .zip(&outcomes)
        .map(|(asked, Outcome { summary, record })| ComparedRun { asked, summary, record })
        .collect();
    let text = comparison::printed(&runs);
    let file = |name: &str, contents| OutputFile { name: name.to_owned(), contents };
    let files = [
        file("compare.txt", text.clone()),
        file("compare.csv", comparison::table_file(&runs)),
        file("compare.svg", comparison::figure(&runs)),
    ];
    folder::write(&options.out, &files)?;
    if !options.quiet {
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        print(&format!("{text}\n{}", printed::written(&options.out, &names)));
    }
    Ok(())
}

/// Returns all plans, with the seed of the command line or that of the first scenario.
fn plans(options: &CompareOptions) -> Result<Vec<Plan>, Failure> {
    let mut seed = options.seed;
    let mut plans = Vec::with_capacity(options.runs.len());
    for asked in &options.runs {
        let (scenario, own) = parts(asked);
        let set: Vec<String> = options.set.iter().cloned().chain(own).collect();
        let plan = experiment::plan(scenario, &set, seed)?;
        seed.get_or_insert(plan.seed());
        plans.push(plan);
    }
    Ok(plans)
}

fn simulated(plan: &Plan, quiet: bool) -> Result<Outcome, Failure> {
    let mut report = ProgressReport::new(plan.duration(), !quiet);
    let outcome = experiment::simulate(plan, RunOptions::default(), &mut |progress| report.update(progress));
    Ok(outcome?)
}

/// Splits `SCENARIO:PATH=VALUE;PATH=VALUE` into the scenario and its overrides. An argument that names a file has none.
fn parts(asked: &str) -> (&str, Vec<String>) {
    match asked.split_once(':') {
        Some((scenario, set)) if !Path::new(asked).is_file() => {
            (scenario, set.split(';').map(|one| one.trim().to_owned()).collect())
        }
        _ => (asked, Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_can_have_its_own_overrides() {
        assert_eq!(parts("victim"), ("victim", vec![]));
        assert_eq!(
            parts("a.ron:congestion_control=Off; switch.arbiter=Islip(iterations: 4)"),
            (
                "a.ron",
                vec!["congestion_control=Off".to_owned(), "switch.arbiter=Islip(iterations: 4)".to_owned()]
            )
        );
    }
}
