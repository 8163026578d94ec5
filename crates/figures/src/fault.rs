//! Reasons why a figure cannot be drawn.
//!
//! Invariant: each says which file is missing or wrong, or what there is nothing of.

use results::manifest::UndrawnEntry;
use results::reader::ReadError;

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

impl FigureFault {
    /// Returns true if the files have data that cannot be drawn, and false if they have none.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        match self {
            Self::Empty(_) | Self::Read(ReadError::Missing(_) | ReadError::LeftOut(_)) => false,
            Self::Read(
                ReadError::Unreadable { .. } | ReadError::Malformed { .. } | ReadError::Parquet { .. },
            ) => true,
        }
    }
}

/// A figure of a run that is not drawn.
#[derive(Debug)]
pub struct UndrawnFigure {
    /// Name of its file.
    pub file: &'static str,
    /// The reason.
    pub fault: FigureFault,
}

impl From<&UndrawnFigure> for UndrawnEntry {
    fn from(figure: &UndrawnFigure) -> Self {
        Self { file: figure.file.to_owned(), reason: figure.fault.to_string() }
    }
}
