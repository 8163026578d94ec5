//! Reasons why a figure cannot be drawn.
//!
//! Invariant: each says which file is missing or wrong, or what there is nothing of.

use crate::reader::ReadError;

/// Reason why a figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum FigureFault {
    /// A file is missing or wrong.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The files have nothing that the figure could show.
    #[error("{0}")]
    Empty(&'static str),
}
