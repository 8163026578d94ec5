//! Imports of settings: OpenSM's, ConnectX's and SONiC's. Every value has its field, units are the vendors', and each
//! change of the experiment is named. No bytes make a reader panic.

use interop::import::{ImportedSettings, KeyAccount, KeyFate, SourceText, mlx5, opensm, sonic};
use proptest::prelude::*;
use proptest::sample::Index;
use scenario::{Diagnostic, Plan, Scenario, ScenarioText, draft};
use units::{Bytes, Rate};

const OPENSM: &str = include_str!("../../../../fixtures/import/opensm.conf");
const IBCCCONFIG: &str = include_str!("../../../../fixtures/import/ibccconfig.sh");
const MLX5: &str = include_str!("../../../../fixtures/import/mlx5.txt");
const SONIC: &str = include_str!("../../../../fixtures/import/config_db.json");

type Reader = fn(SourceText<'_>) -> Result<ImportedSettings, Diagnostic>;

const READERS: [(Reader, &str); 4] =
    [(opensm::read, OPENSM), (opensm::read, IBCCCONFIG), (adapter, MLX5), (sonic::read, SONIC)];

/// Reads the parameters of an adapter, with the assumed unit of its byte counter.
fn adapter(source: SourceText<'_>) -> Result<ImportedSettings, Diagnostic> {
    mlx5::read(source, None)
}

fn settings(read: Reader, text: &str) -> ImportedSettings {
    read(SourceText { name: "file", text }).unwrap_or_else(|said| panic!("{said}"))
}

fn said(read: Reader, text: &str) -> String {
    read(SourceText { name: "file", text }).expect_err("it is wrong").to_string()
}

fn fate<'a>(account: &'a [KeyAccount], key: &str) -> (KeyFate, &'a str) {
    let entry = account.iter().find(|entry| entry.key == key);
    let entry = entry.unwrap_or_else(|| panic!("no `{key}` in {account:#?}"));
    (entry.fate, &entry.what)
}

/// Puts the settings into a small fabric, InfiniBand or RoCE, and checks it.
fn plan(settings: ImportedSettings, infiniband: bool) -> Plan {
    let text = if infiniband {
        draft::FatTree { speed: link_layer::spec::Speed::Edr, hosts: 36 }.scenario()
    } else {
        draft::LeafSpine { rate: Rate::gbps(100), leaves: 4, spines: 4, hosts: 8 }.scenario()
    };
    let base = ScenarioText::new("draft.ron", &text.expect("a draft"));
    let imported = settings.into_scenario(base).unwrap_or_else(|said| panic!("{said}"));
    let source = ScenarioText::new("imported.ron", &imported.scenario);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn value<'a>(settings: &'a ImportedSettings, path: &str) -> &'a str {
    let found = settings.settings.iter().find(|(own, _)| own == path);
    &found.unwrap_or_else(|| panic!("no `{path}` in {:#?}", settings.settings)).1
}

#[test]
fn keys_of_opensm_have_the_meanings_of_the_attributes() {
    let settings = settings(opensm::read, OPENSM);
    let scheme = value(&settings, "congestion_control");
    for words in [
        "marking: (threshold: 11, packet_size: 1, marking_rate: 15, victim_mask: All)",
        "cct: Entries([(0, 0), (0, 1), (0, 2), (1, 4), (3, 16383)]), ccti_limit: 4, ccti_timer: 300, ccti_increase: 2, \
         trigger_threshold: 3, ccti_min: 1, port_control: ServiceLevel",
        "(service_level: 1, ccti_timer: 150, ccti_increase: 1, trigger_threshold: 0, ccti_min: 0)",
        "(service_level: 2, ccti_timer: 1, ccti_increase: 0, trigger_threshold: 0, ccti_min: 0)",
    ] {
        assert!(scheme.contains(words), "no `{words}` in {scheme}");
    }
    for (path, right) in [
        ("link.data_lanes", "4"),
        // Lanes past the fourth are masked; service level 15 of OpenSM's own list is lane 7, here 3.
        (
            "link.sl_to_vl",
            "{0: 0, 1: 1, 2: 2, 3: 3, 4: 0, 5: 1, 6: 2, 7: 3, 8: 0, 9: 1, 10: 2, 11: 3, 12: 0, 13: 1, 14: 2, 15: 3}",
        ),
        ("switch.sl_to_vl", "[(lanes: [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])]"),
    ] {
        assert_eq!(value(&settings, path), right, "{path}");
    }
    let arbitration = value(&settings, "link.vl_arbitration");
    assert!(
        arbitration.starts_with(
            "(high: [(lane: 0, weight: 64), (lane: 1, weight: 0)], low: [(lane: 0, weight: 0), "
        ),
        "{arbitration}"
    );
    assert!(arbitration.ends_with("limit_of_high_priority: 4)"), "{arbitration}");
    assert_eq!(fate(&settings.account, "cc_sw_cong_setting_credit_starvation_threshold").0, KeyFate::NotUsed);
    assert_eq!(fate(&settings.account, "cc_key").0, KeyFate::NotUsed);
    assert_eq!(fate(&settings.account, "leaf_head_of_queue_lifetime").0, KeyFate::NotUsed);
    assert!(fate(&settings.account, "other keys").1.contains("`log_file`"));
    for line in OPENSM.lines().filter(|line| line.starts_with("cc_") || line.starts_with("qos")) {
        let key = line.split_whitespace().next().expect("a key");
        fate(&settings.account, key);
    }
    assert!(settings.account.iter().all(|entry| entry.fate != KeyFate::Changed), "{:#?}", settings.account);
    plan(settings, true);
}

/// Adapters and switches have the tables of their own keys, and of a scenario that had others before nothing is left.
#[test]
fn adapters_and_switches_arbitrate_by_their_own_keys() {
    let own = format!("{OPENSM}\nqos_ca_vlarb_high 0:1\nqos_ca_high_limit 7\n");
    let own = plan(settings(opensm::read, &own), true);
    let link = &own.link().vl_arbitration;
    assert_eq!((link.high[0].weight, link.limit_of_high_priority), (1, 7));
    let of_switch = own.nodes().switches[0].settings.vl_arbitration.as_ref().expect("tables of its own");
    assert!(of_switch.iter().all(|port| (port.high[0].weight, port.limit_of_high_priority) == (64, 4)));
    let again = settings(opensm::read, OPENSM);
    assert_eq!(value(&again, "switch.vl_arbitration"), "[]");
}

#[test]
fn commands_of_ibccconfig_mean_the_same() {
    let keys = settings(opensm::read, OPENSM);
    let commands = settings(opensm::read, IBCCCONFIG);
    assert_eq!(value(&keys, "congestion_control"), value(&commands, "congestion_control"));
    assert_eq!(fate(&commands.account, "CongestionControlTable").0, KeyFate::Used);
    let other = IBCCCONFIG.to_owned() + "ibccconfig SwitchCongestionSetting 9 0x15 0x2 0x0 3 8 0 0:0 1\n";
    let other = settings(opensm::read, &other);
    let (found, what) = fate(&other.account, "SwitchCongestionSetting");
    assert!(found == KeyFate::Changed && what.contains("those of 9"), "{what}");
    plan(commands, true);
    for (command, expected) in [
        ("SwitchPortCongestionSetting 1 3 1 0 0xb 1 15", KeyFate::Used),
        ("SwitchPortCongestionSetting 1 3 0 0 2 8 7", KeyFate::NotUsed),
        ("SP 1 3 1 0 2 8 7", KeyFate::Changed),
        ("SP 1 3 1 1 0xb 1 15", KeyFate::Changed),
    ] {
        let own =
            settings(opensm::read, &format!("{IBCCCONFIG}ibccconfig {command}\nibccconfig CK 1 1 0 0 0\n"));
        assert_eq!(value(&own, "congestion_control"), value(&keys, "congestion_control"));
        let (found, what) = fate(&own.account, "SwitchPortCongestionSetting");
        assert!(found == expected, "{command}: {what}");
        assert_eq!(fate(&own.account, "CongestionKeyInfo").0, KeyFate::NotUsed);
    }
}

#[test]
fn what_opensm_leaves_open_or_the_model_lacks_is_named() {
    let with = |keys: &str| settings(opensm::read, &format!("{OPENSM}\n{keys}\n"));
    for (keys, key, words) in [
        ("cc_sw_cong_setting_victim_mask 0x10", "cc_sw_cong_setting_victim_mask", "AdapterPorts"),
        (
            "cc_sw_cong_setting_credit_starvation_threshold 3",
            "cc_sw_cong_setting_credit_starvation_threshold",
            "not modelled",
        ),
        ("cc_cct (null)", "cc_cct", "no source slows down"),
        ("cc_ca_cong_setting_ccti_timer 1 0", "cc_ca_cong_setting_ccti_timer", "65,535"),
        ("cc_ca_cong_setting_ccti_min 1 200", "cc_ca_cong_setting_ccti_timer", "past the table"),
        ("qos_swe_sl2vl 0,15", "(VL15)", "discarded there"),
    ] {
        let settings = with(keys);
        let (found, what) = fate(&settings.account, key);
        assert!(found == KeyFate::Changed && what.contains(words), "{keys}: {found:?}, {what}");
        plan(settings, true);
    }
    let off = with("congestion_control FALSE");
    assert_eq!(
        (value(&off, "congestion_control"), fate(&off.account, "cc_cct").0),
        ("Off", KeyFate::NotUsed)
    );
    let off = with("qos FALSE");
    assert!(off.settings.len() == 1 && fate(&off.account, "qos_sl2vl").0 == KeyFate::NotUsed, "{off:?}");
}

#[test]
fn parameters_of_connectx_have_the_vendors_units() {
    let settings = settings(adapter, MLX5);
    let response = value(&settings, "congestion_control.response");
    for words in [
        "clamp_target: false",
        "clamp_after_timer: true",
        "timer: \"300 us\"",
        "byte_counter: \"2097088 B\"",
        "fast_recovery: 1",
        "additive_increase: \"5 Mb/s\"",
        "hyper_increase: \"50 Mb/s\"",
        "min_rate: \"1 Mb/s\"",
        "alpha_timer: \"1 us\"",
        "alpha_update: EachInterval",
        "g: 0.0048828125",
        "initial_alpha: 1.0",
    ] {
        assert!(response.contains(words), "no `{words}` in {response}");
    }
    assert_eq!(value(&settings, "congestion_control.echo"), "(interval: \"4 us\")");
    for line in MLX5.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split_whitespace().next().expect("a name");
        let (found, what) = fate(&settings.account, name);
        assert_ne!(found, KeyFate::Changed, "{name}: {what}");
    }
    plan(settings, false);
}

/// The same parameters by the names of the driver, of debugfs and of the firmware.
#[test]
fn names_of_connectx_are_those_of_driver_firmware_and_debugfs() {
    let expected = settings(adapter, MLX5).settings;
    let firmware = MLX5.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (name, value) = line.split_once(' ').expect("a name and a value");
        format!("        {}_P1    {}\n", name.to_uppercase(), value.trim())
    });
    assert_eq!(settings(adapter, &firmware.collect::<String>()).settings, expected);
    let debugfs = MLX5.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (name, value) = line.split_once(' ').expect("a name and a value");
        let name = match name {
            "clamp_tgt_rate_after_time_inc" => "rp_clamp_tgt_rate_ati".to_owned(),
            "cnp_802p_prio" => "np_cnp_prio".to_owned(),
            "cnp_dscp" | "min_time_between_cnps" => format!("np_{name}"),
            name => format!("rp_{}", name.strip_prefix("rpg_").unwrap_or(name)),
        };
        format!("/sys/kernel/debug/mlx5/0000:08:00.0/cc_params/{name}:{}\n", value.trim())
    });
    let debugfs: String = debugfs.collect();
    assert_eq!(settings(adapter, &debugfs).settings, expected);
}

#[test]
fn what_the_model_lacks_of_connectx_is_named() {
    for (line, name) in [
        ("rpg_gd 10", "rpg_gd"),
        ("rpg_min_dec_fac 80", "rpg_min_dec_fac"),
        ("rate_to_set_on_first_cnp 1000", "rate_to_set_on_first_cnp"),
        ("rpg_max_rate 10000", "rpg_max_rate"),
        ("rate_reduce_monitor_period 100\nmin_time_between_cnps 4", "rate_reduce_monitor_period"),
        ("rpg_threshold 0", "rpg_threshold"),
    ] {
        let settings = settings(adapter, line);
        let (found, what) = fate(&settings.account, name);
        assert_eq!(found, KeyFate::Changed, "{line}: {what}");
        plan(settings, false);
    }
    let off = settings(adapter, "rpg_byte_reset 0");
    assert!(value(&off, "congestion_control.response").contains("stages: TimerAlone"));
    assert!(fate(&off.account, "(missing)").1.contains("`rpg_time_reset`"));
}

#[test]
fn thresholds_of_sonic_are_those_of_the_ports() {
    let settings = settings(sonic::read, SONIC);
    for (path, right) in [
        ("link.data_lanes", "2"),
        ("link.sl_to_vl", "{3: 0, 4: 1}"),
        ("switch.sharing", "Dynamic(alpha: 1.0, guaranteed: \"18 KiB\")"),
        ("switch.shares", "[(rate: \"400 Gb/s\", alpha: 0.5, guaranteed: \"36 KiB\")]"),
        ("switch.provisioned", "(ports: 32, lanes: 2)"),
    ] {
        assert_eq!(value(&settings, path), right, "{path}");
    }
    // 10,000,000 bytes are shared; 32 ports with 2 lanes each have 160,000 + 18,432 bytes of their own, 4 of them
    // 18,432 more.
    let memory: Bytes = value(&settings, "switch.memory").trim_matches('"').parse().expect("an amount");
    assert_eq!(memory.get(), 10_000_000 + 32 * 2 * (160_000 + 18_432) + 4 * 2 * 18_432);
    let marking = value(&settings, "congestion_control.marking");
    for (rate, kmin, pmax) in [(100, 1_000_000, "0.05"), (400, 4_000_000, "0.2")] {
        let (kmin, kmax) = (Bytes::new(kmin), Bytes::new(2 * kmin));
        let row = format!("(rate: \"{rate} Gb/s\", kmin: \"{kmin}\", kmax: \"{kmax}\", pmax: {pmax})");
        assert!(marking.contains(&row), "no `{row}` in {marking}");
    }
    for (key, expected) in [
        ("PORT", KeyFate::Used),
        ("PORT_QOS_MAP", KeyFate::Used),
        ("BUFFER_POOL.ingress_lossless_pool.size", KeyFate::Used),
        ("BUFFER_POOL.ingress_lossless_pool.xoff", KeyFate::Approximated),
        ("BUFFER_PROFILE.pg_lossless_100000_5m_profile.dynamic_th", KeyFate::Used),
        ("BUFFER_PROFILE.pg_lossless_100000_5m_profile.xon_offset", KeyFate::Used),
        ("PFC_WD", KeyFate::Changed),
        ("SCHEDULER", KeyFate::Used),
        ("CABLE_LENGTH", KeyFate::Used),
        ("(other tables)", KeyFate::NotUsed),
    ] {
        assert_eq!(fate(&settings.account, key).0, expected, "{key}");
    }
}

/// Ports of a speed mark, ports of another do not.
#[test]
fn marking_at_some_ports_alone_is_a_change() {
    let (fast, rest) = SONIC.split_once("\"WRED_400\": {").expect("the profile of fast ports");
    let some = format!("{fast}\"WRED_400\": {{{}", rest.replacen("ecn_all", "ecn_none", 1));
    let (found, what) = {
        let settings = settings(sonic::read, &some);
        let (found, what) = fate(&settings.account, "WRED_PROFILE");
        (found, what.to_owned())
    };
    assert!(found == KeyFate::Changed && what.contains("here all mark"), "{found:?}: {what}");
}

/// With ports of the same speed the headroom is the profile's.
#[test]
fn a_sonic_switch_of_one_speed_is_exact() {
    let slow = SONIC
        .replace("\"400000\"", "\"100000\"")
        // The other profiles stay, and no port names them.
        .replace("\"pg_lossless_100000_5m_profile\": {", "\"spare\": {")
        .replace("pg_lossless_100000_5m_profile", "pg_lossless_400000_40m_profile")
        .replace("\"WRED_100\": {", "\"SPARE\": {")
        .replace("WRED_100", "WRED_400");
    let settings = settings(sonic::read, &slow);
    assert_eq!(value(&settings, "link.flow_control.headroom"), "\"156.25 KiB\"");
    assert!(value(&settings, "congestion_control.marking").starts_with("(kmin: "), "{settings:?}");
    plan(settings, false);
}

/// DCQCN acts on Ethernet alone: a port of InfiniBand is another experiment, in every form of the value.
#[test]
fn the_link_of_an_adapter_that_is_not_ethernet_is_a_change() {
    let of =
        |types: &str| settings(adapter, &format!("{types}RPG_TIME_RESET_P1 300\nRPG_TIME_RESET_P2 300\n"));
    assert!(!of("").account.iter().any(|entry| entry.key == "link_type"));
    for (types, expected) in [
        ("LINK_TYPE_P1 ETH(2)\nLINK_TYPE_P2 ETH(2)\n", KeyFate::Used),
        ("LINK_TYPE_P1 IB(1)\nLINK_TYPE_P2 IB(1)\n", KeyFate::Changed),
        ("LINK_TYPE_P1 ETH(2)\nLINK_TYPE_P2 IB(1)\n", KeyFate::Changed),
        ("LINK_TYPE_P1 IB\n", KeyFate::Changed),
        ("LINK_TYPE_P1 1\n", KeyFate::Changed),
        ("LINK_TYPE_P1 VPI(3)\n", KeyFate::Approximated),
    ] {
        let read = of(types);
        let (fate, what) = fate(&read.account, "link_type");
        assert_eq!(fate, expected, "{types}: {what}");
    }
    let query = "Device #1:\n----------\nDevice type: ConnectX6\nConfigurations: Next Boot\n\
        \x20        LINK_TYPE_P1                                IB(1)\n\
        \x20        RPG_TIME_RESET_P1                           300\n";
    assert_eq!(fate(&settings(adapter, query).account, "link_type").0, KeyFate::Changed);
    let said = said(adapter, "LINK_TYPE_P1 FC(9)\nRPG_TIME_RESET_P1 300\n");
    assert!(said.contains("`FC(9)` is not a value of link_type"), "{said}");
}

#[test]
fn wrong_values_have_their_places() {
    for (read, text, words) in [
        (
            opensm::read as Reader,
            "congestion_control TRUE\ncc_sw_cong_setting_threshold 0x10\n",
            "file:2:30: `0x10` is not a number in its range",
        ),
        (opensm::read, "congestion_control MAYBE\n", "file:1:20: congestion_control: `MAYBE` is neither"),
        (opensm::read, "cc_cctt 0:0\n", "file:1:9: OpenSM has no key `cc_cctt`"),
        (opensm::read, "cc_cct 0:0,4:1\n", "file:1:12: `4:1` is not an entry of a congestion control table"),
        (
            opensm::read,
            "cc_ca_cong_setting_ccti_timer 150\n",
            "file:1:31: cc_ca_cong_setting_ccti_timer: `150` is not a service level and a value",
        ),
        (
            opensm::read,
            "qos TRUE\nqos_sl2vl 0,1,16\n",
            "file:2:11: qos_sl2vl: `0,1,16` is not a list of lanes",
        ),
        (
            opensm::read,
            "qos TRUE\nqos_vlarb_low 0:256\n",
            "file:2:15: qos_vlarb_low: `0:256` is not a table of lanes",
        ),
        (
            opensm::read,
            "ibccconfig CACongestionSetting 3 0 1 150\n",
            "file:1:1: `CACongestionSetting` takes 7 operands, and has 4",
        ),
        (
            opensm::read,
            "ibccconfig CongestionControlTable 3 1 0 0:0 0:1 0:2\n",
            "file:1:41: 3 entries from index 0 on do not fit a table up to 1",
        ),
        (adapter, "rpg_time_rest 3\n", "file:1:1: `rpg_time_rest` is not a parameter of DCQCN"),
        (adapter, "rpg_time_reset 300us\n", "file:1:16: `300us` is not a value of rpg_time_reset"),
        (adapter, "rpg_gd 11\nrpg_gd 10\n", "file:2:8: rpg_gd has a second value"),
        (
            sonic::read,
            "{\"PORT\": {\"Ethernet0\": {\"speed\": \"fast\"}}}",
            "file:1:34: PORT.Ethernet0.speed: `fast` is not a number",
        ),
        (sonic::read, "{\"PORT\": {\n  \"Ethernet0\": {,}}}", "file:2:17: key must be a string"),
        (sonic::read, "[]", "file: this is not an object of tables"),
        (sonic::read, "{\"PORT\": {}}", "file: the file has no settings of buffers"),
    ] {
        let said = said(read, text);
        assert!(said.starts_with(&format!("error: {words}")), "{text}: {said}");
        assert!(said.contains("help: "), "{said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for (read, _) in READERS {
            let _ = read(SourceText { name: "file", text: &text });
        }
    }

    #[test]
    fn no_change_of_a_file_makes_a_reader_panic(
        which in 0..READERS.len(),
        cuts in prop::collection::vec((any::<Index>(), any::<Index>(), 0..6usize), 1..6),
    ) {
        let (read, text) = READERS[which];
        let mut text = text.to_owned();
        for (from, to, what) in cuts {
            let (from, to) = (from.index(text.len() + 1), to.index(text.len() + 1));
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
            text.replace_range(from..to, ["", "99999999999999999999", ":", "0x", "\"", "{"][what]);
        }
        let _ = read(SourceText { name: "file", text: &text });
    }
}
