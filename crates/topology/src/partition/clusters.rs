//! Clusters: nodes that a partition keeps together.
//!
//! Invariant: a cluster is connected, or is a single node. Clusters are numbered by their first nodes. Clusters with
//! hosts therefore come first, in the order in which families number racks and pods.

use std::collections::BTreeSet;

use units::Span;

use super::WeighedGraph;

/// The clusters of a fabric, as a graph of their own.
#[derive(Debug)]
pub(super) struct Clusters {
    pub(super) of_node: Vec<usize>,
    /// Expected work, by cluster.
    pub(super) work: Vec<u64>,
    /// Number of clusters that have hosts, which come first.
    pub(super) with_hosts: usize,
    /// By cluster, its neighbours and the number of cables to each, in their order.
    pub(super) neighbours: Vec<Vec<(usize, u32)>>,
}

impl Clusters {
    /// Returns the clusters for cuts of ever shorter cables, the longest first; each with hosts at their switches,
    /// and with hosts apart.
    pub(super) fn levels(fabric: &WeighedGraph<'_>) -> Vec<Self> {
        let lengths: BTreeSet<Span> = fabric.cables().map(|(.., lookahead)| lookahead).collect();
        let levels = lengths.into_iter().rev();
        levels.flat_map(|least| [Self::new(fabric, least, true), Self::new(fabric, least, false)]).collect()
    }

    /// Returns the clusters of nodes on cables shorter than `least`, and, with `racks`, of hosts and their switches.
    fn new(fabric: &WeighedGraph<'_>, least: Span, racks: bool) -> Self {
        let (nodes, hosts) = (fabric.graph.nodes(), fabric.graph.hosts());
        let mut sets = DisjointSets { parent: (0..nodes).collect() };
        for (from, to, lookahead) in fabric.cables() {
            if lookahead < least || racks && from < hosts {
                sets.join(from, to);
            }
        }
        let (mut number, mut count) = (vec![usize::MAX; nodes], 0);
        let mut with_hosts = 0;
        let of_node: Vec<usize> = (0..nodes)
            .map(|node| {
                let first = sets.first(node);
                if number[first] == usize::MAX {
                    number[first] = count;
                    count += 1;
                }
                if node < hosts {
                    with_hosts = count;
                }
                number[first]
            })
            .collect();
        let mut work = vec![0; count];
        of_node.iter().zip(&fabric.work).for_each(|(cluster, amount)| work[*cluster] += amount);
        Self { neighbours: neighbours(fabric, &of_node, count), of_node, work, with_hosts }
    }

    pub(super) fn len(&self) -> usize {
        self.work.len()
    }
}

/// Returns the neighbours of each cluster with the number of cables to each.
fn neighbours(fabric: &WeighedGraph<'_>, of_node: &[usize], count: usize) -> Vec<Vec<(usize, u32)>> {
    let mut ends: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to, _) in fabric.cables() {
        let (from, to) = (of_node[from], of_node[to]);
        if from != to {
            ends[from].push(to);
        }
    }
    let counted = |mut ends: Vec<usize>| {
        ends.sort_unstable();
        ends.chunk_by(|one, next| one == next).map(|equal| (equal[0], equal.len() as u32)).collect()
    };
    ends.into_iter().map(counted).collect()
}

/// Sets of nodes that are joined, each named by its first node.
struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn first(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        // The lower node names the joined set, so that clusters are numbered by their first nodes.
        self.parent[one.max(other)] = one.min(other);
    }
}
