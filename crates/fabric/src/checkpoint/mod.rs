//! Checkpoints: a run's state at an instant, from which the same run continues.
//!
//! Invariant: writing a checkpoint changes nothing of the run. A resumed run has the same events, and therefore the
//! same results, as a run without interruption. A checkpoint leaves out everything that follows from the plan: names,
//! cables, routes, settings.
//!
//! | module | contents |
//! |---|---|
//! | `file` | the form of the file: build, plan, time, state, checksum |
//! | `world` | the state of all nodes, with pending events and packets under way |
//! | `parts` | the state of some parts, for another process of the same run |
//!
//! The loop saves its own state and the instruments (`run::saving`).

pub(crate) mod file;
pub(crate) mod parts;
#[cfg(test)]
mod tests;
pub(crate) mod world;
