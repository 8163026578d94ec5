//! Flows, and when their messages are posted.
//!
//! Invariant: listed posts are in order of time, and drawn ones are known in number and time only as they are posted; a flow that saturates or paces has a stop later than
//! its start, or none.

use std::sync::Arc;

use packet::{NodeId, ServiceLevel, Transport};
use units::{Bytes, Rate, Time};

use crate::change::Change;
use crate::source::Source;
use crate::spec::Operation;

/// Everything that is sent in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// Named flows first, those of `flows` before those of patterns; then all others. Flows of patterns stand
    /// in the order of their patterns, each pattern's by source and then by destination. A [`FlowId`](packet::FlowId) is a place in here.
    pub flows: Vec<Flow>,
    /// Changes that patterns declare beside those of named flows: hot spots that come and go.
    pub declared: Vec<Change>,
    /// By the number that a [`Posting::Drawn`] names.
    pub sources: Vec<Source>,
}

/// What one host sends to one other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// As the scenario names it (`local3` for the third of the pattern `local`), or made from the pattern
    /// and both hosts: `poisson:h3->h7`. Where a
    /// scenario has several patterns of a kind, the second one's flows begin `poisson2:`, and so on.
    /// No two flows have the same name.
    pub name: String,
    /// Whether the scenario names it.
    pub named: bool,
    /// The pattern that it is one of several flows of, if the scenario names that.
    pub group: Option<Group>,
    /// The host that the data comes from.
    pub source: NodeId,
    /// The host that the data goes to.
    pub destination: NodeId,
    /// What its packets ask of the fabric.
    pub service_level: ServiceLevel,
    /// Who carries its messages.
    pub transport: Transport,
    /// What each message does.
    pub operation: Operation,
    /// When messages are posted, and how long they are.
    pub posting: Posting,
}

/// A pattern with a name, whose flows start and stop together as far as the scenario says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its start: each of its flows starts then or, with a jitter, later.
    pub start: Time,
}

/// When the messages of a flow are posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posting {
    /// As fast as they are complete.
    Saturate {
        /// Messages posted at the start; one more is posted for each that completes. At least 1.
        outstanding: u32,
        /// Payload of each message.
        message: Bytes,
        /// When it starts.
        start: Time,
        /// When it posts no further message; [`Time::NEVER`] if it goes on.
        stop: Time,
    },
    /// Evenly spaced: message k (from 0) when k messages have taken their time at `rate`.
    Paced {
        /// Payload of each message.
        message: Bytes,
        /// Mean rate of payload, not zero.
        rate: Rate,
        /// When it starts.
        start: Time,
        /// When it posts no further message; [`Time::NEVER`] if it goes on.
        stop: Time,
    },
    /// At these times. The list is shared with what posts from it.
    Listed(Arc<[Post]>),
    /// As they are drawn while the run goes on, in turn with other flows of its host.
    Drawn {
        /// Who draws, by its number in [`Workload::sources`].
        source: u32,
        /// When the first message is posted; of a closed loop, when the loop starts.
        start: Time,
        /// When a closed loop posts no further message; else, or if it goes on, [`Time::NEVER`].
        stop: Time,
        /// All the payload that it posts; nothing if that depends on the run.
        total: Option<Bytes>,
    },
}

/// One message, to be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// When.
    pub at: Time,
    /// Its payload.
    pub bytes: Bytes,
}

impl Flow {
    /// The host that posts its messages: of RDMA READs the destination, else the source.
    #[must_use]
    pub const fn requester(&self) -> NodeId {
        if matches!(self.operation, Operation::RdmaRead) { self.destination } else { self.source }
    }

    /// The host that its requests go to.
    #[must_use]
    pub const fn responder(&self) -> NodeId {
        if matches!(self.operation, Operation::RdmaRead) { self.source } else { self.destination }
    }
}

impl Posting {
    /// When the first message is posted; [`Time::NEVER`] if none is.
    #[must_use]
    pub fn start(&self) -> Time {
        match self {
            Self::Saturate { start, .. } | Self::Paced { start, .. } | Self::Drawn { start, .. } => *start,
            Self::Listed(posts) => posts.first().map_or(Time::NEVER, |post| post.at),
        }
    }

    /// When it posts no further message, where that was declared; [`Time::NEVER`] if not.
    #[must_use]
    pub fn stop(&self) -> Time {
        match self {
            Self::Saturate { stop, .. } | Self::Paced { stop, .. } | Self::Drawn { stop, .. } => *stop,
            Self::Listed(_) => Time::NEVER,
        }
    }

    /// All the payload that it posts, where that is known beforehand.
    #[must_use]
    pub fn total(&self) -> Option<Bytes> {
        match self {
            Self::Saturate { .. } | Self::Paced { .. } => None,
            Self::Drawn { total, .. } => *total,
            Self::Listed(posts) => Some(posts.iter().map(|post| post.bytes).sum()),
        }
    }
}
