//! Faults in a scenario's traffic.
//!
//! Invariant: the message names the wrong value and the reason, the help a value to write instead. The caller
//! proposes names close to an unknown name, since it knows every name that may stand there.
//!
//! | module | faults in |
//! |---|---|
//! | `flow` | names, hosts, times and messages of a flow, and the same fields of patterns |
//! | `name` | names of patterns and groups |
//! | `hosts` | the hosts that a flow or pattern names |
//! | `pattern` | the fields that several patterns share |
//! | `hot_spot` | hot spots |
//! | `job` | jobs |
//! | `synthetic` | the rules of synthetic traffic |
//! | `file` | files beside the scenario, down to the column |

mod file;
mod flow;
mod hosts;
mod hot_spot;
mod job;
mod name;
mod pattern;
mod synthetic;

pub use file::{FileError, FileFault, InFile, RankLineFault};
pub use flow::FlowError;
pub use hosts::HostError;
pub use hot_spot::HotSpotError;
pub use job::JobError;
pub use name::{NameError, NameOwner};
pub use pattern::PatternError;
pub use synthetic::SyntheticError;

use settings::{FieldPath, SettingError};

/// A field of a scenario's traffic that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct WorkloadError {
    path: FieldPath,
    kind: WorkloadErrorKind,
}

/// A fault in traffic, without its place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorkloadErrorKind {
    /// A flow, or the same field of a pattern.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// The name of a pattern or group.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The hosts that a flow or pattern names.
    #[error(transparent)]
    Hosts(#[from] HostError),
    /// A field that several patterns share.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A hot spot.
    #[error(transparent)]
    HotSpot(#[from] HotSpotError),
    /// A rule of synthetic traffic.
    #[error(transparent)]
    Synthetic(#[from] SyntheticError),
    /// A job.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A file beside the scenario.
    #[error(transparent)]
    File(#[from] FileError),
}

impl WorkloadError {
    /// A fault in a field of a flow or pattern.
    pub(crate) fn at(path: impl Into<FieldPath>, kind: impl Into<WorkloadErrorKind>) -> Self {
        Self { path: path.into(), kind: kind.into() }
    }

    /// A fault in a flow or pattern as a whole.
    pub(crate) fn whole(kind: impl Into<WorkloadErrorKind>) -> Self {
        Self::at(FieldPath::default(), kind)
    }

    /// Moves the fault below `parent`, the place of the flow or pattern in the scenario.
    pub(crate) fn below(self, parent: &FieldPath) -> Self {
        Self { path: parent.join(&self.path), ..self }
    }

    /// The fault, without its place.
    #[must_use]
    pub fn kind(&self) -> &WorkloadErrorKind {
        &self.kind
    }
}

impl SettingError for WorkloadError {
    /// Path of the field in the scenario: `flows[2].to`, `traffic[0].load`.
    fn path(&self) -> FieldPath {
        self.path.clone()
    }

    fn help(&self) -> Option<String> {
        match &self.kind {
            WorkloadErrorKind::Flow(error) => Some(error.help()),
            WorkloadErrorKind::Name(error) => Some(error.help()),
            WorkloadErrorKind::Hosts(error) => Some(error.help()),
            WorkloadErrorKind::Pattern(error) => Some(error.help()),
            WorkloadErrorKind::HotSpot(error) => Some(error.help()),
            WorkloadErrorKind::Synthetic(error) => Some(error.help()),
            WorkloadErrorKind::Job(error) => Some(error.help()),
            WorkloadErrorKind::File(error) => Some(error.help()),
        }
    }
}

/// Gives a fault the field that it is in.
pub(crate) trait InField<T> {
    /// Places the error in `field`, relative to the flow or pattern.
    fn in_field(self, field: &str) -> Result<T, WorkloadError>;
}

impl<T, E: Into<WorkloadErrorKind>> InField<T> for Result<T, E> {
    fn in_field(self, field: &str) -> Result<T, WorkloadError> {
        self.map_err(|kind| WorkloadError::at(field, kind))
    }
}
