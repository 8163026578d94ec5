//! Tables by fewest links.
//!
//! Invariant: tables follow from the graph, and for random ones from the seed; every entry leads one hop
//! nearer to its host.
//!
//! Hosts of one switch share everything but the last choice, so distances are found once for each
//! switch that has hosts, not once for each host:
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

use super::{Draft, Routes, hosts_of, trunks_of};
use crate::graph::Graph;

impl Routes {
    /// Shortest paths. Among the ports of a switch that are equally near to the host with index n, in
    /// the order of their numbers, the one at place (n mod how many) is taken.
    ///
    /// In a two-tier [`Clos`](crate::Clos) this is d-mod-k routing: a leaf's hosts are each reached over
    /// another spine. With more tiers the same digit of n would choose at each of them, which d-mod-k does
    /// not do.
    ///
    /// A host that a switch cannot reach has no entry there.
    #[must_use]
    pub fn min_hop(graph: &Graph) -> Self {
        fewest_links(graph, |_, host, nearer| nearer[host.index() % nearer.len()])
    }

    /// Shortest paths. Among the ports of a switch that are equally near to a host one is drawn, for each
    /// switch and host anew, from a stream of the switch's own; then it stays for the whole run.
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

/// Tables of shortest paths. `choose` picks for a switch and a host one of the ports that lead nearer.
fn fewest_links(graph: &Graph, mut choose: impl FnMut(NodeId, NodeId, &[PortId]) -> PortId) -> Routes {
    let mut draft = Draft::new(graph);
    each_nearer(graph, |switch, hosts, nearer| {
        for (host, _) in hosts {
            draft.set(switch, *host, choose(switch, *host, nearer));
        }
    });
    graph.switch_ids().for_each(|switch| draft.set_own(graph, switch));
    draft.finish()
}

/// Calls `found` for every switch, the hosts of every other, and the ports that lead one hop nearer to those.
pub(super) fn each_nearer(graph: &Graph, mut found: impl FnMut(NodeId, &[(NodeId, PortId)], &[PortId])) {
    let mut search = Search::new(graph);
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

/// Breadth-first search over switches, with its memory kept from one run to the next.
pub(super) struct Search {
    hosts: usize,
    /// Links from each switch to where the search began.
    distance: Vec<u16>,
    queue: Vec<NodeId>,
}

impl Search {
    pub(super) fn new(graph: &Graph) -> Self {
        let queue = Vec::with_capacity(graph.switches());
        Self { hosts: graph.hosts(), distance: vec![UNREACHED; graph.switches()], queue }
    }

    /// Searches the graph; returns the switches reached, nearest first.
    pub(super) fn run(&mut self, graph: &Graph, start: NodeId) -> &[NodeId] {
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
        &self.queue
    }

    /// Puts into `nearer` the ports of `switch` that lead one hop nearer to the start.
    fn ports_nearer(&self, graph: &Graph, switch: NodeId, nearer: &mut Vec<PortId>) {
        nearer.clear();
        let here = self.of(switch);
        if here == UNREACHED {
            return;
        }
        let trunks = trunks_of(graph, switch);
        nearer.extend(trunks.filter(|(peer, _)| self.of(*peer) + 1 == here).map(|(_, port)| port));
    }

    /// Links from a switch to the start, or `u16::MAX` if none lead there.
    pub(super) fn of(&self, switch: NodeId) -> u16 {
        self.distance[switch.index() - self.hosts]
    }
}
