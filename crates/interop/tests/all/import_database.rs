//! `ibdiagnet2.db_csv`: a single file gives the scenario of several, and no bytes make the reader panic.

use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::{ImportedScenario, KeyFate, SourceText, changes};
use proptest::prelude::*;
use proptest::sample::Index;
use scenario::{Plan, Scenario, ScenarioText};

const DATABASE: &str = include_str!("../../../../fixtures/import/two-switches.db_csv");
const CLUSTER: &str = include_str!("../../../../fixtures/import/two-switches.net");
const SL2VL: &str = include_str!("../../../../fixtures/import/two-switches.sl2vl");
const VLARB: &str = include_str!("../../../../fixtures/import/two-switches.vlarb");

/// Imports a file of the cluster, with files beside it. All formats have the same name, which is in the scenario.
fn import(text: &str, sl2vl: Option<&str>, vlarb: Option<&str>) -> Result<ImportedScenario, String> {
    let file = |name, text| SourceText { name, text };
    let [sl2vl, vlarb] =
        [("sl2vl", sl2vl), ("vlarb", vlarb)].map(|(name, text)| text.map(|text| file(name, text)));
    let files = ClusterFiles { sl2vl, vlarb, ..ClusterFiles::default() };
    infiniband::import(file("cluster", text), files, &ClusterOptions::default())
        .map_err(|said| said.to_string())
}

fn plan(imported: &ImportedScenario) -> Plan {
    let source = ScenarioText::new("imported.ron", &imported.scenario);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn file<'a>(imported: &'a ImportedScenario, name: &str) -> Option<&'a str> {
    imported.files.iter().find(|(file, _)| file == name).map(|(_, text)| text.as_str())
}

fn fate(imported: &ImportedScenario, key: &str) -> (KeyFate, String) {
    let entry = imported.account.iter().find(|entry| entry.key == key);
    let entry = entry.unwrap_or_else(|| panic!("no `{key}` in {:#?}", imported.account));
    (entry.fate, format!("{}: {}", entry.given, entry.what))
}

/// A port without a cable has the codes of its last link, and an MTU that no packet meets.
#[test]
fn ports_without_cables_have_no_say_in_the_mtu() {
    let line = DATABASE
        .lines()
        .find(|line| line.starts_with("0x0002c90300000100,0x0002c90300000100,3,"))
        .expect("port 3");
    let down =
        line.replacen(",0,3,3,1,3841,0,", ",2,3,3,1,3841,256,", 1).replacen(",4,0,0,5,", ",4,1,0,5,", 1);
    assert_ne!(line, down);
    let one = import(&DATABASE.replace(line, &down), None, None).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(one.scenario, import(DATABASE, None, None).unwrap().scenario);
}

#[test]
fn columns_of_the_same_name_and_short_rows_are_refused() {
    let twice =
        import(&DATABASE.replacen("DeviceID,PartitionCap", "DeviceID,DeviceID", 1), None, None).unwrap_err();
    assert!(twice.contains("section `NODES` has two columns `DeviceID`"), "{twice}");
    let nameless = DATABASE.replacen("MKey,GIDPrfx,MSMLID", ",,", 1);
    assert!(import(&nameless, None, None).is_ok());
    let short = import(&nameless.replacen(",2,0,4,5,2,5,N/A", ",2", 1), None, None).unwrap_err();
    assert!(short.contains("this row has 19 of 25 cells"), "{short}");
}

/// Adaptive routing makes another experiment, whichever columns describe it.
#[test]
fn adaptive_routing_is_a_change() {
    let section = "START_AR_INFO\nNodeGUID,e,fr_enabled\n0x0002c90300000100,1,0\nEND_AR_INFO\n";
    let imported =
        import(&format!("{DATABASE}\n{section}"), None, None).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(fate(&imported, "AR_INFO").0, KeyFate::Changed);
    assert!(changes(&imported.account, "cluster").is_some());
    let empty = "START_AR_INFO\nNodeGUID,e,fr_enabled\nEND_AR_INFO\n";
    let imported =
        import(&format!("{DATABASE}\n{empty}"), None, None).unwrap_or_else(|said| panic!("{said}"));
    assert!(!imported.account.iter().any(|entry| entry.key == "AR_INFO"));
}

/// Nodes, names, ports, speeds, GUIDs and LIDs equal those of `ibnetdiscover`, and weights those of `smpquery vlarb`.
#[test]
fn one_file_gives_what_several_do() {
    let of = |text, sl2vl, vlarb| import(text, sl2vl, vlarb).unwrap_or_else(|said| panic!("{said}"));
    let (one, several) = (of(DATABASE, None, None), of(CLUSTER, None, None));
    assert_eq!(one.scenario, several.scenario);
    for name in ["nodes.csv", "ports.csv"] {
        assert_eq!(file(&one, name), file(&several, name), "{name}");
    }
    plan(&one);
    assert_eq!(
        fate(&one, "NMTU"),
        (KeyFate::Used, "4 KiB at 12 ports: `link.mtu`: 4 KiB, the least of ports with cables".to_owned())
    );
    assert_eq!(fate(&one, "VL_ARBITRATION_TABLE").0, KeyFate::NotUsed);
    assert_eq!(fate(&one, "other sections").1, "1: SWITCHES (2 rows)");
    assert_eq!(fate(&one, "ibdiagnet2.db_csv").0, KeyFate::Approximated);
    let (one, several) = (of(DATABASE, Some(SL2VL), None), of(CLUSTER, Some(SL2VL), Some(VLARB)));
    assert_eq!(one.scenario, several.scenario);
    assert_eq!(fate(&one, "lane arbitration"), fate(&several, "lane arbitration"));
    assert!(!one.account.iter().any(|entry| entry.key == "VL_ARBITRATION_TABLE"));
}

/// Counters have the names and the numbers of ports that the scenario's tables have.
#[test]
fn counters_stand_beside_the_scenario() {
    let imported = import(DATABASE, None, None).unwrap_or_else(|said| panic!("{said}"));
    let counters = file(&imported, "counters.csv").expect("the file has counters");
    assert!(
        counters.starts_with("node,port,PortXmitData,PortRcvData,PortXmitWait,PortXmitDiscards\n"),
        "{counters}"
    );
    assert!(counters.contains("\nnode-3/2,2,10000,20000,63,0\n"), "{counters}");
    assert!(counters.contains("\nMF0;sw-a:MSB7800/U1,20,4000,8000,21,0\n"), "{counters}");
    assert_eq!(counters.lines().count(), 13);
    let (front, behind) = DATABASE.split_once("START_PM_INFO").expect("a section");
    let (_, behind) = behind.split_once("END_PM_INFO\n").expect("its end");
    let without = import(&format!("{front}{behind}"), None, None).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(file(&without, "counters.csv"), None);
}

/// Congestion control that adapters obey is another experiment than a scenario without any.
#[test]
fn congestion_control_of_the_vendor_is_a_change() {
    let off = import(DATABASE, None, None).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(fate(&off, "en_react"), (KeyFate::Used, "0 of 4: `congestion_control: Off`".to_owned()));
    assert_eq!(changes(&off.account, "cluster"), None);
    let on = DATABASE.replacen(",2,0,0,1\nEND_CC_HCA", ",2,0,1,1\nEND_CC_HCA", 1);
    assert_ne!(on, DATABASE);
    let on = import(&on, None, None).unwrap_or_else(|said| panic!("{said}"));
    let said = changes(&on.account, "cluster").expect("it is a change").to_string();
    assert!(said.contains("en_react: adapters react to congestion as the vendor's subnet manager"), "{said}");
    assert!(said.contains("cluster:"), "{said}");
}

/// Lengths, MTUs, speeds and LIDs as other fabrics have them.
#[test]
fn ports_and_cables_have_their_own_values() {
    let cables = "\nSTART_CABLE_INFO\nNodeGuid,PortGuid,PortNum,Source,Vendor,PN,LengthDesc\n\
                  0x0002c90300000110,0x0002c90300000110,20,,\"Mellanox, Inc\",\"MCP1600\",\"3 m\"\n\
                  0x0002c90300000110,0x0002c90300000110,3,,Mellanox,MFA,\"N/A\"\nEND_CABLE_INFO\n";
    let more = format!("{DATABASE}{cables}")
        // The speed of XDR, at 2x, with an MTU of 2 KiB, and a port without a LID.
        .replacen("1,3841,512,0,5,4,3841,2,4,4,5,2", "1,3841,0x1000000,0,5,4,3841,2,4,4,4,2", 4)
        .replacen(",4,0x2651e848,2,", ",65535,0x2651e848,2,", 1);
    let imported = import(&more, None, None).unwrap_or_else(|said| panic!("{said}"));
    let links = fate(&imported, "links").1;
    assert!(links.contains("1 of `4xXDR trunk 3 m`") && links.contains("1 of `4xXDR trunk`,"), "{links}");
    assert_eq!(
        fate(&imported, "lengths in the file").1,
        "1 of 6: `LengthDesc` of cables: kinds of their own"
    );
    assert_eq!(fate(&imported, "NMTU").0, KeyFate::Approximated);
    assert_eq!(
        fate(&imported, "hosts without a LID").1,
        "1: `node-2`: `nodes.csv` leaves them empty, and exports assign some"
    );
    assert_eq!(
        plan(&imported).link().longest_packet(),
        packet::Framing::InfiniBand.longest_packet(packet::Mtu::K2)
    );
}

/// Ends that state two lengths, a cable at a port that is down, and cells that are no counters are not passed over.
#[test]
fn sections_that_contradict_each_other_are_named() {
    let of = |text: &str| import(text, None, None);
    let with_lengths = |one: &str, other: &str| {
        of(&format!(
            "{DATABASE}\nSTART_CABLE_INFO\nNodeGuid,PortNum,LengthDesc\n0x0002c90300000100,17,{one}\n0x0002c90300000110,20,{other}\nEND_CABLE_INFO\n"
        ))
        .unwrap_or_else(|said| panic!("{said}"))
    };
    for (one, other) in [("3 m", "50 m"), ("50 m", "3 m")] {
        let two = with_lengths(one, other);
        assert!(fate(&two, "links").1.contains("1 of `4xEDR trunk 50 m`"), "{}", fate(&two, "links").1);
        let (fate, said) = fate(&two, "two lengths");
        assert_eq!(fate, KeyFate::Approximated);
        assert!(said.starts_with(&format!("1: {one} and {other} at `MF0;sw-a:MSB7800/U1`")), "{said}");
    }
    assert!(!with_lengths("3 m", "3 m").account.iter().any(|entry| entry.key == "two lengths"));

    let down = DATABASE.replacen(",256,0,5,4,", ",256,0,5,1,", 1);
    let said = of(&down).expect_err("port 1 is down");
    assert!(said.contains("`1` of column `PortNum1` is a port that section `PORTS` has down"), "{said}");
    let other = DATABASE.replacen(
        "\n0x0002c90300000100,17,0x0002c90300000110,20\n",
        "\n0x0002c90300000100,17,0x0002c90300000110,19\n",
        1,
    );
    let said = of(&other).expect_err("port 19 is down");
    assert!(said.contains("`19` of column `PortNum2` is a port that section `PORTS` has down"), "{said}");

    let none = DATABASE.replacen(",1,1000,2000,0,0\n", ",1,N/A,18446744073709551615,NA,-1\n", 1);
    let none = of(&none).unwrap_or_else(|said| panic!("{said}"));
    assert!(file(&none, "counters.csv").expect("counters").contains("sw-a:MSB7800/U1,1,,,,\n"));
    let (fate, said) = fate(&none, "cells without a counter");
    assert_eq!(fate, KeyFate::NotUsed);
    assert!(
        said.starts_with("4: `PortXmitData`, `PortRcvData`, `PortXmitWait`, `PortXmitDiscards`: "),
        "{said}"
    );
}

/// A cable that is slower than the others of its switch is named at import.
#[test]
fn a_cable_unlike_its_siblings_is_named() {
    let imported = import(CLUSTER, None, None).expect("it is right");
    assert!(
        !imported.account.iter().any(|entry| entry.key == "cables unlike their siblings"),
        "of two neither is most"
    );
    let more = CLUSTER.replace(
        "[17]\t\"S-0002c90300000110\"[20]",
        "[5]\t\"H-0002c90300000240\"[1]\t# \"node-4\" lid 8 4xFDR\n[17]\t\"S-0002c90300000110\"[20]",
    ) + "\ncaguid=0x2c90300000240\nCa\t1 \"H-0002c90300000240\"\t# \"node-4\"\n[1](2c90300000241)\t\"S-0002c90300000100\"[5]\t# lid 8 lmc 0 \"sw-a\" lid 1 4xFDR\n";
    let imported = import(&more, None, None).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(
        fate(&imported, "cables unlike their siblings").1,
        "1: `MF0;sw-a:MSB7800/U1` port 2 to `node-2` is 4xEDR, most of its cables to hosts 4xFDR"
    );
}

/// Columns in another order, with other letters, and more of them, change nothing.
#[test]
fn columns_are_found_by_their_names() {
    let expected = import(DATABASE, None, None).expect("it is right");
    let other = DATABASE
        .lines()
        .scan("", |section, line| {
            if let Some(name) = line.strip_prefix("START_") {
                *section = name;
            }
            let cells: Vec<&str> = line.split(',').collect();
            Some(match (*section, &cells[..]) {
                ("LINKS", [a, b, c, d]) => format!("{c},more,{d},{a},{b}"),
                _ if line.starts_with("NodeGuid,PortGuid,PortNum,MKey") => line.to_ascii_uppercase(),
                _ => line.to_owned(),
            })
        })
        .collect::<Vec<_>>()
        .join("\r\n");
    assert_eq!(import(&other, None, None).map(|imported| imported.scenario), Ok(expected.scenario));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Parts of lines and whole lines that are lost or doubled give an answer.
    #[test]
    fn nothing_makes_it_panic(lines in prop::collection::vec((any::<Index>(), 0..4_u8, any::<Index>()), 1..4)) {
        let mut text: Vec<String> = DATABASE.lines().map(str::to_owned).collect();
        for (at, change, place) in lines {
            let at = at.index(text.len());
            match change {
                0 => drop(text.remove(at)),
                1 => text.insert(at, text[at].clone()),
                2 => {
                    let cut = place.index(text[at].len() + 1);
                    text[at].truncate(cut);
                }
                _ => text[at] = text[at].replacen(',', "\",0xffffffffffffffffff,", 1),
            }
        }
        drop(import(&text.join("\n"), Some(SL2VL), None));
    }
}
