//! Simulation of a plan: builds the fabric, runs its events, and records the outcome.
//!
//! Invariant: only wires connect nodes, and every wire takes time. The event loop therefore advances in windows as
//! long as the shortest wire delay: within a window each node handles its own events in their total order, and the
//! nodes may take their turns in any order. In each instant a node first handles all of its events and then decides
//! once. Instruments look at the world between windows and change nothing.
//!
//! ```text
//! build -> World, Instruments -> Run: for each window:  for each node:  for each instant:  events, then decide
//!                                     between windows:  instruments look          at the end:  record
//! ```
//!
//! A run may divide its fabric into parts, each on a thread of its own: they handle common windows, as long as the shortest
//! wire between parts, and exchange mail between them. The record is the same for any number of parts.
//!
//! The modules stand on floors; each imports only from those above it in this table:
//!
//! | module | contents |
//! |---|---|
//! | `state` | events and their order, parts (nodes with their scheduled events, packets, cables), the world of parts |
//! | `observe` | instruments: goodput, congestion trees, margins, watched quantities, deadlocks, the digest |
//! | `run` | the event loop, the drain, and the reasons for which a run fails |
//! | `record` | the record of a finished run, with completion times and their ideals |
//! | `build` | a plan's world at rest, with its instruments |
//! | `division` | the parts into which a run is divided for threads |

mod build;
mod division;
mod observe;
mod record;
mod run;
mod state;

use scenario::Plan;
use telemetry::{Progress, RunEnding, RunRecord};

pub use division::{Division, FewerParts, Threads};
pub use observe::deadlock::{BlockedOutput, Deadlock};
pub use run::RunOptions;
pub use run::error::{RunError, Violation};

/// Runs a plan to its end and returns the record. The end is that of its duration, or, if the plan is to run [until it is
/// done](Plan::until_done), the delivery of the last message of finite traffic.
///
/// Calls `progress` from time to time with the simulated time reached.
///
/// # Errors
/// If the run violates an invariant of the simulator, or if it deadlocks.
pub fn simulate(
    plan: &Plan,
    options: RunOptions<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunRecord, RunError> {
    let (world, mut instruments) = build::world(plan, options.partition);
    instruments.timeline = observe::timeline::TimelineProbe::new(plan, options.moments);
    let mut run = run::Run::new(world, instruments, options);
    if plan.until_done() {
        run.end_when_done(plan);
    }
    run.run_to_end(plan.duration().after_start(), progress)?;
    // A drained run has the digest of the same run without a drain.
    let digest = observe::digest::of(&run.world);
    if options.drain && run.ended != RunEnding::Interrupted {
        run.drain(progress)?;
    }
    Ok(record::collect(plan, run, digest))
}
