//! Files as they come: from terminals, with two ends of two widths, with ports without LIDs, with bytes that are no
//! text.
//! Each gives the scenario of the plain file, and the account has the differences.

use interop::export::addresses::Addresses;
use interop::export::ibsim;
use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::text::GivenText;
use interop::import::{ImportedScenario, KeyAccount, KeyFate, SourceText};
use proptest::prelude::*;
use scenario::{Plan, Scenario, ScenarioText};

const TWO_SWITCHES: &str = include_str!("../../../../fixtures/import/two-switches.net");

/// A switch with three hosts, of LIDs 2, 3 and 4, or others.
fn star(lids: [&str; 3]) -> String {
    let mut text = "switchguid=0xa000(a000)\n\
         Switch\t41 \"S-a000\"\t\t# \"MF0;leaf-1:MQM8700/U1\" enhanced port 0 lid 1 lmc 0\n"
        .to_owned();
    for (number, lid) in (1..).zip(lids) {
        text += &format!(
            "[{number}]\t\"H-b00{number}\"[1](b00{number}) \t\t# \"n{number} HCA-1\" lid {lid} 4xHDR\n"
        );
    }
    for (number, lid) in (1..).zip(lids) {
        text += &format!(
            "\ncaguid=0xb00{number}\nCa\t1 \"H-b00{number}\"\t\t# \"n{number} HCA-1\"\n\
             [1](b00{number}) \t\"S-a000\"[{number}]\t\t# lid {lid} lmc 0 \"MF0;leaf-1:MQM8700/U1\" lid 1 4xHDR\n"
        );
    }
    text
}

fn import(text: &str, sl2vl: Option<&str>, vlarb: Option<&str>) -> Result<ImportedScenario, String> {
    let file = |name| move |text| SourceText { name, text };
    let files = ClusterFiles {
        sl2vl: sl2vl.map(file("sl2vl")),
        vlarb: vlarb.map(file("vlarb")),
        ..ClusterFiles::default()
    };
    let read = infiniband::import(SourceText { name: "net", text }, files, &ClusterOptions::default());
    read.map_err(|said| said.to_string())
}

fn read(text: &str) -> ImportedScenario {
    import(text, None, None).unwrap_or_else(|said| panic!("{said}"))
}

fn plan(imported: &ImportedScenario) -> Plan {
    let source = ScenarioText::new("imported.ron", &imported.scenario);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn fate(account: &[KeyAccount], key: &str) -> Option<(KeyFate, String)> {
    let entry = account.iter().find(|entry| entry.key == key)?;
    Some((entry.fate, format!("{}: {}", entry.given, entry.what)))
}

/// An export takes the tables of every import, whatever its addresses were.
fn exported(imported: &ImportedScenario) -> String {
    let plan = plan(imported);
    let [nodes, ports] =
        [0, 1].map(|table| SourceText { name: &imported.files[table].0, text: &imported.files[table].1 });
    let addresses = Addresses::of_cluster(&plan, nodes, ports).unwrap_or_else(|said| panic!("{said}"));
    ibsim::export(&plan, &addresses).expect("it is InfiniBand's").text
}

#[test]
fn a_port_without_a_lid_has_none() {
    let imported = read(&star(["2", "65535", "65535"]));
    let nodes = &imported.files[0].1;
    assert!(nodes.contains("\nn1,host,0x000000000000b001,0x000000000000b001,2\n"), "{nodes}");
    assert!(nodes.contains("\nn2,host,0x000000000000b002,0x000000000000b002,\n"), "{nodes}");
    assert!(!nodes.contains("65535"), "{nodes}");
    let (found, what) = fate(&imported.account, "hosts without a LID").expect("an entry");
    assert!(found == KeyFate::Approximated && what.starts_with("2: `n2`, `n3`"), "{what}");
    assert!(fate(&imported.account, "nodes").expect("an entry").1.contains("4 GUIDs and 2 LIDs"));
    exported(&imported);
    // With tables nobody can send there: another experiment.
    let lfts = "Unicast lids [0-4] of switch Lid 1 guid 0x000000000000a000 ('x'):\n0x0001 000\n0x0002 001\n";
    let with = |net: &str, lfts: &str| {
        let files =
            ClusterFiles { lfts: Some(SourceText { name: "lfts", text: lfts }), ..ClusterFiles::default() };
        infiniband::import(SourceText { name: "net", text: net }, files, &ClusterOptions::default())
    };
    let tables = with(&star(["2", "65535", "65535"]), lfts).expect("it is right");
    let (found, what) = fate(&tables.account, "unreachable pairs").expect("an entry");
    assert!(found == KeyFate::Changed && what.starts_with("4 of 6: "), "{what}");
    assert!(what.contains("`n2` has no LID"), "{what}");
    let said = with(&star(["0", "65535", "65535"]), lfts).expect_err("there are no LIDs").to_string();
    assert!(said.contains("no LID of any host"), "{said}");
}

/// Files of two subnets, or of two times, may give an address twice.
#[test]
fn addresses_of_several_nodes_stay_with_the_first() {
    let imported = read(&star(["2", "2", "1"]));
    // The switch comes after hosts, so that it loses its LID.
    let (found, what) = fate(&imported.account, "LIDs of several nodes").expect("an entry");
    assert!(found == KeyFate::Approximated && what.starts_with("2: `n2`, `MF0;leaf-1:MQM8700/U1`"), "{what}");
    exported(&imported);
    for (guid, other) in [
        ("caguid=0xb002", "caguid=0xb001"),
        ("(b003)", "(b001)"),
        ("switchguid=0xa000(a000)", "switchguid=0xb003(b003)"),
    ] {
        let imported = read(&star(["2", "3", "4"]).replace(guid, other));
        let (found, what) = fate(&imported.account, "GUIDs of several nodes").expect("an entry");
        assert!(found == KeyFate::Approximated && what.starts_with("1: "), "{what}");
        exported(&imported);
    }
}

#[test]
fn of_two_ends_the_slower_holds() {
    let unlike = star(["2", "3", "4"]).replacen("\"n2 HCA-1\" lid 3 4xHDR", "\"n2 HCA-1\" lid 3 2xHDR", 1);
    let imported = read(&unlike);
    let (found, what) = fate(&imported.account, "cables of two speeds").expect("an entry");
    assert!(found == KeyFate::Approximated && what.contains("4xHDR, and 2xHDR at its far end"), "{what}");
    assert!(imported.scenario.contains("\"2xHDR\""), "{}", imported.scenario);
    assert!(fate(&read(&star(["2", "3", "4"])).account, "cables of two speeds").is_none());
}

/// `smpquery sl2vl LID PORT` prints a head, the service levels, and a row for each input.
#[test]
fn lanes_are_asked_of_each_port() {
    let row = "| 0| 0| 0| 0| 0| 0| 1| 1| 1| 1| 1| 2| 2| 2| 2| 2|";
    let head = |lid: u16| {
        format!(
            "ibwarn: [18208] sim_connect: attached\n\
             # SL2VL table: Lid {lid}\n#                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|\n"
        )
    };
    let mut text: String =
        [2, 3, 4].map(|lid| format!("{}ports: in  0, out  0: {row}\n", head(lid))).concat();
    for output in 1..=3 {
        text += &head(1);
        text +=
            &(0..=3).map(|input| format!("ports: in  {input}, out  {output}: {row}\n")).collect::<String>();
    }
    let text = GivenText::of(text.as_bytes()).expect("a text");
    assert_eq!(fate(&text.account, "(terminal)").expect("an entry").0, KeyFate::NotUsed);
    let net = star(["2", "3", "4"]);
    let imported = import(&net, Some(&text.text), None).unwrap_or_else(|said| panic!("{said}"));
    let levels = "sl_to_vl: {0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 2,";
    assert!(imported.scenario.contains(levels), "{}", imported.scenario);
    assert_eq!(fate(&imported.account, "service levels").expect("an entry").0, KeyFate::Used);
    plan(&imported);
    // Rows by input and output.
    let other = text.text.replace("in  2, out  3: | 0|", "in  2, out  3: | 1|");
    let imported = import(&net, Some(&other), None).unwrap_or_else(|said| panic!("{said}"));
    let switch = plan(&imported);
    let own = switch.graph().switch_ids().next().expect("a switch");
    let tables = switch.nodes().switch(own).sl_to_vl.as_ref().expect("lanes change");
    let lane = |input, output| {
        tables.lane((packet::PortId(input), packet::PortId(output)), packet::ServiceLevel(0)).0
    };
    assert_eq!([lane(1, 2), lane(0, 2), lane(1, 0)], [1, 0, 0]);
    // A host without a LID cannot be asked.
    let lacking = import(&star(["2", "3", "65535"]), Some(&text.text.replace("Lid 4", "Lid 3")), None);
    let lacking = lacking.unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(fate(&lacking.account, "adapters not asked").expect("an entry").0, KeyFate::Changed);
    for (wrong, words) in [
        (text.text.replace("Lid 4", "Lid 9"), "the cluster has no node with LID 9"),
        (
            text.text.replace("Lid 4", "DR path slid 65535; dlid 65535; 0,1"),
            "the node is not named by its LID",
        ),
        (text.text.replace("Lid 4", "Lid 2"), "there is no table of `n3`"),
        (
            text.text.replacen("out  3:", "out  2:", 1),
            "`MF0;leaf-1:MQM8700/U1` has no row for input 1 and output 3",
        ),
        (
            format!("{}ports: in  0, out  3: | 1{}\n", text.text, &row[3..]),
            "input 0 and output 3 have another row",
        ),
    ] {
        // The row of input 0 is a switch's own, which nobody misses: the first such row goes to an input with a cable.
        let wrong = if words.contains("has no row") {
            wrong.replacen("in  1, out  3:", "in  0, out  3:", 1)
        } else {
            wrong
        };
        let said = import(&net, Some(&wrong), None).expect_err(words);
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// Changes to a file by a terminal, an editor or another system.
#[test]
fn texts_are_read_as_they_come() {
    let expected = read(TWO_SWITCHES);
    let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
        let units = TWO_SWITCHES.replace('\n', "\r\n");
        [&mark[..], &units.encode_utf16().flat_map(bytes).collect::<Vec<_>>()].concat()
    };
    let logged = format!(
        "Script started on 2026-11-27\n\u{1b}]0;title\u{7}[root@node-1 ~]# ibnetdiscover\n\
         ibwarn: [7] mad_rpc: _do_madrpc failed\n{}\
         admin@node-1:~$ exit\n",
        TWO_SWITCHES.replace("\nSwitch", "\n\u{1b}[1;32mSwitch\u{1b}[0m")
    );
    for (bytes, keys) in [
        (TWO_SWITCHES.replace('\n', "\r\n").into_bytes(), &[][..]),
        ([b"\xEF\xBB\xBF", TWO_SWITCHES.as_bytes()].concat(), &[][..]),
        (utf16([0xFF, 0xFE], u16::to_le_bytes), &[][..]),
        (utf16([0xFE, 0xFF], u16::to_be_bytes), &[][..]),
        (logged.into_bytes(), &["(escapes)", "(terminal)"][..]),
    ] {
        let given = GivenText::of(&bytes).expect("a text");
        assert_eq!(given.account.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), keys);
        assert_eq!(read(&given.text).scenario, expected.scenario);
    }
    let latin = [TWO_SWITCHES.replace("node-10", "n\u{153}ud-10").as_bytes(), b"# \xe9t\xe9\n"].concat();
    let given = GivenText::of(&latin).expect("a text");
    let (found, what) = fate(&given.account, "(bytes)").expect("an entry");
    let line = TWO_SWITCHES.lines().count() + 1;
    assert!(
        found == KeyFate::Approximated && what.starts_with("2: ") && what.contains(&format!("line {line},")),
        "{what}"
    );
    assert_eq!(GivenText::of(b"\x7fELF\0\0"), None);
}

/// Commands that set something are no messages, and each letter stays in its column.
#[test]
fn prompts_go_and_settings_stay() {
    for (line, left) in [
        ("admin@sonic:~$ show lldp table", "admin@sonic:~$ show lldp table"),
        ("admin@sonic:~$ show version", ""),
        ("[root@n1 ~]# ", ""),
        ("$ smpquery vlarb 3 1", ""),
        ("PS C:\\Users\\me> mlxconfig q", "                mlxconfig q"),
        (
            "root@n1:/tmp# sudo mlxconfig -d d set RPG_AI_RATE_P1=5",
            "              sudo mlxconfig -d d set RPG_AI_RATE_P1=5",
        ),
        ("[root@n1 ~]# ibccconfig CK 1 1 0 0 0", "             ibccconfig CK 1 1 0 0 0"),
        ("smpquery: iberror: failed: operation vlarb: vlarb query failed", ""),
        ("# user@host:~$ ls", "# user@host:~$ ls"),
        (
            "[1](b001) \t\"S-a000\"[1]\t\t# lid 2 lmc 0 \"a@b\" lid 1 4xHDR",
            "[1](b001) \t\"S-a000\"[1]\t\t# lid 2 lmc 0 \"a@b\" lid 1 4xHDR",
        ),
        ("rpg_ai_rate 5 # user@host", "rpg_ai_rate 5 # user@host"),
        ("user@host:$HOME", "user@host:$HOME"),
    ] {
        let given = GivenText::of(format!("{line}\n").as_bytes()).expect("a text");
        assert_eq!(given.text.trim_end(), left.trim_end(), "{line}");
        assert!(given.text.ends_with('\n'));
        assert_eq!(given.account.is_empty(), line == left, "{line}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Lines keep their numbers, and a text that was read once stays as it is.
    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(prop::sample::select(b"a\x1b[]\x07\x08\n\r$ @#:\xff\xc3\xa9~;m".to_vec()), 0..200)) {
        let given = GivenText::of(&bytes).expect("there is no zero");
        let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
        prop_assert_eq!(lines(given.text.as_bytes()), lines(&bytes));
        let left = given.text.contains(['\u{1b}', '\u{8}']);
        prop_assert!(!left);
    }

    #[test]
    fn an_export_takes_every_import(
        lids in prop::array::uniform3(prop::sample::select(vec!["0", "1", "2", "3", "49151", "49152", "65535"])),
        guids in prop::array::uniform3(prop::sample::select(vec!["a000", "b001", "b002", "b003", "b004"])),
    ) {
        let mut text = star(lids);
        for (number, guid) in (1..).zip(guids) {
            text = text.replace(&format!("caguid=0xb00{number}"), &format!("caguid=0x{guid}"));
        }
        exported(&read(&text));
    }
}
