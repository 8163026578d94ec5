//! Messages of one host, one after the other, as its streams yield them.
//!
//! Invariant: a list of draws is a value. Drawn again from the start it is the same, which is how it is known
//! before the run to whom a host is going to send, and how much.

use packet::NodeId;
use units::{Bytes, Time};

use crate::hot_spot;
use crate::pattern::PoissonDraws;
use crate::synthetic::OpenDraws;
pub(crate) use crate::synthetic::Order;

/// A message that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// When it is posted.
    pub(crate) at: Time,
    /// The host that it goes to.
    pub(crate) to: u32,
    /// Its payload.
    pub(crate) bytes: Bytes,
}

/// What a host is going to post to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreseen {
    pub(crate) to: NodeId,
    /// When the first message is posted.
    pub(crate) first: Time,
    pub(crate) total: Bytes,
}

/// The messages of one host, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Draws {
    Poisson(PoissonDraws),
    HotSpot(hot_spot::Draws),
    Open(OpenDraws),
}

impl Iterator for Draws {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        match self {
            Self::Poisson(draws) => draws.next(),
            Self::HotSpot(draws) => draws.next(),
            Self::Open(draws) => draws.next(),
        }
    }
}

impl Draws {
    /// What comes of them for each of `hosts` hosts that is sent to, in order.
    pub(crate) fn foresee(&self, hosts: usize) -> Vec<Foreseen> {
        let none = |to| Foreseen { to, first: Time::NEVER, total: Bytes::ZERO };
        let mut all: Vec<_> = (0..).map(NodeId).take(hosts).map(none).collect();
        for message in self.clone() {
            let one = &mut all[message.to as usize];
            one.first = one.first.min(message.at);
            one.total += message.bytes;
        }
        all.retain(|one| one.first != Time::NEVER);
        all
    }
}
