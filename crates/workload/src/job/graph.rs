//! Programs of ranks: lists of operations, or formulas.
//!
//! Invariant: a graph has no cycle and never changes; ranks of a run share it. A list takes some 34 bytes an operation
//! (see `listed`). A ring's rank takes the same few bytes for any number of ranks: the 544 million operations of an
//! all-reduce over 11,664 ranks would be 18 GB of lists.
//!
//! ```
//! use workload::job::{GraphBuilder, Work};
//!
//! let mut builder = GraphBuilder::default();
//! let receive = builder.add(Work::Receive { from: Some(3), bytes: 4096, tag: Some(0) }.on_cpu(0));
//! let send = builder.add(Work::Send { to: 1, bytes: 4096, tag: 0 }.on_cpu(0));
//! builder.requires(send, receive);
//! let graph = builder.build().expect("the send waits for the receive alone");
//! assert_eq!(graph.after_end(receive).collect::<Vec<_>>(), [send]);
//! assert_eq!(graph.roots().collect::<Vec<_>>(), [receive]);
//! ```

use core::{iter, slice};
use std::borrow::Cow;

use units::Span;

use super::channel::Channel;
use super::listed::Listed;
pub(super) use super::operation::SentTo;
pub use super::operation::{Operation, OperationId, Work};
use super::ring::RingRank;

/// The program of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Listed(Listed),
    Ring(RingRank),
}

/// Operations that wait for another, in the order in which they were named.
#[derive(Clone, Debug)]
pub enum Successors<'a> {
    /// Operations of a list. Each may wait for others too.
    Listed(iter::Copied<slice::Iter<'a, OperationId>>),
    /// Operations of a formula, which wait for no other.
    Alone(core::ops::Range<OperationId>),
}

/// The programs of a job, by rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// A program for each rank; a rank without operations has an empty program.
    pub ranks: Vec<Graph>,
}

const _: () = assert!(size_of::<Graph>() <= 136, "a rank of a ring takes no more");

impl Default for Graph {
    /// A program without operations.
    fn default() -> Self {
        Listed::default().into()
    }
}

impl From<Listed> for Graph {
    fn from(listed: Listed) -> Self {
        Self { form: Form::Listed(listed) }
    }
}

impl From<RingRank> for Graph {
    fn from(ring: RingRank) -> Self {
        Self { form: Form::Ring(ring) }
    }
}

impl Graph {
    /// Returns the number of operations.
    #[must_use]
    pub fn operations(&self) -> usize {
        match &self.form {
            Form::Listed(listed) => listed.operations(),
            Form::Ring(ring) => ring.operations() as usize,
        }
    }

    /// Returns an operation.
    #[must_use]
    pub fn operation(&self, id: OperationId) -> Operation {
        match &self.form {
            Form::Listed(listed) => listed.operation(id),
            Form::Ring(ring) => ring.operation(id),
        }
    }

    /// Returns true for a computation of no length.
    #[must_use]
    pub fn takes_no_time(&self, id: OperationId) -> bool {
        match &self.form {
            Form::Listed(listed) => matches!(listed.operation(id).work, Work::Compute { span: Span::ZERO }),
            Form::Ring(_) => false,
        }
    }

    /// Returns the number of predecessors, both those that must have ended and those that must have started. An edge
    /// that is named twice counts twice, here and among the successors.
    #[must_use]
    pub fn predecessors(&self, id: OperationId) -> u32 {
        match &self.form {
            Form::Listed(listed) => listed.predecessors(id),
            Form::Ring(ring) => ring.predecessors(id),
        }
    }

    /// Returns the numbers of predecessors of all operations; none of a formula, in which each operation has one at
    /// most.
    pub(super) fn counters(&self) -> Vec<u32> {
        match &self.form {
            Form::Listed(listed) => {
                (0..listed.operations() as u32).map(|id| listed.predecessors(id)).collect()
            }
            Form::Ring(_) => Vec::new(),
        }
    }

    /// Returns the operations that may start once this one has ended.
    #[must_use]
    pub fn after_end(&self, id: OperationId) -> Successors<'_> {
        match &self.form {
            Form::Listed(listed) => Successors::Listed(listed.after_end(id).iter().copied()),
            Form::Ring(ring) => Successors::Alone(ring.after_end(id)),
        }
    }

    /// Returns the operations that may start once this one has started.
    #[must_use]
    pub fn after_start(&self, id: OperationId) -> Successors<'_> {
        match &self.form {
            Form::Listed(listed) => Successors::Listed(listed.after_start(id).iter().copied()),
            Form::Ring(_) => Successors::Alone(0..0),
        }
    }

    /// Returns the operations without predecessors, in order.
    pub fn roots(&self) -> impl Iterator<Item = OperationId> {
        let (listed, ring) = match &self.form {
            Form::Listed(listed) => (Some(listed.roots()), None),
            Form::Ring(ring) => (None, Some(ring.roots())),
        };
        listed.into_iter().flatten().chain(ring.into_iter().flatten())
    }

    /// Returns the peers and tags of sends, each pair once, in the order of first use.
    #[must_use]
    pub fn send_channels(&self) -> Cow<'_, [Channel]> {
        match &self.form {
            Form::Listed(listed) => Cow::Borrowed(&listed.sends),
            Form::Ring(ring) => ring.channels(true).collect(),
        }
    }

    /// Returns the peers and tags of receives, each pair once, in the order of first use.
    #[must_use]
    pub fn receive_channels(&self) -> Cow<'_, [Channel]> {
        match &self.form {
            Form::Listed(listed) => Cow::Borrowed(&listed.receives),
            Form::Ring(ring) => ring.channels(false).collect(),
        }
    }

    /// Returns the size of a send's or a receive's message, in bytes.
    ///
    /// # Panics
    /// If the operation is a computation.
    pub(super) fn message_bytes(&self, id: OperationId) -> u64 {
        match self.operation(id).work {
            Work::Send { bytes, .. } | Work::Receive { bytes, .. } => bytes,
            Work::Compute { .. } => unreachable!("a computation has no message"),
        }
    }

    /// Returns the place of an operation's peer and tag among [`send_channels`](Self::send_channels) or
    /// [`receive_channels`](Self::receive_channels); `None` for a computation.
    #[must_use]
    pub fn channel(&self, id: OperationId) -> Option<u32> {
        match &self.form {
            Form::Listed(listed) => listed.channel(id),
            // Each message has a tag of its own, and sends and receives take turns.
            Form::Ring(_) => Some(id / 2),
        }
    }

    /// Returns true if a receive takes messages from any rank or with any tag.
    #[must_use]
    pub fn has_wildcards(&self) -> bool {
        match &self.form {
            Form::Listed(listed) => listed.receives.iter().any(|channel| channel.is_wild()),
            Form::Ring(_) => false,
        }
    }

    /// Returns true if receives from any rank or with any tag may take messages of this channel, `u32::MAX` of which
    /// stands for any.
    #[must_use]
    pub fn may_take(&self, message: Channel) -> bool {
        match &self.form {
            Form::Listed(listed) => {
                listed.receives.iter().any(|channel| channel.is_wild() && channel.takes(message))
            }
            Form::Ring(_) => false,
        }
    }

    /// Returns the number of the highest processor plus one; 0 without operations.
    pub(super) fn processors(&self) -> usize {
        match &self.form {
            Form::Listed(listed) => listed.processors(),
            Form::Ring(_) => 1,
        }
    }

    /// Returns the ranks that sends go to, ascending.
    pub(super) fn receivers(&self) -> Vec<u32> {
        match &self.form {
            Form::Listed(listed) => peers(listed.sends.iter().map(|channel| channel.peer)),
            Form::Ring(ring) => peers(ring.neighbours(true)),
        }
    }

    /// Returns the ranks that receives name, ascending.
    pub(super) fn senders(&self) -> Vec<u32> {
        let named = |channel: &Channel| (channel.peer != Channel::ANY).then_some(channel.peer);
        match &self.form {
            Form::Listed(listed) => peers(listed.receives.iter().filter_map(named)),
            Form::Ring(ring) => peers(ring.neighbours(false)),
        }
    }

    /// Returns the messages to each rank, by rank. Those with at least `least` bytes ask their receiver first.
    pub(super) fn sent(&self, least: Option<u64>) -> Vec<SentTo> {
        match &self.form {
            Form::Listed(listed) => listed.sent(least),
            Form::Ring(ring) => SentTo::by_receiver(ring.sent(least)),
        }
    }

    /// Returns the messages that follow one another in the longest chain over all ranks, if a formula tells it.
    #[must_use]
    pub const fn chain(&self) -> Option<u32> {
        match &self.form {
            Form::Listed(_) => None,
            Form::Ring(ring) => Some(ring.steps()),
        }
    }

    /// Returns the ring of which this is a rank.
    pub(super) const fn ring(&self) -> Option<&RingRank> {
        if let Form::Ring(ring) = &self.form { Some(ring) } else { None }
    }

    /// Returns the memory of the graph besides its own size, in bytes. What ranks of a ring share does not count.
    #[must_use]
    pub fn memory(&self) -> usize {
        match &self.form {
            Form::Listed(listed) => listed.memory(),
            Form::Ring(_) => 0,
        }
    }
}

/// Returns these ranks, each once, ascending.
fn peers(ranks: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<u32> = ranks.collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Iterator for Successors<'_> {
    type Item = OperationId;

    fn next(&mut self) -> Option<OperationId> {
        match self {
            Self::Listed(listed) => listed.next(),
            Self::Alone(range) => range.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Listed(listed) => listed.size_hint(),
            Self::Alone(range) => range.size_hint(),
        }
    }
}

impl ExactSizeIterator for Successors<'_> {}

impl Programs {
    /// Returns the number of operations of all ranks.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.ranks.iter().map(Graph::operations).sum()
    }
}
