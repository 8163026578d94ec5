//! May this packet start? Wires, virtual lanes, flow control, and the signals that flow back.
//!
//! Invariant: nothing in this crate knows the further path of a packet. A [`Port`] answers when a packet that starts
//! now reaches the far end, and whether the far end has room for it.
//!
//! | module | contents | standard |
//! |---|---|---|
//! | [`spec`] | settings of links and cables | link width, speed, MTU |
//! | [`wire`] | arrival times over a direction of a cable | |
//! | [`arbitration`] | the lane that goes next | `VLArbitrationTable` (IBA 7.6.9) |
//! | [`context`] | the interface through which a node acts on the world | |
//! | [`flow_control`] | credits, pauses and headroom of a lane | IBA 7.9, IEEE 802.1Qbb |
//! | [`memory`] | memory that receivers share, and its thresholds | |
//! | [`port`] | a node's end of a cable, and the receive memory of a node | |
//! | [`resolve`] | from settings to the ports of a plan | |

pub mod arbitration;
pub mod context;
pub mod flow_control;
pub mod memory;
pub mod port;
pub mod resolve;
pub mod spec;
pub mod wire;

pub use arbitration::{LaneSet, VlArbiter};
pub use context::{InvariantViolation, LinkTimer, NodeContext};
pub use flow_control::credits::{Credits, ReceiverShare};
pub use flow_control::headroom::{CellHeadroom, Headroom, PauseLoop};
pub use flow_control::lasting::LastingUse;
pub use flow_control::pause::{LaneMemory, PauseCrossings, PauseLane, PauseRule, PauseTally};
pub use flow_control::pause_log::{PauseChange, PauseLog};
pub use flow_control::signal::Signal;
pub use memory::{
    Alpha, HeadroomExceedsMemory, MemoryPool, PauseMemory, PauseThreshold, Share, SharedMemory,
    earliest_pause,
};
pub use port::receive_memory::{MemorySharing, ReceiveMemory};
pub use port::receiver::ReceiverId;
pub use port::{FlowControlSetup, Occupancy, Passage, Port, PortConfigs, PortSetup};
pub use resolve::{CablePlan, LinkPlan, PortPlan};
pub use spec::{CableSpec, LinkSpec};
pub use wire::Wire;
