//! Up/down: first towards a root, then away from it, in any graph.
//!
//! Invariant: after a hop away from the roots no way takes one towards them. Hops towards roots cannot form
//! a cycle, nor can those away from them; so no packets wait for each other in one, on a single lane.
//!
//! M. D. Schroeder and others, "Autonet: a high-speed, self-configuring local area network using
//! point-to-point links", 1991: a link leads up to the end nearer to a root; between equals, to the one of
//! lower number. A table knows only where a packet goes, not where it comes from. So a switch from which
//! a way down leads to a host always takes a shortest such way, and another takes its shortest way up to
//! one of those.

use packet::{NodeId, PortId};

use super::min_hop::Search;
use super::{Draft, Routes, hosts_of, trunks_of};
use crate::graph::Graph;

const UNREACHED: u32 = u32::MAX;

impl Routes {
    /// Up and down from these switches. Where several ports are equally good, they take turns by the
    /// destination's number. A host that no such way reaches from a switch has no entry there.
    #[must_use]
    pub fn up_down(graph: &Graph, roots: &[NodeId]) -> Self {
        let order = Order::new(graph, roots);
        let mut draft = Draft::new(graph);
        let mut ways = Ways::new(graph);
        let mut best = Vec::new();
        for edge in graph.switch_ids() {
            draft.set_own(graph, edge);
            let hosts: Vec<NodeId> = hosts_of(graph, edge).map(|(host, _)| host).collect();
            if hosts.is_empty() {
                continue;
            }
            ways.find(graph, &order, edge);
            for switch in graph.switch_ids().filter(|switch| *switch != edge) {
                ways.ports(graph, &order, switch, &mut best);
                if !best.is_empty() {
                    hosts.iter().for_each(|host| draft.set(switch, *host, best[host.index() % best.len()]));
                }
            }
        }
        draft.finish()
    }

    /// Roots for a graph that names none: of each connected part, the middle of a long shortest way, found
    /// by two searches, each from the end of the last.
    pub(super) fn central(graph: &Graph) -> Vec<NodeId> {
        let mut search = Search::new(graph);
        let mut seen = vec![false; graph.switches()];
        let mut roots = Vec::new();
        for start in graph.switch_ids() {
            if seen[start.index() - graph.hosts()] {
                continue;
            }
            let part = search.run(graph, start);
            part.iter().for_each(|switch| seen[switch.index() - graph.hosts()] = true);
            let (one, mut at) = (*part.last().expect("the start"), start);
            if let Some(other) = search.run(graph, one).last() {
                at = *other;
            }
            for _ in 0..search.of(at) / 2 {
                let nearer = |peer: &NodeId| search.of(*peer) + 1 == search.of(at);
                at = trunks_of(graph, at).map(|(peer, _)| peer).find(nearer).expect("a way back");
            }
            roots.push(at);
        }
        roots
    }
}

/// How near to a root each switch is.
struct Order {
    hosts: usize,
    level: Vec<u32>,
    /// All switches, from the top down.
    descending: Vec<NodeId>,
}

impl Order {
    fn new(graph: &Graph, roots: &[NodeId]) -> Self {
        let hosts = graph.hosts();
        let mut level = vec![UNREACHED; graph.switches()];
        let mut queue = roots.to_vec();
        roots.iter().for_each(|root| level[root.index() - hosts] = 0);
        let mut next = 0;
        while let Some(&switch) = queue.get(next) {
            next += 1;
            let further = level[switch.index() - hosts] + 1;
            for (peer, _) in trunks_of(graph, switch) {
                let known = &mut level[peer.index() - hosts];
                if *known == UNREACHED {
                    *known = further;
                    queue.push(peer);
                }
            }
        }
        let mut descending: Vec<NodeId> = graph.switch_ids().collect();
        descending.sort_by_key(|switch| level[switch.index() - hosts]);
        Self { hosts, level, descending }
    }

    /// Whether a hop between these switches leads up.
    fn up(&self, from: NodeId, to: NodeId) -> bool {
        let place = |switch: NodeId| (self.level[switch.index() - self.hosts], switch);
        place(to) < place(from)
    }
}

/// The ways to one switch.
struct Ways {
    hosts: usize,
    /// Links of a way that only leads down.
    down: Vec<u32>,
    /// Links of the way that is taken.
    taken: Vec<u32>,
    queue: Vec<NodeId>,
}

impl Ways {
    fn new(graph: &Graph) -> Self {
        let unreached = || vec![UNREACHED; graph.switches()];
        Self { hosts: graph.hosts(), down: unreached(), taken: unreached(), queue: Vec::new() }
    }

    fn find(&mut self, graph: &Graph, order: &Order, edge: NodeId) {
        let hosts = self.hosts;
        self.down.fill(UNREACHED);
        self.down[edge.index() - hosts] = 0;
        self.queue.clear();
        self.queue.push(edge);
        let mut next = 0;
        while let Some(&switch) = self.queue.get(next) {
            next += 1;
            let further = self.down[switch.index() - hosts] + 1;
            for (above, _) in trunks_of(graph, switch).filter(|(peer, _)| order.up(switch, *peer)) {
                let known = &mut self.down[above.index() - hosts];
                if *known == UNREACHED {
                    *known = further;
                    self.queue.push(above);
                }
            }
        }
        self.taken.copy_from_slice(&self.down);
        for switch in &order.descending {
            if self.down[switch.index() - hosts] == UNREACHED {
                let above = trunks_of(graph, *switch).filter(|(peer, _)| order.up(*switch, *peer));
                let nearest = above.map(|(peer, _)| self.taken[peer.index() - hosts]).min();
                self.taken[switch.index() - hosts] = nearest.map_or(UNREACHED, |n| n.saturating_add(1));
            }
        }
    }

    /// Puts into `best` the ports of a switch by which its way leads.
    fn ports(&self, graph: &Graph, order: &Order, switch: NodeId, best: &mut Vec<PortId>) {
        best.clear();
        let (down, taken) = (self.down[switch.index() - self.hosts], self.taken[switch.index() - self.hosts]);
        if taken == UNREACHED {
            return;
        }
        let goes_down = down != UNREACHED;
        let (links, left) = if goes_down { (&self.down, down) } else { (&self.taken, taken) };
        let nearer = |peer: NodeId| {
            order.up(switch, peer) != goes_down && links[peer.index() - self.hosts] == left - 1
        };
        best.extend(trunks_of(graph, switch).filter(|(peer, _)| nearer(*peer)).map(|(_, port)| port));
    }
}
