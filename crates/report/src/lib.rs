//! Reports of runs: a summary, tables, figures, comparisons, and the folder that holds them.
//!
//! Invariant: a report is a pure function of the run's record, except for three fields of the summary that state the
//! cost of the run ([`RunCost`]). The same record gives the same bytes.
//!
//! Modules form floors, lowest first; each imports from floors above it in this table only.
//!
//! | module | contents |
//! |---|---|
//! | `csv_text` | cells and rows of CSV as text |
//! | `distinct` | items without their repetitions |
//! | [`format`](mod@format) | numbers and tables as text |
//! | [`quantity`] | times, rates and sizes as text |
//! | [`table`](mod@table) | tables with typed columns, which make rows and schemas |
//! | [`parquet`](mod@parquet) | tables in Parquet, made from their CSV and turned back into it |
//! | [`steady_state`] | the warm-up of a series, and whether the rest is stationary |
//! | [`goodput`] | rates and fairness of every flow in every phase |
//! | [`censoring`] | quantiles over values of which some are known by a lower bound only |
//! | `completions` | completion times of messages by size |
//! | [`groups`] | goodput, marks and waits of groups of flows |
//! | [`congestion`] | the worst roots of congestion trees, and the hottest outputs |
//! | [`summary`] | `summary.json`: the results of a run in one object |
//! | [`tables`] | tables of a run, in files and on the terminal |
//! | [`reader`] | typed rows of these files |
//! | [`counters`] | counters of ports, as the tools of InfiniBand and Ethernet show them |
//! | [`figures`] | figures, drawn from these files as SVG |
//! | [`comparison`] | several runs side by side |
//! | [`schema`] | schemas of all files |
//! | [`manifest`] | `run.json`: the run that a result folder belongs to |
//! | [`formats`] | tables in CSV, in Parquet, or in both |
//! | [`page`] | `report.html`: the folder as one page |
//! | [`folder`] | the result folder, written whole or not at all |
//!
//! `docs/outputs.md` describes every column and field.

pub mod censoring;
pub mod comparison;
mod completions;
pub mod congestion;
pub mod counters;
mod csv_text;
mod distinct;
pub mod figures;
pub mod folder;
pub mod format;
pub mod formats;
pub mod goodput;
pub mod groups;
pub mod manifest;
pub mod page;
pub mod parquet;
pub mod quantity;
pub mod reader;
pub mod schema;
pub mod steady_state;
pub mod summary;
pub mod table;
pub mod tables;

use std::time::Duration;

use telemetry::RunRecord;

pub use figures::UndrawnFigure;
pub use folder::{OutputError, ResultFolder};
pub use formats::TableFormats;
pub use manifest::Manifest;
pub use reader::RunFiles;
pub use summary::Summary;

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

/// Time and memory that a run took: the only part of a report that differs from run to run.
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

/// The files of a run, and the figures that are not among them.
#[derive(Debug)]
pub struct RunOutput {
    /// Files, in the order in which they are listed.
    pub files: Vec<OutputFile>,
    /// Figures for which the run has no data, or that cannot be drawn.
    pub undrawn: Vec<UndrawnFigure>,
}

/// Names of all files that a run may write besides the files that its scenario names.
pub const FILE_NAMES: [&str; 30] = [
    "summary.json",
    "flows.csv",
    "phases.csv",
    "series.csv",
    "ports.csv",
    "trees.csv",
    "roots.csv",
    "contributors.csv",
    "victims.csv",
    "worst_tree.csv",
    "margins.csv",
    "goodput.svg",
    "hosts.svg",
    "completions.svg",
    "slowdown.svg",
    "queues.svg",
    "fabric.svg",
    "watch.svg",
    "ports.svg",
    "sources.svg",
    "plan.ron",
    "watch.csv",
    "port_series.csv",
    "source_series.csv",
    "pauses.csv",
    "timeline.csv",
    "timeline_trees.csv",
    "fct.csv",
    "fct.txt",
    "report.html",
];

/// Returns the files of a run, and the figures that cannot be drawn from them. `plan` is the resolved plan as text.
#[must_use]
pub fn output(summary: &Summary, record: &RunRecord, plan: String) -> RunOutput {
    let file = |name: &str, contents| OutputFile { name: name.to_owned(), contents };
    let mut files = vec![
        file("summary.json", summary.json()),
        file("flows.csv", tables::flows::flows(record)),
        file("phases.csv", tables::flows::phases(record)),
        file("series.csv", tables::series::series(record)),
        file("ports.csv", tables::ports::ports(record)),
        file("trees.csv", tables::congestion::files::trees(record)),
        file("roots.csv", tables::congestion::files::roots(record)),
        file("contributors.csv", tables::congestion::files::contributors(record)),
        file("victims.csv", tables::congestion::files::victims(record)),
        file("margins.csv", tables::margins::margins(record)),
        file("plan.ron", plan),
    ];
    files.extend(
        tables::congestion::worst::worst_tree(record).map(|contents| file("worst_tree.csv", contents)),
    );
    files.extend(tables::series::watch(record).map(|contents| file("watch.csv", contents)));
    files.extend(tables::observed::ports(record).map(|contents| file("port_series.csv", contents)));
    files.extend(tables::observed::sources(record).map(|contents| file("source_series.csv", contents)));
    files.extend(tables::observed::pauses(record).map(|contents| file("pauses.csv", contents)));
    files.extend(tables::timeline::outputs(record).map(|contents| file("timeline.csv", contents)));
    files.extend(tables::timeline::trees(record).map(|contents| file("timeline_trees.csv", contents)));
    files.extend(tables::completions::file(record).map(|rows| file("fct.csv", rows)));
    let (mut drawn, mut undrawn) = (Vec::new(), Vec::new());
    for figure in figures::FIGURES {
        match figure.drawn(RunFiles::Written(&files)) {
            Ok(file) => drawn.push(file),
            Err(fault) => undrawn.push(UndrawnFigure { file: figure.file, fault }),
        }
    }
    files.extend(drawn);
    RunOutput { files, undrawn }
}

#[cfg(test)]
mod sample;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_run_has_a_known_name() {
        let record = sample::record();
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        for OutputFile { name, .. } in output(&summary, &record, String::new()).files {
            assert!(FILE_NAMES.contains(&name.as_str()), "{name}");
        }
    }

    #[test]
    fn every_figure_is_drawn_or_has_a_reason() {
        let mut record = sample::record();
        let undrawn = |record: &RunRecord| {
            let summary = Summary::new(sample::CONTEXT, record, sample::cost());
            let output = output(&summary, record, String::new());
            let figures = output.files.iter().filter(|file| file.name.ends_with(".svg")).count();
            assert_eq!(figures + output.undrawn.len(), figures::FIGURES.len());
            let undrawn = output.undrawn.iter();
            undrawn.map(|one| format!("{}: {}", one.file, one.fault)).collect::<Vec<_>>()
        };
        assert_eq!(undrawn(&record), [""; 0]);
        (record.port_series, record.watched, record.completions) =
            (None, telemetry::Watched::default(), None);
        assert_eq!(
            undrawn(&record),
            [
                "completions.svg: there is no `fct.csv`",
                "slowdown.svg: there is no `fct.csv`",
                "watch.svg: there is no `watch.csv`",
                "ports.svg: there is no `port_series.csv`",
            ]
        );
    }
}
