//! A simulation, from the scenario's name to the outcome.
//!
//! Invariant: only a checked plan runs.

use std::time::{Duration, Instant};

use fabric::{ResumeError, RunError, RunOptions, Saving};
use measures::run::Posting;
use results::{RunCost, Summary};
use scenario::{Diagnostic, Plan, Scenario, ScenarioText};
use telemetry::{Progress, RunRecord};
use units::Span;

use crate::configurations;
use crate::measuring::posting;
use crate::relative::RelativeError;
use crate::resources;

/// Version of the simulator, as stored with results.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Result of a simulation.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Digest, goodput and totals.
    pub summary: Summary,
    /// Counts, spans and snapshots of the whole run.
    pub record: RunRecord,
    /// For each flow, the end of its posting.
    pub posting: Vec<Posting>,
}

impl Outcome {
    /// Returns the run as measures read it.
    #[must_use]
    pub fn measured(&self) -> measures::run::MeasuredRun<'_> {
        measures::run::MeasuredRun { record: &self.record, ends: &self.posting }
    }
}

/// Reason why a simulation did not start, or did not end.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scenario or an override is wrong.
    #[error(transparent)]
    Scenario(#[from] Diagnostic),
    /// The scenario's congestion control cannot be tuned as asked.
    #[error(transparent)]
    Relative(#[from] RelativeError),
    /// The run stopped early.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Returns the plan of a scenario after the overrides (`PATH=VALUE`) and the seed. The scenario is a file, a shipped
/// scenario or a [configuration](configurations).
///
/// ```
/// let overrides = ["duration=1 ms".to_owned()];
/// let plan = experiment::plan("one-flow", &overrides, Some(7))?;
/// assert_eq!(plan.seed(), 7);
/// # Ok::<(), scenario::Diagnostic>(())
/// ```
///
/// # Errors
/// If the scenario does not exist, or the scenario or an override is wrong.
pub fn plan(scenario: &str, overrides: &[String], seed: Option<u64>) -> Result<Plan, Diagnostic> {
    let source = text(scenario, overrides, seed)?;
    Scenario::read(&source)?.check(&source)
}

/// Returns the plan of a run that ends when its finite traffic is delivered, after `at_most` at the latest, as
/// [`ScenarioText::set_until_done`] has it.
///
/// # Errors
/// As [`plan`], or if the scenario has no finite traffic.
pub fn plan_until_done(
    scenario: &str,
    overrides: &[String],
    seed: Option<u64>,
    at_most: Option<Span>,
) -> Result<Plan, Diagnostic> {
    let mut source = text(scenario, overrides, seed)?;
    source.set_until_done(at_most)?;
    Scenario::read(&source)?.check(&source)
}

/// Returns the overrides that stand for `--until-done`, after others: the end, and the longest time.
pub(crate) fn overrides_until_done(
    scenario: &str,
    overrides: &[String],
    at_most: Option<Span>,
) -> Result<[String; 2], Diagnostic> {
    let mut source = text(scenario, overrides, None)?;
    source.set_until_done(at_most)?;
    let duration = Scenario::read(&source)?.duration;
    Ok([format!("duration={duration}"), "until_done=true".to_owned()])
}

/// Returns the text of a scenario with these overrides and this seed.
pub(crate) fn text(
    scenario: &str,
    overrides: &[String],
    seed: Option<u64>,
) -> Result<ScenarioText, Diagnostic> {
    let mut source = match configurations::find(scenario) {
        Some(imported) => imported?,
        None => ScenarioText::find(scenario)?,
    };
    let seed = seed.map(|seed| format!("seed={seed}"));
    for assignment in overrides.iter().chain(&seed) {
        source.set(assignment)?;
    }
    Ok(source)
}

/// Runs a plan to its end. `progress` is called now and then with the simulated time reached.
///
/// # Errors
/// If an invariant of the simulator is violated, or packets are in a deadlock.
pub fn simulate(
    plan: &Plan,
    options: RunOptions<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, RunError> {
    let mut outcome = simulate_among_others(plan, options, progress)?;
    outcome.summary.peak_rss_bytes = resources::peak_memory();
    Ok(outcome)
}

/// Runs a plan as [`simulate`] does, in a process with many runs. The summary has no peak memory, which is known only
/// of the whole process.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_among_others(
    plan: &Plan,
    options: RunOptions<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, RunError> {
    let began = Instant::now();
    let record = fabric::simulate(plan, options, progress)?;
    Ok(outcome(plan, record, began.elapsed(), None))
}

/// Runs a plan as [`simulate`] does, from time zero or from a saved state, and saves it on the way. Earlier processes
/// took the wall time `earlier` up to that state.
///
/// # Errors
/// As [`simulate`], or if the state does not belong to a run of this plan.
pub fn simulate_saving<'a>(
    plan: &Plan,
    options: RunOptions<'a>,
    (saving, earlier): (Saving<'a>, Duration),
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, ResumeError> {
    let began = Instant::now();
    let record = fabric::simulate_saving(plan, options, saving, progress)?;
    Ok(outcome(plan, record, earlier + began.elapsed(), resources::peak_memory()))
}

fn outcome(plan: &Plan, record: RunRecord, wall: Duration, peak_rss: Option<u64>) -> Outcome {
    let cost = RunCost { wall, peak_rss };
    let summary = Summary::of_plan(plan, VERSION, &record, cost);
    Outcome { summary, record, posting: posting(plan) }
}
