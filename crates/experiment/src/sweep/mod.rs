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
//! | `cases` | the runs by condition and setting |
//! | `means` | means over seeds |
//! | `alike` | seeds and settings that change nothing |
//! | `answer` | the best setting under each condition, in words and numbers |
//! | `printed` | the answer as text |
//! | `collect` | the table of all results |
//! | `figure` | measures against a varied field, as a chart |
//! | `placements` | placements of a job as a sweep |

mod alike;
mod answer;
mod axis;
mod cases;
mod collect;
mod fault;
mod figure;
mod means;
mod placements;
mod printed;
mod request;
mod rows;
mod seeds;
mod values;

pub use answer::{SweepQuestion, UnknownBaseline};
pub use cases::{Conditions, NO_CONDITION, UnknownCondition};
pub use collect::{Collected, ResultColumn};
pub use fault::{Given, GivenPlace, ValueFault};
pub use figure::{SweepAxes, SweepFigureFault, chart};
pub use placements::{PlacementError, PlacementRequest, Placements};
pub use printed::{conditions_table, means_table};
pub use request::SweepRequest;
pub use rows::{PlannedRun, Shard, ShardError, Sweep, SweepPlan, UntilDone};
pub use seeds::SeedKind;
