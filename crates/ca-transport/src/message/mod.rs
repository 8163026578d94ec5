//! Messages that are posted and not yet complete, and their segmentation into packets.
//!
//! Invariant: a message's packets are numbered without gaps from its first, and all but the last carry a full MTU.

//!
//! | module | contents |
//! |---|---|
//! | here | a message, and the part of it that a packet carries |
//! | [`pool`] | the messages of an adapter |
//! | `list` | messages of an endpoint, in their order |
//! | `ages` | their ages, where the oldest goes first |
//! | [`log`] | times of messages, for completion times |

pub mod ages;
pub(crate) mod list;
pub mod log;
pub mod pool;

use packet::{Mtu, Opcode, Packet, QpNumber};
use units::Bytes;
use workload::Operation;

pub use self::pool::{MessageKey, Messages};

/// A message in progress.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Number of its first packet, counted by the endpoint that numbers its packets.
    pub first: u64,
    /// Number of the packet after its last.
    pub end: u64,
    /// Payload of the message in bytes, at most 2^31.
    bytes: u32,
    /// Message posted next to the same endpoint.
    pub next: Option<MessageKey>,
    /// Queue pair that the message was posted to.
    pub queue_pair: QpNumber,
    /// Operation of the message.
    pub operation: Operation,
    /// Immediate data that its last packet carries.
    immediate: Immediate,
}

/// Immediate data of a message, in three bytes, so that a message keeps its size: a number below 2^24 - 1, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Immediate([u8; 3]);

state_codec::value!(Immediate { 0 });

impl Immediate {
    const NONE: Self = Self([u8::MAX; 3]);

    const fn get(self) -> Option<u32> {
        let Self([low, middle, high]) = self;
        let word = u32::from_le_bytes([low, middle, high, 0]);
        if word == workload::job::MOST_TAGS { None } else { Some(word) }
    }
}

state_codec::value!(Message { first, end, bytes, next, queue_pair, operation, immediate });

const _: () = assert!(size_of::<Message>() == 32, "many messages are posted at once");

/// The part of a message that a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Opcode of the packet.
    pub opcode: Opcode,
    /// Payload in bytes.
    pub payload: u16,
    /// True for the last packet of the message.
    pub last: bool,
}

impl Message {
    /// A message of this payload. Its first packet has the number 0, and an empty message takes one packet. The
    /// packets of an RDMA READ are its responses.
    ///
    /// # Panics
    /// If the payload is longer than [`LONGEST_MESSAGE`](workload::LONGEST_MESSAGE).
    #[must_use]
    pub const fn new(queue_pair: QpNumber, operation: Operation, bytes: Bytes, mtu: Mtu) -> Self {
        assert!(bytes.get() <= workload::LONGEST_MESSAGE.get(), "a message has at most 2^31 bytes");
        let packets = bytes.get().div_ceil(mtu.bytes() as u64);
        let bytes = bytes.get() as u32;
        let end = if packets == 0 { 1 } else { packets };
        Self { first: 0, end, bytes, next: None, queue_pair, operation, immediate: Immediate::NONE }
    }

    /// Returns the message, a SEND, with this immediate data: a number below
    /// [`MOST_TAGS`](workload::job::MOST_TAGS).
    #[must_use]
    pub fn with_immediate(self, word: u32) -> Self {
        assert!(word < workload::job::MOST_TAGS, "immediate data of {word}");
        assert_eq!(self.operation, Operation::Send, "only a SEND has immediate data here");
        let [low, middle, high, _] = word.to_le_bytes();
        Self { immediate: Immediate([low, middle, high]), ..self }
    }

    /// The RDMA READ that a packet requests, or the rest of one. Its first response has the number 0.
    #[must_use]
    pub const fn requested_by(packet: &Packet, mtu: Mtu) -> Self {
        let bytes = Bytes::new(packet.dma_length as u64);
        Self::new(packet.bth.destination_qp, Operation::RdmaRead, bytes, mtu)
    }

    /// Returns the message with its first packet at this number.
    #[must_use]
    pub const fn starting_at(self, first: u64) -> Self {
        Self { first, end: first + (self.end - self.first), ..self }
    }

    /// Returns the payload from packet `number` on.
    #[must_use]
    pub const fn rest(&self, number: u64, mtu: Mtu) -> u64 {
        self.bytes as u64 - (number - self.first) * mtu.bytes() as u64
    }

    /// Returns the payload from packet `number` to before packet `end`.
    #[must_use]
    pub const fn part(&self, number: u64, end: u64, mtu: Mtu) -> u32 {
        let after = if end < self.end { self.rest(end, mtu) } else { 0 };
        (self.rest(number, mtu) - after) as u32
    }

    /// Returns the payload of the message as the field `DMALen` of a RETH has it; of a message with immediate data
    /// the data, which takes the same place in a [`Packet`].
    #[must_use]
    pub const fn dma_length(&self) -> u32 {
        match self.immediate.get() {
            None => self.bytes,
            Some(word) => word,
        }
    }

    /// Returns the part of the message that packet `number` carries.
    #[must_use]
    // As a call, it leaves callers short enough to be inlined themselves.
    #[inline(never)]
    pub fn segment(&self, number: u64, mtu: Mtu) -> Segment {
        let (first, last) = (number == self.first, number + 1 == self.end);
        let rest = self.rest(number, mtu);
        Segment {
            opcode: if last && self.immediate.get().is_some() {
                if first { Opcode::SendOnlyImmediate } else { Opcode::SendLastImmediate }
            } else {
                opcode(self.operation, first, last)
            },
            payload: rest.min(u64::from(mtu.bytes())) as u16,
            last,
        }
    }
}

const fn opcode(operation: Operation, first: bool, last: bool) -> Opcode {
    match (operation, first, last) {
        (Operation::Send, true, true) => Opcode::SendOnly,
        (Operation::Send, true, false) => Opcode::SendFirst,
        (Operation::Send, false, false) => Opcode::SendMiddle,
        (Operation::Send, false, true) => Opcode::SendLast,
        (Operation::RdmaWrite, true, true) => Opcode::WriteOnly,
        (Operation::RdmaWrite, true, false) => Opcode::WriteFirst,
        (Operation::RdmaWrite, false, false) => Opcode::WriteMiddle,
        (Operation::RdmaWrite, false, true) => Opcode::WriteLast,
        (Operation::RdmaRead, true, true) => Opcode::ReadResponseOnly,
        (Operation::RdmaRead, true, false) => Opcode::ReadResponseFirst,
        (Operation::RdmaRead, false, false) => Opcode::ReadResponseMiddle,
        (Operation::RdmaRead, false, true) => Opcode::ReadResponseLast,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn segments_add_up_to_the_message(
            bytes in 1..100_000u64, before in 0..1u64 << 40, first in 0..1u64 << 40, mtu in 0..5usize,
        ) {
            let mtu = Mtu::ALL[mtu];
            let message = Message::new(QpNumber(0), Operation::Send, Bytes::new(bytes), mtu);
            // A message keeps its length wherever it starts.
            let message = message.starting_at(before).starting_at(first);
            prop_assert_eq!(message.end - first, bytes.div_ceil(u64::from(mtu.bytes())));
            let parts: Vec<_> = (first..message.end).map(|n| message.segment(n, mtu)).collect();
            prop_assert_eq!(parts.iter().map(|part| u64::from(part.payload)).sum::<u64>(), bytes);
            prop_assert!(parts.iter().all(|part| part.payload > 0));
            prop_assert_eq!(parts.iter().filter(|part| part.opcode.ends_message()).count(), 1);
            prop_assert!(parts.last().is_some_and(|part| part.last && part.opcode.ends_message()));
        }
    }

    /// IBA volume 1, 9.2: a message has a first and a last packet, with others between them, or is one packet.
    #[test]
    fn opcodes_say_where_a_message_begins_and_ends() {
        let [send, write, read] = [Operation::Send, Operation::RdmaWrite, Operation::RdmaRead];
        for (operation, only, [first, middle, last]) in [
            (send, Opcode::SendOnly, [Opcode::SendFirst, Opcode::SendMiddle, Opcode::SendLast]),
            (write, Opcode::WriteOnly, [Opcode::WriteFirst, Opcode::WriteMiddle, Opcode::WriteLast]),
            (
                read,
                Opcode::ReadResponseOnly,
                [Opcode::ReadResponseFirst, Opcode::ReadResponseMiddle, Opcode::ReadResponseLast],
            ),
        ] {
            let of = |bytes: u64| {
                let message =
                    Message::new(QpNumber(0), operation, Bytes::new(bytes), Mtu::B256).starting_at(9);
                (9..message.end).map(|number| message.segment(number, Mtu::B256).opcode).collect::<Vec<_>>()
            };
            assert_eq!((of(0), of(256)), (vec![only], vec![only]));
            assert_eq!((of(257), of(1000)), (vec![first, last], vec![first, middle, middle, last]));
        }
    }
}
