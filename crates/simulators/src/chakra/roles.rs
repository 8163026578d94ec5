//! The role of a node in a job.
//!
//! Invariant: a node is a message, a collective, or takes the time that its trace says. A message or collective of
//! which the trace lacks a part takes that time too, which makes another experiment, and is counted.

use super::algorithms::CollectiveType;
use super::attributes::{within, wrong};
use super::faults::TraceError;
use super::schema::{Node, NodeKind};

/// A role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A computation of the node's duration.
    Compute(Unit),
    /// Ends at once.
    Nothing,
    Send {
        to: u32,
        bytes: u64,
        tag: u32,
    },
    Receive {
        from: u32,
        bytes: u64,
        tag: u32,
    },
    /// A collective of `bytes`, as the trace counts them.
    Call {
        kind: CollectiveType,
        bytes: u64,
    },
    /// The node's duration, in place of something that cannot be replayed.
    Lacks(Lack),
}

/// Part of a server: computations of a unit exclude each other. Its number is a processor's in GOAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// The processor, for `is_cpu_op`.
    Host = 0,
    /// The accelerator.
    Device = 1,
    /// The part that runs messages which cannot be replayed.
    Network = 2,
}

/// A part that a trace does not have, or a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lack {
    /// The other end of a message.
    Peer,
    /// The size of a message or collective.
    Size,
    /// The type of a collective.
    Collective,
    /// Remote memory.
    Memory,
    /// A type of node of a later schema.
    Kind,
}

impl Lack {
    /// Returns the key of the account, and the reason.
    pub(super) const fn account(self) -> (&'static str, &'static str) {
        match self {
            Self::Peer => (
                "comm_src, comm_dst",
                "messages without their other end, as PyTorch's converter writes them, cannot be replayed",
            ),
            Self::Size => ("comm_size", "messages or collectives without a size cannot be replayed"),
            Self::Collective => ("comm_type", "collectives without a type of the schema cannot be replayed"),
            Self::Memory => ("MEM_LOAD, MEM_STORE", "there is no remote memory"),
            Self::Kind => ("type", "types of nodes of a later schema are unknown"),
        }
    }
}

/// Returns the role of a node of a rank.
pub(super) fn role(node: &Node<'_>, rank: u32) -> Result<Role, TraceError> {
    let attributes = &node.attributes;
    let on_host = attributes.is_cpu_op == Some(true);
    match node.kind {
        NodeKind::Metadata => Ok(Role::Nothing),
        NodeKind::Comp => Ok(Role::Compute(if on_host { Unit::Host } else { Unit::Device })),
        NodeKind::MemLoad | NodeKind::MemStore => Ok(Role::Lacks(Lack::Memory)),
        NodeKind::Unknown(_) => Ok(Role::Lacks(Lack::Kind)),
        NodeKind::Send => {
            message(node, rank, [attributes.comm_src, attributes.comm_dst], ["comm_src", "comm_dst"])
        }
        NodeKind::Receive => {
            message(node, rank, [attributes.comm_dst, attributes.comm_src], ["comm_dst", "comm_src"])
        }
        // The call of the library on the host; a kernel of the device is a node of its own.
        NodeKind::Collective if on_host => Ok(Role::Compute(Unit::Host)),
        NodeKind::Collective => {
            let Some(kind) = attributes.comm_type.and_then(CollectiveType::numbered) else {
                return Ok(Role::Lacks(Lack::Collective));
            };
            match attributes.comm_size {
                Some(bytes) => Ok(Role::Call { kind, bytes: size(node, bytes)? }),
                None if kind == CollectiveType::Barrier => Ok(Role::Call { kind, bytes: 0 }),
                None => Ok(Role::Lacks(Lack::Size)),
            }
        }
    }
}

/// Returns the role of a message with its own and its other end.
fn message(
    node: &Node<'_>,
    rank: u32,
    [own, other]: [Option<i128>; 2],
    [own_name, other_name]: [&'static str; 2],
) -> Result<Role, TraceError> {
    let place = (node.id, node.at);
    if let Some(given) = own {
        let named: u32 = within(place, own_name, given, "ranks count from 0")?;
        if named != rank {
            let expected = "a message is a node of its own rank";
            return Err(wrong(place, own_name, given, expected));
        }
    }
    let Some(other) = other else { return Ok(Role::Lacks(Lack::Peer)) };
    let Some(bytes) = node.attributes.comm_size else { return Ok(Role::Lacks(Lack::Size)) };
    let peer: u32 = within(place, other_name, other, "ranks count from 0")?;
    let bytes = size(node, bytes)?;
    let tag = node.attributes.comm_tag.unwrap_or(0);
    // Tags above these are those of collectives.
    let fault = || wrong(place, "comm_tag", tag, "tags are 0 to 2147483647");
    let tag = i32::try_from(tag).ok().and_then(|tag| u32::try_from(tag).ok()).ok_or_else(fault)?;
    Ok(match node.kind {
        NodeKind::Send => Role::Send { to: peer, bytes, tag },
        _ => Role::Receive { from: peer, bytes, tag },
    })
}

fn size(node: &Node<'_>, bytes: i128) -> Result<u64, TraceError> {
    const LARGEST: u64 = 1 << 50;
    let fault = || wrong((node.id, node.at), "comm_size", bytes, "bytes are 0 to 2^50");
    u64::try_from(bytes).ok().filter(|bytes| *bytes <= LARGEST).ok_or_else(fault)
}
