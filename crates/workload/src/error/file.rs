//! Faults in files beside a scenario.

use core::ops::Range;

use crate::job::goal::GoalFault;

/// A file that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FileError {
    /// The name leads out of the scenario's folder.
    #[error("`{given}` is not the name of a file in the scenario's folder, or below it")]
    Name {
        /// The name as given.
        given: String,
    },
    /// The file does not exist.
    #[error("there is no file `{given}` beside the scenario")]
    Missing {
        /// The name as given.
        given: String,
    },
    /// The contents are wrong.
    #[error(transparent)]
    InFile(#[from] Box<InFile>),
}

/// A fault in the contents of a file, with its place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}:{line}:{column}: {fault}")]
pub struct InFile {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
    /// Bytes of the file that are wrong.
    pub at: Range<usize>,
    /// The fault.
    pub fault: FileFault,
}

/// A fault in the contents of a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FileFault {
    /// The file has no numbers.
    #[error("the file is empty")]
    Empty {
        /// Expected contents.
        expected: &'static str,
    },
    /// A line has another number of columns.
    #[error("this line has {given} columns")]
    Columns {
        /// Number of columns of the line.
        given: usize,
        /// Expected number of columns, and their contents.
        expected: &'static str,
    },
    /// A word is not a number of the right kind.
    #[error("`{given}` is not {expected}")]
    Number {
        /// The word.
        given: String,
        /// Expected kind of number.
        expected: &'static str,
        /// An example or a range.
        right: &'static str,
    },
    /// A number is less than in the line before.
    #[error("{given} is less than {before} in the line before")]
    Descending {
        /// The number.
        given: f64,
        /// The number in the line before.
        before: f64,
        /// Name of the column.
        column: &'static str,
    },
    /// A distribution does not reach its end.
    #[error("the last cumulative share is {given}")]
    LastShare {
        /// The share.
        given: f64,
    },
    /// No message has the largest size.
    #[error("a size of {given} B cannot be that of a message")]
    LongestSize {
        /// The size.
        given: f64,
    },
    /// The number of flows differs from the number of lines.
    #[error("the file begins with {given} flows, and {found} follow")]
    Count {
        /// Number of flows as written.
        given: u64,
        /// Number of lines that follow.
        found: u64,
    },
    /// The file has more flows than queue pairs are made for.
    #[error("{given} flows are more than the {most} that can be made from a file")]
    TooManyFlows {
        /// Number of flows.
        given: usize,
        /// Most that are allowed.
        most: usize,
    },
    /// The topology has no host of this number.
    #[error("there is no host {given}")]
    Host {
        /// Number of the host.
        given: u32,
        /// Numbers that would be right, and the reason.
        right: String,
    },
    /// The flow leads from a host to itself.
    #[error("the flow leads from host {host} back to it")]
    ToItself {
        /// The host.
        host: u32,
    },
    /// A time lies before the run begins, or past the end of the clock.
    #[error("{given} s is before the origin, at which the run begins, or too late for the clock")]
    Start {
        /// The time as written.
        given: String,
    },
    /// No flow starts within the run.
    #[error("no flow starts within the run")]
    AfterTheRun,
    /// A fault in a list of the hosts of a job's ranks.
    #[error(transparent)]
    Ranks(#[from] RankLineFault),
    /// A fault of a text in GOAL.
    #[error(transparent)]
    Goal(#[from] GoalFault),
}

/// A fault in a line that names the host of a rank.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankLineFault {
    /// The line has another form.
    #[error("this line names no host of a rank")]
    Form,
    /// Some lines name their rank, and others do not.
    #[error("this line and those before differ in form: either all lines name their rank, or none does")]
    Mixed,
    /// The rank is not below the number of lines.
    #[error("rank {rank} is none of {ranks} ranks, the number of lines")]
    TooHigh {
        /// The rank.
        rank: u32,
        /// Number of lines.
        ranks: usize,
    },
    /// The rank has a line already.
    #[error("rank {rank} has two lines")]
    Twice {
        /// The rank.
        rank: u32,
    },
    /// The topology has no such host.
    #[error("there is no host `{name}`")]
    Unknown {
        /// The name as given.
        name: String,
    },
}

impl FileError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::Name { .. } => {
                "write a name such as `sizes.csv` or `traces/sizes.csv`, without `..`".to_owned()
            }
            Self::Missing { .. } => "put it there".to_owned(),
            Self::InFile(found) => found.fault.help(),
        }
    }
}

impl FileFault {
    /// Returns the advice that follows the message.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Empty { expected } | Self::Columns { expected, .. } => format!("write {expected}"),
            Self::Number { right, .. } => format!("write {right}"),
            Self::Descending { column, before, .. } => {
                format!("write {before} or more, since {column} never descend")
            }
            Self::LastShare { .. } => "end with 1, or with 100 where shares are percentages".to_owned(),
            Self::LongestSize { .. } => "end with a size of 1 B to 2 GiB".to_owned(),
            Self::Count { found, .. } => format!("write {found}, or the missing lines"),
            Self::TooManyFlows { .. } => "split it".to_owned(),
            Self::Host { right, .. } => format!("write {right}"),
            Self::ToItself { .. } => "name two different hosts".to_owned(),
            Self::Start { .. } => "write a later time, or an earlier `origin`".to_owned(),
            Self::Goal(fault) => fault.help(),
            Self::Ranks(RankLineFault::Unknown { .. }) => "write a host of the topology".to_owned(),
            Self::Ranks(RankLineFault::TooHigh { .. } | RankLineFault::Twice { .. }) => {
                "give each rank from 0 on one line".to_owned()
            }
            Self::Ranks(RankLineFault::Form | RankLineFault::Mixed) => {
                "write a host, such as `h3`, or a rank and its host, such as `rank 0=h3`".to_owned()
            }
            Self::AfterTheRun => {
                "set `origin` to the earliest time, which stands here, or run for longer".to_owned()
            }
        }
    }
}
