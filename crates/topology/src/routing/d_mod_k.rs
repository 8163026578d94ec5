//! Destination-mod-k: in a fat tree, the destination's number chooses the path up.
//!
//! Invariant: all packets for a host come down through the same switches, and the hosts outside a subtree are
//! spread evenly over the ports that lead up.
//!
//! E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees",
//! 2010: at a switch of tier t, host j is reached by port floor(j / W(t)) mod (w(t+1) p(t+1)) of those that
//! lead up, and packets come down by that same cable. All switches of a subtree and tier have the same table.

use std::sync::Arc;

use super::routes::Routes;
use super::table::{ForwardingTable, NOWHERE};
use crate::builders::fat_tree::{FatTreeShape, TreeTier};

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
}

/// Returns the entry for a host at all switches of a subtree's top tier.
fn output(tier: &TreeTier, subtree: usize, host: usize) -> u8 {
    let port = if host / tier.hosts == subtree {
        let child = host % tier.hosts / (tier.hosts / tier.down);
        // The cable that the child's own table chose: the child's width is this width over its parents.
        let cable = if tier.cables_down == 1 {
            0
        } else {
            let parents = tier.parents_of_child;
            host / (tier.width / parents) % (parents * tier.cables_down) / parents
        };
        cable * tier.down + child
    } else {
        tier.ports_down() + host / tier.width % (tier.up * tier.cables_up)
    };
    u8::try_from(port).expect("at most 254 ports")
}
