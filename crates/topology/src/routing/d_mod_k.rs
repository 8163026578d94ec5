//! Destination-mod-k: in a fat tree, the destination's number chooses the path up.
//!
//! Invariant: all packets for a host come down through the same switches, and the hosts outside a subtree are
//! spread evenly over the ports that lead up.
//!
//! E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees",
//! 2010: at a switch of tier t, host j is reached by port floor(j / W(t)) mod (w(t+1) p(t+1)) of those that
//! lead up, and packets come down by that same cable. All switches of a subtree and tier have the same table.

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
        let tables = tree.tiers.iter().flat_map(|tier| {
            (0..tier.subtrees).flat_map(move |subtree| {
                let table: Arc<[u8]> =
                    [NOWHERE].into_iter().chain((0..hosts).map(|host| output(tier, subtree, host))).collect();
                core::iter::repeat_n(ForwardingTable::linear(table), tier.width)
            })
        });
        Self::new(hosts, tables.collect())
    }

    /// Makes the tables of a fat tree without some of its cables: at each switch the rule counts among the ports that still lead
    /// there by the fewest links. With all cables these are the tables of [`d_mod_k`](Self::d_mod_k).
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
    /// Returns the number of the cable to the child on the path to a host below: the one that the child's own table chose.
    fn cable_down(&self, host: usize) -> usize {
        if self.cables_down == 1 {
            return 0;
        }
        // The child's width is this width over its parents.
        let parents = self.parents_of_child;
        host / (self.width / parents) % (parents * self.cables_down) / parents
    }
}

/// Returns the entry for a host at all switches of a subtree's top tier.
fn output(tier: &TreeTier, subtree: usize, host: usize) -> u8 {
    let port = if host / tier.hosts == subtree {
        let child = host % tier.hosts / (tier.hosts / tier.down);
        tier.cable_down(host) * tier.down + child
    } else {
        tier.ports_down() + host / tier.width % (tier.up * tier.cables_up)
    };
    u8::try_from(port).expect("at most 254 ports")
}
