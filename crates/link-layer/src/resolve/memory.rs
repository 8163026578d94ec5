//! Resolution of receive memory: a buffer for each port and lane, or memory that they share, beside headroom.
//!
//! Invariant: under PFC every receiver has its headroom, and beside headroom and guarantees there is memory for one
//! packet at least.
//!
//! | | own buffer | shared memory |
//! |---|---|---|
//! | credits | the buffer | the guaranteed part, and the blocks that the memory grants |
//! | PFC, or none | the buffer less headroom | the threshold of the pool |

use packet::{Mtu, PortId};
use settings::{FieldPath, SettingError};
use units::Bytes;

use super::link::LinkPlan;
use crate::flow_control::credits::{BLOCK, MAX_BLOCKS};
use crate::memory::{Alpha, MemoryPool, SharedMemory};
use crate::port::receive_memory::MemorySharing;
use crate::spec::{Discipline, LinkSpec};

/// The largest buffer that credits can describe.
const LARGEST_OF_CREDITS: Bytes = Bytes::new(MAX_BLOCKS as u64 * BLOCK);
/// The largest buffer without credits: its content is counted in 32 bits.
const LARGEST: Bytes = Bytes::new(1 << 30);

/// The receive memory of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverPlan {
    /// By lane, the bytes that may arrive at rest: room under credits, else the threshold at the lightest load.
    pub limits: Vec<Bytes>,
    /// Memory of each lane beyond its threshold, for packets that arrive after a PAUSE; 0 B without PFC.
    pub headroom: Bytes,
    /// By lane, the most bytes that it can ever hold.
    pub capacity: Vec<Bytes>,
}

/// The memory that all ports and lanes of a node share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SharingPlan {
    /// None: each port and lane has its own buffer.
    Own,
    /// Memory under credits.
    Blocks {
        /// Number of ports times number of lanes.
        receivers: usize,
        /// Size of the memory in blocks, with the guaranteed parts.
        size: u32,
        /// Division of the memory.
        rule: ShareRule,
    },
    /// Memory under PFC, or without flow control.
    Bytes {
        /// Number of ports times number of lanes.
        receivers: usize,
        /// Memory that is neither headroom nor guaranteed.
        shared: Bytes,
        /// Division of the memory.
        rule: ShareRule,
    },
}

impl SharingPlan {
    /// Builds the memory, unused.
    #[must_use]
    pub fn build(&self) -> MemorySharing {
        match *self {
            Self::Own => MemorySharing::Own,
            Self::Blocks { receivers, size, rule } => {
                let guaranteed = (rule.guaranteed.get() / BLOCK) as u16;
                MemorySharing::Blocks(SharedMemory::new(receivers, size, guaranteed, rule.alpha))
            }
            Self::Bytes { receivers, shared, rule } => {
                let guaranteed = rule.guaranteed.get() as u32;
                MemorySharing::Bytes(MemoryPool::new(receivers, shared.get(), guaranteed, rule.alpha))
            }
        }
    }

    /// Returns the most bytes that one port and lane can hold; `None` where each has its own buffer.
    fn most(&self) -> Option<Bytes> {
        match self.build() {
            MemorySharing::Own => None,
            MemorySharing::Blocks(memory) => Some(Bytes::new(u64::from(memory.most()) * BLOCK)),
            MemorySharing::Bytes(pool) => Some(Bytes::new(pool.most())),
        }
    }
}

/// A node, as far as the plan of its memory depends on it.
#[derive(Clone, Debug)]
pub struct MemoryEnv<'a> {
    /// Name of the node.
    pub node: &'a str,
    /// By port, the buffer of each lane.
    pub buffers: &'a [Vec<Bytes>],
    /// By port, the headroom of each lane.
    pub headroom: &'a [Bytes],
}

/// Division of shared memory among the ports and lanes of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareRule {
    /// Memory reserved for each port and lane.
    pub guaranteed: Bytes,
    /// Factor of the dynamic threshold; `None` for complete sharing.
    pub alpha: Option<Alpha>,
}

/// A buffer whose size does not suit the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BufferError {
    /// The buffer is smaller than the longest packet in whole blocks.
    #[error(
        "a buffer of {size} cannot hold one packet: with an MTU of {} a packet has up to {longest}, {} blocks of credit",
        Bytes::from(*.mtu),
        .longest.get().div_ceil(BLOCK)
    )]
    BelowPacket {
        /// Size of the buffer.
        size: Bytes,
        /// The link's MTU.
        mtu: Mtu,
        /// Length of the longest packet.
        longest: Bytes,
    },
    /// The buffer has more blocks than credits can count.
    #[error("credits cannot count {size}: they go to {MAX_BLOCKS} blocks of {BLOCK} bytes")]
    BeyondCredits {
        /// Size of the buffer.
        size: Bytes,
        /// Length of the longest packet.
        longest: Bytes,
    },
    /// The buffer is larger than its counter.
    #[error("{0} is out of range")]
    BeyondCounter(Bytes),
}

impl SettingError for BufferError {
    fn path(&self) -> FieldPath {
        FieldPath::default()
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::BelowPacket { longest, .. } | Self::BeyondCredits { longest, .. } => {
                let least = Bytes::new(longest.get().next_multiple_of(BLOCK));
                format!("write \"{least}\" to \"{LARGEST_OF_CREDITS}\"")
            }
            Self::BeyondCounter(_) => format!("write at most \"{LARGEST}\""),
        })
    }
}

/// Memory of a node that is too small for its ports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// A buffer is smaller than the longest packet.
    #[error("a buffer of {size} cannot hold one packet, of up to {longest}")]
    BelowPacket {
        /// Size of the buffer.
        size: Bytes,
        /// Length of the longest packet.
        longest: Bytes,
    },
    /// A buffer is smaller than its headroom and the longest packet.
    #[error(
        "a buffer of {size} leaves no room for a packet beside the headroom of port {port} of `{node}`, {headroom}"
    )]
    BelowHeadroom {
        /// Size of the buffer.
        size: Bytes,
        /// Headroom of the port's lanes.
        headroom: Bytes,
        /// Length of the longest packet.
        longest: Bytes,
        /// The port.
        port: PortId,
        /// The node.
        node: String,
    },
    /// Shared memory is smaller than headroom, guarantees and the longest packet.
    #[error(
        "the memory of `{node}`, {memory}, leaves no room for a packet beside {reserved} of headroom and guarantees"
    )]
    BelowReserved {
        /// The node.
        node: String,
        /// Size of the memory.
        memory: Bytes,
        /// Headroom and guarantees of all ports and lanes.
        reserved: Bytes,
        /// The least buffer of a port and lane that makes the memory large enough.
        least: Bytes,
    },
    /// The guarantees exceed the memory.
    #[error(
        "{receivers} times {guaranteed}, for each port and lane of `{node}`, is more than its memory, {memory}"
    )]
    BelowGuarantees {
        /// The node.
        node: String,
        /// Number of ports times number of lanes.
        receivers: u64,
        /// Memory guaranteed to each.
        guaranteed: Bytes,
        /// Size of the memory.
        memory: Bytes,
    },
}

impl MemoryError {
    /// Returns true if the guarantee is at fault, and not the size of the memory.
    #[must_use]
    pub const fn is_of_guarantee(&self) -> bool {
        matches!(self, Self::BelowGuarantees { .. })
    }
}

impl SettingError for MemoryError {
    fn path(&self) -> FieldPath {
        FieldPath::default()
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::BelowPacket { longest, .. } => format!("write \"{longest}\" or more"),
            Self::BelowHeadroom { headroom, longest, .. } => {
                format!("write \"{}\" or more", *headroom + *longest)
            }
            Self::BelowReserved { least, .. } => {
                format!("write \"{least}\" or more: it counts for each port and lane")
            }
            Self::BelowGuarantees { receivers, memory, .. } => {
                let most = Bytes::new(memory.get() / BLOCK / receivers * BLOCK);
                format!("write at most \"{most}\", or enlarge the `buffer` of the switch")
            }
        })
    }
}

impl LinkSpec {
    /// Checks the size of a receive buffer against the link. Memory beside headroom is checked when the cable is known.
    ///
    /// # Errors
    /// If the buffer is too small or too large.
    pub fn check_buffer(&self, size: Bytes) -> Result<(), BufferError> {
        let longest = self.longest_packet();
        match self.flow_control {
            Discipline::Credits(_) if size.get() < longest.get().next_multiple_of(BLOCK) => {
                Err(BufferError::BelowPacket { size, mtu: self.mtu, longest })
            }
            Discipline::Credits(_) if size > LARGEST_OF_CREDITS => {
                Err(BufferError::BeyondCredits { size, longest })
            }
            Discipline::Pause(_) | Discipline::Lossy if size > LARGEST => {
                Err(BufferError::BeyondCounter(size))
            }
            Discipline::Credits(_) | Discipline::Pause(_) | Discipline::Lossy => Ok(()),
        }
    }
}

impl LinkPlan {
    /// Plans the receive memory of all ports of a node whose ports and lanes have their own buffers.
    ///
    /// # Errors
    /// If the first of them that is too small has no room for a packet beside its headroom.
    pub fn own_memory(&self, env: &MemoryEnv<'_>) -> Result<Vec<ReceiverPlan>, MemoryError> {
        let longest = self.longest_packet();
        let ports = (0..).map(PortId).zip(env.buffers.iter().zip(env.headroom));
        let plan = ports.map(|(port, (buffers, &headroom))| {
            let small = buffers.iter().find(|size| **size < headroom + longest);
            if let Some(&size) = small.filter(|_| !self.has_credits()) {
                return Err(if headroom == Bytes::ZERO {
                    MemoryError::BelowPacket { size, longest }
                } else {
                    MemoryError::BelowHeadroom { size, headroom, longest, port, node: env.node.to_owned() }
                });
            }
            let limits = buffers.iter().map(|size| *size - headroom).collect();
            Ok(ReceiverPlan { limits, headroom, capacity: buffers.clone() })
        });
        plan.collect()
    }

    /// Plans the receive memory of all ports of a node that share it: it is as large as all buffers together.
    ///
    /// # Errors
    /// If the memory is too small for guarantees, headroom and one packet.
    pub fn shared_memory(
        &self,
        env: &MemoryEnv<'_>,
        rule: ShareRule,
    ) -> Result<(SharingPlan, Vec<ReceiverPlan>), MemoryError> {
        let sharing =
            if self.has_credits() { shared_blocks(env, rule) } else { self.shared_bytes(env, rule) }?;
        let most = sharing.most().unwrap_or_default();
        let limit = if self.has_credits() { rule.guaranteed } else { most };
        let receivers = env.buffers.iter().zip(env.headroom).map(|(lanes, &headroom)| ReceiverPlan {
            limits: vec![limit; lanes.len()],
            headroom,
            capacity: vec![most + headroom; lanes.len()],
        });
        let receivers = receivers.collect();
        Ok((sharing, receivers))
    }

    /// Plans shared memory without credits: all that is neither headroom nor guaranteed.
    fn shared_bytes(&self, env: &MemoryEnv<'_>, rule: ShareRule) -> Result<SharingPlan, MemoryError> {
        let receivers = env.receivers();
        let lanes = u64::from(self.data_lanes);
        let headroom: Bytes = env.headroom.iter().copied().sum();
        let reserved = Bytes::new(headroom.get() * lanes + rule.guaranteed.get() * receivers);
        let memory: Bytes = env.buffers.iter().flatten().copied().sum();
        let least = reserved + self.longest_packet();
        if memory < least {
            let (node, least) = (env.node.to_owned(), Bytes::new(least.get().div_ceil(receivers)));
            return Err(MemoryError::BelowReserved { node, memory, reserved, least });
        }
        Ok(SharingPlan::Bytes { receivers: receivers as usize, shared: memory - reserved, rule })
    }
}

/// Plans shared memory under credits. Each buffer counts in whole blocks, so that the memory is as large as the buffers
/// of ports and lanes that have their own.
fn shared_blocks(env: &MemoryEnv<'_>, rule: ShareRule) -> Result<SharingPlan, MemoryError> {
    let receivers = env.receivers();
    let size: u64 = env.buffers.iter().flatten().map(|buffer| buffer.get() / BLOCK).sum();
    if receivers * (rule.guaranteed.get() / BLOCK) > size {
        let (node, memory) = (env.node.to_owned(), Bytes::new(size * BLOCK));
        return Err(MemoryError::BelowGuarantees { node, receivers, guaranteed: rule.guaranteed, memory });
    }
    Ok(SharingPlan::Blocks { receivers: receivers as usize, size: size as u32, rule })
}

impl MemoryEnv<'_> {
    fn receivers(&self) -> u64 {
        self.buffers.iter().map(|lanes| lanes.len() as u64).sum()
    }
}
