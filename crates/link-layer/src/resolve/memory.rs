//! Resolution of receive memory: a buffer for each port and lane, or memory that they share, beside headroom.
//!
//! Invariant: under PFC every receiver has its headroom, and beside headroom and guarantees there is memory for a
//! packet at least.
//!
//! | | own buffer | shared memory |
//! |---|---|---|
//! | credits | the buffer | the guaranteed part, and the blocks that the memory grants |
//! | PFC, or none | the buffer less headroom | the threshold of the pool |

use packet::Mtu;
use settings::{FieldPath, SettingError};
use units::Bytes;

use super::link::LinkPlan;
use crate::flow_control::credits::{BLOCK, MAX_BLOCKS};
use crate::memory::{MemoryPool, Share, SharedMemory};
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
    /// By lane, memory beyond its threshold, for packets that arrive after a PAUSE; 0 B without PFC.
    pub headroom: Vec<Bytes>,
    /// By lane, the most bytes that it can ever hold.
    pub capacity: Vec<Bytes>,
}

/// The memory that all ports and lanes of a node share.
#[derive(Clone, Debug, PartialEq)]
pub enum SharingPlan {
    /// None: each port and lane has its own buffer.
    Own,
    /// Memory under credits.
    Blocks {
        /// Size of the memory in blocks, with the guaranteed parts.
        size: u32,
        /// Share of each port and lane, port by port.
        shares: Vec<Share>,
    },
    /// Memory under PFC, or without flow control.
    Bytes {
        /// Memory that is neither headroom nor guaranteed.
        shared: Bytes,
        /// Share of each port and lane, port by port.
        shares: Vec<Share>,
    },
}

impl SharingPlan {
    /// Builds the memory, unused.
    #[must_use]
    pub fn build(&self) -> MemorySharing {
        match self {
            Self::Own => MemorySharing::Own,
            Self::Blocks { size, shares } => MemorySharing::Blocks(SharedMemory::new(*size, shares)),
            Self::Bytes { shared, shares } => MemorySharing::Bytes(MemoryPool::new(shared.get(), shares)),
        }
    }
}

/// A node, as far as the plan of its memory depends on it.
#[derive(Clone, Debug)]
pub struct MemoryEnv<'a> {
    /// Name of the node.
    pub node: &'a str,
    /// By port, its number, for messages.
    pub numbers: &'a [u16],
    /// By port, the buffer of each lane.
    pub buffers: &'a [Vec<Bytes>],
    /// By port, the headroom of each lane.
    pub headroom: &'a [Vec<Bytes>],
}

/// A node with memory that its ports and lanes share.
#[derive(Clone, Debug)]
pub struct SharedMemoryEnv<'a> {
    /// Name of the node.
    pub node: &'a str,
    /// Size of the memory.
    pub memory: MemorySize,
    /// By port, the headroom of each lane.
    pub headroom: &'a [Vec<Bytes>],
    /// By port, the share of each lane.
    pub shares: &'a [Vec<Share>],
    /// Reserve of ports and lanes that the plan does not have.
    pub absent: Reserve,
}

/// Size of a shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySize {
    /// The sum of the buffers that a scenario states for each port and lane.
    SumOfBuffers(Bytes),
    /// The total that a scenario states.
    Total(Bytes),
}

impl MemorySize {
    /// Returns the size.
    #[must_use]
    pub const fn get(self) -> Bytes {
        match self {
            Self::SumOfBuffers(size) | Self::Total(size) => size,
        }
    }
}

/// Memory that is reserved for ports and lanes, each on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reserve {
    /// Number of ports and lanes.
    pub receivers: u64,
    /// Sum of their headroom.
    pub headroom: Bytes,
    /// Sum of their guarantees.
    pub guaranteed: Bytes,
}

/// A buffer of a size that does not suit the link.
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
        /// Number of the port.
        port: u16,
        /// The node.
        node: String,
    },
    /// Shared memory is smaller than headroom, guarantees and the longest packet.
    #[error(
        "the memory of `{node}`, {}, leaves no room for a packet beside {} of headroom and {} of guarantees for {} ports \
         and lanes",
        .memory.get(),
        .reserve.headroom,
        .reserve.guaranteed,
        .reserve.receivers
    )]
    BelowReserve {
        /// The node.
        node: String,
        /// Size of the memory.
        memory: MemorySize,
        /// Headroom and guarantees of all ports and lanes.
        reserve: Reserve,
        /// The least memory that is large enough.
        least: Bytes,
    },
    /// The guarantees exceed the memory.
    #[error(
        "{} guaranteed to {} ports and lanes of `{node}` is more than its memory, {memory}",
        .reserve.guaranteed,
        .reserve.receivers
    )]
    BelowGuarantees {
        /// The node.
        node: String,
        /// Guarantees of all ports and lanes.
        reserve: Reserve,
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

    /// Returns true if the total size of a shared memory is at fault.
    #[must_use]
    pub const fn is_of_total(&self) -> bool {
        matches!(self, Self::BelowReserve { memory: MemorySize::Total(_), .. })
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
            Self::BelowReserve { memory: MemorySize::SumOfBuffers(_), reserve, least, .. } => {
                let least = Bytes::new(least.get().div_ceil(reserve.receivers));
                format!("write \"{least}\" or more: it counts for each port and lane")
            }
            Self::BelowReserve { least, .. } => format!("write \"{least}\" or more"),
            Self::BelowGuarantees { reserve, memory, .. } => {
                let most = Bytes::new(memory.get() / BLOCK / reserve.receivers * BLOCK);
                format!("guarantee at most \"{most}\" to each, or enlarge the memory of the switch")
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

/// Checks the size of a memory that ports and lanes share. Memory beside headroom and guarantees is checked when the
/// cables are known.
///
/// # Errors
/// If the memory is too large to be counted.
pub fn check_memory(size: Bytes) -> Result<(), BufferError> {
    if size > LARGEST { Err(BufferError::BeyondCounter(size)) } else { Ok(()) }
}

impl LinkPlan {
    /// Plans the receive memory of all ports of a node where ports and lanes have their own buffers.
    ///
    /// # Errors
    /// If the first of them that is too small has no room for a packet beside its headroom.
    pub fn own_memory(&self, env: &MemoryEnv<'_>) -> Result<Vec<ReceiverPlan>, MemoryError> {
        let longest = self.longest_packet();
        let ports = env.numbers.iter().copied().zip(env.buffers.iter().zip(env.headroom));
        let plan = ports.map(|(port, (buffers, headroom))| {
            let mut lanes = buffers.iter().zip(headroom);
            let small = lanes.find(|(size, headroom)| **size < **headroom + longest);
            if let Some((&size, &headroom)) = small.filter(|_| !self.has_credits()) {
                return Err(if headroom == Bytes::ZERO {
                    MemoryError::BelowPacket { size, longest }
                } else {
                    MemoryError::BelowHeadroom { size, headroom, longest, port, node: env.node.to_owned() }
                });
            }
            let limits = buffers.iter().zip(headroom).map(|(size, headroom)| *size - *headroom).collect();
            Ok(ReceiverPlan { limits, headroom: headroom.clone(), capacity: buffers.clone() })
        });
        plan.collect()
    }

    /// Plans the receive memory of all ports of a node that share it.
    ///
    /// # Errors
    /// If the memory is too small for guarantees, headroom and a packet.
    pub fn shared_memory(
        &self,
        env: &SharedMemoryEnv<'_>,
    ) -> Result<(SharingPlan, Vec<ReceiverPlan>), MemoryError> {
        let sharing = if self.has_credits() { shared_blocks(env) } else { self.shared_bytes(env) }?;
        let memory = sharing.build();
        let mut number = 0..;
        let receivers = env.shares.iter().zip(env.headroom).map(|(shares, headroom)| {
            let most: Vec<_> =
                number.by_ref().take(shares.len()).map(|number| most(&memory, number)).collect();
            let limits = if self.has_credits() {
                shares.iter().map(|share| share.guaranteed).collect()
            } else {
                most.clone()
            };
            let capacity = most.iter().zip(headroom).map(|(most, headroom)| *most + *headroom).collect();
            ReceiverPlan { limits, headroom: headroom.clone(), capacity }
        });
        let receivers = receivers.collect();
        Ok((sharing, receivers))
    }

    /// Plans shared memory without credits: all that is neither headroom nor guaranteed.
    fn shared_bytes(&self, env: &SharedMemoryEnv<'_>) -> Result<SharingPlan, MemoryError> {
        let (memory, reserve) = (env.memory, env.reserve());
        let reserved = reserve.headroom + reserve.guaranteed;
        // Changes may leave a switch without a cable, and then without a packet.
        let packet = if reserve.receivers == 0 { Bytes::ZERO } else { self.longest_packet() };
        let least = reserved + packet;
        if memory.get() < least {
            return Err(MemoryError::BelowReserve { node: env.node.to_owned(), memory, reserve, least });
        }
        Ok(SharingPlan::Bytes { shared: memory.get() - reserved, shares: env.shares.concat() })
    }
}

/// Plans shared memory under credits. Buffers and guarantees count in whole blocks, so that the memory is as large as
/// the buffers of ports and lanes that have their own.
fn shared_blocks(env: &SharedMemoryEnv<'_>) -> Result<SharingPlan, MemoryError> {
    let (size, reserve) = (env.memory.get().get() / BLOCK, env.reserve());
    let of_absent = env.absent.guaranteed.get() / BLOCK;
    let whole: u64 = env.shares.iter().flatten().map(|share| share.guaranteed.get() / BLOCK).sum();
    if whole + of_absent > size {
        let (node, memory) = (env.node.to_owned(), Bytes::new(size * BLOCK));
        return Err(MemoryError::BelowGuarantees { node, reserve, memory });
    }
    // The guarantees of absent ports and lanes are blocks that no other receiver may use.
    Ok(SharingPlan::Blocks { size: (size - of_absent) as u32, shares: env.shares.concat() })
}

/// Returns the most bytes that a port and lane can come to hold under its threshold.
fn most(memory: &MemorySharing, receiver: usize) -> Bytes {
    Bytes::new(match memory {
        MemorySharing::Own => 0,
        MemorySharing::Blocks(memory) => u64::from(memory.most(receiver)) * BLOCK,
        MemorySharing::Bytes(pool) => pool.most(receiver),
    })
}

impl SharedMemoryEnv<'_> {
    /// Returns the reserve of all ports and lanes.
    fn reserve(&self) -> Reserve {
        let headroom: Bytes = self.headroom.iter().flatten().copied().sum();
        let guaranteed: Bytes = self.shares.iter().flatten().map(|share| share.guaranteed).sum();
        let receivers = self.shares.iter().map(Vec::len).sum::<usize>() as u64;
        Reserve {
            receivers: receivers + self.absent.receivers,
            headroom: headroom + self.absent.headroom,
            guaranteed: guaranteed + self.absent.guaranteed,
        }
    }
}
