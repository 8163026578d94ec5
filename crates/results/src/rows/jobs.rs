//! Rows of `jobs.csv`.

use std::borrow::Cow;

use crate::table_row;

table_row! {
    "jobs.csv": "one row per job; only with `jobs`";
    /// A job.
    pub struct JobRow<'a> {
        /// Its name.
        pub job: Cow<'a, str>,
        /// Number of its ranks.
        pub ranks: u32,
        /// Its start.
        pub start_s: f64,
        /// The time from its start to the end of its last operation; empty if an operation has not ended.
        pub completion_s: Option<f64>,
        /// Operations in the programs of all ranks.
        pub operations: u64,
        /// Operations that have ended.
        pub ended_operations: u64,
        /// Messages in the programs.
        pub messages: u64,
        /// Payload of these messages.
        pub bytes: u64,
    }
}
