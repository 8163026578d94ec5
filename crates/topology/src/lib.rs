//! Fabrics as plain data: graphs, builders, forwarding tables.
//!
//! Invariant: nothing here has state or knows time. A [`TopologySpec`] becomes a [`Topology`] with a well-formed
//! [`Graph`], or a [`TopologyError`] that names the field. [`Routes`] follow from topology, routing and seed of the
//! scenario alone, so a scenario always has the same tables.
//!
//! Modules, lowest floor first:
//!
//! | module | contents |
//! |---|---|
//! | `limits` | limits that IBA sets to every fabric |
//! | [`error`] | faults in a topology, and their fields |
//! | [`graph`] | nodes, ports and cables |
//! | [`selection`] | ports of a graph, selected by names |
//! | [`builders`] | families of topologies: parameters, checks, graphs |
//! | [`hpcc`] | fabrics from a file |
//! | `partition` | parts into which a run divides a fabric |
//! | `structure` | a topology that has been built: graph, and the structure of its family |
//! | [`changed_cables`] | single cables of another kind, or missing |
//! | [`spec`] | the topology of a scenario as written |
//! | [`routing`] | forwarding tables |
//! | `detour_lanes` | lanes that all choices of non-minimal routes take |
//! | [`loads`] | expected loads of cables, by minimal routes and by others |
//! | [`dependencies`] | the channel-dependency graph: cycles in which packets can wait |
//! | `examples` | a value of each family and routing |

pub mod builders;
pub mod changed_cables;
pub mod dependencies;
mod detour_lanes;
pub mod error;
mod examples;
pub mod graph;
pub mod hpcc;
mod limits;
pub mod loads;
mod partition;
pub mod routing;
pub mod selection;
pub mod spec;
mod structure;

pub use builders::chain::{Chain, Crossbar};
pub use builders::clos::{Clos, Dcs648, KaryNTree};
pub use builders::custom::{CustomFabric, LinkEnds};
pub use builders::dragonfly::Dragonfly;
pub use builders::fat_tree::FatTree;
pub use builders::grid::GridSpec;
pub use builders::omega::Omega;
pub use builders::two_switches::{SwitchWithHosts, TwoSwitches};
pub use changed_cables::{CableChange, CableChangeError, CableChangeErrorKind};
pub use dependencies::{ChannelDependencies, VirtualChannel};
pub use error::{TopologyError, TopologyErrorKind};
pub use graph::{FarEnd, Graph};
pub use limits::{MAX_NODES, MAX_PORT_NUMBER, MAX_SWITCH_PORTS};
pub use loads::{CableLoads, Demand, Vias};
pub use partition::{Partition, PartitionCost, WeighedGraph};
pub use routing::detour_spec::{DetourWeights, LoadSeen, Through, UgalSpec, ValiantSpec};
pub use routing::detours::{Detours, NoDetours};
pub use routing::error::{RoutingError, RoutingErrorKind};
pub use routing::group::{GroupState, PortGroup};
pub use routing::lane_changes::LaneChanges;
pub use routing::routes::Routes;
pub use routing::spec::{GroupsSpec, RoutingSpec};
pub use routing::table::ForwardingTable;
pub use routing::tabled::{TableRun, written_table};
pub use selection::SelectionError;
pub use spec::TopologySpec;
pub use structure::{ChangedCables, PortOfNode, Topology};
