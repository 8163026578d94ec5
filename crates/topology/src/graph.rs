//! Who is cabled to whom.
//!
//! Invariant: hosts come before switches, every host has exactly one port, and the peer of a port's
//! peer is that port. Only the builder makes a graph, so a graph that exists keeps this.

use packet::{NodeId, PortId};

/// A fabric: nodes, and what each of their ports is cabled to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    hosts: usize,
    names: Vec<String>,
    /// All nodes, in the order of their names.
    by_name: Vec<NodeId>,
    /// The ports of all nodes, one node after another.
    ends: Vec<End>,
    /// Where in `ends` each node's ports begin, and last of all where they end.
    first: Vec<usize>,
}

/// What a port is cabled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The node at the other end.
    pub peer: NodeId,
    /// The port at the other end.
    pub peer_port: PortId,
    /// The kind of cable: its place among those given to [`TopologySpec::build`](crate::TopologySpec::build).
    pub cable: usize,
}

impl Graph {
    /// Of `names`, hosts first, and of the ports of each. The caller keeps the invariants.
    pub(crate) fn new(hosts: usize, names: Vec<String>, ports: &[Vec<End>]) -> Self {
        let mut by_name: Vec<NodeId> = (0..names.len()).map(node).collect();
        by_name.sort_unstable_by_key(|n| &names[n.index()]);
        let mut first = vec![0];
        first.extend(ports.iter().scan(0, |sum, ports| {
            *sum += ports.len();
            Some(*sum)
        }));
        Self { hosts, names, by_name, ends: ports.concat(), first }
    }

    /// How many hosts there are: nodes 0 and up.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.hosts
    }

    /// How many switches there are: the nodes after the hosts.
    #[must_use]
    pub fn switches(&self) -> usize {
        self.names.len() - self.hosts
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.names.len()
    }

    /// Whether this node is a host.
    #[must_use]
    pub fn is_host(&self, node: NodeId) -> bool {
        node.index() < self.hosts
    }

    /// The name of a node.
    #[must_use]
    pub fn name(&self, node: NodeId) -> &str {
        &self.names[node.index()]
    }

    /// The node of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let at = self.by_name.binary_search_by_key(&name, |n| self.name(*n)).ok()?;
        Some(self.by_name[at])
    }

    /// What the ports of a node are cabled to, by port.
    #[must_use]
    pub fn ports(&self, node: NodeId) -> &[End] {
        &self.ends[self.first[node.index()]..self.first[node.index() + 1]]
    }

    /// The names of all nodes, hosts first.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The names of the hosts, in order.
    pub fn host_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names[..self.hosts].iter().map(String::as_str)
    }

    /// The hosts, in order.
    pub fn host_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.hosts).map(node)
    }

    /// The switches, in order.
    pub fn switch_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (self.hosts..self.names.len()).map(node)
    }
}

/// The node at this place in a table of nodes.
pub(crate) fn node(index: usize) -> NodeId {
    NodeId(u32::try_from(index).expect("no more nodes than LIDs"))
}
