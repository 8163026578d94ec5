//! Receive memory that ports and lanes of a node share, and the thresholds of its parts.
//!
//! Invariant: each receiver, that is, each port and lane, is known by its number only. No module here knows a port.
//!
//! | module | contents |
//! |---|---|
//! | [`shared`] | memory under credits, in blocks |
//! | [`pool`] | memory under PFC, or without flow control, in bytes |
//! | [`thresholds`] | earliest PAUSE, and whether ECN marks before it |
//! | [`share`] | the share of a receiver |
//! | [`alpha`] | the factor of a dynamic threshold |
//! | `receiver_set` | receivers that wait for memory |

pub mod alpha;
pub mod pool;
mod receiver_set;
pub mod share;
pub mod shared;
pub mod thresholds;

pub use alpha::Alpha;
pub use pool::MemoryPool;
pub use share::Share;
pub use shared::{CreditGrant, SharedMemory};
pub use thresholds::{HeadroomExceedsMemory, PauseMemory, PauseThreshold, earliest_pause};
