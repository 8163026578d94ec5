//! What a scenario writes down about its fabric.
//!
//! Invariant: as written, not yet checked: [`TopologySpec::build`] checks it.

use std::collections::BTreeMap;

use crate::builders::chain::{Chain, Crossbar};
use crate::builders::dragonfly::Dragonfly;
use crate::builders::fat_tree::{Dcs648, FatTree, KaryNTree};
use crate::builders::grid::GridSpec;
use crate::builders::omega::Omega;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fabric: scenario field `topology`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum TopologySpec {
    /// Every node and link by name.
    Custom(Custom),
    /// A two-tier folded Clos.
    Clos(Clos),
    /// Two switches with groups of hosts.
    TwoSwitches(TwoSwitches),
    /// One switch.
    Crossbar(Crossbar),
    /// Switches in a row; two of them are a dumbbell.
    Chain(Chain),
    /// A folded Clos of any number of tiers.
    FatTree(FatTree),
    /// A k-ary n-tree.
    KaryNTree(KaryNTree),
    /// The Sun Datacenter InfiniBand Switch 648.
    Dcs648(Dcs648),
    /// A multistage network with one way from each host to each other.
    Omega(Omega),
    /// A mesh of any number of dimensions.
    Mesh(GridSpec),
    /// A torus of any number of dimensions; a ring if it has one.
    Torus(GridSpec),
    /// Every switch beside all others that differ in one coordinate.
    HyperX(GridSpec),
    /// Fully connected groups, fully connected.
    Dragonfly(Dragonfly),
    /// HPCC's `topology.txt`, or one of its dialects, by the name of the file beside the scenario. It stands for a
    /// [`Custom`] with its cables: see [`hpcc`](crate::hpcc).
    HpccFile(String),
}

/// A fabric given node by node and link by link.
///
/// ```
/// let two: topology::Custom = ron::from_str(
///     r#"(hosts: ["h1", "h2"], switches: ["s"], links: [
///         (from: "h1", to: "s", cable: "copper"),
///         (from: "h2", to: "s", cable: "copper"),
///     ])"#,
/// )?;
/// let graph = topology::TopologySpec::Custom(two).build(&["copper"])?;
/// assert_eq!(graph.ports(graph.find("s").unwrap()).len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Custom {
    /// Names of the hosts. Each has one channel adapter with one port.
    pub hosts: Vec<String>,
    /// Names of the switches.
    pub switches: Vec<String>,
    /// The links. The ports of a node are numbered from 1, in the order in which links name the node.
    pub links: Vec<LinkEnds>,
}

/// One full-duplex link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkEnds {
    /// The node at one end, a host or a switch.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// The name of its kind of cable.
    pub cable: String,
}

/// A two-tier folded Clos of switches with K ports each: K leaves with K/2 hosts each, and K/2 spines;
/// one link from every leaf to every spine. It carries K^2/2 hosts at full bisection bandwidth.
///
/// Hosts are named `h1`, `h2`, ..., leaves `leaf1`, ..., spines `spine1`, .... A leaf has its hosts at
/// ports 1 to K/2 and spine j at port K/2 + j; every spine has leaf i at port i.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clos {
    /// K, the ports of each switch: even, 2 to 254.
    #[schemars(range(min = 2, max = 254))]
    pub radix: u16,
    /// The name of the kind of cable between host and leaf.
    pub host_cable: String,
    /// The name of the kind of cable between leaf and spine.
    pub trunk_cable: String,
}

/// Two switches with one link between them, and groups of hosts at each.
///
/// The hosts of a group are named after it, with a number from 1: `R1`, `R2`, ... of `"R": 5`, and `C1` of
/// `"C": 1`. Those of the left switch come first, groups in the order of their names. A switch has its hosts
/// at ports 1 and up in this order, and the other switch at its last.
///
/// ```
/// let two: topology::TwoSwitches = ron::from_str(
///     r#"(left: (name: "A", hosts: {"R": 2}), right: (name: "B", hosts: {"C": 1, "L": 2}),
///         host_cable: "copper", trunk_cable: "copper")"#,
/// )?;
/// let graph = topology::TopologySpec::TwoSwitches(two).build(&["copper"])?;
/// assert_eq!(graph.names().collect::<Vec<_>>(), ["R1", "R2", "C1", "L1", "L2", "A", "B"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoSwitches {
    /// One switch.
    pub left: SwitchWithHosts,
    /// The other.
    pub right: SwitchWithHosts,
    /// The name of the kind of cable between host and switch.
    pub host_cable: String,
    /// The name of the kind of cable between the switches.
    pub trunk_cable: String,
}

/// A switch and the hosts at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchWithHosts {
    /// The switch's name.
    pub name: String,
    /// How many hosts each group has, 1 to 253; 253 together.
    #[schemars(extend("additionalProperties" = {"type": "integer", "minimum": 1, "maximum": 253}))]
    pub hosts: BTreeMap<String, u16>,
}
