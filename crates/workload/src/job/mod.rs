//! Jobs: ranks with programs of operations that wait for each other, and for messages.
//!
//! Invariant: an operation waits for operations of its own rank alone, and for messages that arrive at this rank.
//!
//! | module | contents |
//! |---|---|
//! | `channel` | peers and tags of a program, each pair stored once |
//! | [`graph`] | programs of ranks |
//! | `listed` | lists of operations, packed |
//! | `ring` | ranks of rings as formulas |
//! | `builder` | graphs from operations and edges; cycles within a rank |
//! | [`goal`] | jobs from files of GOAL |
//! | `mismatch` | faults between ranks |
//! | `fitting` | messages to a rank that receives from any rank or with any tag |
//! | `posting_order` | the order in which a rank posts its operations, as far as its program fixes it |
//! | `replay` | a job without time, which finds circles over ranks |
//! | [`matching`] | the check of a job before its run |
//! | [`progress`] | the progress of a rank through its program |
//! | [`times`] | times of a rank's operations |
//! | [`sizes`] | messages that receives of another size have taken |
//! | [`spans`] | a rank's time: computing, exposed, waiting |
//! | [`path`] | the critical path |
//! | `host` | the ranks of a host, as its adapter runs them |
//! | `links` | queue pairs by which messages leave a host and come in |
//! | `wiring` | ranks of jobs on their hosts, and the flows between them |
//! | [`rendezvous`] | messages that ask their receiver |
//! | `placed` | a job of a run: its programs, on hosts |
//! | [`collective`] | collectives of MPI and NCCL as formulas, and as graphs |
//! | [`assembly`] | programs from collectives, computations and lists |
//! | `pace` | lengths of computations, with noise |
//! | [`placement`] | hosts of ranks |
//! | [`ideal`] | replay of a job with ideal messages |
//! | [`ideal_ring`] | the same of a ring, step by step |
//! | [`closed_forms`] | ideal times, lower bounds and bandwidths of collectives |

pub mod assembly;
mod builder;
mod channel;
pub mod closed_forms;
pub mod collective;
mod fitting;
pub mod goal;
pub mod graph;
mod groups;
mod host;
pub mod ideal;
pub mod ideal_ring;
mod links;
mod listed;
pub mod matching;
mod mismatch;
mod operation;
mod pace;
pub mod path;
mod placed;
pub mod placement;
mod posting_order;
pub mod progress;
#[cfg(test)]
mod progress_tests;
pub mod rendezvous;
mod replay;
mod ring;
#[cfg(test)]
mod ring_tests;
pub mod sizes;
pub mod spans;
pub mod times;
mod wiring;

pub use builder::{Cycle, GraphBuilder};
pub use channel::Channel;
pub use graph::{Graph, Operation, OperationId, Programs, Successors, Work};
pub use host::{HostJobs, RankReport};
pub use links::{JobMotion, JobPost};
pub use mismatch::{Mismatch, NamedOperation, counted};
pub(crate) use pace::WHOLE;
pub use pace::{Noise, Pace};
pub use placed::{Job, JobPair, LocalLink, Placed, Timing};
pub use times::{ArrivedAt, RankTimes};
pub use wiring::RanksOfHost;

/// Most different tags of a job: a message names its tag by a number of 24 bits, and one of these stands for none.
pub const MOST_TAGS: u32 = (1 << 24) - 1;
