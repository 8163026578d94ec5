//! Fat trees with a number of hosts, of switches with a number of ports.
//!
//! Invariant: a tree has exactly the hosts asked for, no switch has more than its ports, and every switch below the top has as
//! many cables up as down: any half of the hosts can send to the other half at full rate.

use super::DraftError;

/// The parameters of a fat tree with full bandwidth: those of `topology: FatTree(...)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) down: Vec<u32>,
    pub(super) up: Vec<u32>,
    pub(super) parallel: Vec<u32>,
}

impl Tree {
    /// Builds the tree of so many hosts with the fewest tiers, and among those with the fewest switches.
    ///
    /// # Errors
    /// If no tree of one to three tiers has so many hosts. The help names the nearest numbers.
    pub(super) fn of(hosts: u32, ports: u32) -> Result<Self, DraftError> {
        Self::find(hosts, ports).ok_or_else(|| {
            let most = ports / 2 * (ports / 2) * ports;
            let below = (2..hosts.min(most + 1)).rev().find(|hosts| Self::find(*hosts, ports).is_some());
            let above = (hosts + 1..=most).find(|hosts| Self::find(*hosts, ports).is_some());
            let sizes: Vec<_> = [below, above].into_iter().flatten().map(|size| size.to_string()).collect();
            DraftError {
                message: format!(
                    "no fat tree of switches with {ports} ports has {hosts} hosts, equally many at each"
                ),
                help: format!("write {}", sizes.join(" or ")),
            }
        })
    }

    fn find(hosts: u32, ports: u32) -> Option<Self> {
        let half = ports / 2;
        if hosts < 2 {
            return None;
        }
        if hosts <= ports {
            return Some(Self { down: vec![hosts], up: Vec::new(), parallel: Vec::new() });
        }
        let divisors = |of: u32, most: u32| (2..=most).rev().filter(move |part| of.is_multiple_of(*part));
        let two = divisors(hosts, half).find(|leaf| hosts / leaf <= ports);
        if let Some(leaf) = two {
            let leaves = hosts / leaf;
            let cables = divisors(leaf, leaf).find(|cables| leaves * cables <= ports).unwrap_or(1);
            return Some(Self { down: vec![leaf, leaves], up: vec![leaf / cables], parallel: vec![cables] });
        }
        divisors(hosts, half).find_map(|leaf| {
            let leaves = hosts / leaf;
            let pod = divisors(leaves, half).find(|pod| leaves / pod <= ports)?;
            Some(Self { down: vec![leaf, pod, leaves / pod], up: vec![leaf, pod], parallel: vec![1, 1] })
        })
    }

    /// Returns the number of switches.
    pub(super) fn switches(&self) -> u32 {
        let tiers = 0..self.down.len();
        let of_tier = |tier: usize| {
            let subtrees: u32 = self.down[tier + 1..].iter().product();
            let width: u32 = self.up[..tier].iter().product();
            subtrees * width
        };
        tiers.map(of_tier).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_have_their_hosts_within_the_ports_at_full_bandwidth() {
        let mut found = 0;
        for (hosts, ports) in
            [24, 36, 40, 64, 144].into_iter().flat_map(|ports| (2..3000).map(move |n| (n, ports)))
        {
            let Some(tree) = Tree::find(hosts, ports) else { continue };
            found += 1;
            assert_eq!(tree.down.iter().product::<u32>(), hosts);
            for tier in 0..tree.down.len() {
                let below = if tier == 0 { 1 } else { tree.parallel[tier - 1] };
                let down = tree.down[tier] * below;
                let up = tree.up.get(tier).map_or(0, |up| up * tree.parallel[tier]);
                assert!(down + up <= ports, "{hosts} hosts: {tree:?}");
                assert!(up == 0 || up == down, "{hosts} hosts: {tree:?}");
            }
        }
        assert!(found > 5000, "{found} trees");
    }

    #[test]
    fn known_sizes_are_the_known_trees() {
        let tree = |hosts, ports| Tree::of(hosts, ports).expect("there is such a tree");
        // The Sun Datacenter InfiniBand Switch 648.
        assert_eq!(tree(648, 36), Tree { down: vec![18, 36], up: vec![18], parallel: vec![1] });
        assert_eq!(tree(256, 40), Tree { down: vec![16, 16], up: vec![8], parallel: vec![2] });
        assert_eq!(
            (tree(648, 36).switches(), tree(256, 40).switches(), tree(40, 40).switches()),
            (54, 24, 1)
        );
        // The three-tier tree of 36-port switches, 5 k^2 / 4 of them.
        assert_eq!(tree(11_664, 36), Tree { down: vec![18, 18, 36], up: vec![18, 18], parallel: vec![1, 1] });
        assert_eq!(tree(11_664, 36).switches(), 1620);
    }

    #[test]
    fn a_size_without_a_tree_is_answered_with_the_nearest() {
        let error = Tree::of(257, 40).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no fat tree of switches with 40 ports has 257 hosts, equally many at each"
        );
        assert_eq!(error.help, "write 256 or 259");
        assert_eq!(Tree::of(1_000_000, 36).unwrap_err().help, "write 11664");
        assert_eq!(Tree::of(1, 36).unwrap_err().help, "write 2");
    }
}
