//! What a scenario writes down about synthetic traffic.
//!
//! Invariant: as written, not yet checked. To whom, when and how long are three choices, and every
//! combination of them is a pattern.

use packet::ServiceLevel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span, Time};

/// Every host sends messages to others, by three rules: to whom, when, and how long they are. All are RDMA
/// WRITEs over RC, on a queue pair for each pair of hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Synthetic {
    /// To whom.
    pub destinations: Destinations,
    /// When, and how much.
    pub arrivals: Arrivals,
    /// How long messages are.
    pub size: Size,
    /// From when; the beginning of the run if left out.
    #[serde(default = "beginning")]
    pub start: Time,
    /// When no further message is posted, later than the start; the end of the run if left out.
    #[serde(default)]
    pub stop: Option<Time>,
    /// The most messages that each host posts, at least 1; no limit if left out. An exchange of all to all
    /// takes one fewer than there are hosts.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub messages: Option<u32>,
    /// Of all its flows, 0 to 15.
    #[serde(default)]
    pub service_level: ServiceLevel,
}

/// To whom a host sends. Hosts are numbered from 0, in the order of the topology; n is how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Destinations {
    /// To another host, drawn for each message; all are equally likely.
    Uniform,
    /// To one other, and from one other: one permutation of all hosts, drawn once, without fixed points.
    Permutation,
    /// From host i to host (i + shift) mod n: 1 to n - 1.
    Shift(#[schemars(range(min = 1))] u32),
    /// To the host whose number has the same bits, elsewhere; n is a power of two. A host that this leads to
    /// itself sends nothing.
    Bits(Bits),
    /// Host i to i + 1, i + 2, ... (mod n), and again after i - 1. `Closed(outstanding: 1)` makes stages of
    /// it: a host begins with the next when its message has arrived. `AtOnce` posts all at the start.
    AllToAll,
}

/// What is done with the b bits of a host's number s to get its destination d (Dally and Towles, Principles
/// and Practices of Interconnection Networks, 2004, section 3.2, table 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Bits {
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

/// When a host posts messages. A `load` is the mean rate of payload as a share of the data rate of the host's
/// link, above 0 and at most 1: what is offered, whether or not the fabric can take it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Arrivals {
    /// Evenly spaced. Each host begins at a time of its own within the first interval.
    Fixed {
        /// The offered load.
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        load: f64,
    },
    /// At exponentially distributed intervals.
    Poisson {
        /// The offered load.
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        load: f64,
    },
    /// Evenly spaced while the host is on; it is on and off in turn, for exponentially distributed times.
    OnOff {
        /// The offered load, over times on and off: at most `on / (on + off)`, at which a host that is on
        /// offers all that its link carries.
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        load: f64,
        /// Mean time on, above 0.
        on: Span,
        /// Mean time off, above 0.
        off: Span,
    },
    /// A closed loop: so many messages of each host are posted and not yet acknowledged, at any time.
    Closed {
        /// At least 1, of the host's messages to all destinations together.
        #[schemars(range(min = 1))]
        outstanding: u32,
    },
    /// All at the start: as many as `messages` says.
    AtOnce,
}

/// How long messages are: 1 byte to 2 GiB of payload (IBA's longest message).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Size {
    /// All the same.
    Fixed(Bytes),
    /// Drawn for each message from all whole numbers of bytes between two, both included.
    Uniform {
        /// The shortest.
        least: Bytes,
        /// The longest.
        most: Bytes,
    },
    /// Drawn for each message from the distribution in a file: its name, which ends in `.txt`; it lies
    /// beside the scenario.
    Cdf(String),
}

/// Flows from a file, in the form of HPCC's `flow.txt`: each has a queue pair of its own, and one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowList {
    /// The file's name, which ends in `.txt`; it lies beside the scenario.
    pub file: String,
    /// The time of the file at which the run begins; 0 if left out.
    #[serde(default = "beginning")]
    pub origin: Time,
}

const fn beginning() -> Time {
    Time::ZERO
}
