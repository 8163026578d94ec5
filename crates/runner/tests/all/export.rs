//! `export` as its user meets it: the file on standard output, the account on standard error, files, refusals.

use std::fs;

use crate::scratch::{Scratch, assert_refused, json, text};

const CLUSTER: &str = include_str!("../../../../fixtures/import/two-switches.net");

#[test]
fn a_file_goes_to_standard_output_and_its_account_to_standard_error() {
    let scratch = Scratch::new("export-tables");
    let output = scratch.run(&["export", "lfts", "victim"]);
    let (file, account) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{account}");
    assert!(
        file.starts_with("Unicast lids [0-7] of switch Lid 6 guid 0x0200000000000600 ('S1'):\n"),
        "{file}"
    );
    assert!(account.starts_with("note: assumed: addresses: GUIDs, LIDs and numbers of ports: "), "{account}");
    let output = scratch.run(&["export", "lfts", "victim", "--out", "victim.lfts"]);
    assert_eq!((text(&output.stdout), scratch.read("victim.lfts")), (String::new(), file));
    assert_refused(
        &scratch.run(&["export", "lfts", "victim", "--out", "victim.lfts"]),
        "error: `victim.lfts` is there",
    );
    assert_eq!(
        scratch.run(&["export", "ibsim", "victim", "--out", "victim.lfts", "--force"]).status.code(),
        Some(0)
    );
    assert!(scratch.read("victim.lfts").starts_with("# Fabric of `victim`: 5 hosts, 2 switches."));
}

/// A full disk behind standard output: a file that is cut short would look whole to the next program.
#[test]
#[cfg(target_os = "linux")]
fn standard_output_that_cannot_be_written_is_a_failure() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_backwater"));
    let output = command.args(["export", "ibsim", "victim"]).stdout(full).output().expect("it starts");
    let said = text(&output.stderr);
    assert!(said.contains("error: `standard output` cannot be written: "), "{said}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_scenario_of_the_other_world_is_refused_at_its_field() {
    let scratch = Scratch::new("export-refused");
    let said = "error: roce-victim.ron:25:18: link.framing: lfts is for InfiniBand, and the scenario's framing is RoCEv2\n";
    assert_refused(&scratch.run(&["export", "lfts", "roce-victim"]), said);
    let several = scratch.run(&["export", "lfts", "hdr-fat-tree-slow-receiver", "--set", "routing=Ecmp"]);
    assert_refused(&several, "error: --set routing=Ecmp:1:1: routing: `");
    assert_refused(
        &scratch.run(&["export", "mlx5", "victim"]),
        "mlx5 is for RoCEv2, and the scenario's framing is InfiniBand",
    );
    assert_eq!(scratch.names(), [""; 0]);
}

/// The tables of a switch: the first switch's, with the others that differ, or a named switch's.
#[test]
fn a_switch_of_a_leaf_spine_fabric_is_exported_by_name() {
    let scratch = Scratch::new("export-switch");
    let exported = |more: &[&str]| {
        let output = scratch.run(&[&["export", "sonic", "roce400-leaf-spine"], more].concat());
        (json(&text(&output.stdout)), text(&output.stderr))
    };
    let (first, account) = exported(&[]);
    assert!(account.contains("note: assumed: switch: `leaf1`, the first: `spine1`, `spine2`, "), "{account}");
    let (leaf, account) = exported(&["--switch", "leaf1"]);
    assert!(leaf == first && !account.contains("assumed: switch"), "{account}");
    let (spine, _) = exported(&["--switch", "spine1"]);
    assert_ne!(spine["PORT"], leaf["PORT"]);
    let wrong = scratch.run(&["export", "sonic", "roce400-leaf-spine", "--switch", "leaf"]);
    assert_refused(&wrong, "error: `--switch leaf`: the scenario has no switch of this name\nhelp: ");
}

/// Ports of an imported RoCEv2 fabric have their own names, or none are written.
#[test]
fn a_switch_of_an_imported_fabric_is_exported_with_its_ports() {
    let scratch = Scratch::new("export-fabric");
    let cables = "leaf-1,Ethernet8,h1,p\nleaf-1,Ethernet48,h2,p\nleaf-1,Ethernet120,spine,Ethernet0\nspine,Ethernet4,h3,p\n";
    fs::write(scratch.0.join("cables.csv"), cables).unwrap();
    scratch.printed(&["import", "lldp", "cables.csv", "--out", "mine"]);
    let exported = |more: &[&str]| {
        let output =
            scratch.run(&[&["export", "sonic", "mine/cables.ron", "--switch", "leaf-1"], more].concat());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let ports =
        |table: &str| json(table)["PORT"].as_object().expect("ports").keys().cloned().collect::<Vec<_>>();
    let (status, own, account) = exported(&[]);
    assert!(status == Some(0) && !account.contains("assumed: PORT:"), "{account}");
    assert_eq!(ports(&own), ["Ethernet120", "Ethernet48", "Ethernet8"]);
    assert!(own.contains("\"Ethernet120|0\""), "{own}");
    let (_, assigned, account) = exported(&["--assigned"]);
    assert_eq!(ports(&assigned), ["Ethernet0", "Ethernet4", "Ethernet8"]);
    assert!(account.contains("assumed: PORT: "), "{account}");
    fs::create_dir(scratch.0.join("tables")).unwrap();
    fs::rename(scratch.0.join("mine/ports.csv"), scratch.0.join("tables/ports.csv")).unwrap();
    let (status, none, said) = exported(&[]);
    assert!(status == Some(2) && none.is_empty(), "{said}");
    assert!(said.contains("no `ports.csv` beside the scenario") && said.contains("--cluster DIR"), "{said}");
    assert_eq!(exported(&["--cluster", "tables"]).1, own);
    let table = scratch.read("tables/ports.csv");
    for (wrong, words) in [
        (table.replace("leaf-1,48,", "leaf-1,9,"), "port 48 of switch `leaf-1` has no row"),
        (
            table.replace(",Ethernet48,", ",Ethernet8,"),
            "`Ethernet8` is not the name of a single port of `leaf-1`",
        ),
        (table.replace("up,h1,", "up,h2,"), "tables/ports.csv:2:1: port 8 of `leaf-1` leads to `h2`"),
        ("switch,port\n".to_owned(), "tables/ports.csv: the first line is not `switch,port,cluster_port,"),
    ] {
        fs::write(scratch.0.join("tables/ports.csv"), wrong).unwrap();
        let (status, none, said) = exported(&["--cluster", "tables"]);
        assert!(status == Some(2) && none.is_empty() && said.contains(words), "{words}: {said}");
    }
}

/// The tables beside an imported cluster are found, left out, or named.
#[test]
fn an_imported_cluster_is_exported_with_its_own_addresses() {
    let scratch = Scratch::new("export-cluster");
    fs::write(scratch.0.join("cluster.net"), CLUSTER).unwrap();
    scratch.printed(&["import", "ibnetdiscover", "cluster.net", "--out", "mine"]);
    assert_eq!(scratch.names_in("mine"), ["cluster.ron", "nodes.csv", "ports.csv", "run.json"]);
    let exported = |more: &[&str]| {
        let output = scratch.run(&[&["export", "ibsim", "mine/cluster.ron"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    let (own, account) = exported(&[]);
    assert!(own.contains("caguid=0x2c90300000220\n") && !account.contains("addresses"), "{own}{account}");
    let (assigned, account) = exported(&["--assigned"]);
    assert!(
        !assigned.contains("0x2c9") && account.contains("note: assumed: addresses: "),
        "{assigned}{account}"
    );
    fs::create_dir(scratch.0.join("tables")).unwrap();
    for name in ["nodes.csv", "ports.csv"] {
        fs::rename(scratch.0.join("mine").join(name), scratch.0.join("tables").join(name)).unwrap();
    }
    assert_eq!(exported(&[]).0, assigned);
    assert_eq!(exported(&["--cluster", "tables"]).0, own);
    fs::write(scratch.0.join("tables/nodes.csv"), "name\n").unwrap();
    let wrong = scratch.run(&["export", "ibsim", "mine/cluster.ron", "--cluster", "tables"]);
    assert_refused(&wrong, "error: tables/nodes.csv: the first line is not `name,kind,guid,port_guid,lid`");
}
