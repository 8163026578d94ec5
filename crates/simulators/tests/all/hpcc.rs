//! Imports of HPCC's configurations: every valid configuration passes the program's own check, and each change of the
//! experiment is named.

use std::fs;
use std::path::Path;

use interop::import::ImportedScenario;
use interop::import::{KeyFate, changes};
use proptest::prelude::*;
use proptest::sample::select;
use scenario::{Plan, Scenario, ScenarioText};
use simulators::hpcc;

/// A configuration, its topology and its flows.
#[derive(Clone, Debug)]
struct Input {
    config: String,
    topology: String,
    flows: String,
}

impl Input {
    fn read(&self) -> Result<ImportedScenario, String> {
        let files = |name: &str| match name {
            "topology" => Some(self.topology.clone()),
            "flow" => Some(self.flows.clone()),
            _ => None,
        };
        hpcc::read("config.txt", &self.config, &files).map_err(|said| said.to_string())
    }

    /// Checks the imported scenario, with its files in a folder of this name.
    fn plan(&self, folder: &str) -> Result<Plan, String> {
        let imported = self.read()?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&folder).expect("a writable folder");
        for (name, text) in &imported.files {
            fs::write(folder.join(name), text).expect("a writable folder");
        }
        let source = ScenarioText::new("imported.ron", &imported.scenario).beside(&folder);
        let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
        checked.map_err(|said| format!("{said}\n{}", imported.scenario))
    }

    fn fate(&self, key: &str) -> (KeyFate, String) {
        let imported = self.read().unwrap_or_else(|said| panic!("{said}"));
        let entry = imported.account.into_iter().find(|entry| entry.key == key);
        let entry = entry.unwrap_or_else(|| panic!("no `{key}`"));
        (entry.fate, entry.what)
    }
}

const RATES: [u64; 7] = [10, 25, 40, 50, 100, 200, 400];

/// Generates a star, two switches, a ring of switches, or leaves and spines.
fn any_topology() -> impl Strategy<Value = (u32, Vec<u64>, String)> {
    let delay = select(vec!["1ns", "500ns", "1us", "20us", "0.001ms", "1ms"]);
    (2..9u32, 0..4u32, select(RATES.to_vec()), select(RATES.to_vec()), delay).prop_map(
        |(hosts, shape, rate, trunk, delay)| {
            let switches = [1, 2, 3, 4][shape as usize];
            let host = |host: u32| (host, hosts + host % if shape == 3 { 2 } else { switches }, rate);
            let mut links: Vec<_> = (0..hosts).map(host).collect();
            links.extend(match shape {
                0 => vec![],
                1 => vec![(hosts, hosts + 1, trunk)],
                2 => (0..3).map(|s| (hosts + s, hosts + (s + 1) % 3, trunk)).collect(),
                _ => (0..4).map(|s| (hosts + s / 2, hosts + 2 + s % 2, trunk)).collect(),
            });
            let mut text = format!("{} {switches} {}\n", hosts + switches, links.len());
            (hosts..hosts + switches).for_each(|switch| text += &format!("{switch} "));
            for (from, to, rate) in &links {
                text += &format!("\n{from} {to} {rate}Gbps {delay} 0");
            }
            let rates: std::collections::BTreeSet<_> = links.iter().map(|link| link.2).collect();
            (hosts, rates.into_iter().collect(), text + "\n")
        },
    )
}

/// Generates flows between these hosts, of a single priority or of several.
fn any_flows(hosts: u32) -> impl Strategy<Value = String> {
    let flow = (0..hosts, 1..hosts, prop_oneof![3 => Just(3u8), 1 => 0..8u8], 1..5_000_000u64, 0..500u64);
    prop::collection::vec(flow, 1..6).prop_map(move |flows| {
        let mut text = format!("{}\n", flows.len());
        for (from, step, level, bytes, us) in flows {
            text += &format!("{from} {} {level} 100 {bytes} 2.{us:06}\n", (from + step) % hosts);
        }
        text
    })
}

/// Generates a map of values for links of these rates.
fn any_map(key: &'static str, rates: &[u64], values: &'static [&'static str]) -> BoxedStrategy<String> {
    let rates = rates.to_vec();
    prop::collection::vec(select(values), rates.len())
        .prop_map(move |values| {
            let pairs = rates.iter().zip(values).map(|(rate, value)| format!(" {rate}000000000 {value}"));
            format!("{key} {}{}", rates.len(), pairs.collect::<String>())
        })
        .boxed()
}

/// Generates keys with values in their ranges; most may be missing.
fn any_keys(rates: &[u64]) -> impl Strategy<Value = String> + use<> {
    const OPTIONAL: [(&str, &[&str]); 33] = [
        ("ENABLE_QCN", &["1", "1", "0"]),
        ("CC_MODE", &["1", "1", "1", "1", "0", "3", "7", "8", "10"]),
        ("USE_DYNAMIC_PFC_THRESHOLD", &["0", "1"]),
        ("CLAMP_TARGET_RATE", &["0", "1"]),
        ("PAUSE_TIME", &["5", "0"]),
        ("DATA_RATE", &["100Gbps"]),
        ("LINK_DELAY", &["1us"]),
        ("PACKET_PAYLOAD_SIZE", &["1000", "1", "1400", "1500", "4096", "9000"]),
        ("L2_CHUNK_SIZE", &["4000"]),
        ("L2_ACK_INTERVAL", &["0", "1", "4000"]),
        ("L2_BACK_TO_ZERO", &["0", "1"]),
        ("SIMULATOR_STOP_TIME", &["2.1", "4", "2.001"]),
        ("ALPHA_RESUME_INTERVAL", &["1", "55", "5000", "0.5"]),
        ("RATE_DECREASE_INTERVAL", &["4", "50", "1000"]),
        ("EWMA_GAIN", &["0", "0.00390625", "0.5", "1"]),
        ("FAST_RECOVERY_TIMES", &["0", "1", "5", "253", "254", "100000"]),
        ("MIN_RATE", &["100Mb/s", "1000Mb/s", "25Gbps", "400Gbps", "1500b/s"]),
        ("HAS_WIN", &["0", "1"]),
        ("GLOBAL_T", &["0", "1"]),
        ("VAR_WIN", &["0", "1"]),
        ("ERROR_RATE_PER_LINK", &["0", "0.0000", "0.01"]),
        ("RATE_BOUND", &["0", "1"]),
        ("ACK_HIGH_PRIO", &["0", "1"]),
        ("LINK_DOWN", &["0 0 0", "0 3 4", "100 3 4"]),
        ("ENABLE_TRACE", &["0"]),
        ("BUFFER_SIZE", &["0", "1", "16", "32", "4095"]),
        ("QLEN_MON_START", &["2000000000"]),
        ("FAST_REACT", &["1"]),
        ("U_TARGET", &["0.95"]),
        ("DCTCP_RATE_AI", &["1000Mb/s"]),
        ("INT_MULTI", &["1"]),
        ("PINT_PROB", &["1.0"]),
        ("SOMETHING_NEW", &["7"]),
    ];
    let always = [
        select(vec!["RP_TIMER 300", "RP_TIMER 1", "RP_TIMER 1500"]).prop_map(str::to_owned).boxed(),
        select(vec!["RATE_AI 50Mb/s", "RATE_AI 0Mb/s", "RATE_AI 5000000"]).prop_map(str::to_owned).boxed(),
        select(vec!["RATE_HAI 100Mb/s", "RATE_HAI 0Mb/s", "RATE_HAI 100Gbps"])
            .prop_map(str::to_owned)
            .boxed(),
        any_map("KMIN_MAP", rates, &["0", "5", "100", "400", "10000000"]),
        any_map("KMAX_MAP", rates, &["0", "100", "400", "1600", "20000000"]),
        any_map("PMAX_MAP", rates, &["0", "0.01", "0.2", "1.0", "1.5"]),
    ];
    let optional: Vec<_> = OPTIONAL
        .into_iter()
        .map(|(key, values)| {
            prop_oneof![
                1 => Just(String::new()),
                2 => select(values).prop_map(move |value| format!("{key} {value}"))
            ]
        })
        .collect();
    (optional, always.to_vec()).prop_map(|(optional, always)| [optional, always].concat().join("\n"))
}

fn any_input() -> impl Strategy<Value = Input> {
    any_topology().prop_flat_map(|(hosts, rates, topology)| {
        (any_keys(&rates), any_flows(hosts)).prop_map(move |(keys, flows)| Input {
            config: format!("TOPOLOGY_FILE topology\nFLOW_FILE flow\n{keys}\n"),
            topology: topology.clone(),
            flows,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_valid_configuration_passes_the_check(input in any_input()) {
        let imported = input.read();
        // Links of a millisecond can hold more than the memory of a switch, which is counted in 32 bits.
        if imported.as_ref().is_err_and(|refused| refused.contains("hold more than a memory of")) {
            prop_assert!(input.topology.contains("1ms"), "{:?}", imported.err());
            return Ok(());
        }
        prop_assert!(imported.is_ok(), "{:?}", imported.err());
        let account = imported.expect("it has been read").account;
        for line in input.config.lines().filter(|line| !line.is_empty()) {
            let key = line.split_whitespace().next().expect("a line with a key");
            prop_assert!(account.iter().any(|entry| entry.key == key), "no account of `{}`", key);
        }
        let changed = account.iter().any(|entry| entry.fate == KeyFate::Changed);
        prop_assert_eq!(changes(&account, "config.txt").is_some(), changed);
        let checked = input.plan("import-any");
        prop_assert!(checked.is_ok(), "{}", checked.err().unwrap_or_default());
    }
}

/// Four hosts at a switch, 25 Gb/s, with HPCC's published settings for DCQCN but for the keys given here.
fn star(keys: &str) -> Input {
    let own: Vec<_> = keys.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let usual = "ENABLE_QCN 1\nCC_MODE 1\nPACKET_PAYLOAD_SIZE 1000\nL2_ACK_INTERVAL 1\nSIMULATOR_STOP_TIME 2.001\nHAS_WIN 0\n\
                 ALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\nRP_TIMER 300\nEWMA_GAIN 0.00390625\n\
                 FAST_RECOVERY_TIMES 1\nRATE_AI 50Mb/s\nRATE_HAI 100Mb/s\nMIN_RATE 100Mb/s\nBUFFER_SIZE 32\n\
                 KMIN_MAP 1 25000000000 100\nKMAX_MAP 1 25000000000 400\nPMAX_MAP 1 25000000000 0.2";
    let usual: Vec<_> =
        usual.lines().filter(|line| !own.contains(&line.split_whitespace().next().unwrap_or(""))).collect();
    let links: String = (0..4).map(|host| format!("{host} 4 25Gbps 1us 0\n")).collect();
    Input {
        config: format!("TOPOLOGY_FILE topology\nFLOW_FILE flow\n{}\n{keys}\n", usual.join("\n")),
        topology: format!("5 1 4\n4\n{links}"),
        flows: "2\n0 3 3 100 200000 2.000000\n1 3 3 100 200000 2.000010\n".to_owned(),
    }
}

/// The published settings are exact, but for the headroom.
#[test]
fn the_published_settings_are_used() {
    let account = star("").read().expect("it is right").account;
    for entry in &account {
        let expected = if entry.key == "BUFFER_SIZE" { KeyFate::Approximated } else { KeyFate::Used };
        assert_eq!(entry.fate, expected, "{entry:?}");
    }
    assert_eq!(changes(&account, "config.txt"), None);
}

#[test]
fn each_change_of_the_experiment_is_named() {
    let changed = [
        ("CC_MODE 3", "HPCC is not modelled"),
        ("CC_MODE 8", "DCTCP is not modelled"),
        ("PACKET_PAYLOAD_SIZE 1400", "`link.mtu` of 1500 B"),
        ("HAS_WIN 1\nVAR_WIN 1", "the window is fixed"),
        ("LINK_DOWN 100 0 4", "no link fails"),
        ("ERROR_RATE_PER_LINK 0.01", "wires lose nothing"),
        ("FAST_RECOVERY_TIMES 300", "of 253"),
        ("ALPHA_RESUME_INTERVAL 5000", "of 1 ms"),
        ("BUFFER_SIZE 0", "as headroom and guarantees need"),
    ];
    for (keys, words) in changed {
        let input = star(keys);
        let key = keys.lines().last().and_then(|line| line.split_whitespace().next()).expect("a key");
        let (fate, what) = input.fate(key);
        assert!(fate == KeyFate::Changed && what.contains(words), "{keys}: {fate:?}, {what}");
        let account = input.read().expect("it is right").account;
        let said = changes(&account, "config.txt").expect("a change").to_string();
        assert!(said.contains(&format!("{key}: ")) && said.contains("`--approximate`"), "{said}");
        let line = input.config.lines().position(|line| line.starts_with(key)).expect("it is there") + 1;
        assert!(said.starts_with(&format!("error: config.txt:{line}:")), "{said}");
    }
}

/// Settings that the scenario's fields cannot hold as written have fields that mean the same.
#[test]
fn values_at_the_ends_of_their_ranges_are_exact() {
    for (keys, words) in [
        ("KMIN_MAP 1 25000000000 0", "kmin: \"1 B\", kmax: \"400000 B\", pmax: 0.2"),
        ("KMIN_MAP 1 25000000000 400", "kmin: \"400000 B\", kmax: \"400000 B\", pmax: 1.0"),
        ("KMIN_MAP 1 25000000000 99999999", "kmin: \"400000 B\", kmax: \"400000 B\", pmax: 1.0"),
        ("FAST_RECOVERY_TIMES 0", "fast_recovery: 0,"),
        ("MIN_RATE 25Gbps", "min_rate: \"25 Gb/s\""),
        ("RATE_AI 0Mb/s", "additive_increase: \"0 b/s\""),
        ("HAS_WIN 1", "max_outstanding: 15,"),
        ("CC_MODE 0", "congestion_control: Off"),
        (
            "USE_DYNAMIC_PFC_THRESHOLD 0",
            "memory: \"33554432 B\", sharing: Dynamic(alpha: 0.125, guaranteed: \"4096 B\")",
        ),
        ("RATE_BOUND 0", "response: Off"),
    ] {
        let input = star(keys);
        let imported = input.read().unwrap_or_else(|said| panic!("{said}"));
        assert!(imported.scenario.contains(words), "{keys}: no `{words}` in {}", imported.scenario);
        assert_eq!(changes(&imported.account, ""), None, "{keys}");
        input.plan("import-ends").unwrap_or_else(|said| panic!("{keys}: {said}"));
    }
    // Marking off, as that simulator's users write it.
    let off = star("KMIN_MAP 1 25000000000 9999999\nKMAX_MAP 1 25000000000 9999999");
    assert!(off.read().expect("it is right").scenario.contains("congestion_control: Off"));
}

/// Acknowledgements before data: a lane of strict priority without PFC, on the first level that no flow has.
#[test]
fn acknowledgements_of_high_priority_have_a_lane_of_their_own() {
    let input = star("ACK_HIGH_PRIO 1");
    let imported = input.read().expect("it is right");
    for words in [
        "data_lanes: 2,",
        "sl_to_vl: {3: 0, 0: 1},",
        "pfc_enable: [0]",
        "vl_arbitration: (strict: [1]),",
        "ack_service_level: 0,",
        // 32 MiB, and the guarantee of that lane at four ports.
        "memory: \"33570816 B\"",
    ] {
        assert!(imported.scenario.contains(words), "no `{words}` in {}", imported.scenario);
    }
    assert_eq!(input.fate("ACK_HIGH_PRIO").0, KeyFate::Used);
    assert_eq!(changes(&imported.account, ""), None);
    input.plan("import-acks").unwrap_or_else(|said| panic!("{said}"));
    // PFC has eight priorities.
    let flows: String = (0..8).map(|level| format!("0 3 {level} 100 2000 2.0\n")).collect();
    let (fate, what) = Input { flows: format!("8\n{flows}"), ..input }.fate("ACK_HIGH_PRIO");
    assert!(fate == KeyFate::Changed && what.contains("all eight priorities"), "{what}");
}

/// That simulator stops where a map has no entry for the rate of a link.
/// 2^64 ps are 213 days. The origin wrapped round, so that the flow started at another time.
#[test]
fn flows_that_start_after_all_times_are_refused() {
    let input = star("");
    for seconds in ["20000000", "18446744073710", "1e300"] {
        let flows = format!("1\n0 2 3 100 30000 {seconds}\n");
        let said = Input { flows, ..input.clone() }.read().expect_err("it is wrong");
        assert!(said.contains("the run stops before the first flow starts"), "{said}");
    }
}

/// The sign for columns of packets is a mistake where the flow would end before its start.
#[test]
fn a_port_beyond_all_ports_is_the_fault_of_the_list() {
    let read = |flow: &str| Input { flows: format!("1\n{flow}\n"), ..star("") }.read();
    let said = read("0 3 3 70000 200000 2").expect_err("no port");
    assert!(
        said.starts_with("error: flow.txt:2:7: FLOW_FILE: `70000` is not the number of a port"),
        "{said}"
    );
    let said = read("0 3 3 100 2.5 2").expect_err("it ends early");
    assert!(said.starts_with("error: flow.txt:2:15: FLOW_FILE: the flow ends before it starts"), "{said}");
    assert!(read("0 3 3 70000 2 2.5").is_ok());
}

#[test]
fn a_map_without_a_rate_of_the_links_is_refused() {
    let said = star("KMAX_MAP 1 40000000000 400").read().expect_err("it is wrong");
    assert!(said.contains("KMAX_MAP: there is no entry for links of 25 Gb/s"), "{said}");
    let said = star("RP_TIMER soon").read().expect_err("it is wrong");
    assert!(said.contains("RP_TIMER: `soon` is not a number"), "{said}");
}

/// Links of several rates: thresholds by the rate of each, alpha by its ratio to the first host's.
#[test]
fn thresholds_are_by_the_rate_of_each_link() {
    let mut input = star(
        "KMIN_MAP 3 10000000000 7 25000000000 100 100000000000 400\nKMAX_MAP 2 25000000000 400 100000000000 1600\n\
         PMAX_MAP 2 25000000000 0.2 100000000000 0.1",
    );
    input.topology = "6 2 5\n4 5\n0 4 25Gbps 1us 0\n1 4 25Gbps 1us 0\n2 5 25Gbps 1us 0\n3 5 25Gbps 1us 0\n\
                      4 5 100Gbps 1us 0\n"
        .to_owned();
    let text = input.read().expect("it is right").scenario;
    for words in [
        "by_rate: [(rate: \"25 Gb/s\", kmin: \"100000 B\", kmax: \"400000 B\", pmax: 0.2), \
         (rate: \"100 Gb/s\", kmin: \"400000 B\", kmax: \"1600000 B\", pmax: 0.1)]",
        "shares: [(rate: \"100 Gb/s\", alpha: 0.5)]",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    input.plan("import-rates").unwrap_or_else(|said| panic!("{said}"));
}
