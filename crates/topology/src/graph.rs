//! The graph of a fabric: nodes, ports and cables.
//!
//! Invariant: hosts come before switches, every host has exactly one port, and the peer of a port's peer is
//! that port. Only a `GraphDraft` becomes a graph, after a builder has checked these properties.

use std::collections::{BTreeMap, BTreeSet};

use packet::{NodeId, PortId};

/// A fabric as a graph: nodes, and the cable at each of their ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    hosts: usize,
    names: Vec<String>,
    /// All nodes, sorted by name.
    by_name: Vec<NodeId>,
    /// Far ends of the cables at the ports of all nodes, node by node.
    far_ends: Vec<FarEnd>,
    /// Index in `far_ends` of each node's first port, followed by the length of `far_ends`.
    first: Vec<usize>,
    /// Numbers that the scenario gives to the ports of all nodes, node by node; empty if it gives none.
    numbers: Vec<Option<u16>>,
    /// Ports with given numbers that have lost their cables.
    removed: BTreeSet<(NodeId, u16)>,
}

/// The far end of the cable at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FarEnd {
    /// The node at the far end.
    pub peer: NodeId,
    /// The port at the far end.
    pub peer_port: PortId,
    /// The kind of cable: its index in the list given to [`TopologySpec::build`](crate::TopologySpec::build).
    pub cable: usize,
}

impl Graph {
    /// Returns the number of hosts, which are nodes 0 and up.
    #[must_use]
    #[inline]
    pub fn hosts(&self) -> usize {
        self.hosts
    }

    /// Returns the number of switches, which are the nodes after the hosts.
    #[must_use]
    pub fn switches(&self) -> usize {
        self.names.len() - self.hosts
    }

    /// Returns the number of nodes.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> usize {
        self.names.len()
    }

    /// Returns true if the node is a host.
    #[must_use]
    #[inline]
    pub fn is_host(&self, node: NodeId) -> bool {
        node.index() < self.hosts
    }

    /// Returns the name of a node.
    #[must_use]
    pub fn name(&self, node: NodeId) -> &str {
        &self.names[node.index()]
    }

    /// Returns the node of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let at = self.by_name.binary_search_by_key(&name, |n| self.name(*n)).ok()?;
        Some(self.by_name[at])
    }

    /// Returns the far ends of the cables at a node, by port.
    #[must_use]
    #[inline]
    pub fn ports(&self, node: NodeId) -> &[FarEnd] {
        &self.far_ends[self.first[node.index()]..self.first[node.index() + 1]]
    }

    /// Returns the far ends of all cables, node by node, by port.
    #[must_use]
    #[inline]
    pub fn far_ends(&self) -> &[FarEnd] {
        &self.far_ends
    }

    /// Returns the position of a port among the ports of all nodes. The ports of hosts come first, a port for each
    /// host.
    #[must_use]
    #[inline]
    pub fn position(&self, (node, port): (NodeId, PortId)) -> usize {
        self.first[node.index()] + port.index()
    }

    /// Returns the port at the other end of the cable at a port.
    #[must_use]
    #[inline]
    pub fn far_end(&self, (node, port): (NodeId, PortId)) -> (NodeId, PortId) {
        let end = self.ports(node)[port.index()];
        (end.peer, end.peer_port)
    }

    /// Returns the number of a port as people know it, in scenarios, tables and messages: the number that its link
    /// gives, as on the cluster's switch, else its place among the ports of the node, counted from 1.
    ///
    /// ```
    /// let fabric: topology::CustomFabric = ron::from_str(
    ///     r#"(hosts: ["h1", "h2"], switches: ["s"], links: [
    ///         (from: "h1", to: "s", to_port: Some(36), cable: "copper"),
    ///         (from: "h2", to: "s", to_port: Some(5), cable: "copper"),
    ///     ])"#,
    /// )?;
    /// let topology = topology::TopologySpec::Custom(fabric).build(&["copper"])?;
    /// let graph = topology.graph();
    /// let switch = graph.find("s").unwrap();
    /// assert_eq!(graph.port_numbers(switch).collect::<Vec<_>>(), [5, 36]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn port_number(&self, (node, port): (NodeId, PortId)) -> u16 {
        self.numbers.get(self.position((node, port))).copied().flatten().unwrap_or(port.0 + 1)
    }

    /// Returns the numbers of a node's ports, in order.
    pub fn port_numbers(&self, node: NodeId) -> impl ExactSizeIterator<Item = u16> {
        (0..self.ports(node).len() as u16).map(move |port| self.port_number((node, PortId(port))))
    }

    /// Returns the port of a node with this number.
    #[must_use]
    pub fn port_numbered(&self, node: NodeId, number: u16) -> Option<PortId> {
        let port = self.port_numbers(node).position(|own| own == number)?;
        Some(PortId(port as u16))
    }

    /// Returns true if the node has a port of this number, or had it before its cable was removed.
    #[must_use]
    pub fn knows_port(&self, node: NodeId, number: u16) -> bool {
        self.port_numbered(node, number).is_some() || self.removed.contains(&(node, number))
    }

    /// Returns true if links give the numbers of this node's ports.
    #[must_use]
    pub fn has_given_numbers(&self, node: NodeId) -> bool {
        let own = self.first[node.index()]..self.first[node.index() + 1];
        // A switch that has lost all its cables has numbers of these alone.
        self.numbers.get(own).is_some_and(|own| own.first().is_some_and(Option::is_some))
            || self.removed.range((node, 0)..=(node, u16::MAX)).next().is_some()
    }

    /// Returns the numbers of a node's ports in words: `1 to 24`, or `1 to 4, 36`.
    #[must_use]
    pub fn listed_ports(&self, node: NodeId) -> String {
        self.port_numbers(node)
            .collect::<Vec<_>>()
            .chunk_by(|one, next| one + 1 == *next)
            .map(run)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns the names of all nodes, hosts first.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the names of the hosts, in order.
    pub fn host_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names[..self.hosts].iter().map(String::as_str)
    }

    /// Returns the hosts, in order.
    pub fn host_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.hosts).map(node)
    }

    /// Returns the switches, in order.
    pub fn switch_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (self.hosts..self.names.len()).map(node)
    }
}

impl Graph {
    /// Returns the same nodes with other cables. `kind` gives the kind of the cable at each port, `None` if it is
    /// removed; it is the same at both ends. Ports keep their order, and the numbers that their links give; others are
    /// numbered without gaps.
    pub(crate) fn rewired(&self, kind: impl Fn((NodeId, PortId), FarEnd) -> Option<usize>) -> Self {
        let mut kinds = Vec::with_capacity(self.far_ends.len());
        let mut numbers = Vec::with_capacity(self.far_ends.len());
        let mut first = Vec::with_capacity(self.first.len());
        let mut kept = 0;
        for from in (0..self.nodes()).map(node) {
            first.push(kept);
            for (port, end) in (0..).map(PortId).zip(self.ports(from)) {
                // The new number of every port must be known before any cable names the port at its far end.
                numbers.push(PortId((kept - first[from.index()]) as u16));
                kinds.push(kind((from, port), *end));
                kept += usize::from(kinds[kinds.len() - 1].is_some());
            }
        }
        first.push(kept);
        let far_end = |(end, kind): (&FarEnd, Option<usize>)| {
            let peer_port = numbers[self.first[end.peer.index()] + end.peer_port.index()];
            kind.map(|cable| FarEnd { peer_port, cable, ..*end })
        };
        let given = self.numbers.iter().zip(&kinds).filter(|(_, kind)| kind.is_some());
        let given = given.map(|(number, _)| *number).collect();
        let nodes = (0..self.nodes()).map(node).flat_map(|at| core::iter::repeat_n(at, self.ports(at).len()));
        let without_cable = nodes.zip(&self.numbers).zip(&kinds).filter(|(_, kind)| kind.is_none());
        let removed = without_cable.filter_map(|((at, number), _)| Some((at, (*number)?))).collect();
        let far_ends = self.far_ends.iter().zip(kinds).filter_map(far_end).collect();
        Self {
            far_ends,
            first,
            numbers: given,
            removed,
            names: self.names.clone(),
            by_name: self.by_name.clone(),
            hosts: self.hosts,
        }
    }
}

/// Converts the index of a node to its identifier.
pub(crate) fn node(index: usize) -> NodeId {
    NodeId(u32::try_from(index).expect("no more nodes than LIDs"))
}

/// Writes numbers that follow each other.
fn run(numbers: &[u16]) -> String {
    match numbers {
        [first, .., last] => format!("{first} to {last}"),
        _ => numbers[0].to_string(),
    }
}

/// A graph under construction. At every node ports are numbered from 0 without gaps, in the order of their
/// ranks.
pub(crate) struct GraphDraft {
    hosts: usize,
    names: Vec<String>,
    links: Vec<(RankedPort, RankedPort, usize)>,
    /// Numbers that the scenario gives to ports.
    numbers: BTreeMap<RankedPort, u16>,
}

/// A port of a node under construction, known by its rank among the ports of that node. The ranks of a node
/// differ, and may have gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RankedPort {
    node: usize,
    rank: usize,
}

/// Names a port of a node by its rank.
pub(crate) fn ranked(node: usize, rank: usize) -> RankedPort {
    RankedPort { node, rank }
}

impl GraphDraft {
    /// Starts a graph of named nodes without cables. The first `hosts` names belong to hosts.
    pub(crate) fn new(hosts: usize, names: Vec<String>) -> Self {
        Self { hosts, names, links: Vec::new(), numbers: BTreeMap::new() }
    }

    /// Starts a graph with hosts called `h1`, `h2`, and so on.
    pub(crate) fn with_numbered_hosts(hosts: usize, switch_names: impl Iterator<Item = String>) -> Self {
        Self::new(hosts, (1..=hosts).map(|i| format!("h{i}")).chain(switch_names).collect())
    }

    /// Connects two ports by a cable of this kind.
    pub(crate) fn link(&mut self, a: RankedPort, b: RankedPort, cable: usize) {
        self.links.push((a, b, cable));
    }

    /// Gives a number to a port, by which people know it.
    pub(crate) fn number(&mut self, port: RankedPort, number: u16) {
        self.numbers.insert(port, number);
    }

    /// Numbers the ports, and returns the graph.
    pub(crate) fn finish(self) -> Graph {
        // Both ends of link i, with the indices 2i and 2i + 1, sorted by node and rank.
        let mut ends: Vec<(RankedPort, usize)> = Vec::with_capacity(2 * self.links.len());
        for (i, (a, b, _)) in self.links.iter().enumerate() {
            ends.extend([(*a, 2 * i), (*b, 2 * i + 1)]);
        }
        ends.sort_unstable();
        let mut first = vec![0; self.names.len() + 1];
        for (port, _) in &ends {
            first[port.node + 1] += 1;
        }
        for n in 0..self.names.len() {
            first[n + 1] += first[n];
        }
        let mut port_of = vec![PortId(0); ends.len()];
        for (place, (port, end)) in ends.iter().enumerate() {
            port_of[*end] = PortId(u16::try_from(place - first[port.node]).expect("at most 254 ports"));
        }
        let far_end = |(_, end): (RankedPort, usize)| {
            let (a, b, cable) = self.links[end / 2];
            let peer = if end % 2 == 0 { b.node } else { a.node };
            FarEnd { peer: node(peer), peer_port: port_of[end ^ 1], cable }
        };
        let given = |(port, _): &(RankedPort, usize)| self.numbers.get(port).copied();
        let numbers = if self.numbers.is_empty() { Vec::new() } else { ends.iter().map(given).collect() };
        let far_ends = ends.into_iter().map(far_end).collect();
        let mut by_name: Vec<NodeId> = (0..self.names.len()).map(node).collect();
        by_name.sort_unstable_by_key(|n| &self.names[n.index()]);
        Graph {
            hosts: self.hosts,
            names: self.names,
            by_name,
            far_ends,
            first,
            numbers,
            removed: BTreeSet::new(),
        }
    }
}
