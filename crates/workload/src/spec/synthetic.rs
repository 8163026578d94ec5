//! Synthetic traffic: every host sends, by rules for destinations, arrivals and sizes.
//!
//! Invariant: destinations, arrivals and sizes are three choices, and every combination of them is a pattern.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span, Time};

use super::check;
use super::hosts::HostsSpec;
use super::shared::pattern_spec;
use crate::error::{FlowError, InField, SyntheticError, WorkloadError};

pattern_spec! {
    /// Hosts post messages by rules for their destinations, times and sizes, on a queue pair for each pair of hosts.
    pub struct SyntheticSpec {
        /// Hosts that post messages; all if left out.
        #[serde(default)]
        pub senders: HostsSpec,
        /// Hosts that they post to, none to itself; all if left out.
        #[serde(default)]
        pub receivers: HostsSpec,
        /// Destinations of the messages.
        pub destinations: DestinationSpec,
        /// Times of the messages, and the offered load.
        pub arrivals: ArrivalSpec,
        /// Sizes of the messages.
        pub size: SizeSpec,
        /// Time from which messages are posted; the beginning of the run if left out.
        #[serde(default = "beginning")]
        pub start: Time,
        /// Time from which no further message is posted, later than the start; the end of the run if left out.
        #[serde(default)]
        pub stop: Option<Time>,
        /// Most messages that each host posts, at least 1; no limit if left out. An exchange of all to all
        /// takes one fewer than there are hosts.
        #[serde(default)]
        #[schemars(range(min = 1))]
        pub messages: Option<u32>,
    }
}

/// Destinations of a host's messages. Senders and receivers are numbered from 0, each in the order of the topology; n
/// is the number of receivers. If all hosts send and receive, both numbers of a host are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DestinationSpec {
    /// A receiver, drawn for each message; all but the sender are equally likely.
    Uniform,
    /// A receiver that is attached to another switch than the sender, drawn for each message; all are equally likely.
    OtherRacks,
    /// One receiver, which no other host sends to: one assignment, drawn once, in which none sends to itself.
    Permutation,
    /// From sender i to receiver (i + shift) mod n: 1 to n - 1. A sender that this leads to itself sends nothing.
    Shift(#[schemars(range(min = 1))] u32),
    /// The receiver whose number has the same bits in another order, or inverted; n is a power of two. A sender that
    /// this leads to itself sends nothing.
    Bits(BitPermutation),
    /// All receivers in turn, those that follow the sender in the topology first, and then again. With
    /// `Closed(outstanding: 1)` a host begins with the next when its message has arrived, which makes stages.
    /// `AtOnce` posts all at the start.
    AllToAll,
}

/// Permutation of the b bits of a host's number s that gives its destination d (Dally and Towles, Principles
/// and Practices of Interconnection Networks, 2004, section 3.2, table 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BitPermutation {
    /// `d[i] = !s[i]`.
    Complement,
    /// `d[i] = s[b - 1 - i]`.
    Reverse,
    /// `d[i] = s[(i + 1) mod b]`: to the right by one.
    Rotation,
    /// `d[i] = s[(i - 1) mod b]`: to the left by one.
    Shuffle,
    /// `d[i] = s[(i + b/2) mod b]`; b is even.
    Transpose,
}

/// Times of a host's messages. A `load` is the mean rate of payload as a share of the data rate of the host's
/// link, above 0 and at most 1: the offered load, whether or not the fabric can take it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum ArrivalSpec {
    /// Evenly spaced. Each host begins at a time of its own within the first interval.
    Fixed {
        /// Offered load.
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        load: f64,
    },
    /// At exponentially distributed intervals.
    Poisson {
        /// Offered load.
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        load: f64,
    },
    /// Evenly spaced while the host is on; it is on and off in turn, for exponentially distributed times.
    OnOff {
        /// Offered load, over times on and off: at most `on / (on + off)`, at which a host that is on offers all that
        /// its link carries.
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        load: f64,
        /// Mean time on, above 0.
        on: Span,
        /// Mean time off, above 0.
        off: Span,
    },
    /// A closed loop: each host keeps a constant number of messages posted and not yet acknowledged.
    Closed {
        /// Messages of the host to all destinations together, at least 1.
        #[schemars(range(min = 1))]
        outstanding: u32,
    },
    /// All at the start; `messages` is their number.
    AtOnce,
}

/// Sizes of messages: 1 byte to 2 GiB of payload (IBA's longest message).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum SizeSpec {
    /// All the same.
    Fixed(Bytes),
    /// Drawn for each message from all whole numbers of bytes between two, both included.
    Uniform {
        /// The shortest.
        least: Bytes,
        /// The longest.
        most: Bytes,
    },
    /// Drawn for each message from the distribution in a file. Its name ends in `.txt`, and it lies beside the
    /// scenario.
    Cdf(String),
}

pattern_spec! {
    /// Flows from a file, in the form of HPCC's `flow.txt`: each has a queue pair of its own, one message, and the
    /// service level that the file gives it.
    pub struct FlowListSpec without service_level {
        /// Name of the file, which ends in `.txt` and lies beside the scenario.
        pub file: String,
        /// Time of the file at which the run begins; 0 if left out.
        #[serde(default = "beginning")]
        pub origin: Time,
        /// Beginning of the names of hosts, if the file's numbers are the ends of names: with `Some("h")` number 7 is
        /// the host `h7`. If left out, number 7 is the eighth host of the topology; where the topology is a file of
        /// HPCC's form, the host of that number there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub host_prefix: Option<String>,
    }
}

/// Arrivals that have been checked, by the event that posts a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PostingRule {
    /// Time alone.
    Timed(TimedArrivals),
    /// The completion of a message before it.
    Closed { outstanding: u32 },
    /// The start.
    AtOnce { messages: u32 },
}

/// Arrivals that do not wait for completions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TimedArrivals {
    Fixed { load: f64 },
    Poisson { load: f64 },
    OnOff { load: f64, on: Span, off: Span },
}

impl TimedArrivals {
    /// Offered load.
    pub(crate) const fn load(self) -> f64 {
        match self {
            Self::Fixed { load } | Self::Poisson { load } | Self::OnOff { load, .. } => load,
        }
    }
}

impl SyntheticSpec {
    /// Returns true if destinations, times or sizes are drawn at random.
    pub(super) const fn draws_at_random(&self) -> bool {
        let drawn_destinations = match self.destinations {
            DestinationSpec::Uniform | DestinationSpec::OtherRacks | DestinationSpec::Permutation => true,
            DestinationSpec::Shift(_) | DestinationSpec::Bits(_) | DestinationSpec::AllToAll => false,
        };
        let drawn_times = match self.arrivals {
            // Each host begins at a time of its own within the first interval.
            ArrivalSpec::Fixed { .. } | ArrivalSpec::Poisson { .. } | ArrivalSpec::OnOff { .. } => true,
            ArrivalSpec::Closed { .. } | ArrivalSpec::AtOnce => false,
        };
        drawn_destinations || drawn_times || !matches!(self.size, SizeSpec::Fixed(_))
    }

    /// Checks the fields that need neither hosts nor files, and returns how messages are posted.
    pub(crate) fn resolve(&self) -> Result<PostingRule, WorkloadError> {
        if let Some(stop) = self.stop {
            check::period(self.start, stop).in_field("stop")?;
        }
        if self.messages == Some(0) {
            return Err(WorkloadError::at("messages", FlowError::NoMessages));
        }
        self.posting_rule()
    }

    fn posting_rule(&self) -> Result<PostingRule, WorkloadError> {
        let timed = match self.arrivals {
            ArrivalSpec::Fixed { load } => TimedArrivals::Fixed { load },
            ArrivalSpec::Poisson { load } => TimedArrivals::Poisson { load },
            ArrivalSpec::OnOff { load, on, off } => TimedArrivals::OnOff { load, on, off },
            ArrivalSpec::Closed { outstanding: 0 } => {
                return Err(WorkloadError::at("arrivals.outstanding", FlowError::Outstanding));
            }
            ArrivalSpec::Closed { outstanding } => return Ok(PostingRule::Closed { outstanding }),
            ArrivalSpec::AtOnce => {
                let missing = WorkloadError::at("arrivals", SyntheticError::AtOnceWithoutMessages);
                return self.messages.map(|messages| PostingRule::AtOnce { messages }).ok_or(missing);
            }
        };
        check::load(timed.load()).in_field("arrivals.load")?;
        if let TimedArrivals::OnOff { load, on, off } = timed {
            check::mean_time(on).in_field("arrivals.on")?;
            check::mean_time(off).in_field("arrivals.off")?;
            // The load is a mean over all times, and a host cannot send faster than its link while it is on.
            let most = on.ps() as f64 / (on.ps() as f64 + off.ps() as f64);
            if load > most {
                return Err(WorkloadError::at(
                    "arrivals.load",
                    SyntheticError::LoadWhileOn { given: load, most },
                ));
            }
        }
        Ok(PostingRule::Timed(timed))
    }
}

const fn beginning() -> Time {
    Time::ZERO
}
