//! Folded Clos networks of any number of tiers: fat trees, whole or thinned out.
//!
//! Invariant: every host has exactly one way down from any switch above it, and as many ways up as there
//! are switches at the top of the way; so routes are free on the way up only.
//!
//! The parameters are those of a parallel-ports generalised fat tree, PGFT(h; m; w; p) (E. Zahavi, "D-Mod-K
//! routing providing non-blocking traffic for shift permutations on real life fat trees", 2010): a switch
//! of tier t has m(t) children and w(t+1) parents, and p(t) cables to each child. With W(t) = w(1) w(2) ... w(t):
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

use super::{Wiring, nodes_fit, ports_fit, product, within};
use crate::builder::cable;
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::Graph;
use crate::spec::Clos;

/// A folded Clos of any number of tiers, any oversubscription, and parallel cables.
///
/// Switches of the lowest tier are named `leaf1`, `leaf2`, ..., those of the highest `spine1`, ..., those of
/// a tier t between `tierT.1`, ...; in the order of their subtrees. A switch has its children at its first
/// ports: all of them once, then all of them by their second cable, and so on; then its parents likewise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FatTree {
    /// How many children a switch has, by tier: first the hosts of a leaf, last the children of a spine
    /// (m(1) ... m(h)).
    #[schemars(inner(range(min = 1, max = 254)))]
    pub down: Vec<u16>,
    /// How many parents a switch has, by tier, from the leaves to the last tier below the spines
    /// (w(2) ... w(h)): one entry fewer than `down`.
    #[schemars(inner(range(min = 1, max = 254)))]
    pub up: Vec<u16>,
    /// How many cables lead from a switch to each of its parents, by tier (p(2) ... p(h)): as many entries as
    /// `up`. One cable each if left out.
    #[serde(default)]
    #[schemars(inner(range(min = 1, max = 254)))]
    pub parallel: Vec<u16>,
    /// The name of the kind of cable between host and leaf.
    pub host_cable: String,
    /// The name of the kind of cable between switches.
    pub trunk_cable: String,
}

/// A k-ary n-tree: k^n hosts and n tiers of k^(n-1) switches, with k ports down and, but for the spines,
/// k ports up (Petrini and Vanneschi, "k-ary n-trees: high performance networks for massively parallel
/// architectures", 1997). The same as `FatTree(down: [k; n], up: [k; n-1])`, names and ports included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KaryNTree {
    /// k: 2 to 127.
    #[schemars(range(min = 2, max = 127))]
    pub arity: u16,
    /// n: 1 to 15.
    #[schemars(range(min = 1, max = 15))]
    pub levels: u16,
    /// The name of the kind of cable between host and leaf.
    pub host_cable: String,
    /// The name of the kind of cable between switches.
    pub trunk_cable: String,
}

/// The Sun Datacenter InfiniBand Switch 648: 36 leaves with 18 hosts each and 18 spines, switches of 36
/// ports, one cable from every leaf to every spine. The same as `FatTree(down: [18, 36], up: [18])`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dcs648 {
    /// The name of the kind of cable between host and leaf.
    pub host_cable: String,
    /// The name of the kind of cable between leaf and spine.
    pub trunk_cable: String,
}

/// The numbers of a tier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier {
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
    /// Switches of all tiers below.
    pub(crate) before: usize,
}

impl FatTree {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        self.check()?;
        let host_cable = cable(cables, &self.host_cable, || "host_cable".to_owned())?;
        let trunk_cable = cable(cables, &self.trunk_cable, || "trunk_cable".to_owned())?;
        let tiers = self.tiers();
        let (top, hosts) = (tiers.len() - 1, tiers[0].subtrees * tiers[0].hosts);
        let names = tiers.iter().enumerate().flat_map(|(t, tier)| {
            (1..=tier.subtrees * tier.width).map(move |i| match t {
                0 => format!("leaf{i}"),
                t if t == top => format!("spine{i}"),
                t => format!("tier{}.{i}", t + 1),
            })
        });
        let mut wiring = Wiring::new(hosts, names);
        for host in 0..hosts {
            let leaf = host / tiers[0].down;
            wiring.link((host, 0), (hosts + leaf, host % tiers[0].down), host_cable);
        }
        for (tier, above) in tiers.iter().zip(&tiers[1..]) {
            for place in 0..tier.subtrees * tier.width {
                let (subtree, copy) = (place / tier.width, place % tier.width);
                for k in 0..tier.cables_up {
                    for b in 0..tier.up {
                        let parent = subtree / above.down * above.width + b * tier.width + copy;
                        let child_port = tier.ports_down() + k * tier.up + b;
                        let parent_port = k * above.down + subtree % above.down;
                        wiring.link(
                            (hosts + tier.before + place, child_port),
                            (hosts + above.before + parent, parent_port),
                            trunk_cable,
                        );
                    }
                }
            }
        }
        Ok(wiring.finish())
    }

    /// The tiers, lowest first, of a tree that has been checked.
    pub(crate) fn tiers(&self) -> Vec<Tier> {
        let at = |list: &[u16], place: usize| list.get(place).map_or(0, |n| usize::from(*n));
        let parallel = |place: usize| match self.parallel.is_empty() {
            true => usize::from(place < self.up.len()),
            false => at(&self.parallel, place),
        };
        let (mut width, mut hosts, mut before) = (1, 1, 0);
        let mut subtrees: usize = self.down.iter().map(|n| usize::from(*n)).product();
        let mut tiers = Vec::new();
        for (t, down) in self.down.iter().map(|n| usize::from(*n)).enumerate() {
            hosts *= down;
            subtrees /= down;
            let cables_down = if t == 0 { 1 } else { parallel(t - 1) };
            let parents_of_child = if t == 0 { 1 } else { at(&self.up, t - 1) };
            let (up, cables_up) = (at(&self.up, t), parallel(t));
            tiers.push(Tier {
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
                within(&format!("{field}[{i}]"), *given, 1, 254)?;
            }
        }
        let below = |t: usize| product(up[..t].iter().copied());
        let hosts = product(down.iter().copied());
        let switches = (0..down.len())
            .map(|t| product(down[t + 1..].iter().copied()).saturating_mul(below(t)))
            .fold(0, u64::saturating_add);
        nodes_fit("down", hosts.saturating_add(switches))?;
        for (t, tier) in self.tiers().into_iter().enumerate() {
            ports_fit(&format!("down[{t}]"), (tier.ports_down() + tier.up * tier.cables_up) as u64)?;
        }
        Ok(())
    }
}

impl Tier {
    /// Ports of a switch that lead down: those that lead up follow them.
    pub(crate) fn ports_down(&self) -> usize {
        self.down * self.cables_down
    }
}

impl KaryNTree {
    /// The same tree in general terms.
    pub(crate) fn fat_tree(&self) -> FatTree {
        let levels = usize::from(self.levels);
        FatTree {
            down: vec![self.arity; levels],
            up: vec![self.arity; levels.saturating_sub(1)],
            parallel: Vec::new(),
            host_cable: self.host_cable.clone(),
            trunk_cable: self.trunk_cable.clone(),
        }
    }

    /// What is wrong, in this form's own fields.
    pub(crate) fn own(&self, error: TopologyError) -> TopologyError {
        let ranges = [("arity", self.arity, 2, 127), ("levels", self.levels, 1, 15)];
        let wrong =
            ranges.into_iter().find_map(|(field, n, least, most)| within(field, n, least, most).err());
        wrong.unwrap_or_else(|| match error.path().as_str() {
            "host_cable" | "trunk_cable" => error,
            _ => TopologyError::new("levels", error.kind().clone()),
        })
    }
}

impl Dcs648 {
    /// The same tree in general terms.
    pub(crate) fn fat_tree(&self) -> FatTree {
        FatTree {
            down: vec![18, 36],
            up: vec![18],
            parallel: Vec::new(),
            host_cable: self.host_cable.clone(),
            trunk_cable: self.trunk_cable.clone(),
        }
    }
}

impl Clos {
    /// The same tree in general terms, of a radix that has been checked.
    pub(crate) fn fat_tree(&self) -> FatTree {
        FatTree {
            down: vec![self.radix / 2, self.radix],
            up: vec![self.radix / 2],
            parallel: Vec::new(),
            host_cable: self.host_cable.clone(),
            trunk_cable: self.trunk_cable.clone(),
        }
    }
}
