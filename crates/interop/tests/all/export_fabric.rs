//! Exports of fabrics. `import ibnetdiscover` of a net file and forwarding tables gives the same nodes, cables and
//! paths, by name and by number of port. Settings that a file cannot hold are named or refused.

use interop::export::addresses::Addresses;
use interop::export::{ExportError, Exported, ibsim, lfts};
use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::{ImportedScenario, KeyFate, SourceText};
use proptest::prelude::*;
use scenario::{Plan, Scenario, ScenarioText};

const TWO_SWITCHES: &str = include_str!("../../../../fixtures/import/two-switches.net");

/// A fabric for any topology. Each of its hosts sends to another.
const BASE: &str = r#"(
    about: "Any fabric.", duration: "1 us", sample: "1 us", topology: Crossbar(hosts: 4, host_cable: "c"),
    cables: {"c": (width: X4, speed: EDR, propagation: Cable("3 m")), "t": (width: X4, speed: HDR, propagation: Cable("9 m"))},
    link: (mtu: "2 KiB", data_lanes: 8, flow_control: Credits(update_blocks: 32, update_interval: "4.096 us", wire_time: Counted)),
    switch: (buffering: InputVoq, arbiter: RoundRobin, buffer: "32 KiB", latency: "100 ns", forwarding: CutThrough, speedup: 2.0),
    adapter: (receive_buffer: "32 KiB", ack_every: 16, max_outstanding: 1024, ack_timeout: 14, retry_count: 7),
    congestion_control: Off, dependency_cycles: Allowed, traffic: [Permutation(at: "0 s", bytes: "1 KiB")],
)"#;

const TREE: &str =
    r#"FatTree(down: [4, 3, 4], up: [2, 3], parallel: [1, 2], host_cable: "c", trunk_cable: "t")"#;

fn checked(text: &str, sets: &[&str]) -> Plan {
    let mut source = ScenarioText::new("base.ron", text);
    for set in sets {
        source.set(set).unwrap_or_else(|said| panic!("{said}"));
    }
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", source.text()))
}

/// Returns a plan of the fabric with these overrides.
fn plan(sets: &[&str]) -> Plan {
    checked(BASE, sets)
}

fn source<'a>(name: &'a str, text: &'a str) -> SourceText<'a> {
    SourceText { name, text }
}

fn tables(plan: &Plan, addresses: &Addresses) -> String {
    lfts::export(plan, addresses).unwrap_or_else(|said| panic!("{said}")).tables().collect()
}

fn import(net: &str, tables: &str) -> ImportedScenario {
    let files = ClusterFiles { lfts: Some(source("lfts", tables)), ..ClusterFiles::default() };
    let imported = infiniband::import(source("net", net), files, &ClusterOptions::default());
    imported.unwrap_or_else(|said| panic!("{said}\n{net}\n{tables}"))
}

fn again(of: &Plan, addresses: &Addresses) -> (Plan, ImportedScenario) {
    let Exported { text, .. } = ibsim::export(of, addresses).unwrap_or_else(|said| panic!("{said}"));
    let imported = import(&text, &tables(of, addresses));
    (checked(&imported.scenario, &[]), imported)
}

/// Compares the nodes, the cables and the paths of two plans by the names of nodes.
fn assert_same(one: &Plan, other: &Plan) {
    let (ours, theirs) = (one.graph(), other.graph());
    assert_eq!((ours.hosts(), ours.nodes()), (theirs.hosts(), theirs.nodes()));
    let there = |name: &str| theirs.find(name).unwrap_or_else(|| panic!("no `{name}`"));
    for name in ours.names() {
        let (here, there) = (ours.find(name).expect("its own"), there(name));
        let ends = |plan: &Plan, node| -> Vec<_> {
            let graph = plan.graph();
            let end = |end: &topology::FarEnd| {
                let name = graph.name(end.peer).to_owned();
                (name, end.peer_port, plan.cable(end.cable).rate)
            };
            graph.ports(node).iter().map(end).collect()
        };
        assert_eq!(ends(one, here), ends(other, there), "ports of `{name}`");
    }
    let path = |plan: &Plan, from: &str, to: &str| -> Option<Vec<_>> {
        let graph = plan.graph();
        let node = |name| graph.find(name).expect("it is there");
        let path = plan.routes().path(graph, node(from), node(to))?;
        Some(path.iter().map(|(node, port)| (graph.name(*node).to_owned(), *port)).collect())
    };
    for from in ours.host_names() {
        for to in ours.host_names() {
            assert_eq!(path(one, from, to), path(other, from, to), "from {from} to {to}");
        }
    }
}

#[test]
fn a_net_file_and_its_tables_are_those_of_the_smallest_victim() {
    let text = ScenarioText::find("victim").expect("it ships");
    let plan = checked(text.text(), &["name=victim"]);
    let addresses = Addresses::assigned(&plan).expect("few nodes");
    let Exported { text, account } = ibsim::export(&plan, &addresses).expect("it is InfiniBand's");
    let account: Vec<_> = account.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(format!("{text}{}\n\n{}", tables(&plan, &addresses), account.join("\n")));
}

/// Every family of topologies, with its own routing and others.
#[test]
fn an_import_of_an_export_has_the_same_paths() {
    let grid = |kind: &str| {
        format!("topology={kind}(sizes: [3, 5], hosts: 2, host_cable: \"c\", trunk_cable: \"t\")")
    };
    let two = "topology=TwoSwitches(left: (name: \"A\", hosts: {\"R\": 5}), right: (name: \"B\", hosts: {\"L\": 3}), \
               host_cable: \"c\", trunk_cable: \"t\")";
    let cases: [(&str, &[&str]); 10] = [
        ("topology=Crossbar(hosts: 8, host_cable: \"c\")", &["Native"]),
        (two, &["Native", "UpDown()"]),
        (&format!("topology={TREE}"), &["Native", "MinHop", "Random", "UpDown()"]),
        ("topology=Chain(hosts: [4, 2, 4], parallel: 2, host_cable: \"c\", trunk_cable: \"t\")", &["MinHop"]),
        ("topology=Omega(arity: 3, stages: 2, cable: \"c\")", &["Native"]),
        (&grid("Mesh"), &["Native", "UpDown()"]),
        (&grid("Torus"), &["Native", "MinHop"]),
        (&grid("HyperX"), &["Native"]),
        (
            "topology=Dragonfly(routers: 3, hosts: 1, global: 2, host_cable: \"c\", local_cable: \"t\", global_cable: \"t\")",
            &["Native"],
        ),
        ("topology=KaryNTree(arity: 3, levels: 3, host_cable: \"c\", trunk_cable: \"t\")", &["DModK"]),
    ];
    for (topology, routings) in cases {
        for routing in routings {
            let plan = plan(&[topology, &format!("routing={routing}")]);
            let (again, imported) = again(&plan, &Addresses::assigned(&plan).expect("few nodes"));
            assert_same(&plan, &again);
            let changed: Vec<_> =
                imported.account.iter().filter(|entry| entry.fate == KeyFate::Changed).collect();
            assert!(changed.is_empty(), "{topology}, {routing}: {changed:#?}");
        }
    }
}

/// GUIDs, LIDs, numbers of ports, two ports of the same adapter: the export of an import is the cluster that was
/// imported.
#[test]
fn an_imported_cluster_keeps_its_addresses() {
    let first = infiniband::import(
        source("two-switches.net", TWO_SWITCHES),
        ClusterFiles::default(),
        &ClusterOptions::default(),
    );
    let first = first.unwrap_or_else(|said| panic!("{said}"));
    let file = |of: &ImportedScenario, name: &str| {
        of.files.iter().find(|(own, _)| own == name).expect("it is there").1.clone()
    };
    let (nodes, ports) = (file(&first, "nodes.csv"), file(&first, "ports.csv"));
    let plan = checked(&first.scenario, &[]);
    let addresses = Addresses::of_cluster(&plan, source("nodes.csv", &nodes), source("ports.csv", &ports));
    let addresses = addresses.unwrap_or_else(|said| panic!("{said}"));
    let Exported { account, .. } = ibsim::export(&plan, &addresses).expect("it is InfiniBand's");
    assert!(!account.iter().any(|entry| entry.field == "addresses"), "{account:#?}");
    let (again, second) = again(&plan, &addresses);
    assert_same(&plan, &again);
    assert_eq!((file(&second, "nodes.csv"), file(&second, "ports.csv")), (nodes.clone(), ports.clone()));
    // Without the tables ports have the cluster's numbers all the same, which the links of the scenario give.
    let assigned = Addresses::assigned(&plan).expect("few nodes");
    for switch in plan.graph().switch_ids() {
        assert_eq!(assigned.node(switch).ports, addresses.node(switch).ports);
    }
    // A GUID that the table lacks is assigned, a port's too, and the account has the node.
    for guid in ["0x0002c90300000201", "0x0002c90300000200"] {
        let gaps = nodes.replace(guid, "");
        assert_ne!(gaps, nodes);
        let own = Addresses::of_cluster(&plan, source("nodes.csv", &gaps), source("ports.csv", &ports));
        let own = own.unwrap_or_else(|said| panic!("{said}"));
        let Exported { account, .. } = ibsim::export(&plan, &own).expect("it is InfiniBand's");
        let entry = account.iter().find(|entry| entry.field == "addresses").expect("an entry").to_string();
        assert!(entry.contains("where nodes.csv has none, for 1 of 6 nodes"), "{entry}");
    }
    let other = nodes.replace("sw-b,", "sw-c,");
    let said = Addresses::of_cluster(&plan, source("nodes.csv", &other), source("ports.csv", &ports));
    let said = said.expect_err("there is no such node").to_string();
    assert!(said.starts_with("error: nodes.csv:7:1: the scenario has no node `sw-c`"), "{said}");
}

/// A removed cable leaves its port without a cable, and the others their numbers.
#[test]
fn ports_keep_their_numbers_without_a_removed_cable() {
    let first = infiniband::import(
        source("two-switches.net", TWO_SWITCHES),
        ClusterFiles::default(),
        &ClusterOptions::default(),
    );
    let first = first.unwrap_or_else(|said| panic!("{said}"));
    let files: Vec<&str> = first.files.iter().map(|(_, text)| text.as_str()).collect();
    // Port 17 of sw-b is an end of a cable between the switches. There are two.
    let plan = checked(&first.scenario, &["changed_cables={\"sw-b:17\": Removed}"]);
    let addresses =
        Addresses::of_cluster(&plan, source("nodes.csv", files[0]), source("ports.csv", files[1]));
    let addresses = addresses.unwrap_or_else(|said| panic!("{said}"));
    let switch = plan.graph().find("sw-b").expect("it is there");
    assert_eq!(addresses.node(switch).ports, [3, 4, 20]);
    assert_eq!(Addresses::assigned(&plan).expect("few nodes").node(switch).ports, [3, 4, 20]);
    let (again, _) = again(&plan, &addresses);
    assert_same(&plan, &again);
}

#[test]
fn what_a_table_cannot_hold_is_refused_or_named() {
    let said = |plan: &Plan| {
        let addresses = Addresses::assigned(plan).expect("few nodes");
        lfts::export(plan, &addresses).map(|tables| tables.account).map_err(|error| error.to_string())
    };
    let several = plan(&[&format!("topology={TREE}"), "routing=Ecmp"]);
    let refused = said(&several).expect_err("a host has several ports");
    assert!(refused.contains("has several ports for `h"), "{refused}");
    let roce = plan(&[
        "link.framing=RoCEv2",
        "link.flow_control=Pause(resume_offset: \"2 KiB\", reaction: \"700 ns\", headroom: \"8 KiB\")",
    ]);
    let addresses = Addresses::assigned(&roce).expect("few nodes");
    assert!(matches!(ibsim::export(&roce, &addresses), Err(ExportError::NotInfiniBand { .. })));
    let refused = said(&roce).expect_err("it is of the other world");
    assert_eq!(refused, "lfts is for InfiniBand, and the scenario's framing is RoCEv2");
    let torus = "topology=Torus(sizes: [5, 5], hosts: 1, host_cable: \"c\", trunk_cable: \"t\")";
    let fields = |plan: &Plan| -> Vec<_> {
        said(plan).expect("it is InfiniBand's").into_iter().map(|entry| entry.field).collect()
    };
    assert_eq!(fields(&plan(&[torus])), ["addresses", "routing"]);
    assert_eq!(fields(&plan(&[torus, "layer_lanes=Changed"])), ["addresses", "routing", "sl_to_vl"]);
}

/// Rates of no width and speed, and names that no tool holds, are written as near as can be, and named.
#[test]
fn what_a_net_file_rounds_is_named() {
    let fabric = |name: &str| {
        format!(
            "topology=Custom(hosts: [\"{name}\", \"h2\"], switches: [\"s\"], links: [(from: \"{name}\", to: \"s\", cable: \"c\"), \
             (from: \"h2\", to: \"s\", cable: \"t\")])"
        )
    };
    let long = "x".repeat(70);
    for (name, written) in [("a=b", "a_b"), ("it's", "it_s"), (long.as_str(), &long[..63])] {
        let plan = plan(&[
            &fabric(name),
            "cables.c=(rate: \"21 Gb/s\", propagation: Cable(\"1 m\"))",
            "cables.t.speed=NDR",
        ]);
        let Exported { text, account } =
            ibsim::export(&plan, &Addresses::assigned(&plan).expect("few nodes")).expect("InfiniBand's");
        assert!(text.contains(&format!("# \"{written}\"\n")), "{text}");
        let said: Vec<_> = account.iter().map(ToString::to_string).collect();
        for words in [
            "rounded: cables.c.rate: 21 Gb/s wanted, 20 Gb/s written (-4.762 %): 2xFDR10 is the nearest",
            "rounded: cables.t: 4xNDR wanted, 8xHDR written: ",
            &format!("rounded: topology: {name} wanted, {written} written: "),
        ] {
            assert!(said.iter().any(|said| said.starts_with(words)), "no `{words}` in {said:#?}");
        }
        infiniband::read(source("net", &text)).unwrap_or_else(|said| panic!("{said}\n{text}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any connected fabric with tables of its own.
    #[test]
    fn any_fabric_comes_back(
        switches in 2..7usize,
        cables in prop::collection::vec((0..7usize, 0..7usize), 0..8),
        hosts in prop::collection::vec(0..7usize, 2..9),
        seed in 0..1000u32,
        routing in prop::sample::select(vec!["MinHop", "Random", "UpDown()"]),
    ) {
        let chain = (1..switches).map(|i| (i - 1, i));
        let more = cables.into_iter().map(|(a, b)| (a % switches, b % switches)).filter(|(a, b)| a != b);
        let trunks = chain.chain(more).map(|(a, b)| format!("(from: \"s{a}\", to: \"s{b}\", cable: \"t\")"));
        let own = hosts.iter().enumerate().map(|(i, at)| format!("(from: \"h{i}\", to: \"s{}\", cable: \"c\")", at % switches));
        let names = |letter: &str, count: usize| (0..count).map(|i| format!("\"{letter}{i}\"")).collect::<Vec<_>>().join(", ");
        let links = trunks.chain(own).collect::<Vec<_>>().join(", ");
        let topology = format!(
            "topology=Custom(hosts: [{}], switches: [{}], links: [{links}])",
            names("h", hosts.len()),
            names("s", switches)
        );
        let plan = plan(&[&topology, &format!("routing={routing}"), &format!("seed={seed}")]);
        let (again, _) = again(&plan, &Addresses::assigned(&plan).expect("few nodes"));
        assert_same(&plan, &again);
    }
}
