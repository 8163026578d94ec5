//! What a scenario writes down about traffic.
//!
//! Invariant: as written, not yet checked: [`Workload::build`](crate::Workload::build) checks it.

use crate::hot_spot::HotSpot;
use packet::{ServiceLevel, TransportService};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span, Time};

use crate::synthetic::spec::{FlowList, Size, Synthetic};

/// One flow with a name of its own, between two hosts: scenario field `flows`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Its name in tables and files.
    pub name: String,
    /// The host that the data comes from. Of an RDMA READ it is the one that is asked.
    pub from: String,
    /// The host that the data goes to. Of an RDMA READ it is the one that asks.
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
    /// Who carries its messages. UC has no RDMA READ, and UD has SEND only (IBA volume 1, 9.8).
    #[serde(default)]
    pub transport: TransportService,
    /// What a message does.
    #[serde(default)]
    pub operation: Operation,
    /// Payload of each message, 1 byte to 2 GiB (IBA's longest message); over UD at most the MTU.
    pub message: Bytes,
    /// How messages follow each other.
    pub load: Load,
}

/// What a message does at its destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Operation {
    /// SEND: consumes a receive request.
    Send,
    /// RDMA WRITE: goes straight to memory.
    #[default]
    RdmaWrite,
    /// RDMA READ: the host that the data goes to asks for it.
    RdmaRead,
}

impl Operation {
    /// Whether a transport service has it (IBA volume 1, 9.8: UC has no RDMA READ, UD neither READ nor WRITE).
    #[must_use]
    pub const fn is_carried_by(self, transport: TransportService) -> bool {
        match self {
            Self::Send => true,
            Self::RdmaWrite => !matches!(transport, TransportService::Ud),
            Self::RdmaRead => transport.is_reliable(),
        }
    }

    /// The word for it in tables and files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Send => "SEND",
            Self::RdmaWrite => "RDMA WRITE",
            Self::RdmaRead => "RDMA READ",
        }
    }
}

/// How the messages of a flow follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Load {
    /// As fast as the fabric takes them, with this many posted at any time (at least 1).
    Saturate {
        /// Messages posted and not yet complete: acknowledged, read, or, over UC and UD, sent.
        #[schemars(range(min = 1))]
        outstanding: u32,
    },
    /// At this mean rate of payload, evenly spaced: message k (from 0) is posted when k messages have
    /// taken their time at this rate, to the next picosecond.
    Paced(Rate),
    /// This many, all posted at the start: 1 to [`MAX_LISTED`](crate::MAX_LISTED).
    Messages(#[schemars(range(min = 1, max = crate::MAX_LISTED))] u32),
}

/// Many flows at once, by a rule: scenario field `traffic`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
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
        #[schemars(range(min = 1))]
        senders: u32,
        /// What each sends.
        bytes: Bytes,
    },
    /// Every host sends, by rules for destinations, arrivals and sizes.
    Synthetic(Synthetic),
    /// Flows from a file.
    FlowList(FlowList),
    /// One flow from each of several hosts to one.
    Converge(Converge),
    /// Flows from several hosts to one that join and leave at random.
    Sessions(Sessions),
    /// Uniform traffic of all hosts, with hot spots that come and go.
    HotSpot(HotSpot),
}

impl PatternSpec {
    /// The file that it names, and in which of its fields.
    #[must_use]
    pub fn file(&self) -> Option<(&str, &'static str)> {
        match self {
            Self::FlowList(list) => Some((&list.file, "file")),
            Self::Synthetic(Synthetic { size: Size::Cdf(file), .. }) => Some((file, "size")),
            _ => None,
        }
    }
}

/// One flow from each of several hosts to one: named `NAME1`, `NAME2`, ... in the order of the hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Converge {
    /// What the flows are called, before their number.
    pub name: String,
    /// The hosts that send: those whose name begins with what stands before a `*` at the end, or one host.
    pub from: String,
    /// The host that receives; none of those that send.
    pub to: String,
    /// When they start.
    pub start: Time,
    /// Each starts later than that by a span of its own, drawn uniformly from 0 to this.
    #[serde(default)]
    pub jitter: Span,
    /// When they post no further message, later than any start; never if left out.
    #[serde(default)]
    pub stop: Option<Time>,
    /// As in [`FlowSpec::service_level`].
    #[serde(default)]
    pub service_level: ServiceLevel,
    /// As in [`FlowSpec::transport`].
    #[serde(default)]
    pub transport: TransportService,
    /// As in [`FlowSpec::operation`].
    #[serde(default)]
    pub operation: Operation,
    /// As in [`FlowSpec::message`].
    pub message: Bytes,
    /// As in [`FlowSpec::load`].
    pub load: Load,
}

/// Sources that are on and off in turn, for exponentially distributed times. Each time on is a flow with a
/// queue pair of its own: it joins knowing of no congestion, and posts nothing after its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    /// What the flows are called, before source, destination and number.
    pub name: String,
    /// The hosts that send, as in [`Converge::from`].
    pub from: String,
    /// The host that receives; none of those that send.
    pub to: String,
    /// From when. A source is then on with the probability `on / (on + off)`, as at any later time.
    pub start: Time,
    /// When all sessions end, later than the start.
    pub stop: Time,
    /// Mean time on, above 0.
    pub on: Span,
    /// Mean time off, above 0.
    pub off: Span,
    /// As in [`FlowSpec::service_level`].
    #[serde(default)]
    pub service_level: ServiceLevel,
    /// As in [`FlowSpec::transport`].
    #[serde(default)]
    pub transport: TransportService,
    /// As in [`FlowSpec::operation`].
    #[serde(default)]
    pub operation: Operation,
    /// As in [`FlowSpec::message`].
    pub message: Bytes,
    /// As in [`FlowSpec::load`], but for `Messages`.
    pub load: Load,
}
