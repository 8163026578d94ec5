//! Tables by a rule of the topology for the next switch.
//!
//! Invariant: paths reach their ends because the rule leads there; tests follow every path.

use packet::{NodeId, PortId};

use super::draft::{TablesDraft, hosts_of, trunks_of};
use super::routes::Routes;
use super::table::entry;
use crate::graph::{Graph, node};

impl Routes {
    /// Makes tables by `next(at, to)`, the next switch on the path from switch `at` to switch `to`, both counted
    /// among the switches. Parallel cables are assigned by the destination's number.
    ///
    /// # Errors
    /// The first two switches on a path that no cable joins: such cables were removed.
    pub(super) fn guided(
        graph: &Graph,
        next: impl Fn(usize, usize) -> Option<usize>,
    ) -> Result<Self, (NodeId, NodeId)> {
        let mut draft = TablesDraft::new(graph);
        let hosts: Vec<Vec<NodeId>> = graph
            .switch_ids()
            .map(|switch| hosts_of(graph, switch).map(|(host, _)| host).collect())
            .collect();
        let mut trunks: Vec<(NodeId, PortId)> = Vec::new();
        for (at, switch) in graph.switch_ids().enumerate() {
            draft.set_own(graph, switch);
            trunks.clear();
            trunks.extend(trunks_of(graph, switch));
            trunks.sort_unstable();
            let row = draft.row(switch);
            for (to, hosts) in hosts.iter().enumerate().filter(|(to, hosts)| *to != at && !hosts.is_empty()) {
                let Some(next) = next(at, to) else { continue };
                let peer = node(graph.hosts() + next);
                // Sorted by peer, the parallel cables to a switch are neighbours.
                let first = trunks.partition_point(|(n, _)| *n < peer);
                let cables = trunks[first..].partition_point(|(n, _)| *n == peer);
                if cables == 0 {
                    return Err((switch, peer));
                }
                for host in hosts {
                    let (_, port) = trunks[first + host.index() % cables];
                    row[host.lid().index()] = entry(port);
                }
            }
        }
        Ok(draft.finish())
    }
}
