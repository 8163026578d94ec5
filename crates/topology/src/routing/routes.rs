//! The forwarding tables of all switches, and the layers of paths.
//!
//! Invariant: as in [`routing`](super), an entry for a host is the first step of a path that reaches it.

use std::collections::BTreeSet;
use std::sync::Arc;

use packet::{NodeId, PortId};

use super::detours::Detours;
use super::table::ForwardingTable;
use crate::builders::dragonfly::DragonflyShape;
use crate::builders::grid::GridShape;
use crate::graph::Graph;

/// The forwarding tables of a fabric's switches, and the layers of its paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    hosts: usize,
    /// Tables by switch. Each has an entry for every LID from 0 to the number of hosts.
    tables: Vec<ForwardingTable>,
    layers: PathLayers,
    /// The rule of non-minimal routes, beside the tables of minimal ones.
    detours: Option<Arc<Detours>>,
}

impl Routes {
    /// Makes routes of a single layer.
    pub(super) fn new(hosts: usize, tables: Vec<ForwardingTable>) -> Self {
        Self { hosts, tables, layers: PathLayers::One, detours: None }
    }

    /// Returns the same tables with another rule for layers.
    pub(super) fn with_layers(self, layers: PathLayers) -> Self {
        Self { layers, ..self }
    }

    /// Returns the same tables with non-minimal routes beside them, on paths of a single layer.
    pub(super) fn with_detours(self, detours: Detours) -> Self {
        Self { layers: PathLayers::One, detours: Some(Arc::new(detours)), ..self }
    }

    /// Returns the rule of non-minimal routes; `None` if the tables are all that switches follow.
    #[must_use]
    pub const fn detours(&self) -> Option<&Arc<Detours>> {
        self.detours.as_ref()
    }

    /// Returns the same tables for switches that change lanes
    /// ([`Topology::lane_changes`](crate::Topology::lane_changes)). In a dragonfly all paths then have layer 0.
    #[must_use]
    pub fn with_lane_changes(self) -> Self {
        let layers = match self.layers {
            PathLayers::One | PathLayers::Dragonfly(_) => PathLayers::One,
            PathLayers::Grid(grid) => PathLayers::Grid(grid),
        };
        Self { layers, ..self }
    }

    /// Returns the tables of all switches, in order.
    pub(super) fn tables(&self) -> &[ForwardingTable] {
        &self.tables
    }

    pub(super) fn path_layers(&self) -> &PathLayers {
        &self.layers
    }

    /// Returns the forwarding table of a switch.
    ///
    /// # Panics
    /// If the node is not a switch of this fabric.
    #[must_use]
    pub fn table(&self, switch: NodeId) -> &ForwardingTable {
        let place = switch.index().checked_sub(self.hosts).expect("only a switch has a forwarding table");
        &self.tables[place]
    }

    /// Returns every port by which a switch may forward packets for this host, in order. Only routings with groups of
    /// ports have several.
    ///
    /// # Panics
    /// If the nodes are not a switch and a host of this fabric.
    pub fn ports(&self, switch: NodeId, to: NodeId) -> impl Iterator<Item = PortId> {
        self.table(switch).ports(to.lid())
    }

    /// Returns the first of these [`ports`](Self::ports). Without groups of ports there is no other.
    ///
    /// # Panics
    /// If the nodes are not a switch and a host of this fabric.
    #[must_use]
    pub fn output(&self, switch: NodeId, to: NodeId) -> Option<PortId> {
        self.ports(switch, to).next()
    }

    /// Returns every (node, output port) that a packet crosses between two different nodes, `from`'s own first. The
    /// list is empty from a node to itself; [`None`] if `to` is not a host, or is not reached. With groups of ports all
    /// paths are equally long, and this path follows each switch's first port.
    #[must_use]
    pub fn path(&self, graph: &Graph, from: NodeId, to: NodeId) -> Option<Vec<(NodeId, PortId)>> {
        if !graph.is_host(to) {
            return None;
        }
        let mut path = Vec::new();
        let mut at = from;
        while at != to {
            let port = match (graph.is_host(at), path.is_empty()) {
                (true, true) => PortId(0),
                (true, false) => return None,
                (false, _) => self.output(at, to)?,
            };
            path.push((at, port));
            at = graph.ports(at)[port.index()].peer;
            // A path with more hops than the fabric has nodes would never end.
            if path.len() > graph.nodes() {
                return None;
            }
        }
        Some(path)
    }

    /// Returns true if a switch has several ports for a host.
    #[must_use]
    pub fn have_groups(&self) -> bool {
        self.tables.iter().any(|table| table.groups() > 0)
    }

    /// Returns the number of layers: 1 if every path keeps the service level of its flow. Non-minimal routes take a layer
    /// for each lane; their packets start in the first.
    #[must_use]
    pub fn layers(&self) -> u32 {
        match &self.layers {
            PathLayers::One => self.detours.as_ref().map_or(1, |detours| detours.lanes().into()),
            PathLayers::Grid(grid) => grid.layers(),
            PathLayers::Dragonfly(_) => DragonflyShape::LAYERS,
        }
    }

    /// Returns the layer of the path between two hosts, below [`layers`](Self::layers).
    #[must_use]
    pub fn layer(&self, from: NodeId, to: NodeId) -> u32 {
        let (from, to) = (from.index(), to.index());
        match &self.layers {
            PathLayers::One => 0,
            PathLayers::Grid(grid) => grid.layer(grid.switch_of(from), grid.switch_of(to)),
            PathLayers::Dragonfly(shape) => shape.layer(shape.switch_of(from), shape.switch_of(to)),
        }
    }

    /// Returns the size of all tables in bytes, equal tables counted once.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        // Equal tables share their entries, so the address tells them apart.
        let distinct: BTreeSet<*const u8> =
            self.tables.iter().map(|table| table.entries().as_ptr()).collect();
        distinct.len() * (self.hosts + 1)
    }
}

/// The rule for the layer of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathLayers {
    /// All paths have layer 0.
    One,
    /// Dimension order: by the rows in which the path crosses the end.
    Grid(GridShape),
    /// Minimal routing in a dragonfly: by the direction between the groups.
    Dragonfly(DragonflyShape),
}
