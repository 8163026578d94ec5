//! The faults in the settings of a switch.
//!
//! Invariant: `Display` is the cause alone, [`SettingError::help`] the remedy alone.

use link_layer::resolve::{ArbitrationError, BufferError, LaneNotConfigured, MemoryError};
use packet::{Lane, Mtu, ServiceLevel};
use settings::{FieldPath, SettingError};
use units::Bytes;

use crate::spec::BufferingSpec;

/// A fault in the settings of a switch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SwitchError {
    /// A buffer does not suit the link.
    #[error("{error}")]
    Buffer {
        /// The field.
        field: FieldPath,
        /// The fault.
        error: BufferError,
    },
    /// An override names a lane that is not configured.
    #[error("{lane}")]
    Lane {
        /// The field.
        field: FieldPath,
        /// The lane.
        lane: LaneNotConfigured,
    },
    /// A table of service levels to lanes has another number of lanes.
    #[error(
        "a table has a lane for each of the {} service levels, and here are {lanes}",
        ServiceLevel::COUNT
    )]
    TableLength {
        /// The field.
        field: FieldPath,
        /// Number of lanes as written.
        lanes: usize,
    },
    /// A table discards packets.
    #[error("lane 15 is for management: a switch discards data packets of this service level (IBA 7.6.6)")]
    DiscardingTable(FieldPath),
    /// A table leads to a lane that never has a turn.
    #[error("lane {lane} never has a turn: packets would wait for ever")]
    LaneUnserved {
        /// The field.
        field: FieldPath,
        /// The lane.
        lane: u8,
    },
    /// The lane arbitration tables of a port are wrong.
    #[error("{error}")]
    Arbitration {
        /// The tables.
        field: FieldPath,
        /// The fault.
        error: ArbitrationError,
    },
    /// Packets leave a port on a lane that never has a turn there.
    #[error("{lane} has no turn at port {port}, and service levels lead to it: packets would wait for ever")]
    PortUnserved {
        /// The port's tables, or the list that names none for it.
        field: FieldPath,
        /// Number of the port, from 1.
        port: u16,
        /// The lane.
        lane: Lane,
    },
    /// The organisation has no queues at outputs.
    #[error("`{0:?}` has no queues at outputs that could have a size")]
    NoOutputQueue(BufferingSpec),
    /// A queue at an output is smaller than a packet.
    #[error(
        "an output's queue of {size} cannot hold one packet: with an MTU of {} a packet has up to {longest}",
        Bytes::from(*.mtu)
    )]
    OutputQueueBelowPacket {
        /// Size of the queue.
        size: Bytes,
        /// The link's MTU.
        mtu: Mtu,
        /// Length of the longest packet.
        longest: Bytes,
    },
    /// Sharing without a memory to share.
    #[error("`{0}` is for the memory of `Central`, and here each port and lane has its own")]
    NothingToShare(&'static str),
    /// A limit or a pool of queues under credits.
    #[error("under credits nothing is dropped")]
    UnderCredits(&'static str),
    /// A limit of queues below a packet.
    #[error("a limit of {limit} lets no packet wait: one has up to {longest}")]
    LimitBelowPacket {
        /// The limit.
        limit: Bytes,
        /// Length of the longest packet.
        longest: Bytes,
    },
    /// The memory is too small for the ports.
    #[error("{0}")]
    Memory(MemoryError),
    /// Neither a buffer nor a memory.
    #[error("the switch has no memory")]
    NoSize,
    /// A setting that states sizes once more, beside the total memory.
    #[error("`{0}` has no effect beside `memory`, the total")]
    BesideMemory(&'static str),
    /// A total for memory that is not shared.
    #[error("`memory` is shared by all ports, and here each port and lane has its own buffer")]
    MemoryNotShared,
    /// Provisioned ports of a memory that has its size from the ports.
    #[error("`provisioned` divides a `memory`, and none is given")]
    NothingToProvision,
    /// Fewer ports or lanes are provisioned than there are.
    #[error("`{node}` has {present} {noun}, more than {given}")]
    ProvisionTooSmall {
        /// The node.
        node: String,
        /// The field.
        noun: &'static str,
        /// Number of those that the scenario has.
        present: usize,
        /// Number as written.
        given: usize,
    },
    /// Shares that differ, where no memory is shared.
    #[error("`shares` are of a shared memory, and here each port and lane has its own")]
    SharesOfNothing,
    /// A share that differs in nothing, or in the wrong thing.
    #[error("{error}")]
    Share {
        /// The entry.
        field: FieldPath,
        /// The fault.
        error: ShareError,
    },
    /// An egress pool that counts no packet.
    #[error("`egress_pool` is for lanes without PFC, and every lane has it")]
    PoolOfNoLane,
    /// An egress pool without a shared memory.
    #[error("`egress_pool` is for a shared memory, and here each port and lane has its own")]
    PoolOfOwnMemory,
    /// An egress pool that is not shared.
    #[error("the queues of an egress pool share it")]
    PoolNotShared,
    /// An egress pool too small for its guarantees and a packet.
    #[error(
        "a pool of {size} leaves no room for a packet beside {guaranteed} of guarantees at the outputs of `{node}`"
    )]
    PoolTooSmall {
        /// The switch.
        node: String,
        /// Size of the pool.
        size: Bytes,
        /// Guarantees of its queues.
        guaranteed: Bytes,
        /// The least size that is large enough.
        least: Bytes,
    },
}

/// A fault in an entry of `shares`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// The entry names every port and lane.
    #[error("an entry of `shares` without port, rate and lane would be for all")]
    OfAll,
    /// The entry changes nothing.
    #[error("an entry of `shares` without `alpha` and `guaranteed` changes nothing")]
    NoChange,
    /// An alpha where no thresholds are dynamic.
    #[error("`alpha` is for `sharing: Dynamic`")]
    NoThreshold,
}

impl SettingError for SwitchError {
    fn path(&self) -> FieldPath {
        match self {
            Self::Buffer { field, .. }
            | Self::Lane { field, .. }
            | Self::TableLength { field, .. }
            | Self::DiscardingTable(field)
            | Self::LaneUnserved { field, .. }
            | Self::PortUnserved { field, .. }
            | Self::Share { field, .. } => field.clone(),
            Self::Arbitration { field, error } => field.join(&error.path()),
            Self::NoOutputQueue(_) | Self::OutputQueueBelowPacket { .. } => "output_buffer".into(),
            Self::NothingToShare(_) => "sharing".into(),
            Self::UnderCredits(field) | Self::BesideMemory(field) => (*field).into(),
            Self::LimitBelowPacket { .. } => "egress_limit".into(),
            Self::PoolOfNoLane | Self::PoolOfOwnMemory => "egress_pool".into(),
            Self::PoolNotShared => "egress_pool.sharing".into(),
            Self::PoolTooSmall { .. } => "egress_pool.size".into(),
            Self::Memory(error) if error.is_of_guarantee() => "sharing.guaranteed".into(),
            Self::Memory(error) if error.is_of_total() => "memory".into(),
            Self::Memory(_) | Self::NoSize => "buffer".into(),
            Self::MemoryNotShared => "memory".into(),
            Self::NothingToProvision => "provisioned".into(),
            Self::ProvisionTooSmall { noun, .. } => FieldPath::from("provisioned").name(noun),
            Self::SharesOfNothing => "shares".into(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Buffer { error, .. } => return error.help(),
            Self::Lane { lane, .. } => return lane.help(),
            Self::TableLength { .. } => format!("write {} lanes", ServiceLevel::COUNT),
            Self::DiscardingTable(_) => "write the number of a data lane".to_owned(),
            Self::LaneUnserved { lane, .. } => {
                format!("write another lane, or give lane {lane} a weight in `link.vl_arbitration`")
            }
            Self::Arbitration { error, .. } => return error.help(),
            Self::PortUnserved { port, lane: Lane(lane), .. } => {
                format!("give lane {lane} a weight at port {port}, or let no service level lead to it there")
            }
            Self::NoOutputQueue(_) => {
                "leave it out, or write `buffering: Output` or `CombinedInputOutput`".to_owned()
            }
            Self::OutputQueueBelowPacket { longest, .. } => {
                format!("write \"{longest}\" or more, or leave it out for as much as `buffer`")
            }
            Self::NothingToShare(_) => {
                "write `Static`, or `Central` as the `buffering` of the switch".to_owned()
            }
            Self::UnderCredits(_) => {
                "leave it out, or write `Pause` or `Lossy` as `link.flow_control`".to_owned()
            }
            Self::LimitBelowPacket { longest, .. } => format!("write \"{longest}\" or more"),
            Self::Memory(error) => return error.help(),
            Self::NoSize => "write a `buffer` for each port and lane, or the total as `memory`".to_owned(),
            Self::BesideMemory(_) => "leave one of the two out".to_owned(),
            Self::MemoryNotShared => {
                "write `Complete` or `Dynamic` as the `sharing` of `Central`, or a `buffer` for each port and lane"
                    .to_owned()
            }
            Self::NothingToProvision => "leave it out, or write `memory` in place of `buffer`".to_owned(),
            Self::ProvisionTooSmall { present, .. } => format!("write {present} or more"),
            Self::SharesOfNothing => {
                "leave them out, or write `Complete` or `Dynamic` as the `sharing` of `Central`".to_owned()
            }
            Self::Share { error, .. } => error.help().to_owned(),
            Self::PoolOfNoLane => {
                "leave it out, or name the lanes with PFC: `link.flow_control: Pause(pfc_enable: [..], ..)`"
                    .to_owned()
            }
            Self::PoolOfOwnMemory => {
                "leave it out, or write `Complete` or `Dynamic` as the `sharing` of `Central`".to_owned()
            }
            Self::PoolNotShared => "write `Complete` or `Dynamic`".to_owned(),
            Self::PoolTooSmall { least, .. } => format!("write \"{least}\" or more"),
        })
    }
}

impl ShareError {
    const fn help(self) -> &'static str {
        match self {
            Self::OfAll => "name a port, a rate or a lane; `sharing` is for all",
            Self::NoChange => "give an `alpha`, or `guaranteed` memory",
            Self::NoThreshold => "leave it out, or write `Dynamic` as the `sharing`",
        }
    }
}
