//! A topology that has been built: its graph, and the structure that its own routing rule follows.
//!
//! Invariant: graph and structure describe the same fabric. Only [`TopologySpec::build`](crate::TopologySpec::build)
//! makes a topology, so one that exists has passed every check.

use crate::builders::dragonfly::DragonflyShape;
use crate::builders::fat_tree::FatTreeShape;
use crate::builders::grid::GridShape;
use crate::builders::omega::OmegaShape;
use crate::graph::Graph;

/// A fabric that has been checked and built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    graph: Graph,
    structure: Structure,
}

/// The structure of a fabric, by which routing rules find a path. Each variant has its own rule in
/// `routing::select`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    /// No structure that a rule could use: routes follow from the graph.
    Irregular,
    FatTree(FatTreeShape),
    Omega(OmegaShape),
    Grid(GridShape),
    Dragonfly(DragonflyShape),
}

impl Topology {
    pub(crate) fn new(graph: Graph, structure: Structure) -> Self {
        Self { graph, structure }
    }

    /// Returns the graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the graph alone.
    #[must_use]
    pub fn into_graph(self) -> Graph {
        self.graph
    }

    pub(crate) fn structure(&self) -> &Structure {
        &self.structure
    }
}
