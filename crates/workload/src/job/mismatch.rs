//! Faults between the programs of a job's ranks.
//!
//! Invariant: a fault names the operations, with their lines once [`Mismatch::at_lines`] was told them.

use core::fmt::{self, Display, Formatter};

use super::channel::Channel;
use super::graph::{OperationId, Programs, Work};

/// An operation of a job, as messages name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedOperation {
    /// Its rank.
    pub rank: u32,
    /// Its number in the rank's program.
    pub operation: OperationId,
    /// Its work.
    pub work: Work,
    /// Its line in the file; `None` if there is no file, or nobody has looked.
    pub line: Option<u64>,
}

/// Programs that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A send without a receive.
    #[error("{send} has no receive: {}", counts(*channel, *sends, *receives))]
    NoReceive {
        /// The first send without a receive.
        send: NamedOperation,
        /// Number of sends.
        sends: u64,
        /// Number of receives.
        receives: u64,
        /// Source, destination and tag.
        channel: (u32, u32, u32),
    },
    /// A receive without a send.
    #[error("{receive} has no send: {}", counts(*channel, *sends, *receives))]
    NoSend {
        /// The first receive without a send.
        receive: NamedOperation,
        /// Number of sends.
        sends: u64,
        /// Number of receives.
        receives: u64,
        /// Source, destination and tag.
        channel: (u32, u32, u32),
    },
    /// A rank that receives from any rank or with any tag more or fewer messages than are sent to it.
    #[error("rank {rank} has {}, and {} it", counted(*receives, "receive"), sent_to(*sends))]
    Number {
        /// The rank.
        rank: u32,
        /// Number of sends to it.
        sends: u64,
        /// Number of its receives.
        receives: u64,
    },
    /// A message that no receive fits, or a receive that no message fits, at a rank with receives from any rank or
    /// with any tag.
    #[error("{}", no_fit(operation, *sends, *receives, *channel, *bytes))]
    NoFit {
        /// The send or receive, the first of its kind.
        operation: NamedOperation,
        /// Number of sends that fit the receive, or that are like the send.
        sends: u64,
        /// Number of receives that are like the receive, or that fit the send.
        receives: u64,
        /// Source, destination and tag; all ones for any.
        channel: (u32, u32, u32),
        /// Size of each.
        bytes: u64,
    },
    /// A send and its receive of different sizes.
    #[error("{send} sends {sent} B, and {receive} receives {received} B")]
    Size {
        /// The send.
        send: NamedOperation,
        /// The receive.
        receive: NamedOperation,
        /// Size of the send, in bytes.
        sent: u64,
        /// Size of the receive, in bytes.
        received: u64,
    },
    /// A send to a rank that the job does not have.
    #[error("{operation} names a rank that does not exist: the job has {}", counted(u64::from(*ranks), "rank"))]
    NoRank {
        /// The operation.
        operation: NamedOperation,
        /// Number of ranks.
        ranks: u32,
    },
    /// Operations that wait for each other.
    #[error("operations wait for each other in a circle: {}", round(operations))]
    Circle {
        /// The operations; each waits for the next, and the last for the first.
        operations: Vec<NamedOperation>,
    },
}

impl NamedOperation {
    pub(super) fn new(programs: &Programs, rank: u32, operation: OperationId) -> Self {
        let work = programs.ranks[rank as usize].operation(operation).work;
        Self { rank, operation, work, line: None }
    }
}

impl Mismatch {
    /// Returns the correction.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::NoReceive { .. } | Self::NoSend { .. } | Self::Number { .. } => {
                "write as many receives as sends for each source, destination and tag"
            }
            Self::NoFit { .. } => {
                "write a receive that fits for each send: its size, and its source and tag, or -1 for any"
            }
            Self::Size { .. } => {
                "write the same size; sends and receives of a source, destination and tag are paired in their order"
            }
            Self::NoRank { .. } => "name a rank of the job",
            Self::Circle { .. } => "let one of these operations wait for less",
        }
    }

    /// Returns the operations that the fault names, by rank and number.
    #[must_use]
    pub fn operations(&self) -> Vec<(u32, OperationId)> {
        let mut copy = self.clone();
        copy.named().map(|named| (named.rank, named.operation)).collect()
    }

    /// Returns the line of the first operation.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.clone().named().next().and_then(|named| named.line)
    }

    /// Names lines, in the order of [`operations`](Self::operations).
    #[must_use]
    pub fn at_lines(mut self, lines: &[Option<u64>]) -> Self {
        self.named().zip(lines).for_each(|(named, line)| named.line = *line);
        self
    }

    fn named(&mut self) -> impl Iterator<Item = &mut NamedOperation> {
        let (first, second, many) = match self {
            Self::NoReceive { send, .. } => (Some(send), None, &mut [][..]),
            Self::NoSend { receive, .. } => (Some(receive), None, &mut [][..]),
            Self::Number { .. } => (None, None, &mut [][..]),
            Self::Size { send, receive, .. } => (Some(send), Some(receive), &mut [][..]),
            Self::NoRank { operation, .. } | Self::NoFit { operation, .. } => {
                (Some(operation), None, &mut [][..])
            }
            Self::Circle { operations } => (None, None, &mut operations[..]),
        };
        first.into_iter().chain(second).chain(many)
    }
}

/// Writes `rank 0: send to 1 (line 14)`.
impl Display for NamedOperation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: ", self.rank)?;
        match self.work {
            Work::Send { to, .. } => write!(f, "send to {to}")?,
            Work::Receive { from: Some(from), .. } => write!(f, "recv from {from}")?,
            Work::Receive { from: None, .. } => f.write_str("recv from any rank")?,
            Work::Compute { .. } => f.write_str("calc")?,
        }
        match self.line {
            Some(line) => write!(f, " (line {line})"),
            None => write!(f, " (operation {})", self.operation),
        }
    }
}

/// Returns a count with its noun, in the plural unless it is 1.
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn sent_to(sends: u64) -> String {
    let verb = if sends == 1 { "goes to" } else { "go to" };
    format!("{} {verb}", counted(sends, "message"))
}

/// Writes `2 sends from rank 0 to 1 with tag 7, and 1 receive`.
fn counts((source, destination, tag): (u32, u32, u32), sends: u64, receives: u64) -> String {
    debug_assert!(tag != Channel::ANY, "wildcards are counted by rank");
    let (sends, receives) = (counted(sends, "send"), counted(receives, "receive"));
    format!("{sends} from rank {source} to {destination} with tag {tag}, and {receives}")
}

/// Writes `rank 0: recv from any (line 3) has no send: 0 sends of 8 B from any rank to 0 with tag 5, and 1 receive`.
fn no_fit(
    operation: &NamedOperation,
    sends: u64,
    receives: u64,
    (source, destination, tag): (u32, u32, u32),
    bytes: u64,
) -> String {
    let missing = if matches!(operation.work, Work::Send { .. }) { "receive" } else { "send" };
    let from = if source == Channel::ANY { "any rank".to_owned() } else { format!("rank {source}") };
    let tag = if tag == Channel::ANY { "any tag".to_owned() } else { format!("tag {tag}") };
    let (noun, number) = if sends == 1 { ("send", "1") } else { ("sends", &*sends.to_string()) };
    let receives = counted(receives, "receive");
    format!(
        "{operation} has no {missing}: {number} {noun} of {bytes} B from {from} to {destination} with {tag}, and {receives}"
    )
}

/// Names the operations of a circle; the middle of a long circle is left out, with its length.
fn round(operations: &[NamedOperation]) -> String {
    const SHOWN: usize = 8;
    let mut parts: Vec<String> = operations.iter().take(SHOWN).map(NamedOperation::to_string).collect();
    if operations.len() > SHOWN {
        parts.push(format!("{} more", operations.len() - SHOWN));
    }
    parts.extend(operations.first().map(NamedOperation::to_string));
    parts.join(" <- ")
}
