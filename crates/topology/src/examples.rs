//! A value of each family of topologies and of each routing, for tests that must cover them all.
//!
//! Invariant: a variant without an example does not compile.

use std::collections::BTreeMap;

use crate::builders::chain::{Chain, Crossbar};
use crate::builders::clos::{Clos, Dcs648, KaryNTree};
use crate::builders::custom::{CustomFabric, LinkEnds};
use crate::builders::dragonfly::Dragonfly;
use crate::builders::fat_tree::FatTree;
use crate::builders::grid::GridSpec;
use crate::builders::omega::Omega;
use crate::builders::two_switches::{SwitchWithHosts, TwoSwitches};
use crate::routing::detour_spec::{UgalSpec, ValiantSpec};
use crate::routing::spec::{GroupsSpec, RoutingSpec};
use crate::spec::TopologySpec;

/// Implements `examples` from a table of variants and values. The table is the body of a `match` without a
/// wildcard, so it has to name every variant.
macro_rules! examples {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty)?) { $($variant:pat => $example:expr,)+ }) => {
        impl $name {
            $(#[$doc])*
            #[must_use]
            pub fn examples($($arg: $type)?) -> Vec<Self> {
                let _names_every_variant = |value: &Self| match value { $($variant => $example,)+ };
                vec![$($example,)+]
            }
        }
    };
}

examples! {
    /// Returns a small fabric of each family. All links are of the kind `cable`; the file of
    /// [`TopologySpec::HpccFile`] does not exist.
    TopologySpec(cable: &str) {
        Self::Custom(_) => Self::Custom(triangle(cable)),
        Self::Clos(_) => Self::Clos(Clos {
            radix: 6,
            host_cable: cable.to_owned(),
            trunk_cable: cable.to_owned(),
        }),
        Self::TwoSwitches(_) => Self::TwoSwitches(TwoSwitches {
            left: switch_with_hosts("A", "R", 5),
            right: switch_with_hosts("B", "L", 3),
            host_cable: cable.to_owned(),
            trunk_cable: cable.to_owned(),
        }),
        Self::Crossbar(_) => Self::Crossbar(Crossbar { hosts: 8, host_cable: cable.to_owned() }),
        Self::Chain(_) => Self::Chain(Chain {
            hosts: vec![4, 2, 4],
            parallel: 2,
            host_cable: cable.to_owned(),
            trunk_cable: cable.to_owned(),
        }),
        Self::FatTree(_) => Self::FatTree(FatTree {
            down: vec![4, 3, 4],
            up: vec![2, 3],
            parallel: vec![1, 2],
            host_cable: cable.to_owned(),
            trunk_cable: cable.to_owned(),
        }),
        Self::KaryNTree(_) => Self::KaryNTree(KaryNTree {
            arity: 3,
            levels: 3,
            host_cable: cable.to_owned(),
            trunk_cable: cable.to_owned(),
        }),
        Self::Dcs648(_) => Self::Dcs648(Dcs648 {
            host_cable: cable.to_owned(),
            trunk_cable: cable.to_owned(),
        }),
        Self::Omega(_) => Self::Omega(Omega { arity: 4, stages: 2, cable: cable.to_owned() }),
        Self::Mesh(_) => Self::Mesh(grid(cable, &[3, 4], 2, &[])),
        Self::Torus(_) => Self::Torus(grid(cable, &[5, 6], 1, &[])),
        Self::HyperX(_) => Self::HyperX(grid(cable, &[3, 4], 2, &[1, 2])),
        Self::Dragonfly(_) => Self::Dragonfly(Dragonfly {
            routers: 3,
            hosts: 1,
            global: 2,
            groups: None,
            host_cable: cable.to_owned(),
            local_cable: cable.to_owned(),
            global_cable: cable.to_owned(),
        }),
        Self::HpccFile(_) => Self::HpccFile("topology.txt".to_owned()),
    }
}

examples! {
    /// Returns each routing, with defaults in place of roots, and with no entries and tables of its own.
    RoutingSpec() {
        Self::Native => Self::Native,
        Self::MinHop => Self::MinHop,
        Self::Random => Self::Random,
        Self::Ecmp => Self::Ecmp,
        Self::Adaptive { .. } => Self::Adaptive { groups: GroupsSpec::Shortest },
        Self::UpDown { .. } => Self::UpDown { roots: Vec::new() },
        Self::DModK => Self::DModK,
        Self::DimensionOrder => Self::DimensionOrder,
        Self::DestinationTags => Self::DestinationTags,
        Self::DragonflyMinimal => Self::DragonflyMinimal,
        Self::Valiant(_) => Self::Valiant(ValiantSpec::default()),
        Self::Ugal(_) => Self::Ugal(UgalSpec::default()),
        Self::Par(_) => Self::Par(UgalSpec::default()),
        Self::Written(_) => Self::Written(BTreeMap::new()),
        Self::Tables(_) => Self::Tables(BTreeMap::new()),
    }
}

/// Returns three switches, each connected to both others and to two hosts.
fn triangle(cable: &str) -> CustomFabric {
    let link = |from: String, to: String| LinkEnds {
        from,
        to,
        cable: cable.to_owned(),
        from_port: None,
        to_port: None,
    };
    let trunks = (0..3).map(|i| link(format!("s{i}"), format!("s{}", (i + 1) % 3)));
    let own = (0..6).map(|i| link(format!("h{i}"), format!("s{}", i / 2)));
    CustomFabric {
        hosts: (0..6).map(|i| format!("h{i}")).collect(),
        switches: (0..3).map(|i| format!("s{i}")).collect(),
        links: trunks.chain(own).collect(),
    }
}

fn switch_with_hosts(name: &str, group: &str, hosts: u16) -> SwitchWithHosts {
    SwitchWithHosts { name: name.to_owned(), hosts: BTreeMap::from([(group.to_owned(), hosts)]) }
}

fn grid(cable: &str, sizes: &[u16], hosts: u16, parallel: &[u16]) -> GridSpec {
    GridSpec {
        sizes: sizes.to_vec(),
        hosts,
        parallel: parallel.to_vec(),
        host_cable: cable.to_owned(),
        trunk_cable: cable.to_owned(),
    }
}
