//! Fat trees that fewer parameters describe: two-tier Clos networks, k-ary n-trees, the Sun DCS 648.
//!
//! Invariant: each is a [`FatTree`], names and ports included. It has the graph and the routes of that fat tree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checks::within;
use super::fat_tree::{FatTree, FatTreeShape};
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::limits::MAX_SWITCH_PORTS;

/// A two-tier folded Clos of switches with K ports each: K leaves with K/2 hosts each, and K/2 spines;
/// one link from every leaf to every spine. It carries K^2/2 hosts at full bisection bandwidth. The same as
/// `FatTree(down: [K/2, K], up: [K/2])`.
///
/// Hosts are named `h1`, `h2`, ..., leaves `leaf1`, ..., spines `spine1`, .... A leaf has its hosts at
/// ports 1 to K/2 and spine j at port K/2 + j; every spine has leaf i at port i.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clos {
    /// K, the number of ports of each switch: even, 2 to 254.
    #[schemars(range(min = 2, max = 254))]
    pub radix: u16,
    /// Name of the kind of cable between host and leaf.
    pub host_cable: String,
    /// Name of the kind of cable between leaf and spine.
    pub trunk_cable: String,
}

/// A k-ary n-tree: k^n hosts and n tiers of k^(n-1) switches, with k ports down and, except for the spines,
/// k ports up (Petrini and Vanneschi, "k-ary n-trees: high performance networks for massively parallel
/// architectures", 1997). The same as `FatTree(down: [k; n], up: [k; n-1])`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KaryNTree {
    /// k: 2 to 127.
    #[schemars(range(min = 2, max = 127))]
    pub arity: u16,
    /// n: 1 to 15.
    #[schemars(range(min = 1, max = 15))]
    pub levels: u16,
    /// Name of the kind of cable between host and leaf.
    pub host_cable: String,
    /// Name of the kind of cable between switches.
    pub trunk_cable: String,
}

/// The Sun Datacenter InfiniBand Switch 648: 36 leaves with 18 hosts each and 18 spines, switches of 36
/// ports, one cable from every leaf to every spine. The same as `FatTree(down: [18, 36], up: [18])`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dcs648 {
    /// Name of the kind of cable between host and leaf.
    pub host_cable: String,
    /// Name of the kind of cable between leaf and spine.
    pub trunk_cable: String,
}

impl Clos {
    /// Returns the same tree in general terms.
    pub(crate) fn fat_tree(&self) -> Result<FatTree, TopologyError> {
        let radix = self.radix;
        let fault = |kind| Err(TopologyError::new("radix", kind));
        match usize::from(radix) {
            0 | 1 => return fault(Kind::RadixTooSmall { radix }),
            r if r > MAX_SWITCH_PORTS => return fault(Kind::TooManyPorts),
            r if r % 2 == 1 => return fault(Kind::RadixOdd { radix }),
            _ => {}
        }
        Ok(FatTree {
            down: vec![radix / 2, radix],
            up: vec![radix / 2],
            parallel: Vec::new(),
            host_cable: self.host_cable.clone(),
            trunk_cable: self.trunk_cable.clone(),
        })
    }
}

impl KaryNTree {
    /// Returns the same tree in general terms. Faults name this form's own fields.
    pub(crate) fn fat_tree(&self) -> Result<FatTree, TopologyError> {
        within("arity", self.arity, 2, 127)?;
        let levels = within("levels", self.levels, 1, 15)?;
        let tree = FatTree {
            down: vec![self.arity; levels],
            up: vec![self.arity; levels - 1],
            parallel: Vec::new(),
            host_cable: self.host_cable.clone(),
            trunk_cable: self.trunk_cable.clone(),
        };
        match FatTreeShape::new(&tree) {
            Ok(_) => Ok(tree),
            Err(error) => Err(TopologyError::new("levels", error.kind().clone())),
        }
    }
}

impl Dcs648 {
    /// Returns the same tree in general terms.
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
