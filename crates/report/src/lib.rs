//! What a run looks like to its reader: a summary, tables, a figure, and the folder that holds them.
//!
//! Invariant: everything here is a pure function of the run's record, except for three fields of the
//! summary that tell what the run cost ([`Cost`]). The same record gives the same bytes.
//!
//! | module | makes |
//! |---|---|
//! | [`goodput`] | rates and fairness of every flow in every phase |
//! | [`summary`] | `summary.json`, and what the next one prints |
//! | [`printed`] | the tables on the terminal |
//! | [`tables`] | `flows.csv`, `series.csv`, `ports.csv`, `watch.csv` |
//! | [`completions`] | `fct.csv`, and completion times by size as printed |
//! | [`congestion`] | `trees.csv`, `victims.csv`, and the worst trees as printed |
//! | [`margins`] | `margins.csv`, and the nearest as printed |
//! | [`figure`] | `throughput.svg` |
//! | `coincidence` | lines of a figure that lie upon one another |
//! | [`comparison`] | several runs side by side |
//! | [`panels`] | figures of several runs below each other |
//! | [`curves`] | figures of a number against a setting, and their files |
//! | [`folder`] | the output folder, written whole or not at all |
//!
//! `docs/outputs.md` describes every column and field.

mod coincidence;
pub mod comparison;
pub mod completions;
pub mod congestion;
pub mod curves;
pub mod figure;
pub mod folder;
pub mod goodput;
pub mod margins;
pub mod panels;
pub mod printed;
pub mod summary;
pub mod tables;

use std::time::Duration;

use telemetry::RunRecord;

pub use folder::OutputError;
pub use summary::Summary;

/// Which run this was.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The scenario's name.
    pub scenario: &'a str,
    /// Its scheme of congestion control, in the scenario's own word: `Off`, `Iba`.
    pub congestion_control: &'a str,
    /// The seed of its random streams.
    pub seed: u64,
    /// The version of the simulator.
    pub version: &'a str,
}

/// What the run cost the machine: the only part of a report that differs from run to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Time on the clock on the wall.
    pub wall: Duration,
    /// The most memory that the process held, in bytes, where the system tells.
    pub peak_rss: Option<u64>,
}

/// A file of the output folder.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name within the folder.
    pub name: String,
    /// What it holds.
    pub contents: String,
}

/// The files of a run, in the order in which they are listed. `plan` is the resolved plan as text.
#[must_use]
pub fn files(summary: &Summary, record: &RunRecord, plan: String) -> Vec<File> {
    let file = |name: &str, contents| File { name: name.to_owned(), contents };
    let mut files = vec![
        file("summary.json", summary.json()),
        file("flows.csv", tables::flows(record)),
        file("series.csv", tables::series(record)),
        file("ports.csv", tables::ports(record)),
        file("trees.csv", congestion::trees(record)),
        file("victims.csv", congestion::victims(record)),
        file("margins.csv", margins::margins(record)),
        file("throughput.svg", figure::throughput(summary, record)),
        file("plan.ron", plan),
    ];
    files.extend(tables::watch(record).map(|contents| file("watch.csv", contents)));
    files.extend(completions::table(record).map(|rows| file("fct.csv", rows)));
    files
}

/// `value` rounded to so many decimals, so that files show no more than there is.
fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (value * scale).round() / scale
}

#[cfg(test)]
mod sample;
