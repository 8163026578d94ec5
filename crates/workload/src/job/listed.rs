//! Programs as lists of operations, packed for files of 10^7 operations.
//!
//! Invariant: a list never changes. An operation takes 16 bytes, each edge and each operation's first edge 4, each pair
//! of peer and tag 8: 24 bytes in a chain, 32 where every operation has a peer of its own. Edges from starts take
//! nothing in programs without them.

use units::Span;

use super::channel::Channel;
use super::operation::{Operation, OperationId, SentTo, Work};

/// A list of operations with their edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) packed: Box<[Packed]>,
    /// Channels of sends and of receives.
    pub(super) sends: Box<[Channel]>,
    pub(super) receives: Box<[Channel]>,
    pub(super) after_end: Edges,
    pub(super) after_start: Edges,
    /// Operations with more predecessors than [`Packed`] holds, in order, and the numbers of their predecessors.
    pub(super) many: Box<[(OperationId, u32)]>,
}

/// An operation as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// Bytes, or picoseconds.
    amount: u64,
    /// Place of the channel among the channels of sends or of receives; 0 for computations.
    channel: u32,
    /// Predecessors (14 bits, all ones for "see `Listed::many`"), kind (2), cpu (8), nic (8).
    head: u32,
}

const _: () = assert!(size_of::<Packed>() == 16, "files of 10^7 operations are held whole");

/// Successors of all operations, in one array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// Place of each operation's first successor, and the end; empty without edges.
    first: Box<[u32]>,
    /// Successors, by predecessor, in the order in which they were named.
    to: Box<[OperationId]>,
}

impl Listed {
    /// Returns the number of operations.
    pub(super) fn operations(&self) -> usize {
        self.packed.len()
    }

    /// Returns an operation.
    pub(super) fn operation(&self, id: OperationId) -> Operation {
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
        Operation { work, cpu: packed.cpu(), nic: packed.head as u8 }
    }

    /// Returns the number of predecessors, both those that must have ended and those that must have started. An edge
    /// that is named twice counts twice, here and among the successors.
    pub(super) fn predecessors(&self, id: OperationId) -> u32 {
        match self.packed[id as usize].predecessors() {
            Packed::MANY => {
                let place = self.many.binary_search_by_key(&id, |(operation, _)| *operation);
                self.many[place.expect("many predecessors have an entry")].1
            }
            few => few,
        }
    }

    /// Returns the operations that may start once this one has ended.
    pub(super) fn after_end(&self, id: OperationId) -> &[OperationId] {
        self.after_end.of(id)
    }

    /// Returns the operations that may start once this one has started.
    pub(super) fn after_start(&self, id: OperationId) -> &[OperationId] {
        self.after_start.of(id)
    }

    /// Returns the operations without predecessors, in order.
    pub(super) fn roots(&self) -> impl Iterator<Item = OperationId> {
        let all = self.packed.iter().zip(0..);
        all.filter(|(packed, _)| packed.predecessors() == 0).map(|(_, id)| id)
    }

    /// Returns the number of the highest processor plus one; 0 without operations.
    pub(super) fn processors(&self) -> usize {
        self.packed.iter().map(|packed| usize::from(packed.cpu()) + 1).max().unwrap_or(0)
    }

    /// Returns the messages to each rank, by rank.
    pub(super) fn sent(&self, least: Option<u64>) -> Vec<SentTo> {
        let sends = self.packed.iter().filter(|packed| packed.kind() == Kind::Send);
        let sent = |packed: &Packed| {
            let (to, bytes) = (self.sends[packed.channel as usize].peer, packed.amount);
            let asks = least.is_some_and(|least| bytes >= least);
            SentTo { to, messages: 1, bytes, longest: bytes, asking: u64::from(asks) }
        };
        SentTo::by_receiver(sends.map(sent))
    }

    /// Returns the place of an operation's peer and tag among `sends` or `receives`; `None` for a computation.
    pub(super) fn channel(&self, id: OperationId) -> Option<u32> {
        let packed = self.packed[id as usize];
        (packed.kind() != Kind::Compute).then_some(packed.channel)
    }

    /// Returns the memory of the graph, in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val::<[Packed]>(&self.packed)
            + size_of_val::<[Channel]>(&self.sends)
            + size_of_val::<[Channel]>(&self.receives)
            + size_of_val::<[(OperationId, u32)]>(&self.many)
            + [&self.after_end, &self.after_start].map(Edges::memory).iter().sum::<usize>()
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
    /// Number of predecessors that stands in [`Listed::many`].
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

    const fn cpu(self) -> u8 {
        (self.head >> 8) as u8
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
