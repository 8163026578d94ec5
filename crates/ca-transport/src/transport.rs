//! What a transport service does with packets and messages: one trait for the halves of all of them.
//!
//! Invariant: a transport decides which packet is next and what becomes of one that comes in. It never sends,
//! schedules or owns a packet, and learns the time as an argument.
//!
//! A queue pair of RC has two halves, of which a flow uses one at each end; so have UC and UD. Queue pairs of RD
//! share the halves of their end-to-end context. A half does its part of the trait; the rest has nothing to do.
//!
//! | half | posts | sends | takes | answers by | module |
//! |---|---|---|---|---|---|
//! | requester (RC) | messages | requests, again if need be | ACK, NAK, READ responses | | [`requester`](crate::requester) |
//! | responder (RC, RD) | | READ responses | requests, in order | ACK, NAK | [`responder`](crate::responder) |
//! | context (RD) | messages, one at a time | as a requester | as a requester | | [`rd`](crate::rd) |
//! | source (UC, UD) | messages | requests, once | | | [`unreliable`](crate::unreliable) |
//! | sink (UC) | | | whole messages | | [`uc`](crate::uc) |
//! | sink (UD) | | | every packet by itself | | [`ud`](crate::ud) |

use packet::{Mtu, Packet, Psn, QpNumber};
use units::{Span, Time};

use crate::message::{MessageKey, Messages, Segment};

/// What holds for every half of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The largest payload of a packet.
    pub mtu: Mtu,
    /// A packet whose number in its message is a multiple of this asks for an acknowledgement; so do a
    /// message's last packet, the one that closes the window, and all that follow a time-out.
    pub ack_every: u32,
    /// The most packets that may be unacknowledged.
    pub max_outstanding: u64,
    /// The most RDMA READs of a requester that may be under way, at least 1.
    pub max_reads: u32,
    /// How long to wait for progress before going back; for ever if none.
    pub timeout: Option<Span>,
    /// How often to go back without progress before giving up.
    pub retry_count: u8,
}

/// A packet that a half is about to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Its part of the message.
    pub segment: Segment,
    /// Its number.
    pub psn: Psn,
    /// The queue pair that it is of.
    pub queue_pair: QpNumber,
    /// How much it asks for, if it is an RDMA READ request, in bytes.
    pub dma_length: u32,
    /// Whether it asks for an acknowledgement.
    pub ack_request: bool,
    /// Whether it was sent before.
    pub again: bool,
}

/// Whether a half could send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// There is nothing to send, or as many READs are under way as may be.
    Idle,
    /// There is a packet, and the window is closed.
    WindowClosed,
    /// There is a packet, and it may go.
    Ready,
}

/// Messages that are complete: all of one queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The queue pair; without meaning if there are none.
    pub queue_pair: QpNumber,
    /// How many.
    pub messages: u32,
}

impl Completed {
    /// None.
    pub const NONE: Self = Self { queue_pair: QpNumber(0), messages: 0 };
}

/// What a half makes of a packet that came in for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the next one.
    Accept,
    /// It is accepted, and packets before it are missing for good.
    Resume,
    /// It belongs to a message of which a packet is missing, and is dropped; `first` says whether it shows that.
    Drop {
        /// Whether it is the first to show it.
        first: bool,
    },
    /// It was accepted before.
    Duplicate,
    /// It asks for data, which is going to be sent.
    Asked,
    /// One before it is missing; `complain` says whether to say so, once.
    Gap {
        /// Whether a negative acknowledgement is due.
        complain: bool,
    },
}

/// What came of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replied {
    /// The packet that it names, counted from the first with 64 bits.
    pub named: u64,
    /// The next packet that will be sent.
    pub next: u64,
    /// How many packets it is the first to acknowledge.
    pub packets: u32,
    /// What it completes.
    pub completed: Completed,
    /// What becomes of its payload, if it is a READ response.
    pub verdict: Verdict,
}

/// What a half does when its timer rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overdue {
    /// Nothing: there has been progress.
    No,
    /// It went back to the oldest unacknowledged packet.
    WentBack,
    /// It has gone back too often, and gives up.
    GaveUp,
}

/// A half of a queue pair, or of an end-to-end context.
pub trait Transport {
    /// Takes a message to carry.
    fn post(&mut self, key: MessageKey, messages: &mut Messages) {
        unreachable!("nothing is posted where messages come in: {:?}", messages[key]);
    }

    /// Whether a packet may go.
    fn readiness(&self, _: &Rule) -> Readiness {
        Readiness::Idle
    }

    /// The packet that would go next, if one may.
    fn next(&self, _: &Messages, _: &Rule) -> Option<Outgoing> {
        None
    }

    /// The message that the next packet is of; none for what was not posted here, such as READ responses.
    fn next_message(&self) -> Option<MessageKey> {
        None
    }

    /// The packet that `next` named starts to leave. Returns what that completes.
    fn sent(&mut self, _: &mut Messages, _: Time) -> Completed {
        Completed::NONE
    }

    /// A request came in: a SEND, an RDMA WRITE, or a request for an RDMA READ.
    fn on_data(&mut self, packet: &Packet, _: &Rule) -> Verdict {
        unreachable!("no request comes in where they are made: {packet:?}");
    }

    /// An acknowledgement came in, or the response to an RDMA READ.
    fn on_reply(&mut self, packet: &Packet, _: &mut Messages, _: Time) -> Replied {
        unreachable!("no reply comes in where nothing is asked: {packet:?}");
    }

    /// When to look whether there has been progress; `NEVER` if nothing is waited for.
    fn deadline(&self, _: &Rule) -> Time {
        Time::NEVER
    }

    /// The timer rings; it may be stale.
    fn on_deadline(&mut self, _: &Rule, _: &Messages, _: Time) -> Overdue {
        Overdue::No
    }

    /// The packet sent here that a notification names, and the next to be sent, counted from the first with 64 bits.
    fn number_of(&self, _: Psn) -> (u64, u64) {
        (0, 0)
    }

    /// Whether everything is sent, and acknowledged where it is to be, or never will be.
    fn at_rest(&self) -> bool {
        true
    }
}

/// The number of a packet that was sent before packet `next`: the last one with this PSN.
#[must_use]
pub const fn sent_before(next: u64, psn: Psn) -> u64 {
    let back = Psn::new(next as u32).since(psn);
    next.saturating_sub(if back == 0 { Psn::MASK as u64 + 1 } else { back as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Numbers are found again wherever the 24 bits of the wire have wrapped.
        #[test]
        fn numbers_survive_the_wrap(next in 1..1u64 << 40, back in 1..=1u64 << 24) {
            let number = next.saturating_sub(back);
            prop_assert_eq!(sent_before(next, Psn::new(number as u32)), number);
        }
    }
}
