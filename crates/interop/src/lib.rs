//! Scenarios from the files of clusters, and files for a cluster's tools from a plan.
//!
//! Invariant: a run needs nothing of this crate. An import ends as the text of a scenario file, and an export begins
//! with a checked plan.
//!
//! ```text
//! files of a cluster --import--> text of a scenario --scenario--> Plan --export--> files for a cluster's tools
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`import`] | scenarios from files, with the fate of every setting |
//! | [`export`] | files from plans, with the fate of every value |

pub mod export;
pub mod import;
