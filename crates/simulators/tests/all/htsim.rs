//! Imports of htsim's fat trees and connection matrices: sizes, times and ends equal the files', and triggers and
//! failures are named. No bytes make a reader panic.

use std::path::Path;

use interop::import::{self, ImportedScenario, KeyFate, SourceText};
use proptest::prelude::*;
use proptest::sample::Index;
use scenario::{Plan, Scenario, ScenarioText};
use simulators::htsim::{self, HtsimProgram};

const TOPO: &str = include_str!("../../../../fixtures/import/fat_tree.topo");
const MATRIX: &str = include_str!("../../../../fixtures/import/incast.cm");

fn import(topo: &str, matrix: &str, program: Option<HtsimProgram>) -> Result<ImportedScenario, String> {
    let topo = SourceText { name: "fat_tree.topo", text: topo };
    let matrix = SourceText { name: "incast.cm", text: matrix };
    htsim::read(topo, matrix, program).map_err(|said| said.to_string())
}

fn plan(imported: &ImportedScenario, folder: &str) -> Plan {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).expect("a writable folder");
    for (name, text) in &imported.files {
        std::fs::write(folder.join(name), text).expect("a writable folder");
    }
    let source = ScenarioText::new("imported.ron", &imported.scenario).beside(&folder);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn fate(imported: &ImportedScenario, key: &str) -> (KeyFate, String) {
    let entry = imported.account.iter().find(|entry| entry.key == key);
    let entry = entry.unwrap_or_else(|| panic!("no `{key}` in {:#?}", imported.account));
    (entry.fate, format!("{}: {}", entry.given, entry.what))
}

#[test]
fn trees_and_flows_are_those_of_the_files() {
    let imported = import(TOPO, MATRIX, Some(HtsimProgram::CsgNdp)).unwrap_or_else(|said| panic!("{said}"));
    for words in [
        "FatTree(down: [4, 4], up: [4], parallel: [1], host_cable: \"host\", trunk_cable: \"trunk\")",
        "\"host\": (rate: \"100 Gb/s\", propagation: Delay(\"500 ns\"))",
        "\"trunk\": (rate: \"200 Gb/s\", propagation: Delay(\"1000 ns\"))",
        "latency: \"300 ns\"",
        "\"spine*\": (latency: \"400 ns\")",
    ] {
        assert!(imported.scenario.contains(words), "no `{words}` in {}", imported.scenario);
    }
    let plan = plan(&imported, "import-htsim");
    assert_eq!((plan.graph().hosts(), plan.graph().switches()), (16, 8));
    let name = |node| plan.graph().name(node).to_owned();
    let flows = &plan.workload().flows;
    let ends: Vec<_> = flows.iter().map(|flow| (name(flow.source), name(flow.destination))).collect();
    let pairs =
        [("h1", "h4"), ("h2", "h4"), ("h16", "h4")].map(|(from, to)| (from.to_owned(), to.to_owned()));
    assert_eq!(ends, pairs);
    assert_eq!(imported.files[0].1.lines().nth(3), Some("15 3 0 100 1000000 0.000001500000"));
    assert!(imported.account.iter().all(|entry| entry.fate != KeyFate::Changed), "{:#?}", imported.account);
}

/// The file does not say if 1500000 is 1.5 us or 1.5 s.
#[test]
fn the_unit_of_start_times_is_asked_for() {
    let guessed = import(TOPO, MATRIX, None).expect("it is right");
    assert_eq!(fate(&guessed, "start").0, KeyFate::Approximated);
    let micro = import(TOPO, MATRIX, Some(HtsimProgram::Uet)).expect("it is right");
    assert_eq!(micro.files[0].1.lines().nth(3), Some("15 3 0 100 1000000 1.500000000000"));
    let still = MATRIX.replace("start 1500000", "start 0");
    assert_eq!(fate(&import(TOPO, &still, None).expect("it is right"), "start").0, KeyFate::Used);
}

/// htsim's loader drops fractions, and its programs differ in the unit.
#[test]
fn starts_are_those_of_the_program() {
    let matrix = MATRIX.replace("start 1500000", "start 1500.75");
    for (unit, start) in [
        (HtsimProgram::CsgNdp, "0.000000001500"),
        (HtsimProgram::Uet, "0.001500000000"),
        (HtsimProgram::CsgRoce, "0.000000000000"),
    ] {
        let imported = import(TOPO, &matrix, Some(unit)).unwrap_or_else(|said| panic!("{said}"));
        assert_eq!(imported.files[0].1.lines().nth(3), Some(&*format!("15 3 0 100 1000000 {start}")));
        assert_eq!(fate(&imported, "fractions of start").0, KeyFate::Used);
    }
    let said = import(TOPO, &MATRIX.replace("start 1500000", "start soon"), None).expect_err("it is wrong");
    assert!(said.starts_with("error: incast.cm:6:18: `soon` is not a time"), "{said}");
}

/// An adapter serves connections in the order of the file, not of their destinations.
#[test]
fn the_order_of_connections_is_kept() {
    let matrix =
        "Nodes 16\nConnections 3\n3->9 start 7 size 100\n3->0 start 0 size 100\n1->2 start 0 size 100\n";
    let plan = plan(&import(TOPO, matrix, None).expect("it is right"), "import-htsim-order");
    let flows: Vec<_> = plan.workload().flows.iter().map(|flow| flow.numbers).collect();
    assert_eq!(flows, [(1, 2), (3, 9), (3, 0)]);
}

/// Writes the matrix of `gen_serial_alltoall.py` for these groups.
fn serial_all_to_all(groups: &[&[u64]]) -> String {
    let (mut lines, mut id, mut trigger) = (Vec::new(), 0, 0);
    for group in groups {
        let count = group.len();
        for (source, step) in (0..count).flat_map(|source| (1..count).map(move |step| (source, step))) {
            id += 1;
            let how = if step == 1 { "start 0".to_owned() } else { format!("trigger {trigger}") };
            let mut line =
                format!("{}->{} id {id} {how} size 5000", group[source], group[(source + step) % count]);
            if step + 1 < count {
                trigger += 1;
                line += &format!(" send_done_trigger {trigger}");
            }
            lines.push(line);
        }
    }
    let triggers: Vec<_> = (1..=trigger).map(|id| format!("trigger id {id} oneshot")).collect();
    let head = format!("Nodes 16\nConnections {id}\nTriggers {trigger}");
    [vec![head], lines, triggers].concat().join("\n") + "\n"
}

/// A serial exchange of all to all is a closed loop, with destinations in the file's order.
#[test]
fn a_serial_all_to_all_is_closed_traffic() {
    let natural =
        import(TOPO, &serial_all_to_all(&[&[4, 5, 6, 0, 1]]), None).unwrap_or_else(|said| panic!("{said}"));
    assert!(natural.scenario.contains("topology: FatTree("), "{}", natural.scenario);
    let shuffled = serial_all_to_all(&[&[2, 11, 4, 8], &[15, 5, 7]]);
    let imported = import(TOPO, &shuffled, None).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(
        fate(&imported, "trigger"),
        (KeyFate::Used, "11: a message starts when the former has been acknowledged".to_owned())
    );
    assert_eq!(import::changes(&imported.account, ""), None);
    assert!(
        imported
            .scenario
            .contains("hosts: [\"h3\", \"h12\", \"h5\", \"h9\", \"h16\", \"h6\", \"h8\", \"h1\","),
        "{}",
        imported.scenario
    );
    let checked = plan(&imported, "import-htsim-closed");
    assert_eq!((checked.graph().hosts(), checked.graph().switches()), (16, 8));
    let name = |node| checked.graph().name(node).to_owned();
    let ends: std::collections::BTreeSet<_> =
        checked.workload().flows.iter().map(|flow| (name(flow.source), name(flow.destination))).collect();
    assert_eq!(ends.len(), 4 * 3 + 3 * 2);
    let leaf = |host: &str| {
        let host = checked.graph().find(host).expect("a host");
        name(checked.graph().ports(host)[0].peer)
    };
    assert_eq!(["h3", "h4", "h5", "h16"].map(leaf), ["leaf1", "leaf1", "leaf2", "leaf4"]);
    // Anything else is a job.
    for other in [
        shuffled.replace("15->5", "15->3"),
        shuffled.replacen("oneshot", "multishot", 1),
        shuffled.replacen("size 5000", "size 5001", 1),
    ] {
        let imported = import(TOPO, &other, None).unwrap_or_else(|said| panic!("{said}"));
        assert_eq!(fate(&imported, "trigger").0, KeyFate::Used, "{other}");
        assert!(
            imported.scenario.contains("    jobs: [(name: \"incast\", program: Goal("),
            "{}",
            imported.scenario
        );
    }
}

#[test]
fn failures_and_additions_are_named() {
    let more = MATRIX.replace("Connections 3", "Connections 3\nFailures 1").replace("id 3", "id 3 addon x")
        + "failure switch_type AGG switch_id 0 link_id 0\n";
    let imported = import(TOPO, &more, Some(HtsimProgram::CsgNdp)).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(fate(&imported, "failure").0, KeyFate::Changed);
    assert_eq!(fate(&imported, "addon").0, KeyFate::Changed);
    let said = import::changes(&imported.account, "fat_tree.topo").expect("two changes").to_string();
    assert!(said.starts_with("error: incast.cm:7:1: addon: nothing stands for this here"), "{said}");
    plan(&imported, "import-htsim-failures");
}

/// csg-htsim keeps starts in a float of 32 bits.
#[test]
fn long_starts_lose_their_last_digits_in_csg() {
    let matrix = MATRIX.replace("start 1500000", "start 16777217");
    let imported = import(TOPO, &matrix, Some(HtsimProgram::CsgNdp)).expect("it is right");
    assert_eq!(imported.files[0].1.lines().nth(3), Some("15 3 0 100 1000000 0.000016777216"));
    assert_eq!(fate(&imported, "digits of start").0, KeyFate::Used);
}

#[test]
fn three_tiers_have_pods() {
    let text = "Nodes 128\nTiers 3\nPodsize 16\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 4\nTier 1\n\
                Downlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 4\nTier 2\nDownlink_speed_Gbps 400\nRadix_Down 8\n";
    let imported = import(text, MATRIX, Some(HtsimProgram::CsgNdp)).unwrap_or_else(|said| panic!("{said}"));
    assert!(
        imported.scenario.contains("down: [4, 4, 8], up: [4, 4], parallel: [1, 1]"),
        "{}",
        imported.scenario
    );
    assert_eq!(fate(&imported, "Tier 2 Downlink").0, KeyFate::Changed);
    assert_eq!(plan(&imported, "import-htsim-pods").graph().hosts(), 128);
}

#[test]
fn wrong_lines_have_their_places() {
    for (topo, words) in [
        (TOPO.replace("Radix_Up 4", "Radix_Upp 4"), "fat_tree.topo:9:1: htsim has no attribute `Radix_Upp`"),
        (TOPO.replace("Tier 1", "Tier 2"), "fat_tree.topo:13:1: tier 2 does not come next"),
        (TOPO.replace("Nodes 16", "Nodes 18"), "fat_tree.topo: 18 hosts cannot be dealt to switches of 4"),
        (
            TOPO.replace("Downlink_speed_Gbps 200\n", ""),
            "fat_tree.topo: tier 1 has no rate of its cables down",
        ),
        (TOPO.replace("Gbps 200", "Gbps 1600"), "fat_tree.topo:14:21: 1600 Gb/s is out of range"),
        (TOPO.replace("Tiers 2", "Tiers 4"), "fat_tree.topo: a fat tree of 4 tiers is none of htsim's"),
        (
            TOPO.replace("Radix_Down 4\nDownlink_L", "Radix_Down 5\nDownlink_L"),
            "fat_tree.topo: tier 1 has 5 ports down, and 4 cables lead there",
        ),
        (TOPO.replace("Tier 0\n", ""), "fat_tree.topo:6:1: an attribute stands before the first tier"),
    ] {
        let said = import(&topo, MATRIX, None).expect_err("it is wrong");
        assert!(said.starts_with(&format!("error: {words}")), "{topo}: {said}");
    }
    for (matrix, words) in [
        (MATRIX.replace("Connections 3", "Connections 4"), "incast.cm:3:1: 3 connections follow"),
        (MATRIX.replace("15->3", "16->3"), "incast.cm:6:1: there is no host 16"),
        (
            MATRIX.replace("Nodes 16", "Nodes 32"),
            "incast.cm: this matrix is for 32 hosts, and the topology has 16",
        ),
        (MATRIX.replace("15->3", "3->3"), "incast.cm:6:1: host 3 sends to itself"),
        (MATRIX.replace("15->3", "15-3"), "incast.cm:6:1: `15-3` is no connection"),
        (
            MATRIX.replace("start 1500000", "begin 1500000"),
            "incast.cm:6:12: `begin` is no attribute of a connection",
        ),
        (MATRIX.replace("start 1500000 ", ""), "incast.cm:6:1: nothing starts this connection"),
        (MATRIX.replace("size 1000000", "size"), "incast.cm:6:26: `size` is not a whole number"),
        (
            MATRIX.replace("size 1000000", "size 2147483649"),
            "incast.cm:6:1: 2147483649 bytes are more than the longest message, 2 GiB",
        ),
        (
            MATRIX.replace("start 1500000", "start 9999999999999999"),
            "incast.cm:6:1: this start is past 1000 s",
        ),
    ] {
        let said = import(TOPO, &matrix, None).expect_err("it is wrong");
        assert!(said.starts_with(&format!("error: {words}")), "{matrix}: {said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = import(&text, MATRIX, None);
        let _ = import(TOPO, &text, None);
    }

    #[test]
    fn no_change_of_a_file_makes_a_reader_panic(
        first in any::<bool>(),
        cuts in prop::collection::vec((any::<Index>(), any::<Index>(), 0..5usize), 1..6),
    ) {
        let mut text = if first { TOPO } else { MATRIX }.to_owned();
        for (from, to, what) in cuts {
            let (from, to) = (from.index(text.len() + 1), to.index(text.len() + 1));
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 20));
            text.replace_range(from..to, ["", "18446744073709551615", "->", "0", "\n"][what]);
        }
        let _ = if first { import(&text, MATRIX, None) } else { import(TOPO, &text, None) };
    }
}
