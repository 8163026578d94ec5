//! Faults in the names of patterns and groups.

use core::fmt::{self, Display, Formatter};

/// A name that a pattern or a group cannot have. Faults in a flow's name are part of its
/// [`FlowError`](super::FlowError).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The name is empty.
    #[error("the name of this {whose} is empty")]
    Empty {
        /// The kind of object that is named.
        whose: NameOwner,
    },
    /// Something else has the name.
    #[error("a {by} is called `{name}` already")]
    Taken {
        /// The name.
        name: String,
        /// The kind of object that has the name.
        by: NameOwner,
    },
    /// A group has the name of a pattern that belongs to another group.
    #[error("a pattern is called `{name}` and belongs to another group, `{group}`")]
    PatternElsewhere {
        /// The name.
        name: String,
        /// The group that the pattern of this name belongs to.
        group: String,
    },
}

/// A kind of object with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOwner {
    /// A flow.
    Flow,
    /// A pattern.
    Pattern,
    /// A group.
    Group,
}

impl Display for NameOwner {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flow => "flow",
            Self::Pattern => "pattern",
            Self::Group => "group",
        })
    }
}

impl NameError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::Empty { .. } => "write a name, or leave the field out".to_owned(),
            Self::Taken { .. } => "give it another name: flows, patterns and groups share none".to_owned(),
            Self::PatternElsewhere { group, .. } => {
                format!("write another name, or `{group}` to join that group")
            }
        }
    }
}
