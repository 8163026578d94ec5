//! The file format of experiments: RON to [`Scenario`] (as written) to [`Plan`] (checked).
//!
//! Invariant: only a checked plan runs. Whatever is wrong with a file or an override is said with its
//! place, its path, and what would be right; nothing is guessed, and nothing is silently ignored.
//!
//! ```text
//! Source::find --set*--> Source --Scenario::read--> Scenario --check--> Plan
//!    a file's text          |                           |
//!                           +-------- Diagnostic -------+
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `spec` | the file's fields |
//! | `shipped` | the scenarios that ship |
//! | `source` | a file's text, with parts of it overridden |
//! | `overrides` | `--set PATH=VALUE` |
//! | `scan`, `outline` | where in a text the value at a path stands |
//! | `read` | from text to scenario |
//! | `check` | from scenario to plan |
//! | [`import`] | scenarios from what other simulators read |
//! | `plan` | what a run needs to know |
//! | `ecn_first` | whether ECN can mark before PFC pauses |
//! | `diagnostic` | what is wrong, and how it is printed |
//! | `wording`, `nearest` | what is said of it |
//! | `ranges` | the ranges of numbers, which stand beside their fields |

mod check;
mod diagnostic;
mod ecn_first;
pub mod import;
mod nearest;
mod outline;
mod overrides;
mod plan;
mod ranges;
mod read;
mod scan;
mod shipped;
mod source;
mod spec;
mod wording;

pub use diagnostic::{Diagnostic, Fault, Place};
pub use ecn_first::EcnFirst;
pub use nearest::help as help_with_name;
pub use plan::Plan;
pub use shipped::{Shipped, shipped};
pub use source::Source;
pub use spec::{DependencyCycles, Scenario, WatchSpec};
