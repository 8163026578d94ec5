//! Fabrics as plain data: graphs, builders, forwarding tables.
//!
//! Invariant: nothing here has state or knows time. A [`TopologySpec`] as written becomes a [`Graph`]
//! that is well-formed or a [`TopologyError`] that names the field; [`Routes`] follow from the scenario's
//! topology, routing and seed alone, so one scenario always has one set of tables.
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | what a scenario writes down |
//! | `builder` | from there to a graph, with every check |
//! | [`builders`] | fabrics by rule: fat trees, Omega, grids, dragonflies |
//! | `two_switches` | the graph of a dumbbell |
//! | [`hpcc`] | fabrics from a file |
//! | [`graph`] | who is cabled to whom |
//! | [`routing`] | which port leads to which host |
//! | [`dependencies`] | whether packets can wait for each other in a cycle |
//! | [`error`] | what can be wrong, and where |

mod builder;
pub mod builders;
pub mod dependencies;
pub mod error;
pub mod graph;
pub mod hpcc;
pub mod routing;
pub mod spec;
mod two_switches;

pub use builders::chain::{Chain, Crossbar};
pub use builders::dragonfly::Dragonfly;
pub use builders::fat_tree::{Dcs648, FatTree, KaryNTree};
pub use builders::grid::GridSpec;
pub use builders::omega::Omega;
pub use dependencies::{Channel, Dependencies};
pub use error::{TopologyError, TopologyErrorKind};
pub use graph::{End, Graph};
pub use routing::Routes;
pub use routing::spec::{RoutingError, RoutingErrorKind, RoutingSpec};
pub use routing::table::ForwardingTable;
pub use spec::{Clos, Custom, LinkEnds, SwitchWithHosts, TopologySpec, TwoSwitches};

/// The most external ports that a switch can have: port 0 is its management port, 255 is reserved
/// (IBA 14.2.5.3, `NodeInfo:NumPorts`).
pub const MAX_SWITCH_PORTS: usize = 254;

/// The most nodes that a subnet can have: one unicast LID each, 0x0001 to 0xBFFF (IBA 4.1.3).
pub const MAX_NODES: usize = 0xBFFF;
