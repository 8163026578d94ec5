//! Which port leads to which host: one linear forwarding table a switch, as IBA 14.2.5.10 has it.
//!
//! Invariant: tables follow from the graph alone, and every entry leads one hop nearer to its host, so
//! a path cannot loop.
//!
//! Hosts of one switch share everything but the last choice, so distances are found once for each
//! switch that has hosts, not once for each host:
//!
//! ```text
//! for each switch `edge` with hosts:
//!     distances of all switches to `edge`               breadth first, over switches only
//!     for each other switch: ports one hop nearer       one pass over its ports
//!         for each host n of `edge`: port number (n mod how many)
//! ```

use packet::{NodeId, PortId};

use crate::graph::Graph;

/// The linear forwarding tables of a fabric's switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    hosts: usize,
    /// One table after another, each with an entry for every LID from 0 to the number of hosts.
    entries: Vec<Option<PortId>>,
}

const UNREACHED: u16 = u16::MAX;

impl Routes {
    /// Shortest paths. Among the ports of a switch that are equally near to the host with index n, in
    /// the order of their numbers, the one at place (n mod how many) is taken.
    ///
    /// In a two-tier [`Clos`](crate::Clos) this is d-mod-k routing (Zahavi, "D-Mod-K routing providing
    /// non-blocking traffic for shift permutations on real life fat trees", 2010): a leaf's hosts are
    /// each reached over another spine. With more tiers the same digit of n would choose at each of
    /// them, which d-mod-k does not do.
    ///
    /// A host that a switch cannot reach has no entry there.
    #[must_use]
    pub fn min_hop(graph: &Graph) -> Self {
        let stride = graph.hosts() + 1;
        let mut routes = Self { hosts: graph.hosts(), entries: vec![None; stride * graph.switches()] };
        let mut search = Search::new(graph);
        let mut nearer = Vec::new();
        for edge in graph.switch_ids() {
            let hosts: Vec<(NodeId, PortId)> = hosts_of(graph, edge).collect();
            if hosts.is_empty() {
                continue;
            }
            search.run(graph, edge);
            for switch in graph.switch_ids() {
                let table = routes.table_mut(switch);
                if switch == edge {
                    hosts.iter().for_each(|(host, port)| table[host.lid().index()] = Some(*port));
                    continue;
                }
                search.ports_nearer(graph, switch, &mut nearer);
                if !nearer.is_empty() {
                    for (host, _) in &hosts {
                        table[host.lid().index()] = Some(nearer[host.index() % nearer.len()]);
                    }
                }
            }
        }
        routes
    }

    /// The forwarding table of a switch: output port by LID, [`None`] where nothing leads.
    ///
    /// # Panics
    /// If the node is not a switch of this fabric.
    #[must_use]
    pub fn table(&self, switch: NodeId) -> &[Option<PortId>] {
        &self.entries[self.range(switch)]
    }

    /// Every (node, output port) that a packet crosses between two different nodes, `from`'s own first;
    /// nothing from a node to itself. [`None`] if `to` is not a host, is not reached, or the way loops.
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
                (false, _) => self.table(at)[to.lid().index()]?,
            };
            path.push((at, port));
            at = graph.ports(at)[port.index()].peer;
            if path.len() > graph.nodes() {
                return None;
            }
        }
        Some(path)
    }

    fn table_mut(&mut self, switch: NodeId) -> &mut [Option<PortId>] {
        let range = self.range(switch);
        &mut self.entries[range]
    }

    fn range(&self, switch: NodeId) -> core::ops::Range<usize> {
        let stride = self.hosts + 1;
        let row = switch.index().checked_sub(self.hosts).expect("only a switch has a forwarding table");
        row * stride..(row + 1) * stride
    }
}

/// The hosts cabled to a switch, each with the port that leads to it.
fn hosts_of(graph: &Graph, switch: NodeId) -> impl Iterator<Item = (NodeId, PortId)> {
    (0..)
        .map(PortId)
        .zip(graph.ports(switch))
        .map(|(port, end)| (end.peer, port))
        .filter(|(n, _)| graph.is_host(*n))
}

/// Breadth-first search over switches, with its memory kept from one run to the next.
struct Search {
    hosts: usize,
    /// Links from each switch to where the search began.
    distance: Vec<u16>,
    queue: Vec<NodeId>,
}

impl Search {
    fn new(graph: &Graph) -> Self {
        let queue = Vec::with_capacity(graph.switches());
        Self { hosts: graph.hosts(), distance: vec![UNREACHED; graph.switches()], queue }
    }

    fn run(&mut self, graph: &Graph, start: NodeId) {
        self.distance.fill(UNREACHED);
        self.distance[start.index() - self.hosts] = 0;
        self.queue.clear();
        self.queue.push(start);
        let mut next = 0;
        while let Some(&switch) = self.queue.get(next) {
            next += 1;
            let further = self.of(switch) + 1;
            for end in graph.ports(switch).iter().filter(|end| !graph.is_host(end.peer)) {
                let distance = &mut self.distance[end.peer.index() - self.hosts];
                if *distance == UNREACHED {
                    *distance = further;
                    self.queue.push(end.peer);
                }
            }
        }
    }

    /// Puts into `nearer` the ports of `switch` that lead one hop nearer to the start.
    fn ports_nearer(&self, graph: &Graph, switch: NodeId, nearer: &mut Vec<PortId>) {
        nearer.clear();
        let here = self.of(switch);
        if here == UNREACHED {
            return;
        }
        let ports = (0..).map(PortId).zip(graph.ports(switch));
        let trunks = ports.filter(|(_, end)| !graph.is_host(end.peer));
        nearer.extend(trunks.filter(|(_, end)| self.of(end.peer) + 1 == here).map(|(port, _)| port));
    }

    fn of(&self, switch: NodeId) -> u16 {
        self.distance[switch.index() - self.hosts]
    }
}
