//! Flows, and the origin of their messages.
//!
//! Invariant: listed messages are in order of time. A flow that saturates or paces has a stop later than its start,
//! or none. The number and times of drawn messages follow from host traffic, not from the flow.

use std::sync::Arc;

use packet::{FlowName, NodeId, ServiceLevel, TransportService};
use units::{Bytes, PackedOption, Rate, Time};

use packet::Operation;

/// The messages between a pair of hosts, in a single direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Unique name: as in the scenario (`local3` for the third of the pattern `local`), or made from the pattern and
    /// both hosts (`poisson:h3->h7`). Flows of the second pattern of a kind begin with `poisson2:`, and so on.
    pub name: FlowName,
    /// Whether the scenario names the flow.
    pub named: bool,
    /// The pattern that makes the flow, by its place in the scenario's `traffic`; `None` for a flow of `flows`.
    pub pattern: Option<u32>,
    /// The group that the flow belongs to, by its place in [`Workload::groups`](crate::Workload::groups).
    pub group: Option<u32>,
    /// True if the flow ends by itself: by a number of messages, a stop, or a list.
    pub finite: bool,
    /// Host that the data comes from.
    pub source: NodeId,
    /// Host that the data goes to.
    pub destination: NodeId,
    /// Numbers of source and destination in the list of flows that the flow comes from. Without a list, their places
    /// in the order of the topology's hosts, from 0.
    pub numbers: (u32, u32),
    /// Service level of its packets.
    pub service_level: ServiceLevel,
    /// Transport service of its queue pairs.
    pub transport: TransportService,
    /// Operation that each message performs.
    pub operation: Operation,
    /// Origin of its messages.
    pub posting: Posting,
}

/// The origin of a flow's messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posting {
    /// The flow has a schedule of its own, which a [`MessageGenerator`](crate::MessageGenerator) follows.
    Scheduled(MessageSchedule),
    /// A [`HostTraffic`](crate::HostTraffic) draws the messages during the run, and shares them out among several
    /// flows of a host.
    Drawn {
        /// Number of the traffic in [`Workload::host_traffic`](crate::Workload::host_traffic).
        host_traffic: u32,
        /// Time of the first message; of a closed loop, the time at which the loop starts.
        start: Time,
        /// Time from which a closed loop posts no further message; [`Time::NEVER`] for other traffic.
        stop: Time,
        /// Payload of all messages together; none if it depends on the run.
        total: PackedOption<Bytes>,
    },
    /// The program of a rank posts its messages to another rank.
    Job {
        /// Number of the job in [`Workload::jobs`](crate::Workload::jobs).
        job: u32,
        /// Start of the job.
        start: Time,
        /// Payload of all messages together.
        total: Bytes,
    },
}

/// Times and sizes of the messages of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageSchedule {
    /// A constant number of messages outstanding.
    Saturate {
        /// Messages posted at the start; another message is posted for each that completes. At least 1.
        outstanding: u32,
        /// Payload of each message.
        message: Bytes,
        /// Time of the first messages.
        start: Time,
        /// Time from which no further message is posted; may be [`Time::NEVER`].
        stop: Time,
    },
    /// Evenly spaced: message k (from 0) is posted when k messages have taken their time at `rate`.
    Paced {
        /// Payload of each message.
        message: Bytes,
        /// Mean rate of payload, not zero.
        rate: Rate,
        /// Time of the first message.
        start: Time,
        /// Time from which no further message is posted; may be [`Time::NEVER`].
        stop: Time,
    },
    /// At listed times. The list is shared with the generator that posts from it.
    Listed(Arc<[ListedMessage]>),
}

/// A message with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedMessage {
    /// Time at which it is posted.
    pub at: Time,
    /// Its payload.
    pub bytes: Bytes,
}

impl Flow {
    /// Host that posts the messages: the destination for RDMA READ, else the source.
    #[must_use]
    pub const fn requester(&self) -> NodeId {
        if matches!(self.operation, Operation::RdmaRead) { self.destination } else { self.source }
    }

    /// Field of the scenario that the flow comes from, if it has no name there.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        if matches!(self.posting, Posting::Job { .. }) { "jobs" } else { "traffic" }
    }

    /// Host that the requests go to.
    #[must_use]
    pub const fn responder(&self) -> NodeId {
        if matches!(self.operation, Operation::RdmaRead) { self.source } else { self.destination }
    }
}

impl Posting {
    /// Time of the first message; [`Time::NEVER`] if there is none.
    #[must_use]
    pub fn start(&self) -> Time {
        match self {
            Self::Scheduled(schedule) => schedule.start(),
            Self::Drawn { start, .. } | Self::Job { start, .. } => *start,
        }
    }

    /// Declared time from which no further message is posted; [`Time::NEVER`] if none is declared.
    #[must_use]
    pub fn stop(&self) -> Time {
        match self {
            Self::Scheduled(schedule) => schedule.stop(),
            Self::Drawn { stop, .. } => *stop,
            Self::Job { .. } => Time::NEVER,
        }
    }

    /// Payload of all messages together; `None` if it depends on the run.
    #[must_use]
    pub fn total(&self) -> Option<Bytes> {
        match self {
            Self::Scheduled(MessageSchedule::Saturate { .. } | MessageSchedule::Paced { .. }) => None,
            Self::Scheduled(MessageSchedule::Listed(messages)) => {
                Some(messages.iter().map(|message| message.bytes).sum())
            }
            Self::Drawn { total, .. } => total.get(),
            Self::Job { total, .. } => Some(*total),
        }
    }
}

impl MessageSchedule {
    /// Time of the first message; [`Time::NEVER`] if there is none.
    #[must_use]
    pub fn start(&self) -> Time {
        match self {
            Self::Saturate { start, .. } | Self::Paced { start, .. } => *start,
            Self::Listed(messages) => messages.first().map_or(Time::NEVER, |message| message.at),
        }
    }

    /// Declared time from which no further message is posted; [`Time::NEVER`] if none is declared.
    #[must_use]
    pub fn stop(&self) -> Time {
        match self {
            Self::Saturate { stop, .. } | Self::Paced { stop, .. } => *stop,
            Self::Listed(_) => Time::NEVER,
        }
    }
}

/// Returns the time of message `k`, `start + k * message / rate`, rounded up to the next picosecond; [`Time::NEVER`]
/// past the end of the clock. Computed from `k` itself, so that rounding errors do not add up.
pub(crate) fn paced(start: Time, k: u64, message: Bytes, rate: Rate) -> Time {
    const PS_PER_BYTE_AT_1_BPS: u128 = 8_000_000_000_000;
    // At most 2^31 * 2^43 a message, and a run posts far fewer than 2^54 messages.
    let bit_ps = u128::from(k) * (u128::from(message.get()) * PS_PER_BYTE_AT_1_BPS);
    let at = u128::from(start.ps()) + bit_ps.div_ceil(u128::from(rate.get()));
    u64::try_from(at).map_or(Time::NEVER, Time::from_ps)
}
