//! The cables of a fabric: the far end of each port.
//!
//! Invariant: ports stand in the order of nodes, then of their numbers; a position in this order is the same in every run
//! of a plan.

use packet::{NodeId, PortId};

/// The far end of each port.
#[derive(Debug)]
pub(crate) struct Wiring {
    peers: Vec<(NodeId, PortId)>,
    /// The position of each node's first port in `peers`.
    first_port: Vec<u32>,
}

impl Wiring {
    /// Creates the wiring; `peers[node][port]` is the far end of the cable at that port.
    pub(crate) fn new(peers: &[Vec<(NodeId, PortId)>]) -> Self {
        let first_port = peers.iter().scan(0, |next, ports| {
            let first = *next;
            *next += ports.len() as u32;
            Some(first)
        });
        Self { first_port: first_port.collect(), peers: peers.concat() }
    }

    /// Returns the far end of the cable at a port.
    pub(crate) fn peer(&self, node: NodeId, port: PortId) -> (NodeId, PortId) {
        self.peers[self.position(node, port)]
    }

    /// Returns the position of a port among all ports of the fabric.
    pub(crate) fn position(&self, node: NodeId, port: PortId) -> usize {
        self.first_port[node.index()] as usize + port.index()
    }

    /// Returns the position of a node's first port; for the number after the last node, the number of all ports.
    pub(crate) fn first_port(&self, node: usize) -> usize {
        self.first_port.get(node).map_or(self.peers.len(), |first| *first as usize)
    }

    /// Returns the far ends of a node's ports, by port.
    pub(crate) fn of_node(&self, node: NodeId) -> &[(NodeId, PortId)] {
        &self.peers[self.first_port(node.index())..self.first_port(node.index() + 1)]
    }

    /// Returns the far end of every port.
    pub(crate) fn peers(&self) -> &[(NodeId, PortId)] {
        &self.peers
    }
}
