//! Messages of a host, as its streams yield them.
//!
//! Invariant: drawn messages are a value. Drawn again from the start they are the same, so the flows and the total
//! payload of a host are known before the run.
//!
//! | module | contents |
//! |---|---|
//! | `message` | a drawn message |
//! | `destinations`, `arrivals`, `sizes` | the three rules of synthetic traffic |
//! | `sequence` | the messages that these rules make |
//! | `hot_spot` | uniform traffic with hot spots |

mod arrivals;
mod destinations;
mod hot_spot;
mod message;
mod sequence;
mod sizes;

use packet::NodeId;
use units::{Bytes, Time};

pub(crate) use arrivals::{ArrivalTimes, PostingPeriod};
pub(crate) use destinations::{DestinationRule, Targets};
pub(crate) use hot_spot::{HotSpotMessages, SpacingClock};
pub(crate) use message::DrawnMessage;
pub(crate) use sequence::{MessageSequence, TimedSequence};
pub(crate) use sizes::SizeDistribution;

/// The messages of a host, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TimedMessages {
    /// Messages by rules for destinations, arrivals and sizes.
    Sequence(TimedSequence),
    /// Uniform traffic with hot spots.
    HotSpot(HotSpotMessages),
}

state_codec::state!(enum TimedMessages { 0 = Sequence(messages: part), 1 = HotSpot(messages: part) });

impl Iterator for TimedMessages {
    type Item = DrawnMessage;

    fn next(&mut self) -> Option<DrawnMessage> {
        match self {
            Self::Sequence(messages) => messages.next(),
            Self::HotSpot(messages) => messages.next(),
        }
    }
}

/// The messages between a pair of hosts, before they are posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowForecast {
    pub(crate) to: NodeId,
    /// Time of the first message.
    pub(crate) first: Time,
    /// Payload of all messages together.
    pub(crate) total: Bytes,
}

/// Adds up messages by destination. Returns the destinations that receive any among `hosts` hosts, in order.
pub(crate) fn forecast(messages: impl Iterator<Item = DrawnMessage>, hosts: usize) -> Vec<FlowForecast> {
    let none = |to| FlowForecast { to, first: Time::NEVER, total: Bytes::ZERO };
    let mut all: Vec<_> = (0..).map(NodeId).take(hosts).map(none).collect();
    for message in messages {
        let flow = &mut all[message.to as usize];
        flow.first = flow.first.min(message.at);
        flow.total += message.bytes;
    }
    all.retain(|flow| flow.first != Time::NEVER);
    all
}
