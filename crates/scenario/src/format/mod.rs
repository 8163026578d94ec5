//! The file format: from a text to a [`Scenario`] as written.
//!
//! Invariant: a value is compared with its own type only, never with another value.
//!
//! | module | contents |
//! |---|---|
//! | `series` | the field `series` |
//! | `spec` | the fields of the file |
//! | `schema` | every field with its type, range, default and documentation, as a file made from the types |
//! | `ranges` | the ranges of numbers, as their fields state them |
//! | `range_check`, `range_table` | the check of numbers, by a table made from those ranges |
//! | `parse` | from a text to a scenario, or to the reader's error |
//! | `inherit` | settings of single switches and adapters, with the fields that they inherit |
//! | `explain` | the message and the help for a reader's error |
//! | `read` | scenarios from texts |
//! | `other` | files of settings that are no scenarios |
//! | `overrides` | `--set PATH=VALUE` |

mod explain;
mod inherit;
mod other;
mod overrides;
pub(crate) mod parse;
pub(crate) mod range_check;
mod range_table;
pub(crate) mod ranges;
mod read;
pub(crate) mod schema;
mod series;
mod spec;

pub use overrides::AT_MOST_DURATIONS;
pub use series::SeriesSpec;
pub(crate) use spec::Completions;
pub use spec::{DependencyCycles, LayerLanes, Scenario, SeedsSpec, WatchSpec};
