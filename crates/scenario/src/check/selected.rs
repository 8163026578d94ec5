//! Nodes and ports that a scenario selects by name or pattern.
//!
//! Invariant: a selection that is empty is a fault, which proposes names.

use packet::{NodeId, PortId};
use settings::FieldPath;
use topology::{Graph, SelectionError};

use crate::text::Faults;
use settings::nearest;

/// Returns the ports that a text selects, as [`topology::selection`] describes; none, and a fault at `path`, if there
/// are none.
pub(super) fn ports(
    path: &FieldPath,
    text: &str,
    graph: &Graph,
    faults: &mut Faults<'_>,
) -> Vec<(NodeId, PortId)> {
    graph.select_ports(text).unwrap_or_else(|error| {
        faults.add(path, &error, help(&error, graph));
        Vec::new()
    })
}

/// Returns the correction of a text that selects no port.
#[must_use]
pub fn help(error: &SelectionError, graph: &Graph) -> String {
    match error {
        SelectionError::NoNode { given } => nearest::help(given, graph.names(), "nodes"),
        SelectionError::NoPort { nodes, ports, .. } => {
            format!("write one of ports {ports}, or the node that its cable leads to: `{nodes}:NODE`")
        }
        SelectionError::NoPeer { nodes, peer, peers } => {
            nearest::help(peer, peers, &format!("nodes at the other ends of cables of `{nodes}`"))
        }
    }
}
