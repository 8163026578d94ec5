//! Ports of an imported cluster: every table, line and option has the numbers that the cluster's own tools show.

use std::collections::BTreeSet;
use std::fs;

use crate::scratch::{Scratch, assert_refused, text};

const CLUSTER: &str = include_str!("../../../../fixtures/import/two-switches.net");
const SWITCH: &str = "MF0;sw-a:MSB7800/U1";

/// Returns the ports that a table names, in the columns of nodes and of their ports.
fn ports(csv: &str, columns: [&str; 2]) -> BTreeSet<(String, u16)> {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let places = columns.map(|name| {
        header.iter().position(|own| *own == name).unwrap_or_else(|| panic!("no {name} in {header:?}"))
    });
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Some((cells[places[0]].to_owned(), cells[places[1]].parse().ok()?))
    };
    lines.filter_map(row).collect()
}

fn of_cluster() -> BTreeSet<(String, u16)> {
    let of =
        |node: &'static str, ports: &'static [u16]| ports.iter().map(move |port| (node.to_owned(), *port));
    let switches = of(SWITCH, &[1, 2, 17, 20]).chain(of("sw-b", &[3, 4, 17, 20]));
    let hosts = of("node-10", &[1]).chain(of("node-2", &[1])).chain(of("node-3/1", &[1]));
    switches.chain(hosts).chain(of("node-3/2", &[2])).collect()
}

#[test]
fn every_table_has_the_numbers_of_the_cluster() {
    let scratch = Scratch::new("cluster-ports");
    fs::write(scratch.0.join("cluster.net"), CLUSTER).unwrap();
    scratch.printed(&["import", "ibnetdiscover", "cluster.net", "--out", "mine"]);
    let series = "series=(ports: [\"sw-b:17\", \"node-3/2:2\"])";
    let sets = ["--set", series, "--set", "duration=200 us", "--set", "sample=2 us"];
    let printed =
        scratch.printed(&[&["sim", "mine/cluster.ron", "--out", "run", "--quiet"], &sets[..]].concat());
    assert!(!printed.contains("port 3 to node-2"), "{printed}");
    let known = of_cluster();
    for (file, is_whole) in [("ports.csv", true), ("margins.csv", true), ("timeline.csv", false)] {
        let named = ports(&scratch.read(&format!("run/{file}")), ["node", "port"]);
        assert!(named.is_subset(&known) && (!is_whole || named == known), "{file}: {named:?}");
    }
    let named = ports(&scratch.read("run/port_series.csv"), ["node", "port"]);
    let asked = [("sw-b".to_owned(), 17), ("node-3/2".to_owned(), 2)];
    assert_eq!(named, BTreeSet::from(asked));
    assert_eq!(ports(&scratch.printed(&["export", "counters", "run"]), ["node", "port"]), known);
    let script = scratch.printed(&["export", "counters", "run", "--form", "ibsim"]);
    assert!(script.contains("\"[20] PortCounters") && !script.contains("\"[18] "), "{script}");
    scratch.printed(&["report", "run"]);
}

/// The first looks need no run, and name ports alike.
#[test]
fn the_load_of_cables_has_the_numbers_of_the_cluster() {
    let scratch = Scratch::new("cluster-cables");
    fs::write(scratch.0.join("cluster.net"), CLUSTER).unwrap();
    scratch.printed(&["import", "ibnetdiscover", "cluster.net", "--out", "mine"]);
    let described = scratch.printed(&["check", "mine/cluster.ron"]);
    assert!(described.contains(" on sw-b port "), "{described}");
    let printed = scratch.printed(&["check", "mine/cluster.ron", "--cables=loads.csv"]);
    let csv = scratch.read("loads.csv");
    assert_eq!(ports(&csv, ["node", "port"]), of_cluster());
    assert_eq!(ports(&csv, ["peer", "peer_port"]), of_cluster());
    let again = scratch.run(&["check", "mine/cluster.ron", "--cables=loads.csv"]);
    assert_refused(&again, "error: ");
    assert_eq!(scratch.printed(&["check", "mine/cluster.ron", "--cables=loads.csv", "--force"]), printed);
    // Half of the four pairs from one switch to the other take each cable.
    let rows: Vec<&str> =
        printed.lines().filter(|line| line.contains(SWITCH) && line.contains("sw-b")).collect();
    assert_eq!(rows.len(), 4, "{printed}");
    assert!(
        rows.iter().all(|row| row.split_whitespace().any(|word| ["17", "20"].contains(&word))),
        "{printed}"
    );
    let wrong = scratch.run(&["check", "mine/cluster.ron", "--set", "series=(ports: [\"sw-b:2\"])"]);
    assert_refused(&wrong, "`sw-b` has no port 2");
    assert!(text(&wrong.stderr).contains("write one of ports 3 to 4, 17, 20"), "{}", text(&wrong.stderr));
}

/// A single file of ibdiagnet gives a folder that every export takes.
#[test]
fn a_database_is_imported_simulated_and_exported() {
    let scratch = Scratch::new("cluster-database");
    let database = include_str!("../../../../fixtures/import/two-switches.db_csv");
    fs::write(scratch.0.join("ibdiagnet2.db_csv"), database).unwrap();
    let printed = scratch.printed(&["import", "ibdiagnet", "ibdiagnet2.db_csv", "--out", "mine"]);
    assert!(printed.contains("not yet tried"), "{printed}");
    let files = ["counters.csv", "ibdiagnet2.ron", "nodes.csv", "ports.csv", "run.json"];
    assert_eq!(scratch.names_in("mine"), files);
    assert!(ports(&scratch.read("mine/counters.csv"), ["node", "port"]).is_subset(&of_cluster()));
    scratch.printed(&["sim", "mine/ibdiagnet2.ron", "--out", "run", "--quiet", "--set", "duration=200 us"]);
    let exported = scratch.run(&["export", "ibsim", "mine/ibdiagnet2.ron"]);
    assert_eq!(exported.status.code(), Some(0), "{}", text(&exported.stderr));
    assert!(text(&exported.stdout).contains("\n[20]\t"), "{}", text(&exported.stdout));
    let reacting = database.replace(",2,0,0,1\nEND_CC_HCA", ",2,0,1,1\nEND_CC_HCA");
    fs::write(scratch.0.join("on.db_csv"), reacting).unwrap();
    assert_refused(
        &scratch.run(&["import", "ibdiagnet", "on.db_csv", "--out", "on"]),
        "en_react: adapters react",
    );
    assert!(!scratch.0.join("on").exists(), "nothing is left of a refused import");
    let accepted = scratch.run(&["import", "ibdiagnet", "on.db_csv", "--out", "on", "--approximate"]);
    assert_eq!(accepted.status.code(), Some(0), "{}", text(&accepted.stderr));
}
