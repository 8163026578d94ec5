//! An `opensm.conf` of NVIDIA's subnet manager: fields that it leaves alone stay as they are, and keys that make
//! another experiment are named.

use interop::import::{ImportedSettings, KeyFate, SourceText, opensm};
use scenario::{Plan, Scenario, ScenarioText, draft};

/// The vendor's `opensm -c` without its comments: nothing is set, and adaptive routing is the default.
const VENDOR: &str = include_str!("../../../../fixtures/import/opensm-vendor.conf");

fn read(text: &str) -> ImportedSettings {
    opensm::read(SourceText { name: "file", text }).unwrap_or_else(|said| panic!("{said}\n{text}"))
}

/// The vendor's file with lines behind it, which hold.
fn with(lines: &str) -> ImportedSettings {
    read(&format!("{VENDOR}{lines}\n"))
}

fn changes(settings: &ImportedSettings) -> Vec<&str> {
    let changed = settings.account.iter().filter(|entry| entry.fate == KeyFate::Changed);
    changed.map(|entry| entry.key.as_str()).collect()
}

fn fate<'a>(settings: &'a ImportedSettings, key: &str) -> (KeyFate, &'a str) {
    let entry = settings.account.iter().find(|entry| entry.key == key);
    let entry = entry.unwrap_or_else(|| panic!("no `{key}` in {:#?}", settings.account));
    (entry.fate, &entry.what)
}

fn value<'a>(settings: &'a ImportedSettings, path: &str) -> Option<&'a str> {
    settings.settings.iter().find(|(own, _)| own == path).map(|(_, value)| value.as_str())
}

/// Puts the settings into a small fabric with congestion control of its own.
fn plan(settings: ImportedSettings) -> Plan {
    let text = draft::FatTree { speed: link_layer::spec::Speed::Ndr, hosts: 36 }.scenario().expect("a draft");
    let mut base = ScenarioText::new("draft.ron", &text);
    base.set("congestion_control=Guideline").expect("a scheme");
    let imported = settings.into_scenario(base).unwrap_or_else(|said| panic!("{said}"));
    let source = ScenarioText::new("imported.ron", &imported.scenario);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

#[test]
fn every_key_has_an_entry_and_congestion_control_stays() {
    let settings = read(VENDOR);
    assert_eq!(value(&settings, "congestion_control"), None);
    assert_eq!(fate(&settings, "mlnx_congestion_control").0, KeyFate::NotUsed);
    assert_eq!(changes(&settings), [""; 0]);
    assert!(fate(&settings, "routing_engine").1.starts_with("`routing: Adaptive`"));
    assert!(!settings.account.iter().any(|entry| entry.key == "unknown keys"));
    // Single keys, and those of the manager alone, which share an entry.
    let shared: usize = fate_given(&settings, "other keys").parse().expect("a number");
    let lines = VENDOR.lines().filter(|line| !line.starts_with('#')).count();
    let single = settings
        .account
        .iter()
        .filter(|entry| VENDOR.lines().any(|line| line.starts_with(&format!("{} ", entry.key))));
    assert_eq!(single.count() + shared, lines);
    // Two lanes in operation: service levels take turns.
    assert_eq!(value(&settings, "link.data_lanes"), Some("2"));
    assert!(value(&settings, "link.sl_to_vl").expect("levels").starts_with("{0: 0, 1: 1, 2: 0, 3: 1,"));
    assert_eq!(plan(settings).congestion_control(), "Guideline");
}

fn fate_given<'a>(settings: &'a ImportedSettings, key: &str) -> &'a str {
    &settings.account.iter().find(|entry| entry.key == key).expect("an entry").given
}

/// The reader of the small file that has only keys of lanes.
#[test]
fn keys_of_ports_between_switches_precede_those_of_switches() {
    let lanes = "qos TRUE\nqos_max_vls 0\nqos_vlarb_high (null)\nqos_swe_sl2vl 0,1,2\n\
                 qos_sw2sw_max_vls 0\nqos_sw2sw_high_limit -1\n\
                 qos_sw2sw_vlarb_high (null)\n";
    assert_eq!(changes(&read(lanes)), [""; 0]);
    for (same, other, key) in [
        ("qos_sw2sw_sl2vl 0, 1,2,", "qos_sw2sw_sl2vl 0,1,3", "qos_sw2sw_sl2vl"),
        ("qos_sw2sw_high_limit 0", "qos_sw2sw_high_limit 4", "qos_sw2sw_high_limit"),
        ("qos_sw2sw_max_vls 15", "qos_sw2sw_max_vls 4", "qos_sw2sw_max_vls"),
        ("qos_sw2sw_vlarb_low (null)", "qos_sw2sw_vlarb_low 0:4", "qos_sw2sw_vlarb_low"),
    ] {
        assert_eq!(changes(&read(&format!("{lanes}{same}\n"))), [""; 0], "{same}");
        let settings = read(&format!("{lanes}{other}\n"));
        assert_eq!(changes(&settings), [key], "{other}");
        plan(settings);
    }
    let text = format!("{lanes}qos_sw2sw_sl2vl 0,16\n");
    let said = opensm::read(SourceText { name: "file", text: &text }).expect_err("it is wrong").to_string();
    assert!(said.starts_with("error: file:8:17: qos_sw2sw_sl2vl: `0,16` is not a list of lanes"), "{said}");
    // The vendor's own limits of lanes for adapters and switches.
    for (limits, lanes) in
        [("max_op_vls_ca 2", "2"), ("max_op_vls_sw 1", "1"), ("max_op_vls 3\nmax_op_vls_ca 5", "4")]
    {
        let settings = read(&format!("qos TRUE\n{limits}\n"));
        assert_eq!(value(&settings, "link.data_lanes"), Some(lanes), "{limits}");
    }
}

/// 2 turns the vendor's congestion control on, whose parameters are elsewhere: assumed ones stand for them.
#[test]
fn the_vendors_congestion_control_is_a_change_with_assumed_parameters() {
    let on = with(
        "routing_engine minhop\nmlnx_congestion_control 2\ncongestion_control_policy_file /etc/opensm/cc.conf",
    );
    assert_eq!(changes(&on), ["mlnx_congestion_control", "congestion_control_policy_file", "ppcc_algo_dir"]);
    let scheme = value(&on, "congestion_control").expect("a scheme");
    assert!(scheme.starts_with("Mixed(marking: Red(kmin: "), "{scheme}");
    for part in ["echo: Cnp", "response: Dcqcn(", "timer: \"300 us\"", "additive_increase: \"5 Mb/s\""] {
        assert!(scheme.contains(part), "no `{part}` in {scheme}");
    }
    let (assumed, what) = fate(&on, "(congestion control)");
    assert!(assumed == KeyFate::Approximated && what.contains("rpg_time_reset 300"), "{what}");
    assert_eq!(plan(on).congestion_control(), "Mixed");
    let off = with("routing_engine minhop\nmlnx_congestion_control 1");
    assert_eq!((value(&off, "congestion_control"), changes(&off)), (Some("Off"), vec![]));
    // Both kinds at once.
    let both =
        with("routing_engine minhop\nmlnx_congestion_control 1\ncongestion_control TRUE\ncc_cct 0:0,0:1");
    assert_eq!(
        (value(&both, "congestion_control"), changes(&both)),
        (Some("Off"), vec!["congestion_control"])
    );
}

/// Adaptive routing needs an engine, a mode, a service level and a transport.
#[test]
fn adaptive_routing_is_set_where_it_is_in_force() {
    for (lines, is_set) in [
        ("routing_engine updn", false),
        ("routing_engine updn\nadv_routing_engine ar_tree", true),
        ("ar_mode 0", false),
        ("ar_mode 1", true),
        ("adv_routing_engine none", false),
        ("ar_sl_mask 0x0", false),
        ("ar_transport_mask 0", false),
    ] {
        let settings = with(lines);
        assert_eq!(value(&settings, "routing").is_some(), is_set, "{lines}");
        assert_eq!(value(&settings, "switch.selection").is_some(), is_set, "{lines}");
        assert_eq!(changes(&settings), [""; 0], "{lines}");
    }
    // The vendor's default is adaptive, and OpenSM's is not.
    assert_eq!(fate(&read("qos TRUE\nar_mode 3\n"), "(routing_engine)").0, KeyFate::Approximated);
    assert!(!read("qos TRUE\n").account.iter().any(|entry| entry.key == "(routing_engine)"));
}

#[test]
fn files_that_are_not_read_and_keys_that_are_not_known_are_named() {
    for (line, key) in [
        ("device_configuration_file /etc/opensm/devices.conf", "device_configuration_file"),
        ("enhanced_qos_policy_file /etc/opensm/rates.conf", "enhanced_qos_policy_file"),
        ("fabric_mode_profile dense", "fabric_mode_profile"),
        ("qos_config_vl_enabled TRUE", "qos_config_vl_enabled"),
        ("event_plugin_name osmdummy ccmgr", "event_plugin_name"),
        ("cc_something_new 1", "cc_something_new"),
        ("qos_something_new 1", "qos_something_new"),
        ("qos_sw2sw_new_sl2vl 0,1", "qos_sw2sw_new_sl2vl"),
    ] {
        assert_eq!(changes(&with(&format!("routing_engine minhop\n{line}"))), [key], "{line}");
    }
    let settings = with("routing_engine minhop\nswep_interval 3\nmax_neighbor_mtu 4");
    assert_eq!(fate(&settings, "unknown keys").0, KeyFate::NotUsed);
    assert_eq!(value(&settings, "link.mtu"), Some("\"2048 B\""));
    plan(settings);
    let text = "rpg_ai_rate 5\nhosts 3\n";
    let said =
        opensm::read(SourceText { name: "file", text }).expect_err("it is none of OpenSM's").to_string();
    assert!(said.starts_with("error: file: the file has no key of OpenSM"), "{said}");
}

/// Without a word on congestion control, tables of its parameters configure nothing.
#[test]
fn congestion_control_that_is_not_stated_is_not_touched() {
    let settings = read("sweep_interval 10\ncc_cct 0:0,0:1\n");
    assert_eq!(
        (value(&settings, "congestion_control"), fate(&settings, "cc_cct").0),
        (None, KeyFate::NotUsed)
    );
    let settings = read("congestion_control FALSE\ncc_key 0x0\n");
    assert_eq!(
        (value(&settings, "congestion_control"), fate(&settings, "cc_key").0),
        (Some("Off"), KeyFate::NotUsed)
    );
}
