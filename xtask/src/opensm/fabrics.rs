//! The fabrics that real tools judge: rings, grids, trees, dragonflies, irregular ones, and one of 648 hosts.
//!
//! Invariant: every fabric has a name of its own, and the same cables in every run.

use std::fmt::Write;

/// Engines of OpenSM for any fabric.
const ANY: &[&str] = &["minhop", "dfsssp"];
/// Engines of OpenSM for fat trees.
const TREE: &[&str] = &["minhop", "ftree", "dfsssp"];

/// A fabric.
pub(super) struct Fabric {
    pub(super) name: &'static str,
    /// Field `topology` of a scenario.
    pub(super) topology: String,
    /// Engines of OpenSM that route it.
    pub(super) engines: &'static [&'static str],
}

impl Fabric {
    /// Returns a scenario of the fabric.
    pub(super) fn scenario(&self) -> String {
        SCENARIO.replace("TOPOLOGY", &self.topology)
    }
}

/// Shortest paths, on which packets may wait in a cycle.
const SCENARIO: &str = r#"(
    about: "A fabric for OpenSM.",
    duration: "20 us",
    sample: "2 us",
    topology: TOPOLOGY,
    routing: MinHop,
    dependency_cycles: Allowed,
    cables: {"host": (width: X4, speed: EDR, propagation: Cable("3 m")), "trunk": (width: X4, speed: HDR, propagation: Cable("10 m"))},
    link: (
        mtu: "2 KiB",
        data_lanes: 1,
        flow_control: Credits(update_blocks: 32, update_interval: "4.096 us", wire_time: Counted),
    ),
    switch: (buffering: InputVoq, arbiter: RoundRobin, buffer: "64 KiB", latency: "100 ns", forwarding: CutThrough, speedup: 2.0),
    adapter: (receive_buffer: "64 KiB", ack_every: 16, max_outstanding: 1024, ack_timeout: 14, retry_count: 7),
    congestion_control: Off,
    traffic: [Permutation(at: "0 s", bytes: "16 KiB")],
)
"#;

/// Returns all fabrics.
pub(super) fn all() -> Vec<Fabric> {
    let cables = r#"host_cable: "host", trunk_cable: "trunk""#;
    let grid =
        |kind: &str, sizes: &str, hosts: u8| format!("{kind}(sizes: [{sizes}], hosts: {hosts}, {cables})");
    let with = |shape: &str| shape.replace("..", cables);
    let dragonfly = |sizes: &str| {
        format!(r#"Dragonfly({sizes}, host_cable: "host", local_cable: "trunk", global_cable: "trunk")"#)
    };
    let any = |name, topology| Fabric { name, topology, engines: ANY };
    let tree = |name, topology| Fabric { name, topology, engines: TREE };
    vec![
        any("ring-3", grid("Torus", "3", 2)),
        any("ring-4", grid("Torus", "4", 1)),
        any("ring-5", grid("Torus", "5", 1)),
        any("ring-6", grid("Torus", "6", 2)),
        any("ring-7", grid("Torus", "7", 1)),
        any("ring-9", grid("Torus", "9", 2)),
        any("ring-16", grid("Torus", "16", 1)),
        any("torus-3x3", grid("Torus", "3, 3", 1)),
        any("torus-4x4", grid("Torus", "4, 4", 2)),
        any("torus-5x5", grid("Torus", "5, 5", 1)),
        any("torus-3x3x3", grid("Torus", "3, 3, 3", 1)),
        any("mesh-4", grid("Mesh", "4", 3)),
        any("mesh-3x3", grid("Mesh", "3, 3", 2)),
        any("mesh-2x3x4", grid("Mesh", "2, 3, 4", 1)),
        any("hyperx-3x3", grid("HyperX", "3, 3", 2)),
        any("hyperx-4x4", grid("HyperX", "4, 4", 1)),
        any("dragonfly-9", dragonfly("routers: 4, hosts: 2, global: 2")),
        any("dragonfly-3", dragonfly("routers: 2, hosts: 2, global: 1")),
        any("chain-5", with("Chain(hosts: [3, 1, 2, 1, 3], ..)")),
        any("dumbbell", with("Chain(hosts: [4, 4], parallel: 2, ..)")),
        tree("leaf-spine", with("FatTree(down: [4, 4], up: [4], ..)")),
        tree("leaf-spine-blocking", with("FatTree(down: [6, 4], up: [2], ..)")),
        tree("three-tiers", with("FatTree(down: [3, 3, 3], up: [3, 3], ..)")),
        tree("2-ary-3-tree", with("KaryNTree(arity: 2, levels: 3, ..)")),
        tree("3-ary-2-tree", with("KaryNTree(arity: 3, levels: 2, ..)")),
        tree("clos-8", with("Clos(radix: 8, ..)")),
        any("irregular-1", irregular(1, 6, 9)),
        any("irregular-2", irregular(2, 7, 9)),
        any("irregular-3", irregular(3, 8, 10)),
        any("irregular-4", irregular(4, 9, 12)),
        any("irregular-5", irregular(5, 10, 12)),
        any("irregular-6", irregular(6, 12, 15)),
        tree("dcs-648", with("Dcs648(..)")),
    ]
}

/// Returns a tree of switches with further cables between them, drawn from a seed, and two hosts at each.
fn irregular(seed: u64, switches: u64, cables: u64) -> String {
    let mut state = seed;
    let mut below = |end: u64| {
        // Knuth's MMIX generator: the upper half is random enough.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let names = |letter: &str, count: u64| {
        (0..count).map(|i| format!("\"{letter}{i}\"")).collect::<Vec<_>>().join(", ")
    };
    let mut links = String::new();
    let mut link = |from: String, to: u64, cable: &str| {
        write!(links, "(from: \"{from}\", to: \"s{to}\", cable: \"{cable}\"), ").expect("a string takes it");
    };
    (0..2 * switches).for_each(|host| link(format!("h{host}"), host / 2, "host"));
    (1..switches).for_each(|switch| link(format!("s{switch}"), below(switch), "trunk"));
    for _ in switches - 1..cables {
        let one = below(switches);
        let other = (one + 1 + below(switches - 1)) % switches;
        link(format!("s{one}"), other, "trunk");
    }
    let (hosts, switches) = (names("h", 2 * switches), names("s", switches));
    format!("Custom(hosts: [{hosts}], switches: [{switches}], links: [{links}])")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_thirty_fabrics_with_names_of_their_own() {
        let names: BTreeSet<_> = all().iter().map(|fabric| fabric.name).collect();
        assert_eq!(names.len(), all().len());
        assert!(names.len() >= 30 && names.iter().filter(|name| name.starts_with("ring-")).count() >= 5);
    }

    #[test]
    fn irregular_fabrics_are_the_same_each_time() {
        assert_eq!(irregular(3, 8, 10), irregular(3, 8, 10));
        assert_ne!(irregular(3, 8, 10), irregular(4, 8, 10));
        assert_eq!(irregular(3, 8, 10).matches("(from: \"s").count(), 10);
    }
}
