//! Files beside a scenario: tables of numbers, as other tools of the field write them.
//!
//! Invariant: whatever is wrong is said with its line and column; nothing is skipped but empty lines and
//! what stands behind a `#`.

pub(crate) mod cdf;
pub(crate) mod flow_list;

use core::ops::Range;
use core::str::FromStr;

pub(crate) use cdf::Cdf;
use units::words::{Word, range};

use crate::error::WorkloadErrorKind;

/// What is wrong with a file, and where in its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flaw {
    at: Range<usize>,
    kind: FileErrorKind,
}

/// Something wrong within a file beside the scenario.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}:{line}:{column}: {kind}")]
pub struct InFile {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// The bytes of the file that are wrong.
    pub at: Range<usize>,
    /// What is wrong there.
    pub kind: FileErrorKind,
}

/// What can be wrong with a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FileErrorKind {
    /// A file without numbers.
    #[error("the file is empty: it holds {what}")]
    Empty {
        /// What it should hold.
        what: &'static str,
    },
    /// A line of another length.
    #[error("this line has {given} columns: it has {expected}")]
    Columns {
        /// How many there are.
        given: usize,
        /// How many there should be, and which.
        expected: &'static str,
    },
    /// Something that is no number of the right kind.
    #[error("`{given}` is not {what}: write {right}")]
    Number {
        /// As written.
        given: String,
        /// What it should be.
        what: &'static str,
        /// An example or a range.
        right: &'static str,
    },
    /// A column that goes down.
    #[error("{given} is less than {before} in the line before: {what} do not go down")]
    Descending {
        /// As written.
        given: f64,
        /// In the line before.
        before: f64,
        /// Which column.
        what: &'static str,
    },
    /// A distribution that does not come to its end.
    #[error("the last cumulative share is {given}: it is 1, or 100 where shares are percentages")]
    LastShare {
        /// As written.
        given: f64,
    },
    /// A longest size that no message has.
    #[error("a size of {given} B cannot be that of a message: the longest of a distribution is 1 B to 2 GiB")]
    LongestSize {
        /// As written.
        given: f64,
    },
    /// A number of flows that is not that of the lines.
    #[error("the file begins with {given} flows, and {found} follow: write {found}, or the missing lines")]
    Count {
        /// As written.
        given: u64,
        /// How many lines follow.
        found: u64,
    },
    /// More flows than queue pairs are made for.
    #[error("{given} flows are more than the {most} that can be made from a file: split it")]
    TooManyFlows {
        /// How many there are.
        given: usize,
        /// The most.
        most: usize,
    },
    /// A host that the topology does not have.
    #[error(
        "there is no host {given}: hosts are numbered from 0 in the order of the topology, which has {hosts}"
    )]
    Host {
        /// As written.
        given: u64,
        /// How many there are.
        hosts: usize,
    },
    /// A flow from a host to itself.
    #[error("the flow leads from host {host} back to it: name two different hosts")]
    ToItself {
        /// The host.
        host: u64,
    },
    /// A time before the run begins, or past the end of the clock.
    #[error(
        "{given} s is before the origin, at which the run begins, or too late for the clock: write a later time, or an earlier `origin`"
    )]
    Start {
        /// As written.
        given: String,
    },
    /// Flows of which none starts within the run.
    #[error(
        "no flow starts within the run: the earliest does here, so set `origin` to that, or run for longer"
    )]
    AfterTheRun,
}

impl Flaw {
    pub(crate) fn in_file(self, file: &str, text: &str) -> WorkloadErrorKind {
        let before = &text[..self.at.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        WorkloadErrorKind::InFile(Box::new(InFile {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            at: self.at,
            kind: self.kind,
        }))
    }
}

/// A flaw of a word.
fn flaw(word: Word<'_>, kind: FileErrorKind) -> Flaw {
    Flaw { at: word.range(), kind }
}

/// A flaw of a whole line.
fn whole_line(words: &[Word<'_>], kind: FileErrorKind) -> Flaw {
    Flaw { at: range(words), kind }
}

/// The number that a word spells.
fn number<T: FromStr>(word: Word<'_>, what: &'static str, right: &'static str) -> Result<T, Flaw> {
    let wrong = |_| flaw(word, FileErrorKind::Number { given: word.text.to_owned(), what, right });
    word.text.parse().map_err(wrong)
}
