//! The service levels of packets whose routing has layers.
//!
//! Invariant: packets from one host to another that ask for one level have one service level, that of their path's layer.

use packet::{NodeId, ServiceLevel};
use topology::Routes;

/// Returns the service level of packets from one host to another. Where the routing has L layers, each of the flows'
/// levels 0, 1, ... takes L levels, one for each layer. With one layer the level is the flow's own.
///
/// In IBA the path record gives this level (`PathRecord:SL`); OpenSM's torus-2QoS uses it so.
pub(crate) fn service_level(routes: &Routes, asked: ServiceLevel, from: NodeId, to: NodeId) -> ServiceLevel {
    let level = u32::from(asked.0) * routes.layers() + routes.layer(from, to);
    ServiceLevel(u8::try_from(level).expect("levels have been checked"))
}
