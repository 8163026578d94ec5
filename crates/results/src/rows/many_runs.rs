//! Rows of `compare.csv` and `results.csv`.

use std::borrow::Cow;

use crate::table_row;

table_row! {
    "compare.csv": "one row per number, run and seed";
    /// A number of a run of `compare` with a seed.
    pub struct CompareRow<'a> {
        /// The run's label or letter.
        pub run: Cow<'a, str>,
        /// Its argument on the command line.
        pub asked: Cow<'a, str>,
        /// `goodput` (of the second half, by phase, flow and group), `fairness`, `victims`, `groups` (over the whole
        /// run), `completion` (of flows), `messages` (all posted), `common messages` (delivered by every run), `run`,
        /// `measures` (of `--measures`).
        pub topic: Cow<'a, str>,
        /// The phase, the group or the bin of sizes, where there is one.
        pub phase: Option<Cow<'a, str>>,
        /// The flow or the count.
        pub what: Cow<'a, str>,
        /// The number, empty where there is none, or only bounds of it.
        pub value: Option<f64>,
        /// `Gb/s`, `us`, `bytes`, `count`, or `1` for an index or a share.
        pub unit: Cow<'a, str>,
        /// The lower bound, where unfinished messages or flows could change the number.
        pub at_least: Option<f64>,
        /// The upper bound, where there is one.
        pub at_most: Option<f64>,
        /// The [measure](statistics.md) of the row, if it is one.
        pub measure: Option<Cow<'a, str>>,
        /// `smaller` or `larger`, empty for a count.
        pub better: Option<Cow<'a, str>>,
        /// The run's seed.
        pub seed: u64,
    }
}

table_row! {
    "results.csv": "the table of `sweep`: one row per run";
    /// The columns that the table of every sweep has. Further columns stand between them.
    pub struct SweepRow<'a> {
        /// Number of the run, from 1; columns of the varied paths and lists of variants follow.
        pub run: u64,
        /// Seed of the run; columns of `seeds.traffic`, `seeds.ecmp` and `seeds.marking` follow if they are varied.
        pub seed: Option<u64>,
        /// End of the run: `complete`, `done`, `not_done`, `gave_up`, `stuck`, or a fault of its fabric or of a job,
        /// `not_lossless`, `stands_still`, `sizes_differ`, `not_drained`; without results `over_time`,
        /// `over_memory`, `deadlock`, `violation`, `not_run`.
        pub ended: Cow<'a, str>,
        /// Packets lost; columns of measures follow.
        pub lost_packets: Option<u64>,
        /// Digest of the run.
        pub digest: Option<Cow<'a, str>>,
        /// Name of the run's folder in `runs`.
        pub name: Cow<'a, str>,
    }
}
