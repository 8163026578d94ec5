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
//! | [`choice`] | which files of a run are written |
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
pub mod choice;
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

pub use choice::{FILE_NAMES, FileChoice};
pub use figures::UndrawnFigure;
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

/// Returns the files of a run, and the figures that cannot be drawn from them. `plan` is the resolved plan as text.
#[must_use]
pub fn output(summary: &Summary, record: &RunRecord, plan: String) -> RunOutput {
    output_of(MadeFiles::new(summary, record, plan), &FileChoice::All)
}

/// Returns those files of a run that are chosen, and the chosen figures that cannot be drawn.
#[must_use]
pub fn output_of(made: MadeFiles<'_>, choice: &FileChoice) -> RunOutput {
    let (mut drawn, mut undrawn) = (Vec::new(), Vec::new());
    for figure in figures::FIGURES.iter().filter(|figure| choice.has(figure.file)) {
        match figure.drawn(RunFiles::Made(&made)) {
            Ok(file) => drawn.push(file),
            Err(fault) => undrawn.push(UndrawnFigure { file: figure.file, fault }),
        }
    }
    let texts = made.into_texts(|name| choice.has(name)).into_iter();
    let texts = texts.map(|(name, contents)| OutputFile { name: name.to_owned(), contents });
    RunOutput { files: texts.chain(drawn).collect(), undrawn }
}

#[cfg(test)]
mod hostile_names;
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
    fn chosen_files_are_those_of_all_files() {
        let record = sample::record();
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        let all = output(&summary, &record, String::new()).files;
        assert!(MadeFiles::names().all(|name| FILE_NAMES.contains(&name)));
        for name in FILE_NAMES {
            let choice = FileChoice::read(name).unwrap();
            let output = output_of(MadeFiles::new(&summary, &record, String::new()), &choice);
            assert_eq!(output.undrawn.len(), 0);
            let found = output.files.iter().map(|file| (&*file.name, &*file.contents)).collect::<Vec<_>>();
            let is_named_only = !FileChoice::All.has(name);
            let wanted =
                all.iter().filter(|file| file.name == name).map(|file| (&*file.name, &*file.contents));
            assert!(is_named_only || found == wanted.collect::<Vec<_>>(), "{name}");
            assert!(found.iter().all(|(found, _)| *found == name), "{name}");
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
