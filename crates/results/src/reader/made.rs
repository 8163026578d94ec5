//! The files of a run in memory, each made when it is first asked for.
//!
//! Invariant: a file is made only on request, or if a requested figure needs it. Tables that several figures need are
//! read once.

use std::sync::OnceLock;

use telemetry::RunRecord;

use super::ReadError;
use super::facts::RunFacts;
use crate::rows::{
    ContributorRow, FlowRow, IterationRow, JobRow, MarginRow, MessageRow, MessageTimes, OperationRow,
    OutputMomentRow, PathRow, PathStepRow, PauseRow, PhaseRow, PortRow, PortSeriesRow, RankRow, RootRow,
    SeriesRow, SourceSeriesRow, TreeMomentRow, TreeRow, VictimRow, WatchRow, WorstTreeRow,
};
use crate::table::TableRow;
use crate::tables::{completions, congestion, flows, jobs, margins, observed, ports, series, timeline};
use crate::{OutputFile, Summary};

/// A file of text, and the function that makes it; `None` where the run does not have it.
type TextFile = (&'static str, fn(&MadeFiles<'_>) -> Option<String>);

/// Files of text, in the order of the list.
const TEXTS: [TextFile; 26] = [
    ("summary.json", |made| Some(made.summary.json())),
    (FlowRow::FILE, |made| Some(flows::flows(made.record, &made.summary.alone_bps))),
    (PathRow::FILE, |made| made.summary.path_outputs.as_ref().map(|paths| flows::paths(made.record, paths))),
    (PhaseRow::FILE, |made| Some(flows::phases(made.record))),
    (JobRow::FILE, |made| jobs::jobs(made.record)),
    (IterationRow::FILE, |made| jobs::iterations(made.record)),
    (RankRow::FILE, |made| jobs::ranks(made.record)),
    (OperationRow::FILE, |made| jobs::operations(made.record)),
    (PathStepRow::FILE, |made| jobs::critical_path(made.record)),
    (SeriesRow::FILE, |made| Some(series::series(made.record))),
    (PortRow::FILE, |made| Some(ports::ports(made.record))),
    (TreeRow::FILE, |made| Some(congestion::files::trees(made.record))),
    (RootRow::FILE, |made| Some(congestion::files::roots(made.record))),
    (ContributorRow::FILE, |made| Some(congestion::files::contributors(made.record))),
    (VictimRow::FILE, |made| Some(congestion::files::victims(made.record))),
    (MarginRow::FILE, |made| Some(margins::margins(made.record))),
    ("plan.ron", |made| Some(made.plan.clone())),
    (WorstTreeRow::FILE, |made| congestion::worst::worst_tree(made.record)),
    (WatchRow::FILE, |made| series::watch(made.record)),
    (PortSeriesRow::FILE, |made| observed::ports(made.record)),
    (SourceSeriesRow::FILE, |made| observed::sources(made.record)),
    (PauseRow::FILE, |made| observed::pauses(made.record)),
    (OutputMomentRow::FILE, |made| timeline::outputs(made.record)),
    (TreeMomentRow::FILE, |made| timeline::trees(made.record)),
    (MessageRow::FILE, |made| completions::file(made.record)),
    ("fct.txt", |made| completions::hpcc(made.record)),
];

/// The files of a run.
#[derive(Debug)]
pub struct MadeFiles<'a> {
    summary: &'a Summary,
    record: &'a RunRecord,
    /// The resolved plan as text.
    plan: String,
    texts: [OnceLock<Option<String>>; TEXTS.len()],
    pub(super) tables: ReadTables,
}

/// Tables that were read from files of the run.
#[derive(Debug, Default)]
pub(super) struct ReadTables {
    pub(super) facts: OnceLock<RunFacts>,
    pub(super) flows: OnceLock<Vec<FlowRow<'static>>>,
    pub(super) series: OnceLock<Vec<SeriesRow<'static>>>,
    pub(super) messages: OnceLock<Vec<MessageTimes>>,
}

impl<'a> MadeFiles<'a> {
    /// Takes the results of a run, and makes no file yet. `plan` is the resolved plan as text.
    #[must_use]
    pub fn new(summary: &'a Summary, record: &'a RunRecord, plan: String) -> Self {
        let texts = [const { OnceLock::new() }; TEXTS.len()];
        Self { summary, record, plan, texts, tables: ReadTables::default() }
    }

    /// Returns the names of all files of text, in the order of the list.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TEXTS.iter().map(|(name, _)| *name)
    }

    /// Returns the text of a file, if there is a file of this name and the run has it.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let place = TEXTS.iter().position(|(known, _)| *known == name)?;
        self.texts[place].get_or_init(|| TEXTS[place].1(self)).as_deref()
    }

    /// Returns the names of the files that were asked for so far, for tests.
    #[cfg(any(test, feature = "sample"))]
    pub fn made(&self) -> impl Iterator<Item = &'static str> {
        let texts = TEXTS.iter().zip(&self.texts);
        texts.filter(|(_, text)| text.get().is_some()).map(|((name, _), _)| *name)
    }

    /// Returns the files of these names that the run has, in the order of the list.
    #[must_use]
    pub fn into_files(self, is_wanted: impl Fn(&str) -> bool) -> Vec<OutputFile> {
        let wanted = || TEXTS.iter().map(|(name, _)| *name).filter(|name| is_wanted(name));
        for name in wanted() {
            let _ = self.text(name);
        }
        let made = TEXTS.iter().zip(self.texts).filter(|((name, _), _)| is_wanted(name));
        let file = |name: &str, contents| OutputFile { name: name.to_owned(), contents };
        made.filter_map(|((name, _), text)| Some(file(name, text.into_inner()??))).collect()
    }
}

/// Returns a table that was read before, or reads it.
pub(super) fn read_once<T>(
    table: &OnceLock<T>,
    read: impl FnOnce() -> Result<T, ReadError>,
) -> Result<&T, ReadError> {
    match table.get() {
        Some(read) => Ok(read),
        None => {
            let read = read()?;
            Ok(table.get_or_init(|| read))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunFiles, sample};

    #[test]
    fn a_table_that_is_asked_for_is_made_and_read_and_no_other() {
        let record = sample::record();
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        let made = MadeFiles::new(&summary, &record, String::new());
        assert_eq!(RunFiles::Made(&made).messages().expect("the run has messages").len(), 4);
        assert_eq!(made.made().collect::<Vec<_>>(), ["fct.csv"]);
        assert!(made.tables.messages.get().is_some() && made.tables.flows.get().is_none());
    }
}
