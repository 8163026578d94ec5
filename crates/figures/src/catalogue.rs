//! The figures of a run, by name.
//!
//! Invariant: a figure needs no file but those that it lists.

use results::OutputFile;
use results::figure_files::{self, FigureFile};
use results::reader::RunFiles;
use results::rows::{
    FlowRow, MessageRow, PortRow, PortSeriesRow, SeriesRow, SourceSeriesRow, TreeRow, WatchRow,
};
use results::table::TableRow;

use super::fault::FigureFault;
use super::{completions, fabric, goodput, hosts, ports, quantities, queues, slowdown};

/// A figure that can be drawn from the files of a run.
#[derive(Debug)]
pub struct FigureKind {
    /// Its name, and its file.
    pub file: FigureFile,
    /// Files from which it is drawn.
    pub files: &'static [&'static str],
    draw: fn(RunFiles<'_>) -> Result<String, FigureFault>,
}

/// All figures of a run.
pub const FIGURES: &[FigureKind] = &[
    FigureKind {
        file: figure_files::GOODPUT,
        files: &["summary.json", FlowRow::FILE, SeriesRow::FILE],
        draw: |files| Ok(goodput::chart(files)?.svg()),
    },
    FigureKind {
        file: figure_files::HOSTS,
        files: &["summary.json", FlowRow::FILE],
        draw: |files| Ok(hosts::chart(files)?.svg()),
    },
    FigureKind {
        file: figure_files::COMPLETIONS,
        files: &["summary.json", FlowRow::FILE, MessageRow::FILE],
        draw: |files| Ok(completions::chart(files)?.svg()),
    },
    FigureKind {
        file: figure_files::SLOWDOWN,
        files: &["summary.json", MessageRow::FILE],
        draw: |files| Ok(slowdown::chart(files)?.svg()),
    },
    FigureKind {
        file: figure_files::QUEUES,
        files: &["summary.json", SeriesRow::FILE, TreeRow::FILE],
        draw: |files| Ok(queues::chart(files)?.svg()),
    },
    FigureKind {
        file: figure_files::FABRIC,
        files: &["summary.json", PortRow::FILE, TreeRow::FILE],
        draw: fabric::drawing,
    },
    FigureKind {
        file: figure_files::WATCH,
        files: &["summary.json", WatchRow::FILE],
        draw: |files| Ok(quantities::watched(files)?.svg()),
    },
    FigureKind {
        file: figure_files::PORTS,
        files: &["summary.json", PortSeriesRow::FILE],
        draw: |files| Ok(ports::chart(files)?.svg()),
    },
    FigureKind {
        file: figure_files::SOURCES,
        files: &["summary.json", SourceSeriesRow::FILE],
        draw: |files| Ok(quantities::sources(files)?.svg()),
    },
];

impl FigureKind {
    /// Returns the figure of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FIGURES.iter().find(|figure| figure.file.figure == name)
    }

    /// Draws the figure.
    ///
    /// # Errors
    /// If a file is missing or wrong, or there is nothing to show.
    pub fn drawn(&self, files: RunFiles<'_>) -> Result<OutputFile, FigureFault> {
        for file in self.files {
            if !files.has(file) {
                return Err(files.missing(file).into());
            }
        }
        Ok(OutputFile { name: self.file.name.to_owned(), contents: (self.draw)(files)? })
    }
}

#[cfg(test)]
mod tests {
    use results::figure_files::FIGURE_FILES;
    use results::{MadeFiles, Summary, sample};

    use super::super::fixture;
    use super::*;

    #[test]
    fn a_run_writes_every_figure_that_it_has_data_for() {
        let files = fixture::files();
        let drawn: Vec<_> =
            FIGURES.iter().filter(|figure| figure.drawn(RunFiles::Written(&files)).is_ok()).collect();
        let names: Vec<_> = drawn.iter().map(|figure| figure.file.figure).collect();
        assert_eq!(
            names,
            ["goodput", "hosts", "completions", "slowdown", "queues", "fabric", "watch", "ports", "sources"]
        );
        for figure in drawn {
            assert!(files.iter().any(|file| file.name == figure.file.name), "{}", figure.file.figure);
        }
        let ports = FigureKind::named("ports").expect("the figure is listed");
        let without: Vec<_> = files.iter().filter(|file| file.name != "port_series.csv").cloned().collect();
        let fault = ports.drawn(RunFiles::Written(&without)).unwrap_err();
        assert_eq!(fault.to_string(), "there is no `port_series.csv`");
    }

    #[test]
    fn a_figure_makes_the_files_that_it_needs_and_no_other() {
        let record = sample::record();
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        let made = MadeFiles::new(&summary, &record, String::new());
        let figure = FigureKind::named("slowdown").unwrap();
        figure.drawn(RunFiles::Made(&made)).expect("the run has messages");
        assert_eq!(made.made().collect::<Vec<_>>(), ["summary.json", "fct.csv"]);
    }

    #[test]
    fn every_file_of_a_figure_is_drawn() {
        let files: Vec<_> = FIGURES.iter().map(|figure| figure.file).collect();
        assert_eq!(files, FIGURE_FILES);
    }
}
