//! What a scenario writes down about traffic.
//!
//! Invariant: as written, not yet checked: [`Workload::build`](crate::Workload::build) checks it.

use packet::ServiceLevel;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Time};

/// One flow with a name of its own, between two hosts: scenario field `flows`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Its name in tables and files.
    pub name: String,
    /// The host that sends.
    pub from: String,
    /// The host that receives.
    pub to: String,
    /// When it starts.
    pub start: Time,
    /// When it posts no further message, later than the start; never if left out. Not to be given with
    /// [`Load::Messages`].
    #[serde(default)]
    pub stop: Option<Time>,
    /// Its service level, 0 to 15.
    #[serde(default)]
    pub service_level: ServiceLevel,
    /// What a message does.
    #[serde(default)]
    pub operation: Operation,
    /// Payload of each message, 1 byte to 2 GiB (IBA's longest message).
    pub message: Bytes,
    /// How messages follow each other.
    pub load: Load,
}

/// What a message does at its destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// SEND: consumes a receive request.
    Send,
    /// RDMA WRITE: goes straight to memory.
    #[default]
    RdmaWrite,
}

/// How the messages of a flow follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Load {
    /// As fast as the fabric takes them, with this many posted at any time (at least 1).
    Saturate {
        /// Messages posted and not yet acknowledged.
        outstanding: u32,
    },
    /// At this mean rate of payload, evenly spaced: message k (from 0) is posted when k messages have
    /// taken their time at this rate, to the next picosecond.
    Paced(Rate),
    /// This many, all posted at the start: 1 to [`MAX_LISTED`](crate::MAX_LISTED).
    Messages(u32),
}

/// Many flows at once, by a rule: scenario field `traffic`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum PatternSpec {
    /// Every host sends to one other and receives from one other, drawn at random, none to itself.
    Permutation {
        /// When.
        at: Time,
        /// What each sends, in one message.
        bytes: Bytes,
    },
    /// Every host sends messages to uniformly drawn others, at exponentially distributed intervals.
    Poisson {
        /// From when.
        from: Time,
        /// Until when messages are posted, later than `from`.
        until: Time,
        /// Payload of each message.
        message: Bytes,
        /// Mean rate of payload of each host, as a share of its link's data rate: above 0, at most 1.
        load: f64,
    },
    /// Some hosts send one message each to one host, all at once: the hosts that follow it in order,
    /// going on from the first after the last.
    Incast {
        /// When.
        at: Time,
        /// The host that receives.
        to: String,
        /// How many hosts send: 1 to all others.
        senders: u32,
        /// What each sends.
        bytes: Bytes,
    },
}
