//! Folded Clos networks of any number of tiers: fat trees, with full or reduced bandwidth.
//!
//! Invariant: every host has exactly one path down from any switch above it. It has as many paths up as there are
//! switches at the top of the path. Routes have a choice on the way up only.
//!
//! The parameters belong to a parallel-ports generalised fat tree, PGFT(h; m; w; p) (E. Zahavi, "D-Mod-K routing
//! providing non-blocking traffic for shift permutations on real life fat trees", 2010). A switch of tier t has m(t)
//! children and w(t+1) parents, and p(t) cables to each child. With W(t) = w(1) w(2) ... w(t):
//!
//! ```text
//! tier t has  m(t+1) ... m(h)  subtrees of  W(t)  switches each; switch (T, B) is B of subtree T, and is
//! cabled to (T / m(t+1), B + W(t) b)  of tier t + 1, for each b < w(t+1)
//!
//! FatTree(down: [2, 4], up: [2]):  spine1   spine2        every leaf to every spine
//!                                  leaf1  leaf2  leaf3  leaf4
//!                                  h1 h2  h3 h4  h5 h6  h7 h8
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::FieldPath;

use super::checks::{cable_index, nodes_fit, ports_fit, product, within};
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::{Graph, GraphDraft, ranked};

/// A folded Clos of any number of tiers, any oversubscription, and parallel cables.
///
/// Switches of the lowest tier are named `leaf1`, `leaf2`, ..., those of the highest `spine1`, ..., those of
/// a tier t between `tierT.1`, ...; in the order of their subtrees. A switch has its children at its first
/// ports: all of them once, then all of them by their second cable, and so on; then its parents likewise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FatTree {
    /// Number of children of a switch, by tier: first the hosts of a leaf, last the children of a spine
    /// (m(1) ... m(h)).
    #[schemars(inner(range(min = 1, max = 254)))]
    pub down: Vec<u16>,
    /// Number of parents of a switch, by tier, from the leaves to the last tier below the spines
    /// (w(2) ... w(h)): one entry fewer than `down`.
    #[schemars(inner(range(min = 1, max = 254)))]
    pub up: Vec<u16>,
    /// Number of cables from a switch to each of its parents, by tier (p(2) ... p(h)): as many entries as
    /// `up`. One cable each if left out.
    #[serde(default)]
    #[schemars(inner(range(min = 1, max = 254)))]
    pub parallel: Vec<u16>,
    /// Name of the kind of cable between host and leaf.
    pub host_cable: String,
    /// Name of the kind of cable between switches.
    pub trunk_cable: String,
}

/// The structure of a fat tree with parameters that have been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FatTreeShape {
    /// The tiers, lowest first.
    pub(crate) tiers: Vec<TreeTier>,
}

/// The switches of a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeTier {
    /// Children of a switch (m(t)).
    pub(crate) down: usize,
    /// Cables to each child (p(t)).
    pub(crate) cables_down: usize,
    /// Parents of a child (w(t)).
    pub(crate) parents_of_child: usize,
    /// Parents of a switch (w(t+1)), 0 at the top.
    pub(crate) up: usize,
    /// Cables to each parent (p(t+1)), 0 at the top.
    pub(crate) cables_up: usize,
    /// Subtrees that end at this tier.
    pub(crate) subtrees: usize,
    /// Switches of this tier in each subtree (W(t)).
    pub(crate) width: usize,
    /// Hosts of a subtree (m(1) ... m(t)).
    pub(crate) hosts: usize,
    /// Switches of all lower tiers.
    pub(crate) before: usize,
}

impl FatTree {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<(Graph, FatTreeShape), TopologyError> {
        let shape = FatTreeShape::new(self)?;
        let host_cable = cable_index(cables, &self.host_cable, "host_cable")?;
        let trunk_cable = cable_index(cables, &self.trunk_cable, "trunk_cable")?;
        let (tiers, hosts) = (&shape.tiers, shape.hosts());
        let mut draft = GraphDraft::with_numbered_hosts(hosts, shape.switch_names());
        for host in 0..hosts {
            let leaf = host / tiers[0].down;
            draft.link(ranked(host, 0), ranked(hosts + leaf, host % tiers[0].down), host_cable);
        }
        for (tier, above) in tiers.iter().zip(&tiers[1..]) {
            for place in 0..tier.subtrees * tier.width {
                let (subtree, copy) = (place / tier.width, place % tier.width);
                for k in 0..tier.cables_up {
                    for b in 0..tier.up {
                        let parent = subtree / above.down * above.width + b * tier.width + copy;
                        let child_port = tier.ports_down() + k * tier.up + b;
                        let parent_port = k * above.down + subtree % above.down;
                        draft.link(
                            ranked(hosts + tier.before + place, child_port),
                            ranked(hosts + above.before + parent, parent_port),
                            trunk_cable,
                        );
                    }
                }
            }
        }
        Ok((draft.finish(), shape))
    }

    /// Checks the lists, and that the numbers of nodes and ports fit. The product of `down` cannot overflow
    /// afterwards.
    fn check(&self) -> Result<(), TopologyError> {
        let Self { down, up, parallel, .. } = self;
        let fault = |path: &str, kind| Err(TopologyError::new(path, kind));
        if down.is_empty() {
            return fault("down", Kind::NoSwitches);
        }
        if up.len() + 1 != down.len() {
            return fault("up", Kind::WrongLength { given: up.len(), right: down.len() - 1 });
        }
        if !parallel.is_empty() && parallel.len() != up.len() {
            return fault("parallel", Kind::WrongLength { given: parallel.len(), right: up.len() });
        }
        for (field, list) in [("down", down), ("up", up), ("parallel", parallel)] {
            for (i, given) in list.iter().enumerate() {
                within(FieldPath::from(field).index(i), *given, 1, 254)?;
            }
        }
        let below = |t: usize| product(up[..t].iter().copied());
        let hosts = product(down.iter().copied());
        let switches = (0..down.len())
            .map(|t| product(down[t + 1..].iter().copied()).saturating_mul(below(t)))
            .fold(0, u64::saturating_add);
        nodes_fit("down", hosts.saturating_add(switches))
    }
}

impl FatTreeShape {
    pub(super) fn new(tree: &FatTree) -> Result<Self, TopologyError> {
        tree.check()?;
        let shape = Self { tiers: tiers(tree) };
        for (t, tier) in shape.tiers.iter().enumerate() {
            let ports = tier.ports_down() + tier.up * tier.cables_up;
            ports_fit(FieldPath::from("down").index(t), ports as u64)?;
        }
        Ok(shape)
    }

    /// Returns the number of hosts.
    pub(crate) fn hosts(&self) -> usize {
        self.tiers[0].subtrees * self.tiers[0].hosts
    }

    /// Returns the spines' indices among the switches.
    pub(crate) fn spines(&self) -> core::ops::Range<usize> {
        let top = self.tiers[self.tiers.len() - 1];
        top.before..top.before + top.subtrees * top.width
    }

    fn switch_names(&self) -> impl Iterator<Item = String> {
        let top = self.tiers.len() - 1;
        self.tiers.iter().enumerate().flat_map(move |(t, tier)| {
            (1..=tier.subtrees * tier.width).map(move |i| match t {
                0 => format!("leaf{i}"),
                t if t == top => format!("spine{i}"),
                t => format!("tier{}.{i}", t + 1),
            })
        })
    }
}

/// Returns the tiers of a tree, lowest first. Its lists have been checked.
fn tiers(tree: &FatTree) -> Vec<TreeTier> {
    let at = |list: &[u16], place: usize| list.get(place).map_or(0, |n| usize::from(*n));
    let parallel = |place: usize| match tree.parallel.is_empty() {
        true => usize::from(place < tree.up.len()),
        false => at(&tree.parallel, place),
    };
    let (mut width, mut hosts, mut before) = (1, 1, 0);
    let mut subtrees: usize = tree.down.iter().map(|n| usize::from(*n)).product();
    let mut tiers = Vec::new();
    for (t, down) in tree.down.iter().map(|n| usize::from(*n)).enumerate() {
        hosts *= down;
        subtrees /= down;
        let cables_down = if t == 0 { 1 } else { parallel(t - 1) };
        let parents_of_child = if t == 0 { 1 } else { at(&tree.up, t - 1) };
        let (up, cables_up) = (at(&tree.up, t), parallel(t));
        tiers.push(TreeTier {
            down,
            cables_down,
            parents_of_child,
            up,
            cables_up,
            subtrees,
            width,
            hosts,
            before,
        });
        before += subtrees * width;
        width *= up;
    }
    tiers
}

impl TreeTier {
    /// Returns the number of ports of a switch that lead down. Those that lead up follow them.
    pub(crate) fn ports_down(&self) -> usize {
        self.down * self.cables_down
    }
}
