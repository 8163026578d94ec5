//! Traffic: the flows of a run, and the times, sizes and destinations of their messages.
//!
//! Invariant: all chance comes from streams that belong to traffic alone, each to a single host and purpose. Two
//! designs of a scenario therefore meet identical arrivals. Times and sizes drawn as floats are rounded to whole
//! picoseconds and bytes at once.
//!
//! Modules form floors, lowest first; each imports from floors above it in this table only.
//!
//! | module | contents |
//! |---|---|
//! | `limits`, `change` | bounds; SEND and RDMA; declared changes of traffic |
//! | `chance` | exponential draws, times on and off, permutations: the same on every machine |
//! | [`job`] | programs of ranks, with operations that wait for each other |
//! | [`error`] | faults in traffic, with their field and help |
//! | `environment` | hosts, links, seed, end and files that traffic is expanded for |
//! | `flow` | flows and their schedules |
//! | [`spec`] | traffic as a scenario writes it, and its checks |
//! | `file` | distributions of sizes and lists of flows, from files |
//! | `draw` | the messages that the streams of a host yield |
//! | `volume` | amounts of messages that are expected |
//! | `run` | during the run: the messages that a host posts, and their times |
//! | `finite` | traffic that ends by itself |
//! | `workload` | all traffic of a run |
//! | `expand` | from traffic as written to a workload |
//!
//! ```text
//! FlowSpec, PatternSpec --Workload::build--> Flow: MessageSchedule --> MessageGenerator  deadline, on_deadline, on_completed
//!                                       \--> HostTraffic                                 deadline, on_deadline, on_completed
//! ```

mod chance;
mod change;
mod draw;
mod environment;
pub mod error;
mod expand;
mod file;
mod finite;
mod flow;
pub mod job;
mod limits;
mod run;
pub mod spec;
mod volume;
mod workload;

pub use change::TrafficChange;
pub use environment::Environment;
pub use error::{WorkloadError, WorkloadErrorKind};
pub use finite::FiniteTraffic;
pub use flow::{Flow, ListedMessage, MessageSchedule, Posting};
pub use limits::{LONGEST_MESSAGE, MAX_DRAWN, MAX_FLOWS, MAX_LISTED, MAX_SESSIONS};
pub use packet::{Operation, TransportService};
pub use run::{HostTraffic, MessageGenerator, Post};
pub use spec::{Carriage, FlowSpec, JobSpec, LoadSpec, PatternSpec, ProgramSpec};
pub use volume::PostedVolume;
pub use workload::{Group, Pattern, Workload};
