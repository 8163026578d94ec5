//! Messages posted and not yet complete, and how they become packets.
//!
//! Invariant: a message's packets are numbered without gaps from its first, and all but the last carry
//! a full MTU.

use packet::{Mtu, Opcode, QpNumber};
use slotmap::{SlotMap, new_key_type};
use units::Bytes;
use workload::Operation;

new_key_type! {
    /// The name of a message in an adapter's [`Messages`].
    pub struct MessageKey;
}

/// All messages of an adapter's queue pairs.
pub type Messages = SlotMap<MessageKey, Message>;

/// A message under way.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Number of its first packet, counted from the first of whoever numbers them.
    pub first: u64,
    /// Number of the packet after its last.
    pub end: u64,
    /// Its payload.
    pub bytes: Bytes,
    /// The message posted after it.
    pub next: Option<MessageKey>,
    /// The queue pair that it was posted to.
    pub queue_pair: QpNumber,
    /// What it does.
    pub operation: Operation,
}

const _: () = assert!(size_of::<Message>() <= 40, "many messages are posted at once");

/// A packet's part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// What the packet is.
    pub opcode: Opcode,
    /// Its payload in bytes.
    pub payload: u16,
    /// Whether it is the message's last.
    pub last: bool,
}

impl Message {
    /// A message of this payload, whose first packet is number 0; even an empty one takes a packet. The packets of an
    /// RDMA READ are those of its responses.
    #[must_use]
    pub const fn new(queue_pair: QpNumber, operation: Operation, bytes: Bytes, mtu: Mtu) -> Self {
        let packets = bytes.get().div_ceil(mtu.bytes() as u64);
        let end = if packets == 0 { 1 } else { packets };
        Self { first: 0, end, bytes, next: None, queue_pair, operation }
    }

    /// The same, with its first packet at this number.
    #[must_use]
    pub const fn starting_at(self, first: u64) -> Self {
        Self { first, end: first + (self.end - self.first), ..self }
    }

    /// Its payload from packet `number` on.
    #[must_use]
    pub const fn rest(&self, number: u64, mtu: Mtu) -> u64 {
        self.bytes.get() - (number - self.first) * mtu.bytes() as u64
    }

    /// Its part in packet `number`, counted from the queue pair's first.
    #[must_use]
    pub fn segment(&self, number: u64, mtu: Mtu) -> Segment {
        let (first, last) = (number == self.first, number + 1 == self.end);
        let rest = self.rest(number, mtu);
        Segment {
            opcode: opcode(self.operation, first, last),
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
        fn segments_add_up_to_the_message(bytes in 1..100_000u64, first in 0..1u64 << 40, mtu in 0..5usize) {
            let mtu = Mtu::ALL[mtu];
            let message = Message::new(QpNumber(0), Operation::Send, Bytes::new(bytes), mtu).starting_at(first);
            let parts: Vec<_> = (first..message.end).map(|n| message.segment(n, mtu)).collect();
            prop_assert_eq!(parts.iter().map(|part| u64::from(part.payload)).sum::<u64>(), bytes);
            prop_assert!(parts.iter().all(|part| part.payload > 0));
            prop_assert_eq!(parts.iter().filter(|part| part.opcode.ends_message()).count(), 1);
            prop_assert!(parts.last().is_some_and(|part| part.last && part.opcode.ends_message()));
        }
    }
}
