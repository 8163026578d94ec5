//! What a scenario writes down about routing, and the tables that it gets.
//!
//! Invariant: as written, not yet checked: [`TopologySpec::routes`] checks it against the topology.

use packet::NodeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::written::Written;
use super::{Layers, Routes};
use crate::builders::fat_tree::FatTree;
use crate::builders::grid::{Grid, Rows};
use crate::graph::{Graph, node};
use crate::spec::TopologySpec;

/// By what rule forwarding tables are made: scenario field `routing`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum RoutingSpec {
    /// The topology's own: `DModK` in fat trees (but [`Clos`](crate::Clos) says `MinHop`, which is the same
    /// there), `DestinationTags` in Omega networks, `DimensionOrder` in meshes, tori and HyperX,
    /// `DragonflyMinimal` in dragonflies, else `MinHop`.
    #[default]
    Native,
    /// Fewest links; equally good ports take turns by the destination's number.
    MinHop,
    /// Fewest links; one of the equally good ports is drawn for each switch and destination.
    Random,
    /// Fewest links; of the equally good ports a hash of the packet's source, destination and queue pairs chooses,
    /// as equal-cost multipath does by addresses and UDP ports: all packets that one end of a flow sends take one
    /// way, another with another seed. InfiniBand's linear tables cannot; Ethernet's can.
    Ecmp,
    /// First towards a root, then away from it: no cycle of packets that wait for each other, in any graph,
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
    /// To the destination's group by a cable that leads there, in dragonflies. It takes two layers.
    DragonflyMinimal,
    /// The output port for a host, by switch and host: `Written({"s1": {"h4": 7}})`. What is not written is
    /// as `Native` has it.
    Written(
        #[schemars(extend("additionalProperties" = {
            "type": "object", "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 254}
        }))]
        Written,
    ),
}

/// Why forwarding tables cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct RoutingError {
    path: String,
    kind: RoutingErrorKind,
}

/// What is wrong, apart from where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoutingErrorKind {
    /// A routing that another topology needs.
    #[error("`{routing}` is not for this topology: write {fits}")]
    DoesNotFit {
        /// The routing.
        routing: &'static str,
        /// Those that are.
        fits: String,
    },
    /// No switch of this name.
    #[error("there is no switch `{given}`: name one that the topology has")]
    UnknownSwitch {
        /// The name as given.
        given: String,
    },
    /// No host of this name.
    #[error("there is no host `{given}`: name one that the topology has")]
    UnknownHost {
        /// The name as given.
        given: String,
    },
    /// No port of this number.
    #[error("`{switch}` has no port {given}: write a port from 1 to {ports}")]
    NoSuchPort {
        /// The switch.
        switch: String,
        /// The port as given.
        given: u16,
        /// How many it has.
        ports: usize,
    },
    /// A port that ends at another host.
    #[error("port {given} of `{switch}` ends at host `{leads_to}`: write a port that leads to `{host}`")]
    WrongHost {
        /// The switch.
        switch: String,
        /// The port as given.
        given: u16,
        /// Where it ends.
        leads_to: String,
        /// The host that is meant.
        host: String,
    },
    /// Tables that send packets round.
    #[error(
        "packets for `{host}` would go round for ever, {cycle}: change the entry for `{host}` of one of these"
    )]
    Loop {
        /// The host.
        host: String,
        /// The switches, in order, the first again at the end.
        cycle: String,
    },
    /// Tables that lead to where nothing leads on.
    #[error("packets for `{host}` would come to `{switch}`, which no entry leads on from: write one there")]
    LeadsNowhere {
        /// The host.
        host: String,
        /// The switch.
        switch: String,
    },
}

impl RoutingError {
    pub(crate) fn new(path: &str, kind: RoutingErrorKind) -> Self {
        Self { path: path.to_owned(), kind }
    }

    /// The path of the field at fault, relative to `routing`; empty for the whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &RoutingErrorKind {
        &self.kind
    }
}

impl RoutingSpec {
    /// The word for it in a scenario.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Native => "Native",
            Self::MinHop => "MinHop",
            Self::Random => "Random",
            Self::Ecmp => "Ecmp",
            Self::UpDown { .. } => "UpDown",
            Self::DModK => "DModK",
            Self::DimensionOrder => "DimensionOrder",
            Self::DestinationTags => "DestinationTags",
            Self::DragonflyMinimal => "DragonflyMinimal",
            Self::Written(_) => "Written",
        }
    }
}

impl TopologySpec {
    /// The forwarding tables of `graph`, which this has built. `seed` is the run's: it decides random ones.
    ///
    /// # Errors
    /// If the routing does not go with the topology, or names what does not exist.
    pub fn routes(&self, graph: &Graph, routing: &RoutingSpec, seed: u64) -> Result<Routes, RoutingError> {
        let own = self.own_routing();
        match routing {
            RoutingSpec::Native => Ok(self.native(graph)),
            RoutingSpec::Written(written) => self.native(graph).with(graph, written),
            given if *given == own => Ok(self.native(graph)),
            // The cables of an Omega network carry data one way, which these know nothing of.
            RoutingSpec::MinHop if self.any_way() => Ok(Routes::min_hop(graph)),
            RoutingSpec::Random if self.any_way() => Ok(Routes::random(graph, seed)),
            RoutingSpec::Ecmp if self.any_way() => Ok(Routes::multipath(graph, seed)),
            RoutingSpec::UpDown { roots } if self.any_way() => {
                Ok(Routes::up_down(graph, &self.roots(graph, roots)?))
            }
            RoutingSpec::DModK if matches!(self, Self::Clos(_)) => Ok(Routes::min_hop(graph)),
            _ => {
                let fits = self.fits(&own);
                Err(RoutingError::new("", RoutingErrorKind::DoesNotFit { routing: routing.word(), fits }))
            }
        }
    }

    /// What `Native` stands for.
    fn own_routing(&self) -> RoutingSpec {
        match self {
            Self::FatTree(_) | Self::KaryNTree(_) | Self::Dcs648(_) => RoutingSpec::DModK,
            Self::Omega(_) => RoutingSpec::DestinationTags,
            Self::Mesh(_) | Self::Torus(_) | Self::HyperX(_) => RoutingSpec::DimensionOrder,
            Self::Dragonfly(_) => RoutingSpec::DragonflyMinimal,
            _ => RoutingSpec::MinHop,
        }
    }

    fn native(&self, graph: &Graph) -> Routes {
        let by_grid = |grid: Grid| Routes {
            layers: if grid.layers() > 1 { Layers::Grid(grid.clone()) } else { Layers::One },
            ..Routes::guided(graph, |at, to| grid.next(at, to))
        };
        match self {
            Self::FatTree(tree) => Routes::d_mod_k(tree),
            Self::KaryNTree(tree) => Routes::d_mod_k(&tree.fat_tree()),
            Self::Dcs648(dcs) => Routes::d_mod_k(&dcs.fat_tree()),
            Self::Omega(omega) => {
                let shape = omega.shape();
                Routes::guided(graph, |at, to| shape.next(at, to))
            }
            Self::Mesh(mesh) => by_grid(mesh.grid(Rows::Mesh)),
            Self::Torus(torus) => by_grid(torus.grid(Rows::Torus)),
            Self::HyperX(hyperx) => by_grid(hyperx.grid(Rows::HyperX)),
            Self::Dragonfly(dragonfly) => {
                let shape = dragonfly.shape();
                let routes = Routes::guided(graph, |at, to| shape.next(at, to));
                Routes { layers: Layers::Dragonfly(shape), ..routes }
            }
            _ => Routes::min_hop(graph),
        }
    }

    /// Whether data may cross every cable in both directions.
    fn any_way(&self) -> bool {
        !matches!(self, Self::Omega(_))
    }

    /// The routings that go with this topology, for a message.
    fn fits(&self, own: &RoutingSpec) -> String {
        let any = if self.any_way() { "`MinHop`, `Random`, `Ecmp`, `UpDown()`, " } else { "" };
        let own = if *own == RoutingSpec::MinHop { String::new() } else { format!("`{}`, ", own.word()) };
        format!("{own}{any}`Native` or `Written(...)`")
    }

    /// The roots of up/down.
    fn roots(&self, graph: &Graph, given: &[String]) -> Result<Vec<NodeId>, RoutingError> {
        let spines = |tree: FatTree| {
            let top = tree.tiers().last().map_or(0, |tier| tier.before);
            (graph.hosts() + top..graph.nodes()).map(node).collect()
        };
        if given.is_empty() {
            return Ok(match self {
                Self::Clos(clos) => spines(clos.fat_tree()),
                Self::FatTree(tree) => spines(tree.clone()),
                Self::KaryNTree(tree) => spines(tree.fat_tree()),
                Self::Dcs648(dcs) => spines(dcs.fat_tree()),
                _ => Routes::central(graph),
            });
        }
        let root = |(i, name): (usize, &String)| {
            graph.find(name).filter(|found| !graph.is_host(*found)).ok_or_else(|| {
                let kind = RoutingErrorKind::UnknownSwitch { given: name.clone() };
                RoutingError::new(&format!("roots[{i}]"), kind)
            })
        };
        given.iter().enumerate().map(root).collect()
    }
}
