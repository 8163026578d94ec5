//! Imports of files of HPCC's relatives: dialects of topologies, flows and configurations, and parts of them that a
//! scenario cannot have.

use interop::import::{ImportedScenario, KeyAccount, KeyFate, changes};
use proptest::prelude::*;
use proptest::sample::select;
use scenario::{Plan, Scenario, ScenarioText};
use simulators::hpcc;
use units::{Bytes, Span};
use workload::{MessageSchedule, Posting};

/// Settings that all of HPCC's own configurations have.
const KEYS: &str = "TOPOLOGY_FILE mix/topology.txt\nFLOW_FILE mix/flow.txt\nENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\n\
    SIMULATOR_STOP_TIME 2.1\nCC_MODE 1\nALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\nRP_TIMER 300\n\
    EWMA_GAIN 0.00390625\n\
    FAST_RECOVERY_TIMES 1\nRATE_AI 40Mb/s\nRATE_HAI 100Mb/s\nMIN_RATE 100Mb/s\nHAS_WIN 0\nLINK_DOWN 0 0 0\n\
    BUFFER_SIZE 32\n\
    KMAX_MAP 2 25000000000 400 100000000000 1600\nKMIN_MAP 2 25000000000 100 100000000000 400\n\
    PMAX_MAP 2 25000000000 0.2 100000000000 0.2\n";

/// A switch that is node 0, with four hosts.
const STAR: &str =
    "5 1 4\n0\n0 1 100Gbps 0.001ms 0\n0 2 100Gbps 0.001ms 0\n0 3 100Gbps 0.001ms 0\n0 4 100Gbps 0.001ms 0\n";
const FLOWS: &str = "2\n2 1 3 100 200000 2\n3 1 3 101 200000 2\n";

/// ns3-rdma's own settings, with a topology and flows of its form.
const NS3_RDMA: &str = "ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\nPACKET_LEVEL_ECMP 0\nFLOW_LEVEL_ECMP 0\n\
    PAUSE_TIME 5\n\
    PACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE C:\\sim\\mix\\topology.txt\nFLOW_FILE C:\\sim\\mix\\flow.txt\n\
    TCP_FLOW_FILE C:\\sim\\mix\\flow_tcp.txt\nTRACE_FILE C:\\sim\\mix\\trace.txt\nTRACE_OUTPUT_FILE Z:\\mix.tr\n\
    SEND_IN_CHUNKS 0\n\
    APP_START_TIME 1.0\nAPP_STOP_TIME 10.0\nSIMULATOR_STOP_TIME 2.05\nCNP_INTERVAL 50\nALPHA_RESUME_INTERVAL 55\n\
    NP_SAMPLING_INTERVAL 0\nCLAMP_TARGET_RATE 1\nCLAMP_TARGET_RATE_AFTER_TIMER 0\nRP_TIMER 60\nBYTE_COUNTER 300000\n\
    DCTCP_GAIN 0.00390625\nKMAX 1000\nKMIN 40\nPMAX 1.0\nFAST_RECOVERY_TIMES 5\nRATE_AI 40Mb/s\nRATE_HAI 200Mb/s\n";
const FOUR_COLUMNS: &str = "5 1 4\n0\n0 1 40Gbps 0.0001ms\n0 2 40Gbps 0.0001ms\n0 3 40Gbps 0.0001ms\n\
    0 4 40Gbps 0.0001ms\n\n\
    First line: total node #, switch node #, link #\nSecond line: switch node IDs...\nsrc0 dst0 rate delay\n...";

fn read(config: &str, topology: &str, flows: &str) -> Result<ImportedScenario, String> {
    let files = |name: &str| match name.rsplit(['/', '\\']).next() {
        Some("topology.txt") => Some(topology.to_owned()),
        Some("flow.txt") => Some(flows.to_owned()),
        _ => None,
    };
    hpcc::read("config.txt", config, &files).map_err(|said| said.to_string())
}

fn imported(config: &str, topology: &str, flows: &str) -> ImportedScenario {
    read(config, topology, flows).unwrap_or_else(|said| panic!("{said}"))
}

/// Checks an imported scenario, with its files.
fn plan(imported: &ImportedScenario) -> Plan {
    let source = ScenarioText::new("imported.ron", &imported.scenario).with_files(imported.files.clone());
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn entry<'a>(imported: &'a ImportedScenario, key: &str) -> &'a KeyAccount {
    let entry = imported.account.iter().find(|entry| entry.key == key);
    entry.unwrap_or_else(|| panic!("no `{key}` in {:#?}", imported.account))
}

fn fate(imported: &ImportedScenario, key: &str) -> (KeyFate, String) {
    let entry = entry(imported, key);
    (entry.fate, entry.given.clone())
}

/// HPCC's own `mix/topology.txt` has more links than it counts, and prose.
#[test]
fn lines_behind_the_last_link_and_the_last_flow_are_not_read() {
    let more = format!("{STAR}0 5 100Gbps 0.001ms 0\n0 6 25Gbps 0.001ms 0\n");
    let flows = format!(
        "{FLOWS}4 1 3 100 5000000 2\n\nFirst line: # of flows\nsrc0 dst0 3 dst_port0 size0 start_time0\n...\n"
    );
    let imported = imported(KEYS, &more, &flows);
    assert_eq!(fate(&imported, "lines behind the last link"), (KeyFate::NotUsed, "2".to_owned()));
    assert_eq!(fate(&imported, "lines behind the last flow"), (KeyFate::NotUsed, "4".to_owned()));
    assert_eq!(changes(&imported.account, "config.txt"), None);
    let plan = plan(&imported);
    assert_eq!((plan.graph().hosts(), plan.graph().switches(), plan.workload().flows.len()), (4, 1, 2));
}

#[test]
fn flows_of_more_than_the_longest_message_are_flows_of_several() {
    let flows = "4\n2 1 3 100 1000000000000 2\n3 1 3 101 200000 2.000001\n4 1 3 102 3000000001 2.0\n\
    3 1 3 103 9000000000 2.1\n";
    let imported = imported(&KEYS.replace("TIME 2.1", "TIME 2.9"), STAR, flows);
    assert_eq!(fate(&imported, "flows over 2 GiB that do not end"), (KeyFate::Used, "1".to_owned()));
    assert_eq!(fate(&imported, "flows over 2 GiB"), (KeyFate::Approximated, "2".to_owned()));
    assert_eq!(fate(&imported, "flows over 2 GiB, rounded"), (KeyFate::Approximated, "1".to_owned()));
    let plan = plan(&imported);
    let flows = &plan.workload().flows;
    let schedule = |name: &str| match &flows
        .iter()
        .find(|flow| flow.name.to_string() == name)
        .expect("a flow")
        .posting
    {
        Posting::Scheduled(schedule) => schedule.clone(),
        Posting::Drawn { .. } | Posting::Job { .. } => panic!("`{name}` is listed"),
    };
    assert!(matches!(schedule("flow1"), MessageSchedule::Saturate { outstanding: 2, .. }));
    let total = |name| match schedule(name) {
        MessageSchedule::Listed(list) => {
            list.iter().map(|message| message.bytes).fold(Bytes::ZERO, |sum, bytes| sum + bytes)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!([total("flow3"), total("flow4")], [Bytes::new(3_000_000_002), Bytes::new(9_000_000_000)]);
    assert_eq!(imported.files[1].1, "1\n3 1 3 101 200000 2.000001000000\n");
}

/// Two servers of two GPUs with an `NVSwitch`, as `SimAI`'s generator writes them.
#[test]
fn nvswitches_are_left_out_with_their_links() {
    let simai = "8 2 2 2 10 A100\n4 5 6 7\n0 4 2400Gbps 0.000025ms 0\n1 4 2400Gbps 0.000025ms 0\n\
    2 5 2400Gbps 0.000025ms 0\n\
                 3 5 2400Gbps 0.000025ms 0\n0 6 100Gbps 0.0005ms 0\n1 7 100Gbps 0.0005ms 0\n2 6 100Gbps 0.0005ms 0\n\
                 3 7 100Gbps 0.0005ms 0\n6 7 100Gbps 0.0005ms 0\n4 5 2400Gbps 0.000025ms 0\n";
    let imported = imported(KEYS, simai, "1\n0 3 3 100 200000 2\n");
    assert_eq!(fate(&imported, "NVSwitches"), (KeyFate::Changed, "2".to_owned()));
    let said = changes(&imported.account, "config.txt").expect("a change").to_string();
    assert!(
        said.starts_with("error: topology.txt:3:1: NVSwitches: left out with the 5 links to them"),
        "{said}"
    );
    let plan = plan(&imported);
    let names = |nodes: &[&str]| nodes.iter().all(|name| plan.graph().find(name).is_some());
    assert_eq!((plan.graph().hosts(), plan.graph().switches()), (4, 2));
    assert!(names(&["h0", "h3", "s6", "s7"]), "{}", imported.scenario);
}

/// A server with a port at each of two leaves keeps the first.
#[test]
fn further_links_of_hosts_are_left_out() {
    let dual = "4 2 5\n2 3\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n1 2 100Gbps 1us 0\n\
    2 3 100Gbps 1us 0.001\n";
    let imported = imported(KEYS, dual, "1\n0 1 3 100 200000 2\n");
    assert_eq!(fate(&imported, "further links of hosts"), (KeyFate::Changed, "2".to_owned()));
    assert_eq!(fate(&imported, "links that lose packets"), (KeyFate::Changed, "1".to_owned()));
    let said = changes(&imported.account, "config.txt").expect("changes").to_string();
    assert!(
        said.contains("error: topology.txt:4:1: further links of hosts: a host has one port here"),
        "{said}"
    );
    assert_eq!(plan(&imported).graph().hosts(), 2);
}

#[test]
fn hosts_without_flows_make_room_at_a_switch_with_too_many_ports() {
    let links: String = (1..301).map(|host| format!("0 {host} 100Gbps 0.001ms 0\n")).collect();
    let topology = format!("301 1 300\n0\n{links}");
    let few = imported(KEYS, &topology, "1\n300 1 3 100 200000 2\n");
    assert_eq!(fate(&few, "hosts without flows"), (KeyFate::Approximated, "46".to_owned()));
    assert_eq!(changes(&few.account, "config.txt"), None);
    let checked = plan(&few);
    assert_eq!(checked.graph().hosts(), 254);
    assert_eq!(checked.workload().flows[0].numbers, (300, 1), "hosts keep their numbers");
    let senders: String = (2..257).map(|host| format!("{host} 1 3 100 200000 2\n")).collect();
    let said = read(KEYS, &topology, &format!("255\n{senders}")).expect_err("too many ports");
    assert!(said.starts_with("error: topology.txt:3:1: TOPOLOGY_FILE: switch 0 has 300 ports"), "{said}");
    assert!(said.contains("help: this simulator has at most 254 ports at a switch"), "{said}");
}

#[test]
fn headers_of_all_relatives_are_known() {
    let links = STAR.split_once("\n0\n").expect("a star").1;
    for (header, of) in [
        ("5 1 1 4", "ns3-datacenter"),
        ("5 1 1 4 1e11 1e11", "Reverie"),
        ("5 8 0 1 4 X000 8", "ns-3-alibabacloud"),
    ] {
        let imported = imported(KEYS, &format!("{header}\n0\n{links}"), FLOWS);
        assert_eq!(changes(&imported.account, "config.txt"), None, "{of}");
        assert_eq!(plan(&imported).graph().hosts(), 4, "{of}");
    }
}

/// Marks and rates are those of `broadcom-node.cc` and `qbb-net-device.cc`.
#[test]
fn ns3_rdma_has_packets_starts_and_ends() {
    let flows =
        "2\n2 1 3 10000000 2.0 9.5\n3 1 3 50 2.00001 9.5\n\n\nFirst line: flow #\nsrc dst pg packet#\n";
    let imported = imported(NS3_RDMA, FOUR_COLUMNS, flows);
    assert_eq!(fate(&imported, "columns 4 to 6").0, KeyFate::Used);
    assert_eq!(fate(&imported, "flows over 2 GiB that do not end"), (KeyFate::Used, "1".to_owned()));
    assert_eq!(imported.files[1].1, "1\n3 1 3 100 50000 2.000010000000\n");
    for words in [
        "Red(kmin: \"41200 B\", kmax: \"1030000 B\", pmax: 1.0)",
        "echo: Dcqcn(interval: \"50 us\", window: FreeRunning)",
        "timer: \"60 us\", byte_counter: \"300000 B\", clamp_target: true, clamp_after_timer: false, fast_recovery: 4,",
        "initial_alpha: 0.5, order: AlphaFirst",
        "Dynamic(alpha: 16.0, guaranteed: \"2060 B\")",
        "resume_offset: \"256 B\"",
        "routing: MinHop",
        "transport: Uc",
    ] {
        assert!(imported.scenario.contains(words), "no `{words}` in {}", imported.scenario);
    }
    plan(&imported);
    // The list of TCP flows is not at hand: it may have some.
    let changed: Vec<_> = imported
        .account
        .iter()
        .filter(|entry| entry.fate == KeyFate::Changed)
        .map(|entry| &entry.key)
        .collect();
    assert_eq!(changed, ["TCP_FLOW_FILE"]);
    let early = imported_flows("1\n2 1 3 10 2.0 2.01\n");
    assert_eq!(fate(&early, "flows that end early"), (KeyFate::Changed, "1".to_owned()));
}

fn imported_flows(flows: &str) -> ImportedScenario {
    imported(NS3_RDMA, FOUR_COLUMNS, flows)
}

/// Beside a configuration of another simulator, packets are known by signs: a port that none can be, a size that is no
/// whole number, sizes below a packet.
#[test]
fn packets_in_the_place_of_bytes_are_told() {
    for flows in [
        "1\n2 1 3 10000000 2 9\n",
        "1\n2 1 3 100 2.0 9.5\n",
        "1\n2 1 3 100 2 9\n",
        "1\n2 1 3 100 2.0 9.5 40\n",
    ] {
        let imported = imported(KEYS, STAR, flows);
        assert_eq!(fate(&imported, "columns 4 to 6").0, KeyFate::Changed, "{flows}");
    }
    for flows in ["1\n2 1 3 100 64 2\n", "2\n2 1 3 65535 1 0.5\n3 1 3 100 1000 2\n", "1\n2 1 3 1000000 2\n"] {
        assert_eq!(changes(&imported(KEYS, STAR, flows).account, ""), None, "{flows}");
    }
}

/// `SimAI`'s stop is at 4 * 10^13 s: it ends when its workload does.
#[test]
fn a_stop_that_no_run_reaches_is_the_end_of_the_flows() {
    let imported = imported(&KEYS.replace("TIME 2.1", "TIME 40000000000000.00"), STAR, FLOWS);
    assert!(imported.scenario.contains("until_done: true,"), "{}", imported.scenario);
    let plan = plan(&imported);
    assert!(
        plan.duration() >= Span::from_us(1000) && plan.duration() < Span::from_us(10_000),
        "{}",
        plan.duration()
    );
}

/// Attributes of ns-3 stand for HPCC's keys, and keys that change an experiment are never "unknown".
#[test]
fn keys_of_relatives_are_known() {
    let attributes = KEYS
        .replace("PACKET_PAYLOAD_SIZE", "ns3::RdmaHw::Mtu")
        .replace("CC_MODE", "ns3::RdmaHw::CcMode")
        .replace("ENABLE_QCN 1", "ns3::QbbNetDevice::QcnEnabled true")
        .replace("RP_TIMER", "ns3::MellanoxDcqcn::RPTimer");
    let named = imported(&attributes, STAR, FLOWS);
    assert_eq!(named.scenario, imported(KEYS, STAR, FLOWS).scenario);
    assert_eq!(entry(&named, "ns3::RdmaHw::CcMode").fate, KeyFate::Used);
    for (keys, key, expected) in [
        ("ENABLE_PFC 0", "ENABLE_PFC", KeyFate::Changed),
        ("ns3::SwitchNode::PfcEnabled false", "ns3::SwitchNode::PfcEnabled", KeyFate::Changed),
        ("ns3::SwitchNode::PfcEnabled true", "ns3::SwitchNode::PfcEnabled", KeyFate::Used),
        ("ENABLE_IRN 1", "ENABLE_IRN", KeyFate::Changed),
        ("LB_MODE 9", "LB_MODE", KeyFate::Changed),
        ("LB_MODE 0", "LB_MODE", KeyFate::Used),
        ("FIXED_WIN 18000", "FIXED_WIN", KeyFate::Changed),
        ("MON_START 0", "MON_START", KeyFate::NotUsed),
        ("FLOWGEN_STOP_TIME 2.1", "FLOWGEN_STOP_TIME", KeyFate::NotUsed),
    ] {
        let imported = imported(&format!("{KEYS}{keys}\n"), STAR, FLOWS);
        assert_eq!(entry(&imported, key).fate, expected, "{keys}");
    }
    for mode in [2, 6, 13] {
        let imported = imported(&KEYS.replace("CC_MODE 1", &format!("CC_MODE {mode}")), STAR, FLOWS);
        assert_eq!(entry(&imported, "CC_MODE").fate, KeyFate::Changed, "{mode}");
    }
}

/// Reverie's maps have four pairs behind a count of three: that simulator reads three.
#[test]
fn pairs_behind_the_count_of_a_map_are_not_read() {
    let more = KEYS.replace("100000000000 1600", "100000000000 1600 40000000000 640");
    let first = imported(&more, STAR, FLOWS);
    assert_eq!(entry(&first, "KMAX_MAP").fate, KeyFate::Used);
    assert!(
        entry(&first, "KMAX_MAP").what.contains("without the pairs behind"),
        "{:?}",
        entry(&first, "KMAX_MAP")
    );
    let fewer = KEYS.replace(
        "KMAX_MAP 2 25000000000 400 100000000000 1600",
        "KMAX_MAP 1 25000000000 400 100000000000 1600",
    );
    let said = read(&fewer, STAR, FLOWS).expect_err("no entry is read for the rate of the links");
    assert!(said.contains("there is no entry for links of 100 Gb/s"), "{said}");
}

/// Faults are in the user's file, at their place.
#[test]
fn wrong_lists_have_their_places() {
    for (flows, words) in [
        ("", "flow.txt:1:1: FLOW_FILE: this is not a number of flows"),
        ("3\n2 1 3 100 8 2\n", "flow.txt:1:1: FLOW_FILE: the list begins with 3 flows, and 1 follow"),
        ("1\n2 1 3\n", "flow.txt:2:1: FLOW_FILE: this line has 3 words"),
        ("2\n2 1 3 100 8 2\n2 1 3 8 2\n", "flow.txt:3:1: FLOW_FILE: this line has 5 words"),
        ("1\n2 9 3 100 8 2\n", "flow.txt:2:3: FLOW_FILE: the topology has no host 9 with a link"),
        ("1\n0 1 3 100 8 2\n", "flow.txt:2:1: FLOW_FILE: the topology has no host 0 with a link"),
        ("1\n2 2 3 100 8 2\n", "flow.txt:2:3: FLOW_FILE: the flow leads from host 2 back to it"),
        ("1\n2 1 8 100 8 2\n", "flow.txt:2:5: FLOW_FILE: `8` is not a priority"),
        ("1\n2 1 3 100 0 0\n", "flow.txt:2:11: FLOW_FILE: `0` is not a size in bytes"),
        ("1\n2 1 3 100 64 soon\n", "flow.txt:2:14: FLOW_FILE: `soon` is not a time in seconds"),
    ] {
        let said = read(KEYS, STAR, flows).expect_err("it is wrong");
        assert!(said.starts_with(&format!("error: {words}")), "{flows}: {said}");
    }
    let said =
        read(&KEYS.replace("TOPOLOGY_FILE mix/topology.txt\n", ""), STAR, FLOWS).expect_err("it is wrong");
    assert!(
        said.contains("TOPOLOGY_FILE: this key is missing") && said.contains("SimAI takes the file"),
        "{said}"
    );
}

/// Two files of one name from two folders do not overwrite each other.
#[test]
fn files_of_one_name_stay_two() {
    let config = KEYS.replace("mix/flow.txt", "flows/x").replace("mix/topology.txt", "topologies/x");
    let files = |name: &str| Some(if name.starts_with("flows") { FLOWS } else { STAR }.to_owned());
    let imported = hpcc::read("config.txt", &config, &files).unwrap_or_else(|said| panic!("{said}"));
    let names: Vec<_> = imported.files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["x.txt", "flows-x.txt"]);
    plan(&imported);
}

/// Generates settings of ns3-rdma in their ranges.
fn any_ns3_rdma() -> impl Strategy<Value = String> {
    const KEYS: [(&str, &[&str]); 19] = [
        ("ENABLE_QCN", &["1", "1", "1", "0"]),
        ("USE_DYNAMIC_PFC_THRESHOLD", &["1", "0"]),
        ("PACKET_LEVEL_ECMP", &["0", "1"]),
        ("FLOW_LEVEL_ECMP", &["0", "1"]),
        ("PACKET_PAYLOAD_SIZE", &["1000", "1400", "64"]),
        ("CNP_INTERVAL", &["50", "0.5", "1000"]),
        ("ALPHA_RESUME_INTERVAL", &["55", "1"]),
        ("NP_SAMPLING_INTERVAL", &["0", "5"]),
        ("CLAMP_TARGET_RATE", &["0", "1"]),
        ("CLAMP_TARGET_RATE_AFTER_TIMER", &["0", "1"]),
        ("RP_TIMER", &["60", "0.01", "1500"]),
        ("BYTE_COUNTER", &["300000", "1", "4000000000"]),
        ("DCTCP_GAIN", &["0.00390625", "0.0625", "0.999"]),
        ("KMAX", &["1000", "60", "0", "4000000000"]),
        ("KMIN", &["40", "60", "0"]),
        ("PMAX", &["1.0", "0.01", "0", "7"]),
        ("FAST_RECOVERY_TIMES", &["5", "2", "255"]),
        ("RATE_AI", &["40Mb/s", "1kb/s", "400Gbps"]),
        ("RATE_HAI", &["200Mb/s", "1kb/s"]),
    ];
    let key = |(key, values): (&'static str, &'static [&'static str])| {
        select(values).prop_map(move |value| format!("{key} {value}\n"))
    };
    KEYS.map(key).to_vec().prop_map(|keys| {
        format!("TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nSIMULATOR_STOP_TIME 2.05\n{}", keys.concat())
    })
}

/// Generates packets, starts and ends, some before and some after the end of the run.
fn any_packets() -> impl Strategy<Value = String> {
    let packets = prop_oneof![1..10_000u64, 1_000_000..3_000_000u64, Just(10_000_000_000)];
    let flow = (1..5u32, 1..4u32, 0..8u8, packets, 0..90u32, 1..9u32);
    prop::collection::vec(flow, 1..6).prop_map(|flows| {
        let line = |(from, step, level, packets, start, length): &(u32, u32, u8, u64, u32, u32)| {
            format!("{from} {} {level} {packets} 2.0{start:02} {}.5\n", (from + step - 1) % 4 + 1, 2 + length)
        };
        format!("{}\n{}", flows.len(), flows.iter().map(line).collect::<String>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_valid_configuration_of_ns3_rdma_passes_the_check(config in any_ns3_rdma(), flows in any_packets()) {
        match read(&config, FOUR_COLUMNS, &flows) {
            Ok(imported) => {
                let source = ScenarioText::new("imported.ron", &imported.scenario).with_files(imported.files);
                let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
                prop_assert!(checked.is_ok(), "{}\n{}", checked.err().map_or(String::new(), |said| said.to_string()), imported.scenario);
            }
            Err(said) => prop_assert!(said.contains("the run stops before the first flow starts"), "{said}"),
        }
    }
}
