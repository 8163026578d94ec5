//! Up/down: first towards a root, then away from it, in any graph.
//!
//! Invariant: after a hop away from the roots no path has a hop towards them. Neither hops towards roots nor hops
//! away from them can form a cycle. Packets therefore do not wait for each other in a cycle on a single lane.
//!
//! M. D. Schroeder and others, "Autonet: a high-speed, self-configuring local area network using point-to-point
//! links", 1991. A link leads up to the end nearer to a root; between equals, to the end of lower number. A table
//! knows a packet's destination, not its source. A switch from which a path down leads to a host therefore always
//! takes a shortest such path. Any other switch takes its shortest path up to such a switch.

use packet::{NodeId, PortId};

use super::draft::{TablesDraft, hosts_of, trunks_of};
use super::min_hop::DistanceSearch;
use super::routes::Routes;
use crate::graph::Graph;

const UNREACHED: u32 = u32::MAX;

impl Routes {
    /// Makes tables of paths up to these roots and down from them. Equally good ports are assigned by the
    /// destination's number. A host that no such path reaches from a switch has no entry at that switch.
    #[must_use]
    pub fn up_down(graph: &Graph, roots: &[NodeId]) -> Self {
        let order = RootOrder::new(graph, roots);
        let mut draft = TablesDraft::new(graph);
        let mut paths = UpDownPaths::new(graph);
        let mut best = Vec::new();
        for edge in graph.switch_ids() {
            draft.set_own(graph, edge);
            let hosts: Vec<NodeId> = hosts_of(graph, edge).map(|(host, _)| host).collect();
            if hosts.is_empty() {
                continue;
            }
            paths.find(graph, &order, edge);
            for switch in graph.switch_ids().filter(|switch| *switch != edge) {
                paths.ports(graph, &order, switch, &mut best);
                if !best.is_empty() {
                    hosts.iter().for_each(|host| draft.set(switch, *host, best[host.index() % best.len()]));
                }
            }
        }
        draft.finish()
    }

    /// Returns roots for a graph without a structure: of each connected part, the middle of a long shortest path. Two
    /// searches find it, the second from the end of the first.
    pub(super) fn central_switches(graph: &Graph) -> Vec<NodeId> {
        let mut search = DistanceSearch::new(graph);
        let mut seen = vec![false; graph.switches()];
        let mut roots = Vec::new();
        for start in graph.switch_ids() {
            if seen[start.index() - graph.hosts()] {
                continue;
            }
            let part = search.run(graph, start);
            part.iter().for_each(|switch| seen[switch.index() - graph.hosts()] = true);
            let (one, mut at) = (*part.last().expect("the start"), start);
            // The switch that is farthest from any switch ends a long shortest path.
            if let Some(other) = search.run(graph, one).last() {
                at = *other;
            }
            for _ in 0..search.distance(at) / 2 {
                let nearer = |peer: &NodeId| search.distance(*peer) + 1 == search.distance(at);
                at = trunks_of(graph, at).map(|(peer, _)| peer).find(nearer).expect("a path back");
            }
            roots.push(at);
        }
        roots
    }
}

/// The distance of each switch from the roots.
struct RootOrder {
    hosts: usize,
    /// Number of links from each switch to the nearest root.
    level: Vec<u32>,
    /// All switches, the nearest to a root first.
    descending: Vec<NodeId>,
}

impl RootOrder {
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

    /// Returns true if a hop between these switches leads up.
    fn is_up(&self, from: NodeId, to: NodeId) -> bool {
        let place = |switch: NodeId| (self.level[switch.index() - self.hosts], switch);
        place(to) < place(from)
    }
}

/// The paths to a switch.
struct UpDownPaths {
    hosts: usize,
    /// Number of links of the shortest path that only leads down, by switch.
    down: Vec<u32>,
    /// Number of links of the path that is taken, by switch.
    taken: Vec<u32>,
    queue: Vec<NodeId>,
}

impl UpDownPaths {
    fn new(graph: &Graph) -> Self {
        let unreached = || vec![UNREACHED; graph.switches()];
        Self { hosts: graph.hosts(), down: unreached(), taken: unreached(), queue: Vec::new() }
    }

    /// Finds the paths of all switches to `edge`.
    fn find(&mut self, graph: &Graph, order: &RootOrder, edge: NodeId) {
        let hosts = self.hosts;
        self.down.fill(UNREACHED);
        self.down[edge.index() - hosts] = 0;
        self.queue.clear();
        self.queue.push(edge);
        let mut next = 0;
        while let Some(&switch) = self.queue.get(next) {
            next += 1;
            let further = self.down[switch.index() - hosts] + 1;
            for (above, _) in trunks_of(graph, switch).filter(|(peer, _)| order.is_up(switch, *peer)) {
                let known = &mut self.down[above.index() - hosts];
                if *known == UNREACHED {
                    *known = further;
                    self.queue.push(above);
                }
            }
        }
        self.taken.copy_from_slice(&self.down);
        // Switches above come first, so the paths that they take are known.
        for switch in &order.descending {
            if self.down[switch.index() - hosts] == UNREACHED {
                let above = trunks_of(graph, *switch).filter(|(peer, _)| order.is_up(*switch, *peer));
                let nearest = above.map(|(peer, _)| self.taken[peer.index() - hosts]).min();
                self.taken[switch.index() - hosts] = nearest.map_or(UNREACHED, |n| n.saturating_add(1));
            }
        }
    }

    /// Stores in `best` the ports on the path of a switch.
    fn ports(&self, graph: &Graph, order: &RootOrder, switch: NodeId, best: &mut Vec<PortId>) {
        best.clear();
        let (down, taken) = (self.down[switch.index() - self.hosts], self.taken[switch.index() - self.hosts]);
        if taken == UNREACHED {
            return;
        }
        // A path down is taken even if a path up and down is shorter: packets may have come down to this switch
        // already.
        let goes_down = down != UNREACHED;
        let (links, left) = if goes_down { (&self.down, down) } else { (&self.taken, taken) };
        let nearer = |peer: NodeId| {
            order.is_up(switch, peer) != goes_down && links[peer.index() - self.hosts] == left - 1
        };
        best.extend(trunks_of(graph, switch).filter(|(peer, _)| nearer(*peer)).map(|(_, port)| port));
    }
}
