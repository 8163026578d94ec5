//! Packet-level simulation of congestion in lossless fabrics: InfiniBand and RoCEv2.
//!
//! Invariant: the library and the command `backwater` run the same code, so the same scenario, overrides and seed give
//! the same digest from both.
//!
//! ```text
//! Simulation --check--> Plan --run--> FinishedRun { plan, summary, record } --write--> folder
//!  scenario + overrides
//! ```
//!
//! # Examples
//!
//! Run a shipped scenario for a shorter time, without congestion control, and read the goodput of the victim in the
//! last phase:
//!
//! ```
//! use backwater::Simulation;
//!
//! let run = Simulation::find("victim")?
//!     .set("congestion_control=Off")?
//!     .set("duration=25 ms")?
//!     .run()?;
//! let phase = run.summary.phases.last().expect("a run has a phase");
//! let victim = phase.flows.iter().find(|flow| flow.flow == "victim").expect("the scenario has a victim");
//! assert!(victim.second_half_goodput_bps < 8e9, "half the rate that its path could carry");
//! # Ok::<(), backwater::SimulationError>(())
//! ```
//!
//! `crates/runner/examples` has four programs: `victim` compares two settings, `sweep` varies a parameter,
//! `custom_fabric` builds a scenario from text and reads its congestion trees, and `own_response` runs a response that
//! it implements itself.
//!
//! | item | contents |
//! |---|---|
//! | [`Simulation`] | a scenario with overrides; checks and runs it |
//! | [`FinishedRun`] | a finished run: tables, files, folder |
//! | [`Plan`] | a checked scenario |
//! | [`Division`], [`Threads`] | the parts of a run, each on a thread of its own |
//! | [`Summary`] | digest, goodput by phase, totals |
//! | [`RunRecord`] | counts, spans and snapshots of the whole run ([`telemetry`]) |
//! | [`ResultFolder`], [`Manifest`] | the folder of a run's results, and the file in it that says which run |
//! | [`Loss`] | packets that a fabric with PFC has dropped |
//! | [`capture`] | packets at chosen ports, as pcapng |
//! | [`trace`] | ports and flows over time, for Perfetto |
//! | [`own`] | responses and marking rules of one's own |
//! | [`compared`] | several runs side by side |
//! | [`provenance`] | the origin of results |
//! | [`wording`] | plans and quantities in words, as the command prints them |

pub mod capture;
pub mod own;
pub mod provenance;
mod simulation;
pub mod trace;
pub mod wording;

pub use experiment::SimulationError;
pub use fabric::{
    Checkpoint, CheckpointError, Division, ResumeError, RunError, RunOptions, Saving, StateError, Threads,
};
pub use figures::RunOutput;
pub use results::{FileChoice, MadeFiles, Manifest, OutputError, OutputFile, ResultFolder, Summary};
pub use scenario::{Diagnostic, Plan, ShippedScenario, shipped};
pub use telemetry::{self, Progress, RunRecord};
pub use units;

pub use experiment::{Loss, LossCause, shortage};
pub use simulation::{FinishedRun, Simulation, compared};
