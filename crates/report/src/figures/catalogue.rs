//! The figures of a run, by name.
//!
//! Invariant: a figure needs no file but those that it lists.

use super::fault::FigureFault;
use super::{completions, fabric, goodput, hosts, ports, quantities, queues, slowdown};
use crate::OutputFile;
use crate::reader::RunFiles;

/// A figure that can be drawn from the files of a run.
#[derive(Debug)]
pub struct FigureKind {
    /// Name.
    pub name: &'static str,
    /// Name of its file.
    pub file: &'static str,
    /// Contents, in a few words.
    pub shows: &'static str,
    /// Files from which it is drawn.
    pub files: &'static [&'static str],
    draw: fn(RunFiles<'_>) -> Result<String, FigureFault>,
}

/// All figures of a run.
pub const FIGURES: &[FigureKind] = &[
    FigureKind {
        name: "goodput",
        file: "goodput.svg",
        shows: "goodput over time, of named flows, groups, and all other flows together",
        files: &["summary.json", "flows.csv", "series.csv"],
        draw: |files| Ok(goodput::chart(files)?.svg()),
    },
    FigureKind {
        name: "hosts",
        file: "hosts.svg",
        shows: "mean goodput of each host, received and sent",
        files: &["summary.json", "flows.csv"],
        draw: |files| Ok(hosts::chart(files)?.svg()),
    },
    FigureKind {
        name: "completions",
        file: "completions.svg",
        shows: "share of messages delivered within a time",
        files: &["summary.json", "flows.csv", "fct.csv"],
        draw: |files| Ok(completions::chart(files)?.svg()),
    },
    FigureKind {
        name: "slowdown",
        file: "slowdown.svg",
        shows: "slowdown of messages by size: p50, p95, p99",
        files: &["summary.json", "fct.csv"],
        draw: |files| Ok(slowdown::chart(files)?.svg()),
    },
    FigureKind {
        name: "queues",
        file: "queues.svg",
        shows: "queues over time at the roots of congestion trees and at watched outputs",
        files: &["summary.json", "series.csv", "trees.csv"],
        draw: |files| Ok(queues::chart(files)?.svg()),
    },
    FigureKind {
        name: "fabric",
        file: "fabric.svg",
        shows: "the fabric, the outputs that were held back, and the worst congestion tree",
        files: &["summary.json", "ports.csv", "trees.csv"],
        draw: fabric::drawing,
    },
    FigureKind {
        name: "watch",
        file: "watch.svg",
        shows: "watched quantities over time",
        files: &["summary.json", "watch.csv"],
        draw: |files| Ok(quantities::watched(files)?.svg()),
    },
    FigureKind {
        name: "ports",
        file: "ports.svg",
        shows: "ports by time: queue, use, time held back",
        files: &["summary.json", "port_series.csv"],
        draw: |files| Ok(ports::chart(files)?.svg()),
    },
    FigureKind {
        name: "sources",
        file: "sources.svg",
        shows: "rate, window and congestion control of sources over time",
        files: &["summary.json", "source_series.csv"],
        draw: |files| Ok(quantities::sources(files)?.svg()),
    },
];

impl FigureKind {
    /// Returns the figure of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FIGURES.iter().find(|figure| figure.name == name)
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
        Ok(OutputFile { name: self.file.to_owned(), contents: (self.draw)(files)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_run_writes_every_figure_that_it_has_data_for() {
        let files = fixture::files();
        let drawn: Vec<_> =
            FIGURES.iter().filter(|figure| figure.drawn(RunFiles::Written(&files)).is_ok()).collect();
        let names: Vec<_> = drawn.iter().map(|figure| figure.name).collect();
        assert_eq!(
            names,
            ["goodput", "hosts", "completions", "slowdown", "queues", "fabric", "watch", "ports", "sources"]
        );
        for figure in drawn {
            assert_eq!(figure.file, format!("{}.svg", figure.name));
            assert!(files.iter().any(|file| file.name == figure.file), "{}", figure.name);
        }
        let ports = FigureKind::named("ports").expect("the figure is listed");
        let without: Vec<_> = files.iter().filter(|file| file.name != "port_series.csv").cloned().collect();
        let fault = ports.drawn(RunFiles::Written(&without)).unwrap_err();
        assert_eq!(fault.to_string(), "there is no `port_series.csv`");
    }
}
