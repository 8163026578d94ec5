//! Tables by fewest links.
//!
//! Invariant: tables follow from the graph, random tables also from the seed; every entry leads a hop nearer to its
//! host.
//!
//! Hosts of the same switch share everything except the last choice. Distances are therefore computed for each switch
//! that has hosts, not for each host:
//!
//! ```text
//! for each switch `edge` with hosts:
//!     distances of all switches to `edge`               breadth first, over switches only
//!     for each other switch: ports one hop nearer       one pass over its ports
//!         for each host n of `edge`: port number (n mod how many), or one at random
//! ```

use event_kernel::Stream;
use packet::{NodeId, PortId};
use rand::RngExt;

use super::draft::{TablesDraft, hosts_of, trunks_of};
use super::routes::Routes;
use crate::graph::Graph;

impl Routes {
    /// Makes tables of shortest paths. Some k ports of a switch are equally near to the host with index n. In the
    /// order of their numbers, the port at place n mod k is taken.
    ///
    /// In a two-tier [`Clos`](crate::Clos) this is d-mod-k routing: each host of a leaf is reached over another
    /// spine. With more tiers the same digit of n would choose at each of them, which d-mod-k does not do.
    ///
    /// A host that a switch cannot reach has no entry at that switch.
    #[must_use]
    pub fn min_hop(graph: &Graph) -> Self {
        fewest_links(graph, |_, host, nearer| nearer[host.index() % nearer.len()])
    }

    /// Makes tables of shortest paths. Each switch draws a port for each host, among the ports that are equally near.
    /// It draws from a random stream of its own, and uses the port for the whole run.
    #[must_use]
    pub fn random(graph: &Graph, seed: u64) -> Self {
        let stream = |switch| event_kernel::stream(seed, "routing", graph.name(switch));
        let mut streams: Vec<Stream> = graph.switch_ids().map(stream).collect();
        fewest_links(graph, |switch, _, nearer| {
            let place = switch.index() - graph.hosts();
            nearer[streams[place].random_range(0..nearer.len())]
        })
    }
}

/// Makes tables of shortest paths. `choose` picks, for a switch and a host, any of the ports that lead nearer.
pub(super) fn fewest_links(
    graph: &Graph,
    mut choose: impl FnMut(NodeId, NodeId, &[PortId]) -> PortId,
) -> Routes {
    let mut draft = TablesDraft::new(graph);
    each_nearer(graph, |switch, hosts, nearer| {
        for (host, _) in hosts {
            draft.set(switch, *host, choose(switch, *host, nearer));
        }
    });
    graph.switch_ids().for_each(|switch| draft.set_own(graph, switch));
    draft.finish()
}

/// Calls `found` with every switch, the hosts of every other switch, and the ports that lead a hop nearer to those
/// hosts.
pub(super) fn each_nearer(graph: &Graph, mut found: impl FnMut(NodeId, &[(NodeId, PortId)], &[PortId])) {
    let mut search = DistanceSearch::new(graph);
    let mut nearer = Vec::new();
    for edge in graph.switch_ids() {
        let hosts: Vec<(NodeId, PortId)> = hosts_of(graph, edge).collect();
        if hosts.is_empty() {
            continue;
        }
        search.run(graph, edge);
        for switch in graph.switch_ids().filter(|switch| *switch != edge) {
            search.ports_nearer(graph, switch, &mut nearer);
            if !nearer.is_empty() {
                found(switch, &hosts, &nearer);
            }
        }
    }
}

const UNREACHED: u16 = u16::MAX;

/// Breadth-first search over switches. Its memory is reused from search to search.
pub(super) struct DistanceSearch {
    hosts: usize,
    /// Number of links from each switch to the start.
    distances: Vec<u16>,
    queue: Vec<NodeId>,
}

impl DistanceSearch {
    pub(super) fn new(graph: &Graph) -> Self {
        let queue = Vec::with_capacity(graph.switches());
        Self { hosts: graph.hosts(), distances: vec![UNREACHED; graph.switches()], queue }
    }

    /// Searches the graph, and returns the switches that were reached, nearest first.
    pub(super) fn run(&mut self, graph: &Graph, start: NodeId) -> &[NodeId] {
        self.distances.fill(UNREACHED);
        self.distances[start.index() - self.hosts] = 0;
        self.queue.clear();
        self.queue.push(start);
        let mut next = 0;
        while let Some(&switch) = self.queue.get(next) {
            next += 1;
            let further = self.distance(switch) + 1;
            for end in graph.ports(switch).iter().filter(|end| !graph.is_host(end.peer)) {
                let distance = &mut self.distances[end.peer.index() - self.hosts];
                if *distance == UNREACHED {
                    *distance = further;
                    self.queue.push(end.peer);
                }
            }
        }
        &self.queue
    }

    /// Stores in `nearer` the ports of `switch` that lead a hop nearer to the start.
    fn ports_nearer(&self, graph: &Graph, switch: NodeId, nearer: &mut Vec<PortId>) {
        nearer.clear();
        let here = self.distance(switch);
        if here == UNREACHED {
            return;
        }
        let trunks = trunks_of(graph, switch);
        nearer.extend(trunks.filter(|(peer, _)| self.distance(*peer) + 1 == here).map(|(_, port)| port));
    }

    /// Returns the number of links from a switch to the start, or `u16::MAX` if no path leads there.
    pub(super) fn distance(&self, switch: NodeId) -> u16 {
        self.distances[switch.index() - self.hosts]
    }
}
