//! Figures of runs, drawn from the files of their result folders.
//!
//! Invariant: the same files draw the same bytes, whether they are about to be written or are read from a folder.
//!
//! | module | draws |
//! |---|---|
//! | [`engine`] | any chart, as SVG |
//! | `fault` | nothing: reasons why a figure cannot be drawn |
//! | `goodput` | goodput over time |
//! | `completions` | completion times of messages |
//! | `compared` | several runs in one panel |
//! | `catalogue` | the list of all figures of a run |

mod catalogue;
mod compared;
mod completions;
pub mod engine;
mod fault;
mod goodput;

pub use catalogue::{FIGURES, FigureKind};
pub use compared::{ComparedFiles, compared};
pub use fault::FigureFault;
