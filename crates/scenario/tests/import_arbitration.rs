//! Lane arbitration tables of a cluster by port: each port of the scenario has those of the cluster's port. No bytes make the
//! reader panic.

use link_layer::spec::{VlArbitrationSpec, VlWeight};
use proptest::prelude::*;
use proptest::sample::Index;
use scenario::import::infiniband::{self, ClusterFiles, ClusterOptions};
use scenario::import::{ImportedScenario, KeyFate, SourceText};
use scenario::{Plan, Scenario, ScenarioText};

const CLUSTER: &str = include_str!("../../../fixtures/import/two-switches.net");
const SL2VL: &str = include_str!("../../../fixtures/import/two-switches.sl2vl");
const VLARB: &str = include_str!("../../../fixtures/import/two-switches.vlarb");

fn import(sl2vl: Option<&str>, vlarb: &str) -> Result<ImportedScenario, String> {
    let file = |name, text| SourceText { name, text };
    let sl2vl = sl2vl.map(|text| file("sl2vl", text));
    let files = ClusterFiles { lfts: None, sl2vl, vlarb: Some(file("vlarb", vlarb)) };
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

/// Ports 17 and 20 of both switches, 3 and 4 of the scenario, have a table of high priority; one adapter has weights of its
/// own.
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
        assert_eq!(own, (graph.name(host) == "node-2 HCA-1").then_some(slow), "{}", graph.name(host));
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

/// Where all ports have the same tables, one pair of them is enough, and no node has settings of its own.
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

/// Limits that are not in the file are assumed, weights of lanes without packets are left out, and the account has both.
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
