//! Files of SONiC switches in all their forms: saved and dumped databases, what a switch prints, tables by which it
//! makes profiles. The same switch gives the same settings, and what a file lacks is said with where it is.

use interop::import::{ImportedSettings, KeyAccount, KeyFate, SettingsTarget, SourceText, sonic};
use scenario::{Diagnostic, Plan, Scenario, ScenarioText, draft};
use serde_json::{Map, Value, json};
use units::{Length, Rate};

fn source(text: &str) -> SourceText<'_> {
    SourceText { name: "file", text }
}

fn rows(text: &str) -> SourceText<'_> {
    SourceText { name: "rows", text }
}

fn read(text: &str) -> ImportedSettings {
    sonic::read(source(text)).unwrap_or_else(|said| panic!("{said}\n{text}"))
}

fn with(text: &str, buffers: &str) -> ImportedSettings {
    sonic::read_with(source(text), Some(rows(buffers))).unwrap_or_else(|said| panic!("{said}\n{text}"))
}

fn said(text: &str) -> String {
    sonic::read(source(text)).expect_err("it is wrong").to_string()
}

fn value<'a>(settings: &'a ImportedSettings, path: &str) -> &'a str {
    let found = settings.settings.iter().find(|(own, _)| own == path);
    &found.unwrap_or_else(|| panic!("no `{path}` in {:#?}", settings.settings)).1
}

fn fate<'a>(settings: &'a ImportedSettings, key: &str) -> (KeyFate, &'a str) {
    let entry = settings.account.iter().find(|entry| entry.key == key);
    let entry = entry.unwrap_or_else(|| panic!("no `{key}` in {:#?}", settings.account));
    (entry.fate, &entry.what)
}

fn changes(settings: &ImportedSettings) -> Vec<&str> {
    let changed = settings.account.iter().filter(|entry| entry.fate == KeyFate::Changed);
    changed.map(|entry| entry.key.as_str()).collect()
}

/// A switch of two ports at 100 Gb/s, as `config save` writes it.
fn nested() -> Value {
    json!({
        "PORT": {
            "Ethernet0": {"speed": "100000", "admin_status": "up"},
            "Ethernet4": {"speed": "100000", "admin_status": "up"}
        },
        "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}, "Ethernet4": {"pfc_enable": "3,4"}},
        "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "20627456"}},
        "BUFFER_PROFILE": {"pg_lossless_100000_5m_profile": {
            "pool": "ingress_lossless_pool", "xon": "19456", "xoff": "30720", "size": "50176", "dynamic_th": "0"
        }},
        "BUFFER_PG": {
            "Ethernet0|3-4": {"profile": "pg_lossless_100000_5m_profile"},
            "Ethernet4|3-4": {"profile": "pg_lossless_100000_5m_profile"}
        },
        "QUEUE": {"Ethernet0|3": {"wred_profile": "LOSSLESS"}, "Ethernet4|3": {"wred_profile": "LOSSLESS"}},
        "WRED_PROFILE": {"LOSSLESS": {
            "ecn": "ecn_all", "green_min_threshold": "250000", "green_max_threshold": "1000000",
            "green_drop_probability": "5", "wred_green_enable": "true"
        }}
    })
}

/// Writes the entries of nested tables by a name made of table and key.
fn flat(tables: &Value, name: fn(&str, &str) -> String, entry: fn(&Value) -> Value) -> Value {
    let tables = tables.as_object().expect("tables");
    let entries = tables.iter().flat_map(|(table, entries)| {
        let entries = entries.as_object().expect("entries");
        entries.iter().map(move |(key, fields)| (name(table, key), entry(fields)))
    });
    Value::Object(entries.collect::<Map<_, _>>())
}

fn dumped(fields: &Value) -> Value {
    json!({"expireat": 1_600_000_000.5, "ttl": -0.001, "type": "hash", "value": fields})
}

/// Puts settings into a leaf-spine fabric with cables of these lengths, and checks it.
fn plan(settings: ImportedSettings, lengths: [&str; 2]) -> Plan {
    let draft = draft::LeafSpine { rate: Rate::gbps(100), leaves: 4, spines: 4, hosts: 8 };
    let text = draft.scenario().expect("a draft");
    let text = ["3 m", "30 m"].into_iter().zip(lengths).fold(text, |text, (before, length)| {
        text.replace(&format!("Cable(\"{before}\")"), &format!("Cable(\"{length}\")"))
    });
    let base = ScenarioText::new("draft.ron", &text);
    let imported = settings.into_scenario(base).unwrap_or_else(|said| panic!("{said}"));
    let source = ScenarioText::new("imported.ron", &imported.scenario);
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

#[test]
fn every_form_of_a_switch_gives_its_settings() {
    let tables = nested();
    let bar = |table: &str, key: &str| format!("{table}|{key}");
    let of_application = |table: &str, key: &str| format!("{table}_TABLE:{}", key.replace('|', ":"));
    let steps = |tables: &Value| -> Value {
        let flat = flat(tables, of_application, Clone::clone);
        let step = |(name, fields): (&String, &Value)| json!({name.as_str(): fields, "OP": "SET"});
        flat.as_object().expect("entries").iter().map(step).collect()
    };
    let mut listed = tables.clone();
    listed["BUFFER_PG"] =
        json!({"Ethernet0,Ethernet4|3-4": {"profile": "[BUFFER_PROFILE|pg_lossless_100000_5m_profile]"}});
    listed["QUEUE"] = json!({"Ethernet0,Ethernet4|3": {"wred_profile": "[WRED_PROFILE|LOSSLESS]"}});
    let expected = read(&tables.to_string());
    for (path, right) in [
        ("link.data_lanes", "2"),
        ("link.sl_to_vl", "{3: 0, 4: 1}"),
        ("switch.memory", "\"23280 KiB\""),
        ("switch.provisioned", "(ports: 32, lanes: 2)"),
        ("switch.sharing", "Dynamic(alpha: 1.0, guaranteed: \"19 KiB\")"),
        ("link.flow_control.headroom", "\"30 KiB\""),
        ("congestion_control.marking", "(kmin: \"250000 B\", kmax: \"1000000 B\", pmax: 0.05)"),
    ] {
        assert_eq!(value(&expected, path), right, "{path}");
    }
    assert_eq!(changes(&expected), [""; 0]);
    for (form, text) in [
        ("flat", flat(&tables, bar, Clone::clone)),
        ("dump of CONFIG_DB", flat(&tables, bar, dumped)),
        ("dump of APPL_DB", flat(&tables, of_application, dumped)),
        ("APPL_DB", flat(&tables, of_application, Clone::clone)),
        ("swssconfig", steps(&tables)),
        ("lists of ports", listed),
    ] {
        let text = serde_json::to_string_pretty(&text).expect("JSON");
        let settings = read(&text);
        assert_eq!(settings.settings, expected.settings, "{form}");
        assert_eq!(changes(&settings), [""; 0], "{form}");
        let pool =
            settings.account.iter().find(|entry| entry.key.starts_with("BUFFER_POOL")).expect("a pool");
        assert!(pool.place.is_some(), "{form}: {pool:?}");
    }
    plan(expected, ["5 m", "5 m"]);
}

/// What a switch of the same pool and profile prints.
const PRINTED: &str = "admin@leaf1:~$ show buffer information\nPool: egress_lossless_pool\n----  --------\nmode  static\nsize  32599040\ntype  egress\n\
    ----  --------\n\nPool: ingress_lossless_pool\n----  --------\nmode  dynamic\nsize  20627456\ntype  ingress\n----  --------\n\n\
    Profile: ingress_lossy_profile\n----------  ---------------------\ndynamic_th  3\npool        ingress_lossless_pool\nsize        0\n\
    ----------  ---------------------\n\nProfile: pg_lossless_100000_5m_profile\n----------  ---------------------\ndynamic_th  0\n\
    pool        ingress_lossless_pool\nxon         19456\nxoff        30720\nsize        50176\n----------  ---------------------\n\n";
const ROWS: &str = "# PG lossless profiles.\n# speed cable size xon xoff threshold\n  40000 5m 49152 19456 29696 0\n 100000 5m 50176 19456 30720 0\n\
    100000 300m 123904 19456 104448 0\n";

/// Removes what a switch makes at run time, and adds the lengths of its cables.
fn before_profiles(lengths: &[(&str, &str)]) -> Value {
    let mut tables = nested();
    let all = tables.as_object_mut().expect("tables");
    all.remove("BUFFER_PG");
    all.remove("BUFFER_PROFILE");
    let lengths: Map<String, Value> =
        lengths.iter().map(|(port, length)| ((*port).to_owned(), json!(length))).collect();
    tables["CABLE_LENGTH"] = json!({"AZURE": lengths});
    tables
}

#[test]
fn the_switch_at_run_time_completes_its_configuration() {
    let expected = read(&nested().to_string());
    let alone = read(PRINTED);
    for path in ["switch.memory", "switch.sharing", "link.flow_control.headroom"] {
        let own = value(&alone, path);
        // Without priorities there is a single lane, and its memory is smaller.
        assert!(path == "switch.memory" || own == value(&expected, path), "{path}: {own}");
    }
    let saved = before_profiles(&[("Ethernet0", "5m"), ("Ethernet4", "5m")]);
    let without_pool = {
        let mut tables = saved.clone();
        tables["BUFFER_POOL"]["ingress_lossless_pool"].as_object_mut().expect("a pool").remove("size");
        tables
    };
    let application =
        flat(&nested(), |table, key| format!("{table}_TABLE:{}", key.replace('|', ":")), dumped);
    for (saved, buffers) in [
        (&saved, ROWS),
        (&saved, PRINTED),
        (&without_pool, PRINTED),
        (&without_pool, &application.to_string()),
    ] {
        let settings = with(&saved.to_string(), buffers);
        let mut own = settings.settings.clone();
        own.sort();
        let mut right = expected.settings.clone();
        right.sort();
        assert_eq!(own, right, "{buffers}");
        assert_eq!(changes(&settings), [""; 0], "{buffers}");
        let said = fate(&settings, "(buffers)").1;
        assert!(buffers == ROWS || said.contains("not tried on a real file"), "{said}");
    }
    let profile = with(&saved.to_string(), ROWS);
    let entry =
        profile.account.iter().find(|entry| entry.key.ends_with("5m_profile.xoff")).expect("headroom");
    assert_eq!(entry.file.as_deref(), Some("rows"), "{entry:?}");
    // Ports at 100 Gb/s with two lengths: each cable has what it needs.
    let two = before_profiles(&[("Ethernet0", "5m"), ("Ethernet4", "300m")]);
    let settings = with(&two.to_string(), ROWS);
    assert!(settings.settings.iter().all(|(path, _)| path != "link.flow_control.headroom"));
    assert!(fate(&settings, "(profiles of ports)").1.contains("`pg_lossless_100000_300m_profile`"));
    let strange = before_profiles(&[("Ethernet0", "5m"), ("Ethernet4", "40m")]);
    let settings = with(&strange.to_string(), ROWS);
    let said = settings.account.iter().find(|entry| entry.fate == KeyFate::Changed).expect("a change");
    assert!(said.what.contains("no profile for ports of 100000 Mb/s and 40m"), "{said:?}");
}

#[test]
fn a_configuration_before_its_profiles_says_where_they_are() {
    let saved = before_profiles(&[("Ethernet0", "5m"), ("Ethernet4", "300m")]);
    let settings = read(&saved.to_string());
    let (found, what) = fate(&settings, "BUFFER_PROFILE");
    assert_eq!(found, KeyFate::Changed);
    for words in [
        "pg_lossless_SPEED_LENGTH_profile",
        "pg_profile_lookup.ini",
        "show buffer information",
        "config save",
    ] {
        assert!(what.contains(words), "no `{words}` in {what}");
    }
    // The pool, and the headroom of 32 ports with two lanes: at least that of the shorter cable each.
    let memory: units::Bytes =
        value(&settings, "switch.memory").trim_matches('"').parse().expect("an amount");
    assert!(memory.get() > 20_627_456 + 32 * 2 * 30_000, "{memory}");
    plan(settings, ["5 m", "300 m"]);
    let mut dynamic = saved;
    dynamic["BUFFER_POOL"] = json!({"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"}});
    dynamic["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = json!({"AZURE": {"default_dynamic_th": "-1"}});
    let settings = read(&dynamic.to_string());
    assert!(fate(&settings, "BUFFER_PROFILE").1.contains("dynamic buffer model"));
    let (found, what) = fate(&settings, "BUFFER_POOL.ingress_lossless_pool");
    assert!(found == KeyFate::Changed && what.contains("`show buffer information` has it"), "{what}");
    assert_eq!(value(&settings, "switch.sharing"), "Dynamic(alpha: 0.5, guaranteed: \"0 B\")");
    // Lengths without ports, as templates have them.
    let template = json!({
        "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}},
        "BUFFER_POOL": {"ingress_lossless_pool": {"size": "33329088", "mode": "dynamic", "xoff": "7827456"}},
        "BUFFER_PROFILE": {"ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "static_th": "44302336"}}
    });
    let settings = with(&template.to_string(), ROWS);
    let (found, what) = fate(&settings, "BUFFER_PROFILE");
    assert!(found == KeyFate::Changed && what.contains("lacks PORT, PORT_QOS_MAP"), "{what}");
}

#[test]
fn buffers_larger_than_a_scenarios_are_named() {
    let mut deep = nested();
    deep["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = json!("6441610000");
    let settings = read(&deep.to_string());
    let (found, what) = fate(&settings, "BUFFER_POOL.ingress_lossless_pool.size");
    assert!(found == KeyFate::Changed && what.starts_with("deep buffers"), "{what}");
    assert_eq!(value(&settings, "switch.memory"), "\"1 GiB\"");
    plan(settings, ["5 m", "5 m"]);
}

#[test]
fn tables_that_change_what_happens_to_packets_are_changes() {
    let adding = |table: &str, entries: Value| {
        let mut tables = nested();
        tables[table] = entries;
        read(&tables.to_string())
    };
    for (table, entries, expected, words) in [
        (
            "PFC_WD",
            json!({"Ethernet0": {"action": "drop", "detection_time": "200"}}),
            KeyFate::Changed,
            "after 200 ms",
        ),
        ("PFC_WD", json!({"Ethernet0": {"action": "forward"}}), KeyFate::Changed, "no watchdog"),
        ("PFC_WD", json!({"GLOBAL": {"POLL_INTERVAL": "200"}}), KeyFate::NotUsed, "only reports"),
        ("PFC_WD", json!({"Ethernet0": {"action": "alert"}}), KeyFate::NotUsed, "only reports"),
        (
            "LLR_PORT",
            json!({"Ethernet0": {"llr_local": "enabled", "llr_mode": "static"}}),
            KeyFate::Changed,
            "retry",
        ),
        ("LLR_PORT", json!({"Ethernet0": {"llr_local": "disabled"}}), KeyFate::NotUsed, "no port has"),
        ("LLR_PROFILE", json!({"own": {"max_outstanding_frames": "256"}}), KeyFate::Changed, "retry"),
        ("CBFC_PORT", json!({"Ethernet0": {}}), KeyFate::Changed, "does not know the table"),
        ("TC_TO_QUEUE_MAP", json!({"AZURE": {"3": "3"}}), KeyFate::NotUsed, "stands for a priority"),
        ("SCHEDULER", json!({"unused": {"type": "DWRR", "weight": "15"}}), KeyFate::NotUsed, "no queue"),
    ] {
        let settings = adding(table, entries);
        let (found, what) = fate(&settings, table);
        assert!(found == expected && what.contains(words), "{table}: {found:?}: {what}");
    }
    let scheduled = |weights: [(&str, &str); 2], more: Value| {
        let mut tables = nested();
        for (queue, (name, _)) in ["Ethernet0|3", "Ethernet0|4"].iter().zip(weights) {
            tables["QUEUE"][*queue] = json!({"scheduler": name});
        }
        for (name, kind) in weights {
            tables["SCHEDULER"][name] = json!({"type": kind, "weight": "15"});
            if let Some(more) = more.as_object() {
                tables["SCHEDULER"][name].as_object_mut().expect("a scheduler").extend(more.clone());
            }
        }
        fate(&read(&tables.to_string()), "SCHEDULER").0
    };
    let none = json!({});
    assert_eq!(scheduled([("a", "DWRR"), ("a", "DWRR")], none.clone()), KeyFate::Used);
    assert_eq!(scheduled([("a", "DWRR"), ("b", "DWRR")], none.clone()), KeyFate::Used);
    assert_eq!(scheduled([("a", "DWRR"), ("b", "STRICT")], none), KeyFate::Changed);
    assert_eq!(scheduled([("a", "DWRR"), ("b", "DWRR")], json!({"pir": "1000"})), KeyFate::Changed);
    let mut tables = nested();
    tables["PORT"]["Ethernet0"]["pfc_asym"] = json!("on");
    assert_eq!(changes(&read(&tables.to_string())), ["PORT.Ethernet0.pfc_asym"]);
}

/// The differences between a switch and a fabric: keys that change, and the number of warnings.
fn differences(text: &str, lengths: [&str; 2]) -> (Vec<String>, usize) {
    let plan = plan(read(text), lengths);
    let (account, warnings) = sonic::fabric::compared((source(text), None), &plan).expect("it is right");
    let changed = account.iter().filter(|entry| entry.fate == KeyFate::Changed);
    (changed.map(|KeyAccount { key, .. }| key.clone()).collect(), warnings.len())
}

#[test]
fn speeds_and_lengths_of_the_fabric_are_compared() {
    let text = nested().to_string();
    // The vendor's headroom for 5 m is below that of this model.
    assert_eq!(differences(&text, ["5 m", "5 m"]), (vec![], 1));
    assert_eq!(differences(&text, ["5 m", "300 m"]), (vec!["CABLE_LENGTH".to_owned()], 1));
    let ample = text.replace("30720", "200000").replace("50176", "219456");
    assert_eq!(differences(&ample, ["5 m", "300 m"]), (vec![], 0));
    // Profiles of two lengths: no single headroom is set, and the file's own is compared.
    let two = ample.replace(
        "\"BUFFER_POOL\"",
        "\"CABLE_LENGTH\": {\"AZURE\": {\"Ethernet0\": \"5m\"}}, \"BUFFER_POOL\"",
    );
    let two = two.replace("\"BUFFER_PROFILE\":{", "\"BUFFER_PROFILE\":{\"pg_lossless_100000_40m_profile\":{\"pool\":\"ingress_lossless_pool\",\"xoff\":\"60000\",\"size\":\"1000\",\"dynamic_th\":\"0\"},");
    let two = two.replace(
        "\"Ethernet4|3-4\":{\"profile\":\"pg_lossless_100000_5m_profile\"}",
        "\"Ethernet4|3-4\":{\"profile\":\"pg_lossless_100000_40m_profile\"}",
    );
    assert_eq!(differences(&two, ["5 m", "40 m"]), (vec![], 0));
    assert_eq!(differences(&two, ["5 m", "300 m"]), (vec!["CABLE_LENGTH".to_owned()], 0));
    let slow = ample.replace("100000", "50000");
    assert_eq!(differences(&slow, ["5 m", "5 m"]).0, ["PORT"]);
    let ports = |text: &str| {
        sonic::fabric::usual_ports((source(text), None)).expect("it is right").expect("it has ports")
    };
    let own = ports(&text);
    let five = Some(Length::from_mm(5000));
    assert_eq!(
        (own.hosts, own.trunks, own.host_length, own.trunk_length),
        (Rate::gbps(100), Rate::gbps(100), five, five)
    );
    // A name of a profile may hold any number.
    let endless = text.replace("_100000_5m_", "_100000_18446744073709551615m_");
    assert_eq!(ports(&endless).trunk_length, None);
    let two = before_profiles(&[("Ethernet0", "5m"), ("Ethernet4", "300m")]);
    let own = ports(&two.to_string());
    assert_eq!((own.host_length, own.trunk_length), (five, Some(Length::from_mm(300_000))));
}

#[test]
fn a_scenario_without_pfc_is_refused_at_its_flow_control() {
    let fits = |name: &str| -> Result<(), Diagnostic> {
        SettingsTarget::Sonic.takes(&ScenarioText::find(name).expect("it ships"))
    };
    assert!(fits("roce400-leaf-spine").is_ok());
    let said = fits("victim").expect_err("InfiniBand").to_string();
    assert!(said.starts_with("error: victim.ron:31:23: link.flow_control: this is InfiniBand's"), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
}

#[test]
fn other_files_of_a_switch_are_refused_for_what_they_are() {
    for (text, words) in [
        (ROWS, "file: this is `pg_profile_lookup.ini`"),
        ("100000 5m 1 2 3\n", "file:1:1: this is not a row of 6 or 7 numbers"),
        ("100000 5m 1 2 3 0\n100000 5m 1 2 3 0\n", "file:2:1: a second row has this speed and cable"),
        ("Pool: a\nsize 3 4\n", "file:2:1: this is neither a heading nor a field and its value"),
        ("mode dynamic\nPool: a\n", "file:1:1: a field stands before the first pool"),
        ("Pool: a\nsize 3\nPool: a\nsize 4\n", "file:3:1: `a` stands here a second time"),
        (
            "{\"localhost\": {}, \"asic0\": {\"PORT\": {}}}",
            "file:1:28: this is a switch of several ASICs: `asic0`",
        ),
        (
            "{\"CABLE_LENGTH\": {\"AZURE\": {\"Ethernet0\": \"far\"}}}",
            "file:1:42: CABLE_LENGTH.AZURE.Ethernet0: `far` is not a length",
        ),
        ("[1]", "file: this is not an object of tables"),
    ] {
        let said = said(text);
        assert!(said.starts_with(&format!("error: {words}")) && said.contains("help: "), "{text}: {said}");
    }
}

/// An entry in two forms with other fields: nothing says which of them holds.
#[test]
fn an_entry_that_stands_there_twice_is_refused_unless_it_is_the_same() {
    let config = |speed: &str| {
        format!(
            r#"{{"PORT": {{"Ethernet0": {{"speed": "100000"}}}}, "PORT|Ethernet0": {{"speed": "{speed}"}},
            "BUFFER_PG": {{"Ethernet0,Ethernet4|3-4": {{"profile": "a"}}}}}}"#
        )
    };
    let read = |text: &str| sonic::SonicConfig::read(SourceText { name: "config_db.json", text });
    assert!(read(&config("100000")).is_ok());
    let refused = read(&config("400000")).expect_err("the speeds differ").to_string();
    assert!(refused.contains("`PORT|Ethernet0` stands here twice"), "{refused}");
    let list =
        r#"{"BUFFER_PG": {"Ethernet0,Ethernet4|3-4": {"profile": "a"}, "Ethernet4|3-4": {"profile": "b"}}}"#;
    let refused = read(list).expect_err("the profiles differ").to_string();
    assert!(refused.contains("`BUFFER_PG|Ethernet4|3-4` stands here twice"), "{refused}");
}

/// Ports without PFC, queues without a profile, and a mode of ECN that is none are not taken for the usual.
#[test]
fn what_a_switch_does_not_do_is_a_change() {
    let text = |pfc: [&str; 2], queue: &str, ecn: &str| {
        format!(
            r#"{{"PORT": {{"Ethernet0": {{"speed": "100000"}}, "Ethernet4": {{"speed": "100000"}}}},
            "PORT_QOS_MAP": {{"Ethernet0": {{"pfc_enable": "{}"}}, "Ethernet4": {{"pfc_enable": "{}"}}}},
            "QUEUE": {{"Ethernet0|3": {{"scheduler": "a"{queue}}}}},
            "WRED_PROFILE": {{"AZURE": {{"ecn": "{ecn}", "green_min_threshold": "250000",
                "green_max_threshold": "1000000", "green_drop_probability": "5"}}}}}}"#,
            pfc[0], pfc[1]
        )
    };
    let marks = r#", "wred_profile": "AZURE""#;
    let usual = read(&text(["3,4", "3,4"], marks, "ecn_all"));
    assert!(
        !changes(&usual).iter().any(|key| ["PORT_QOS_MAP.pfc_enable", "QUEUE.wred_profile"].contains(key))
    );
    for pfc in [["", ""], ["3,4", ""]] {
        assert!(changes(&read(&text(pfc, marks, "ecn_all"))).contains(&"PORT_QOS_MAP.pfc_enable"), "{pfc:?}");
    }
    assert!(changes(&read(&text(["3,4", "3,4"], "", "ecn_all"))).contains(&"QUEUE.wred_profile"));
    assert!(changes(&read(&text(["4", "4"], marks, "ecn_all"))).contains(&"QUEUE.wred_profile"));
    assert!(said(&text(["3,4", "3,4"], marks, "ecn_foo")).contains("`ecn_foo` is no mode of ECN"));
}

/// Names without an entry, and names of JSON that stand twice: nothing is taken in their place.
#[test]
fn names_without_an_entry_and_names_twice_are_refused() {
    for (table, key, field, words) in [
        ("BUFFER_PG", "Ethernet4|3-4", "profile", "BUFFER_PROFILE has no entry `other`"),
        ("BUFFER_PROFILE", "pg_lossless_100000_5m_profile", "pool", "BUFFER_POOL has no entry `other`"),
        ("QUEUE", "Ethernet4|3", "wred_profile", "WRED_PROFILE has no entry `other`"),
    ] {
        for name in ["other".to_owned(), format!("[{table}|other]")] {
            let mut tables = nested();
            tables[table][key][field] = json!(name);
            let said = said(&serde_json::to_string_pretty(&tables).expect("JSON"));
            assert!(said.contains(&format!("{table}.{key}.{field}: {words}")), "{said}");
            assert!(said.contains(&name), "the line is shown: {said}");
        }
    }
    // A priority group of the dynamic buffer model, and a part of a configuration.
    let mut part = nested();
    part["BUFFER_PG"]["Ethernet4|3-4"]["profile"] = json!("NULL");
    part.as_object_mut().expect("tables").remove("WRED_PROFILE");
    read(&part.to_string());

    let text = nested().to_string();
    let table = r#""PORT_QOS_MAP":{}"#;
    let field = r#""green_min_threshold":"1""#;
    for (text, name) in [
        (format!("{},\n{table}}}", text.strip_suffix('}').expect("an object")), "PORT_QOS_MAP"),
        (
            text.replace(r#""green_min_threshold""#, &format!("\n{field},\"green_min_threshold\"")),
            "green_min_threshold",
        ),
    ] {
        let said = said(&text);
        assert!(
            said.starts_with("error: file:2:") && said.contains(&format!("`{name}` stands here twice")),
            "{said}"
        );
    }
}
