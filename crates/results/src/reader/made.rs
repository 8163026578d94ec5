//! The files of a run in memory, each made when it is first asked for.
//!
//! Invariant: a file is made only on request, or if a requested figure needs it. Tables that several figures need are
//! read once.

use std::sync::OnceLock;

use telemetry::RunRecord;

use super::ReadError;
use super::rows::{FlowRow, MessageRow, RunFacts, SeriesRow};
use crate::tables::{completions, congestion, flows, margins, observed, ports, series, timeline};
use crate::{OutputFile, Summary};

/// A file of text, and the function that makes it; `None` where the run does not have it.
type TextFile = (&'static str, fn(&MadeFiles<'_>) -> Option<String>);

/// Files of text, in the order of the list.
const TEXTS: [TextFile; 20] = [
    ("summary.json", |made| Some(made.summary.json())),
    ("flows.csv", |made| Some(flows::flows(made.record))),
    ("phases.csv", |made| Some(flows::phases(made.record))),
    ("series.csv", |made| Some(series::series(made.record))),
    ("ports.csv", |made| Some(ports::ports(made.record))),
    ("trees.csv", |made| Some(congestion::files::trees(made.record))),
    ("roots.csv", |made| Some(congestion::files::roots(made.record))),
    ("contributors.csv", |made| Some(congestion::files::contributors(made.record))),
    ("victims.csv", |made| Some(congestion::files::victims(made.record))),
    ("margins.csv", |made| Some(margins::margins(made.record))),
    ("plan.ron", |made| Some(made.plan.clone())),
    ("worst_tree.csv", |made| congestion::worst::worst_tree(made.record)),
    ("watch.csv", |made| series::watch(made.record)),
    ("port_series.csv", |made| observed::ports(made.record)),
    ("source_series.csv", |made| observed::sources(made.record)),
    ("pauses.csv", |made| observed::pauses(made.record)),
    ("timeline.csv", |made| timeline::outputs(made.record)),
    ("timeline_trees.csv", |made| timeline::trees(made.record)),
    ("fct.csv", |made| completions::file(made.record)),
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
    pub(super) flows: OnceLock<Vec<FlowRow>>,
    pub(super) series: OnceLock<Vec<SeriesRow>>,
    pub(super) messages: OnceLock<Vec<MessageRow>>,
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
