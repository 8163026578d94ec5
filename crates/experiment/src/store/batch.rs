//! Many units. Units without results are run, as many at a time as there are threads.
//!
//! Invariant: results come in the order of the units. They do not depend on the number of threads, nor on the results
//! that were stored before. A run that fails is a result. Only the user, or a folder that cannot be written to, ends
//! the batch.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fabric::{RunOptions, Threads};
use results::{FileChoice, OutputFile};
use scenario::Plan;
use telemetry::{Progress, RunEnding};

use super::entry;
use super::kept::{Origin, files, kept, made};
use super::result::{RunBudget, RunFault, UnitCost, UnitEnd, UnitResult};
use super::{Store, StoreError, Stored, Workshop, place};
use crate::pool;
use crate::scenarios::Scenarios;
use crate::simulation::{Outcome, VERSION, simulate_among_others};
use crate::statistics::pooled::completions_of;
use crate::unit::IdentifiedUnit;
use measures::{Measure, Measured};

/// Settings of a batch.
#[derive(Clone, Debug)]
pub struct BatchOptions<'a> {
    /// Number of runs at a time, at most as many as there are processors; `None` for as many.
    pub threads: Option<NonZeroUsize>,
    /// Limits of each run.
    pub budget: RunBudget,
    /// Files that are kept of each run, besides `result.json`. Files that the scenario names go with `plan.ron`.
    pub keep: FileChoice,
    /// Measures that every result must have, besides those of [`measures::run::all`].
    pub measures: Vec<Measure>,
    /// The program and the command, for manifests.
    pub origin: Origin,
    /// Ends the batch soon after this flag becomes true. Runs that are under way are lost; finished runs stay.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for BatchOptions<'_> {
    fn default() -> Self {
        Self {
            threads: None,
            budget: RunBudget::default(),
            keep: FileChoice::none(),
            measures: Vec::new(),
            origin: Origin::default(),
            interrupt: None,
        }
    }
}

impl BatchOptions<'_> {
    /// Returns the number of runs at a time.
    fn workers(&self) -> usize {
        self.threads.map_or(Threads::Auto, Threads::AtMost).most()
    }
}

/// An event of a batch.
#[derive(Clone, Copy, Debug)]
pub enum BatchEvent<'a> {
    /// The results were looked up. Counts the distinct units, and the results that are there.
    Began {
        /// Number of distinct units.
        asked: usize,
        /// Number of distinct units with a stored result.
        there: usize,
    },
    /// A number of stored results were made by a build from another commit of the same version. They are used.
    OtherBuild {
        /// Number of such results.
        results: usize,
    },
    /// The folder of a unit is no result of it, and the unit is run again.
    Redone {
        /// Name of the unit.
        name: &'a str,
        /// The fault of the folder.
        reason: &'a str,
    },
    /// A unit was run, and its result is in the store.
    Finished(&'a UnitResult),
}

/// What is to be done for a unit.
struct Missing<'a> {
    unit: &'a IdentifiedUnit,
    /// A whole result that is there: of a smaller budget, or without some of the measures.
    former: Option<Box<UnitResult>>,
}

impl Store {
    /// Returns the results of all units, in their order. Units without a result are run; equal units once. `watch` is
    /// called from all threads.
    ///
    /// # Errors
    /// If the store cannot be written to, a scenario has changed since its unit was named, or the user ends the batch.
    /// Finished results stay.
    pub fn run(
        &self,
        units: &[IdentifiedUnit],
        options: &BatchOptions<'_>,
        watch: &(dyn Fn(BatchEvent<'_>) + Sync),
    ) -> Result<Vec<UnitResult>, StoreError> {
        let mut named = BTreeSet::new();
        // Equal units have the same name. Run twice at once, they would write to the same folder.
        let distinct: Vec<_> = units.iter().filter(|unit| named.insert(unit.name())).collect();
        let mut results = BTreeMap::new();
        let mut missing = Vec::new();
        let looked_up = pool::results_by(options.workers(), &distinct, |unit| (*unit, self.stored(unit)));
        for (unit, stored) in looked_up {
            match stored {
                Stored::Found(result)
                    if options.budget.allows_more_than(&result.ended)
                        || options.measures.iter().any(|measure| result.lacks(measure)) =>
                {
                    missing.push(Missing { unit, former: Some(result) });
                }
                Stored::Found(result) => {
                    results.insert(unit.name(), *result);
                }
                Stored::Missing => missing.push(Missing { unit, former: None }),
                Stored::Foreign => return Err(StoreError::Foreign(self.folder_of(unit))),
                Stored::Unusable(reason) => {
                    watch(BatchEvent::Redone { name: unit.name(), reason: &reason });
                    missing.push(Missing { unit, former: None });
                }
            }
        }
        let other = |result: &&UnitResult| result.commit != options.origin.commit;
        match results.values().filter(other).count() {
            0 => {}
            others => watch(BatchEvent::OtherBuild { results: others }),
        }
        watch(BatchEvent::Began { asked: distinct.len(), there: results.len() });
        results.extend(self.run_missing(&missing, options, watch)?);
        let done = |unit: &IdentifiedUnit| results.get(unit.name()).cloned();
        let all: Option<Vec<_>> =
            // Units with the same name may have been asked for in other words.
            units.iter().map(|unit| Some(UnitResult { unit: unit.unit().clone(), ..done(unit)? })).collect();
        all.ok_or(StoreError::Interrupted { done: results.len(), asked: distinct.len() })
    }

    /// Runs units. Those that were not finished because the user ended the batch are not among the results.
    fn run_missing<'u>(
        &self,
        missing: &[Missing<'u>],
        options: &BatchOptions<'_>,
        watch: &(dyn Fn(BatchEvent<'_>) + Sync),
    ) -> Result<Vec<(&'u str, UnitResult)>, StoreError> {
        if missing.is_empty() {
            // A process that was killed after its last result has left its workshop.
            Workshop::remove_abandoned(&self.runs());
            return Ok(Vec::new());
        }
        let workshop = Workshop::open(&self.runs()).map_err(|cause| self.unwritable(cause))?;
        let failed = AtomicBool::new(false);
        let interrupted = || options.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let stop = || failed.load(Ordering::Relaxed) || interrupted();
        let work = |one: &Missing<'u>| -> Result<Option<(&'u str, UnitResult)>, StoreError> {
            let ran = if stop() { None } else { run_unit(&self.scenarios, one, options, &stop)? };
            let Some((result, files)) = ran else { return Ok(None) };
            let at = (&*self.folder_of(one.unit), one.unit);
            let placed = place(&workshop, at, &files, one.former.is_some());
            placed.map_err(|error| self.unplaced(error))?;
            watch(BatchEvent::Finished(&result));
            Ok(Some((one.unit.name(), result)))
        };
        // The first failure ends the runs that are under way, and is returned.
        let first = AtomicUsize::new(usize::MAX);
        let places: Vec<_> = missing.iter().enumerate().collect();
        let outcomes = pool::results_by(options.workers(), &places, |(place, one)| {
            work(one).inspect_err(|_| {
                if !failed.swap(true, Ordering::Relaxed) {
                    first.store(*place, Ordering::Relaxed);
                }
            })
        });
        // Results that are lost with the power from here on are not run again.
        workshop.sync().map_err(|cause| self.unwritable(cause))?;
        let first = first.into_inner();
        let mut results = Vec::with_capacity(outcomes.len());
        let mut error = None;
        for (place, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Ok(result) => results.extend(result),
                Err(fault) if place == first || error.is_none() => error = Some(fault),
                Err(_) => {}
            }
        }
        error.map_or(Ok(results), Err)
    }
}

/// Runs a unit, and returns its result with all its files; `None` if it was stopped.
fn run_unit(
    scenarios: &Scenarios,
    missing: &Missing<'_>,
    options: &BatchOptions<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<Option<(UnitResult, Vec<OutputFile>)>, StoreError> {
    let (named, unit) = (missing.unit, missing.unit.unit());
    let plan = scenarios.plan(unit)?;
    if plan.digest().to_string() != named.plan_digest() {
        return Err(StoreError::Changed { name: named.name().to_owned(), scenario: unit.scenario.clone() });
    }
    let began = Instant::now();
    let Some((ended, outcome)) = simulated(&plan, unit.drain, options.budget, stop) else { return Ok(None) };
    let summary = outcome.as_ref().map(|outcome| &outcome.summary);
    let result = UnitResult {
        name: named.name().to_owned(),
        unit: unit.clone(),
        seed: plan.seed(),
        plan_digest: named.plan_digest().to_owned(),
        version: VERSION.to_owned(),
        commit: options.origin.commit.clone(),
        ended,
        fault: outcome.as_ref().and_then(|outcome| RunFault::of(&plan, &outcome.record, unit.drain)),
        digest: summary.map(|summary| summary.digest.clone()),
        lost_packets: summary.map(|summary| summary.audit.dropped_packets),
        measures: outcome
            .as_ref()
            .map_or_else(Vec::new, |outcome| measured(outcome, &options.measures, missing.former.as_deref())),
        cost: UnitCost {
            wall_s: began.elapsed().as_micros() as f64 / 1e6,
            events: summary.map_or(0, |summary| summary.events),
        },
    };
    let mut files = files(&plan, outcome.as_ref(), &result, &options.keep, &options.origin)?;
    let completions = outcome.as_ref().map_or_else(Vec::new, |outcome| completions_of(&outcome.record));
    files.push(entry::result_text(&result, &completions, &files));
    Ok(Some((result, files)))
}

/// Cost of a run, extrapolated from its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Real time that the run would take. Its first part may be faster or slower than the rest.
    pub wall_s: f64,
    /// Size of its files, as far as they do not grow with the run.
    pub bytes: u64,
}

/// Runs the beginning of a unit for about this long, and extrapolates. Nothing is kept.
///
/// # Errors
/// If the scenario is wrong.
pub fn trial(
    named: &IdentifiedUnit,
    at_most: Duration,
    keep: &FileChoice,
) -> Result<Option<Trial>, StoreError> {
    let plan = named.unit().plan()?;
    let (began, end) = (Instant::now(), AtomicBool::new(false));
    let mut progress = |_: Progress| {
        if began.elapsed() > at_most {
            end.store(true, Ordering::Relaxed);
        }
    };
    let options = RunOptions { interrupt: Some(&end), ..RunOptions::default() };
    // A run that fails early says nothing about the others.
    let Ok(outcome) = simulate_among_others(&plan, options, &mut progress) else { return Ok(None) };
    let wall_s = began.elapsed().as_secs_f64();
    // A run that ends when it is done seldom reaches its longest time.
    let is_whole = outcome.record.ended != RunEnding::Interrupted;
    let share = if is_whole { 1.0 } else { outcome.summary.simulated_s / plan.duration().seconds() };
    let measured =
        serde_json::to_string(&measures::run::all(outcome.measured())).expect("measures are plain data");
    let times = serde_json::to_string(&completions_of(&outcome.record)).expect("histograms are plain data");
    let files = kept(&plan, Some(made(&plan, &outcome)), keep).files;
    let bytes = files.iter().map(|file| file.contents.len()).sum::<usize>() + measured.len() + times.len();
    Ok((share > 0.0).then(|| Trial { wall_s: wall_s / share, bytes: bytes as u64 }))
}

/// Returns all measures of a run: those that are always stored, those that are asked for, and those of its former
/// result.
fn measured(outcome: &Outcome, asked: &[Measure], former: Option<&UnitResult>) -> Vec<Measured> {
    let mut all = measures::run::all(outcome.measured());
    let former = former.into_iter().flat_map(|former| &former.measures).map(|one| &one.measure);
    for measure in asked.iter().chain(former) {
        if !all.iter().any(|one| one.measure == *measure) {
            all.push(measures::run::one(outcome.measured(), measure));
        }
    }
    all
}

/// Interval at which a thread sees that the batch was stopped.
const LOOK: Duration = Duration::from_millis(100);

/// Runs a plan within its budget; `None` if it was stopped. An outcome is there only if the run has results.
fn simulated(
    plan: &Plan,
    drain: bool,
    budget: RunBudget,
    stop: &dyn Fn() -> bool,
) -> Option<(UnitEnd, Option<Outcome>)> {
    let expected = plan.memory().total();
    if let Some(most) = budget.memory.filter(|most| expected > *most) {
        let over = UnitEnd::OverMemory { budget_bytes: most.get(), expected_bytes: expected.get() };
        return Some((over, None));
    }
    let (began, end) = (Instant::now(), AtomicBool::new(false));
    let (mut late, mut looked) = (false, began);
    let mut progress = |_: Progress| {
        if looked.elapsed() >= LOOK || budget.wall.is_some() {
            looked = Instant::now();
            late |= budget.wall.is_some_and(|wall| began.elapsed() > wall);
            if late || stop() {
                end.store(true, Ordering::Relaxed);
            }
        }
    };
    let options = RunOptions { drain, interrupt: Some(&end), ..RunOptions::default() };
    let outcome = simulate_among_others(plan, options, &mut progress);
    match (UnitEnd::of(&outcome), outcome) {
        (Some(ended), outcome) => Some((ended, outcome.ok())),
        (None, Ok(outcome)) if late => {
            let budget_s = budget.wall.unwrap_or_default().as_secs_f64();
            Some((UnitEnd::OverTime { budget_s, simulated_s: outcome.summary.simulated_s }, None))
        }
        (None, _) => None,
    }
}
