//! Limits that InfiniBand sets to every fabric.

/// Largest number of external ports of a switch: port 0 is the management port, 255 is reserved
/// (IBA 14.2.5.3, `NodeInfo:NumPorts`).
pub const MAX_SWITCH_PORTS: usize = 254;

/// Largest number of nodes of a subnet: one unicast LID each, 0x0001 to 0xBFFF (IBA 4.1.3).
pub const MAX_NODES: usize = 0xBFFF;
