//! Adaptive routing of clusters: groups and states of `ibdiagnet2.far`, keys of OpenSM and of its older manager, ARS of
//! SONiC.
//!
//! All files are made by hand after public descriptions, which their readers name.

use interop::export;
use interop::export::addresses::Addresses;
use interop::import::infiniband::far::{AdaptiveTables, LidState};
use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::{self, ImportedScenario, ImportedSettings, KeyFate, SourceText, opensm, sonic};
use scenario::{Plan, Scenario, ScenarioText, draft};

const CLUSTER: &str = include_str!("../../../../fixtures/import/two-switches.net");
const FAR: &str = include_str!("../../../../fixtures/import/two-switches.far");
const DATABASE: &str = include_str!("../../../../fixtures/import/two-switches.db_csv");
const VENDOR: &str = include_str!("../../../../fixtures/import/opensm-vendor.conf");
const MANAGER: &str = include_str!("../../../../fixtures/import/ar_mgr.conf");
const SWITCH: &str = include_str!("../../../../fixtures/import/ars_config_db.json");

fn file<'a>(name: &'a str, text: &'a str) -> SourceText<'a> {
    SourceText { name, text }
}

fn cluster(net: &str, far: &str) -> Result<ImportedScenario, String> {
    let files = ClusterFiles { far: Some(file("far", far)), ..ClusterFiles::default() };
    infiniband::import(file("net", net), files, &ClusterOptions::default()).map_err(|said| said.to_string())
}

fn checked(text: &str) -> Plan {
    let source = ScenarioText::new("imported.ron", text);
    let plan = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    plan.unwrap_or_else(|said| panic!("{said}\n{text}"))
}

fn value<'a>(settings: &'a ImportedSettings, path: &str) -> Option<&'a str> {
    settings.settings.iter().find(|(own, _)| own == path).map(|(_, value)| value.as_str())
}

fn changes(settings: &ImportedSettings) -> Vec<&str> {
    let changed = settings.account.iter().filter(|entry| entry.fate == KeyFate::Changed);
    changed.map(|entry| entry.key.as_str()).collect()
}

fn manager(text: &str) -> ImportedSettings {
    opensm::read(file("file", text)).unwrap_or_else(|said| panic!("{said}\n{text}"))
}

/// The vendor's file with lines behind it, which hold.
fn vendor(lines: &str) -> ImportedSettings {
    manager(&format!("{VENDOR}{lines}\n"))
}

#[test]
fn every_line_of_the_tables_is_read() {
    let tables = AdaptiveTables::read(file("far", FAR)).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!((tables.version, tables.switches.len()), (2, 2));
    let [a, b] = &tables.switches[..] else { panic!("two switches") };
    assert_eq!((a.guid, b.guid), (0x0002_c903_0000_0100, 0x0002_c903_0000_0110));
    assert!(FAR[a.undescribed.clone()].starts_with("- \"MF0;sw-a") && b.undescribed.is_empty());
    assert_eq!(a.groups[&0].parts[&0].ports, [0u8; 0]);
    assert_eq!(
        (&a.groups[&1].parts[&0].ports[..], &b.groups[&4].parts[&0].ports[..]),
        (&[17, 20][..], &[20, 17][..])
    );
    let states: Vec<_> =
        a.entries.iter().map(|entry| (entry.lid, entry.port, entry.state, entry.group)).collect();
    assert_eq!(
        states[3..],
        [(4, 2, LidState::Static, 0), (5, 17, LidState::Adaptive, 1), (6, 20, LidState::Hash, 1)]
    );
}

/// Groups become tables, states the selection, and what no file has is named.
#[test]
fn groups_and_states_become_tables_and_a_selection() {
    let imported = cluster(CLUSTER, FAR).unwrap_or_else(|said| panic!("{said}"));
    for line in [
        "\"MF0;sw-a:MSB7800/U1\": \"1 2 17/20 #17/20\",",
        "\"sw-b\": \"17/20 17 3 4\",",
        "        selection: LeastLoaded,",
        "        delivery: AnyOrder,",
        "        recovery: SelectiveRepeat,",
    ] {
        assert!(imported.scenario.contains(line), "no `{line}` in {}", imported.scenario);
    }
    assert!(import::changes(&imported.account, "net").is_none());
    let given = |key: &str| {
        let entry = imported.account.iter().find(|entry| entry.key == key);
        entry.map(|entry| (entry.given.as_str(), entry.fate, entry.file.as_deref()))
    };
    assert_eq!(given("Free"), Some(("2 entries", KeyFate::Approximated, Some("far"))));
    assert_eq!(given("HBF"), Some(("1 entries", KeyFate::Approximated, Some("far"))));
    assert_eq!(given("heads of switches"), Some(("1", KeyFate::Approximated, Some("far"))));
    assert_eq!(given("credit loops").map(|(given, ..)| given), Some("none"));
    checked(&imported.scenario);
}

/// The same by `ibdiagnet2.db_csv`, with the places of its rows.
#[test]
fn the_file_of_the_cables_may_be_the_database() {
    let imported = cluster(DATABASE, FAR).unwrap_or_else(|said| panic!("{said}"));
    assert!(imported.scenario.contains("17/20 #17/20"), "{}", imported.scenario);
    let said = cluster(DATABASE, &FAR.replace("17,20,", "17,21,")).expect_err("no cable");
    assert!(said.contains("has no such cable in net:"), "{said}");
}

/// Hash alone needs no transport that reorders, and a port an entry no selection.
#[test]
fn hashed_and_single_ports_need_no_reordering() {
    let hashed = cluster(CLUSTER, &FAR.replace(" Free ", " HBF  ")).expect("it is right").scenario;
    assert!(
        hashed.contains("\"#17/20 17 3 4\"")
            && hashed.contains("\"1 2 #17/20*2\"")
            && hashed.contains("selection: Hash,"),
        "{hashed}"
    );
    assert!(!hashed.contains("AnyOrder"), "{hashed}");
    checked(&hashed);
    let single = FAR.replace("17,20,", "17,").replace("20, 17,", "20,");
    let single = cluster(CLUSTER, &single).expect("it is right").scenario;
    assert!(single.contains("\"1 2 17*2\"") && !single.contains("selection"), "{single}");
    checked(&single);
}

/// What makes another experiment is a change.
#[test]
fn priorities_weights_and_lost_hosts_are_changes() {
    let changed = |far: &str| {
        let imported = cluster(CLUSTER, far).unwrap_or_else(|said| panic!("{said}\n{far}"));
        let said = import::changes(&imported.account, "net").expect("a change").to_string();
        checked(&imported.scenario);
        said
    };
    let parts = FAR.replace("1       0           0      17,20,", "1 0 0 17,\n1 1 0 20,");
    assert!(changed(&parts).starts_with("error: far:11:1: subgroups: "), "{}", changed(&parts));
    let weighted = FAR.replace("1       0           0      17,20,", "1 0 3 17,20,");
    assert!(changed(&weighted).starts_with("error: far:10:1: WHBF: "), "{}", changed(&weighted));
    let lost = FAR.replace("0x0003  1             Static      0", "0x0003  255  Static  0");
    assert!(changed(&lost).contains("unreachable pairs"), "{}", changed(&lost));
}

/// Fields of an `opensm.conf`, by groups, levels and transports.
#[test]
fn keys_of_adaptive_routing_are_fields() {
    for (lines, routing, packets) in [
        ("", "Adaptive", "(services: [Rc])"),
        ("routing_engine ar_ftree", "Adaptive", "(services: [Rc])"),
        ("routing_engine ar_torus", "Adaptive(groups: Parallel)", "(services: [Rc])"),
        ("routing_engine updn\nadv_routing_engine ar_tree", "Adaptive", "(services: [Rc])"),
        (
            "routing_engine minhop\nadv_routing_engine ar_lag",
            "Adaptive(groups: Parallel)",
            "(services: [Rc])",
        ),
        ("ar_sl_mask 0x0005\nar_transport_mask 0x3", "Adaptive", "(levels: [0, 2], services: [Ud, Rc])"),
    ] {
        let settings = vendor(lines);
        assert_eq!(value(&settings, "routing"), Some(routing), "{lines}");
        assert_eq!(value(&settings, "switch.selection"), Some("LeastLoaded"), "{lines}");
        assert_eq!(value(&settings, "switch.selected_packets"), Some(packets), "{lines}");
        assert_eq!(value(&settings, "adapter.delivery"), Some("AnyOrder"), "{lines}");
        assert_eq!(value(&settings, "adapter.recovery"), Some("SelectiveRepeat"), "{lines}");
        assert_eq!(changes(&settings), [""; 0], "{lines}");
    }
}

/// Values without a counterpart are changes.
#[test]
fn keys_without_a_counterpart_are_changes() {
    for (lines, changed) in [
        ("routing_engine dfp2", "routing_engine"),
        ("routing_engine ftree,ar_ftree", "routing_engine"),
        ("ar_mode 2", "ar_mode"),
        ("ar_transport_mask 0x8", "ar_transport_mask"),
        ("ar_tree_asymmetric_flow 2", "ar_tree_asymmetric_flow"),
        ("hbf_weights 1,2,3", "hbf_weights"),
        ("ar_sl_mask 0x1\nhbf_sl_mask 0x3", "hbf_sl_mask"),
    ] {
        assert_eq!(changes(&vendor(lines)), [changed], "{lines}");
    }
}

/// Bounded is a flowlet of the ageing time, free each packet anew.
#[test]
fn the_older_manager_has_flowlets_and_packets() {
    let bounded = manager(MANAGER);
    assert_eq!(value(&bounded, "switch.selection"), Some("Flowlet(gap: \"30 us\", then: LeastLoaded)"));
    assert_eq!((value(&bounded, "routing"), changes(&bounded)), (Some("Adaptive"), vec![]));
    let free = manager(&MANAGER.replace("bounded", "free").replace("TREE", "LAG"));
    assert_eq!(value(&free, "switch.selection"), Some("LeastLoaded"));
    assert_eq!(value(&free, "routing"), Some("Adaptive(groups: Parallel)"));
    let off = manager("ENABLE: false;\nAR_MODE: free;\n");
    assert!(off.settings.is_empty() && off.account.iter().any(|entry| entry.key == "AR_MODE"));
    let usual = manager("ENABLE: true;\n");
    assert_eq!(value(&usual, "switch.selection"), Some("Flowlet(gap: \"30 us\", then: LeastLoaded)"));
    let keys: Vec<_> = usual.account.iter().map(|entry| entry.key.as_str()).collect();
    assert!(
        ["(AR_ALGORITHM)", "(AR_MODE)", "(AGEING_TIME)"].iter().all(|key| keys.contains(key)),
        "{keys:?}"
    );
    for (from, to, key) in [
        ("    AGEING_TIME: 30;", "    AGEING_TIME: 44;", "SWITCH"),
        ("LOG_SIZE: 5;", "EN_SL_MASK: 0x1;", "EN_SL_MASK"),
    ] {
        assert_eq!(changes(&manager(&MANAGER.replace(from, to))), [key]);
    }
}

/// A scenario of the user's keeps its routing, or is refused.
#[test]
fn a_users_routing_is_never_overwritten() {
    let text = draft::FatTree { speed: link_layer::spec::Speed::Edr, hosts: 72 }.scenario().expect("a draft");
    let mut base = ScenarioText::new("own.ron", &text);
    let said = vendor("").keeping_routing_of(&base).expect_err("another routing").to_string();
    assert!(said.contains("which would overwrite it") && said.contains("own.ron"), "{said}");
    base.set("routing=Adaptive(groups: Parallel)").expect("a routing");
    let kept = vendor("").keeping_routing_of(&base).unwrap_or_else(|said| panic!("{said}"));
    let said = |settings: &ImportedSettings| {
        let entry = settings.account.iter().find(|entry| entry.key == "(routing)").expect("an entry");
        (entry.fate, entry.what.clone())
    };
    let own = "the scenario keeps its own `routing: Adaptive(groups: Parallel)`; the file has `Adaptive`";
    assert_eq!(said(&kept), (KeyFate::Approximated, own.to_owned()));
    let same = vendor("routing_engine ar_torus").keeping_routing_of(&base).expect("the same");
    assert_eq!(said(&same).0, KeyFate::Used, "{}", said(&same).1);
    let imported = kept.into_scenario(base).unwrap_or_else(|said| panic!("{said}"));
    assert!(imported.scenario.contains("Adaptive(groups: Parallel)"), "{}", imported.scenario);
    let without = vendor("ar_mode 0").keeping_routing_of(&ScenarioText::new("own.ron", &text));
    assert!(without.is_ok_and(|without| without.account.iter().all(|entry| entry.key != "(routing)")));
    for off in ["ar_mode 0", "ar_sl_mask 0x0", "routing_engine minhop"] {
        let mut own = ScenarioText::new("own.ron", &text);
        own.set("routing=Adaptive").expect("a routing");
        let kept = vendor(off).keeping_routing_of(&own).expect("the user's");
        assert_eq!(said(&kept).0, KeyFate::Changed, "{off}: {}", said(&kept).1);
    }
}

/// The same groups by another word are kept: a RoCE fabric of `import lldp` has `Ecmp`.
#[test]
fn equal_groups_of_another_word_are_kept() {
    let text = draft::FatTree { speed: link_layer::spec::Speed::Edr, hosts: 72 }.scenario().expect("a draft");
    let mut base = ScenarioText::new("own.ron", &text);
    base.set("routing=Ecmp").expect("a routing");
    let kept = vendor("").keeping_routing_of(&base).expect("the same groups");
    let plan = checked(&kept.into_scenario(base.clone()).expect("fields").scenario);
    assert_eq!(plan.scenario().routing.word(), "Ecmp");
    assert!(plan.packets_may_overtake(), "by the imported selection");
    let parallel = vendor("routing_engine ar_torus").keeping_routing_of(&base);
    assert!(parallel.expect_err("other groups").to_string().contains("which would overwrite it"));
}

/// The paths that an import has assumed are not the user's: an engine of the same cluster replaces them, until the user
/// writes others.
#[test]
fn an_assumed_routing_is_replaced() {
    let cluster =
        infiniband::import(file("net", CLUSTER), ClusterFiles::default(), &ClusterOptions::default());
    let text = cluster.unwrap_or_else(|said| panic!("{said}")).scenario;
    let base = ScenarioText::new("cluster.ron", &text);
    let replaced = vendor("").keeping_routing_of(&base).expect("an assumption");
    let imported = replaced.into_scenario(base).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(checked(&imported.scenario).scenario().routing.word(), "Adaptive");
    let own = ScenarioText::new("cluster.ron", &text.replace("routing: MinHop", "routing: Random"));
    let said = vendor("").keeping_routing_of(&own).expect_err("the user's").to_string();
    assert!(said.contains("write `routing: Adaptive` in the place of `Random` there first"), "{said}");
    let unmarked = text.lines().filter(|line| !line.contains("// Assumed")).collect::<Vec<_>>().join("\n");
    assert!(vendor("").keeping_routing_of(&ScenarioText::new("cluster.ron", &unmarked)).is_err());
}

/// An engine that no manual names is not one of another kind.
#[test]
fn a_misspelt_engine_is_answered_with_the_nearest() {
    let what = |engine: &str| {
        let settings = vendor(&format!("routing_engine {engine}"));
        let entry =
            settings.account.into_iter().find(|entry| entry.key == "routing_engine").expect("an entry");
        (entry.fate, entry.what)
    };
    let (fate, said) = what("ar_updown");
    assert_eq!(fate, KeyFate::Changed);
    assert!(
        said.contains("`ar_updown` is no engine that this import knows: did you mean `ar_updn`?"),
        "{said}"
    );
    assert!(what("dfp2").1.contains("groups that no routing here makes"));
}

/// An engine of no version is told, in whatever letters and whatever routes it would have.
#[test]
fn an_unknown_engine_keeps_no_routing_silently() {
    let entry = |engine: &str| {
        let settings = manager(&format!("routing_engine {engine}\n"));
        assert!(!settings.have_groups(), "{engine}");
        let mut account = settings.account.into_iter();
        let entry = account.find(|entry| entry.key == "routing_engine").expect("an entry");
        (entry.fate, entry.what, settings.without_choice)
    };
    let (fate, said, without_choice) = entry("AR_UPDN");
    assert_eq!((fate, without_choice), (KeyFate::Changed, false));
    assert!(
        said.starts_with("`AR_UPDN` is no engine that this import knows: did you mean `ar_updn`?"),
        "{said}"
    );
    let (fate, said, _) = entry("foo");
    assert_eq!(fate, KeyFate::Changed);
    assert!(said.starts_with("`foo` is no engine that this import knows: the engines are "), "{said}");
    assert_eq!(entry("updn,foo").0, KeyFate::Changed);
    for known in ["minhop", "ftree,updn,no_fallback", "torus-2QoS", "(null)"] {
        assert_eq!(entry(known).0, KeyFate::NotUsed, "{known}");
    }
}

/// A misspelt key of adaptive routing is a key of no version: refused in a file of OpenSM, a change in a vendor's.
#[test]
fn misspelt_keys_of_adaptive_routing_are_told() {
    let refused = opensm::read(file("ar.conf", "routing_engine ar_updn\nar_slmask 0x1\n"));
    let refused = refused.expect_err("no such key").to_string();
    assert!(refused.contains("ar.conf:2:11: OpenSM has no key `ar_slmask`"), "{refused}");
    assert!(refused.contains("did you mean `ar_sl_mask`?"), "{refused}");
    let alone = opensm::read(file("ar.conf", "ar_mod 1\n")).expect_err("no such key").to_string();
    assert!(alone.contains("did you mean `ar_mode`?"), "{alone}");
    let beside = vendor("ar_mod 1");
    let entry = beside.account.iter().find(|entry| entry.key == "ar_mod").expect("an entry");
    assert_eq!(entry.fate, KeyFate::Changed);
    assert!(entry.what.starts_with("`ar_mod` (did you mean `ar_mode`?): no key of OpenSM"), "{}", entry.what);
    let other = manager("routing_engine updn\nrouting_engin ar_updn\n");
    let entry = other.account.iter().find(|entry| entry.key == "unknown keys").expect("an entry");
    assert!(entry.what.contains("`routing_engin` (did you mean `routing_engine`?"), "{}", entry.what);
}

/// Linear tables have no groups: they are kept no more than another routing of one port, and the remedy is another
/// import of the fabric.
#[test]
fn linear_tables_are_not_kept_under_an_adaptive_engine() {
    let text = draft::FatTree { speed: link_layer::spec::Speed::Edr, hosts: 72 }.scenario().expect("a draft");
    let mut own = ScenarioText::new("own.ron", &text);
    own.set("routing=Tables({\"s1\": \"1\"})").expect("a routing");
    let said = vendor("").keeping_routing_of(&own).expect_err("one port for each host").to_string();
    assert!(
        said.contains("import the fabric again without `--lfts`, for `Adaptive`, or with `--far`"),
        "{said}"
    );
    own.set("routing=Tables({\"s1\": \"1/2\"})").expect("a routing");
    assert!(vendor("").keeping_routing_of(&own).is_ok(), "tables with groups");
    let tables = "Unicast lids [0-7] of switch Lid 6 guid 0x0002c90300000100 ('sw-a'):\n0x0001 1\n";
    let said = cluster(CLUSTER, tables).expect_err("no groups");
    assert!(said.contains("help: give this file to `--lfts`"), "{said}");
}

/// Drafts of imported settings are plans.
#[test]
fn drafts_with_adaptive_routing_can_run() {
    let tree = draft::FatTree { speed: link_layer::spec::Speed::Edr, hosts: 72 }.scenario().expect("a draft");
    for settings in [vendor(""), manager(MANAGER), manager("AR_ALGORITHM: LAG;\nAR_MODE: free;\n")] {
        let imported = settings.into_scenario(ScenarioText::new("draft.ron", &tree));
        let imported = imported.unwrap_or_else(|said| panic!("{said}"));
        let plan = checked(&imported.scenario);
        assert!(plan.packets_may_overtake(), "{}", imported.scenario);
    }
}

#[test]
fn objects_of_ars_are_a_selection() {
    let read = |text: &str| {
        sonic::read(file("config_db.json", text)).unwrap_or_else(|said| panic!("{said}\n{text}"))
    };
    let flowlets = read(SWITCH);
    assert_eq!(
        value(&flowlets, "switch.selection"),
        Some("Flowlet(gap: \"256 us\", then: LeastLoaded, entries: 512)")
    );
    assert_eq!((value(&flowlets, "routing"), changes(&flowlets)), (Some("Adaptive"), vec![]));
    let fate = |settings: &ImportedSettings, key: &str| {
        settings.account.iter().find(|entry| entry.key == key).map(|entry| entry.fate)
    };
    assert_eq!(fate(&flowlets, "ARS_OBJECT.flowlets"), Some(KeyFate::Used));
    assert_eq!(fate(&flowlets, "ARS_OBJECT.packets"), Some(KeyFate::NotUsed));
    assert_eq!(fate(&flowlets, "ARS_PROFILE.default"), Some(KeyFate::Approximated));
    let packets = read(
        &SWITCH
            .replace("\"ars_obj_name\": \"flowlets\"", "\"ars_obj_name\": \"packets\"")
            .replace("\"default_ars_object\": \"flowlets\"", "\"default_ars_object\": \"packets\""),
    );
    assert_eq!(value(&packets, "switch.selection"), Some("LeastLoaded"));
    let both = read(&SWITCH.replace("\"ars_obj_name\": \"flowlets\"", "\"ars_obj_name\": \"packets\""));
    assert_eq!(changes(&both), ["ARS_OBJECT.flowlets", "ARS_OBJECT.packets"]);
    let off = read(
        &SWITCH
            .replace("_enable\": \"true\"", "_enable\": \"false\"")
            .replace("\"PORT\"", "\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3\"}}, \"PORT\""),
    );
    assert_eq!((value(&off, "routing"), fate(&off, "ARS_OBJECT")), (None, Some(KeyFate::NotUsed)));
    for (from, to, key) in [
        ("\"scaling_factor\": \"1\"", "\"role\": \"alternative_path\"", "ARS_INTERFACE"),
        ("\"PORT\"", "\"ARS_NEW\": {\"x\": {}}, \"PORT\"", "ARS_NEW"),
        (
            "\"PORT\"",
            "\"ACL_RULE\": {\"T|R\": {\"DISABLE_ARS_FORWARDING\": \"true\"}}, \"PORT\"",
            "ACL_RULE.T|R",
        ),
        (
            "\"PORT\"",
            "\"ARS_PORTCHANNEL\": {\"PortChannel1\": {\"ars_name\": \"flowlets\"}}, \"PORT\"",
            "ARS_PORTCHANNEL",
        ),
    ] {
        assert_eq!(changes(&read(&SWITCH.replace(from, to))), [key]);
    }
}

/// An exported adaptive plan comes back with the same groups and packets, and what no key has is named.
#[test]
fn keys_of_adaptive_routing_come_back() {
    let text = draft::FatTree { speed: link_layer::spec::Speed::Edr, hosts: 72 }.scenario().expect("a draft");
    let set = |sets: &[&str]| {
        let mut source = ScenarioText::new("draft.ron", &text);
        sets.iter().for_each(|set| source.set(set).unwrap_or_else(|said| panic!("{said}")));
        let plan = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
        plan.unwrap_or_else(|said| panic!("{said}"))
    };
    let transport = ["adapter.delivery=AnyOrder", "adapter.recovery=SelectiveRepeat"];
    for (routing, packets) in [
        ("Adaptive", "(levels: [0, 2], services: [Rc])"),
        ("Adaptive(groups: Parallel)", "(services: [Ud, Rc])"),
    ] {
        let own = [format!("routing={routing}"), format!("switch.selected_packets={packets}")];
        let sets: Vec<&str> = own.iter().map(String::as_str).chain(transport).collect();
        let plan = set(&sets);
        let addresses = Addresses::assigned(&plan).expect("few nodes");
        let exported = export::opensm::export(&plan, &addresses).expect("InfiniBand's");
        let fields: Vec<&str> = exported.account.iter().map(|entry| entry.field.as_str()).collect();
        for field in ["routing_engine", "switch.selection", "switch.selected_packets.small"] {
            assert!(fields.contains(&field), "no `{field}` in {fields:?}");
        }
        let again = manager(&exported.text);
        assert_eq!((value(&again, "routing"), changes(&again)), (Some(routing), vec![]));
        assert_eq!(value(&again, "switch.selected_packets"), Some(packets));
        assert_eq!(value(&again, "switch.selection"), Some("LeastLoaded"));
    }
    let plan = set(&[]);
    let exported = export::opensm::export(&plan, &Addresses::assigned(&plan).expect("few nodes"));
    assert!(!exported.expect("InfiniBand's").text.contains("ar_"));
}
