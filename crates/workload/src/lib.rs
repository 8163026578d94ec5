//! Who sends what to whom, when.
//!
//! Invariant: all chance comes from streams that belong to traffic alone, each to one host and one purpose. Two
//! designs of one scenario meet identical arrivals. What is drawn as a float is rounded to the picosecond at once.
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | what a scenario writes down |
//! | `builder` | from there to a workload, with every check |
//! | `pattern` | the flows of a rule: permutation, Poisson, incast |
//! | `converge` | flows from several hosts to one, at once or in sessions |
//! | [`hot_spot`] | uniform traffic with hot spots, at rest or moving |
//! | `exponential` | exponentially distributed draws, the same on every machine |
//! | [`synthetic`] | every host to others: rules for destinations, arrivals and sizes |
//! | [`file`](mod@file) | distributions of sizes and lists of flows, from files |
//! | [`flow`] | flows, and when their messages are posted |
//! | [`change`] | the declared changes of named flows |
//! | [`host_traffic`] | at run time: what a host posts to several others, drawn as the run goes on |
//! | `draws` | the messages that a source's streams yield |
//! | [`generator`] | at run time: when the next message of a flow is posted |
//! | [`error`] | what can be wrong, and where |
//!
//! ```text
//! FlowSpec, PatternSpec --Workload::build--> Flow: MessageSchedule --> MessageGenerator  deadline, on_deadline, on_completed
//!                                       \--> HostTraffic                         deadline, on_deadline, on_completed
//! ```

mod builder;
pub mod change;
mod converge;
mod draws;
pub mod error;
mod exponential;
pub mod file;
pub mod flow;
pub mod generator;
pub mod host_traffic;
pub mod hot_spot;
mod pattern;
pub mod spec;
pub mod synthetic;

pub use builder::Setting;
pub use change::Change;
pub use error::{WorkloadError, WorkloadErrorKind};
pub use flow::{Flow, Group, ListedMessage, MessageSchedule, Posting, Workload};
pub use generator::MessageGenerator;
pub use host_traffic::{HostTraffic, Post};
pub use hot_spot::{Contributors, HotSpot, Spacing, Window};
pub use packet::TransportService;
pub use spec::{Converge, FlowSpec, Load, Operation, PatternSpec, Sessions};
pub use synthetic::spec::{Arrivals, Bits, Destinations, FlowList, Size, Synthetic};

use units::Bytes;

/// The longest message: 2^31 bytes (IBA volume 1, chapter 9: the same for SEND and RDMA WRITE).
pub const LONGEST_MESSAGE: Bytes = Bytes::new(1 << 31);

/// The most messages that a flow may list, or a pattern may post at the start: 2^26, which take 1 GiB.
pub const MAX_LISTED: u64 = 1 << 26;

/// The most messages that a pattern is expected to draw: 2^30. They take no memory, but are drawn once before the run,
/// which takes half a minute for as many.
pub const MAX_DRAWN: u64 = 1 << 30;

/// The most flows that are made from a file: 2^20.
pub const MAX_FLOWS: usize = 1 << 20;

/// The most sessions that a pattern is expected to make: 2^16.
pub const MAX_SESSIONS: u64 = 1 << 16;
