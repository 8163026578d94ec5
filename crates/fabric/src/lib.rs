//! Simulation of a plan: builds the fabric, runs its events, and records the outcome.
//!
//! Invariant: only wires connect nodes, and every wire takes time. The event loop therefore advances in windows as
//! long as the shortest wire delay. Within a window each node handles its own events in their total order, and nodes
//! may take their turns in any order. Where adapters have the shortest wires, windows are as long as the shortest
//! wire to a switch, and adapters take their turns after switches. In each instant a node first handles all of its
//! events and then decides once. Instruments look at the world between windows and change nothing.
//!
//! ```text
//! build -> World, Instruments -> Run: for each window:  for each node:  for each instant:  events, then decide
//!                                     between windows:  instruments look          at the end:  record
//! ```
//!
//! A run may divide its fabric into parts, each on a thread of its own. Parts handle common windows, no longer than
//! the shortest wire between parts, and exchange mail between windows. The threads may belong to several processes.
//! The record is the same for any number of parts and processes.
//!
//! The modules stand on floors; each imports only from those above it in this table:
//!
//! | module | contents |
//! |---|---|
//! | `state` | events and their order, parts (nodes with their scheduled events, packets, cables), the world of parts |
//! | `observe` | instruments: goodput, congestion trees, margins, watched quantities, deadlocks, the digest |
//! | `checkpoint` | the file of a run's state, and the state of the world |
//! | `run` | the event loop, the drain, and the reasons for which a run fails |
//! | `record` | the record of a finished run, with completion times |
//! | `build` | a plan's world at rest, with its instruments |
//! | `division` | the parts into which a run is divided for threads |
//! | `stepped` | a run in steps, for a caller with other work between them |

mod build;
mod checkpoint;
mod division;
mod observe;
#[cfg(test)]
#[path = "../tests/whole/plans.rs"]
mod plans;
mod record;
mod run;
mod state;
mod stepped;

// Random tests here and in higher crates draw runs by the same code.
#[cfg(test)]
extern crate self as fabric;

use event_kernel::Digest;
use packet::FlowId;
use parallel::Clock;
use scenario::Plan;
use telemetry::{Progress, RunEnding, RunRecord};
use units::Span;

use crate::run::ranks::leading::Leader;
use crate::run::saving::SavingTimer;
use crate::state::world::World;

pub use checkpoint::file::{Checkpoint, CheckpointError};
pub use division::{Division, FewerParts};
pub use observe::deadlock::{BlockedOutput, Deadlock};
pub use observe::tap::{Tap, WaitTap};
pub use parallel::Threads;
pub use run::RunOptions;
pub use run::error::{RunError, Violation};
pub use run::ranks::following::follow;
pub use run::ranks::leading::{RankFault, release};
pub use run::saving::Keep;
pub use state_codec::StateError;
pub use stepped::{Look, SteppedRun};
pub use telemetry::{Passing, Sighting, Wait};

/// Runs a plan to its end and returns the record. The run ends after its duration. A plan that runs [until it is
/// done](Plan::until_done) ends at the delivery of the last message of finite traffic, if that is earlier.
///
/// Calls `progress` from time to time with the simulated time reached.
///
/// # Errors
/// If the run violates an invariant of the simulator, or if it deadlocks.
///
/// # Panics
/// If the [ranks](RunOptions::ranks) that share the run do not have the same plan; [`simulate_saving`] returns an
/// error.
pub fn simulate(
    plan: &Plan,
    options: RunOptions<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunRecord, RunError> {
    let saving = Saving { every: None, from: None, keep: &mut |_, _| {} };
    simulate_saving(plan, options, saving, progress).map_err(|error| match error {
        ResumeError::Run(error) => error,
        ResumeError::State(error) => unreachable!("there is no state to resume: {error}"),
        ResumeError::Ranks(fault) => panic!("{fault}"),
    })
}

/// Saves a run, and continues a saved run.
pub struct Saving<'a> {
    /// Simulated time between two states that are kept, above 0; `None` to keep none. States are kept at the
    /// multiples of this time, and at an [interrupt](RunOptions::interrupt), but not in a drain.
    pub every: Option<Span>,
    /// State to go on from, in place of time zero.
    pub from: Option<&'a [u8]>,
    /// Called with each state, and its simulated time.
    pub keep: &'a mut Keep<'a>,
}

/// The reason for which a run failed that may continue from a state, or that several processes share.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ResumeError {
    /// The state does not belong to a run of this plan. Nothing was run.
    #[error(transparent)]
    State(#[from] StateError),
    /// The processes do not have the same plan. Nothing was run.
    #[error(transparent)]
    Ranks(#[from] RankFault),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Runs a plan to its end as [`simulate`] does, from time zero or from a saved state, and saves it on the way.
/// Neither changes the record.
///
/// # Errors
/// As [`simulate`], or if the state does not belong to a run of this plan.
///
/// # Panics
/// If states are to be kept at intervals of 0.
pub fn simulate_saving<'a>(
    plan: &Plan,
    options: RunOptions<'a>,
    saving: Saving<'a>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunRecord, ResumeError> {
    let mut run = new_run_on_ranks(plan, options)?;
    let Saving { every, from, keep } = saving;
    run.saving = every.map(|every| SavingTimer::new(every, keep));
    if let Some(state) = from {
        run.restore(state)?;
    }
    let digest = to_end(&mut run, plan, options, progress)?;
    Ok(record::collect(plan, run, digest))
}

/// Runs a plan to its end as [`simulate`] does, and shows an observer the packets that pass some ports. The record is
/// the same. The observer gets every packet that has started by the end, also from a run that fails. This process
/// runs the plan alone, whatever ranks the options name.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_tapped<'a>(
    plan: &Plan,
    options: RunOptions<'a>,
    tap: Tap<'a>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunRecord, RunError> {
    let mut run = new_run(plan, options);
    run.tap(plan, tap);
    let ended = to_end(&mut run, plan, options, progress);
    run.finish_tap();
    Ok(record::collect(plan, run, ended?))
}

/// Returns the run of a plan, at time zero. In a run by several ranks, this process holds only its own parts.
fn new_run_on_ranks<'a>(plan: &'a Plan, options: RunOptions<'a>) -> Result<run::Run<'a>, RankFault> {
    match (options.ranks, options.partition) {
        (Some(ranks), Some(partition)) if ranks.count() > 1 => {
            let clock = Clock::of_machine().expect("a process of several has a clock");
            let (world, leader) = Leader::begin(plan, (ranks, partition), clock)?;
            let mut run = run_of(plan, world, (options, Some(clock)));
            run.leader = Some(leader);
            Ok(run)
        }
        _ => Ok(new_run(plan, options)),
    }
}

/// Returns the run of a plan, at time zero, with the machine's clock.
fn new_run<'a>(plan: &Plan, options: RunOptions<'a>) -> run::Run<'a> {
    run_of(plan, build::world(plan, options.partition), (options, Clock::of_machine()))
}

/// Returns the run of a plan's world at rest. Without a clock it has a single thread, and does not measure which of
/// two ways is faster.
fn run_of<'a>(
    plan: &Plan,
    world: World<'a>,
    (options, clock): (RunOptions<'a>, Option<Clock>),
) -> run::Run<'a> {
    let mut instruments = build::instruments(plan, &world);
    instruments.timeline = observe::timeline::TimelineProbe::new(plan, options.moments);
    let mut run = run::Run::new(world, instruments, (options, clock));
    run.jobs_from = plan.workload().jobs.first().map(|job| FlowId(job.first_flow));
    if plan.until_done() {
        run.end_when_done(plan);
    }
    run
}

/// Returns the longest time of a drain: ten times the run's longest time, and at least a second. Posted messages may
/// take years at a rate of some bits per second.
#[must_use]
pub fn longest_drain(plan: &Plan) -> Span {
    (plan.duration() * 10).max(Span::from_us(1_000_000))
}

/// Takes a run to its end, and drains it if that is asked for. Returns the digest from before the drain, so that a
/// drain does not change it.
fn to_end(
    run: &mut run::Run<'_>,
    plan: &Plan,
    options: RunOptions<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Digest, RunError> {
    run.run_to_end(plan.duration().after_start(), progress)?;
    let digest = observe::digest::of(&run.world);
    if options.drain && run.ended != RunEnding::Interrupted {
        run.drain(longest_drain(plan), progress)?;
    }
    Ok(digest)
}
