//! Resolution: from the settings of links and memory to the ports of a plan.
//!
//! Invariant: a plan holds no setting that has still to be checked. Each fault is an error of its own type that names
//! field, cause and remedy.
//!
//! | module | from | to |
//! |---|---|---|
//! | `arbitration` | | faults of lane arbitration tables |
//! | `cable` | [`CableSpec`](crate::CableSpec) | [`CablePlan`]: rate and time of flight |
//! | `lane` | | faults of lanes that are named |
//! | `link` | [`LinkSpec`](crate::LinkSpec) | [`LinkPlan`]: packets, lanes, flow control |
//! | `link_error` | | faults of a link |
//! | `memory` | sizes of buffers | [`ReceiverPlan`], [`SharingPlan`]: receive memory beside headroom |
//! | `port` | both ends of a cable | [`PortPlan`]: a node's end of the cable |

mod arbitration;
mod cable;
mod lane;
mod link;
mod link_error;
mod memory;
mod port;

pub use arbitration::ArbitrationError;
pub use cable::{CableError, CablePlan};
pub use lane::LaneNotConfigured;
pub use link::{LinkEnv, LinkPlan};
pub use link_error::LinkError;
pub use memory::{
    BufferError, MemoryEnv, MemoryError, MemorySize, ReceiverPlan, Reserve, SharedMemoryEnv, SharingPlan,
    check_memory,
};
pub use port::{Intake, PortPlan};
