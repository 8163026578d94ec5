//! A topology that has been built: its graph, and the structure that its own routing rule follows.
//!
//! Invariant: graph and structure describe the same fabric, except for single cables that were changed. Only
//! [`TopologySpec::build`](crate::TopologySpec::build) makes a topology, so every topology has passed every check.

use std::collections::BTreeMap;

use packet::{NodeId, PortId};

use crate::builders::dragonfly::DragonflyShape;
use crate::builders::fat_tree::FatTreeShape;
use crate::builders::grid::GridShape;
use crate::builders::omega::OmegaShape;
use crate::graph::{FarEnd, Graph};

/// A fabric that has been checked and built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    graph: Graph,
    structure: Structure,
    changed: Vec<ChangedCables>,
}

/// A port: a node, and the number of the port there.
pub type PortOfNode = (NodeId, PortId);

/// The cables that an entry changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedCables {
    /// The entry as written.
    pub entry: String,
    /// The new kind of cable, as in [`FarEnd::cable`]; `None` if the cables are removed.
    pub kind: Option<usize>,
    /// Both ends of each cable, numbered as in the complete fabric.
    pub cables: Vec<(PortOfNode, PortOfNode)>,
    /// Numbers of the ports at both ends of each cable, as people know them.
    pub numbers: Vec<(u16, u16)>,
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
        Self { graph, structure, changed: Vec::new() }
    }

    /// Returns the same fabric with these changes of its cables. Their ends are ports of the present graph.
    pub(crate) fn rewired(self, changed: Vec<ChangedCables>) -> Self {
        let kinds: BTreeMap<_, Option<usize>> = changed
            .iter()
            .flat_map(|entry| entry.cables.iter().map(|(from, _)| (*from, entry.kind)))
            .collect();
        let kind = |port: PortOfNode, end: FarEnd| {
            // A cable is entered by its lower end alone, and looked up from both.
            let cable = port.min((end.peer, end.peer_port));
            kinds.get(&cable).copied().unwrap_or(Some(end.cable))
        };
        Self { graph: self.graph.rewired(kind), structure: self.structure, changed }
    }

    /// Returns the graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the graph, and the changes of its single cables.
    #[must_use]
    pub fn into_parts(self) -> (Graph, Vec<ChangedCables>) {
        (self.graph, self.changed)
    }

    /// Returns true if no cable was removed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.changed.iter().all(|entry| entry.kind.is_some())
    }

    pub(crate) fn structure(&self) -> &Structure {
        &self.structure
    }
}
