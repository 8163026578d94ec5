//! Limits of every fabric.

use packet::Lid;

/// Largest number of external ports of a switch: port 0 is the management port, 255 is reserved
/// (IBA 14.2.5.3, `NodeInfo:NumPorts`).
pub const MAX_SWITCH_PORTS: usize = 254;

/// Largest number of nodes: an address each. InfiniBand has fewer: [`Lid::MAX_UNICAST`], which a scenario checks.
pub const MAX_NODES: usize = Lid::MAX.0 as usize;
