//! Destination-mod-k: in a fat tree, the destination's number chooses the path up.
//!
//! Invariant: all packets for a host come down through the same switches. The hosts outside a subtree are spread
//! evenly over the ports that lead up.
//!
//! E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees", 2010.
//! At a switch of tier t, host j is reached by port floor(j / W(t)) mod (w(t+1) p(t+1)) of the ports that lead up.
//! Packets come down by that same cable. All switches of a subtree and tier have the same table.

use std::sync::Arc;

use super::min_hop::fewest_links;
use super::routes::Routes;
use super::table::{ForwardingTable, NOWHERE};
use crate::builders::fat_tree::{FatTreeShape, TreeTier};
use crate::graph::Graph;

impl Routes {
    /// Makes the tables of a fat tree.
    pub(super) fn d_mod_k(tree: &FatTreeShape) -> Self {
        let hosts = tree.hosts();
        let mut tables = Vec::new();
        for tier in &tree.tiers {
            let up = entries_up(tier, hosts);
            for subtree in 0..tier.subtrees {
                let mut entries: Arc<[u8]> = up.as_slice().into();
                let own = Arc::get_mut(&mut entries).expect("no table has them yet");
                for host in subtree * tier.hosts..(subtree + 1) * tier.hosts {
                    own[host + 1] = entry_down(tier, host); // A host's LID is its number from 1 on.
                }
                tables.extend(core::iter::repeat_n(ForwardingTable::linear(entries), tier.width));
            }
        }
        Self::new(hosts, tables)
    }

    /// Makes the tables of a fat tree without some of its cables. At each switch the rule counts among the ports that
    /// still lead there by the fewest links. With all cables these are the tables of [`d_mod_k`](Self::d_mod_k).
    ///
    /// Where cables are missing, packets for a host may come down through several switches.
    pub(super) fn d_mod_k_around_gaps(graph: &Graph, tree: &FatTreeShape) -> Self {
        fewest_links(graph, |switch, host, nearer| {
            let place = switch.index() - graph.hosts();
            let is_here = |tier: &&TreeTier| place < tier.before + tier.subtrees * tier.width;
            let tier = tree.tiers.iter().find(is_here).expect("every switch is of a tier");
            let (subtree, host) = ((place - tier.before) / tier.width, host.index());
            let number = if host / tier.hosts == subtree { tier.cable_down(host) } else { host / tier.width };
            nearer[number % nearer.len()]
        })
    }
}

impl TreeTier {
    /// Returns the number of the cable to the child on the path to a host below. The child's own table chose this
    /// cable.
    /// own table chose.
    fn cable_down(&self, host: usize) -> usize {
        if self.cables_down == 1 {
            return 0;
        }
        // The child's width is this width over its parents.
        let parents = self.parents_of_child;
        host / (self.width / parents) % (parents * self.cables_down) / parents
    }
}

/// Returns the entries by LID at a switch of this tier with no host below: each host is reached by a port that leads
/// up.
fn entries_up(tier: &TreeTier, hosts: usize) -> Vec<u8> {
    let ports_up = (0..tier.up * tier.cables_up).map(|port| byte(tier.ports_down() + port));
    let each_in_turn = ports_up.cycle().flat_map(|entry| core::iter::repeat_n(entry, tier.width));
    let mut entries: Vec<u8> = [NOWHERE].into_iter().chain(each_in_turn.take(hosts)).collect();
    entries.resize(hosts + 1, NOWHERE); // The top has no port up, and all hosts are below.
    entries
}

/// Returns the entry for a host below a switch of this tier.
fn entry_down(tier: &TreeTier, host: usize) -> u8 {
    let child = host % tier.hosts / (tier.hosts / tier.down);
    byte(tier.cable_down(host) * tier.down + child)
}

fn byte(port: usize) -> u8 {
    u8::try_from(port).expect("at most 254 ports")
}
