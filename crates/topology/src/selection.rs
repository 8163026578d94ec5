//! Ports of a fabric, selected by names.
//!
//! Invariant: a selection is in the order of nodes and ports, and never empty: names that select nothing are an error.
//!
//! | written | selects |
//! |---|---|
//! | `leaf1:3` | port 3 of `leaf1`, by [`Graph::port_number`] |
//! | `leaf1:h3` | the ports of `leaf1` with cables to `h3` |
//! | `leaf*:h1*` | of every node `leaf*`, the ports with cables to nodes `h1*` |
//! | `leaf1:*`, `leaf1` | all ports of `leaf1` |
//!
//! The last colon separates the node from its port. `*` stands for any text and `?` for any character. Digits alone
//! are the number of a port, never the name of a peer.

use std::collections::BTreeSet;

use packet::{NodeId, PortId};
use settings::glob;
use thiserror::Error;

use crate::graph::Graph;

/// Names that select no port.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectionError {
    /// No node has the name, or matches the pattern.
    #[error("{}", no_node(.given))]
    NoNode {
        /// Name or pattern of the node.
        given: String,
    },
    /// None of the nodes has a port of this number.
    #[error("`{nodes}` has no port {port}")]
    NoPort {
        /// Name or pattern of the nodes.
        nodes: String,
        /// Number as written.
        port: String,
        /// Numbers of the ports of a node among these, in words.
        ports: String,
    },
    /// None of the nodes has a cable to such a peer.
    #[error("`{nodes}` has no cable to `{peer}`")]
    NoPeer {
        /// Name or pattern of the nodes.
        nodes: String,
        /// Name or pattern of the peer.
        peer: String,
        /// Names of the peers of these nodes, each once, in the order of nodes.
        peers: Vec<String>,
    },
}

fn no_node(given: &str) -> String {
    let verb = if glob::is_wild(given) { "no node matches" } else { "there is no node" };
    format!("{verb} `{given}`")
}

impl Graph {
    /// Returns the nodes with names that match a pattern, in order; none if no name does.
    #[must_use]
    pub fn matching(&self, pattern: &str) -> Vec<NodeId> {
        if !glob::is_wild(pattern) {
            return self.find(pattern).into_iter().collect();
        }
        let all = self.host_ids().chain(self.switch_ids());
        all.filter(|node| glob::matches(pattern, self.name(*node))).collect()
    }

    /// Returns the ports that a text selects (see the [module](self)), in order of nodes and ports.
    ///
    /// # Errors
    /// If it selects none.
    pub fn select_ports(&self, text: &str) -> Result<Vec<(NodeId, PortId)>, SelectionError> {
        let (nodes, port) = text.rsplit_once(':').unwrap_or((text, "*"));
        let found = self.matching(nodes);
        if found.is_empty() {
            return Err(SelectionError::NoNode { given: nodes.to_owned() });
        }
        let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        // Digits too many for a number are still a number: they name no port, not a peer.
        let number = port.parse().ok().filter(|_| is_number);
        let is_meant = |node: NodeId, at: usize| {
            if is_number {
                number == Some(self.port_number((node, PortId(at as u16))))
            } else {
                glob::matches(port, self.name(self.ports(node)[at].peer))
            }
        };
        let all = found.iter().flat_map(|node| (0..self.ports(*node).len()).map(|at| (*node, at)));
        let ports = all.filter(|(node, at)| is_meant(*node, *at));
        let ports: Vec<_> = ports.map(|(node, at)| (node, PortId(at as u16))).collect();
        if ports.is_empty() {
            return Err(self.no_port(nodes, port, &found, is_number));
        }
        Ok(ports)
    }

    fn no_port(&self, nodes: &str, port: &str, found: &[NodeId], is_number: bool) -> SelectionError {
        let (nodes, port) = (nodes.to_owned(), port.to_owned());
        if is_number {
            let ports = found.iter().map(|node| self.listed_ports(*node)).max_by_key(String::len);
            let ports = ports.unwrap_or_default();
            return SelectionError::NoPort { nodes, port, ports };
        }
        let peers: BTreeSet<NodeId> =
            found.iter().flat_map(|node| self.ports(*node)).map(|end| end.peer).collect();
        let peers = peers.into_iter().map(|peer| self.name(peer).to_owned()).collect();
        SelectionError::NoPeer { nodes, peer: port, peers }
    }
}
