//! From a scenario's name to the outcome of its run.
//!
//! Invariant: only a checked plan runs.

use std::time::Instant;

use fabric::RunOptions;
use report::{Context, Cost, Summary};
use scenario::{Plan, Scenario, Source};
use telemetry::{Progress, RunRecord};

use crate::failure::Failure;
use crate::resources;

/// The version that results carry.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What came of a run.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) summary: Summary,
    pub(crate) record: RunRecord,
}

/// The plan of a scenario, a file or a shipped one, with fields set by `PATH=VALUE`.
pub(crate) fn plan(scenario: &str, set: &[String], seed: Option<u64>) -> Result<Plan, Failure> {
    let mut source = Source::find(scenario)?;
    let seed = seed.map(|seed| format!("seed={seed}"));
    for assignment in set.iter().chain(&seed) {
        source.set(assignment)?;
    }
    Ok(Scenario::read(&source)?.check(&source)?)
}

/// Runs a plan to its end.
pub(crate) fn run(plan: &Plan, drain: bool, progress: &mut dyn FnMut(Progress)) -> Result<Outcome, Failure> {
    let began = Instant::now();
    let record = fabric::simulate(plan, RunOptions { drain, ..RunOptions::default() }, progress)?;
    let cost = Cost { wall: began.elapsed(), peak_rss: resources::peak_memory() };
    let context = Context {
        scenario: plan.name(),
        congestion_control: plan.congestion_control(),
        seed: plan.seed(),
        version: VERSION,
    };
    Ok(Outcome { summary: Summary::new(context, &record, cost), record })
}
