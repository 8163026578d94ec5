//! GOAL, the language of programs of ranks (Hoefler, Siebert, Lumsdaine, ICPP 2009), as `txt2bin` of
//! `LogGOPSim` reads it.
//!
//! Invariant: each statement becomes one operation or one edge, or the file is refused with the statement's place. A
//! file is read as a stream: besides the programs, memory holds labels and lines of one rank.
//!
//! | module | contents |
//! |---|---|
//! | `fault` | faults, with line and column or with the offset |
//! | `line` | words of a line |
//! | `labels` | labels of a rank |
//! | `statement` | statements of a line |
//! | `text` | jobs from texts |
//! | `binary` | jobs from the binary form |
//! | `write` | jobs to texts and to the binary form |

mod binary;
mod fault;
mod labels;
mod line;
mod statement;
mod text;
mod write;

use units::Span;

use super::graph::Programs;

pub use binary::{MAGIC, OPERATION_BYTES, read_binary};
pub use fault::{BinaryError, BinaryFault, GoalError, GoalFault, GoalReadError};
pub use text::{lines_of, read_text};
pub use write::{calc_unit, write_binary, write_text};

/// Span of a `calc 1` where nobody gives another: `LogGOPSim`'s defaults and the traces of MPI are in nanoseconds.
pub const CALC_UNIT: Span = Span::from_ns(1);

/// Most ranks of a job.
pub const MAX_RANKS: u32 = 1 << 20;

/// A job from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalJob {
    /// Programs of all ranks.
    pub programs: Programs,
    /// Number of edges that name a label before the operation that has it, which `txt2bin` refuses.
    pub forward: u64,
    /// Line of the first such edge.
    pub first_forward: Option<u64>,
    /// Ranks without a block, in order; their programs are empty.
    pub missing: Vec<u32>,
}
