//! Properties of every graph and of all tables.

use packet::{NodeId, PortId};
use proptest::prelude::*;
use settings::SettingError;
use topology::{Clos, CustomFabric, Graph, LinkEnds, Routes, SwitchWithHosts, TopologySpec, TwoSwitches};

const CABLES: [&str; 2] = ["copper", "fibre"];

fn graph(spec: &TopologySpec) -> Graph {
    spec.build(&CABLES).expect("a good fabric").graph().clone()
}

fn clos(radix: u16) -> Graph {
    let (host_cable, trunk_cable) = ("copper".to_owned(), "fibre".to_owned());
    graph(&TopologySpec::Clos(Clos { radix, host_cable, trunk_cable }))
}

fn custom(hosts: &[String], switches: &[String], links: &[(String, String)]) -> Graph {
    let link = |(from, to): &(String, String)| LinkEnds {
        from: from.clone(),
        to: to.clone(),
        cable: "copper".to_owned(),
        from_port: None,
        to_port: None,
    };
    let links = links.iter().map(link).collect();
    graph(&TopologySpec::Custom(CustomFabric { hosts: hosts.to_vec(), switches: switches.to_vec(), links }))
}

/// Generates switches connected at random, with parallel links, unreachable parts, and hosts on some of them.
fn any_fabric() -> impl Strategy<Value = Graph> {
    (1..8usize).prop_flat_map(|switches| {
        let homes = prop::collection::vec(0..switches, 1..12);
        let trunks = prop::collection::vec((0..switches, 0..switches), 0..20);
        (Just(switches), homes, trunks).prop_map(|(switches, homes, trunks)| {
            let s = |i: usize| format!("s{i}");
            let hosts: Vec<String> = (0..homes.len()).map(|i| format!("h{i}")).collect();
            let trunks = trunks.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (s(a), s(b)));
            let links: Vec<_> = trunks.chain(hosts.iter().cloned().zip(homes.into_iter().map(s))).collect();
            custom(&hosts, &(0..switches).map(s).collect::<Vec<_>>(), &links)
        })
    })
}

fn assert_symmetric(graph: &Graph) {
    for n in graph.host_ids().chain(graph.switch_ids()) {
        for (port, end) in (0..).map(PortId).zip(graph.ports(n)) {
            let back = graph.ports(end.peer)[end.peer_port.index()];
            assert_eq!((back.peer, back.peer_port, back.cable), (n, port, end.cable));
        }
        assert_eq!(graph.find(graph.name(n)), Some(n));
        assert!(!graph.is_host(n) || graph.ports(n).len() == 1);
    }
}

fn two_switches(left: &[(&str, u16)], right: &[(&str, u16)]) -> Graph {
    let side = |name: &str, hosts: &[(&str, u16)]| SwitchWithHosts {
        name: name.to_owned(),
        hosts: hosts.iter().map(|(group, count)| ((*group).to_owned(), *count)).collect(),
    };
    let (host_cable, trunk_cable) = ("copper".to_owned(), "fibre".to_owned());
    let two = TwoSwitches { left: side("A", left), right: side("B", right), host_cable, trunk_cable };
    graph(&TopologySpec::TwoSwitches(two))
}

#[test]
fn two_switches_have_their_hosts_first_and_each_other_last() {
    let graph = two_switches(&[("V", 1), ("R", 2)], &[("L", 2), ("C", 1)]);
    assert_symmetric(&graph);
    assert_eq!(graph.host_names().collect::<Vec<_>>(), ["R1", "R2", "V1", "C1", "L1", "L2"]);
    let (a, b) = (graph.find("A").unwrap(), graph.find("B").unwrap());
    let at = |switch| graph.ports(switch).iter().map(|end| graph.name(end.peer)).collect::<Vec<_>>();
    assert_eq!(at(a), ["R1", "R2", "V1", "B"]);
    assert_eq!(at(b), ["C1", "L1", "L2", "A"]);
    let cables = |switch| graph.ports(switch).iter().map(|end| end.cable).collect::<Vec<_>>();
    assert_eq!((cables(a), cables(b)), (vec![0, 0, 0, 1], vec![0, 0, 0, 1]));
}

/// Returns the number of links on a shortest path through switches, by repeated relaxation: slow and plain.
fn links_between(graph: &Graph, from: NodeId, to: NodeId) -> Option<usize> {
    let mut distance = vec![None; graph.nodes()];
    distance[to.index()] = Some(0);
    for _ in 0..graph.nodes() {
        for n in graph.host_ids().chain(graph.switch_ids()) {
            let passable = |peer: NodeId| peer == to || !graph.is_host(peer);
            let ends = graph.ports(n).iter().filter(|end| passable(end.peer));
            let best = ends.filter_map(|end| distance[end.peer.index()].map(|d: usize| d + 1)).min();
            if n != to {
                distance[n.index()] = best;
            }
        }
    }
    distance[from.index()]
}

proptest! {
    #[test]
    fn a_ports_peers_peer_is_the_port(graph in any_fabric()) {
        assert_symmetric(&graph);
    }

    /// Paths exist exactly where the fabric is connected, are shortest, and follow the cables.
    #[test]
    fn paths_are_shortest_and_never_loop(graph in any_fabric()) {
        let routes = Routes::min_hop(&graph);
        for from in graph.host_ids() {
            for to in graph.host_ids() {
                let path = routes.path(&graph, from, to);
                prop_assert_eq!(path.as_ref().map(Vec::len), links_between(&graph, from, to));
                let mut at = from;
                for (n, port) in path.unwrap_or_default() {
                    prop_assert_eq!(n, at);
                    at = graph.ports(n)[port.index()].peer;
                }
            }
        }
    }

    /// Hosts of one leaf are reached over different spines, so every uplink carries an equal share.
    #[test]
    fn a_clos_spreads_destinations_evenly(half in 1..7u16) {
        let graph = clos(2 * half);
        assert_symmetric(&graph);
        let routes = Routes::min_hop(&graph);
        let (half, leaves) = (usize::from(half), 2 * usize::from(half));
        for leaf in graph.switch_ids().take(leaves) {
            let mut by_port = vec![0; leaves];
            routes.table(leaf).first_ports().flatten().for_each(|port| by_port[port.index()] += 1);
            prop_assert!(by_port[..half].iter().all(|n| *n == 1));
            prop_assert!(by_port[half..].iter().all(|n| *n == leaves - 1));
        }
    }

    #[test]
    fn all_pairs_of_a_clos_are_at_most_four_links_apart(half in 1..6u16) {
        let graph = clos(2 * half);
        let routes = Routes::min_hop(&graph);
        for from in graph.host_ids() {
            for to in graph.host_ids().filter(|to| *to != from) {
                let links = routes.path(&graph, from, to).expect("a Clos is connected").len();
                let same_leaf = from.index() / usize::from(half) == to.index() / usize::from(half);
                prop_assert_eq!(links, if same_leaf { 2 } else { 4 });
            }
        }
    }
}

#[test]
fn the_ports_of_a_clos_are_where_its_documentation_says() {
    let graph = clos(4);
    assert_eq!((graph.hosts(), graph.switches()), (8, 6));
    let names: Vec<&str> = graph.names().collect();
    let expected = "h1 h2 h3 h4 h5 h6 h7 h8 leaf1 leaf2 leaf3 leaf4 spine1 spine2";
    assert_eq!(names.join(" "), expected);
    let port = |node: &str, number: u16| graph.ports(graph.find(node).unwrap())[usize::from(number) - 1];
    assert_eq!(graph.name(port("leaf2", 1).peer), "h3");
    assert_eq!(graph.name(port("leaf2", 4).peer), "spine2");
    assert_eq!(graph.name(port("spine2", 3).peer), "leaf3");
    assert_eq!((CABLES[port("h1", 1).cable], CABLES[port("spine1", 1).cable]), ("copper", "fibre"));
    let far = port("spine2", 3);
    assert_eq!(graph.port_number((far.peer, far.peer_port)), 4);
}

#[test]
fn destination_modulo_k_chooses_the_spine() {
    let graph = clos(4);
    let routes = Routes::min_hop(&graph);
    let via = |from: &str, to: &str| {
        let path = routes.path(&graph, graph.find(from).unwrap(), graph.find(to).unwrap()).unwrap();
        path.iter()
            .map(|(n, port)| format!("{}:{}", graph.name(*n), graph.port_number((*n, *port))))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(via("h1", "h7"), "h1:1 leaf1:3 spine1:4 leaf4:1");
    assert_eq!(via("h1", "h8"), "h1:1 leaf1:4 spine2:4 leaf4:2");
    assert_eq!(via("h2", "h1"), "h2:1 leaf1:1");
}

#[test]
fn two_hosts_back_to_back_need_no_switch() {
    let [a, b, c] = ["a", "b", "c"].map(str::to_owned);
    let graph = custom(&[a.clone(), b.clone()], &[], &[(a, b.clone())]);
    let routes = Routes::min_hop(&graph);
    let (first, second) = (NodeId(0), NodeId(1));
    assert_eq!(routes.path(&graph, first, second), Some(vec![(first, PortId(0))]));
    assert_eq!(routes.path(&graph, first, first), Some(vec![]));
    let apart = custom(
        &[b, c],
        &["s".to_owned(), "t".to_owned()],
        &[("b".to_owned(), "s".to_owned()), ("c".to_owned(), "t".to_owned())],
    );
    assert_eq!(Routes::min_hop(&apart).path(&apart, first, second), None);
    assert_eq!(Routes::min_hop(&apart).path(&apart, first, NodeId(2)), None);
}

/// Ports stand in the order of the numbers that links give them, whatever the order of the links.
#[test]
fn ports_stand_in_the_order_of_their_numbers() {
    let end = |name: &str| name.to_owned();
    let link = |from: &str, from_port, to: &str, to_port| LinkEnds {
        from: end(from),
        to: end(to),
        cable: "copper".to_owned(),
        from_port,
        to_port,
    };
    let links = vec![
        link("a", Some(36), "b", Some(7)),
        link("h1", None, "a", Some(3)),
        link("b", Some(9), "h3", None),
        link("a", Some(1), "h2", Some(1)),
    ];
    let names = |names: &[&str]| names.iter().map(|name| end(name)).collect::<Vec<_>>();
    let fabric =
        |links| CustomFabric { hosts: names(&["h1", "h2", "h3"]), switches: names(&["a", "b"]), links };
    let graph = graph(&TopologySpec::Custom(fabric(links.clone())));
    let peers = |name: &str| {
        let ports = graph.ports(graph.find(name).expect("a switch"));
        ports.iter().map(|port| graph.name(port.peer)).collect::<Vec<_>>()
    };
    assert_eq!((peers("a"), peers("b")), (vec!["h2", "h1", "b"], vec!["a", "h3"]));
    let [a, b, h2] = ["a", "b", "h2"].map(|name| graph.find(name).expect("a node"));
    assert_eq!(graph.port_numbers(a).collect::<Vec<_>>(), [1, 3, 36]);
    assert_eq!((graph.listed_ports(b), graph.listed_ports(h2)), ("7, 9".to_owned(), "1".to_owned()));
    assert_eq!((graph.port_numbered(a, 36), graph.port_numbered(a, 2)), (Some(PortId(2)), None));
    assert_eq!(graph.select_ports("a:36"), Ok(vec![(a, PortId(2))]));
    assert!(graph.select_ports("a:2").is_err());

    let fails = |change: fn(&mut LinkEnds), path: &str, message: &str| {
        let mut links = links.clone();
        change(&mut links[3]);
        let fault = TopologySpec::Custom(fabric(links)).build(&CABLES).expect_err("it has a fault").fault();
        assert_eq!((fault.path.to_string().as_str(), fault.message.as_str()), (path, message));
    };
    fails(
        |link| link.from_port = Some(36),
        "links[3].from_port",
        "port 36 of this switch has a cable already",
    );
    fails(|link| link.from_port = Some(1024), "links[3].from_port", "1024 is out of range");
    let partly = "some links of this switch give the number of their port, and others do not";
    fails(|link| link.from_port = None, "links[3].from_port", partly);
}
