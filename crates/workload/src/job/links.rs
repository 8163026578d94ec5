//! Queue pairs by which messages of ranks leave a host and come in.
//!
//! Invariant: messages between two ranks are dealt to their queue pairs in turn, in the order of posting, and handed
//! over in that order. Each queue pair keeps its own order, so the turn says which message comes next: none needs a
//! number.

use std::collections::VecDeque;

use units::{Bytes, Time};

use super::graph::OperationId;

/// What moves in the jobs of one or several hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobMotion {
    /// Ranks that are not done.
    pub ranks: u64,
    /// Messages to other hosts that were posted here.
    pub posted: u64,
    /// Messages from other hosts that have arrived here.
    pub arrived: u64,
    /// Starts, computations and local messages to come, and posted messages that are not complete.
    pub pending: u64,
}

state_codec::value!(JobMotion { ranks, posted, arrived, pending });

impl JobMotion {
    /// Returns the sums of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            ranks: self.ranks + other.ranks,
            posted: self.posted + other.posted,
            arrived: self.arrived + other.arrived,
            pending: self.pending + other.pending,
        }
    }
}

/// A message to post for a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobPost {
    /// The flow, by its place among the host's flows that leave.
    pub link: u32,
    /// Payload.
    pub bytes: Bytes,
    /// Immediate data.
    pub immediate: u32,
}

/// A queue pair by which messages of a rank leave for another.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// Rank of this host.
    pub(super) rank: u32,
    /// Queue pair of the next message, counted from the pair's first; of no use in others.
    pub(super) turn: u32,
    /// Sends that are posted and not complete, oldest first; [`Link::CONTROL`] stands for a message that ends no send.
    pub(super) sending: VecDeque<OperationId>,
    /// In the pair's first: sends that have asked the receiver, oldest first.
    pub(super) asking: VecDeque<AskingSend>,
}

state_codec::state!(Link { rank: plan, turn, sending, asking });

/// A send whose payload waits for the receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskingSend {
    /// Place of its tag.
    pub(super) tag: u32,
    pub(super) operation: OperationId,
    pub(super) bytes: u64,
}

state_codec::value!(AskingSend { tag, operation, bytes });

/// A queue pair by which messages of a rank come in.
#[derive(Clone, Debug)]
pub(super) struct Sink {
    /// Rank of this host.
    pub(super) rank: u32,
    /// Rank that sends.
    pub(super) from: u32,
    /// The first queue pair of the same two ranks.
    pub(super) first: u32,
    /// Queue pair of the next message, as in [`Link::turn`].
    pub(super) turn: u32,
    /// Messages that wait for earlier ones of other queue pairs: immediate data, and departure of the last packet.
    pub(super) early: VecDeque<(u32, Time)>,
}

state_codec::state!(Sink { rank: plan, from: plan, first: plan, turn, early });

/// All that leaves a host.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    pub(super) all: Vec<Link>,
    /// Messages to other hosts that are not posted.
    pub(super) to_come: u64,
    /// Messages to post now, in order; empty between calls.
    pub(super) posts: Vec<JobPost>,
}

state_codec::state!(Links { all: part, to_come, posts: derived });

impl Link {
    pub(super) const CONTROL: OperationId = OperationId::MAX;

    pub(super) const fn new(rank: u32) -> Self {
        Self { rank, turn: 0, sending: VecDeque::new(), asking: VecDeque::new() }
    }
}

impl Sink {
    pub(super) const fn new((rank, from): (u32, u32), first: u32) -> Self {
        Self { rank, from, first, turn: 0, early: VecDeque::new() }
    }
}

impl Links {
    /// Posts a message by the next of `count` queue pairs from `first` on.
    pub(super) fn post(
        &mut self,
        (first, count): (u32, u32),
        (bytes, immediate): (u64, u32),
        operation: OperationId,
        motion: &mut JobMotion,
    ) {
        let link = first + self.all[first as usize].turn;
        if count > 1 {
            let turn = &mut self.all[first as usize].turn;
            *turn = (*turn + 1) % count;
        }
        self.posts.push(JobPost { link, bytes: Bytes::new(bytes), immediate });
        self.all[link as usize].sending.push_back(operation);
        self.to_come -= 1;
        motion.posted += 1;
        motion.pending += 1;
    }

    /// Takes the oldest send of a tag that has asked the receiver.
    pub(super) fn cleared(&mut self, first: u32, tag: u32) -> AskingSend {
        let asking = &mut self.all[first as usize].asking;
        let place = asking.iter().position(|send| send.tag == tag);
        place.and_then(|place| asking.remove(place)).expect("a clear answers a request")
    }
}
