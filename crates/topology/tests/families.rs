//! Every family of topologies: how many nodes and links, which ports, how far apart, how wide.

use packet::NodeId;
use topology::{Graph, Routes, RoutingSpec, TopologySpec};

const CABLES: [&str; 2] = ["copper", "fibre"];

fn spec(text: &str) -> TopologySpec {
    let options = ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES)
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    options.from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn two_cables(text: &str) -> String {
    text.replace("..", r#"host_cable: "copper", trunk_cable: "fibre""#)
}

fn graph(text: &str) -> Graph {
    spec(&two_cables(text)).build(&CABLES).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What is known of a fabric.
struct Known {
    text: &'static str,
    hosts: usize,
    switches: usize,
    /// Links between switches.
    trunks: usize,
    /// Ports of the switch with most and of that with fewest.
    ports: (usize, usize),
    /// Links between the two hosts that are furthest apart, by the topology's own routing.
    diameter: usize,
    /// The fewest cables to cut so that the first half of the switches that have hosts is parted from the
    /// other half; nothing if no formula is known.
    bisection: Option<usize>,
}

const KNOWN: &[Known] = &[
    Known {
        text: r#"Crossbar(hosts: 16, host_cable: "copper")"#,
        hosts: 16,
        switches: 1,
        trunks: 0,
        ports: (16, 16),
        diameter: 2,
        bisection: None,
    },
    Known {
        text: "Chain(hosts: [5, 6], parallel: 3, ..)",
        hosts: 11,
        switches: 2,
        trunks: 3,
        ports: (9, 8),
        diameter: 3,
        bisection: Some(3),
    },
    Known {
        text: "Chain(hosts: [2, 0, 1, 2], ..)",
        hosts: 5,
        switches: 4,
        trunks: 3,
        ports: (3, 2),
        diameter: 5,
        bisection: None,
    },
    // A k-ary n-tree: k^n hosts, n k^(n-1) switches, and as wide as half its hosts.
    Known {
        text: "KaryNTree(arity: 2, levels: 4, ..)",
        hosts: 16,
        switches: 32,
        trunks: 3 * 16,
        ports: (4, 2),
        diameter: 8,
        bisection: Some(8),
    },
    Known {
        text: "KaryNTree(arity: 4, levels: 3, ..)",
        hosts: 64,
        switches: 48,
        trunks: 2 * 64,
        ports: (8, 4),
        diameter: 6,
        bisection: Some(32),
    },
    Known {
        text: "KaryNTree(arity: 7, levels: 1, ..)",
        hosts: 7,
        switches: 1,
        trunks: 0,
        ports: (7, 7),
        diameter: 2,
        bisection: None,
    },
    Known {
        text: "Dcs648(..)",
        hosts: 648,
        switches: 54,
        trunks: 648,
        ports: (36, 36),
        diameter: 4,
        bisection: Some(324),
    },
    // Twice as many hosts as uplinks, two cables to each spine.
    Known {
        text: "FatTree(down: [8, 6], up: [2], parallel: [2], ..)",
        hosts: 48,
        switches: 8,
        trunks: 24,
        ports: (12, 12),
        diameter: 4,
        bisection: Some(12),
    },
    // Six leaves in each half, with two uplinks each: the tiers above are wider.
    Known {
        text: "FatTree(down: [4, 3, 4], up: [2, 3], parallel: [1, 2], ..)",
        hosts: 48,
        switches: 12 + 4 * 2 + 6,
        trunks: 24 + 8 * 3 * 2,
        ports: (9, 6),
        diameter: 6,
        bisection: Some(6 * 2),
    },
    // An Omega network: k^n hosts, n k^(n-1) switches, (n-1) k^n cables between stages; and the taps.
    Known {
        text: r#"Omega(arity: 2, stages: 3, cable: "copper")"#,
        hosts: 8,
        switches: 12 + 8,
        trunks: 16 + 16,
        ports: (4, 3),
        diameter: 6,
        bisection: None,
    },
    Known {
        text: r#"Omega(arity: 8, stages: 2, cable: "copper")"#,
        hosts: 64,
        switches: 16 + 64,
        trunks: 64 + 128,
        ports: (16, 3),
        diameter: 5,
        bisection: None,
    },
    // A mesh of n^d: bisection n^(d-1), diameter d (n - 1) between switches.
    Known {
        text: "Mesh(sizes: [4, 4], hosts: 2, ..)",
        hosts: 32,
        switches: 16,
        trunks: 24,
        ports: (6, 4),
        diameter: 8,
        bisection: Some(4),
    },
    // A torus of n^d: d n^d cables, bisection 2 n^(d-1), diameter d (n / 2).
    Known {
        text: "Torus(sizes: [4, 4, 4], hosts: 1, ..)",
        hosts: 64,
        switches: 64,
        trunks: 192,
        ports: (7, 7),
        diameter: 8,
        bisection: Some(32),
    },
    Known {
        text: "Torus(sizes: [5, 3], hosts: 1, parallel: [1, 2], ..)",
        hosts: 15,
        switches: 15,
        trunks: 45,
        ports: (7, 7),
        diameter: 5,
        bisection: None,
    },
    Known {
        text: "Torus(sizes: [6], hosts: 3, ..)",
        hosts: 18,
        switches: 6,
        trunks: 6,
        ports: (5, 5),
        diameter: 5,
        bisection: Some(2),
    },
    Known {
        text: "Torus(sizes: [2, 2], hosts: 1, ..)",
        hosts: 4,
        switches: 4,
        trunks: 4,
        ports: (3, 3),
        diameter: 4,
        bisection: Some(2),
    },
    // A HyperX: diameter its dimensions; a row of n cut in the middle is cut n^2 / 4 times.
    Known {
        text: "HyperX(sizes: [4, 3], hosts: 2, ..)",
        hosts: 24,
        switches: 12,
        trunks: 3 * 6 + 4 * 3,
        ports: (7, 7),
        diameter: 4,
        bisection: Some(3 * 4),
    },
    Known {
        text: "HyperX(sizes: [3, 3], hosts: 1, parallel: [2, 1], ..)",
        hosts: 9,
        switches: 9,
        trunks: 9 * 2 + 9,
        ports: (7, 7),
        diameter: 4,
        bisection: None,
    },
    // A dragonfly: g (a (a-1) / 2) cables within groups and g a h / 2 between them.
    Known {
        text: r#"Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: "copper", local_cable: "copper", global_cable: "fibre")"#,
        hosts: 72,
        switches: 36,
        trunks: 9 * 6 + 36,
        ports: (7, 7),
        diameter: 5,
        bisection: None,
    },
    Known {
        text: r#"Dragonfly(routers: 4, hosts: 2, global: 2, groups: 5, host_cable: "copper", local_cable: "copper", global_cable: "fibre")"#,
        hosts: 40,
        switches: 20,
        trunks: 5 * 6 + 20,
        ports: (7, 7),
        diameter: 5,
        bisection: None,
    },
];

fn nodes(graph: &Graph) -> impl Iterator<Item = NodeId> {
    graph.host_ids().chain(graph.switch_ids())
}

/// The fewest cables that part these hosts from the others: as many ways as can be found that share none.
fn fewest_cut(graph: &Graph, left: &dyn Fn(NodeId) -> bool) -> usize {
    // Free cables by node and port, in one direction each.
    let mut free: Vec<Vec<i32>> = (0..graph.nodes() as u32)
        .map(|n| graph.ports(NodeId(n)).iter().map(|end| i32::from(!graph.is_host(end.peer))).collect())
        .collect();
    let sources: Vec<NodeId> =
        graph.host_ids().filter(|host| left(*host)).map(|host| graph.ports(host)[0].peer).collect();
    let is_end = |n: NodeId| graph.ports(n).iter().any(|end| graph.is_host(end.peer) && !left(end.peer));
    let mut ways = 0;
    loop {
        let mut before = vec![None; graph.nodes()];
        let mut queue: Vec<NodeId> = sources.clone();
        let mut at = 0;
        let end = loop {
            let Some(&n) = queue.get(at) else { break None };
            if is_end(n) {
                break Some(n);
            }
            at += 1;
            for (port, end) in graph.ports(n).iter().enumerate() {
                let fresh = before[end.peer.index()].is_none() && !sources.contains(&end.peer);
                if free[n.index()][port] > 0 && fresh {
                    before[end.peer.index()] = Some((n, port));
                    queue.push(end.peer);
                }
            }
        };
        let Some(mut n) = end else { return ways };
        while let Some((from, port)) = before[n.index()] {
            let end = graph.ports(from)[port];
            free[from.index()][port] -= 1;
            free[end.peer.index()][end.peer_port.index()] += 1;
            n = from;
        }
        ways += 1;
    }
}

#[test]
fn nodes_links_and_ports_are_as_many_as_the_formulas_say() {
    for known in KNOWN {
        let graph = graph(known.text);
        let text = known.text;
        assert_eq!((graph.hosts(), graph.switches()), (known.hosts, known.switches), "{text}");
        let ends: usize = graph.switch_ids().map(|switch| graph.ports(switch).len()).sum();
        assert_eq!(ends, known.hosts + 2 * known.trunks, "{text}");
        let ports = || graph.switch_ids().map(|switch| graph.ports(switch).len());
        assert_eq!((ports().max(), ports().min()), (Some(known.ports.0), Some(known.ports.1)), "{text}");
    }
}

#[test]
fn a_ports_peers_peer_is_the_port_and_names_are_found() {
    for known in KNOWN {
        let graph = graph(known.text);
        for n in nodes(&graph) {
            for (port, end) in graph.ports(n).iter().enumerate() {
                let back = graph.ports(end.peer)[end.peer_port.index()];
                assert_eq!((back.peer, back.peer_port.index(), back.cable), (n, port, end.cable));
            }
            assert_eq!(graph.find(graph.name(n)), Some(n), "{}", known.text);
        }
    }
}

/// By the topology's own routing, and by all others that go with it.
#[test]
fn every_host_reaches_every_other() {
    for known in KNOWN {
        let (graph, spec) = (graph(known.text), spec(&two_cables(known.text)));
        let up_down = RoutingSpec::UpDown { roots: Vec::new() };
        for routing in [RoutingSpec::Native, RoutingSpec::MinHop, RoutingSpec::Random, up_down] {
            let Ok(routes) = spec.routes(&graph, &routing, 1) else {
                assert!(known.text.starts_with("Omega") && routing != RoutingSpec::Native);
                continue;
            };
            let mut longest = 0;
            for from in graph.host_ids() {
                for to in graph.host_ids().filter(|to| *to != from) {
                    let path = routes.path(&graph, from, to);
                    longest = longest.max(path.expect("every pair is connected").len());
                }
            }
            if routing == RoutingSpec::Native {
                assert_eq!(longest, known.diameter, "{}", known.text);
            }
        }
    }
}

/// Where the routing takes shortest ways, each is as long as one of min-hop's.
#[test]
fn ways_that_are_to_be_shortest_are() {
    for known in KNOWN.iter().filter(|known| !known.text.starts_with("Omega")) {
        if known.text.starts_with("Dragonfly") {
            continue; // Two cables between groups can be shorter than one between two within groups.
        }
        let graph = graph(known.text);
        let own = spec(&two_cables(known.text)).routes(&graph, &RoutingSpec::Native, 1).expect("its own");
        let (shortest, random) = (Routes::min_hop(&graph), Routes::random(&graph, 7));
        for from in graph.host_ids().step_by(3) {
            for to in graph.host_ids() {
                let length = |routes: &Routes| routes.path(&graph, from, to).map(|path| path.len());
                assert_eq!(length(&own), length(&shortest), "{}", known.text);
                assert_eq!(length(&random), length(&shortest), "{}", known.text);
            }
        }
    }
}

#[test]
fn a_fabric_is_as_wide_as_its_formula_says() {
    for known in KNOWN {
        let Some(bisection) = known.bisection else { continue };
        let graph = graph(known.text);
        let edges: Vec<NodeId> = graph.host_ids().map(|host| graph.ports(host)[0].peer).collect();
        let mut distinct = edges.clone();
        distinct.dedup();
        let half = distinct[distinct.len() / 2];
        let left = |host: NodeId| edges[host.index()] < half;
        assert_eq!(fewest_cut(&graph, &left), bisection, "{}", known.text);
    }
}

#[test]
fn ports_are_where_the_documentation_says() {
    let at = |graph: &Graph, switch: &str| {
        let peers = graph.ports(graph.find(switch).expect("a switch")).iter();
        peers.map(|end| graph.name(end.peer)).collect::<Vec<_>>().join(" ")
    };
    let chain = graph("Chain(hosts: [1, 1, 0], parallel: 2, ..)");
    assert_eq!(at(&chain, "s2"), "h2 s1 s1 s3 s3");
    let tree = graph("FatTree(down: [2, 2, 2], up: [2, 1], parallel: [2, 1], ..)");
    assert_eq!(at(&tree, "leaf2"), "h3 h4 tier2.1 tier2.2 tier2.1 tier2.2");
    assert_eq!(at(&tree, "tier2.3"), "leaf3 leaf4 leaf3 leaf4 spine1");
    assert_eq!(at(&tree, "spine2"), "tier2.2 tier2.4");
    let omega = graph(r#"Omega(arity: 2, stages: 2, cable: "copper")"#);
    assert_eq!(at(&omega, "tap2"), "h2 stage1.2 stage2.1");
    assert_eq!(at(&omega, "stage1.2"), "tap2 tap4 stage2.1 stage2.2");
    assert_eq!(at(&omega, "stage2.1"), "stage1.1 stage1.2 tap1 tap2");
    let mesh = graph("Mesh(sizes: [2, 3], hosts: 1, ..)");
    assert_eq!(at(&mesh, "s1.1"), "h1 s2.1 s1.2");
    assert_eq!(at(&mesh, "s2.2"), "h5 s1.2 s2.3 s2.1");
    let torus = graph("Torus(sizes: [4], hosts: 1, parallel: [2], ..)");
    assert_eq!(at(&torus, "s1"), "h1 s2 s4 s2 s4");
    let hyperx = graph("HyperX(sizes: [2, 3], hosts: 1, ..)");
    assert_eq!(at(&hyperx, "s1.2"), "h2 s2.2 s1.1 s1.3");
    let dragonfly = graph(
        r#"Dragonfly(routers: 2, hosts: 1, global: 1, host_cable: "copper", local_cable: "copper", global_cable: "fibre")"#,
    );
    assert_eq!(at(&dragonfly, "g1.r1"), "h1 g1.r2 g2.r2");
    assert_eq!(at(&dragonfly, "g1.r2"), "h2 g1.r1 g3.r1");
    assert_eq!(at(&dragonfly, "g3.r2"), "h6 g3.r1 g2.r1");
}

/// The two-tier Clos is a fat tree of half its radix: names, ports and tables.
#[test]
fn special_forms_are_the_general_one() {
    for (special, general) in [
        ("Clos(radix: 6, ..)", "FatTree(down: [3, 6], up: [3], ..)"),
        ("KaryNTree(arity: 3, levels: 3, ..)", "FatTree(down: [3, 3, 3], up: [3, 3], ..)"),
        ("Dcs648(..)", "Clos(radix: 36, ..)"),
    ] {
        assert_eq!(graph(special), graph(general));
        let tables = |text: &str| {
            spec(&two_cables(text)).routes(&graph(text), &RoutingSpec::Native, 1).expect("its own")
        };
        assert_eq!(tables(special), tables(general), "{special}");
    }
}

/// A shuffle is its own inverse after n of them, so an Omega network delivers; every pair has one way.
#[test]
fn data_cross_an_omega_network_from_the_first_stage_to_the_last() {
    let (graph, spec) = (
        graph(r#"Omega(arity: 4, stages: 3, cable: "copper")"#),
        spec(r#"Omega(arity: 4, stages: 3, cable: "copper")"#),
    );
    let routes = spec.routes(&graph, &RoutingSpec::DestinationTags, 1).expect("its own");
    for from in graph.host_ids() {
        for to in graph.host_ids().filter(|to| *to != from) {
            let path = routes.path(&graph, from, to).expect("a way");
            let names: Vec<_> = path.iter().map(|(n, _)| graph.name(*n)).collect();
            let stages: Vec<_> =
                names.iter().filter_map(|name| name.split_once('.')).map(|(s, _)| s).collect();
            assert_eq!(stages, ["stage1", "stage2", "stage3"], "{names:?}");
        }
    }
}
