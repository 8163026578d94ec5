//! Programs as lists of operations, packed for files of 10^7 operations.
//!
//! Invariant: a graph has no cycle and never changes; ranks of a run share it. An operation takes 16 bytes, each edge
//! and each operation's first edge 4, each pair of peer and tag 8: 24 bytes in a chain, 32 where every operation has a
//! peer of its own. Edges from starts take nothing in programs without them.
//!
//! ```
//! use workload::job::{GraphBuilder, Work};
//!
//! let mut builder = GraphBuilder::default();
//! let receive = builder.add(Work::Receive { from: Some(3), bytes: 4096, tag: Some(0) }.on_cpu(0));
//! let send = builder.add(Work::Send { to: 1, bytes: 4096, tag: 0 }.on_cpu(0));
//! builder.requires(send, receive);
//! let graph = builder.build().expect("the send waits for the receive alone");
//! assert_eq!(graph.after_end(receive), [send]);
//! assert_eq!(graph.roots().collect::<Vec<_>>(), [receive]);
//! ```

use units::Span;

use super::channel::Channel;

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

/// The program of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    pub(super) packed: Box<[Packed]>,
    /// Channels of sends and of receives.
    pub(super) sends: Box<[Channel]>,
    pub(super) receives: Box<[Channel]>,
    pub(super) after_end: Edges,
    pub(super) after_start: Edges,
    /// Operations with more predecessors than [`Packed`] holds, in order, and the numbers of their predecessors.
    pub(super) many: Box<[(OperationId, u32)]>,
}

/// The programs of a job, by rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// A program for each rank; a rank without operations has an empty program.
    pub ranks: Vec<Graph>,
}

/// An operation as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// Bytes, or picoseconds.
    amount: u64,
    /// Place of the channel among the channels of sends or of receives; 0 for computations.
    channel: u32,
    /// Predecessors (14 bits, all ones for "see `Graph::many`"), kind (2), cpu (8), nic (8).
    head: u32,
}

const _: () = assert!(size_of::<Packed>() == 16, "files of 10^7 operations are held whole");
const _: () = assert!(size_of::<Operation>() <= 32, "an operation is passed by value");

/// Successors of all operations, in one array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// Place of each operation's first successor, and the end; empty without edges.
    first: Box<[u32]>,
    /// Successors, by predecessor, in the order in which they were named.
    to: Box<[OperationId]>,
}

impl Work {
    /// Returns the operation on a processor, with the first network interface.
    #[must_use]
    pub const fn on_cpu(self, cpu: u8) -> Operation {
        Operation { work: self, cpu, nic: 0 }
    }
}

impl Graph {
    /// Returns the number of operations.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.packed.len()
    }

    /// Returns an operation.
    #[must_use]
    pub fn operation(&self, id: OperationId) -> Operation {
        let packed = self.packed[id as usize];
        let some = |number: u32| (number != Channel::ANY).then_some(number);
        let work = match packed.kind() {
            Kind::Compute => Work::Compute { span: Span::from_ps(packed.amount) },
            Kind::Send => {
                let Channel { peer, tag } = self.sends[packed.channel as usize];
                Work::Send { to: peer, bytes: packed.amount, tag }
            }
            Kind::Receive => {
                let Channel { peer, tag } = self.receives[packed.channel as usize];
                Work::Receive { from: some(peer), bytes: packed.amount, tag: some(tag) }
            }
        };
        Operation { work, cpu: (packed.head >> 8) as u8, nic: packed.head as u8 }
    }

    /// Returns the number of predecessors, both those that must have ended and those that must have started. An edge
    /// that is named twice counts twice, here and among the successors.
    #[must_use]
    pub fn predecessors(&self, id: OperationId) -> u32 {
        match self.packed[id as usize].predecessors() {
            Packed::MANY => {
                let place = self.many.binary_search_by_key(&id, |(operation, _)| *operation);
                self.many[place.expect("many predecessors have an entry")].1
            }
            few => few,
        }
    }

    /// Returns the operations that may start once this one has ended.
    #[must_use]
    pub fn after_end(&self, id: OperationId) -> &[OperationId] {
        self.after_end.of(id)
    }

    /// Returns the operations that may start once this one has started.
    #[must_use]
    pub fn after_start(&self, id: OperationId) -> &[OperationId] {
        self.after_start.of(id)
    }

    /// Returns the operations without predecessors, in order.
    pub fn roots(&self) -> impl Iterator<Item = OperationId> {
        let all = self.packed.iter().zip(0..);
        all.filter(|(packed, _)| packed.predecessors() == 0).map(|(_, id)| id)
    }

    /// Returns the peers and tags of sends, each pair once, in the order of first use.
    #[must_use]
    pub fn send_channels(&self) -> &[Channel] {
        &self.sends
    }

    /// Returns the peers and tags of receives, each pair once, in the order of first use.
    #[must_use]
    pub fn receive_channels(&self) -> &[Channel] {
        &self.receives
    }

    /// Returns the place of an operation's peer and tag among [`send_channels`](Self::send_channels) or
    /// [`receive_channels`](Self::receive_channels); `None` for a computation.
    #[must_use]
    pub fn channel(&self, id: OperationId) -> Option<u32> {
        let packed = self.packed[id as usize];
        (packed.kind() != Kind::Compute).then_some(packed.channel)
    }

    /// Returns the memory of the graph, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val::<[Packed]>(&self.packed)
            + size_of_val::<[Channel]>(&self.sends)
            + size_of_val::<[Channel]>(&self.receives)
            + size_of_val::<[(OperationId, u32)]>(&self.many)
            + [&self.after_end, &self.after_start].map(Edges::memory).iter().sum::<usize>()
    }
}

impl Programs {
    /// Returns the number of operations of all ranks.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.ranks.iter().map(Graph::operations).sum()
    }
}

/// Kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Send,
    Receive,
    Compute,
}

impl Packed {
    /// Number of predecessors that stands in [`Graph::many`].
    pub(super) const MANY: u32 = (1 << 14) - 1;

    pub(super) const fn new(kind: Kind, amount: u64, channel: u32, operation: Operation) -> Self {
        let Operation { cpu, nic, .. } = operation;
        Self { amount, channel, head: (kind as u32) << 16 | (cpu as u32) << 8 | nic as u32 }
    }

    pub(super) fn kind(self) -> Kind {
        match self.head >> 16 & 3 {
            0 => Kind::Send,
            1 => Kind::Receive,
            _ => Kind::Compute,
        }
    }

    const fn predecessors(self) -> u32 {
        self.head >> 18
    }

    /// Returns true if the count has reached [`MANY`](Self::MANY), and counts no further.
    pub(super) const fn count_predecessor(&mut self) -> bool {
        if self.predecessors() < Self::MANY {
            self.head += 1 << 18;
        }
        self.predecessors() == Self::MANY
    }
}

impl Edges {
    /// Sorts edges (predecessor, successor) by predecessor, for this number of operations. Edges of one predecessor
    /// keep their order.
    pub(super) fn sorted(edges: &[(OperationId, OperationId)], operations: usize) -> Self {
        if edges.is_empty() {
            return Self::default();
        }
        let mut first = vec![0_u32; operations + 1].into_boxed_slice();
        for (from, _) in edges {
            first[*from as usize] += 1;
        }
        // Ends of all ranges. Filling each from its end turns them into starts, without an array of cursors.
        let mut end = 0;
        for slot in &mut first {
            end += *slot;
            *slot = end;
        }
        let mut to = vec![0; edges.len()].into_boxed_slice();
        for (from, successor) in edges.iter().rev() {
            first[*from as usize] -= 1;
            to[first[*from as usize] as usize] = *successor;
        }
        Self { first, to }
    }

    fn of(&self, id: OperationId) -> &[OperationId] {
        match self.first.get(id as usize..id as usize + 2) {
            Some(ends) => &self.to[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }

    fn memory(&self) -> usize {
        size_of_val::<[u32]>(&self.first) + size_of_val::<[u32]>(&self.to)
    }
}
