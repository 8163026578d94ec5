//! Single cables that differ: routes around missing cables, and faults of entries.

use std::collections::BTreeMap;

use proptest::prelude::*;
use topology::{
    CableChange, CableChangeErrorKind as Kind, FatTree, Graph, Routes, RoutingErrorKind, RoutingSpec,
    SelectionError, Topology, TopologySpec,
};

const KINDS: [&str; 2] = ["copper", "fibre"];

fn fat_tree(down: &[u16], up: &[u16], parallel: &[u16]) -> Topology {
    let (host_cable, trunk_cable) = ("copper".to_owned(), "copper".to_owned());
    let (down, up, parallel) = (down.to_vec(), up.to_vec(), parallel.to_vec());
    let tree = FatTree { down, up, parallel, host_cable, trunk_cable };
    TopologySpec::FatTree(tree).build(&KINDS).expect("a good fabric")
}

fn changes(entries: &[(&str, CableChange)]) -> BTreeMap<String, CableChange> {
    entries.iter().map(|(entry, change)| ((*entry).to_owned(), change.clone())).collect()
}

fn removed(entries: &[&str]) -> BTreeMap<String, CableChange> {
    changes(&entries.iter().map(|entry| (*entry, CableChange::Removed)).collect::<Vec<_>>())
}

fn without(topology: Topology, entries: &[&str]) -> Topology {
    topology.with_changed_cables(&removed(entries), &KINDS).expect("these cables are there")
}

fn all_reach_each_other(graph: &Graph, routes: &Routes) -> bool {
    let mut pairs = graph.host_ids().flat_map(|from| graph.host_ids().map(move |to| (from, to)));
    pairs.all(|(from, to)| routes.path(graph, from, to).is_some())
}

/// Where no cable is missing, the rule for missing cables is the rule of the complete tree. Removing the only cable
/// of a spine that nothing else needs changes entries that lead there, and no other.
#[test]
fn a_missing_cable_changes_the_entries_that_led_over_it_and_no_more() {
    let tree = || fat_tree(&[3, 2, 3], &[3, 2], &[2, 2]);
    let whole = tree();
    let graph = whole.graph();
    let complete = whole.routes(&RoutingSpec::DModK, 1).expect("it fits");
    // Without a parallel cable between leaf1 and its first parent, leaf1 chooses among eleven ports instead of
    // twelve.
    let cut = without(tree(), &["leaf1:4"]);
    let routes = cut.routes(&RoutingSpec::DModK, 1).expect("cables are left");
    assert!(all_reach_each_other(cut.graph(), &routes));
    let parent = graph.ports(graph.find("leaf1").expect("it is there"))[3].peer;
    for switch in graph.switch_ids().filter(|switch| graph.name(*switch) != "leaf1" && *switch != parent) {
        for host in graph.host_ids() {
            assert_eq!(routes.output(switch, host), complete.output(switch, host), "{}", graph.name(switch));
        }
    }
}

/// In a two-tier tree every destination outside the leaf is spread evenly over the spines that are left.
#[test]
fn destinations_are_spread_over_the_spines_that_are_left() {
    let cut = without(fat_tree(&[6, 4], &[4], &[]), &["leaf1:spine3"]);
    let (graph, routes) = (cut.graph(), cut.routes(&RoutingSpec::Native, 1).expect("cables are left"));
    let leaf = graph.find("leaf1").expect("it is there");
    let mut by_spine: BTreeMap<&str, usize> = BTreeMap::new();
    for host in graph.host_ids().skip(6) {
        let port = routes.output(leaf, host).expect("all hosts are reached");
        *by_spine.entry(graph.name(graph.ports(leaf)[port.index()].peer)).or_default() += 1;
    }
    assert_eq!(by_spine, BTreeMap::from([("spine1", 6), ("spine2", 6), ("spine4", 6)]));
    // Nobody sends to leaf1 over the spine that no longer leads there.
    let spine = graph.find("spine3").expect("it is there");
    for (from, to) in graph.host_ids().flat_map(|from| graph.host_ids().map(move |to| (from, to))) {
        let path = routes.path(graph, from, to).expect("all hosts are reached");
        let meets_leaf = from.index() < 6 || to.index() < 6;
        assert!(!(meets_leaf && path.iter().any(|(node, _)| *node == spine)));
    }
}

proptest! {
    /// Whatever trunk cables are missing, hosts that a path joins reach each other, under each routing that looks for
    /// paths.
    #[test]
    fn routes_lead_around_missing_cables(picks in prop::collection::vec(any::<prop::sample::Index>(), 1..12)) {
        let tree = fat_tree(&[2, 2, 2], &[2, 2], &[1, 2]);
        let graph = tree.graph();
        let trunks = graph.switch_ids().flat_map(|switch| {
            let ends = (0..).zip(graph.ports(switch));
            let up = ends.filter(move |(_, end)| end.peer > switch);
            up.map(move |(port, _): (u16, _)| format!("{}:{}", graph.name(switch), port + 1))
        });
        let trunks: Vec<String> = trunks.collect();
        let mut entries: Vec<&str> = picks.iter().map(|pick| trunks[pick.index(trunks.len())].as_str()).collect();
        entries.sort_unstable();
        entries.dedup();
        let cut = without(tree.clone(), &entries);
        let graph = cut.graph();
        let shortest = Routes::min_hop(graph);
        for routing in [RoutingSpec::Native, RoutingSpec::Ecmp, RoutingSpec::Random] {
            let routes = cut.routes(&routing, 1).expect("they fit");
            for (from, to) in graph.host_ids().flat_map(|from| graph.host_ids().map(move |to| (from, to))) {
                let path = |routes: &Routes| routes.path(graph, from, to).map(|path| path.len());
                prop_assert_eq!(path(&routes), path(&shortest));
            }
        }
    }
}

#[test]
fn rules_that_need_every_cable_say_which_is_missing() {
    let grid = |text: &str| -> Topology {
        let spec: TopologySpec = ron::from_str(text).expect("a topology");
        spec.build(&KINDS).expect("a good fabric")
    };
    let mesh = || grid(r#"Mesh((sizes: [3, 3], hosts: 1, host_cable: "copper", trunk_cable: "copper"))"#);
    let cut = without(mesh(), &["s1.1:s1.2"]);
    let error = cut.routes(&RoutingSpec::Native, 1).expect_err("dimension order needs the cable");
    let RoutingErrorKind::NoCableLeft { routing, from, to, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((*routing, from.as_str(), to.as_str()), ("DimensionOrder", "s1.1", "s1.2"));
    for routing in [RoutingSpec::UpDown { roots: Vec::new() }, RoutingSpec::MinHop] {
        let routes = cut.routes(&routing, 1).expect("another path is left");
        assert!(all_reach_each_other(cut.graph(), &routes));
    }
    // A single cable of two parallel cables is enough.
    let double =
        grid(r#"Mesh((sizes: [3], hosts: 1, parallel: [2], host_cable: "copper", trunk_cable: "copper"))"#);
    let one = without(double, &["s1:2"]);
    assert!(all_reach_each_other(one.graph(), &one.routes(&RoutingSpec::Native, 1).expect("one is left")));
    let dragonfly = grid(
        r#"Dragonfly((routers: 2, hosts: 1, global: 1, host_cable: "copper", local_cable: "copper", global_cable: "copper"))"#,
    );
    let cut = without(dragonfly, &["g1.r1:g2.*"]);
    let error = cut.routes(&RoutingSpec::Native, 1).expect_err("a group has one cable to another");
    assert!(matches!(error.kind(), RoutingErrorKind::NoCableLeft { .. }), "{error}");
    let omega = grid(r#"Omega((arity: 2, stages: 2, cable: "copper"))"#);
    let graph = omega.graph();
    let trunk =
        graph.switch_ids().find(|switch| graph.ports(*switch).iter().all(|end| !graph.is_host(end.peer)));
    let name = graph.name(trunk.expect("only taps have hosts")).to_owned();
    let cut = without(omega, &[&format!("{name}:4")]);
    let error = cut.routes(&RoutingSpec::Native, 1).expect_err("an Omega network has one path");
    let help = settings::SettingError::help(&error).expect("it has a help");
    assert!(help.contains("no other path"), "{help}");
}

#[track_caller]
fn fails(entries: &[(&str, CableChange)], entry: &str, wanted: &Kind) {
    let tree = fat_tree(&[2, 2], &[2], &[2]);
    let errors = tree.with_changed_cables(&changes(entries), &KINDS).expect_err("an entry is wrong");
    let found: Vec<_> = errors.iter().map(|error| (error.entry.as_str(), &error.kind)).collect();
    assert_eq!(found, [(entry, wanted)]);
}

#[test]
fn every_entry_changes_a_cable() {
    let kind = |name: &str| CableChange::Kind(name.to_owned());
    let (removed, text) = (CableChange::Removed, |text: &str| text.to_owned());
    let no_node = Kind::Selection(SelectionError::NoNode { given: text("leaf9") });
    fails(&[("leaf9:spine1", removed.clone())], "leaf9:spine1", &no_node);
    let unknown = Kind::UnknownKind { given: text("coper") };
    fails(&[("leaf1:spine1", kind("coper"))], "leaf1:spine1", &unknown);
    fails(&[("leaf1:h2", removed.clone())], "leaf1:h2", &Kind::OfHost { host: text("h2") });
    fails(&[("leaf*", removed.clone())], "leaf*", &Kind::OfHost { host: text("h1") });
    let twice = |other: &str| Kind::Twice { other: text(other), from: text("leaf1"), to: text("spine1") };
    let both = [("leaf1:spine1", removed.clone()), ("spine1:leaf1", kind("fibre"))];
    fails(&both, "spine1:leaf1", &twice("leaf1:spine1"));
    fails(&[("*:spine1", removed.clone()), ("leaf1:*1", kind("fibre"))], "leaf1:*1", &twice("*:spine1"));
    // Two parallel cables join a leaf and a spine; ports 3 and 5 of leaf1 lead to spine1.
    let exact = [("leaf1:3", removed.clone()), ("leaf1:5", kind("fibre")), ("leaf1:spine?", removed.clone())];
    let tree =
        fat_tree(&[2, 2], &[2], &[2]).with_changed_cables(&changes(&exact), &KINDS).expect("they are there");
    let leaf = tree.graph().find("leaf1").expect("it is there");
    let left: Vec<_> =
        tree.graph().ports(leaf).iter().map(|end| (tree.graph().name(end.peer), end.cable)).collect();
    assert_eq!(left, [("h1", 0), ("h2", 0), ("spine1", 1)]);
    let nothing = [("leaf1:3", removed.clone()), ("leaf1:5", removed.clone()), ("leaf1:*1", kind("fibre"))];
    // `*1` selects h1 as well.
    assert!(fat_tree(&[2, 2], &[2], &[2]).with_changed_cables(&changes(&nothing), &KINDS).is_ok());
    let nothing = [("leaf1:spine1", removed), ("leaf1:*e1", kind("fibre"))];
    fails(&nothing, "leaf1:*e1", &Kind::NothingLeft);
}
