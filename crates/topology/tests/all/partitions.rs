//! Partitions: balanced in every family, along racks and pods, and over long cables where there are some.

use packet::NodeId;
use topology::{Graph, Partition, TopologySpec, WeighedGraph};
use units::Span;

/// Work of a host and of each port of a switch, about as in a loaded fabric.
fn weighed<'a>(graph: &'a Graph, lookahead: &dyn Fn(usize) -> Span) -> WeighedGraph<'a> {
    let nodes = (0..graph.nodes() as u32).map(NodeId);
    let work = |node: NodeId| if graph.is_host(node) { 3 } else { 2 * graph.ports(node).len() as u64 };
    let lookaheads =
        nodes.clone().map(|node| graph.ports(node).iter().map(|end| lookahead(end.cable)).collect());
    WeighedGraph { graph, work: nodes.clone().map(work).collect(), lookaheads: lookaheads.collect() }
}

fn built(topology: &str) -> topology::Topology {
    let spec: TopologySpec = ron::from_str(topology).expect("a topology");
    spec.build(&["near", "far"]).expect("a topology that can be built")
}

const EQUAL: fn(usize) -> Span = |_| Span::from_ns(500);

/// Every family of more than one switch has parts of nearly equal work, whatever their number.
#[test]
fn parts_of_every_family_are_balanced() {
    for family in TopologySpec::examples("near") {
        let Ok(topology) = family.build(&["near"]) else { continue }; // A file that does not exist.
        let fabric = weighed(topology.graph(), &EQUAL);
        for parts in [2, 3] {
            let partition = Partition::balanced(&fabric, parts);
            let cost = partition.cost(&fabric);
            assert_eq!(partition.parts(), parts, "{family:?}");
            // A part has more than its share by at most the work of the largest switch.
            let largest = fabric.work.iter().max().expect("there are nodes");
            let mean = fabric.work.iter().sum::<u64>() / parts as u64;
            let most = cost.work.iter().max().expect("there are parts");
            assert!(*most <= mean * 11 / 10 + largest, "{family:?}: {cost:?}");
        }
    }
}

/// A fat tree of four pods in two or four parts is cut above the pods alone. Each of 4 pods has 2 cables up from each
/// of 2 switches.
#[test]
fn pods_stay_whole() {
    let tree = built("FatTree((down: [2, 2, 4], up: [2, 2], host_cable: \"near\", trunk_cable: \"near\"))");
    let graph = tree.graph();
    let fabric = weighed(graph, &EQUAL);
    for parts in [2, 4] {
        let partition = Partition::balanced(&fabric, parts);
        let cost = partition.cost(&fabric);
        assert!(cost.balance() <= 110, "{cost:?}");
        // Each of four roots has a cable to each pod, and lies in the part of one share of the pods.
        let cables = 4 * 4;
        assert!(cost.cut <= cables - cables / parts, "{parts} parts: {cost:?}");
        for (node, switch) in graph.host_ids().map(|host| (host, graph.ports(host)[0].peer)) {
            assert_eq!(partition.part_of(node.index()), partition.part_of(switch.index()), "a rack is cut");
        }
    }
}

/// Long cables are cut where that leaves balanced parts: a window is then as long as they are.
#[test]
fn long_cables_are_cut_first() {
    let chain = built("Chain((hosts: [4, 4, 4, 4], host_cable: \"near\", trunk_cable: \"far\"))");
    let lookahead = |cable: usize| Span::from_ns(if cable == 0 { 5 } else { 900 });
    let fabric = weighed(chain.graph(), &lookahead);
    let cost = Partition::balanced(&fabric, 2).cost(&fabric);
    assert_eq!((cost.window, cost.cut), (Some(Span::from_ns(900)), 1), "{cost:?}");
    let long_at_hosts = |cable: usize| lookahead(1 - cable);
    let fabric = weighed(chain.graph(), &long_at_hosts);
    let cost = Partition::balanced(&fabric, 2).cost(&fabric);
    assert!(cost.balance() <= 110 || cost.window == Some(Span::from_ns(5)), "{cost:?}");
}

/// Two fabrics without a cable between them are two parts, and their windows have no end.
#[test]
fn islands_are_not_cut() {
    let links = |switch: &str, hosts: [&str; 3]| {
        hosts.map(|host| format!("(from: \"{host}\", to: \"{switch}\", cable: \"near\")")).join(", ")
    };
    let islands = built(&format!(
        "Custom((hosts: [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"], switches: [\"s\", \"t\"], links: [{}, {}]))",
        links("s", ["a", "c", "e"]),
        links("t", ["b", "d", "f"])
    ));
    let fabric = weighed(islands.graph(), &EQUAL);
    let cost = Partition::balanced(&fabric, 2).cost(&fabric);
    assert_eq!((cost.window, cost.cut, cost.balance()), (None, 0, 100), "{cost:?}");
}

/// One switch and its hosts make two parts at most usefully, but any number is possible; no part is empty.
#[test]
fn small_fabrics_have_as_many_parts_as_nodes_at_most() {
    let crossbar = built("Crossbar((hosts: 3, host_cable: \"near\"))");
    let fabric = weighed(crossbar.graph(), &EQUAL);
    assert_eq!(Partition::balanced(&fabric, 4).parts(), 4);
    assert_eq!(Partition::balanced(&fabric, 5).parts(), 1);
    assert_eq!(Partition::balanced(&fabric, 1).parts(), 1);
}
