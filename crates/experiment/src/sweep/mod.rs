//! Sweeps: many runs of a scenario, each with other settings and seeds.
//!
//! Invariant: the runs of a sweep, their order and their names follow from the request and the scenario's text alone.
//!
//! ```text
//! SweepRequest --sweep--> Sweep --identify--> SweepPlan --Store::run--> results --> Collected table
//!  options, sweep file    rows                checked, named
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `fault` | faults of what is asked for, with their places |
//! | `values` | lists and ranges of values |
//! | `seeds` | lists of seeds |
//! | `axis` | lists of settings; a sweep is their cross product |
//! | `rows` | the runs, and the plan: a line of JSON for each |
//! | `request` | options and the sweep file |
//! | `collect` | the table of all results |
//! | `figure` | measures against a varied field, as a chart |
//! | `verdict` | the best setting |

mod axis;
mod collect;
mod fault;
mod figure;
mod request;
mod rows;
mod seeds;
mod values;
mod verdict;

pub use collect::{Collected, ResultColumn};
pub use fault::{Given, GivenPlace, ValueFault};
pub use figure::{SweepAxes, SweepFigureFault, chart};
pub use request::SweepRequest;
pub use rows::{PlannedRun, Shard, ShardError, Sweep, SweepPlan};
pub use seeds::SeedKind;
pub use verdict::{runs_of, settings, verdict};
