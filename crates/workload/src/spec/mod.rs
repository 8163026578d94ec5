//! Traffic as a scenario writes it, with the checks of its fields.
//!
//! Invariant: serde reads fields as written, and a check stands beside the fields that it is about. Faults come in
//! the order of the checks; the first is reported.
//!
//! | module | contents |
//! |---|---|
//! | `check` | the checks that several specs share |
//! | `shared` | the fields that all patterns share |
//! | `flow` | a flow with a name of its own |
//! | `pattern` | every traffic pattern |
//! | `hosts` | hosts by name, pattern and range |
//! | `simple` | permutation, Poisson |
//! | `incast` | incasts, once or repeated |
//! | `converge` | flows from several hosts to a receiver, at once or in sessions |
//! | `job` | jobs: ranks on hosts, with programs |
//! | `program` | programs of jobs: files, collectives, sequences |
//! | `hot_spot` | uniform traffic with hot spots, at rest or moving |
//! | `synthetic` | every host to others: rules for destinations, arrivals and sizes |
//! | `examples` | an example of each pattern and rule, for tests |

pub(crate) mod check;
mod converge;
mod examples;
mod flow;
mod hosts;
mod hot_spot;
mod incast;
mod job;
mod pattern;
mod program;
mod shared;
mod simple;
mod synthetic;

pub use converge::{ConvergeSpec, SessionsSpec};
pub use flow::{FlowSpec, LoadSpec};
pub use hosts::HostsSpec;
pub(crate) use hosts::Parties;
pub use hot_spot::{ContributorSpec, HotSpotSpec, HotSpotWindowSpec, SpacingSpec};
pub(crate) use hot_spot::{HotSpotWindow, HotSpots};
pub(crate) use incast::{IncastSpacing, Incasts, Senders};
pub use incast::{IncastSpec, RepeatSpec, SenderRule, SendersSpec};
pub use job::{BarrierSpec, JobSpec, LocalSpec, NoiseSpec, PlaceSpec, SharedHosts, StragglerSpec};
pub use pattern::PatternSpec;
pub(crate) use program::WrittenCollective;
pub use program::{
    AllGatherAlgorithm, AllReduceAlgorithm, AllToAllAlgorithm, BarrierAlgorithm, BroadcastAlgorithm,
    GroupSpec, ProgramSpec, ReduceAlgorithm, ReduceScatterAlgorithm,
};
pub use shared::Carriage;
pub(crate) use shared::{Carried, Label, Labelled};
pub use simple::{PermutationSpec, PoissonSpec};
pub use synthetic::{ArrivalSpec, BitPermutation, DestinationSpec, FlowListSpec, SizeSpec, SyntheticSpec};
pub(crate) use synthetic::{PostingRule, TimedArrivals};
