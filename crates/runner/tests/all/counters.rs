//! `export counters`: counters of a run as other tools show them.

use std::fs;

use crate::scratch::{Scratch, assert_refused, json};

/// The cells of a column of a CSV file, as numbers, of the rows in which another column has this cell.
fn column(csv: &str, name: &str, rows: Option<(&str, &str)>) -> Vec<u64> {
    let mut lines = csv.lines();
    let header: Vec<_> = lines.next().expect("a header").split(',').collect();
    let place =
        |name: &str| header.iter().position(|one| *one == name).unwrap_or_else(|| panic!("{name} in {csv}"));
    let cells = lines.map(|line| line.split(',').collect::<Vec<_>>());
    let cells = cells.filter(|cells| rows.is_none_or(|(column, cell)| cells[place(column)] == cell));
    cells.map(|cells| cells[place(name)].parse().unwrap_or_else(|_| panic!("{name} in {csv}"))).collect()
}

/// In a fabric that was drained, all that was sent was received.
#[test]
fn counters_of_infiniband_balance() {
    let scratch = Scratch::new("counters-infiniband");
    let sets = [
        "--set",
        "congestion_control=Off",
        "--set",
        "flows[1].start=100 us",
        "--set",
        "flows[2].start=200 us",
        "--set",
        "duration=1 ms",
    ];
    scratch.printed(&[&["sim", "victim", "--out", "run", "--quiet", "--drain"], &sets[..]].concat());
    let csv = scratch.printed(&["export", "counters", "run"]);
    let ports = scratch.read("run/ports.csv");
    assert_eq!(column(&csv, "PortXmitPkts", None), column(&ports, "sent_packets", None));
    let sum = |name: &str| column(&csv, name, None).iter().sum::<u64>();
    assert!(sum("PortXmitData") > 100_000);
    assert_eq!((sum("PortXmitData"), sum("PortXmitPkts")), (sum("PortRcvData"), sum("PortRcvPkts")));
    assert!(sum("PortXmitWait") > 0 && sum("PortXmitDiscards") == 0, "{csv}");
    let delivered = json(&scratch.read("run/summary.json"))["delivered_packets"].clone();
    let at_hosts: u64 = ["H1", "H2", "H3", "H4", "H5"]
        .iter()
        .flat_map(|host| column(&csv, "PortRcvPkts", Some(("node", host))))
        .sum();
    assert_eq!(delivered, at_hosts);
    // A tick twice as long: 4 bytes take 2 ns at 16 Gb/s.
    let slower = scratch.printed(&["export", "counters", "run", "--tick", "4 ns"]);
    let [wait, half] = [&csv, &slower].map(|csv| column(csv, "PortXmitWait", Some(("node", "H2")))[0]);
    assert!(wait > 0 && half.abs_diff(wait / 2) <= 1, "{wait} {half}");
    let script = scratch.printed(&["export", "counters", "run", "--form", "ibsim"]);
    let data = column(&csv, "PortXmitData", Some(("node", "H1")))[0];
    let line = format!("PerformanceSet \"H-0200000000000100\"[1] PortCountersExtended.PortXmitData={data}\n");
    assert!(script.contains(&line), "{line} in {script}");
}

#[test]
fn counters_of_ethernet_have_priorities_and_pauses() {
    let scratch = Scratch::new("counters-ethernet");
    scratch.printed(&["sim", "roce-victim", "--out", "run", "--quiet"]);
    let csv = scratch.printed(&["export", "counters", "run"]);
    let ports = scratch.read("run/ports.csv");
    assert_eq!(column(&csv, "rx_prio_pause", None), column(&ports, "pauses_heard", None));
    scratch.printed(&["export", "counters", "run", "--out", "counters.csv"]);
    assert_eq!(
        (scratch.read("counters.csv"), scratch.names()),
        (csv.clone(), vec!["counters.csv".to_owned(), "run".to_owned()])
    );
    let text = scratch.printed(&["export", "counters", "run", "--form", "ethtool"]);
    let pauses = column(&csv, "rx_prio_pause", Some(("node", "H1")))[0];
    assert!(pauses > 10 && text.contains(&format!("\n     rx_prio0_pause: {pauses}\n")), "{text}");
}

#[test]
fn folders_without_these_counters_are_refused() {
    let scratch = Scratch::new("counters-refused");
    assert_refused(&scratch.run(&["export", "counters", "nowhere"]), "error: there is no folder `nowhere`");
    scratch.printed(&["sim", "one-flow", "--set", "duration=1 ms", "--out", "run", "--quiet"]);
    let message =
        "error: `run` has links of InfiniBand, which `ethtool` does not show\nhelp: write `--form ibsim`";
    assert_refused(&scratch.run(&["export", "counters", "run", "--form", "ethtool"]), message);
    // A folder with a changed table names ports that the scenario does not have.
    let whole = scratch.read("run/ports.csv");
    let first = whole.lines().nth(1).expect("a row");
    let (node, rest) = first.split_once(',').expect("columns");
    let (_, rest) = rest.split_once(',').expect("columns");
    for (node, port) in [(node, "0"), (node, "99"), ("Nobody", "1")] {
        let changed = whole.replace(first, &format!("{node},{port},{rest}"));
        fs::write(scratch.0.join("run/ports.csv"), changed).expect("a writable folder");
        let message =
            format!("error: `run/ports.csv`: the scenario in `plan.ron` has no port {port} of `{node}`");
        assert_refused(&scratch.run(&["export", "counters", "run", "--form", "ibsim"]), &message);
    }
    fs::write(scratch.0.join("run/ports.csv"), whole).expect("a writable folder");
    // A folder of an older version lacks columns.
    let old: Vec<_> = scratch
        .read("run/ports.csv")
        .lines()
        .map(|line| line.rsplit_once(',').expect("columns").0.to_owned())
        .collect();
    let old = old.join("\n").replace("received_packets", "others");
    fs::write(scratch.0.join("run/ports.csv"), old).expect("a writable folder");
    assert_refused(
        &scratch.run(&["export", "counters", "run"]),
        "`ports.csv` is not as this version writes it",
    );
    fs::remove_file(scratch.0.join("run/ports.csv")).expect("it is there");
    assert_refused(
        &scratch.run(&["export", "counters", "run"]),
        "error: there is no `run/ports.csv`\nhelp: name a result folder of `sim`",
    );
}
