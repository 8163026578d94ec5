//! Traffic patterns: many flows by one rule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Time};

use super::converge::{ConvergeSpec, SessionsSpec};
use super::hot_spot::HotSpotSpec;
use super::synthetic::{FlowListSpec, SizeSpec, SyntheticSpec};

/// Many flows by one rule: scenario field `traffic`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum PatternSpec {
    /// Every host sends to one other and receives from one other, drawn at random, none to itself.
    Permutation {
        /// Time of all messages.
        at: Time,
        /// Payload of the one message of each host.
        bytes: Bytes,
    },
    /// Every host sends messages to uniformly drawn others, at exponentially distributed intervals.
    Poisson {
        /// Time from which messages are posted.
        from: Time,
        /// Time until which messages are posted, later than `from`.
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
        /// Time of all messages.
        at: Time,
        /// Host that receives.
        to: String,
        /// Number of hosts that send: 1 to all others.
        #[schemars(range(min = 1))]
        senders: u32,
        /// Payload of each message.
        bytes: Bytes,
    },
    /// Every host sends, by rules for destinations, arrivals and sizes.
    Synthetic(SyntheticSpec),
    /// Flows from a file.
    FlowList(FlowListSpec),
    /// One flow from each of several hosts to one.
    Converge(ConvergeSpec),
    /// Flows from several hosts to one that join and leave at random.
    Sessions(SessionsSpec),
    /// Uniform traffic of all hosts, with hot spots that come and go.
    HotSpot(HotSpotSpec),
}

impl PatternSpec {
    /// Returns the name of the file that the pattern refers to, and the field that names it.
    #[must_use]
    pub fn file(&self) -> Option<(&str, &'static str)> {
        match self {
            Self::FlowList(list) => Some((&list.file, "file")),
            Self::Synthetic(SyntheticSpec { size: SizeSpec::Cdf(file), .. }) => Some((file, "size")),
            Self::Synthetic(_)
            | Self::Permutation { .. }
            | Self::Poisson { .. }
            | Self::Incast { .. }
            | Self::Converge(_)
            | Self::Sessions(_)
            | Self::HotSpot(_) => None,
        }
    }
}
