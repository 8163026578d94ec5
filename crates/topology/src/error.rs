//! What can be wrong with a topology, and in which field.
//!
//! Invariant: a message says what is wrong and what would be right; names that come close to an
//! unknown one are found by the caller, who knows all that may stand there.

use crate::{MAX_NODES, MAX_SWITCH_PORTS};

/// Why a topology cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct TopologyError {
    path: String,
    kind: TopologyErrorKind,
}

/// What is wrong, apart from where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyErrorKind {
    /// A node without a name.
    #[error("a node has no name: give it one")]
    EmptyName,
    /// Two nodes of one name.
    #[error(
        "a second node is called `{name}`: hosts and switches share one set of names, so give it another"
    )]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A link names a node that does not exist.
    #[error("`{given}` is neither a host nor a switch: name one that `hosts` or `switches` lists")]
    UnknownNode {
        /// The name as given.
        given: String,
    },
    /// A link names a kind of cable that does not exist.
    #[error("`{given}` is not a kind of cable: name one that the scenario describes")]
    UnknownCable {
        /// The name as given.
        given: String,
    },
    /// A link from a node to itself.
    #[error("the link leads from `{name}` back to `{name}`: its ends are two different nodes")]
    SelfLink {
        /// The node.
        name: String,
    },
    /// A second link at a host.
    #[error("host `{name}` has a link already, at `links[{first}]`: a host has exactly one port")]
    HostWithSeveralLinks {
        /// The host.
        name: String,
        /// The place of its first link.
        first: usize,
    },
    /// A host that no link names.
    #[error("host `{name}` has no link: add one to `links`, or take the host out")]
    HostWithoutLink {
        /// The host.
        name: String,
    },
    /// More ports at a switch than IBA can number.
    #[error(
        "this makes more than {MAX_SWITCH_PORTS} ports at a switch: IBA numbers external ports 1 to {MAX_SWITCH_PORTS}"
    )]
    TooManyPorts,
    /// A group of no hosts.
    #[error("the group `{group}` has no hosts: give it at least 1, or leave it out")]
    EmptyGroup {
        /// The group.
        group: String,
    },
    /// A number out of its range.
    #[error("{given} is out of range: write a whole number from {least} to {most}")]
    OutOfRange {
        /// The number as given.
        given: u16,
        /// The least that it can be.
        least: u16,
        /// The most that it can be.
        most: u16,
    },
    /// A list of sizes with nothing in it.
    #[error("the list is empty, so there is no switch: give it at least one number")]
    NoSwitches,
    /// A list that does not go with another.
    #[error("the list has {given} entries, which does not go with the sizes: write {right} of them")]
    WrongLength {
        /// How many it has.
        given: usize,
        /// How many it must have.
        right: usize,
    },
    /// Groups that cannot all have equally many cables between them.
    #[error(
        "a group's {channels} global cables cannot be dealt evenly to {} others: write a number that is one more than a divisor of {channels}",
        groups - 1
    )]
    UnevenGroups {
        /// How many groups there are.
        groups: usize,
        /// How many cables to others each has.
        channels: usize,
    },
    /// A radix that cannot be halved.
    #[error("radix {radix} is odd: half of a leaf's ports lead down and half up, so it is even")]
    RadixOdd {
        /// The radix as given.
        radix: u16,
    },
    /// A radix of no ports.
    #[error("radix {radix} is too small: the smallest is 2")]
    RadixTooSmall {
        /// The radix as given.
        radix: u16,
    },
    /// More nodes than unicast LIDs.
    #[error("{nodes} hosts and switches are too many: IBA has {MAX_NODES} unicast LIDs, 0x0001 to 0xBFFF")]
    TooManyNodes {
        /// Hosts and switches together.
        nodes: usize,
    },
}

impl TopologyError {
    pub(crate) fn new(path: impl Into<String>, kind: TopologyErrorKind) -> Self {
        Self { path: path.into(), kind }
    }

    /// The path of the field at fault, relative to `topology`: `links[3].to`.
    #[must_use]
    pub fn path(&self) -> String {
        self.path.clone()
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &TopologyErrorKind {
        &self.kind
    }
}
