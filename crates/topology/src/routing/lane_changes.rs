//! Changes of lane under way, by which paths of several layers need two lanes only.
//!
//! Invariant: the lane of a link follows from the input, the output and the service level of a packet. So it does in
//! the tables of IBA's switches (7.6.6).
//!
//! | routing | service level | lane of a link between switches |
//! |---|---|---|
//! | dimension order | as without changes: a binary digit for each dimension in which a row can close a cycle | the digit of the link's dimension |
//! | minimal in a dragonfly | the flow's own | 1 behind a cable between groups, else 0 |
//!
//! In dimension order only the digit of a dimension matters on its links. Packets wait for each other within a
//! dimension, or for a later dimension. OpenSM's torus-2QoS does so. In a dragonfly a cable within a group has
//! another lane as the last of a path than as the first (J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-driven,
//! highly-scalable dragonfly topology", 2008). A flow that asks for level s has lanes 2 s and 2 s + 1.

use packet::{NodeId, PortId};

use super::routes::PathLayers;
use super::spec::{GroupsSpec, RoutingSpec};
use crate::graph::Graph;
use crate::structure::Topology;

/// The rule by which switches change lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneChanges<'a> {
    graph: &'a Graph,
    layers: PathLayers,
}

impl Topology {
    /// Returns the rule by which switches change lanes with this routing; `None` if its paths have a single layer.
    #[must_use]
    pub fn lane_changes(&self, routing: &RoutingSpec) -> Option<LaneChanges<'_>> {
        // Parallel cables lead to the neighbours of the native routing.
        let native =
            matches!(routing, RoutingSpec::Native | RoutingSpec::Adaptive { groups: GroupsSpec::Parallel })
                || *routing == self.structure().native_routing();
        let layers = self.structure().layers();
        (native && layers != PathLayers::One).then(|| LaneChanges { graph: self.graph(), layers })
    }
}

impl LaneChanges<'_> {
    /// Returns the lane on which a packet of this service level leaves a switch, by its input and output. A fabric with
    /// fewer lanes takes it modulo their number, which is even.
    ///
    /// # Panics
    /// If the node is not a switch with these ports.
    #[must_use]
    pub fn lane(&self, switch: NodeId, (input, output): (PortId, PortId), level: u8) -> u8 {
        let ends = self.graph.ports(switch);
        let place = |node: NodeId| node.index().checked_sub(self.graph.hosts());
        let here = switch.index() - self.graph.hosts();
        let (from, to) = (place(ends[input.index()].peer), place(ends[output.index()].peer));
        let (asked, digit) = match &self.layers {
            PathLayers::One => (level, false),
            PathLayers::Grid(grid) => {
                let (layers, level) = (grid.layers(), u32::from(level));
                let digit = to.is_some_and(|to| grid.digit(level % layers, here, to));
                ((level / layers) as u8, digit)
            }
            PathLayers::Dragonfly(shape) => (level, from.is_some_and(|from| shape.is_global(from, here))),
        };
        2 * asked + u8::from(digit)
    }
}
