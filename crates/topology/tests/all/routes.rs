//! Properties of each routing: an even spread, freedom from cycles, refusal of wrong settings.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use packet::{Lane, NodeId, PortId};
use proptest::prelude::*;
use settings::SettingError;
use topology::{
    ChannelDependencies, CustomFabric, Graph, GroupsSpec, LinkEnds, Routes, RoutingErrorKind as Kind,
    RoutingSpec, Topology, TopologySpec, VirtualChannel,
};

use crate::channels::{Following, following, has_cycle};

fn spec(text: &str) -> TopologySpec {
    let text = text.replace("..", r#"host_cable: "copper", trunk_cable: "copper""#);
    let options = ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES)
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    options.from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub(crate) fn topology(text: &str) -> Topology {
    spec(text).build(&["copper"]).expect("a good fabric")
}

/// Returns a cycle that traffic between all hosts can close, each path on the lane of its layer.
fn cycle(graph: &Graph, routes: &Routes, lanes: u8) -> Option<Vec<VirtualChannel>> {
    let mut dependencies = ChannelDependencies::new(graph, routes, lanes);
    for to in graph.host_ids() {
        let mut by_lane: BTreeMap<Lane, Vec<NodeId>> = BTreeMap::new();
        for from in graph.host_ids().filter(|from| *from != to) {
            let lane = Lane((routes.layer(from, to) % u32::from(lanes)) as u8);
            by_lane.entry(lane).or_default().push(from);
        }
        by_lane.into_iter().for_each(|(lane, from)| dependencies.add(to, lane, from));
    }
    dependencies.cycle()
}

fn spell(graph: &Graph, cycle: &[VirtualChannel]) -> String {
    let one = |channel: &VirtualChannel| {
        format!("{}:{}", graph.name(channel.switch), graph.port_number((channel.switch, channel.port)))
    };
    cycle.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Generates connected switches with random links, some of them parallel, and a host on each.
fn connected() -> impl Strategy<Value = Graph> {
    (2..12usize).prop_flat_map(|switches| {
        let tree = prop::collection::vec(any::<prop::sample::Index>(), switches - 1);
        let more = prop::collection::vec((0..switches, 0..switches), 0..20);
        (tree, more).prop_map(move |(tree, more)| {
            let s = |i: usize| format!("s{i}");
            let tree = tree.iter().enumerate().map(|(i, parent)| (i + 1, parent.index(i + 1)));
            let trunks = tree.chain(more).filter(|(a, b)| a != b).map(|(a, b)| (s(a), s(b)));
            let links = trunks.chain((0..switches).map(|i| (format!("h{i}"), s(i)))).map(|(from, to)| {
                LinkEnds { from, to, cable: "copper".to_owned(), from_port: None, to_port: None }
            });
            let custom = CustomFabric {
                hosts: (0..switches).map(|i| format!("h{i}")).collect(),
                switches: (0..switches).map(s).collect(),
                links: links.collect(),
            };
            TopologySpec::Custom(custom).build(&["copper"]).expect("a good fabric").graph().clone()
        })
    })
}

proptest! {
    /// From any root all hosts are reached, and packets cannot wait in a cycle on one lane.
    #[test]
    fn up_down_never_waits_in_a_cycle(graph in connected(), root in any::<prop::sample::Index>()) {
        let root = graph.switch_ids().nth(root.index(graph.switches())).expect("a switch");
        let routes = Routes::up_down(&graph, &[root]);
        prop_assert_eq!(cycle(&graph, &routes, 1), None);
        for from in graph.host_ids() {
            for to in graph.host_ids() {
                prop_assert!(routes.path(&graph, from, to).is_some());
            }
        }
    }

    /// The search for a cycle by masks agrees with a plain search over the paths of all pairs.
    #[test]
    fn a_cycle_is_found_exactly_if_there_is_one(graph in connected()) {
        let routes = Routes::min_hop(&graph);
        let found = cycle(&graph, &routes, 1);
        let mut after: BTreeMap<(NodeId, PortId), Vec<(NodeId, PortId)>> = BTreeMap::new();
        for from in graph.host_ids() {
            for to in graph.host_ids() {
                let path = routes.path(&graph, from, to).expect("connected");
                path.windows(2).for_each(|two| after.entry(two[0]).or_default().push(two[1]));
            }
        }
        let all = after.clone();
        // Outputs without a successor are on no cycle; they are removed until none is left.
        loop {
            let before = after.len();
            let left: Vec<_> = after.keys().copied().collect();
            after.retain(|_, next| next.iter().any(|n| left.binary_search(n).is_ok()));
            if after.len() == before {
                break;
            }
        }
        prop_assert_eq!(found.is_some(), !after.is_empty());
        let cycle = found.unwrap_or_default();
        for (one, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            prop_assert!(all[&(one.switch, one.port)].contains(&(next.switch, next.port)));
        }
    }

    /// A flow keeps its port, and every port leads one link nearer to the destination.
    #[test]
    fn multipath_spreads_flows_over_all_shortest_paths(graph in connected(), key in any::<u64>()) {
        let (tables, routes) = (Routes::multipath(&graph, 1), Routes::min_hop(&graph));
        for switch in graph.switch_ids() {
            for to in graph.host_ids() {
                let outputs: Vec<_> = tables.ports(switch, to).collect();
                let chosen = tables.table(switch).output(to.lid(), || key).expect("connected");
                prop_assert_eq!(Some(chosen), tables.table(switch).output(to.lid(), || key));
                prop_assert!(outputs.contains(&chosen));
                prop_assert!(outputs.contains(&routes.output(switch, to).expect("connected")));
                for port in outputs {
                    let next = graph.ports(switch)[port.index()].peer;
                    let left = |n| routes.path(&graph, n, to).expect("connected").len();
                    prop_assert_eq!(left(next) + 1, left(switch));
                }
            }
        }
    }
}

/// Of three cables to the neighbour all are in the group, and none to another switch.
#[test]
fn parallel_cables_are_one_group() {
    let topology = topology("Chain(hosts: [2, 1, 2], parallel: 3, ..)");
    let graph = topology.graph();
    let routing = RoutingSpec::Adaptive { groups: GroupsSpec::Parallel };
    let (tables, native) = (topology.routes(&routing, 1).expect("it fits"), Routes::min_hop(graph));
    for (switch, to) in graph.switch_ids().flat_map(|at| graph.host_ids().map(move |to| (at, to))) {
        let next = |port: PortId| graph.ports(switch)[port.index()].peer;
        let by = next(native.output(switch, to).expect("connected"));
        let group = tables.table(switch).group(to.lid()).expect("connected");
        assert_eq!(group.len(), if graph.is_host(by) { 1 } else { 3 });
        assert!(group.ports().all(|port| next(port) == by));
        let selected: Vec<_> = tables.table(switch).outputs_of(to.lid(), Some(7), true).collect();
        assert_eq!(
            selected,
            group.ports().collect::<Vec<_>>(),
            "a packet that is selected may take any port"
        );
        let hashed: Vec<_> = tables.table(switch).outputs_of(to.lid(), Some(7), false).collect();
        assert_eq!(hashed, [tables.table(switch).output(to.lid(), || 7).expect("connected")]);
        let sprayed: Vec<_> = tables.table(switch).outputs_of(to.lid(), None, false).collect();
        assert_eq!(sprayed, selected, "packets with different keys may take any port");
    }
}

#[test]
fn multipath_deals_flows_evenly() {
    let topology = topology("Dcs648(..)");
    let graph = topology.graph();
    let tables = Routes::multipath(graph, 1);
    let (leaf, far) = (graph.find("leaf1").unwrap(), graph.find("h648").unwrap());
    let mut flows = BTreeMap::new();
    for key in 0..18_000 {
        *flows.entry(tables.table(leaf).output(far.lid(), || key).unwrap()).or_insert(0u32) += 1;
    }
    // 1,000 each, with a standard deviation of 31.
    assert_eq!(flows.len(), 18);
    assert!(flows.values().all(|n| (850..1150).contains(n)), "{flows:?}");
    // A second tier must not repeat the choice of the first: else half of its ports would idle.
    let other = graph.find("leaf2").unwrap();
    let by = |switch, key| tables.table(switch).output(far.lid(), || key);
    let same = |key: &u64| by(leaf, *key) == by(other, *key);
    let same = (0..18_000).filter(same).count();
    assert!((850..1150).contains(&same), "{same}");
}

/// At every switch the destinations outside its subtree are spread evenly over its uplinks.
#[test]
fn d_mod_k_spreads_destinations_evenly() {
    for (text, leaf) in [
        ("Dcs648(..)", "leaf1"),
        ("KaryNTree(arity: 4, levels: 3, ..)", "leaf7"),
        ("KaryNTree(arity: 4, levels: 3, ..)", "tier2.3"),
        ("FatTree(down: [6, 6, 6], up: [6, 6], ..)", "tier2.9"),
        ("FatTree(down: [8, 6], up: [2], parallel: [2], ..)", "leaf3"),
    ] {
        let topology = topology(text);
        let graph = topology.graph();
        let routes = topology.routes(&RoutingSpec::DModK, 1).expect("a fat tree");
        let switch = graph.find(leaf).expect("a switch");
        let mut by_port = vec![0; graph.ports(switch).len()];
        routes.table(switch).first_ports().flatten().for_each(|port| by_port[port.index()] += 1);
        let level = |name: &str| name.trim_end_matches(char::is_numeric).trim_end_matches('.').to_owned();
        let up = |n: NodeId| matches!(level(graph.name(n)).as_str(), "spine") || level(leaf) == "leaf";
        let uplinks: Vec<u32> = graph
            .ports(switch)
            .iter()
            .zip(&by_port)
            .filter(|(end, _)| !graph.is_host(end.peer) && up(end.peer))
            .map(|(_, n)| *n)
            .collect();
        assert!(uplinks.len() > 1);
        assert!(uplinks.iter().all(|n| *n == uplinks[0]), "{text} {leaf}: {by_port:?}");
    }
}

/// Every spine serves its share of destinations, and a destination is reached over one spine from everywhere.
#[test]
fn d_mod_k_comes_down_by_one_path() {
    let topology = topology("KaryNTree(arity: 3, levels: 3, ..)");
    let graph = topology.graph();
    let routes = topology.routes(&RoutingSpec::Native, 1).expect("its own");
    let mut served: BTreeMap<String, u32> = BTreeMap::new();
    for to in graph.host_ids() {
        let tops: BTreeSet<_> = graph
            .host_ids()
            .filter_map(|from| routes.path(graph, from, to))
            .flat_map(|path| path.into_iter().map(|(n, _)| graph.name(n).to_owned()))
            .filter(|name| name.starts_with("spine"))
            .collect();
        assert_eq!(tops.len(), 1);
        *served.entry(tops.into_iter().next().unwrap()).or_default() += 1;
    }
    assert_eq!(served.len(), 9);
    assert!(served.values().all(|n| *n == 3));
}

#[test]
fn own_routings_never_wait_in_a_cycle_on_their_lanes() {
    for (text, lanes) in [
        ("Chain(hosts: [2, 1, 2], ..)", 1),
        ("KaryNTree(arity: 3, levels: 3, ..)", 1),
        ("FatTree(down: [4, 3, 4], up: [2, 3], parallel: [1, 2], ..)", 1),
        (r#"Omega(arity: 3, stages: 3, cable: "copper")"#, 1),
        ("Mesh(sizes: [4, 3, 3], hosts: 1, ..)", 1),
        ("HyperX(sizes: [4, 3, 2], hosts: 1, ..)", 1),
        ("Torus(sizes: [3, 2], hosts: 2, ..)", 1),
        ("Torus(sizes: [4], hosts: 1, ..)", 1),
        ("Torus(sizes: [4, 4, 4], hosts: 1, ..)", 1),
        ("Torus(sizes: [5], hosts: 1, ..)", 2),
        ("Torus(sizes: [8], hosts: 2, ..)", 2),
        ("Torus(sizes: [9], hosts: 1, ..)", 2),
        ("Torus(sizes: [3, 6], hosts: 1, ..)", 2),
        ("Torus(sizes: [6, 5], hosts: 1, ..)", 4),
        ("Torus(sizes: [7, 5, 6], hosts: 1, ..)", 8),
    ] {
        let topology = topology(text);
        let graph = topology.graph();
        let routes = topology.routes(&RoutingSpec::Native, 1).expect("its own");
        assert_eq!(routes.layers(), u32::from(lanes), "{text}");
        assert_eq!(cycle(graph, &routes, lanes), None, "{text}");
        let up_down = RoutingSpec::UpDown { roots: Vec::new() };
        if let Ok(routes) = topology.routes(&up_down, 1) {
            assert_eq!(cycle(graph, &routes, 1), None, "{text}, up and down");
        }
        if lanes > 1 {
            assert!(cycle(graph, &routes, lanes / 2).is_some(), "{text}, half as many lanes");
        }
    }
}

#[test]
fn a_dragonfly_takes_two_lanes() {
    let cables = r#"host_cable: "copper", local_cable: "copper", global_cable: "copper""#;
    // If every switch has a cable to every group, no path has a hop before it, and one lane suffices.
    for (shape, one_does) in [
        ("global: 1", false),
        ("global: 2", false),
        ("global: 2, groups: 4", false),
        ("global: 2, groups: 3", true),
    ] {
        let topology = topology(&format!("Dragonfly(routers: 3, hosts: 1, {shape}, {cables})"));
        let graph = topology.graph();
        let routes = topology.routes(&RoutingSpec::DragonflyMinimal, 1).expect("its own");
        assert_eq!(cycle(graph, &routes, 2), None, "{shape}");
        assert_eq!(cycle(graph, &routes, 1).is_none(), one_does, "{shape}");
    }
}

#[test]
fn a_ring_waits_in_a_cycle_by_fewest_links() {
    let topology = topology("Torus(sizes: [5], hosts: 1, ..)");
    let graph = topology.graph();
    let routes = topology.routes(&RoutingSpec::MinHop, 1).expect("any graph");
    let cycle = cycle(graph, &routes, 1).expect("all paths round the ring");
    assert_eq!(spell(graph, &cycle), "s1:2 s2:2 s3:2 s4:2 s5:2");
    // Traffic that does not go all the way round does not close the cycle.
    let mut dependencies = ChannelDependencies::new(graph, &routes, 1);
    let host = |name: &str| graph.find(name).expect("a host");
    dependencies.add(host("h3"), Lane(0), [host("h1")]);
    dependencies.add(host("h5"), Lane(0), [host("h3")]);
    assert_eq!(dependencies.cycle(), None);
    dependencies.add(host("h2"), Lane(0), [host("h5")]);
    dependencies.add(host("h4"), Lane(0), [host("h2")]);
    dependencies.add(host("h1"), Lane(0), [host("h4")]);
    assert!(dependencies.cycle().is_some());
}

#[test]
fn two_paths_round_a_square_wait_for_each_other_under_multipath() {
    let topology = topology("Torus(sizes: [2, 2], hosts: 1, ..)");
    let graph = topology.graph();
    let tables = Routes::multipath(graph, 1);
    let mut dependencies = ChannelDependencies::new(graph, &tables, 1);
    graph.host_ids().for_each(|to| dependencies.add(to, Lane(0), graph.host_ids()));
    assert_eq!(dependencies.cycle().map(|cycle| cycle.len()), Some(4));
}

#[test]
fn random_paths_depend_on_the_seed() {
    let topology = topology("KaryNTree(arity: 4, levels: 3, ..)");
    let graph = topology.graph();
    let tables = |seed| topology.routes(&RoutingSpec::Random, seed).expect("any graph");
    assert_eq!(tables(3), tables(3));
    assert_ne!(tables(3), tables(4));
    // 60 far hosts over 4 uplinks: 15 each, give or take four standard deviations of 3.4.
    let mut by_port = [0; 8];
    tables(3)
        .table(graph.find("leaf1").unwrap())
        .first_ports()
        .flatten()
        .for_each(|port| by_port[port.index()] += 1);
    assert!(by_port[4..].iter().all(|n| (2..=28).contains(n)), "{by_port:?}");
}

/// Of 256 flows from one leaf, about three quarters take another of the four paths with another seed.
#[test]
fn paths_of_flows_depend_on_the_seed_under_multipath() {
    let topology = topology("KaryNTree(arity: 4, levels: 3, ..)");
    let graph = topology.graph();
    let (leaf, far) = (graph.find("leaf1").unwrap(), graph.find("h64").unwrap());
    let ports = |seed| {
        let tables = topology.routes(&RoutingSpec::Ecmp, seed).expect("any graph");
        let port = |key| tables.table(leaf).output(far.lid(), || key).expect("connected");
        (0..256).map(port).collect::<Vec<_>>()
    };
    let (one, other) = (ports(3), ports(4));
    assert_eq!(one, ports(3));
    let moved = one.iter().zip(&other).filter(|(one, other)| one != other).count();
    assert!((164..220).contains(&moved), "{moved}");
}

fn written(entries: &[(&str, &str, u16)]) -> RoutingSpec {
    let mut tables: BTreeMap<String, BTreeMap<String, u16>> = BTreeMap::new();
    for (switch, host, port) in entries {
        tables.entry((*switch).to_owned()).or_default().insert((*host).to_owned(), *port);
    }
    RoutingSpec::Written(tables)
}

#[test]
fn written_entries_replace_the_rules() {
    let topology = topology("Torus(sizes: [4], hosts: 1, ..)");
    let graph = topology.graph();
    let error = topology.routes(&written(&[("s1", "h2", 3), ("s4", "h2", 2)]), 1);
    let error = error.expect_err("s4 sends what is for h2 back to s1");
    let cycle = Kind::Loop { host: "h2".to_owned(), cycle: "s1 -> s4 -> s1".to_owned() };
    assert_eq!((error.path().to_string().as_str(), error.kind()), ("s1.h2", &cycle));
    let routes =
        topology.routes(&written(&[("s1", "h2", 3), ("s4", "h2", 3)]), 1).expect("all the way round");
    let host = |name: &str| graph.find(name).expect("a host");
    let path = routes.path(graph, host("h1"), host("h2")).expect("a path");
    let names: Vec<_> = path.iter().map(|(n, _)| graph.name(*n)).collect();
    assert_eq!(names, ["h1", "s1", "s4", "s3", "s2"]);
}

#[test]
fn written_entries_name_existing_nodes_and_ports() {
    let topology = topology("Chain(hosts: [1, 1], ..)");
    let fails = |entry, kind: Kind| {
        let error = topology.routes(&written(&[entry]), 1).expect_err("it has a fault");
        assert_eq!(error.kind(), &kind);
        assert!(error.help().is_some(), "it says what would be right");
    };
    fails(("s3", "h1", 1), Kind::UnknownSwitch { given: "s3".to_owned() });
    fails(("h1", "h1", 1), Kind::UnknownSwitch { given: "h1".to_owned() });
    fails(("s1", "s2", 1), Kind::UnknownHost { given: "s2".to_owned() });
    fails(
        ("s1", "h2", 3),
        Kind::NoSuchPort { switch: "s1".to_owned(), given: 3, ports: "1 to 2".to_owned() },
    );
    fails(
        ("s1", "h2", 0),
        Kind::NoSuchPort { switch: "s1".to_owned(), given: 0, ports: "1 to 2".to_owned() },
    );
    let (switch, leads_to, host) = ("s1".to_owned(), "h1".to_owned(), "h2".to_owned());
    fails(("s1", "h2", 1), Kind::WrongHost { switch, given: 1, leads_to, host });
}

fn tables(entries: &[(&str, &str)]) -> RoutingSpec {
    RoutingSpec::Tables(entries.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
}

/// Two switches with a host each; s1 has h1 at port 1 and s2 at port 2, s2 the reverse.
#[test]
fn tables_have_an_entry_for_each_host_at_each_switch() {
    let topology = topology("Chain(hosts: [1, 1], ..)");
    let fails = |entries: &[(&str, &str)], path: &str, kind: Kind| {
        let error = topology.routes(&tables(entries), 1).expect_err("it has a fault");
        assert_eq!((error.path().to_string().as_str(), error.kind()), (path, &kind));
        assert!(error.help().is_some(), "it says what would be right");
    };
    let switch = "s1".to_owned();
    fails(&[("s2", "2 1")], "", Kind::MissingTable { switch: switch.clone() });
    fails(&[("s3", "2 1")], "s3", Kind::UnknownSwitch { given: "s3".to_owned() });
    fails(&[("s1", "1")], "s1", Kind::WrongTable { given: 1, hosts: 2 });
    fails(&[("s1", "1 x")], "s1", Kind::WrongEntry { given: "x".to_owned() });
    fails(
        &[("s1", "1 3")],
        "s1",
        Kind::NoSuchPort { switch: switch.clone(), given: 3, ports: "1 to 2".to_owned() },
    );
    let (leads_to, host) = ("h1".to_owned(), "h2".to_owned());
    fails(&[("s1", "1*2")], "s1", Kind::WrongHost { switch, given: 1, leads_to, host: host.clone() });
    let cycle = "s1 -> s2 -> s1".to_owned();
    fails(&[("s1", "1 2"), ("s2", "2*2")], "", Kind::Loop { host: host.clone(), cycle });
    fails(&[("s1", "1 2"), ("s2", "2 -")], "", Kind::LeadsNowhere { host, switch: "s2".to_owned() });
    let one_way = topology.routes(&tables(&[("s1", "1 -"), ("s2", "2 1")]), 1).expect("h2 is not reached");
    let host = |name: &str| topology.graph().find(name).expect("a host");
    assert!(one_way.path(topology.graph(), host("h1"), host("h2")).is_none());
    assert!(one_way.path(topology.graph(), host("h2"), host("h1")).is_some());
}

#[test]
fn a_written_entry_must_not_lead_to_a_dead_end() {
    let topology = topology(r#"Omega(arity: 2, stages: 2, cable: "copper")"#);
    // stage2.1 leads to h1 and h2 only.
    let error = topology.routes(&written(&[("stage1.1", "h3", 3)]), 1).expect_err("no path on");
    let (host, switch) = ("h3".to_owned(), "stage2.1".to_owned());
    assert_eq!(error.kind(), &Kind::LeadsNowhere { host, switch });
}

#[test]
fn a_routing_is_refused_for_other_topologies() {
    let fails = |text: &str, routing: RoutingSpec, said: &str| {
        let fault = topology(text).routes(&routing, 1).expect_err("it does not fit").fault();
        assert_eq!(format!("{}: {}", fault.message, fault.help.expect("a fitting one")), said);
    };
    let omega = r#"Omega(arity: 2, stages: 2, cable: "copper")"#;
    fails(
        omega,
        RoutingSpec::MinHop,
        "`MinHop` is not for this topology: write `DestinationTags`, `Native`, `Written(...)` or `Tables(...)`",
    );
    fails(
        "Torus(sizes: [4], hosts: 1, ..)",
        RoutingSpec::DModK,
        "`DModK` is not for this topology: write `DimensionOrder`, `MinHop`, `Random`, `Ecmp`, `Adaptive`, `UpDown()`, `Native`, \
         `Written(...)` or `Tables(...)`; `DModK` is for fat trees",
    );
    fails(
        "FatTree(down: [2, 2], up: [2], ..)",
        RoutingSpec::Ugal(topology::UgalSpec::default()),
        "`Ugal` is not for this topology: write `DModK`, `MinHop`, `Random`, `Ecmp`, `Adaptive`, `UpDown()`, `Native`, \
         `Written(...)` or `Tables(...)`; `Ugal` is for dragonflies and HyperX",
    );
    fails(
        "Chain(hosts: [1, 1], ..)",
        RoutingSpec::DimensionOrder,
        "`DimensionOrder` is not for this topology: write `MinHop`, `Random`, `Ecmp`, `Adaptive`, `UpDown()`, `Native`, \
         `Written(...)` or `Tables(...)`; `DimensionOrder` is for meshes, tori and HyperX",
    );
}

/// Every switch of a subtree and tier has one table: 648 leaves, 36 subtrees of two tiers, and the spines.
#[test]
fn equal_tables_are_stored_once() {
    let topology = topology("FatTree(down: [18, 18, 36], up: [18, 18], ..)");
    let graph = topology.graph();
    assert_eq!((graph.hosts(), graph.switches()), (11_664, 1620));
    let routes = topology.routes(&RoutingSpec::Native, 1).expect("its own");
    assert_eq!(routes.table_bytes(), (648 + 36 + 1) * 11_665);
}

/// Returns a cycle that traffic between all hosts can close if switches change lanes by the rule of the routing.
fn cycle_with_lane_changes(topology: &Topology, lanes: u8) -> Option<Vec<VirtualChannel>> {
    let graph = topology.graph();
    let routes = topology.routes(&RoutingSpec::Native, 1).expect("the topology's own").with_lane_changes();
    let rule = topology.lane_changes(&RoutingSpec::Native).expect("the routing has layers");
    let mut dependencies = ChannelDependencies::with_lane_changes(graph, &routes, lanes);
    for to in graph.host_ids() {
        for level in 0..routes.layers() {
            let from = graph.host_ids().filter(|from| *from != to && routes.layer(*from, to) == level);
            dependencies.add_changing(to, from, |switch, input, output| {
                Lane(rule.lane(switch, (input, output), level as u8) % lanes)
            });
        }
    }
    dependencies.cycle()
}

/// With changes of lane, two lanes do where four and eight would be kept, and one lane does not.
#[test]
fn two_lanes_that_change_do_for_tori_and_dragonflies() {
    for (text, layers) in [
        ("Torus(sizes: [5], hosts: 1, ..)", 2),
        ("Torus(sizes: [3, 6], hosts: 1, ..)", 2),
        ("Torus(sizes: [5, 4, 7], hosts: 1, ..)", 4),
        ("Torus(sizes: [5, 6, 5], hosts: 1, ..)", 8),
        (
            "Dragonfly(routers: 4, hosts: 1, global: 2, host_cable: \"copper\", local_cable: \"copper\", global_cable: \"copper\")",
            2,
        ),
    ] {
        let topology = topology(text);
        let routes = topology.routes(&RoutingSpec::Native, 1).expect("the topology's own");
        assert_eq!(routes.layers(), layers, "{text}");
        let found = cycle_with_lane_changes(&topology, 2);
        assert!(found.is_none(), "{text}: {}", spell(topology.graph(), &found.unwrap_or_default()));
        assert!(cycle_with_lane_changes(&topology, 1).is_some(), "{text}: one lane does");
    }
}

/// Random lanes by input and output: the walk finds a cycle exactly if the channels of all paths, each followed
/// alone, have a cycle.
#[test]
fn changing_lanes_make_the_cycles_of_paths_followed_one_by_one() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(200));
    let (with, without) = (Cell::new(0), Cell::new(0));
    let rings = (3..8u16, 1..4u8, prop::collection::vec(0..4u8, 8 * 9));
    runner
        .run(&rings, |(size, lanes, table)| {
            let topology = topology(&format!("Torus(sizes: [{size}], hosts: 1, ..)"));
            let graph = topology.graph();
            let routes = topology.routes(&RoutingSpec::MinHop, 1).expect("a connected fabric");
            let lane_of = |switch: NodeId, input: PortId, output: PortId| {
                let place = (switch.index() - graph.hosts()) * 9 + input.index() * 3 + output.index();
                Lane(table[place] % lanes)
            };
            let mut dependencies = ChannelDependencies::with_lane_changes(graph, &routes, lanes);
            for to in graph.host_ids() {
                let from = graph.host_ids().filter(|from| *from != to);
                dependencies.add_changing(to, from, lane_of);
            }
            let found = dependencies.cycle();
            let after = channels_of_paths(graph, &routes, lane_of);
            for (at, next) in found.iter().flat_map(|cycle| cycle.iter().zip(cycle.iter().cycle().skip(1))) {
                prop_assert!(after[at].contains(next), "{at:?} is not followed by {next:?}");
            }
            prop_assert_eq!(found.is_some(), has_cycle(after));
            let count = if found.is_some() { &with } else { &without };
            count.set(count.get() + 1);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    let (with, without) = (with.get(), without.get());
    assert!(with > 20 && without > 20, "{with} tables with a cycle, {without} without");
}

/// Returns the channels that follow each channel on some path between two hosts.
fn channels_of_paths(
    graph: &Graph,
    routes: &Routes,
    lane_of: impl Fn(NodeId, PortId, PortId) -> Lane,
) -> Following {
    let ends = graph.host_ids().flat_map(|from| graph.host_ids().map(move |to| (from, to)));
    following(ends.map(|(from, to)| {
        let path = routes.path(graph, from, to).expect("a connected fabric");
        let channel = |hops: &[(NodeId, PortId)]| {
            let input = graph.ports(hops[0].0)[hops[0].1.index()].peer_port;
            let (switch, port) = hops[1];
            VirtualChannel { switch, port, lane: lane_of(switch, input, port) }
        };
        path.windows(2).map(channel).collect()
    }))
}
