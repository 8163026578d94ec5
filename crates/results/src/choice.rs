//! The choice of the files that a run writes.
//!
//! Invariant: some run writes each file named here. Tables are chosen by their names in CSV, whatever their format.

use std::collections::BTreeSet;

use settings::glob;

use crate::figure_files;
use crate::rows::{
    ContributorRow, FlowRow, IterationRow, JobRow, MarginRow, MessageRow, OperationRow, OutputMomentRow,
    PathRow, PathStepRow, PauseRow, PhaseRow, PortRow, PortSeriesRow, RankRow, RootRow, SeriesRow,
    SourceSeriesRow, TreeMomentRow, TreeRow, VictimRow, WatchRow, WorstTreeRow,
};
use crate::table::TableRow;

/// Names of all files that a run may write besides the files that its scenario names.
pub const FILE_NAMES: [&str; 36] = [
    "summary.json",
    FlowRow::FILE,
    PathRow::FILE,
    PhaseRow::FILE,
    JobRow::FILE,
    IterationRow::FILE,
    RankRow::FILE,
    OperationRow::FILE,
    PathStepRow::FILE,
    SeriesRow::FILE,
    PortRow::FILE,
    TreeRow::FILE,
    RootRow::FILE,
    ContributorRow::FILE,
    VictimRow::FILE,
    WorstTreeRow::FILE,
    MarginRow::FILE,
    figure_files::GOODPUT.name,
    figure_files::HOSTS.name,
    figure_files::COMPLETIONS.name,
    figure_files::SLOWDOWN.name,
    figure_files::QUEUES.name,
    figure_files::FABRIC.name,
    figure_files::WATCH.name,
    figure_files::PORTS.name,
    figure_files::SOURCES.name,
    "plan.ron",
    WatchRow::FILE,
    PortSeriesRow::FILE,
    SourceSeriesRow::FILE,
    PauseRow::FILE,
    OutputMomentRow::FILE,
    TreeMomentRow::FILE,
    MessageRow::FILE,
    FCT_TXT,
    PAGE,
];

/// Name of the file of completion times in the format of HPCC's simulator.
pub const FCT_TXT: &str = "fct.txt";
/// Name of the page of a folder.
pub const PAGE: &str = "report.html";
/// Files that are written only where they are named.
const NAMED_ONLY: [&str; 2] = [FCT_TXT, PAGE];

/// Word for all files but those that are written only where they are named.
const ALL: &str = "all";
/// Word for no file.
const NONE: &str = "none";

/// Files that a run writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChoice {
    /// All files that the run has, but `fct.txt` and `report.html`.
    All,
    /// Files of these names; the run may lack some.
    These(BTreeSet<&'static str>),
}

/// A name that no file of a run has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a run writes no file `{name}`: name files of this list, with `*` for any letters, or `all` or `none`: {}", FILE_NAMES.join(", "))]
pub struct UnknownFile {
    /// The name or pattern.
    pub name: String,
}

impl FileChoice {
    /// Reads a list of names and patterns, divided by commas: `summary.json,*.svg`, `all,fct.txt`, `none`.
    ///
    /// # Errors
    /// If a run writes no file of such a name.
    ///
    /// ```
    /// use results::FileChoice;
    ///
    /// let choice = FileChoice::read("summary.json, t*.csv")?;
    /// assert!(choice.has("trees.csv") && !choice.has("flows.csv"));
    /// assert!(FileChoice::read("flow.csv").is_err());
    /// # Ok::<(), results::choice::UnknownFile>(())
    /// ```
    pub fn read(list: &str) -> Result<Self, UnknownFile> {
        let mut chosen = BTreeSet::new();
        for word in list.split(',').map(str::trim) {
            let of_word = |name: &&'static str| match word {
                ALL => !NAMED_ONLY.contains(name),
                _ => glob::matches(word, name),
            };
            let named: Vec<_> = FILE_NAMES.into_iter().filter(of_word).collect();
            if named.is_empty() && word != NONE {
                return Err(UnknownFile { name: word.to_owned() });
            }
            chosen.extend(named);
        }
        Ok(if chosen == Self::all() { Self::All } else { Self::These(chosen) })
    }

    /// Chooses no file.
    #[must_use]
    pub const fn none() -> Self {
        Self::These(BTreeSet::new())
    }

    /// Adds a file to the choice.
    #[must_use]
    pub fn with(self, name: &'static str) -> Self {
        if self.has(name) {
            return self;
        }
        let mut chosen = match self {
            Self::All => Self::all(),
            Self::These(chosen) => chosen,
        };
        chosen.insert(name);
        Self::These(chosen)
    }

    /// Returns true if the file of this name is chosen.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::All => !NAMED_ONLY.contains(&name),
            Self::These(chosen) => chosen.contains(name),
        }
    }

    /// Returns the chosen names in the order of [`FILE_NAMES`].
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        FILE_NAMES.into_iter().filter(|name| self.has(name)).collect()
    }

    fn all() -> BTreeSet<&'static str> {
        FILE_NAMES.into_iter().filter(|name| !NAMED_ONLY.contains(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_names_patterns_and_words() {
        let names = |list: &str| FileChoice::read(list).unwrap().names().join(" ");
        assert_eq!(names("plan.ron,summary.json"), "summary.json plan.ron");
        assert_eq!(names("timeline*"), "timeline.csv timeline_trees.csv");
        assert_eq!(names("none"), "");
        assert_eq!(FileChoice::read("all"), Ok(FileChoice::All));
        assert_eq!(FileChoice::read("*.csv,all"), Ok(FileChoice::All));
        assert_eq!(FileChoice::read("all,fct.txt"), Ok(FileChoice::All.with(FCT_TXT)));
        assert_eq!(names("all").split(' ').count() + NAMED_ONLY.len(), FILE_NAMES.len());
    }

    #[test]
    fn unknown_names_are_refused_with_the_list() {
        for list in ["flow.csv", "", "summary.json,", "flows.parquet", "x*"] {
            let fault = FileChoice::read(list).unwrap_err().to_string();
            assert!(
                fault.contains("a run writes no file `") && fault.contains("flows.csv, paths.csv"),
                "{fault}"
            );
        }
    }
}
