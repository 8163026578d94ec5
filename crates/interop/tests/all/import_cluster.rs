//! Imports of InfiniBand clusters: the formats agree, every scenario passes the program's own check, and each
//! difference is named. No bytes make a reader panic.

use std::fmt::Write;

use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::{ImportedScenario, KeyFate, SourceText};
use proptest::prelude::*;
use scenario::{Plan, Scenario, ScenarioText};

const TWO_SWITCHES: &str = include_str!("../../../../fixtures/import/two-switches.net");

fn import(text: &str) -> Result<ImportedScenario, String> {
    let source = SourceText { name: "cluster.net", text };
    infiniband::import(source, ClusterFiles::default(), &ClusterOptions::default())
        .map_err(|said| said.to_string())
}

fn plan(imported: &ImportedScenario) -> Plan {
    let source = ScenarioText::new("imported.ron", &imported.scenario);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn file<'a>(imported: &'a ImportedScenario, name: &str) -> &'a str {
    &imported.files.iter().find(|(file, _)| file == name).expect("it is there").1
}

fn fate(imported: &ImportedScenario, key: &str) -> (KeyFate, String) {
    let entry = imported.account.iter().find(|entry| entry.key == key);
    let entry = entry.unwrap_or_else(|| panic!("no `{key}` in {:#?}", imported.account));
    (entry.fate, format!("{}: {}", entry.given, entry.what))
}

/// Names, numbers, GUIDs, LIDs, widths and speeds equal the file's; ports stand in its order.
#[test]
fn nodes_ports_and_speeds_are_kept() {
    let imported = import(TWO_SWITCHES).expect("it is right");
    let plan = plan(&imported);
    let graph = plan.graph();
    let names: Vec<_> = graph.names().collect();
    let hosts = ["node-10", "node-2", "node-3/1", "node-3/2"];
    assert_eq!(names, [&hosts[..], &["MF0;sw-a:MSB7800/U1", "sw-b"]].concat());
    let peers = |name: &str| {
        let ports = graph.ports(graph.find(name).expect("it is there"));
        let far = |end: &topology::FarEnd| graph.port_number((end.peer, end.peer_port));
        ports.iter().map(|end| format!("{}:{}", graph.name(end.peer), far(end))).collect::<Vec<_>>()
    };
    // The cable of port 17 leads to port 20.
    let sw_a = ["node-10:1", "node-2:1", "sw-b:20", "sw-b:17"];
    assert_eq!(peers("MF0;sw-a:MSB7800/U1"), sw_a);
    let rate = |host: &str| {
        let port = graph.ports(graph.find(host).expect("it is there"))[0];
        plan.cable(port.cable).rate.to_string()
    };
    assert_eq!([rate("node-10"), rate("node-2")], ["54545454.545 kb/s", "100 Gb/s"]);
    let nodes = file(&imported, "nodes.csv");
    assert!(nodes.contains("\nnode-3/2,host,0x0002c90300000220,0x0002c90300000222,6\n"), "{nodes}");
    assert!(nodes.contains("\nsw-b,switch,0x0002c90300000110,,2\n"), "{nodes}");
    let ports = file(&imported, "ports.csv");
    assert!(ports.contains("\nsw-b,20,up,MF0;sw-a:MSB7800/U1,17,4xEDR\nsw-b,1,down,,,\n"), "{ports}");
    assert_eq!(fate(&imported, "links").1, "6: `cables`: 3 of `4xEDR`, 2 of `4xEDR trunk`, 1 of `4xFDR`");
    assert_eq!(fate(&imported, "ports down").0, KeyFate::NotUsed);
    let down = fate(&imported, "ports down").1;
    assert!(
        down.starts_with("64: `MF0;sw-a:MSB7800/U1`:3-16,18-19,21-36, `sw-b`:1-2,5-16,18-19,21-36:"),
        "{down}"
    );
    assert_eq!(
        fate(&imported, "several ports").1,
        "1: `node-3 HCA-1`: each port with a cable is a host of its own"
    );
    assert!(imported.account.iter().all(|entry| entry.fate != KeyFate::Changed), "{:#?}", imported.account);
}

/// Ports have the numbers of the cluster wherever a scenario names or prints them, also after a cable is removed.
#[test]
fn ports_are_those_that_an_operator_knows() {
    let imported = import(TWO_SWITCHES).expect("it is right");
    let numbers = |plan: &Plan, name: &str| {
        let graph = plan.graph();
        graph.port_numbers(graph.find(name).expect("it is there")).collect::<Vec<_>>()
    };
    let whole = plan(&imported);
    assert_eq!(numbers(&whole, "MF0;sw-a:MSB7800/U1"), [1, 2, 17, 20]);
    assert_eq!((numbers(&whole, "node-3/1"), numbers(&whole, "node-3/2")), (vec![1], vec![2]));
    let with = |set: &[&str]| {
        let mut text = ScenarioText::new("cluster.ron", &imported.scenario);
        set.iter().for_each(|set| text.set(set).expect("a field"));
        Scenario::read(&text).and_then(|scenario| scenario.check(&text)).map_err(|said| said.to_string())
    };
    let cut = with(&["changed_cables={\"sw-b:17\": Removed}"]).expect("the port has a cable");
    assert_eq!(numbers(&cut, "sw-b"), [3, 4, 20]);
    assert_eq!(numbers(&cut, "MF0;sw-a:MSB7800/U1"), [1, 2, 17]);
    let series = with(&["series=(ports: [\"sw-b:20\"])"]).expect("the port has a cable");
    assert_eq!(series.series().ports.named.len(), 1);
    let said = with(&["series=(ports: [\"sw-b:5\"])"]).expect_err("the port has no cable");
    assert!(said.contains("`sw-b` has no port 5"), "{said}");
    assert!(said.contains("write one of ports 3 to 4, 17, 20"), "{said}");
    let said = with(&["routing=Written({\"sw-b\": {\"node-2\": 1}})"]).expect_err("the port has no cable");
    assert!(said.contains("`sw-b` has no port 1"), "{said}");
    with(&["routing=Written({\"sw-b\": {\"node-2\": 20}})"]).unwrap_or_else(|said| panic!("{said}"));
}

/// Returns the fabric as `ibnetdiscover -p` prints it.
fn as_port_list() -> String {
    let mut text = String::new();
    let mut port = |kind: &str,
                    lid: u16,
                    port: u16,
                    guid: u64,
                    far: (&str, u16, u16, u64),
                    names: (&str, &str),
                    speed: &str| {
        let (far_kind, far_lid, far_port, far_guid) = far;
        writeln!(
            text,
            "{kind} {lid:5} {port:2} 0x{guid:016x} 4x {speed} - {far_kind} {far_lid:5} {far_port:2} 0x{far_guid:016x} ( '{}' - '{}' )",
            names.0, names.1
        )
        .expect("a string takes it");
    };
    let (a, b) = (0x0002_c903_0000_0100, 0x0002_c903_0000_0110);
    let (sw_a, sw_b) = ("MF0;sw-a:MSB7800/U1", "sw-b");
    let hosts = [
        (3, 1, 0x201, (a, 1, 1, sw_a), "node-10 HCA-1", "FDR"),
        (4, 1, 0x211, (a, 1, 2, sw_a), "node-2 HCA-1", "EDR"),
        (5, 1, 0x221, (b, 2, 3, sw_b), "node-3 HCA-1", "EDR"),
        (6, 2, 0x222, (b, 2, 4, sw_b), "node-3 HCA-1", "EDR"),
    ];
    for (lid, own, guid, (switch, switch_lid, at, switch_name), name, speed) in hosts {
        let guid = 0x0002_c903_0000_0000 + guid;
        port("CA", lid, own, guid, ("SW", switch_lid, at, switch), (name, switch_name), speed);
        port("SW", switch_lid, at, switch, ("CA", lid, own, guid), (switch_name, name), speed);
    }
    for (from, to) in [(17, 20), (20, 17)] {
        port("SW", 1, from, a, ("SW", 2, to, b), (sw_a, sw_b), "EDR");
        port("SW", 2, to, b, ("SW", 1, from, a), (sw_b, sw_a), "EDR");
    }
    text + "SW     2 36 0x0002c90300000110 4x SDR                                    'sw-b'\n"
}

/// Returns the fabric as OpenSM dumps it.
fn as_subnet_list() -> String {
    let end = |kind: &str, node: u64, port: u64, name: &str, lid: u16, number: u16| {
        let base = 0x0002_c903_0000_0000_u64;
        format!(
            "{{ {kind} Ports:24 SystemGUID:{:016x} NodeGUID:{:016x} PortGUID:{:016x} VenID:0002C9 DevID:1013 Rev:000000A1 {{{name}}} \
             LID:{lid:04X} PN:{number:02X} }}",
            base + node,
            base + node,
            base + port,
        )
    };
    let a = |number| end("SW-SM", 0x100, 0x100, "MF0;sw-a:MSB7800/U1", 1, number);
    let b = |number| end("SW", 0x110, 0x110, "sw-b", 2, number);
    let node_3 = "node-3 HCA-1";
    let cables = [
        (end("CA", 0x200, 0x201, "node-10 HCA-1", 3, 1), a(1), "14"),
        (end("CA", 0x210, 0x211, "node-2 HCA-1", 4, 1), a(2), "25"),
        (end("CA", 0x220, 0x221, node_3, 5, 1), b(3), "25"),
        (end("CA", 0x220, 0x222, node_3, 6, 2), b(4), "25"),
        (a(17), b(20), "25"),
        (a(20), b(17), "25"),
    ];
    let line = |one: &str, other: &str, speed: &str| format!("{one} {other} PHY=4x LOG=ACT SPD={speed}\n");
    cables.iter().map(|(one, other, speed)| line(one, other, speed) + &line(other, one, speed)).collect()
}

/// The four formats of a fabric give the same scenario. A list of ports cannot tell which adapter a port belongs to, so
/// its hosts have other names and no GUIDs of nodes.
#[test]
fn the_formats_agree() {
    let plain = import(TWO_SWITCHES).expect("it is right");
    let subnet = import(&as_subnet_list()).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(plain.scenario, subnet.scenario);
    assert_eq!(plain.files, subnet.files);
    let grouped = TWO_SWITCHES
        .replace(
            "vendid=0x2c9\ndevid=0xcb20\nsysimgguid=0x2c90300000110",
            "Chassis 1 (guid 0x2c903)\n\nvendid=0x2c9",
        )
        .replace("(2c90300000110)\n", "(2c90300000110)\t# Chassis 1 Spine 2 Chip 1\n")
        .replace("[17]\t\"S-0002c90300000100\"[20]", "[17][ext 5]\t\"S-0002c90300000100\"[20][ext 11]");
    assert_ne!(grouped, TWO_SWITCHES);
    let grouped = import(&grouped).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!((plain.scenario.as_str(), &plain.files), (grouped.scenario.as_str(), &grouped.files));
    let ports = import(&as_port_list()).unwrap_or_else(|said| panic!("{said}"));
    let named = |number: u64| format!("node-3 HCA-1 {:016x}", 0x0002_c903_0000_0220 + number);
    let renamed = ports.scenario.replace(&named(1), "node-3/1").replace(&named(2), "node-3/2");
    assert_eq!(plain.scenario, renamed);
    assert!(file(&ports, "nodes.csv").contains("0x0002c90300000222,6\n"), "{}", file(&ports, "nodes.csv"));
}

/// A net file of ibsim has no GUIDs, LIDs and speeds: the latter are assumed, and the account says so.
#[test]
fn a_net_file_of_ibsim_is_enough() {
    let text =
        "Switch\t8 \"S1\"\n[1]\t\"H1\"[1]\n[2]\t\"H2\"[1]\n\nHca\t1 \"H1\"\n[1]\t\"S1\"[1]\n\nHca 1 \"H2\"\n";
    let imported = import(text).expect("it is right");
    assert_eq!(fate(&imported, "speed").0, KeyFate::Approximated);
    assert_eq!(fate(&imported, "links").1, "2: `cables`: 2 of `4xSDR`");
    plan(&imported);
    let source = SourceText { name: "x", text };
    let speed = infiniband::fabric::width_and_speed("2xHDR");
    let given = ClusterOptions { speed, length: "3 m".parse().ok(), ..ClusterOptions::default() };
    let given = infiniband::import(source, ClusterFiles::default(), &given).expect("it is right");
    assert!(
        given.scenario.contains("\"2xHDR\": (width: X2, speed: HDR, propagation: Cable(\"3 m\"))"),
        "{}",
        given.scenario
    );
    assert_eq!((fate(&given, "speed").0, fate(&given, "lengths").0), (KeyFate::Used, KeyFate::Used));
}

/// Routers and several LIDs make another experiment; aggregation nodes do not.
#[test]
fn what_is_not_modelled_is_named() {
    let more = TWO_SWITCHES.replace("lid 5 lmc 0", "lid 8 lmc 2").replace(
        "[20]\t\"S-0002c90300000100\"[17]",
        "[36]\t\"R-1\"[1]\t# \"router\" lid 9 4xEDR\n[35]\t\"H-9\"[1]\n[20]\t\"S-0002c90300000100\"[17]",
    ) + "\nRt\t2 \"R-1\"\t# \"router\"\n[1]\t\"S-0002c90300000110\"[36]\t# lid 9 lmc 0 \"sw-b\" lid 2 4xEDR\n\
           \nCa\t1 \"H-9\"\t# \"Mellanox Technologies Aggregation Node\"\n[1]\t\"S-0002c90300000110\"[35]\n\
           \nCa\t1 \"H-8\"\t# \"spare\"\n";
    let imported = import(&more).unwrap_or_else(|said| panic!("{said}"));
    for (key, expected, name) in [
        ("LMC", KeyFate::Changed, "`node-3 HCA-1`"),
        ("routers", KeyFate::Changed, "`router`"),
        ("aggregation nodes", KeyFate::NotUsed, "`Mellanox Technologies Aggregation Node`"),
        ("adapters without cables", KeyFate::NotUsed, "`spare`"),
    ] {
        let (found, what) = fate(&imported, key);
        assert!(found == expected && what.contains(name), "{key}: {found:?}, {what}");
    }
    let said = interop::import::changes(&imported.account, "cluster.net").expect("two changes").to_string();
    let line = |words: &str| more.lines().position(|line| line.contains(words)).expect("it is there") + 1;
    assert!(said.contains(&format!("error: cluster.net:{}:1: routers: ", line("Rt\t2"))), "{said}");
    assert!(said.contains(&format!("error: cluster.net:{}:1: LMC: ", line("lid 8 lmc 2"))), "{said}");
    assert_eq!(plan(&imported).graph().nodes(), 6);
}

/// A ring of five switches: on the shortest paths packets could wait in a cycle.
#[test]
fn paths_without_tables_have_no_cycle() {
    let mut text = String::new();
    for i in 0..5 {
        let (next, before) = ((i + 1) % 5, (i + 4) % 5);
        let _ = write!(
            text,
            "Switch 3 \"S{i}\"\n[1] \"H{i}\"[1] # \"x\" lid 1 4xEDR\n[2] \"S{next}\"[3]\n[3] \"S{before}\"[2]\n\nHca 1 \"H{i}\"\n\n"
        );
    }
    let imported = import(&text).unwrap_or_else(|said| panic!("{said}"));
    assert!(imported.scenario.contains("routing: UpDown(),"), "{}", imported.scenario);
    assert_eq!(fate(&imported, "routing").0, KeyFate::Approximated);
    plan(&imported);
    assert!(import(TWO_SWITCHES).expect("it is right").scenario.contains("routing: MinHop,"));
}

/// Writes what `ibnetdiscover` would print of a fat tree of switches with `down` hosts each, `spines` roots, and a
/// single cable between any two.
fn fat_tree(leaves: usize, down: usize, spines: usize) -> String {
    let mut text = String::new();
    let guid = |kind: usize, i: usize| 0x0002_c900_0000_0000_u64 + (kind * 0x0100_0000 + i * 0x10) as u64;
    let mut line = |words: String| text += &(words + "\n");
    for leaf in 0..leaves {
        line(format!(
            "Switch\t{} \"S-{:016x}\"\t\t# \"leaf-{leaf}\" base port 0 lid {} lmc 0",
            down + spines,
            guid(1, leaf),
            leaf + 1
        ));
        for host in 0..down {
            let id = guid(3, leaf * down + host);
            line(format!(
                "[{}]\t\"H-{id:016x}\"[1]({:x}) \t\t# \"node-{leaf}-{host}\" lid 1 4xHDR",
                host + 1,
                id + 1
            ));
        }
        for spine in 0..spines {
            line(format!(
                "[{}]\t\"S-{:016x}\"[{}]\t\t# \"spine-{spine}\" lid 1 4xHDR",
                down + spine + 1,
                guid(2, spine),
                leaf + 1
            ));
        }
    }
    for spine in 0..spines {
        line(format!(
            "Switch\t{leaves} \"S-{:016x}\"\t\t# \"spine-{spine}\" base port 0 lid {} lmc 0",
            guid(2, spine),
            leaves + spine + 1
        ));
        for leaf in 0..leaves {
            line(format!(
                "[{}]\t\"S-{:016x}\"[{}]\t\t# \"leaf-{leaf}\" lid 1 4xHDR",
                leaf + 1,
                guid(1, leaf),
                down + spine + 1
            ));
        }
    }
    for host in 0..leaves * down {
        let (leaf, id) = (host / down, guid(3, host));
        line(format!("Ca\t1 \"H-{id:016x}\"\t\t# \"node-{leaf}-{}\"", host % down));
        line(format!(
            "[1]({:x}) \t\"S-{:016x}\"[{}]\t\t# lid {} lmc 0 \"leaf-{leaf}\" lid 1 4xHDR",
            id + 1,
            guid(1, leaf),
            host % down + 1,
            leaves + spines + host + 1
        ));
    }
    text
}

#[test]
fn a_cluster_of_648_hosts_is_imported() {
    let imported = import(&fat_tree(36, 18, 18)).unwrap_or_else(|said| panic!("{said}"));
    let plan = plan(&imported);
    assert_eq!((plan.graph().hosts(), plan.graph().switches()), (648, 54));
    assert_eq!(plan.graph().names().nth(18 + 2), Some("node-1-2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = import(&String::from_utf8_lossy(&bytes));
    }

    /// Parts of right files, cut, repeated and changed.
    #[test]
    fn no_change_of_a_file_makes_a_reader_panic(
        format in 0..3usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..6u8, any::<prop::sample::Index>()), 1..6),
    ) {
        let mut text = [TWO_SWITCHES.to_owned(), as_port_list(), as_subnet_list()][format].clone();
        for (at, change, other) in changes {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            if places.is_empty() {
                continue;
            }
            let (at, other) = (places[at.index(places.len())], places[other.index(places.len())]);
            let (from, to) = (at.min(other), at.max(other));
            match change {
                0 => text.replace_range(from..to, ""),
                1 => text.insert_str(at, "[1]"),
                2 => text.insert(at, '"'),
                3 => text.insert_str(at, "99999999999999999999"),
                4 => text.insert(at, '\u{e9}'),
                _ => text.insert_str(at, &text.get(from..to.min(from + 60)).map_or_else(String::new, str::to_owned)),
            }
        }
        let _ = import(&text);
    }
}
