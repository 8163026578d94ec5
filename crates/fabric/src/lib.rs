//! The world: every node, every wire, the event loop.
//!
//! Invariant: the loop decides nothing. It hands events to nodes in their total order, lets every node
//! that something happened to decide once an instant, and lets the instruments look when all is done.
//!
//! ```text
//! for each instant:  events, in the order (node, kind, port, lane)  ->  nodes decide  ->  probes look
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `build` | from a plan to a world at rest |
//! | `event` | what can happen, and in which order |
//! | `world` | the loop |
//! | `ahead` | reading ahead, for fabrics that no cache holds |
//! | `deadlock` | packets that wait for each other in a circle |
//! | `completions`, `ideal` | how long messages took, and how long they would have on an empty fabric |
//! | `margins` | how near loads came to their limits |
//! | `probe` | what is looked at, and when |
//! | `trees` | congestion trees: who holds whom back |
//! | `watch` | what the scenario asks to look at |
//! | `stop` | why a run does not come to its end |
//! | `record` | from a world to its record |

mod ahead;
mod build;
mod completions;
mod deadlock;
mod event;
mod ideal;
mod margins;
mod probe;
mod record;
mod stop;
mod trees;
mod watch;
mod world;

use scenario::Plan;
use telemetry::{Progress, RunRecord};

pub use deadlock::{Deadlock, Wait};
pub use stop::{Stop, Violation};
pub use world::Options;

/// Runs a plan to its end, and records what happened.
///
/// `progress` is told now and then how far the run has come.
///
/// # Errors
/// If a run finds one of the simulator's own promises broken, or a deadlock.
pub fn simulate(
    plan: &Plan,
    options: Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunRecord, Stop> {
    let mut world = build::world(plan);
    world.run(options, progress)?;
    Ok(record::collect(plan, world))
}
