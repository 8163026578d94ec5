//! Many runs: a worker pool, seeds, and statistics over seeds.
//!
//! Invariant: runs share nothing, so results do not depend on the number of runs at a time. This crate knows of
//! scenarios and outcomes, and nothing of papers or of the command line.
//!
//! ```text
//! Job { RunSpec, seed }  ->  Plan  ->  Outcome { Summary, RunRecord }  ->  number  ->  Estimate over seeds
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`mod@unit`] | a run: a scenario, overrides and seeds, and its name |
//! | [`scenarios`] | scenarios that were read, for runs that differ in their seeds |
//! | [`store`] | a folder with the results of units; runs those that are missing |
//! | [`sweep`] | many units: axes, ranges, variants, and the table of their results |
//! | [`comparison`] | runs side by side over seeds, and the answer in four sentences |
//! | [`batch`] | a set of jobs, and the outcome of each |
//! | [`configurations`] | configurations of another simulator that ship, imported when a run names them |
//! | [`run`] | a run of a batch: a scenario, overrides, tuned settings |
//! | [`relative`] | settings of IBA's congestion control, relative to a scenario's settings |
//! | [`seeds`] | lists of seeds, as options and files write them |
//! | [`simulation`] | one simulation, from the scenario's name to the outcome |
//! | `cost` | measures by which another setting is better than the best |
//! | [`measuring`] | the measures that a plan can have, before its run |
//! | [`pool`] | the worker pool |
//! | [`statistics`] | means over seeds and their confidence intervals |
//! | [`tuning`] | the search for the best settings of a space |
//! | [`evaluation`] | parameters in, measures out, for outside optimisers |
//! | [`resources`] | processor time and memory of this process |

pub mod batch;
pub mod comparison;
pub mod configurations;
mod cost;
pub mod evaluation;
pub mod measuring;
pub mod pool;
pub mod relative;
pub mod resources;
pub mod run;
pub mod scenarios;
pub mod seeds;
pub mod simulation;
pub mod statistics;
pub mod store;
pub mod sweep;
pub mod tuning;
pub mod unit;

pub use batch::{Job, Outcomes};
pub use relative::{RelativeError, RelativeSetting};
pub use results::lossless::{Loss, LossCause, shortage};
pub use run::{RunSpec, SeedCount};
pub use scenarios::Scenarios;
pub use seeds::{SeedList, SeedListError};
pub use simulation::{Outcome, SimulationError, VERSION, plan, plan_until_done, simulate, simulate_saving};
pub use statistics::Estimate;
pub use store::{Store, StoreError, UnitResult};
pub use unit::{IdentifiedUnit, Unit, UnitSeeds};
