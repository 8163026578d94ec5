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
        /// Number of the hosts that run them.
        pub hosts: u32,
        /// Its start.
        pub start_s: f64,
        /// The time from its start to the end of its last operation; empty if an operation has not ended.
        pub completion_s: Option<f64>,
        /// Runs of its program.
        pub iterations: u32,
        /// `completion_s` divided by `iterations`.
        pub iteration_s: Option<f64>,
        /// Bytes of the collective over `iteration_s`, in GB/s, as nccl-tests define it: of a rank's vector for an
        /// all-reduce, of all blocks where each rank has one; empty if the program is no collective, and for a barrier.
        pub algbw_gbyte_per_s: Option<f64>,
        /// `algbw` times 2 (p-1)/p for an all-reduce of p ranks, (p-1)/p where each rank has a block, else 1. At most the
        /// rate of a link, unless a host runs several ranks.
        pub busbw_gbyte_per_s: Option<f64>,
        /// Operations in the programs of all ranks, of all iterations.
        pub operations: u64,
        /// Operations that have ended.
        pub ended_operations: u64,
        /// Messages in the programs, of all iterations.
        pub messages: u64,
        /// Payload of these messages.
        pub bytes: u64,
    }
}
