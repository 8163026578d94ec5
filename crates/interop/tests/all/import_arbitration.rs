//! Lane arbitration tables of a cluster by port: each port of the scenario has the tables of the cluster's port. No
//! bytes make the reader panic.

use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::{ImportedScenario, KeyFate, SourceText};
use link_layer::spec::{VlArbitrationSpec, VlWeight};
use proptest::prelude::*;
use proptest::sample::Index;
use scenario::{Plan, Scenario, ScenarioText};

const CLUSTER: &str = include_str!("../../../../fixtures/import/two-switches.net");
const SL2VL: &str = include_str!("../../../../fixtures/import/two-switches.sl2vl");
const VLARB: &str = include_str!("../../../../fixtures/import/two-switches.vlarb");

fn import(sl2vl: Option<&str>, vlarb: &str) -> Result<ImportedScenario, String> {
    let file = |name, text| SourceText { name, text };
    let sl2vl = sl2vl.map(|text| file("sl2vl", text));
    let files = ClusterFiles { sl2vl, vlarb: Some(file("vlarb", vlarb)), ..ClusterFiles::default() };
    let cluster = file("two-switches.net", CLUSTER);
    infiniband::import(cluster, files, &ClusterOptions::default()).map_err(|said| said.to_string())
}

fn plan(imported: &ImportedScenario) -> Plan {
    let source = ScenarioText::new("imported.ron", &imported.scenario);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn weights(low: [u8; 2], high: [u8; 2], limit_of_high_priority: u8) -> VlArbitrationSpec {
    let table = |weights: [u8; 2]| {
        (0..).zip(weights).map(|(lane, weight)| VlWeight { lane, weight }).collect::<Vec<_>>()
    };
    VlArbitrationSpec { strict: Vec::new(), high: table(high), low: table(low), limit_of_high_priority }
}

/// Ports 17 and 20 of both switches have a table of high priority. They are 3 and 4 of the scenario. An adapter has
/// weights of its own.
#[test]
fn tables_are_those_of_the_cluster_by_port() {
    let imported = import(Some(SL2VL), VLARB).unwrap_or_else(|said| panic!("{said}"));
    let plan = plan(&imported);
    let graph = plan.graph();
    let usual = weights([4, 4], [0, 0], 0);
    assert_eq!(plan.link().vl_arbitration, usual);
    for host in graph.host_ids() {
        let own = plan.nodes().adapters[host.index()].settings.vl_arbitration.clone();
        let slow = weights([16, 16], [0, 0], 0);
        assert_eq!(own, (graph.name(host) == "node-2").then_some(slow), "{}", graph.name(host));
    }
    for switch in ["sw-a", "sw-b"] {
        let node = (graph.hosts()..graph.nodes()).map(|index| packet::NodeId(index as u32));
        let node = node.into_iter().find(|node| graph.name(*node).contains(switch)).expect("a switch");
        let trunk = weights([1, 3], [64, 0], 4);
        let ports = [usual.clone(), usual.clone(), trunk.clone(), trunk];
        assert_eq!(plan.nodes().switch(node).vl_arbitration.as_deref(), Some(&ports[..]), "{switch}");
    }
    let entry = imported.account.iter().find(|entry| entry.key == "lane arbitration").expect("an entry");
    assert!(entry.fate == KeyFate::Used && entry.what.contains("5 ports that differ"), "{}", entry.what);
}

/// Where all ports have the same tables, a single pair of tables is enough, and no node has settings of its own.
#[test]
fn tables_that_are_alike_are_the_links() {
    let alike = VLARB
        .replace("|0x1 |0x3 |", "|0x4 |0x4 |")
        .replace("|0x40|0x0 |", "|0x0 |0x0 |")
        .replace("|0x10|0x10|", "|0x4 |0x4 |")
        .replace("VLHighLimit:.....................4", "VLHighLimit:.....................0");
    let imported = import(Some(SL2VL), &alike).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(plan(&imported).link().vl_arbitration, weights([4, 4], [0, 0], 0));
    assert_eq!(imported.scenario.matches("vl_arbitration").count(), 1, "{}", imported.scenario);
}

/// Limits that are not in the file are assumed, weights of lanes without packets are left out, and the account has
/// both.
#[test]
fn what_is_assumed_or_left_out_is_said() {
    let lines = VLARB.lines().filter(|line| !line.starts_with("VLHighLimit"));
    let wide =
        lines.map(|line| format!("{line}\n")).collect::<String>().replace("|0x1 |0x3 |", "|0x1 |0x3 |0x9 |");
    let wide =
        wide.replacen("VL    : |0x0 |0x1 |\nWEIGHT: |0x1 |", "VL    : |0x0 |0x1 |0x7 |\nWEIGHT: |0x1 |", 4);
    let imported = import(Some(SL2VL), &wide).unwrap_or_else(|said| panic!("{said}"));
    let fate = |key: &str| {
        let entry =
            imported.account.iter().find(|entry| entry.key == key).unwrap_or_else(|| panic!("no `{key}`"));
        (entry.fate, entry.given.clone())
    };
    assert_eq!(fate("limit of high priority"), (KeyFate::Approximated, "12".to_owned()));
    assert_eq!(fate("unused weights"), (KeyFate::NotUsed, "4".to_owned()));
    assert!(!imported.scenario.contains("lane: 7"), "{}", imported.scenario);
    let said = import(None, VLARB).expect_err("lanes are not known");
    assert!(said.starts_with("error: vlarb: tables of lanes need"), "{said}");
}

/// A port without tables, or without entries for the lanes of the scenario, would serve its lanes in turn.
#[test]
fn a_port_without_entries_is_refused() {
    let (head, rest) = VLARB.split_once("# VLArbitration tables: Lid 4 port 1").expect("an adapter");
    let (_, behind) = rest.split_once("# VLArbitration tables: Lid 5").expect("the next one");
    let with = |own: &str| {
        let own = format!("# VLArbitration tables: Lid 4 port 1 LowCap 2 HighCap 2\n{own}");
        import(Some(SL2VL), &format!("{head}{own}# VLArbitration tables: Lid 5{behind}"))
    };
    let low =
        |lane: &str| format!("# Low priority VL Arbitration Table:\nVL    : |{lane} |\nWEIGHT: |0x4 |\n");
    let line = head.lines().count() + 1;
    let said = with("").expect_err("the query failed");
    let words = format!("error: vlarb:{line}:1: port 1 of LID 4 has a header and no tables");
    assert!(said.starts_with(&words), "{said}");
    let said = with(&low("0x7")).expect_err("no service level leads to lane 7");
    let words = format!("error: vlarb:{line}:1: port 1 of LID 4 has no entry for a lane");
    assert!(said.starts_with(&words), "{said}");
}

/// An adapter is asked by its port, or by port 0, for its tables and for its limit alike.
#[test]
fn limits_of_adapters_are_found_at_either_port() {
    let limited =
        VLARB.replace("Lid 3 port 1\nLink", "Lid 3 port 1\nVLHighLimit:.....................9\nLink");
    let (front, behind) = limited.split_once(".....................9\n").expect("the limit");
    let limited = format!(
        "{front}.....................9\n{}",
        behind.replacen("VLHighLimit:.....................0\n", "", 1)
    );
    let tables = "# VLArbitration tables: Lid 3 port";
    let info = "# Port info: Lid 3 port";
    for (of_tables, of_limit) in [(1, 1), (0, 1), (1, 0), (0, 0)] {
        let asked = limited
            .replace(&format!("{tables} 1"), &format!("{tables} {of_tables}"))
            .replace(&format!("{info} 1"), &format!("{info} {of_limit}"));
        let imported = import(Some(SL2VL), &asked).unwrap_or_else(|said| panic!("{said}"));
        let plan = plan(&imported);
        let host = plan.graph().find("node-10").expect("it is there");
        let own = plan.nodes().adapters[host.index()].settings.vl_arbitration.clone();
        assert_eq!(own, Some(weights([4, 4], [0, 0], 9)), "tables at {of_tables}, limit at {of_limit}");
        assert!(!imported.account.iter().any(|entry| entry.key == "limit of high priority"));
    }
    let (front, behind) = VLARB.split_once(info).expect("a limit");
    let foreign = format!("{front}{}{behind}", info.replace("Lid 3", "Lid 77"));
    let said = import(Some(SL2VL), &foreign).expect_err("no node has this LID");
    assert!(said.contains(": the cluster has no node with LID 77"), "{said}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_change_of_a_file_makes_the_reader_panic(
        cuts in prop::collection::vec((any::<Index>(), any::<Index>(), 0..5usize), 1..6),
    ) {
        let mut text = VLARB.to_owned();
        for (from, to, what) in cuts {
            let (from, to) = (from.index(text.len() + 1), to.index(text.len() + 1));
            text.replace_range(from.min(to)..from.max(to), ["", "|", "0x", "99999999999", "#"][what]);
        }
        let _ = import(Some(SL2VL), &text);
    }
}
