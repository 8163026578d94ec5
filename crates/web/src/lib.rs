//! The simulator for a page: scenarios, their check, a run in steps, and its results: names as JSON, numbers as arrays.
//!
//! Invariant: what is checked, run and reported is what the command line checks, runs and reports: same texts, same digest. Nothing is
//! read from or written to a disk or a network, and no clock is asked: the page tells the elapsed time.
//!
//! | module | contents |
//! |---|---|
//! | `scenarios` | the scenarios that ship, with their stories |
//! | `checking` | the check of a scenario: faults, or the facts of its plan |
//! | `fields` | the fields that controls can change |
//! | `curves` | curves that grow, with few points |
//! | `live_fabric` | load, stalls and queues of all outputs while a run goes on |
//! | `live` | the curves and the fabric of a run that goes on |
//! | `session` | a run in steps, and its results |
//! | `bindings` | the functions of the module, for `wasm32` only |

#[cfg(target_arch = "wasm32")]
pub mod bindings;
mod checking;
mod curves;
mod fields;
mod live;
mod live_fabric;
mod scenarios;
mod session;

pub use checking::{Case, Checked, Fault, GraphData, PlanFacts, check};
pub use curves::{LiveLine, LiveLines, LivePanel};
pub use fields::FieldData;
pub use live::ProgressData;
pub use live_fabric::LiveFabricData;
pub use scenarios::{ShippedData, scenarios};
pub use session::{EndOfRun, ResultData, Session};
