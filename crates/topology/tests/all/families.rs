//! Every family of topologies: numbers of nodes and links, ports, diameter, bisection, and reachability under
//! every routing.
//!
//! Families and routings come from `examples()`. A family without an entry in [`known`] does not compile.

use packet::NodeId;
use topology::{
    Graph, GroupState, GroupsSpec, Routes, RoutingErrorKind, RoutingSpec, TableRun, Topology, TopologySpec,
    hpcc, written_table,
};

const CABLES: [&str; 2] = ["copper", "fibre"];

/// A file for the family that is read from a file: two hosts at each of two switches.
const HPCC_FILE: &str =
    "6 2 5\n4 5\n0 4 1Gbps 1us 0\n1 4 1Gbps 1us 0\n2 5 1Gbps 1us 0\n3 5 1Gbps 1us 0\n4 5 1Gbps 1us 0\n";

fn spec(text: &str) -> TopologySpec {
    let options = ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES)
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    let text = text.replace("..", r#"host_cable: "copper", trunk_cable: "fibre""#);
    options.from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn topology(text: &str) -> Topology {
    spec(text).build(&CABLES).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn graph(text: &str) -> Graph {
    topology(text).graph().clone()
}

/// The known properties of a fabric.
struct Known {
    text: &'static str,
    hosts: usize,
    switches: usize,
    /// Number of links between switches.
    trunks: usize,
    /// Ports of the switch with most ports, and of that with fewest.
    ports: (usize, usize),
    /// Number of links between the two hosts that are furthest apart, by the topology's own routing.
    diameter: usize,
    /// The fewest cables to cut so that the first half of the switches that have hosts is separated from the
    /// other half; nothing if no formula is known.
    bisection: Option<usize>,
}

/// Returns the fabrics of a family with properties that are known from formulas.
fn known(family: &TopologySpec) -> &'static [Known] {
    match family {
        // Fabrics without parameters have no formula.
        TopologySpec::Custom(_) | TopologySpec::HpccFile(_) => &[],
        TopologySpec::Clos(_) => CLOS,
        TopologySpec::TwoSwitches(_) => TWO_SWITCHES,
        TopologySpec::Crossbar(_) => CROSSBAR,
        TopologySpec::Chain(_) => CHAIN,
        TopologySpec::FatTree(_) => FAT_TREE,
        TopologySpec::KaryNTree(_) => K_ARY_N_TREE,
        TopologySpec::Dcs648(_) => DCS648,
        TopologySpec::Omega(_) => OMEGA,
        TopologySpec::Mesh(_) => MESH,
        TopologySpec::Torus(_) => TORUS,
        TopologySpec::HyperX(_) => HYPERX,
        TopologySpec::Dragonfly(_) => DRAGONFLY,
    }
}

fn all_known() -> impl Iterator<Item = &'static Known> {
    TopologySpec::examples("copper").into_iter().flat_map(|family| known(&family))
}

/// Returns the example of each family, and the fabrics that formulas describe.
pub(crate) fn fabrics() -> impl Iterator<Item = (TopologySpec, Topology)> {
    let examples = TopologySpec::examples("copper").into_iter().map(|family| {
        let topology = match &family {
            TopologySpec::HpccFile(_) => {
                let fabric = hpcc::read(HPCC_FILE).expect("a good file");
                TopologySpec::Custom(fabric.custom).build(&["1 Gb/s, 1 us"])
            }
            _ => family.build(&CABLES),
        };
        let topology = topology.unwrap_or_else(|error| panic!("{family:?}: {error}"));
        (family, topology)
    });
    examples.chain(all_known().map(|known| (spec(known.text), topology(known.text))))
}

/// Returns true if a routing is for a family.
fn fits(routing: &RoutingSpec, family: &TopologySpec) -> bool {
    use TopologySpec as T;
    match routing {
        RoutingSpec::Native
        | RoutingSpec::Adaptive { groups: GroupsSpec::Parallel }
        | RoutingSpec::Written(_)
        | RoutingSpec::Tables(_) => true,
        RoutingSpec::MinHop
        | RoutingSpec::Random
        | RoutingSpec::Ecmp
        | RoutingSpec::Adaptive { groups: GroupsSpec::Shortest }
        | RoutingSpec::UpDown { .. } => !matches!(family, T::Omega(_)),
        RoutingSpec::DModK => {
            matches!(family, T::Clos(_) | T::FatTree(_) | T::KaryNTree(_) | T::Dcs648(_))
        }
        RoutingSpec::DimensionOrder => matches!(family, T::Mesh(_) | T::Torus(_) | T::HyperX(_)),
        RoutingSpec::Valiant(_) | RoutingSpec::Ugal(_) | RoutingSpec::Par(_) => {
            matches!(family, T::HyperX(_) | T::Dragonfly(_))
        }
        RoutingSpec::DestinationTags => matches!(family, T::Omega(_)),
        RoutingSpec::DragonflyMinimal => matches!(family, T::Dragonfly(_)),
    }
}

const CLOS: &[Known] = &[
    // Of radix k: k^2/2 hosts, k leaves and k/2 spines, as wide as half its hosts.
    Known {
        text: "Clos(radix: 6, ..)",
        hosts: 18,
        switches: 9,
        trunks: 18,
        ports: (6, 6),
        diameter: 4,
        bisection: Some(9),
    },
];

const TWO_SWITCHES: &[Known] = &[Known {
    text: r#"TwoSwitches(left: (name: "A", hosts: {"R": 5}), right: (name: "B", hosts: {"L": 3}), ..)"#,
    hosts: 8,
    switches: 2,
    trunks: 1,
    ports: (6, 4),
    diameter: 3,
    bisection: Some(1),
}];

const CROSSBAR: &[Known] = &[Known {
    text: r#"Crossbar(hosts: 16, host_cable: "copper")"#,
    hosts: 16,
    switches: 1,
    trunks: 0,
    ports: (16, 16),
    diameter: 2,
    bisection: None,
}];

const CHAIN: &[Known] = &[
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
];

const FAT_TREE: &[Known] = &[
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
];

const K_ARY_N_TREE: &[Known] = &[
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
];

const DCS648: &[Known] = &[Known {
    text: "Dcs648(..)",
    hosts: 648,
    switches: 54,
    trunks: 648,
    ports: (36, 36),
    diameter: 4,
    bisection: Some(324),
}];

const OMEGA: &[Known] = &[
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
];

const MESH: &[Known] = &[
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
];

const TORUS: &[Known] = &[
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
];

const HYPERX: &[Known] = &[
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
];

const DRAGONFLY: &[Known] = &[
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

/// Returns the fewest cables to cut between these hosts and the others: as many as there are paths that share none.
fn fewest_cut(graph: &Graph, left: &dyn Fn(NodeId) -> bool) -> usize {
    // Free cables by node and port, in one direction each.
    let mut free: Vec<Vec<i32>> = (0..graph.nodes() as u32)
        .map(|n| graph.ports(NodeId(n)).iter().map(|end| i32::from(!graph.is_host(end.peer))).collect())
        .collect();
    let sources: Vec<NodeId> =
        graph.host_ids().filter(|host| left(*host)).map(|host| graph.ports(host)[0].peer).collect();
    let is_end = |n: NodeId| graph.ports(n).iter().any(|end| graph.is_host(end.peer) && !left(end.peer));
    let mut paths = 0;
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
        let Some(mut n) = end else { return paths };
        while let Some((from, port)) = before[n.index()] {
            let end = graph.ports(from)[port];
            free[from.index()][port] -= 1;
            free[end.peer.index()][end.peer_port.index()] += 1;
            n = from;
        }
        paths += 1;
    }
}

#[test]
fn nodes_links_and_ports_are_as_many_as_the_formulas_say() {
    for known in all_known() {
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
    for (family, topology) in fabrics() {
        let graph = topology.graph();
        for n in nodes(graph) {
            for (port, end) in graph.ports(n).iter().enumerate() {
                let back = graph.ports(end.peer)[end.peer_port.index()];
                assert_eq!((back.peer, back.peer_port.index(), back.cable), (n, port, end.cable));
            }
            assert_eq!(graph.find(graph.name(n)), Some(n), "{family:?}");
        }
    }
}

/// Returns the tables of the topology's own rule, written out.
fn own_tables(topology: &Topology) -> RoutingSpec {
    tables_of(topology, &RoutingSpec::Native)
}

/// Returns the tables of a routing, written out.
pub(crate) fn tables_of(topology: &Topology, routing: &RoutingSpec) -> RoutingSpec {
    let (graph, routes) = (topology.graph(), topology.routes(routing, 1).expect("it fits"));
    let table = |switch| {
        let run = |to| {
            let ports = routes.ports(switch, to).map(|port| port.0 + 1).collect();
            TableRun { ports, state: GroupState::Adaptive, hosts: 1 }
        };
        (graph.name(switch).to_owned(), written_table(graph.host_ids().map(run)))
    };
    RoutingSpec::Tables(graph.switch_ids().map(table).collect())
}

#[test]
fn tables_written_out_are_those_of_the_rule() {
    for (family, topology) in fabrics() {
        let rule = topology.routes(&RoutingSpec::Native, 1).expect("its own");
        let tables = topology.routes(&own_tables(&topology), 1).expect("those of the rule");
        let graph = topology.graph();
        for (at, to) in graph.switch_ids().flat_map(|at| graph.host_ids().map(move |to| (at, to))) {
            assert_eq!(tables.output(at, to), rule.output(at, to), "{family:?}");
        }
    }
}

/// Every routing that is for a family reaches all its hosts, and the others are refused.
#[test]
fn every_host_reaches_every_other() {
    for (family, topology) in fabrics() {
        let graph = topology.graph();
        for routing in RoutingSpec::examples() {
            let routing =
                if matches!(routing, RoutingSpec::Tables(_)) { own_tables(&topology) } else { routing };
            let routes = match topology.routes(&routing, 1) {
                Ok(routes) => routes,
                Err(error) => {
                    assert!(matches!(error.kind(), RoutingErrorKind::DoesNotFit { .. }), "{error}");
                    assert!(!fits(&routing, &family), "{routing:?}, {family:?}");
                    continue;
                }
            };
            assert!(fits(&routing, &family), "{routing:?}, {family:?}");
            for from in graph.host_ids() {
                for to in graph.host_ids().filter(|to| *to != from) {
                    assert!(routes.path(graph, from, to).is_some(), "{routing:?}, {family:?}");
                }
            }
        }
    }
}

#[test]
fn the_longest_path_is_as_long_as_the_formula_says() {
    for known in all_known() {
        let topology = topology(known.text);
        let (graph, routes) = (topology.graph(), topology.routes(&RoutingSpec::Native, 1).expect("its own"));
        let length = |from, to| routes.path(graph, from, to).expect("every pair is connected").len();
        let pairs = graph.host_ids().flat_map(|from| graph.host_ids().map(move |to| (from, to)));
        let longest = pairs.map(|(from, to)| length(from, to)).max();
        assert_eq!(longest, Some(known.diameter), "{}", known.text);
    }
}

/// Routings that promise shortest paths have paths as short as min-hop has.
#[test]
fn paths_that_are_to_be_shortest_are() {
    for (family, topology) in fabrics() {
        // Two cables between groups of a dragonfly can be shorter than a cable between two within groups.
        if matches!(family, TopologySpec::Omega(_) | TopologySpec::Dragonfly(_)) {
            continue;
        }
        let graph = topology.graph();
        let own = topology.routes(&RoutingSpec::Native, 1).expect("its own");
        let (shortest, random) = (Routes::min_hop(graph), Routes::random(graph, 7));
        for from in graph.host_ids().step_by(3) {
            for to in graph.host_ids() {
                let length = |routes: &Routes| routes.path(graph, from, to).map(|path| path.len());
                assert_eq!(length(&own), length(&shortest), "{family:?}");
                assert_eq!(length(&random), length(&shortest), "{family:?}");
            }
        }
    }
}

#[test]
fn a_fabric_is_as_wide_as_its_formula_says() {
    for known in all_known() {
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

/// The two-tier Clos is a fat tree of half its radix: names, ports and tables. It also has the tables of min-hop.
#[test]
fn special_forms_are_the_general_one() {
    for (special, general) in [
        ("Clos(radix: 6, ..)", "FatTree(down: [3, 6], up: [3], ..)"),
        ("KaryNTree(arity: 3, levels: 3, ..)", "FatTree(down: [3, 3, 3], up: [3, 3], ..)"),
        ("Dcs648(..)", "Clos(radix: 36, ..)"),
    ] {
        assert_eq!(graph(special), graph(general));
        let tables = |text: &str| topology(text).routes(&RoutingSpec::Native, 1).expect("its own");
        assert_eq!(tables(special), tables(general), "{special}");
    }
    let clos = topology("Clos(radix: 8, ..)");
    assert_eq!(clos.routes(&RoutingSpec::DModK, 1), clos.routes(&RoutingSpec::MinHop, 1));
}

/// n shuffles are the identity, so an Omega network delivers; every pair of hosts has one path.
#[test]
fn data_cross_an_omega_network_from_the_first_stage_to_the_last() {
    let topology = topology(r#"Omega(arity: 4, stages: 3, cable: "copper")"#);
    let graph = topology.graph();
    let routes = topology.routes(&RoutingSpec::DestinationTags, 1).expect("its own");
    for from in graph.host_ids() {
        for to in graph.host_ids().filter(|to| *to != from) {
            let path = routes.path(graph, from, to).expect("a path");
            let names: Vec<_> = path.iter().map(|(n, _)| graph.name(*n)).collect();
            let stages: Vec<_> =
                names.iter().filter_map(|name| name.split_once('.')).map(|(s, _)| s).collect();
            assert_eq!(stages, ["stage1", "stage2", "stage3"], "{names:?}");
        }
    }
}
