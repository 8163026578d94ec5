//! Cables of RoCEv2 fabrics: what switches, `NetQ` and `NetBox` say of the same fabric gives the same scenario. What
//! a file leaves open is refused or named.

use interop::export::{PortNames, sonic};
use interop::import::lldp::{self, LldpOptions};
use interop::import::{ImportedScenario, KeyFate, SourceText};
use proptest::prelude::*;
use proptest::sample::Index;
use scenario::{Plan, Scenario, ScenarioText};
use units::{Length, Rate};

/// Cables of two leaves and a spine: four hosts, one cable doubled.
const CABLES: [[&str; 4]; 7] = [
    ["leaf-1", "Ethernet0", "h1", "p0"],
    ["leaf-1", "Ethernet4", "h2", "p0"],
    ["leaf-2", "Ethernet0", "h3", "p0"],
    ["leaf-2", "Ethernet4", "h10", "p0"],
    ["leaf-1", "Ethernet48", "spine-1", "Ethernet0"],
    ["leaf-1", "Ethernet52", "spine-1", "Ethernet4"],
    ["leaf-2", "Ethernet48", "spine-1", "Ethernet8"],
];

/// Writes a table as `tabulate` does.
fn table(headings: &[&str], rows: &[Vec<&str>]) -> String {
    let widths: Vec<usize> = (0..headings.len())
        .map(|i| rows.iter().map(|row| row[i].len()).chain([headings[i].len()]).max().unwrap_or(0))
        .collect();
    let line = |cells: &[&str]| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let dashes: Vec<&str> = dashes.iter().map(String::as_str).collect();
    line(headings) + &line(&dashes) + &rows.iter().map(|row| line(row)).collect::<String>()
}

/// Returns the ends of the cables of a node, its own first.
fn cables_of(node: &'static str) -> impl Iterator<Item = [&'static str; 4]> {
    CABLES.into_iter().filter_map(move |[a, p, b, q]| {
        if a == node { Some([a, p, b, q]) } else { Some([b, q, a, p]).filter(|_| b == node) }
    })
}

/// What `show lldp table` prints at a switch. A port's identifier is its alias, and its description its name.
fn shown(node: &'static str) -> String {
    let alias = |port: &str| format!("etp{}", port.trim_start_matches("Ethernet"));
    let rows: Vec<[String; 5]> = cables_of(node)
        .map(|[_, port, peer, far]| {
            let is_host = peer.starts_with('h');
            let own = |text: &str| text.to_owned();
            [
                own(port),
                own(peer),
                if is_host { own(far) } else { alias(far) },
                own(if is_host { "R" } else { "BR" }),
                own(if is_host { "a port @ rack: #1" } else { far }),
            ]
        })
        .chain([["eth0", "oob", "port 3", "B", "of the rack"].map(str::to_owned)])
        .collect();
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let headings = ["LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr"];
    format!(
        "Capability codes: (R) Router, (B) Bridge, (O) Other\n{}{}\nTotal entries displayed:  {}\n",
        table(&headings, &rows),
        "-".repeat(50),
        rows.len()
    )
}

fn import(files: &[(&str, &str)], options: &LldpOptions) -> Result<ImportedScenario, String> {
    let files: Vec<_> = files.iter().map(|(name, text)| SourceText { name, text }).collect();
    lldp::import(&files, &[], options).map_err(|said| said.to_string())
}

fn imported(files: &[(&str, &str)]) -> ImportedScenario {
    import(files, &LldpOptions::default()).unwrap_or_else(|said| panic!("{said}"))
}

fn plan(imported: &ImportedScenario) -> Plan {
    let source = ScenarioText::new("imported.ron", &imported.scenario);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

/// Returns the scenario from its topology on, which has no name of a file.
fn body(imported: &ImportedScenario) -> &str {
    &imported.scenario[imported.scenario.find("    topology:").expect("a topology")..]
}

fn fate<'a>(imported: &'a ImportedScenario, key: &str) -> Option<(KeyFate, &'a str)> {
    imported.account.iter().find(|entry| entry.key == key).map(|entry| (entry.fate, entry.what.as_str()))
}

#[test]
fn every_tool_gives_the_same_fabric() {
    let switches = ["leaf-1", "leaf-2", "spine-1"];
    let tables = switches.map(shown);
    let of_switches: Vec<(&str, &str)> = ["leaf-1.txt", "leaf-2.txt", "spine-1.txt"]
        .into_iter()
        .zip(tables.iter().map(String::as_str))
        .collect();
    let expected = imported(&of_switches);
    let read = plan(&expected);
    let names: Vec<_> = read.graph().host_ids().map(|host| read.graph().name(host).to_owned()).collect();
    assert_eq!(names, ["h1", "h2", "h3", "h10"]);
    assert_eq!(read.graph().switch_ids().count(), 3);
    assert_eq!(fate(&expected, "management ports").expect("three").0, KeyFate::NotUsed);
    assert!(fate(&expected, "cables").expect("cables").1.contains("3 of `100G-30m trunk`, 4 of `100G-3m`"));
    assert!(
        expected.files[0].1.contains("leaf-1,52,Ethernet52,up,spine-1,Ethernet4,100 Gb/s\n"),
        "{}",
        expected.files[0].1
    );

    // A log of a terminal with all tables, its prompts, and the ends of lines of another system.
    let log: String = switches
        .into_iter()
        .zip(&tables)
        .map(|(switch, table)| format!("admin@{switch}:~$ show lldp table\n{table}"))
        .collect::<String>()
        .replace('\n', "\r\n");
    // Names with a domain, as a switch sends them.
    let domains = tables.clone().map(|table| table.replace("spine-1 ", "spine-1.dc "));
    let netq: Vec<Vec<&str>> = switches
        .into_iter()
        .flat_map(cables_of)
        .chain(["h1", "h3"].into_iter().flat_map(cables_of))
        .map(|cable| cable.into_iter().chain(["Thu Sep 17 2020"]).collect())
        .chain([vec!["leaf-1", "eth0", "oob", "swp1", "Thu Sep 17 2020"]])
        .collect();
    let netq = table(&["Hostname", "Interface", "Peer Hostname", "Peer Interface", "Last Changed"], &netq);
    let rows = |mark: &str| CABLES.iter().map(|cable| cable.join(mark) + "\n").collect::<String>();
    let (list, blanks) = (rows(","), rows("  "));
    let netbox = format!(
        "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,status\n{}u1,dcim.powerport,psu,h1,dcim.poweroutlet,psu,connected\n",
        CABLES
            .iter()
            .map(|[a, p, b, q]| format!("{b},dcim.interface,{q},\"{a}\",dcim.interface,{p},connected\n"))
            .collect::<String>()
    );
    for (form, files) in [
        ("log", vec![("log", log.as_str())]),
        ("another order", vec![of_switches[2], of_switches[1], of_switches[0]]),
        ("netq", vec![("netq", netq.as_str())]),
        ("list", vec![("list.csv", list.as_str())]),
        ("blanks", vec![("list", blanks.as_str())]),
        ("netbox", vec![("cables.csv", netbox.as_str())]),
    ] {
        let own = imported(&files);
        assert_eq!(body(&own), body(&expected), "{form}");
    }
    let with_domain: Vec<_> =
        of_switches.iter().zip(&domains).map(|((name, _), table)| (*name, table.as_str())).collect();
    assert_eq!(body(&imported(&with_domain)), body(&expected));
    assert_eq!(
        fate(&imported(&[("netbox", &netbox)]), "other cables").expect("a power cable").0,
        KeyFate::NotUsed
    );
    // The spine's own table says nothing that those of the leaves do not.
    let leaves = LldpOptions { switches: vec!["spine-*".to_owned()], ..LldpOptions::default() };
    assert_eq!(body(&import(&of_switches[..2], &leaves).expect("it is right")), body(&expected));
}

#[test]
fn rates_and_lengths_are_of_the_files_configurations_and_options() {
    let list = "a,1,h1,1,25G,2m\na,2,h2,1\na,3,b,3,400G,50ft\nb,1,h3,1\n";
    let options = LldpOptions {
        rate: Some(Rate::gbps(50)),
        length: Some(Length::from_mm(4000)),
        ..LldpOptions::default()
    };
    let read = import(&[("list", list)], &options).expect("it is right");
    assert!(
        fate(&read, "cables")
            .expect("cables")
            .1
            .contains("1 of `25G-2m`, 1 of `400G-15.24m trunk`, 2 of `50G-4m`")
    );
    plan(&read);
    let files = [SourceText { name: "list", text: list }];
    let config = |speed: &str| {
        format!(
            "{{\"DEVICE_METADATA\": {{\"localhost\": {{\"hostname\": \"a\"}}}}, \"PORT\": {{\"1\": {{\"speed\": \"{speed}\"}}, \"2\": {{\"speed\": \"100000\"}}}}, \"CABLE_LENGTH\": {{\"AZURE\": {{\"2\": \"7m\"}}}}}}"
        )
    };
    let with = |speed: &str| {
        let config = config(speed);
        lldp::import(&files, &[SourceText { name: "config_db.json", text: &config }], &options)
            .map_err(|said| said.to_string())
    };
    let read = with("25000").expect("it is right");
    assert!(fate(&read, "cables").expect("cables").1.contains("1 of `100G-7m`"));
    let said = with("10000").expect_err("two speeds");
    assert!(
        said.starts_with(
            "error: list:1:1: the files and configurations give this cable rates of 10 Gb/s and 25 Gb/s"
        ),
        "{said}"
    );
}

#[test]
fn hosts_with_several_ports_and_without_names_are_hosts() {
    let rows = vec![
        vec!["Ethernet0", "gpu", "02:00:00:00:00:01", "R", "eth0"],
        vec!["Ethernet0", "", "02:00:00:00:00:01", "O", ""],
        vec!["Ethernet4", "gpu", "02:00:00:00:00:02", "R", "eth1"],
        vec!["Ethernet8", "", "02:00:00:00:00:03", "", ""],
    ];
    let text = table(&["LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr"], &rows);
    let read = imported(&[("leaf.txt", &text)]);
    let own = plan(&read);
    let names: Vec<_> = own.graph().host_ids().map(|host| own.graph().name(host).to_owned()).collect();
    assert_eq!(names, ["gpu/02:00:00:00:00:01", "gpu/02:00:00:00:00:02", "02:00:00:00:00:03"]);
    for key in ["several ports", "nameless neighbours", "adapters' agents"] {
        assert!(fate(&read, key).is_some(), "{key}: {:#?}", read.account);
    }
    // The number of cables alone would make a switch of a host with two.
    let list = "a,1,h1,1\na,2,h2,1\na,3,b,3\nb,1,h3,1\nb,2,h1,2\nb,4,h4,1\n";
    assert!(fate(&imported(&[("list", list)]), "kinds of nodes").expect("said").1.contains("`h1`"));
    let named = LldpOptions { hosts: vec!["h*".to_owned()], ..LldpOptions::default() };
    let read = import(&[("list", list)], &named).expect("it is right");
    assert!(
        read.scenario.contains("\"h1/1\"") && fate(&read, "kinds of nodes").is_none(),
        "{}",
        read.scenario
    );
}

/// Packets could wait for each other on the shortest paths of a ring.
/// Both ends may have the same headings, and a table that was cut is not taken for a smaller fabric.
#[test]
fn headings_of_both_ends_are_alike_and_a_cut_table_is_refused() {
    let rows = "leaf1,Ethernet0,h1,eth0,400G,5m\nleaf1,Ethernet8,h2,eth0,400G,5m\nleaf1,Ethernet16,h3,eth0,400G,5m\n";
    let plain = imported(&[("list", rows)]).scenario;
    for headings in ["node,port,node,port,rate,length\n", "node,port,node,port,speed,length\n"] {
        assert_eq!(imported(&[("list", &format!("{headings}{rows}"))]).scenario, plain);
    }
    let whole = shown("leaf-1");
    let cut: String =
        whole.lines().filter(|line| !line.contains("oob")).map(|line| format!("{line}\n")).collect();
    // Without its port, a row would be read a column further left.
    let moved = whole.replacen("\nEthernet4 ", "\n          ", 1);
    let tables = [SourceText { name: "leaf-1.lldp", text: &moved }];
    let refused =
        lldp::import(&tables, &[], &LldpOptions::default()).expect_err("a port is missing").to_string();
    assert!(refused.contains("the first column of this row is empty"), "{refused}");
    let tables = [SourceText { name: "leaf-1.lldp", text: &cut }];
    let refused =
        lldp::import(&tables, &[], &LldpOptions::default()).expect_err("a row is missing").to_string();
    assert!(refused.contains("the table above has 4 rows"), "{refused}");
}

#[test]
fn a_ring_is_routed_up_and_down() {
    let ring: String = (0..5).map(|i| format!("s{i},1,s{},2\ns{i},3,h{i},1\n", (i + 1) % 5)).collect();
    let read = imported(&[("ring", &ring)]);
    assert!(fate(&read, "routing").expect("said").1.contains("`UpDown()`"));
    plan(&read);
}

#[test]
fn what_a_file_leaves_open_is_refused_at_its_row() {
    let headings = ["LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr"];
    let two_spines = table(
        &headings,
        &[
            vec!["Ethernet0", "x", "p1", "BR", ""],
            vec!["Ethernet4", "x", "p2", "BR", ""],
            vec!["Ethernet8", "h", "p", "R", ""],
        ],
    );
    let twice =
        table(&headings, &[vec!["Ethernet0", "x", "p1", "R", ""], vec!["Ethernet0", "y", "p2", "R", ""]]);
    for (text, words) in [
        ("", "file: the file is empty"),
        ("{\"a\": 1}", "file:1:1: this is neither a table of neighbours nor a list of cables"),
        ("a,1,h1\n", "file:1:1: this row has 3 cells"),
        ("a,1,h1,1,fast\n", "file:1:10: `fast` is not the rate of a link"),
        ("a,1,h1,1,100G,far\n", "file:1:15: `far` is not the length of a cable"),
        ("a,1,h1,1\na,2,h2,1\n", "file: the files have 2 hosts"),
        ("a,1,h1,1\na,1,h2,1\n", "file:2:1: port 1 of `a` has the neighbours `h1` and `h2`"),
        ("a,1,a,1\n", "file:1:1: the cable leads to its own port"),
        (
            "a,1,b,1\nc,2,b,1\n",
            "file:2:1: port 1 of `b` has a cable to port 2 of `c`, and by another row to port 1 of `a`",
        ),
        ("a,1,b,1,100G\nb,1,a,1,40G\n", "file:2:1: the cable has a rate of 40 Gb/s here"),
        ("a,1,h1,1\na,2,h2,1\nb,1,h3,1\nb,2,h4,1\n", "file: no cables lead from `h1` to `h3`"),
        ("h1,1,h2,1\n", "file:1:1: the cable joins `h1` and `h2`, which are both hosts"),
        ("hostname,interface,peer_hostname\na,1,b\n", "file:1:1: no heading is that of the neighbour's port"),
        (&two_spines, "file:3:1: `x` has 2 cables and is a bridge"),
        (&twice, "file:4:1: port Ethernet0 of `file` has the neighbours `x` and `y`"),
    ] {
        let said = import(&[("file", text)], &LldpOptions::default()).expect_err("it is wrong");
        assert!(said.starts_with(&format!("error: {words}")) && said.contains("help: "), "{text}: {said}");
    }
    let twice = shown("leaf-1").repeat(2);
    let said = import(&[("leaf-1.txt", &twice)], &LldpOptions::default()).expect_err("two tables");
    assert!(said.starts_with("error: leaf-1.txt:12:1: a second table is that of `leaf-1`"), "{said}");
    let both = [("a/leaf-1.txt", shown("leaf-1")), ("b/leaf-1.txt", shown("leaf-2"))];
    let both = both.each_ref().map(|(name, text)| (*name, text.as_str()));
    let said = import(&both, &LldpOptions::default()).expect_err("two switches of one name");
    assert!(said.starts_with("error: b/leaf-1.txt:4:1: a second file has the table of `leaf-1`"), "{said}");
    let strange = LldpOptions { hosts: vec!["gpu*".to_owned()], ..LldpOptions::default() };
    let said = import(&[("file", "a,1,h1,1\n")], &strange).expect_err("no such node");
    assert!(said.starts_with("error: file: `gpu*` names no node"), "{said}");
}

/// A switch in capitals and with its domain is the same switch. A name that could be two nodes is refused.
#[test]
fn forms_of_a_name_are_one_node() {
    let list = |names: [&str; 3]| {
        let [one, two, three] = names;
        format!(
            "{one},Ethernet0,h1,p0\n{two},Ethernet4,h2,p0\n{three},Ethernet8,h3,p0\nleaf2,1,h4,p0\nleaf2,2,leaf1,Ethernet12\n"
        )
    };
    let plain = imported(&[("list", &list(["leaf1"; 3]))]);
    assert!(fate(&plain, "forms of names").is_none());
    let forms = imported(&[("list", &list(["leaf1", "LEAF1", "leaf1.dc.example.com"]))]);
    assert_eq!(body(&forms), body(&plain));
    let (fate, what) = fate(&forms, "forms of names").expect("two");
    assert_eq!(fate, KeyFate::Approximated);
    assert!(what.contains("`LEAF1 = leaf1`, `leaf1.dc.example.com = leaf1`"), "{what}");
    let two = import(&[("list", &list(["leaf1", "leaf1.a.com", "Leaf1.b.com"]))], &LldpOptions::default());
    let said = two.expect_err("two sites");
    assert!(said.starts_with("error: list:3:1: `leaf1` can be `leaf1.a.com` or `leaf1.b.com`"), "{said}");
    // Addresses, places and numbers of ports are not domains.
    let others = "10.0.0.1,1,gpu-1,p0\n10.0.0.1,2,gpu-1.2,p0\n10.0.0.1,3,rack.a,p0\n10.0.0.2,1,rack.b,p0\n10.0.0.2,2,10.0.0.1,4\n";
    let read = imported(&[("list", others)]);
    let names: Vec<_> =
        plan(&read).graph().host_ids().map(|host| plan(&read).graph().name(host).to_owned()).collect();
    assert_eq!(names, ["gpu-1", "gpu-1.2", "rack.a", "rack.b"]);
    // A configuration is that of the switch by any form of its name, and a file's name may end in `.gz`.
    let rows = list(["leaf1", "LEAF1", "leaf1"]);
    let config = r#"{"PORT": {"Ethernet4": {"speed": "400000"}}}"#;
    for name in ["Leaf1.json", "leaf1.json.gz", "leaf1.dc.json"] {
        let configs = [SourceText { name, text: config }];
        let files = [SourceText { name: "list", text: &rows }];
        let read = lldp::import(&files, &configs, &LldpOptions::default()).expect("it is right");
        assert!(
            read.scenario.contains("to: \"leaf1\", to_port: 4, cable: \"400G-3m\""),
            "{name}: {}",
            read.scenario
        );
    }
    let table = shown("leaf-1");
    let switches = LldpOptions { switches: vec!["spine-1".to_owned()], ..LldpOptions::default() };
    let second = shown("leaf-2");
    let files = [("leaf-1.lldp.gz", table.as_str()), ("leaf-2.LLDP.GZ", &second)];
    let zipped = import(&files, &switches).expect("it is right");
    assert!(zipped.scenario.contains("\"leaf-1\""), "{}", zipped.scenario);
}

/// Ports have the numbers of their names, if all switches have such names.
#[test]
fn numbers_of_ports_are_those_of_their_names() {
    let list = |ports: [&str; 5]| {
        let [a, b, c, d, e] = ports;
        format!("s1,{a},h1,p\ns1,{b},h2,p\ns1,{c},s2,{d}\ns2,{e},h3,p\n")
    };
    for (ports, numbers, named) in [
        (["swp3", "swp12", "swp48", "swp49", "swp1"], [3, 12, 48, 49, 1], true),
        (["Eth1/3", "Eth1/12", "Eth1/48", "49", "1"], [3, 12, 48, 49, 1], true),
        (["Ethernet0", "Ethernet4", "Ethernet1016", "swp49", "swp1"], [0, 4, 1016, 49, 1], true),
        // A number that no link can have, two that are equal, and two names.
        (["swp3", "swp12", "swp48", "swp1024", "swp1"], [1, 2, 3, 2, 1], false),
        (["a/1", "b/1", "c/1", "swp49", "swp1"], [1, 2, 3, 2, 1], false),
        (["a1", "a2", "b48", "swp49", "swp1"], [1, 2, 3, 2, 1], false),
    ] {
        let read = imported(&[("list", &list(ports))]);
        let read_plan = plan(&read);
        let graph = read_plan.graph();
        let [one, two] = ["s1", "s2"].map(|name| graph.find(name).expect("a switch"));
        let mut expected = [numbers[3], numbers[4]];
        expected.sort_unstable();
        assert_eq!(graph.port_numbers(one).collect::<Vec<_>>(), &numbers[..3], "{ports:?}");
        assert_eq!(graph.port_numbers(two).collect::<Vec<_>>(), expected, "{ports:?}");
        let row = format!("s1,{},{},up,s2,{},", numbers[2], ports[2], ports[3]);
        assert!(read.files[0].1.contains(&row), "{row} in {}", read.files[0].1);
        let right = if named { KeyFate::Used } else { KeyFate::Approximated };
        assert_eq!(fate(&read, "port numbers").expect("said").0, right, "{ports:?}");
    }
}

/// A switch is exported with its own names of ports, by a table that fits the scenario.
#[test]
fn a_switch_is_exported_with_the_names_of_its_ports() {
    let cables = "leaf-1,Ethernet8,h1,p\nleaf-1,Ethernet48,h2,p\nleaf-1,Ethernet120,spine,Ethernet0\nspine,Ethernet4,h3,p\n";
    let read = imported(&[("list", cables)]);
    let (plan, table) = (plan(&read), &read.files[0].1);
    let names = |text: &str| PortNames::read(&plan, SourceText { name: "ports.csv", text });
    assert!(PortNames::are_in(table) && !PortNames::are_in("switch,port,state,peer,peer_port,speed\n"));
    let own = names(table).unwrap_or_else(|said| panic!("{said}"));
    let leaf = plan.graph().find("leaf-1").expect("a switch");
    let written = sonic::export_named(&plan, leaf, Some(&own)).expect("it is RoCEv2");
    for port in ["Ethernet8", "Ethernet48", "Ethernet120"] {
        for key in [format!("\"{port}\": {{"), format!("\"{port}|0\": {{")] {
            assert!(written.text.contains(&key), "{key} in {}", written.text);
        }
    }
    assert!(
        !written.text.contains("\"Ethernet0\"") && !written.account.iter().any(|own| own.field == "PORT")
    );
    assert!(sonic::export(&plan, leaf).expect("it is RoCEv2").text.contains("\"Ethernet0\""));
    for (wrong, words) in [
        (table.replace("leaf-1,48,", "leaf-1,9,"), "port 48 of switch `leaf-1` has no row"),
        (
            table.replace(",Ethernet48,", ",Ethernet8,"),
            "`Ethernet8` is not the name of a single port of `leaf-1`",
        ),
        (table.replace("up,h1,", "up,h2,"), "ports.csv:2:1: port 8 of `leaf-1` leads to `h2`"),
        (table.replace("leaf-1,", "leaf-7,"), "the scenario has no switch `leaf-7`"),
        ("switch,port\n".to_owned(), "ports.csv: the first line is not `switch,port,cluster_port,"),
    ] {
        let said = names(&wrong).expect_err("it is wrong").to_string();
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// Cables that are planned or will go are left out, and named.
#[test]
fn cables_that_are_not_connected_are_left_out_and_named() {
    let list = |status: &str| {
        format!(
            "device_a,port_a,device_b,port_b,status\na,1,h1,1,connected\na,2,h2,1,\na,3,h3,1,Connected\na,4,h4,1,{status}\n"
        )
    };
    for status in ["planned", "Decommissioning"] {
        let read = imported(&[("cables.csv", &list(status))]);
        assert_eq!(plan(&read).graph().host_ids().count(), 3);
        let (fate, what) = fate(&read, "cables not connected").expect("a cable");
        assert_eq!(fate, KeyFate::NotUsed);
        assert!(what.starts_with(&format!("`a 4: {status}`")), "{what}");
    }
    let said = import(&[("cables.csv", &list("broken"))], &LldpOptions::default()).expect_err("no status");
    assert!(said.starts_with("error: cables.csv:5:10: `broken` is no status of a cable"), "{said}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_change_of_a_table_makes_the_reader_panic(
        listed in any::<bool>(),
        cuts in prop::collection::vec((any::<Index>(), any::<Index>(), 0..6usize), 1..6),
    ) {
        let mut text = if listed { CABLES.map(|cable| cable.join(",") + ",100G,3m\n").concat() } else { shown("leaf-1") };
        for (from, to, what) in cuts {
            let (from, to) = (from.index(text.len() + 1), to.index(text.len() + 1));
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
            if text.is_char_boundary(from) && text.is_char_boundary(to) {
                text.replace_range(from..to, ["", "99999999999999999999", ",", "- -", "\"", "é\n"][what]);
            }
        }
        let _ = import(&[("file", &text)], &LldpOptions::default());
    }
}
