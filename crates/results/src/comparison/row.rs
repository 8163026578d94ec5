//! A row of a comparison: one number of every run.

use telemetry::RunRecord;

use crate::format::grouped;
use crate::summary::Summary;
use measures::censoring::CensoredValue;

/// A run in a comparison.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRun<'a> {
    /// Name of the run in headings.
    pub label: &'a str,
    /// Scenario and overrides, as given on the command line.
    pub asked: &'a str,
    /// Summary of the run.
    pub summary: &'a Summary,
    /// Record of the run.
    pub record: &'a RunRecord,
}

/// A row of the comparison, with a cell for each run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ComparisonRow {
    /// Topic: `goodput`, `completion`.
    pub(super) topic: &'static str,
    /// Phase or bin of sizes; empty if the row is about neither.
    pub(super) phase: String,
    /// Name of the flow or measure.
    pub(super) what: String,
    /// Value of each run; `None` if a run has none.
    pub(super) cells: Vec<Option<CensoredValue>>,
    pub(super) unit: ValueUnit,
}

/// Unit and format of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueUnit {
    Gbps,
    Share,
    Us,
    Count,
}

impl ValueUnit {
    pub(super) fn of(self, value: CensoredValue) -> String {
        match self {
            Self::Gbps => value.printed(2),
            Self::Share => value.printed(3),
            Self::Us => value.printed(1),
            Self::Count => grouped(value.at_least() as u64),
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Gbps => "Gb/s",
            Self::Share => "1",
            Self::Us => "us",
            Self::Count => "count",
        }
    }
}
