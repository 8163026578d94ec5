//! Forwarding tables and tables of lanes of a cluster: the formats agree, and the scenario has the cluster's own paths.
//! Each pair without a path, each loop and each credit loop is named. No bytes make a reader panic.

use interop::import::infiniband::forwarding::{ForwardingTables, without_descriptions};
use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::{ImportedScenario, KeyFate, SourceText};
use proptest::prelude::*;
use proptest::sample::Index;
use scenario::{Plan, Scenario, ScenarioText};

const SWITCHES: usize = 4;

/// A ring of four switches: a host at port 1, the next switch at port 20, the previous switch at port 30. Host i has
/// LID i + 1.
fn ring() -> String {
    let nodes = (0..SWITCHES).map(|i| {
        let (next, before) = ((i + 1) % SWITCHES, (i + SWITCHES - 1) % SWITCHES);
        format!(
            "Switch\t36 \"S-00000000000001{i:02x}\"\t# \"s{i}\" base port 0 lid {} lmc 0\n\
             [1]\t\"H-00000000000002{i:02x}\"[1]({:x}) # \"h{i}\" lid {} 4xEDR\n\
             [20]\t\"S-00000000000001{next:02x}\"[30] # \"s{next}\" lid 1 4xEDR\n\
             [30]\t\"S-00000000000001{before:02x}\"[20] # \"s{before}\" lid 1 4xEDR\n\n\
             Ca\t1 \"H-00000000000002{i:02x}\"\t# \"h{i}\"\n\
             [1]({:x})\t\"S-00000000000001{i:02x}\"[1] # lid {} lmc 0 \"s{i}\" lid {} 4xEDR\n\n",
            0x11 + i,
            0x300 + i,
            i + 1,
            0x300 + i,
            i + 1,
            0x11 + i,
        )
    });
    nodes.collect()
}

/// Writes the tables as OpenSM does, by switch and host.
fn dump(port: impl Fn(usize, usize) -> Option<u8>) -> String {
    let mut text = String::new();
    for i in 0..SWITCHES {
        text += &format!(
            "Unicast lids [0-20] of switch Lid {} guid 0x00000000000001{i:02x} ('s{i}'):\n",
            0x11 + i
        );
        for j in 0..SWITCHES {
            let own = port(i, j)
                .map(|port| format!("0x{:04x} {port:03} # Channel Adapter portguid 0x3: 'h{j}'\n", j + 1));
            text += &own.unwrap_or_default();
        }
        text += "4 lids dumped\n";
    }
    text
}

/// Up to two steps clockwise, else a step back.
fn shortest(i: usize, j: usize) -> Option<u8> {
    Some([1, 20, 20, 30][(j + SWITCHES - i) % SWITCHES])
}

fn clockwise(i: usize, j: usize) -> Option<u8> {
    Some(if i == j { 1 } else { 20 })
}

fn import(lfts: &str, sl2vl: Option<&str>) -> Result<ImportedScenario, String> {
    let file = |name, text| SourceText { name, text };
    let files = ClusterFiles {
        lfts: Some(file("lfts", lfts)),
        sl2vl: sl2vl.map(|text| file("sl2vl", text)),
        ..ClusterFiles::default()
    };
    infiniband::import(file("ring.net", &ring()), files, &ClusterOptions::default())
        .map_err(|said| said.to_string())
}

fn plan(imported: &ImportedScenario) -> Plan {
    let source = ScenarioText::new("imported.ron", &imported.scenario);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn fate(imported: &ImportedScenario, key: &str) -> (KeyFate, String) {
    let entry = imported.account.iter().find(|entry| entry.key == key);
    let entry = entry.unwrap_or_else(|| panic!("no `{key}` in {:#?}", imported.account));
    (entry.fate, format!("{}: {}", entry.given, entry.what))
}

/// Returns the nodes on the path from a host to another.
fn path(plan: &Plan, from: &str, to: &str) -> Vec<String> {
    let node = |name: &str| plan.graph().find(name).expect("it is there");
    let path = plan.routes().path(plan.graph(), node(from), node(to)).expect("there is a path");
    path.iter().map(|(at, _)| plan.graph().name(*at).to_owned()).collect()
}

#[test]
fn the_formats_of_tables_agree() {
    let opensm = dump(shortest);
    let expected = import(&opensm, None).unwrap_or_else(|said| panic!("{said}"));
    let script = opensm
        .replace(
            "Unicast lids [0-20] of switch Lid ",
            "Unicast lids [0x0-0x14] of switch DR path slid 0; dlid 0; 0,",
        )
        .replace("'):\n", "):\n  Lid  Out   Destination\n       Port     Info \n")
        .replace("('", "(")
        .replace(" # ", " : (")
        .replace(
            "4 lids dumped",
            "4 valid lids dumped \n\n*** WARNING ***: this command has been replaced by dump_fts\n",
        );
    let mut listed = String::new();
    for i in 0..SWITCHES {
        listed +=
            &format!("dump_ucast_routes: Switch 0x00000000000001{i:02x}\nLID    : Port : Hops : Optimal\n");
        for j in 0..SWITCHES {
            listed += &format!("0x{:04X} : {:03}  : 02   : yes\n", j + 1, shortest(i, j).expect("a port"));
        }
        listed += "0x0005 : UNREACHABLE\n";
    }
    let odd = opensm.replace("0x0001 001", "  0x1 1 ").replace("0x0003 020", "0x0003  020");
    for other in [script, listed, odd] {
        let imported = import(&other, None).unwrap_or_else(|said| panic!("{said}\n{other}"));
        assert_eq!(imported.scenario, expected.scenario);
    }
    let source = |text| SourceText { name: "lfts", text };
    let short = without_descriptions(opensm.as_bytes()).expect("it is in memory");
    let short = String::from_utf8(short).expect("it is UTF-8");
    assert!(!short.contains("portguid") && short.lines().count() == opensm.lines().count(), "{short}");
    assert_eq!(import(&short, None).expect("it is right").scenario, expected.scenario);
    let tables = ForwardingTables::read(source(&opensm)).expect("it is right");
    let again = tables.text();
    let again = ForwardingTables::read(source(&again)).expect("it is right");
    let content = |tables: &ForwardingTables| {
        let all =
            tables.switches.iter().map(|own| (own.guid, own.lid, own.name.clone(), own.entries.clone()));
        all.collect::<Vec<_>>()
    };
    assert_eq!(content(&tables), content(&again));
}

/// Ports have the cluster's numbers in its tables, and the scenario's numbers here.
#[test]
fn paths_are_those_of_the_cluster() {
    let short = plan(&import(&dump(shortest), None).expect("it is right"));
    assert_eq!(path(&short, "h0", "h2"), ["h0", "s0", "s1", "s2"]);
    assert_eq!(path(&short, "h2", "h1"), ["h2", "s2", "s1"]);
    let round = import(&dump(clockwise), None).expect("it is right");
    assert_eq!(path(&plan(&round), "h2", "h1"), ["h2", "s2", "s3", "s0", "s1"]);
}

/// Clockwise round a ring packets wait for each other; with a gap in the ring they do not.
#[test]
fn credit_loops_are_named() {
    let round = import(&dump(clockwise), None).expect("it is right");
    let cycle = "`s0` port 20 -> `s1` port 20 -> `s2` port 20 -> `s3` port 20 -> `s0` port 20";
    let (found, what) = fate(&round, "credit loops");
    assert!(found == KeyFate::Used && what.starts_with("found: ") && what.contains(cycle), "{what}");
    assert_eq!(round.warnings, [format!("lfts: credit loop: {cycle}")]);
    assert!(round.scenario.contains("dependency_cycles: Allowed,"), "{}", round.scenario);
    // To the left of the gap between s3 and s0, and to the right.
    let line = import(
        &dump(|i, j| {
            Some(if i == j {
                1
            } else if j > i {
                20
            } else {
                30
            })
        }),
        None,
    )
    .expect("it is right");
    assert_eq!(fate(&line, "credit loops").1, "none: packets between any two hosts cannot wait in a cycle");
    assert!(line.warnings.is_empty() && !line.scenario.contains("dependency_cycles"), "{}", line.scenario);
    plan(&line);
}

#[test]
fn pairs_without_a_path_are_counted() {
    type Case = (&'static str, fn(usize, usize) -> Option<u8>, &'static str);
    let cases: [Case; 4] = [
        (
            "missing",
            |i, j| clockwise(i, j).filter(|_| (i, j) != (3, 1)),
            "2 of 12: from `h2` to `h1`: the entry of `s3` leads",
        ),
        (
            "no cable",
            |i, j| if (i, j) == (0, 1) { Some(5) } else { clockwise(i, j) },
            "3 of 12: from `h0` to `h1`: the entry of `s0`",
        ),
        (
            "loop",
            |i, j| if (i, j) == (0, 1) { Some(30) } else { clockwise(i, j) },
            "3 of 12: from `h0` to `h1`: packets would go round for ever, s0 -> s3 -> s0.",
        ),
        (
            "wrong host",
            |i, j| if (i, j) == (0, 1) { Some(1) } else { clockwise(i, j) },
            "3 of 12: from `h0` to `h1`: the entry of `s0`",
        ),
    ];
    for (name, port, words) in cases {
        let imported = import(&dump(port), None).unwrap_or_else(|said| panic!("{name}: {said}"));
        let (found, what) = fate(&imported, "unreachable pairs");
        assert!(found == KeyFate::Changed && what.starts_with(words), "{name}: {what}");
        let said = interop::import::changes(&imported.account, "ring.net").expect("a change").to_string();
        assert!(said.starts_with("error: lfts: unreachable pairs: "), "{name}: {said}");
        // Paths to that host are shortest paths; all others stay.
        let plan = plan(&imported);
        assert_eq!(path(&plan, "h3", "h2"), ["h3", "s3", "s0", "s1", "s2"], "{name}");
        assert_eq!(path(&plan, "h2", "h1"), ["h2", "s2", "s1"], "{name}");
    }
}

#[test]
fn tables_of_another_cluster_are_refused() {
    let right = dump(clockwise);
    for (wrong, words) in [
        (
            right.replace("0000000000000103 ('s3')", "0000000000000109 ('s3')"),
            "lfts:19:1: the cluster has no switch 0x0000000000000109",
        ),
        (
            right.split("Unicast lids [0-20] of switch Lid 20").next().unwrap_or("").to_owned(),
            "lfts: there is no table of `s3`",
        ),
        (right.replace("0x0002 020", "0x0001 020"), "lfts:1:1: this switch has two entries for LID 0x0001"),
        (right.replace("guid 0x00000000000001", "guid ss"), "lfts:1:43: the switch has no GUID"),
        (right.replacen("0x0001 001", "0x0001 4444", 1), "lfts:2:8: `4444` is not a port"),
        (right.replacen("Unicast lids", "Multicast mlids", 1), "lfts:1:1: these are multicast tables"),
        ("0x0001 001\n".to_owned(), "lfts:1:1: an entry stands before the first switch"),
        ("# nothing\n".to_owned(), "lfts: the file has no forwarding tables"),
        ("nonsense\n".to_owned(), "lfts:1:1: this is no part of a forwarding table"),
    ] {
        let said = import(&wrong, None).expect_err("it is wrong");
        assert!(said.starts_with(&format!("error: {words}")), "{said}");
    }
}

/// Writes tables of lanes as OpenSM does, by switch, input and output.
fn lanes(row: impl Fn(usize, u8, u8) -> [u8; 16]) -> String {
    let words = |row: [u8; 16]| row.map(|lane| format!("{lane:<3}")).concat();
    let mut text = String::new();
    for i in 0..SWITCHES {
        text += &format!(
            "Switch 0x00000000000001{i:02x}, base LID {}, \"s{i}\"\n#in out : 0  1\n#---\n",
            0x11 + i
        );
        for (input, output) in
            [0, 1, 20, 30].iter().flat_map(|input| [1, 20, 30].map(|output| (*input, output)))
        {
            text += &format!("{input:<3} {output:<3} : {}\n", words(row(i, input, output)));
        }
        text += &format!(
            "#---\n\nChannel Adapter 0x00000000000003{i:02x}, base LID {}, \"h{i}\"\n0   0   : {}\n\n",
            i + 1,
            words([0; 16])
        );
    }
    text
}

/// Packets that cross from s3 to s0 have lane 1 from there on if their service level is 1; tables by port say so.
#[test]
fn lanes_are_those_of_the_cluster_by_port() {
    let alike =
        import(&dump(clockwise), Some(&lanes(|_, _, _| [0; 16]))).unwrap_or_else(|said| panic!("{said}"));
    assert!(alike.scenario.contains("data_lanes: 1,\n        sl_to_vl: {0: 0, 1: 0,"), "{}", alike.scenario);
    assert!(!alike.scenario.contains("switches: {\n"), "{}", alike.scenario);
    let by_port = |i: usize, input: u8, output: u8| {
        let mut row = [0; 16];
        row[1] = u8::from(i == 3 && output == 20 || i == 0 && input == 30 && output == 20);
        row[2] = 2;
        row
    };
    let imported = import(&dump(clockwise), Some(&lanes(by_port))).unwrap_or_else(|said| panic!("{said}"));
    let plan = plan(&imported);
    let graph = plan.graph();
    assert_eq!(plan.link().data_lanes, 4, "ports operate 1, 2, 4, 8 or 15 lanes");
    for (i, own) in (0..SWITCHES).map(|i| (i, graph.find(&format!("s{i}")).expect("a switch"))) {
        let tables = plan.nodes().switch(own).sl_to_vl.as_ref().expect("lanes change");
        for (input, output) in (0..3u16).flat_map(|input| (0..3u16).map(move |output| (input, output))) {
            let number = |port: u16| [1, 20, 30][usize::from(port)];
            for level in 0..16 {
                let lane =
                    tables.lane((packet::PortId(input), packet::PortId(output)), packet::ServiceLevel(level));
                assert_eq!(
                    lane.0,
                    by_port(i, number(input), number(output))[usize::from(level)],
                    "{i} {input} {output}"
                );
            }
        }
    }
    let said = import(&dump(clockwise), Some(&lanes(|_, _, _| [15; 16]))).expect("it is right");
    assert_eq!(fate(&said, "discarded levels").0, KeyFate::Changed);
    let short = lanes(|_, _, _| [0; 16]).replacen("20  30  : ", "#", 1);
    let said = import(&dump(clockwise), Some(&short)).expect_err("a row is missing");
    assert!(said.starts_with("error: sl2vl:1:1: `s0` has no row for input 20 and output 30"), "{said}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = import(&text, None);
        let _ = import(&dump(clockwise), Some(&text));
    }

    #[test]
    fn no_change_of_a_file_makes_a_reader_panic(
        tables in any::<bool>(),
        cuts in prop::collection::vec((any::<Index>(), any::<Index>(), 0..4usize), 1..6),
    ) {
        let mut text = if tables { dump(shortest) } else { lanes(|_, _, _| [0; 16]) };
        for (from, to, what) in cuts.into_iter().filter(|_| !text.is_empty()).collect::<Vec<_>>() {
            let (from, to) = (from.index(text.len().max(1)), to.index(text.len().max(1)));
            let (from, to) = (from.min(to).min(text.len()), from.max(to).min(text.len()));
            text.replace_range(from..to, ["", "99999999999", " : ", "0x"][what]);
        }
        let _ = if tables { import(&text, None) } else { import(&dump(clockwise), Some(&text)) };
    }
}
