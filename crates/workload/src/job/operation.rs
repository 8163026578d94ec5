//! Operations of ranks, and the messages from a rank to another.
//!
//! Invariant: plain data.

use units::Span;

/// Number of an operation in the program of its rank, from 0.
pub type OperationId = u32;

/// The work of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Sends a message.
    Send {
        /// Rank of the receiver.
        to: u32,
        /// Size of the message, in bytes; 0 is a packet without payload.
        bytes: u64,
        /// Tag, up to 2^32 - 2.
        tag: u32,
    },
    /// Waits for a message.
    Receive {
        /// Rank of the sender; `None` for any.
        from: Option<u32>,
        /// Size of the message, in bytes.
        bytes: u64,
        /// Tag, up to 2^32 - 2; `None` for any.
        tag: Option<u32>,
    },
    /// Computes.
    Compute {
        /// Length of the computation; a span of 0 joins edges.
        span: Span,
    },
}

/// An operation of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its work.
    pub work: Work,
    /// Number of the rank's processor. Operations on one processor exclude each other.
    pub cpu: u8,
    /// Number of the rank's network interface.
    pub nic: u8,
}

/// The messages from a rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SentTo {
    pub(super) to: u32,
    pub(super) messages: u64,
    /// Their payload, in bytes; all ones for as much or more.
    pub(super) bytes: u64,
    /// The longest of them, in bytes.
    pub(super) longest: u64,
    /// Messages that ask their receiver first: those with at least so many bytes as a job says.
    pub(super) asking: u64,
}

const _: () = assert!(size_of::<Operation>() <= 32, "an operation is passed by value");

impl Work {
    /// Returns the operation on a processor, with the first network interface.
    #[must_use]
    pub const fn on_cpu(self, cpu: u8) -> Operation {
        Operation { work: self, cpu, nic: 0 }
    }
}

impl SentTo {
    /// Adds up the messages to each receiver.
    pub(super) fn by_receiver(sent: impl Iterator<Item = Self>) -> Vec<Self> {
        let mut all: Vec<Self> = sent.collect();
        all.sort_unstable_by_key(|sent| sent.to);
        let sum = |of_one: &[Self]| Self {
            to: of_one[0].to,
            messages: of_one.iter().map(|sent| sent.messages).sum(),
            bytes: of_one.iter().fold(0, |sum: u64, sent| sum.saturating_add(sent.bytes)),
            longest: of_one.iter().map(|sent| sent.longest).max().unwrap_or(0),
            asking: of_one.iter().map(|sent| sent.asking).sum(),
        };
        all.chunk_by(|one, other| one.to == other.to).map(sum).collect()
    }
}
