//! Jobs: ranks with programs of operations that wait for each other, and for messages.
//!
//! Invariant: an operation waits for operations of its own rank alone, and for messages that arrive at this rank.
//!
//! | module | contents |
//! |---|---|
//! | `channel` | peers and tags of a program, each pair stored once |
//! | [`graph`] | programs as lists of operations, packed |
//! | `builder` | graphs from operations and edges; cycles within a rank |
//! | [`goal`] | jobs from files of GOAL |
//! | `mismatch` | faults between ranks |
//! | `replay` | a job without time, which finds circles over ranks |
//! | [`matching`] | the check of a job before its run |

mod builder;
mod channel;
pub mod goal;
pub mod graph;
pub mod matching;
mod mismatch;
mod replay;

pub use builder::{Cycle, GraphBuilder};
pub use channel::Channel;
pub use graph::{Graph, Operation, OperationId, Programs, Work};
pub use mismatch::{Mismatch, NamedOperation};
