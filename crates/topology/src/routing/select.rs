//! The forwarding tables that a topology gets by the routing of a scenario.
//!
//! Invariant: a routing is accepted only for a topology in which its paths reach their ends.

use packet::NodeId;
use settings::FieldPath;

use super::detours::NoDetours;
use super::error::{RoutingError, RoutingErrorKind};
use super::routes::{PathLayers, Routes};
use super::spec::{GroupsSpec, RoutingSpec};
use crate::graph::node;
use crate::structure::{Structure, Topology};

impl Topology {
    /// Makes the forwarding tables. `seed` is the seed of the run, from which random choices are drawn.
    ///
    /// # Errors
    /// If the routing does not fit the topology, or names a node or port that does not exist.
    pub fn routes(&self, routing: &RoutingSpec, seed: u64) -> Result<Routes, RoutingError> {
        let graph = self.graph();
        let any_path = self.structure().carries_data_both_ways();
        if let Some((through, twice)) = routing.detours() {
            let fits = || self.structure().fitting_routings();
            let detours = self.detours(through, twice).map_err(|reason| {
                let (path, kind) = match reason {
                    NoDetours::Topology => (
                        FieldPath::default(),
                        RoutingErrorKind::DoesNotFit { routing: routing.word(), fits: fits() },
                    ),
                    NoDetours::NoGroups => (FieldPath::from("through"), RoutingErrorKind::NoGroups),
                    NoDetours::NoThirdGroup => (FieldPath::from("through"), RoutingErrorKind::NoThirdGroup),
                    NoDetours::TooLarge => {
                        let switches = graph.switches();
                        (FieldPath::default(), RoutingErrorKind::TooManySwitches { switches })
                    }
                };
                RoutingError::new(path, kind)
            })?;
            return Ok(self.native_routes()?.with_detours(detours));
        }
        let routes = match routing {
            RoutingSpec::Native => Some(self.native_routes()?),
            RoutingSpec::Written(entries) => Some(self.native_routes()?.with_entries(graph, entries)?),
            RoutingSpec::Tables(tables) => Some(Routes::tabled(graph, tables, seed)?),
            RoutingSpec::MinHop => any_path.then(|| Routes::min_hop(graph)),
            RoutingSpec::Random => any_path.then(|| Routes::random(graph, seed)),
            RoutingSpec::Ecmp | RoutingSpec::Adaptive { groups: GroupsSpec::Shortest } => {
                any_path.then(|| Routes::multipath(graph, seed))
            }
            RoutingSpec::Adaptive { groups: GroupsSpec::Parallel } => {
                Some(self.native_routes()?.with_parallel_cables(graph, seed))
            }
            RoutingSpec::UpDown { roots } if any_path => {
                Some(Routes::up_down(graph, &self.up_down_roots(roots)?))
            }
            RoutingSpec::UpDown { .. }
            | RoutingSpec::Valiant(_)
            | RoutingSpec::Ugal(_)
            | RoutingSpec::Par(_) => None,
            RoutingSpec::DModK
            | RoutingSpec::DimensionOrder
            | RoutingSpec::DestinationTags
            | RoutingSpec::DragonflyMinimal => {
                // These rules need the structure of their own family.
                let is_own = *routing == self.structure().native_routing();
                is_own.then(|| self.native_routes()).transpose()?
            }
        };
        routes.ok_or_else(|| {
            let fits = self.structure().fitting_routings();
            let kind = RoutingErrorKind::DoesNotFit { routing: routing.word(), fits };
            RoutingError::new(FieldPath::default(), kind)
        })
    }

    /// Makes the tables of the topology's own rule.
    ///
    /// # Errors
    /// If the rule needs a cable that was removed.
    fn native_routes(&self) -> Result<Routes, RoutingError> {
        let graph = self.graph();
        let routes = match self.structure() {
            Structure::Irregular => Ok(Routes::min_hop(graph)),
            Structure::FatTree(shape) if self.is_complete() => Ok(Routes::d_mod_k(shape)),
            Structure::FatTree(shape) => Ok(Routes::d_mod_k_around_gaps(graph, shape)),
            Structure::Omega(shape) => Routes::guided(graph, |at, to| shape.next(at, to)),
            Structure::Grid(shape) => Routes::guided(graph, |at, to| shape.next(at, to)),
            Structure::Dragonfly(shape) => Routes::guided(graph, |at, to| shape.next(at, to)),
        };
        let routes = routes.map_err(|(from, to)| {
            let any_path = self.structure().carries_data_both_ways();
            let kind = RoutingErrorKind::NoCableLeft {
                routing: self.structure().native_routing().word(),
                from: graph.name(from).to_owned(),
                to: graph.name(to).to_owned(),
                others: if any_path { "`UpDown()` or `MinHop`" } else { "" },
            };
            RoutingError::new(FieldPath::default(), kind)
        })?;
        Ok(routes.with_layers(self.structure().layers()))
    }

    /// Returns the roots of up/down routing: the switches of these names, or the topology's own choice if there
    /// are no names.
    fn up_down_roots(&self, given: &[String]) -> Result<Vec<NodeId>, RoutingError> {
        let graph = self.graph();
        if given.is_empty() {
            return Ok(match self.structure() {
                Structure::FatTree(shape) => {
                    shape.spines().map(|spine| node(graph.hosts() + spine)).collect()
                }
                Structure::Irregular | Structure::Omega(_) | Structure::Grid(_) | Structure::Dragonfly(_) => {
                    Routes::central_switches(graph)
                }
            });
        }
        let root = |(i, name): (usize, &String)| {
            graph.find(name).filter(|found| !graph.is_host(*found)).ok_or_else(|| {
                let kind = RoutingErrorKind::UnknownSwitch { given: name.clone() };
                RoutingError::new(FieldPath::from("roots").index(i), kind)
            })
        };
        given.iter().enumerate().map(root).collect()
    }
}

impl Structure {
    /// Returns the routing that `Native` stands for.
    pub(super) fn native_routing(&self) -> RoutingSpec {
        match self {
            Self::Irregular => RoutingSpec::MinHop,
            Self::FatTree(_) => RoutingSpec::DModK,
            Self::Omega(_) => RoutingSpec::DestinationTags,
            Self::Grid(_) => RoutingSpec::DimensionOrder,
            Self::Dragonfly(_) => RoutingSpec::DragonflyMinimal,
        }
    }

    /// Returns the rule for the layers of paths by the routing that `Native` stands for.
    pub(super) fn layers(&self) -> PathLayers {
        match self {
            Self::Irregular | Self::FatTree(_) | Self::Omega(_) => PathLayers::One,
            Self::Grid(shape) if shape.layers() == 1 => PathLayers::One,
            Self::Grid(shape) => PathLayers::Grid(shape.clone()),
            Self::Dragonfly(shape) => PathLayers::Dragonfly(*shape),
        }
    }

    /// Returns true if data may cross every cable in both directions, so that any path of the graph will do.
    fn carries_data_both_ways(&self) -> bool {
        match self {
            Self::Omega(_) => false,
            Self::Irregular | Self::FatTree(_) | Self::Grid(_) | Self::Dragonfly(_) => true,
        }
    }

    /// Lists the routings that fit this structure, for a message.
    fn fitting_routings(&self) -> String {
        let own = match self.native_routing() {
            RoutingSpec::MinHop => String::new(),
            own => format!("`{}`, ", own.word()),
        };
        let own = match self {
            Self::Dragonfly(_) => format!("{own}`Valiant`, `Ugal`, `Par`, "),
            Self::Grid(shape) if shape.is_hyper_x() => format!("{own}`Valiant`, `Ugal`, `Par`, "),
            Self::Irregular | Self::FatTree(_) | Self::Omega(_) | Self::Grid(_) => own,
        };
        let any = if self.carries_data_both_ways() {
            "`MinHop`, `Random`, `Ecmp`, `Adaptive`, `UpDown()`, "
        } else {
            ""
        };
        format!("{own}{any}`Native`, `Written(...)` or `Tables(...)`")
    }
}
