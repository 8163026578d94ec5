//! Results of runs: a summary, tables, comparisons, and the folder that holds them.
//!
//! Invariant: results are a pure function of the run's record, except for three fields of the summary that state the
//! cost of the run ([`RunCost`]). The same record gives the same bytes.
//!
//! Modules form floors, lowest first; each imports from floors above it in this table only.
//!
//! | module | contents |
//! |---|---|
//! | [`csv_text`] | cells and rows of CSV as text |
//! | [`distinct`] | items without their repetitions |
//! | [`format`](mod@format) | numbers and tables as text |
//! | [`table`](mod@table) | rows of tables: structs that make cells and schemas |
//! | [`parquet`](mod@parquet) | tables in Parquet, made from their CSV and turned back into it |
//! | [`goodput`] | rates and fairness of every flow in every phase |
//! | `completions` | completion times of messages by size |
//! | [`groups`] | goodput, marks and waits of groups of flows |
//! | [`congestion`] | the worst roots of congestion trees, and the hottest outputs |
//! | [`rows`] | the row of each table |
//! | [`lossless`] | packets that a fabric with PFC has dropped |
//! | [`remarks`] | facts of a run that its tables hide |
//! | [`verdict`] | the answer of a command in four sentences |
//! | [`summary`] | `summary.json`: the results of a run in one object |
//! | [`tables`] | tables of a run, in files and on the terminal |
//! | [`reader`] | these files, read |
//! | [`counters`] | counters of ports, as the tools of InfiniBand and Ethernet show them |
//! | [`figure_files`] | files of figures, which the crate `figures` draws |
//! | [`choice`] | which files of a run are written |
//! | [`comparison`] | several runs side by side |
//! | [`schema`] | schemas of all files |
//! | [`manifest`] | `run.json`: the run that a result folder belongs to |
//! | [`formats`] | tables in CSV, in Parquet, or in both |
//! | [`sweep`] | `sweep.json`: the answer of a sweep |
//! | [`folder`] | the result folder, written whole or not at all |
//!
//! `docs/outputs.md` describes every column and field.

pub mod choice;
pub mod comparison;
mod completions;
pub mod congestion;
pub mod counters;
pub mod csv_text;
pub mod distinct;
pub mod figure_files;
pub mod folder;
pub mod format;
pub mod formats;
pub mod goodput;
pub mod groups;
pub mod lossless;
pub mod manifest;
pub mod parquet;
pub mod reader;
pub mod remarks;
pub mod rows;
pub mod schema;
pub mod summary;
pub mod sweep;
pub mod table;
pub mod tables;
pub mod verdict;

use std::time::Duration;

pub use choice::{FILE_NAMES, FileChoice};
pub use folder::{OutputError, ResultFolder};
pub use formats::TableFormats;
pub use manifest::Manifest;
pub use reader::{MadeFiles, RunFiles};
pub use summary::{Summary, failures};

/// Scenario, scheme, seed and version of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunIdentity<'a> {
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Scheme of congestion control, as the scenario names it: `Off`, `Iba`.
    pub congestion_control: &'a str,
    /// Seed of the random streams.
    pub seed: u64,
    /// Version of the simulator.
    pub version: &'a str,
}

/// Time and memory that a run took: the only part of the results that differs from run to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunCost {
    /// Elapsed real time.
    pub wall: Duration,
    /// Peak memory of the process, in bytes; `None` if the system does not report it.
    pub peak_rss: Option<u64>,
}

/// A file of the output folder, of text or, with another type of contents, of bytes.
#[derive(Clone, Debug)]
pub struct OutputFile<C = String> {
    /// Name within the folder.
    pub name: String,
    /// Contents.
    pub contents: C,
}

#[cfg(test)]
mod hostile_names;
#[cfg(any(test, feature = "sample"))]
pub mod sample;
