//! The topology of a scenario as written, and the step from there to a topology that has been built.
//!
//! Invariant: a spec has not been checked; [`TopologySpec::build`] checks it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::FieldPath;

use crate::builders::chain::{Chain, Crossbar};
use crate::builders::clos::{Clos, Dcs648, KaryNTree};
use crate::builders::custom::CustomFabric;
use crate::builders::dragonfly::Dragonfly;
use crate::builders::fat_tree::FatTree;
use crate::builders::grid::{GridRows, GridSpec};
use crate::builders::omega::Omega;
use crate::builders::two_switches::TwoSwitches;
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::structure::{Structure, Topology};

/// The fabric: scenario field `topology`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum TopologySpec {
    /// Every node and link by name.
    Custom(CustomFabric),
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
    /// A multistage network with one path between any two hosts.
    Omega(Omega),
    /// A mesh of any number of dimensions.
    Mesh(GridSpec),
    /// A torus of any number of dimensions; a ring if it has one.
    Torus(GridSpec),
    /// A grid in which all switches that differ in one coordinate only are neighbours.
    HyperX(GridSpec),
    /// Fully connected groups, fully connected.
    Dragonfly(Dragonfly),
    /// Name of a file beside the scenario: HPCC's `topology.txt` or one of its dialects. It stands for a
    /// [`Custom`](Self::Custom) fabric with the cables of that file.
    HpccFile(String),
}

impl TopologySpec {
    /// Checks the parameters and builds the fabric. `cables` lists the kinds of cable that exist; a
    /// [`FarEnd::cable`](crate::FarEnd::cable) is an index into that list.
    ///
    /// A fabric whose hosts do not all reach each other is not refused here: see
    /// [`Routes::path`](crate::Routes::path).
    ///
    /// # Errors
    /// If a field is wrong, with its path relative to `topology`. A file has to be read first, and replaced by
    /// the fabric that it describes.
    pub fn build(&self, cables: &[&str]) -> Result<Topology, TopologyError> {
        let irregular = |graph| Topology::new(graph, Structure::Irregular);
        let fat_tree = |tree: &FatTree| {
            tree.build(cables).map(|(graph, shape)| Topology::new(graph, Structure::FatTree(shape)))
        };
        let grid = |grid: &GridSpec, rows| {
            grid.build(rows, cables).map(|(graph, shape)| Topology::new(graph, Structure::Grid(shape)))
        };
        match self {
            Self::Custom(custom) => custom.build(cables).map(irregular),
            Self::Clos(clos) => fat_tree(&clos.fat_tree()?),
            Self::TwoSwitches(two) => two.build(cables).map(irregular),
            Self::Crossbar(crossbar) => crossbar.build(cables).map(irregular),
            Self::Chain(chain) => chain.build(cables).map(irregular),
            Self::FatTree(tree) => fat_tree(tree),
            Self::KaryNTree(tree) => fat_tree(&tree.fat_tree()?),
            Self::Dcs648(dcs) => fat_tree(&dcs.fat_tree()),
            Self::Omega(omega) => {
                omega.build(cables).map(|(graph, shape)| Topology::new(graph, Structure::Omega(shape)))
            }
            Self::Mesh(mesh) => grid(mesh, GridRows::Mesh),
            Self::Torus(torus) => grid(torus, GridRows::Torus),
            Self::HyperX(hyperx) => grid(hyperx, GridRows::HyperX),
            Self::Dragonfly(dragonfly) => {
                let (graph, shape) = dragonfly.build(cables)?;
                Ok(Topology::new(graph, Structure::Dragonfly(shape)))
            }
            Self::HpccFile(file) => {
                Err(TopologyError::new(FieldPath::default(), Kind::UnreadFile { file: file.clone() }))
            }
        }
    }
}
