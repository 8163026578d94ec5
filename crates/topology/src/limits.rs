//! Limits of every fabric.

use packet::Lid;

/// Largest number of external ports of a switch: port 0 is the management port, 255 is reserved
/// (IBA 14.2.5.3, `NodeInfo:NumPorts`).
pub const MAX_SWITCH_PORTS: usize = 254;

/// Largest number that a link can give to a port. InfiniBand counts 1 to 254; ports of Ethernet switches are also
/// called by their first lane, from 0: `Ethernet0` to `Ethernet1016` with 128 ports of eight lanes.
pub const MAX_PORT_NUMBER: u16 = 1023;

/// Largest number of nodes: an address each. InfiniBand has fewer: [`Lid::MAX_UNICAST`], which a scenario checks.
pub const MAX_NODES: usize = Lid::MAX.0 as usize;
