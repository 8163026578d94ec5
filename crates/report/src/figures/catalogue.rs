//! The figures of a run, by name.
//!
//! Invariant: a figure needs no file but those that it lists.

use super::engine::Chart;
use super::fault::FigureFault;
use super::{completions, goodput};
use crate::OutputFile;
use crate::reader::{ReadError, RunFiles};

/// A figure that can be drawn from the files of a run.
#[derive(Debug)]
pub struct FigureKind {
    /// Name of its file, without `.svg`.
    pub name: &'static str,
    /// Contents, in a few words.
    pub shows: &'static str,
    /// Files from which it is drawn.
    pub files: &'static [&'static str],
    chart: fn(RunFiles<'_>) -> Result<Chart, FigureFault>,
}

/// All figures of a run.
pub const FIGURES: &[FigureKind] = &[
    FigureKind {
        name: "goodput",
        shows: "goodput over time, of named flows, groups, and all other flows together",
        files: &["summary.json", "flows.csv", "series.csv"],
        chart: goodput::chart,
    },
    FigureKind {
        name: "completions",
        shows: "share of messages delivered within a time",
        files: &["summary.json", "flows.csv", "fct.csv"],
        chart: completions::chart,
    },
];

impl FigureKind {
    /// Returns the figure of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FIGURES.iter().find(|figure| figure.name == name)
    }

    /// Returns the name of the figure's file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.svg", self.name)
    }

    /// Draws the figure.
    ///
    /// # Errors
    /// If a file is missing or wrong, or there is nothing to show.
    pub fn drawn(&self, files: RunFiles<'_>) -> Result<OutputFile, FigureFault> {
        for file in self.files {
            if !files.has(file) {
                return Err(ReadError::Missing((*file).to_owned()).into());
            }
        }
        Ok(OutputFile { name: self.file_name(), contents: (self.chart)(files)?.svg() })
    }
}
