//! May this packet start? Wires, credits, virtual lanes, and what flows back.
//!
//! Invariant: nothing in this crate knows what a node does with its packets. A [`Port`] answers when
//! a packet that starts now will be heard at the far end, and whether the far end has room for it.
//!
//! | module | holds | IBA's term |
//! |---|---|---|
//! | [`spec`] | what a scenario writes down | link width, speed, MTU |
//! | [`wire`] | when what starts now arrives | |
//! | [`credits`] | the two halves of flow control | FCTBS, FCCL, ABR (7.9) |
//! | [`memory`] | who gets what of memory that lanes share | |
//! | [`headroom`] | what still arrives after a PAUSE | 802.1Qbb |
//! | [`thresholds`] | when PAUSE may come, and whether ECN comes before | |
//! | [`pause`] | the two halves of priority flow control | IEEE 802.1Qbb |
//! | [`pool`] | the same memory under PFC, or without flow control | |
//! | [`arbitration`] | which lane goes next | `VLArbitrationTable` (7.6.9) |
//! | [`port`] | a wire with its flow control | |
//! | [`outlet`] | a node's way to the world | |

pub mod arbitration;
pub mod credits;
pub mod headroom;
pub mod memory;
pub mod outlet;
pub mod pause;
pub mod pool;
pub mod port;
pub mod spec;
pub mod thresholds;
pub mod wire;

pub use arbitration::{LaneSet, VlArbiter};
pub use credits::{Credits, Share, Signal};
pub use headroom::{Headroom, PauseLoop};
pub use memory::{Alpha, SharedMemory};
pub use outlet::{Broken, Outlet};
pub use pause::{LaneMemory, PauseRule, PauseTally};
pub use pool::Pool;
pub use port::{Passage, Port, PortKinds, PortSetup};
pub use spec::{CableSpec, LinkSpec};
pub use thresholds::{NoRoom, PauseMemory, PauseThreshold};
pub use wire::Wire;
