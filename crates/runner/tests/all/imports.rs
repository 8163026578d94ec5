//! Imports of HPCC's configurations, run: completion times and shares that follow from that simulator's rules.

use std::fs;

use fabric::{RunOptions, simulate};
use scenario::{Plan, Scenario, ScenarioText};
use simulators::hpcc;
use telemetry::RunRecord;
use units::Span;

use crate::scratch::{Scratch, assert_refused, text};

/// Keys that all tests share: DCQCN with the published intervals, and no window.
const KEYS: &str = "TOPOLOGY_FILE topology\nFLOW_FILE flow\nPACKET_PAYLOAD_SIZE 1000\nL2_ACK_INTERVAL 1\nHAS_WIN 0\n\
    ALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\nRP_TIMER 300\nEWMA_GAIN 0.00390625\nFAST_RECOVERY_TIMES 1\n\
    RATE_AI 50Mb/s\nRATE_HAI 100Mb/s\nMIN_RATE 100Mb/s\nBUFFER_SIZE 16\n";

/// Returns the plan of an import; its files lie in a folder of this name.
fn imported(folder: &str, keys: &str, topology: &str, flows: &str) -> Plan {
    let files = |name: &str| Some(if name == "topology" { topology } else { flows }.to_owned());
    let read = hpcc::read("config.txt", &format!("{KEYS}{keys}"), &files);
    let imported = read.unwrap_or_else(|said| panic!("{said}"));
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).expect("a writable folder");
    for (name, text) in &imported.files {
        fs::write(folder.join(name), text).expect("a writable folder");
    }
    let source = ScenarioText::new("imported.ron", &imported.scenario).beside(&folder);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn run(plan: &Plan) -> RunRecord {
    simulate(plan, RunOptions::default(), &mut |_| {}).unwrap_or_else(|violation| panic!("{violation}"))
}

/// A flow alone, in that simulator. Every packet of 1,048 bytes leaves behind the previous packet, and two links of 1
/// us store and forward it. The last packet's acknowledgement, of 60 bytes, comes back the same way. The flow is then
/// complete.
#[test]
fn a_flow_alone_completes_as_in_that_simulator() {
    let maps = "CC_MODE 1\nSIMULATOR_STOP_TIME 2.001\nKMIN_MAP 1 25000000000 100\nKMAX_MAP 1 25000000000 400\n\
                PMAX_MAP 1 25000000000 0.2\n";
    let plan = imported(
        "import-alone",
        maps,
        "3 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n",
        "1\n0 1 3 100 199300 2.000000\n",
    );
    let one = run(&plan).completions.expect("they are kept").messages[0];
    // 199 packets of 1,000 bytes, and a packet of 300. On the second link the last packet waits for the end of its
    // predecessor.
    let data = (199 * 1048 + 348 + 1048) * 8 * 1000 / 25;
    let acknowledgement = 2 * 60 * 8 * 1000 / 25;
    let expected = Span::from_ps(data + acknowledgement) + Span::from_us(4);
    let ended = one.acknowledged.expect("RC acknowledges");
    assert_eq!(ended.at.since(one.posted), expected);
}

/// Without congestion control, a trunk and two hosts fill the link of a host. Packets leave in the order of their
/// arrival. So each input's share of the output follows its packets in the switch, which PFC holds at its threshold.
/// That is proportional to its alpha: 1/8 for a host's link, 1/4 for a trunk of twice the rate.
#[test]
fn shares_under_pfc_are_those_of_the_thresholds() {
    let topology = "7 2 6\n5 6\n0 5 50Gbps 1us 0\n1 5 50Gbps 1us 0\n2 6 50Gbps 1us 0\n3 6 50Gbps 1us 0\n\
                    4 6 50Gbps 1us 0\n5 6 100Gbps 1us 0\n";
    let flows = "4\n0 4 3 100 400000000 2.0\n1 4 3 100 400000000 2.0\n2 4 3 100 400000000 2.0\n\
    3 4 3 100 400000000 2.0\n";
    let plan = imported("import-shares", "CC_MODE 0\nSIMULATOR_STOP_TIME 2.02\n", topology, flows);
    let record = run(&plan);
    let phase = record.phases.last().expect("a phase");
    let goodput: Vec<_> =
        (0..4).map(|flow| record.delivered_between(flow, phase.second_half, phase.to).get() as f64).collect();
    let total: f64 = goodput.iter().sum();
    let shares = [goodput[0] + goodput[1], goodput[2], goodput[3]].map(|part| part / total);
    for (share, expected) in shares.into_iter().zip([0.5, 0.25, 0.25]) {
        assert!((share - expected).abs() < 0.02, "{shares:?}");
    }
}

#[test]
fn a_scenario_that_does_not_take_imported_settings_is_blamed_and_no_option() {
    let scratch = Scratch::new("import-into-other");
    fs::write(scratch.0.join("nic"), "rpg_time_reset 300\n").unwrap();
    let output = scratch.run(&["import", "mlx5", "nic", "--into", "one-flow"]);
    let said = "error: imported congestion_control.response: `Off` has no such part\n\
                help: import into a scenario with a `congestion_control.response` of the same kind, or into a new one: leave out `--into`";
    assert_refused(&output, said);
    assert!(!text(&output.stderr).contains("--set"), "{output:?}");
    assert_eq!(scratch.names(), ["nic"]);
}

/// A file as it comes from a cluster: compressed, from a terminal, with a name in another encoding.
#[test]
fn compressed_files_and_logs_of_terminals_are_read() {
    let scratch = Scratch::new("import-as-it-comes");
    let net = include_str!("../../../../fixtures/import/two-switches.net");
    fs::write(scratch.0.join("plain.net"), net).unwrap();
    let logged = format!("admin@node-1:~$ ibnetdiscover\nibwarn: [7] mad_rpc failed\n{net}");
    let logged = [logged.as_bytes(), b"# caf\xe9\n"].concat();
    fs::write(scratch.0.join("logged.net"), &logged).unwrap();
    let printed = |file: &str| {
        scratch.printed(&["import", "ibnetdiscover", file, "--out", file.split('.').next().unwrap()])
    };
    printed("plain.net");
    let account = printed("logged.net");
    for words in ["(terminal)  2 ", "(bytes)     1 "] {
        assert!(
            account
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(&words.split_whitespace().collect::<Vec<_>>().join(" ")),
            "{account}"
        );
    }
    let zipped =
        std::process::Command::new("gzip").arg("-k").arg("plain.net").current_dir(&scratch.0).status();
    // Every system that runs these tests has `gzip`, except Windows.
    if zipped.is_ok_and(|status| status.success()) {
        scratch.printed(&["import", "ibnetdiscover", "plain.net.gz", "--out", "zipped"]);
        let zipped = scratch.read("zipped/plain.ron").replace("plain.net.gz", "plain.net");
        assert_eq!(zipped, scratch.read("plain/plain.ron"));
        let whole = fs::read(scratch.0.join("plain.net.gz")).unwrap();
        fs::write(scratch.0.join("cut.net.gz"), &whole[..whole.len() / 2]).unwrap();
        let refused = scratch.run(&["import", "ibnetdiscover", "cut.net.gz"]);
        assert_refused(&refused, "error: `cut.net.gz` cannot be read: ");
    }
    fs::write(scratch.0.join("binary"), b"\x7fELF\0\0").unwrap();
    assert_refused(
        &scratch.run(&["import", "opensm", "binary"]),
        "error: `binary` cannot be read: it is not a text",
    );
}

/// Settings of a SONiC switch do not go into InfiniBand, and one refusal says so.
#[test]
fn a_sonic_switch_does_not_go_into_an_infiniband_fabric() {
    let scratch = Scratch::new("import-sonic-infiniband");
    fs::write(scratch.0.join("config_db.json"), FLAT).unwrap();
    let output = scratch.run(&["import", "sonic", "config_db.json", "--into", "victim"]);
    assert_refused(&output, "link.flow_control: this is InfiniBand's flow control, by credits");
    assert_eq!(text(&output.stderr).matches("error: ").count(), 1, "{output:?}");
    assert_eq!(scratch.names(), ["config_db.json"]);
}

/// Settings of a subnet manager do not go into a fabric with PFC, where `check` would find nothing wrong with them.
#[test]
fn a_subnet_managers_settings_do_not_go_into_a_roce_fabric() {
    let scratch = Scratch::new("import-opensm-roce");
    fs::write(scratch.0.join("opensm.conf"), "max_op_vls 5\nqos TRUE\ncongestion_control TRUE\n").unwrap();
    let output = scratch.run(&["import", "opensm", "opensm.conf", "--into", "roce400-leaf-spine"]);
    assert_refused(&output, "link.flow_control: settings of OpenSM are for InfiniBand");
    assert_eq!(scratch.names(), ["opensm.conf"]);
}

/// A switch with keys `TABLE|KEY`.
const FLAT: &str = r#"{
 "PORT|Ethernet0": {"speed": "100000"},
 "PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3,4"},
 "BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "20627456"},
 "BUFFER_PROFILE|pg_lossless_100000_5m_profile": {"pool": "ingress_lossless_pool", "xon": "19456", "xoff": "30720", "size": "50176", "dynamic_th": "0"},
 "BUFFER_PG|Ethernet0|3-4": {"profile": "pg_lossless_100000_5m_profile"}
}"#;

/// Without `--into`, the cables of the draft have the speeds and lengths of the switch.
#[test]
fn a_sonic_switch_alone_becomes_a_fabric_of_its_speeds_and_lengths() {
    let scratch = Scratch::new("import-sonic-alone");
    fs::write(scratch.0.join("config_db.json"), FLAT).unwrap();
    let output = scratch.run(&["import", "sonic", "config_db.json", "--out", "own"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr)
            .contains("headroom of 30 KiB a port and lane, and cables of 5 m at 100 Gb/s need ")
    );
    let scenario = scratch.read("own/config_db.ron");
    for words in [
        "memory: \"23280 KiB\"",
        "headroom: \"30 KiB\"",
        "\"trunk\": (rate: \"100 Gb/s\", propagation: Cable(\"5 m\"))",
    ] {
        assert!(scenario.contains(words), "no `{words}` in {scenario}");
    }
    let template = r#"{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "300m"}},
        "BUFFER_POOL": {"ingress_lossless_pool": {"size": "33329088", "type": "ingress", "mode": "dynamic", "xoff": "7827456"}}}"#;
    fs::write(scratch.0.join("template.json"), template).unwrap();
    let refused = scratch.run(&["import", "sonic", "template.json", "--out", "other"]);
    assert_refused(&refused, "BUFFER_PROFILE: no profile has headroom. The switch makes ");
    assert_eq!(scratch.names(), ["config_db.json", "own", "template.json"]);
    let accepted = scratch.run(&["import", "sonic", "template.json", "--out", "other", "--approximate"]);
    assert_eq!(accepted.status.code(), Some(0), "{}", text(&accepted.stderr));
    scratch.printed(&["check", "other/template.ron"]);
}

/// A terminal's log of several switches: the prompts say which is which.
#[test]
fn a_log_of_several_switches_has_their_names_from_its_prompts() {
    let scratch = Scratch::new("import-lldp-log");
    let table = |rows: &[&str]| {
        let head = "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n\
                    -----------  --------------  --------------  ------------  -----------------\n";
        let rows: String = rows.iter().map(|row| format!("{row}\n")).collect();
        format!(
            "{head}{rows}--------------------------------------------------\nTotal entries displayed:  {}\n",
            rows.lines().count()
        )
    };
    let leaf = |n: u8| {
        let host = |i: u8| format!("Ethernet{i}    h{n}{i}              eth0            R             eth0");
        let up = format!("Ethernet8    spine           Ethernet{n}       BR            Ethernet8");
        format!("admin@leaf-{n}:~$ show lldp table\n{}", table(&[&host(0), &host(4), &up]))
    };
    fs::write(
        scratch.0.join("log.txt"),
        format!("Last login: today\n{}{}admin@leaf-2:~$ exit\n", leaf(1), leaf(2)),
    )
    .unwrap();
    let printed = scratch.printed(&["import", "lldp", "log.txt", "--switches", "spine", "--out", "mine"]);
    assert!(printed.contains("4 hosts, 3 switches"), "{printed}");
    let ports = scratch.read("mine/ports.csv");
    assert!(["leaf-1,", "leaf-2,"].iter().all(|switch| ports.contains(switch)), "{ports}");
}

/// Names of neighbours are text from strangers: they are made plain in the scenario, and escaped where they are
/// printed.
#[test]
fn hostile_names_of_neighbours_do_not_reach_the_terminal() {
    let scratch = Scratch::new("import-lldp-hostile");
    let rows = "a,1,h\u{1b}[31m,1\na,2,=1+1,1\na,3,\"x, y\",1\na,4,h..2,1\n";
    fs::write(scratch.0.join("list.csv"), rows).unwrap();
    let printed = scratch.printed(&["import", "lldp", "list.csv", "--out", "mine"]);
    assert!(!printed.contains('\u{1b}'), "{printed}");
    let ports = scratch.read("mine/ports.csv");
    for words in ["a,1,1,up,h,1,", "a,2,2,up,'=1+1,1,", "a,3,3,up,\"x, y\",1,", "a,4,4,up,h__2,1,"] {
        assert!(ports.contains(words), "no `{words}` in {ports}");
    }
    scratch.printed(&["check", "mine/list.ron"]);
    fs::write(scratch.0.join("wrong.csv"), "a,1,h\u{1b}[31m,1,fast\n").unwrap();
    let output = scratch.run(&["import", "lldp", "wrong.csv"]);
    assert_refused(&output, "`fast` is not the rate of a link");
    assert!(!text(&output.stderr).contains('\u{1b}'), "{output:?}");
}

/// A scenario that cannot run is neither written nor said to be. Its own fault is shown in its own file.
#[test]
fn nothing_is_written_of_a_scenario_that_cannot_run() {
    let scratch = Scratch::new("import-cannot-run");
    fs::write(scratch.0.join("nic"), "rpg_time_reset 300\n").unwrap();
    let shown = scratch.printed(&["show", "zhu2015-victim"]);
    let wrong = shown.replacen("from: \"", "from: \"no", 1);
    assert_ne!(shown, wrong);
    fs::write(scratch.0.join("s.ron"), wrong).unwrap();
    let output = scratch.run(&["import", "mlx5", "nic", "--into", "s.ron", "--out", "tuned"]);
    assert_refused(&output, "error: s.ron:");
    assert!(!text(&output.stdout).contains("written to"), "{output:?}");
    assert!(!scratch.0.join("tuned").exists(), "nothing is written");
    let tiers = "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down 300\nRadix_Up 2\nTier 1\nDownlink_speed_Gbps 100\n\
    Radix_Down 2\n";
    fs::write(scratch.0.join("t.topo"), format!("Nodes 600\nTiers 2\nPodsize 600\n{tiers}")).unwrap();
    fs::write(scratch.0.join("m.cm"), "Nodes 600\nConnections 1\n0->3 start 0 size 9\n").unwrap();
    let output = scratch.run(&["import", "htsim", "t.topo", "m.cm", "--out", "mine"]);
    assert_refused(&output, "error: t.topo: topology.down[0]: the scenario of this file cannot run: ");
    assert!(!scratch.0.join("mine").exists(), "nothing is written");
}

/// Paths in a configuration are those of the folder in which its simulator was started, or of another machine.
#[test]
fn files_of_a_configuration_are_found_around_it() {
    let keys = "CC_MODE 0\nSIMULATOR_STOP_TIME 2.001\n";
    let star = "3 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n";
    for (topology, flows) in [
        ("mix/topologies/star.txt", "mix/flows/two.txt"),
        ("C:\\sim\\mix\\star.txt", "Z:\\two.txt"),
        ("/home/me/sim/mix/configs/flows/star.txt", "/sim/flows/two.txt"),
    ] {
        let scratch = Scratch::new("import-found");
        for folder in ["sim/mix/topologies", "sim/mix/flows", "sim/mix/configs/flows"] {
            fs::create_dir_all(scratch.0.join(folder)).unwrap();
        }
        let place = |name: &str| match name {
            _ if name.starts_with("mix") => format!("sim/{name}"),
            _ if name.starts_with('/') => {
                format!("sim/mix/configs/flows/{}", name.rsplit('/').next().unwrap())
            }
            _ => format!("sim/mix/configs/{}", name.rsplit('\\').next().unwrap()),
        };
        fs::write(scratch.0.join(place(topology)), star).unwrap();
        fs::write(scratch.0.join(place(flows)), "1\n0 1 3 100 3000 2.0\n").unwrap();
        let config = KEYS
            .replace("FILE topology", &format!("FILE {topology}"))
            .replace("FILE flow", &format!("FILE {flows}"));
        fs::write(scratch.0.join("sim/mix/configs/c.txt"), format!("{config}{keys}")).unwrap();
        let printed = scratch.printed(&["import", "hpcc", "sim/mix/configs/c.txt", "--out", "mine"]);
        assert!(printed.contains("written to mine: c.ron, star.txt, two.txt"), "{printed}");
    }
}
