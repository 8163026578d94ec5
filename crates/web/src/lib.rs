//! The simulator for a page: scenarios, their check, a run in steps, and its results, all as JSON.
//!
//! Invariant: what is checked, run and reported is what the command line checks, runs and reports: same texts, same digest. Nothing is
//! read from or written to a disk or a network, and no clock is asked: the page tells the elapsed time.
//!
//! | module | contents |
//! |---|---|
//! | `scenarios` | the scenarios that ship, with their stories |
//! | `checking` | the check of a scenario: faults, or the facts of its plan |
//! | `fields` | the fields that controls can change |
//! | `session` | a run in steps, with its curves so far, and its results |
//! | `bindings` | the functions of the module, for `wasm32` only |

#[cfg(target_arch = "wasm32")]
mod bindings;
mod checking;
mod fields;
mod scenarios;
mod session;

pub use checking::{Case, Checked, Fault, GraphData, PlanFacts, check};
pub use fields::FieldData;
pub use scenarios::{ShippedData, scenarios};
pub use session::{EndOfRun, LiveLine, LivePanel, ProgressData, ResultData, Session};
