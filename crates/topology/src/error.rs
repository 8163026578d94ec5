//! Faults in the description of a topology.
//!
//! Invariant: a message names the value and the reason, the help says what to write instead. The caller suggests
//! names similar to an unknown name, since it knows all candidates.

use settings::{FieldPath, SettingError};

use crate::limits::{MAX_NODES, MAX_SWITCH_PORTS};

/// The reason that a topology cannot be built, and the field at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct TopologyError {
    path: FieldPath,
    kind: TopologyErrorKind,
}

/// The reason that a topology cannot be built, without its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyErrorKind {
    /// A node without a name.
    #[error("a node has no name")]
    EmptyName,
    /// Two nodes of the same name.
    #[error("a second node is called `{name}`")]
    DuplicateName {
        /// The shared name.
        name: String,
    },
    /// A link names a node that does not exist.
    #[error("`{given}` is neither a host nor a switch")]
    UnknownNode {
        /// The name as written.
        given: String,
    },
    /// A link names a kind of cable that does not exist.
    #[error("`{given}` is not a kind of cable")]
    UnknownCable {
        /// The name as written.
        given: String,
    },
    /// A link from a node to itself.
    #[error("the link leads from `{name}` back to `{name}`")]
    SelfLink {
        /// The node.
        name: String,
    },
    /// A second link at a host.
    #[error("host `{name}` has a link already, at `links[{first}]`")]
    HostWithSeveralLinks {
        /// The host.
        name: String,
        /// Index of its first link.
        first: usize,
    },
    /// A host that no link names.
    #[error("host `{name}` has no link")]
    HostWithoutLink {
        /// The host.
        name: String,
    },
    /// A second cable at a port.
    #[error("port {given} of this switch has a cable already")]
    PortTwice {
        /// The number as written.
        given: u16,
    },
    /// A switch that has numbered ports for only some of its links.
    #[error("some links of this switch give the number of their port, and others do not")]
    PortsPartlyNumbered,
    /// More ports at a switch than IBA can number.
    #[error("this makes more than {MAX_SWITCH_PORTS} ports at a switch")]
    TooManyPorts,
    /// A group without hosts.
    #[error("the group `{group}` has no hosts")]
    EmptyGroup {
        /// The group.
        group: String,
    },
    /// A number out of its range.
    #[error("{given} is out of range")]
    OutOfRange {
        /// The number as written.
        given: u16,
        /// Smallest number allowed.
        least: u16,
        /// Largest number allowed.
        most: u16,
    },
    /// An empty list of sizes.
    #[error("the list is empty, so there is no switch")]
    NoSwitches,
    /// A list with a length that contradicts another list.
    #[error("the list has {given} entries, which does not go with the sizes")]
    WrongLength {
        /// Number of entries as written.
        given: usize,
        /// Number of entries required.
        right: usize,
    },
    /// Groups of a dragonfly that cannot all have equally many cables between them.
    #[error("a group's {channels} global cables cannot be dealt evenly to {} others", groups - 1)]
    UnevenGroups {
        /// Number of groups.
        groups: usize,
        /// Number of cables from a group to others.
        channels: usize,
    },
    /// An odd radix, which cannot be halved.
    #[error("radix {radix} is odd")]
    RadixOdd {
        /// The radix as written.
        radix: u16,
    },
    /// A radix without ports.
    #[error("radix {radix} is too small")]
    RadixTooSmall {
        /// The radix as written.
        radix: u16,
    },
    /// More nodes than the simulator has addresses.
    #[error("{nodes} hosts and switches are too many")]
    TooManyNodes {
        /// Number of hosts and switches together.
        nodes: usize,
    },
    /// A file that has not been read: see [`hpcc`](crate::hpcc).
    #[error("the file `{file}` has not been read")]
    UnreadFile {
        /// Name of the file.
        file: String,
    },
}

impl TopologyError {
    pub(crate) fn new(path: impl Into<FieldPath>, kind: TopologyErrorKind) -> Self {
        Self { path: path.into(), kind }
    }

    /// Returns the reason without its place.
    #[must_use]
    pub fn kind(&self) -> &TopologyErrorKind {
        &self.kind
    }
}

impl SettingError for TopologyError {
    /// Returns the path of the field at fault, relative to `topology`: `links[3].to`.
    fn path(&self) -> FieldPath {
        self.path.clone()
    }

    fn help(&self) -> Option<String> {
        Some(self.kind.help())
    }
}

impl TopologyErrorKind {
    fn help(&self) -> String {
        match self {
            Self::EmptyName => "give it one".to_owned(),
            Self::DuplicateName { .. } => {
                "hosts and switches share one set of names, so give it another".to_owned()
            }
            Self::UnknownNode { .. } => "name one that `hosts` or `switches` lists".to_owned(),
            Self::UnknownCable { .. } => "name one that the scenario describes".to_owned(),
            Self::SelfLink { .. } => "its ends are two different nodes".to_owned(),
            Self::HostWithSeveralLinks { .. } => "a host has exactly one port".to_owned(),
            Self::HostWithoutLink { .. } => "add one to `links`, or take the host out".to_owned(),
            Self::PortTwice { .. } => "write the number of another port".to_owned(),
            Self::PortsPartlyNumbered => "number the ports of all links of a switch, or of none".to_owned(),
            Self::TooManyPorts => {
                format!("this simulator has at most {MAX_SWITCH_PORTS}, as IBA numbers them")
            }
            Self::EmptyGroup { .. } => "give it at least 1, or leave it out".to_owned(),
            Self::OutOfRange { least, most, .. } => format!("write a whole number from {least} to {most}"),
            Self::NoSwitches => "give it at least one number".to_owned(),
            Self::WrongLength { right, .. } => format!("write {right} of them"),
            Self::UnevenGroups { channels, .. } => {
                format!("write a number that is one more than a divisor of {channels}")
            }
            Self::RadixOdd { .. } => "half of a leaf's ports lead down and half up, so it is even".to_owned(),
            Self::RadixTooSmall { .. } => "the smallest is 2".to_owned(),
            Self::TooManyNodes { .. } => format!("the simulator has {MAX_NODES} addresses"),
            Self::UnreadFile { .. } => "write the nodes and links that it describes".to_owned(),
        }
    }
}
