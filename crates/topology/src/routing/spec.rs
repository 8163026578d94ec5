//! The routing of a scenario as written.
//!
//! Invariant: a spec has not been checked; [`Topology::routes`](crate::Topology::routes) checks it against a
//! topology.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::detour_spec::{Through, UgalSpec, ValiantSpec};
use super::tabled::{WrittenTables, have_groups};
use super::written::WrittenEntries;

/// The rule by which forwarding tables are made: scenario field `routing`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum RoutingSpec {
    /// The rule of the topology: `DModK` in fat trees of all forms, `DestinationTags` in Omega networks,
    /// `DimensionOrder` in meshes, tori and HyperX, `DragonflyMinimal` in dragonflies, else `MinHop`.
    #[default]
    Native,
    /// Fewest links; equally good ports are assigned by the destination's number, modulo how many they are.
    MinHop,
    /// Fewest links; one of the equally good ports is drawn for each switch and destination.
    Random,
    /// Equal-cost multipath: fewest links, and a hash of the packet's source, destination and queue pairs chooses
    /// among the equally good ports, as Ethernet switches do by addresses and UDP ports. All packets that one end
    /// of a flow sends take one path; another seed gives another path. InfiniBand's linear tables cannot do this.
    /// `switch.selection` may choose in another way.
    Ecmp,
    /// Adaptive: a group of ports for each destination, of which the switch chooses one for each packet
    /// (`switch.selection`).
    Adaptive {
        /// Ports of a group.
        #[serde(default)]
        groups: GroupsSpec,
    },
    /// First towards a root, then away from it: packets cannot wait for each other in a cycle, in any graph,
    /// on one lane.
    UpDown {
        /// The switches at the top. If left out: the spines of a fat tree; else a switch in the middle.
        #[serde(default)]
        roots: Vec<String>,
    },
    /// Destination-mod-k, in fat trees.
    DModK,
    /// One dimension after the other, in meshes, tori and HyperX. A torus takes twice as many layers for each
    /// dimension of five switches or more, and as many lanes: 2, 4 or 8.
    DimensionOrder,
    /// The digits of the destination's number, in Omega networks.
    DestinationTags,
    /// To the destination's group by a cable that leads there, in dragonflies. Takes two layers.
    DragonflyMinimal,
    /// Every packet goes by an intermediate switch that its first switch draws, then to its destination, both minimally
    /// (Valiant 1982): in dragonflies and HyperX. Takes 4 lanes in a dragonfly (3 through groups), 2 in a HyperX. Packets
    /// overtake each other. Acknowledgements and notifications go minimally.
    Valiant(ValiantSpec),
    /// The first switch of each packet draws an intermediate switch, and compares the load of the first output there with
    /// that of the minimal route (UGAL-L, Singh 2005). Topologies and lanes as with `Valiant`.
    Ugal(UgalSpec),
    /// `Ugal`, whose decision for a minimal route the second switch makes once more: in a dragonfly within the first group
    /// (progressive adaptive routing, Jiang, Kim and Dally 2009). Takes a lane more.
    Par(UgalSpec),
    /// The output port for a host, by switch and host: `Written({"s1": {"h4": 7}})`. Entries that are not written
    /// are those of `Native`.
    Written(
        #[schemars(extend("additionalProperties" = {
            "type": "object", "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 254}
        }))]
        WrittenEntries,
    ),
    /// All tables, as a cluster has them: for each switch the output ports for all hosts in their order.
    /// `20*6` is port 20 for six hosts, `-` no port: `Tables({"s1": "1 2 20*6 -"})`. `20/21` is a group of ports, among
    /// which `switch.selection` chooses, `#20/21` one for a hash of the flow. Every switch has a table, and nothing is
    /// filled in.
    Tables(WrittenTables),
}

/// Ports of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum GroupsSpec {
    /// All ports on shortest paths (`TREE` of InfiniBand's adaptive-routing manager).
    #[default]
    Shortest,
    /// All parallel cables to the neighbour that the routing `Native` leads to (`LAG` there).
    Parallel,
}

impl RoutingSpec {
    /// Returns true if switches may have several ports for a host.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        match self {
            Self::Ecmp | Self::Adaptive { .. } => true,
            Self::Tables(tables) => have_groups(tables),
            Self::Native
            | Self::MinHop
            | Self::Random
            | Self::UpDown { .. }
            | Self::DModK
            | Self::DimensionOrder
            | Self::DestinationTags
            | Self::DragonflyMinimal
            | Self::Valiant(_)
            | Self::Ugal(_)
            | Self::Par(_)
            | Self::Written(_) => false,
        }
    }

    /// Returns the place that detours lead through, and true if the second switch decides again; `None` if all routes are
    /// minimal or fixed.
    #[must_use]
    pub const fn detours(&self) -> Option<(Through, bool)> {
        match self {
            Self::Valiant(spec) => Some((spec.through, false)),
            Self::Ugal(spec) => Some((spec.through, false)),
            Self::Par(spec) => Some((spec.through, true)),
            _ => None,
        }
    }

    /// Returns the word for this routing in a scenario.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Native => "Native",
            Self::MinHop => "MinHop",
            Self::Random => "Random",
            Self::Ecmp => "Ecmp",
            Self::Adaptive { .. } => "Adaptive",
            Self::UpDown { .. } => "UpDown",
            Self::DModK => "DModK",
            Self::DimensionOrder => "DimensionOrder",
            Self::DestinationTags => "DestinationTags",
            Self::DragonflyMinimal => "DragonflyMinimal",
            Self::Valiant(_) => "Valiant",
            Self::Ugal(_) => "Ugal",
            Self::Par(_) => "Par",
            Self::Written(_) => "Written",
            Self::Tables(_) => "Tables",
        }
    }
}
