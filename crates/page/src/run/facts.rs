//! The parts of `summary.json` that a page needs.
//!
//! Invariant: a summary without any of these fields is refused.

use results::reader::{ReadError, RunFiles};
use results::verdict::Verdict;
use serde::Deserialize;

use super::subjects::Subjects;
use crate::data::read_parsed;

#[derive(Debug, Deserialize)]
pub(super) struct RunSummary {
    pub scenario: String,
    pub digest: String,
    pub wall_s: f64,
    pub events: u64,
    pub delivered_packets: u64,
    pub dropped_packets: u64,
    pub completions: Option<CompletionFacts>,
    pub congestion: CongestionFacts,
    /// Flows, patterns and groups against their best; a run of a former version has none.
    #[serde(default)]
    pub standings: Subjects,
    /// The answer in four sentences; a run of a former version has none.
    pub verdict: Option<Verdict>,
    /// Remarks, few on a page; a run of a former version has none.
    #[serde(default)]
    pub remarks: Vec<RemarkFacts>,
}

/// A remark on the run.
#[derive(Debug, Deserialize)]
pub(super) struct RemarkFacts {
    about: String,
    text: String,
}

impl RunSummary {
    /// Returns the sentences on reordering and detours, which no figure shows.
    pub(super) fn on_paths(&self) -> impl Iterator<Item = String> {
        let shown =
            self.remarks.iter().filter(|one| ["out_of_order", "detours"].contains(&one.about.as_str()));
        shown.map(|one| one.text.clone())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct CompletionFacts {
    pub posted_messages: u64,
    pub by_size: Vec<SizeFacts>,
}

/// Completion times of messages of a class of sizes, in us.
#[derive(Debug, Deserialize)]
pub(super) struct SizeFacts {
    pub up_to_bytes: Option<u64>,
    pub posted_messages: u64,
    pub delivered_messages: u64,
    pub fct_us: Quantiles,
    pub slowdown: Quantiles,
}

#[derive(Debug, Deserialize)]
pub(super) struct Quantiles {
    pub p50: Option<Bound>,
    pub p99: Option<Bound>,
}

/// A quantile, or its bounds where unfinished messages could change it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Bound {
    Exact(f64),
    Between { at_least: f64, at_most: Option<f64> },
}

#[derive(Debug, Deserialize)]
pub(super) struct CongestionFacts {
    /// Those that cost most first.
    pub worst_roots: Vec<RootFacts>,
}

/// A root of congestion trees.
#[derive(Debug, Deserialize)]
pub(super) struct RootFacts {
    pub node: String,
    pub port: u32,
}

impl RunSummary {
    pub(super) fn read(files: RunFiles<'_>) -> Result<Self, ReadError> {
        read_parsed(files, "summary.json", |text| serde_json::from_str(text))
    }
}

impl Bound {
    /// Returns the value or its bounds as text, by a spelling of numbers.
    pub(super) fn in_words(&self, spelled: fn(f64) -> String) -> String {
        match self {
            Self::Exact(value) => spelled(*value),
            Self::Between { at_least, at_most: Some(most) } => {
                let (least, most) = (spelled(*at_least), spelled(*most));
                if least == most { least } else { format!("{least} to {most}") }
            }
            Self::Between { at_least, at_most: None } => format!("at least {}", spelled(*at_least)),
        }
    }
}
