//! Faults of GOAL files.
//!
//! Invariant: a fault of a text has its line and column; a fault between two places names both lines.

use core::ops::Range;
use std::io;

use super::MAX_RANKS;

/// A file that cannot be read, or is wrong.
#[derive(Debug, thiserror::Error)]
pub enum GoalReadError {
    /// The source ends with an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The contents are wrong.
    #[error(transparent)]
    Text(#[from] Box<GoalError>),
    /// The contents of a binary file are wrong.
    #[error(transparent)]
    Binary(#[from] BinaryError),
}

/// A fault of a text, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {fault}")]
pub struct GoalError {
    /// Line, from 1.
    pub line: u64,
    /// First byte of the line that is wrong, from 1.
    pub column: usize,
    /// Length in bytes.
    pub width: usize,
    /// The fault.
    pub fault: GoalFault,
}

/// A fault of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoalFault {
    /// Another word than the grammar has there.
    #[error("{given} stands where {expected} is expected")]
    Expected {
        /// The word, in quotes, or the end of the line.
        given: String,
        /// Expected word or words.
        expected: &'static str,
    },
    /// Options in another order.
    #[error("`{given}` stands behind `{before}`")]
    OptionOrder {
        /// The option.
        given: &'static str,
        /// The option before it.
        before: &'static str,
    },
    /// An option that the statement does not have.
    #[error("`calc` has no `{given}`")]
    OptionOfCalc {
        /// The option.
        given: &'static str,
    },
    /// A send with a wildcard.
    #[error("a send with `{what} -1` reaches no receive for certain")]
    WildcardSend {
        /// The word before the wildcard.
        what: &'static str,
    },
    /// A number beyond its range.
    #[error("{given} is more than {most}, the largest {what}")]
    TooLarge {
        /// The number, as written.
        given: String,
        /// Largest number.
        most: u64,
        /// The quantity.
        what: &'static str,
    },
    /// A rank that the job does not have.
    #[error("there is no rank {given}: `num_ranks` is {ranks}")]
    NoRank {
        /// The number.
        given: u32,
        /// Number of ranks.
        ranks: u32,
    },
    /// A rank with two blocks.
    #[error("rank {rank} has a block in line {first} already")]
    RankTwice {
        /// The rank.
        rank: u32,
        /// Line of its first block.
        first: u64,
    },
    /// A second `num_ranks`.
    #[error("`num_ranks` stands in line {first} already")]
    RanksTwice {
        /// Line of the first.
        first: u64,
    },
    /// A block, or the end of the file, without `num_ranks` before.
    #[error("no `num_ranks` stands before")]
    NoRanks,
    /// A job without ranks.
    #[error("a job of 0 ranks does nothing")]
    ZeroRanks,
    /// A keyword as label.
    #[error("`{given}` is a word of the language, and cannot be a label")]
    Keyword {
        /// The word.
        given: String,
    },
    /// A label of two operations.
    #[error("line {first} has the label `{label}` already")]
    LabelTwice {
        /// The label.
        label: String,
        /// Line of the first operation with it.
        first: u64,
    },
    /// A label of no operation.
    #[error("no operation of rank {rank} has the label `{label}`")]
    NoLabel {
        /// The label.
        label: String,
        /// The rank.
        rank: u32,
    },
    /// A comment without end.
    #[error("the comment has no `*/`")]
    OpenComment,
    /// A block without end.
    #[error("the block of rank {rank} has no `}}`")]
    OpenRank {
        /// The rank.
        rank: u32,
    },
    /// Operations of a rank that wait for each other.
    #[error("operations of rank {rank} wait for each other in a circle: {}", round(lines))]
    Circle {
        /// The rank.
        rank: u32,
        /// Lines of the operations; each waits for the next.
        lines: Vec<u64>,
    },
}

/// Names the lines of a circle; the middle of a long circle is left out, with its length.
fn round(lines: &[u64]) -> String {
    const SHOWN: usize = 8;
    let line = |line: &u64| format!("line {line}");
    let mut parts: Vec<String> = lines.iter().take(SHOWN).map(line).collect();
    if lines.len() > SHOWN {
        parts.push(format!("{} more", lines.len() - SHOWN));
    }
    parts.extend(lines.first().map(line));
    parts.join(" <- ")
}

impl GoalFault {
    /// Returns the correction.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Expected { .. } => {
                "write `send 8b to 1 tag 0`, `recv 8b from 0 tag 0`, `calc 100`, `a requires b` or `a irequires b`, each on its own line, between `rank 0 {` and `}`".to_owned()
            }
            Self::OptionOrder { .. } => "write options in the order `tag`, `cpu`, `nic`, each once".to_owned(),
            Self::OptionOfCalc { .. } => "write `calc 100 cpu 1`: a computation has a `cpu` alone".to_owned(),
            Self::WildcardSend { .. } => "name the number; wildcards are for receives".to_owned(),
            Self::TooLarge { most, .. } => format!("write 0 to {most}"),
            Self::NoRank { ranks, .. } => format!("write 0 to {}", ranks.saturating_sub(1)),
            Self::RankTwice { .. } => "write all operations of a rank into one block".to_owned(),
            Self::RanksTwice { .. } => "leave out one of the two lines".to_owned(),
            Self::NoRanks => "begin the file with `num_ranks` and the number of ranks".to_owned(),
            Self::ZeroRanks => format!("write `num_ranks` with 1 to {MAX_RANKS}"),
            Self::Keyword { .. } => "name the operation otherwise, such as `l1`".to_owned(),
            Self::LabelTwice { .. } => "give each operation of a rank its own label".to_owned(),
            Self::NoLabel { .. } => {
                "write the label before the operation, `l1: calc 0`; labels of other ranks cannot be named".to_owned()
            }
            Self::OpenComment => "end it with `*/`, or begin comments of one line with `//`".to_owned(),
            Self::OpenRank { .. } => "end it with `}` on its own line".to_owned(),
            Self::Circle { .. } => "leave out one of these dependencies".to_owned(),
        }
    }
}

impl GoalError {
    /// Returns the bytes of the text that are wrong.
    #[must_use]
    pub fn range(&self, text: &str) -> Range<usize> {
        let mut start = 0;
        let mut lines = text.split_inclusive('\n').map(|line| {
            start += line.len();
            (start - line.len(), line)
        });
        let place = usize::try_from(self.line).unwrap_or(usize::MAX).saturating_sub(1);
        let Some((start, line)) = lines.nth(place) else { return text.len()..text.len() };
        let content = line.trim_end();
        let blank = content.len() - content.trim_start().len();
        // A line of several that are wrong is marked whole.
        let (from, width) = match self.column {
            0 => (blank, content.len() - blank),
            column => (column - 1, self.width),
        };
        let (from, to) = (from.min(content.len()), (from + width).min(content.len()));
        start + line.floor_char_boundary(from)..start + line.ceil_char_boundary(to)
    }
}

/// A fault of a binary file, with its offset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {fault}")]
pub struct BinaryError {
    /// Offset of the field in the file, from 0.
    pub offset: u64,
    /// The fault.
    pub fault: BinaryFault,
}

/// A fault of a binary file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BinaryFault {
    /// Another number at the beginning.
    #[error("the file begins with {given}; GOAL's binary form with 4223")]
    Magic {
        /// The number.
        given: u64,
    },
    /// The mark of `LogGOPSim`.
    #[error("the file was destroyed by a run of LogGOPSim with `--save-mem`")]
    Destroyed,
    /// The file is shorter than its fields.
    #[error("the file ends in the middle of {what}")]
    Short {
        /// The part.
        what: &'static str,
    },
    /// A number of ranks that no job has.
    #[error("{given} ranks are not 1 to {MAX_RANKS}")]
    Ranks {
        /// The number.
        given: u32,
    },
    /// Positions of a rank's block.
    #[error("the block of rank {rank} is at {start} to {end}, and {expected} is the end of the part before")]
    Position {
        /// The rank.
        rank: u32,
        /// Position of the block's first byte.
        start: u64,
        /// Position after its last byte.
        end: u64,
        /// Smallest position that it can have.
        expected: u64,
    },
    /// A block of another length than its contents.
    #[error("the block of rank {rank} has {given} bytes, and its contents {needed}")]
    Length {
        /// The rank.
        rank: u32,
        /// Length by the positions.
        given: u64,
        /// Length by the numbers of nodes, roots and edges.
        needed: u64,
    },
    /// A number that is out of its range.
    #[error("operation {operation} of rank {rank}: {what} is {given}, and at most {most}")]
    Number {
        /// The rank.
        rank: u32,
        /// The operation.
        operation: u32,
        /// The field.
        what: &'static str,
        /// Its value.
        given: u64,
        /// Largest value.
        most: u64,
    },
    /// A type that does not exist, or 0.
    #[error(
        "operation {operation} of rank {rank} has the type {given}: 1 is a send, 2 a receive, 3 a computation"
    )]
    Type {
        /// The rank.
        rank: u32,
        /// The operation.
        operation: u32,
        /// The type.
        given: u8,
    },
    /// A number that differs from the edges.
    #[error("operation {operation} of rank {rank}: {what} is {given}, and {counted} by the edges")]
    Differs {
        /// The rank.
        rank: u32,
        /// The operation.
        operation: u32,
        /// The field.
        what: &'static str,
        /// Its value.
        given: u64,
        /// Value by the edges.
        counted: u64,
    },
    /// Roots that are not the operations without predecessors.
    #[error("the roots of rank {rank} are not its operations without predecessors, in order")]
    Roots {
        /// The rank.
        rank: u32,
    },
    /// Operations of a rank that wait for each other.
    #[error("operations {operations:?} of rank {rank} wait for each other in a circle")]
    Circle {
        /// The rank.
        rank: u32,
        /// The first of the operations.
        operations: Vec<u32>,
    },
}
