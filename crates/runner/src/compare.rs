//! `compare`: several runs with the same random streams, side by side.
//!
//! Invariant: all runs have one seed, so two of them that differ in a switch or in a scheme meet the same traffic.
//! Every run is checked before the first begins.

use std::path::Path;

use report::comparison::{self, Run};
use report::{File, folder, printed};
use scenario::Plan;

use crate::cli::CompareOptions;
use crate::engine::{self, Outcome};
use crate::failure::Failure;
use crate::progress::Bar;

/// Runs all of them, prints a table, writes the folder.
pub(crate) fn run(options: &CompareOptions) -> Result<(), Failure> {
    let plans = plans(options)?;
    folder::probe(&options.out)?;
    let outcomes = plans.iter().map(|plan| simulated(plan, options.quiet)).collect::<Result<Vec<_>, _>>()?;
    let runs: Vec<_> = options
        .runs
        .iter()
        .zip(&outcomes)
        .map(|(asked, Outcome { summary, record })| Run { asked, summary, record })
        .collect();
    let text = comparison::printed(&runs);
    let file = |name: &str, contents| File { name: name.to_owned(), contents };
    let files = [
        file("compare.txt", text.clone()),
        file("compare.csv", comparison::table_file(&runs)),
        file("compare.svg", comparison::figure(&runs)),
    ];
    folder::write(&options.out, &files)?;
    if !options.quiet {
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        crate::print(&format!("{text}\n{}", printed::written(&options.out, &names)));
    }
    Ok(())
}

/// All plans, with the seed that was asked for, else that of the first.
fn plans(options: &CompareOptions) -> Result<Vec<Plan>, Failure> {
    let mut seed = options.seed;
    let mut plans = Vec::with_capacity(options.runs.len());
    for asked in &options.runs {
        let (scenario, own) = parts(asked);
        let set: Vec<String> = options.set.iter().cloned().chain(own).collect();
        let plan = engine::plan(scenario, &set, seed)?;
        seed.get_or_insert(plan.seed());
        plans.push(plan);
    }
    Ok(plans)
}

fn simulated(plan: &Plan, quiet: bool) -> Result<Outcome, Failure> {
    let mut bar = Bar::new(plan.duration(), !quiet);
    engine::run(plan, false, &mut |progress| bar.update(progress))
}

/// `SCENARIO:PATH=VALUE;PATH=VALUE` in its parts. What is a file as a whole is no more than that.
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
    fn a_run_may_have_overrides_of_its_own() {
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
