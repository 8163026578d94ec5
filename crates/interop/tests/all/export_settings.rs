//! Exports of settings: what an import makes of a file is what ran, within what the account of the export says. What a
//! target cannot hold is named, scenarios of the other world are refused.

use cc_policies::dcqcn::spec::{CnpEcho, DcqcnResponseSpec};
use cc_policies::iba::IbaResponse;
use cc_policies::iba::spec::{IbaMarkingSpec, IbaResponseSpec, TimerStart};
use cc_policies::{AnyEcho, Control, MarkingSpec, ResponseSpec};
use interop::export::addresses::Addresses;
use interop::export::{ExportError, Exported, ValueAccount, ValueFate, ibccconfig, mlx5, opensm, sonic};
use interop::import::{self, ImportedSettings, KeyFate, SourceText};
use link_layer::resolve::SharingPlan;
use packet::PortId;
use proptest::prelude::*;
use scenario::{Diagnostic, Plan, Scenario, ScenarioText, draft};
use units::{Rate, Span};

type Reader = fn(SourceText<'_>) -> Result<ImportedSettings, Diagnostic>;

/// Reads the parameters of an adapter, with the assumed unit of its byte counter.
fn adapter(source: SourceText<'_>) -> Result<ImportedSettings, Diagnostic> {
    import::mlx5::read(source, None)
}

fn infiniband() -> String {
    draft::FatTree { speed: link_layer::spec::Speed::Edr, hosts: 72 }.scenario().expect("a draft")
}

fn roce() -> String {
    draft::LeafSpine { rate: Rate::gbps(100), leaves: 2, spines: 2, hosts: 4 }.scenario().expect("a draft")
}

/// Checks a scenario with overrides.
fn plan(text: &str, sets: &[String]) -> Plan {
    let mut source = ScenarioText::new("draft.ron", text);
    for set in sets {
        source.set(set).unwrap_or_else(|said| panic!("{said}"));
    }
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    checked.unwrap_or_else(|said| panic!("{said}"))
}

/// Puts an exported file into a scenario. Returns its plan, and the keys that change the experiment.
fn again(read: Reader, file: &str, text: &str, sets: &[String]) -> (Plan, Vec<String>) {
    let imported =
        read(SourceText { name: "file", text: file }).unwrap_or_else(|said| panic!("{said}\n{file}"));
    let changed = imported.account.iter().filter(|entry| entry.fate == KeyFate::Changed);
    let changed = changed.map(|entry| entry.key.clone()).collect();
    let settings = imported.settings.iter().map(|(path, value)| format!("{path}={value}"));
    (plan(text, &sets.iter().cloned().chain(settings).collect::<Vec<_>>()), changed)
}

/// Returns the value that a field has in the target, in the scenario's words; `None` if the target has no place for it.
fn written(account: &[ValueAccount], field: &str, wanted: String) -> Option<String> {
    let own = account.iter().find(|entry| entry.field == format!("congestion_control.{field}"));
    match own.map(|entry| &entry.fate) {
        None => Some(wanted),
        Some(ValueFate::Rounded { wanted: stated, written, .. }) => {
            assert_eq!(*stated, wanted, "{field}");
            Some(written.clone())
        }
        Some(_) => None,
    }
}

fn iba(plan: &Plan) -> (&IbaMarkingSpec, &IbaResponseSpec) {
    match plan.control() {
        Control { marking: MarkingSpec::Iba(marking), response: ResponseSpec::Iba(response), .. } => {
            (marking, response)
        }
        other => panic!("{other:?}"),
    }
}

/// Compares what marks and responds, but for what no attribute has.
fn assert_same_control(one: &Plan, other: &Plan, account: &[ValueAccount]) {
    let ((ours, own), (theirs, response)) = (iba(one), iba(other));
    assert_eq!(
        (ours.threshold, ours.packet_size, ours.marking_rate),
        (theirs.threshold, theirs.packet_size, theirs.marking_rate)
    );
    let expected = written(account, "marking.victim_mask", format!("{:?}", ours.victim_mask));
    let mask = format!("{:?}", theirs.victim_mask);
    assert!(
        expected.as_ref() == Some(&mask) || expected.is_some_and(|ports| ports.starts_with("ports ")),
        "{mask}"
    );
    let without_start = |spec: &IbaResponseSpec| {
        IbaResponse::new(&IbaResponseSpec { timer_start: TimerStart::FreeRunning, ..spec.clone() })
    };
    assert_eq!(without_start(own), without_start(response));
    for field in ["echo", "marking.compare", "marking.hysteresis", "response.timer_start"] {
        assert_eq!(written(account, field, String::new()), None, "{field} has no attribute");
    }
}

fn table() -> impl Strategy<Value = (String, usize, usize)> {
    let linear = (1..=128u16, 0..4u8, 0..=129u16).prop_map(|(entries, shift, step)| {
        let text = format!("Linear(entries: {entries}, shift: {shift}, step: {step})");
        let digits = |index: u16| (index * step).to_string().len();
        (text, usize::from(entries), (0..entries).map(|index| 3 + digits(index)).sum::<usize>())
    });
    let entries = prop::collection::vec((0..4u8, 0..16_384u16), 1..=128).prop_map(|all| {
        let text: Vec<_> = all.iter().map(|(shift, times)| format!("({shift}, {times})")).collect();
        let bytes = all.iter().map(|(_, times)| 3 + times.to_string().len()).sum::<usize>();
        (format!("Entries([{}])", text.join(", ")), all.len(), bytes)
    });
    prop_oneof![linear, entries]
}

/// Settings of InfiniBand's congestion control, with the bytes of the table's entries in `opensm.conf`.
fn scheme() -> impl Strategy<Value = (String, usize)> {
    let marking = (
        0..16u8,
        any::<u8>(),
        any::<u16>(),
        prop::sample::select(vec!["None", "AdapterPorts", "All"]),
        0..64u32,
    );
    let level = (0..16u8, any::<u8>(), any::<u8>(), 1..=u16::MAX, any::<u8>());
    let levels = prop::collection::btree_map(0..16u8, level, 0..5);
    let own = (any::<u8>(), any::<u8>(), 1..=u16::MAX, any::<u8>(), any::<bool>());
    (marking, table(), own, levels).prop_map(|((threshold, size, rate, mask, kib), (table, length, bytes), own, levels)| {
        let limit = length - 1;
        let most = u8::try_from(limit).unwrap_or(u8::MAX);
        let fields = |increase: u8, min: u8, timer: u16, trigger: u8| {
            let (min, trigger) = (min.min(most), trigger.min(most));
            format!("ccti_increase: {increase}, ccti_min: {min}, ccti_timer: {timer}, trigger_threshold: {trigger}")
        };
        let (increase, min, timer, trigger, by_level) = own;
        let control = if by_level { "ServiceLevel" } else { "QueuePair" };
        let levels = levels.into_iter().map(|(level, (_, increase, min, timer, trigger))| {
            format!("(service_level: {level}, {})", fields(increase, min, timer, trigger))
        });
        let text = format!(
            "congestion_control=Iba(echo: Acknowledgement, marking: (threshold: {threshold}, packet_size: {size}, marking_rate: {rate}, \
             victim_mask: {mask}, compare: EachVoq, hysteresis: \"{kib} KiB\"), response: (port_control: {control}, cct: {table}, \
             ccti_limit: {limit}, {}, timer_start: EachBecn, service_levels: [{}]))",
            fields(increase, min, timer, trigger),
            levels.collect::<Vec<_>>().join(", ")
        );
        (text, bytes)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn congestion_control_of_infiniband_comes_back((scheme, bytes) in scheme()) {
        let base = infiniband();
        let first = plan(&base, &[scheme]);
        let addresses = Addresses::assigned(&first).expect("few nodes");
        let off = ["congestion_control=Off".to_owned()];
        let keys = opensm::export(&first, &addresses);
        // OpenSM reads lines of 1,022 bytes: the key, a blank, entries with a comma between them.
        if bytes - 1 + "cc_cct ".len() > 1022 {
            let cut = matches!(keys, Err(ExportError::LineTooLong { .. }));
            prop_assert!(cut, "{:?}", keys);
        } else {
            let Exported { text, account } = keys.expect("it fits");
            let (second, changed) = again(import::opensm::read, &text, &base, &off);
            assert_same_control(&first, &second, &account);
            prop_assert!(changed.iter().all(|key| key == "cc_sw_cong_setting_victim_mask"), "{:?}", changed);
        }
        let Exported { text, account } = ibccconfig::export(&first, &addresses).expect("it is InfiniBand's");
        let (second, changed) = again(import::opensm::read, &text, &base, &off);
        let masks = format!("{:?}", iba(&first).0.victim_mask) == "AdapterPorts";
        prop_assert_eq!(changed, if masks { vec!["victimmask"] } else { vec![] });
        assert_same_control(&first, &second, &account);
    }
}

/// Each port with settings of its own has a command behind its switch's command, and its bit in the switch's mask. The
/// command has the port's number in the cluster. Keys of OpenSM have no place for it.
#[test]
fn single_ports_have_commands_of_their_own() {
    let own = |port: u16, threshold: u8, victim: bool| {
        format!(
            "(switch: \"leaf1\", port: {port}, threshold: {threshold}, packet_size: 4, marking_rate: 7, victim_mask: {victim})"
        )
    };
    let ports = format!("congestion_control.marking.ports=[{},{}]", own(2, 3, false), own(20, 12, true));
    let scheme = ["congestion_control=Guideline".to_owned(), "congestion_control=Iba()".to_owned()];
    let plain = plan(&infiniband(), &scheme);
    let plan = plan(&infiniband(), &[scheme[0].clone(), scheme[1].clone(), ports]);
    let addresses = Addresses::assigned(&plan).expect("few nodes");
    let commands = |plan: &Plan| ibccconfig::export(plan, &addresses).expect("InfiniBand's");
    let (without, Exported { text, account }) = (commands(&plain).text, commands(&plan));
    assert!(!account.iter().any(|entry| entry.field.contains("ports")), "{account:?}");
    let lid = addresses.node(plan.graph().find("leaf1").expect("a leaf")).lid;
    let of_ports = [(2, 3), (20, 12)].map(|(port, threshold)| {
        format!("ibccconfig SwitchPortCongestionSetting {lid} {port} 1 0 {threshold:#x} 4 7")
    });
    let added: Vec<&str> = text.lines().filter(|line| !without.contains(line)).collect();
    assert_eq!(added.len(), 3, "{added:?}");
    assert!(added[0].starts_with(&format!("ibccconfig SwitchCongestionSetting {lid} ")), "{added:?}");
    assert_eq!(added[1..], of_ports);
    let mask = |text: &str| {
        let line =
            text.lines().find(|line| line.starts_with(&format!("ibccconfig SwitchCongestionSetting {lid} ")));
        let word = line.and_then(|line| line.split(' ').nth(4)).expect("a mask");
        u64::from_str_radix(&word[word.len() - 16..], 16).expect("hexadecimal")
    };
    assert_eq!(mask(&text), (mask(&without) & !(1 << 2)) | 1 << 20);
    let read = import::opensm::read(SourceText { name: "file", text: &text }).expect("it is right");
    assert!(read.account.iter().any(|entry| {
        entry.key == "SwitchPortCongestionSetting"
            && entry.fate == KeyFate::Changed
            && entry.what.starts_with("2 ports")
    }));
    let keys = opensm::export(&plan, &addresses).expect("InfiniBand's");
    let left_out =
        keys.account.iter().filter(|entry| entry.field.starts_with("congestion_control.marking.ports["));
    assert_eq!(left_out.count(), 2);
}

fn dcqcn(plan: &Plan) -> (&CnpEcho, &DcqcnResponseSpec) {
    match plan.control() {
        Control { echo: AnyEcho::Dcqcn(echo), response: ResponseSpec::Dcqcn(response), .. } => {
            (echo, response)
        }
        other => panic!("{other:?}"),
    }
}

/// The fields of the reaction point and the notification point, as text.
fn fields(plan: &Plan) -> Vec<(&'static str, String)> {
    let (echo, response) = dcqcn(plan);
    vec![
        ("response.g", response.g.to_string()),
        ("response.initial_alpha", response.initial_alpha.to_string()),
        ("response.alpha_update", format!("{:?}", response.alpha_update)),
        ("response.alpha_timer", response.alpha_timer.to_string()),
        ("response.order", format!("{:?}", response.order)),
        ("response.clamp_target", response.clamp_target.to_string()),
        ("response.clamp_after_timer", response.clamp_after_timer.to_string()),
        ("response.byte_counter", response.byte_counter.to_string()),
        ("response.stages", format!("{:?}", response.stages)),
        ("response.timer", response.timer.to_string()),
        ("response.fast_recovery", response.fast_recovery.to_string()),
        ("response.additive_increase", response.additive_increase.to_string()),
        ("response.hyper_increase", response.hyper_increase.to_string()),
        ("response.min_rate", response.min_rate.to_string()),
        ("echo.interval", echo.interval.to_string()),
        ("echo.window", format!("{:?}", echo.window)),
        ("echo.service_level", format!("{:?}", echo.service_level)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn parameters_of_connectx_come_back(
        shares in (1..(1u32 << 30), 1..=(1u32 << 30)),
        times in (1..200_000_000_000u64, 1..2_000_000_000_000u64, 1..20_000_000_000u64),
        rates in (1..50_000_000u64, 1..50_000_000u64, 1..50_000_000u64),
        counter in 1..4_000_000_000u64,
        recoveries in 1..=254u8,
        clamps in (any::<bool>(), any::<bool>()),
        choices in (
            prop::sample::select(vec!["Own", "Both", "TimerAlone"]),
            prop::sample::select(vec!["EachCnp", "EachInterval"]),
            prop::sample::select(vec!["FromCnp", "FreeRunning"]),
            prop::option::of(0..16u8),
        ),
    ) {
        let steps = f64::from(1u32 << 30);
        let (g, alpha) = (f64::from(shares.0) / steps, f64::from(shares.1) / steps);
        let (stages, update, window, level) = choices;
        let level = level.map_or(String::new(), |level| format!(", service_level: {level}"));
        let scheme = format!(
            "congestion_control=Dcqcn(echo: (interval: \"{} ps\", window: {window}{level}), response: (g: {g:?}, initial_alpha: {alpha:?}, \
             alpha_timer: \"{} ps\", timer: \"{} ps\", byte_counter: \"{counter} B\", fast_recovery: {recoveries}, \
             additive_increase: \"{} kb/s\", hyper_increase: \"{} kb/s\", min_rate: \"{} kb/s\", clamp_target: {}, clamp_after_timer: {}, \
             stages: {stages}, alpha_update: {update}))",
            times.2, times.1, times.0, rates.0, rates.1, rates.2, clamps.0, clamps.1
        );
        let base = roce();
        let first = plan(&base, &[scheme]);
        let Exported { text, account } = mlx5::export(&first, None).expect("it is DCQCN");
        let (second, changed) = again(adapter, &text, &base, &[]);
        prop_assert!(changed.is_empty(), "{:?}\n{}", changed, text);
        for ((field, own), (_, theirs)) in fields(&first).into_iter().zip(fields(&second)) {
            if let Some(expected) = written(&account, field, own) {
                prop_assert_eq!(expected, theirs, "{}\n{}", field, text);
            }
        }
        // In its range a value is off by half a unit at most.
        let (one, other) = (dcqcn(&first).1, dcqcn(&second).1);
        let in_range = (Span::from_us(1)..=Span::from_us(131_071)).contains(&one.timer);
        prop_assert!(!in_range || one.timer.ps().abs_diff(other.timer.ps()) <= 500_000);
        prop_assert!((one.g - other.g).abs() <= 1.0 / 1024.0);
    }

    #[test]
    fn thresholds_of_sonic_come_back(
        power in -7..=7i32,
        sizes in (0..200u64, 20..400u64, 0..40u64),
        ramp in (1..2_000u64, 0..4_000u64, 1..=100u32),
        priorities in prop::sample::select(vec![
            (1, "{}", "0"), (1, "{3: 0}", "3"), (2, "{3: 0, 4: 1}", "3,4"), (2, "{}", "0,1"), (3, "{2: 0, 5: 1, 6: 2}", "2,5,6"),
        ]),
    ) {
        let (guaranteed, headroom, offset) = sizes;
        let (kmin, more, percent) = ramp;
        let (lanes, levels, enabled) = priorities;
        let pmax = if more == 0 { 1.0 } else { f64::from(percent) / 100.0 };
        let sets = [
            format!("link.data_lanes={lanes}"),
            format!("link.sl_to_vl={levels}"),
            format!("link.flow_control=Pause(headroom: \"{headroom} KiB\", resume_offset: \"{offset} KiB\")"),
            format!("switch.sharing=Dynamic(alpha: {:?}, guaranteed: \"{guaranteed} KiB\")", 2f64.powi(power)),
            format!("congestion_control=Dcqcn(marking: (kmin: \"{kmin} KB\", kmax: \"{} KB\", pmax: {pmax:?}))", kmin + more),
            "switch.memory=128 MiB".to_owned(),
        ];
        let base = roce();
        let first = plan(&base, &sets);
        let switch = first.graph().find("leaf1").expect("it is there");
        let Exported { text, account } = sonic::export(&first, switch).expect("it is RoCE's");
        let rounded = account.iter().any(|entry| matches!(entry.fate, ValueFate::Rounded { .. }));
        prop_assert!(!rounded, "{:?}", account);
        let enabled = format!("\"pfc_enable\": \"{enabled}\"");
        prop_assert!(text.contains(&enabled), "{}", text);
        let other = ["switch.memory=200 MiB".to_owned(), "congestion_control.marking.kmax=30 MB".to_owned()];
        let (second, changed) = again(import::sonic::read, &text, &base, &other);
        prop_assert!(changed.is_empty(), "{:?}\n{}", changed, text);
        prop_assert_eq!(&first.nodes().switch(switch).sharing, &second.nodes().switch(switch).sharing);
        let limits = |plan: &Plan| {
            let port = plan.nodes().port(switch, PortId(0));
            (port.thresholds(), port.capacity.clone())
        };
        prop_assert_eq!(limits(&first), limits(&second));
        prop_assert_eq!(first.link().lanes, second.link().lanes);
        prop_assert_eq!(&first.link().flow_control, &second.link().flow_control);
        let marking = |plan: &Plan| match &plan.control().marking {
            MarkingSpec::Red(marking) => marking.thresholds(Rate::gbps(100)),
            other => panic!("{other:?}"),
        };
        prop_assert_eq!(marking(&first), marking(&second));
    }
}

/// The files of the shipped scenarios of both worlds, as they are, with their accounts.
#[test]
fn files_have_the_forms_of_their_tools() {
    let shown = |Exported { text, account }: Exported| {
        let account: Vec<_> = account.iter().map(ToString::to_string).collect();
        format!("{text}\n{}\n", account.join("\n"))
    };
    let shipped = |name: &str| ScenarioText::find(name).expect("it ships").text().to_owned();
    let set = |sets: &[&str]| sets.iter().map(|set| (*set).to_owned()).collect::<Vec<_>>();
    let victim = plan(
        &shipped("victim"),
        &set(&[
            "congestion_control.response.cct=Linear(entries: 66, shift: 1, step: 3)",
            "congestion_control.response.ccti_limit=65",
            "congestion_control.response.service_levels=[(service_level: 4, ccti_increase: 2, ccti_min: 0, ccti_timer: 99, trigger_threshold: 1)]",
        ]),
    );
    let addresses = Addresses::assigned(&victim).expect("few nodes");
    insta::assert_snapshot!("opensm", shown(opensm::export(&victim, &addresses).expect("InfiniBand's")));
    insta::assert_snapshot!(
        "ibccconfig",
        shown(ibccconfig::export(&victim, &addresses).expect("InfiniBand's"))
    );
    let roce = plan(
        &shipped("roce-victim"),
        &set(&[
            "congestion_control=Dcqcn(marking: (pmax: 0.125), echo: (interval: \"49.7 us\"), response: (stages: Both, g: 0.1))",
        ]),
    );
    insta::assert_snapshot!("mlx5", shown(mlx5::export(&roce, None).expect("RoCE's")));
    let rounded = plan(
        &shipped("roce-victim"),
        &set(&[
            "switch.sharing=Dynamic(alpha: 1.5, guaranteed: \"2 KiB\")",
            "congestion_control=Dcqcn(marking: (pmax: 0.125))",
        ]),
    );
    let switch = rounded.graph().find("S").expect("it is there");
    insta::assert_snapshot!("sonic", shown(sonic::export(&rounded, switch).expect("RoCE's")));
}

#[test]
fn what_does_not_fit_is_refused() {
    let (ib, ethernet) = (infiniband(), roce());
    let said = |text: &str, sets: &[&str], export: fn(&Plan) -> Result<Exported, ExportError>| {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        export(&plan(text, &sets)).expect_err("it does not fit").to_string()
    };
    let keys: fn(&Plan) -> Result<Exported, ExportError> =
        |plan| opensm::export(plan, &Addresses::assigned(plan).expect("few nodes"));
    let commands: fn(&Plan) -> Result<Exported, ExportError> =
        |plan| ibccconfig::export(plan, &Addresses::assigned(plan).expect("few nodes"));
    let parameters: fn(&Plan) -> Result<Exported, ExportError> = |plan| mlx5::export(plan, None);
    let tables: fn(&Plan) -> Result<Exported, ExportError> =
        |plan| sonic::export(plan, plan.graph().switch_ids().next().expect("a switch"));
    let dcqcn = "congestion_control=Dcqcn()";
    let longer =
        "congestion_control=Iba(response: (cct: Linear(entries: 129, shift: 0, step: 1), ccti_limit: 128))";
    for (said, words) in [
        (said(&ethernet, &[], keys), "opensm is for InfiniBand, and the scenario's framing is RoCEv2"),
        (
            said(&ethernet, &[], commands),
            "ibccconfig is for InfiniBand, and the scenario's framing is RoCEv2",
        ),
        (said(&ib, &[], parameters), "mlx5 is for RoCEv2, and the scenario's framing is InfiniBand"),
        (said(&ib, &[], tables), "sonic is for RoCEv2, and the scenario's framing is InfiniBand"),
        (
            said(&ib, &[dcqcn], keys),
            "opensm holds InfiniBand's congestion control, and the scenario has Dcqcn",
        ),
        (
            said(&ethernet, &["congestion_control=Off"], parameters),
            "mlx5 holds DCQCN, and the scenario has Off",
        ),
        (
            said(&ib, &["congestion_control=Off"], commands),
            "ibccconfig sets congestion control, and the scenario has none",
        ),
        (said(&ib, &[longer], keys), "the congestion control table has 129 entries, and OpenSM reads 128"),
        (
            said(&ethernet, &["link.flow_control=Lossy", dcqcn], tables),
            "sonic holds thresholds of PFC, and the scenario's flow control is none",
        ),
    ] {
        assert_eq!(said, words);
    }
    let off = opensm::export(
        &plan(&ib, &["congestion_control=Off".to_owned()]),
        &Addresses::assigned(&plan(&ib, &[])).expect("few nodes"),
    );
    assert!(off.expect("a key turns it off").text.ends_with("\ncongestion_control FALSE\n"));
}

/// Cables of two lengths: the headroom of ports differs, and equals their cables' again.
#[test]
fn headroom_by_cable_comes_back() {
    let base = roce();
    let first = plan(&base, &[]);
    let switch = first.graph().find("leaf1").expect("it is there");
    let Exported { text, .. } = sonic::export(&first, switch).expect("it is RoCE's");
    assert!(text.contains("\"pg_lossless_100000_2_profile\""), "{text}");
    let (second, changed) = again(import::sonic::read, &text, &base, &["switch.memory=200 MiB".to_owned()]);
    assert_eq!(changed, [""; 0]);
    assert_eq!(first.nodes().switch(switch).sharing, second.nodes().switch(switch).sharing);
    for port in (0..first.graph().ports(switch).len() as u16).map(PortId) {
        assert_eq!(first.nodes().port(switch, port), second.nodes().port(switch, port), "{port:?}");
    }
}

/// Cables of two rates within a Mb/s, with headroom and thresholds of their own: each port has the profiles of its own.
#[test]
fn rates_of_one_speed_have_profiles_of_their_own() {
    let near = "100.0004 Gb/s";
    let plan = plan(
        &roce(),
        &[
            format!("cables.trunk.rate={near}"),
            "link.flow_control=Pause(resume_offset: \"8 KiB\", reaction: \"1 us\")".to_owned(),
            format!(
                "congestion_control=Dcqcn(marking: (by_rate: [(rate: \"100 Gb/s\", kmin: \"100 KB\", kmax: \"400 KB\", pmax: 0.2), \
                 (rate: \"{near}\", kmin: \"101 KB\", kmax: \"401 KB\", pmax: 0.2)]))"
            ),
        ],
    );
    let switch = plan.graph().find("leaf1").expect("it is there");
    let Exported { text, .. } = sonic::export(&plan, switch).expect("it is RoCE's");
    let tables: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let ends = plan.graph().ports(switch);
    let rates: std::collections::BTreeSet<_> = ends.iter().map(|end| plan.cable(end.cable).rate).collect();
    assert_eq!(rates.len(), 2, "{text}");
    let MarkingSpec::Red(marking) = &plan.control().marking else { panic!("it is DCQCN") };
    for (port, end) in (0..).map(PortId).zip(ends) {
        let key = format!("Ethernet{}|0", port.0 * 4);
        let own = plan.nodes().port(switch, port);
        let group = &tables["BUFFER_PG"][&key]["profile"];
        let profile = &tables["BUFFER_PROFILE"][group.as_str().expect("a name")];
        let headroom = own.capacity[0] - own.thresholds()[0];
        assert_eq!(profile["xoff"], headroom.get().to_string(), "{key}\n{text}");
        let queue = &tables["QUEUE"][&key]["wred_profile"];
        let profile = &tables["WRED_PROFILE"][queue.as_str().expect("a name")];
        let thresholds = marking.thresholds(plan.cable(end.cable).rate).expect("it has an entry");
        assert_eq!(profile["green_min_threshold"], thresholds.kmin.get().to_string(), "{key}\n{text}");
        assert_eq!(profile["green_max_threshold"], thresholds.kmax.get().to_string(), "{key}\n{text}");
    }
}

/// Lane 1 has PFC, and only service levels over 7 lead to it.
#[test]
fn a_lossless_lane_without_a_priority_is_named() {
    let levels: Vec<_> = (0..8).map(|level| format!("{level}: 0")).collect();
    let left_out = |pause: &str| {
        let sets = [
            "link.data_lanes=2".to_owned(),
            format!("link.sl_to_vl={{{}}}", levels.join(", ")),
            format!("link.flow_control=Pause(resume_offset: \"8 KiB\"{pause})"),
        ];
        let plan = plan(&roce(), &sets);
        let switch = plan.graph().find("leaf1").expect("it is there");
        let Exported { account, .. } = sonic::export(&plan, switch).expect("it is RoCE's");
        let own: Vec<_> = account.into_iter().filter(|entry| entry.field == "link.data_lanes").collect();
        assert_eq!(own.len(), 1, "{own:?}");
        own[0].to_string()
    };
    let lossless = left_out("");
    let words = "left out: link.data_lanes: lane 1: no service level from 0 to 7 leads to it";
    assert!(lossless.starts_with(words), "{lossless}");
    let lossy = left_out(", pfc_enable: [0]");
    assert!(lossy.starts_with("left out: link.data_lanes: lane 1: its priority has no PFC"), "{lossy}");
}

/// A switch without shared memory, and memory without a threshold.
#[test]
fn memory_of_sonic_is_shared() {
    let base = roce();
    let tables = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let plan = plan(&base, &sets);
        let switch = plan.graph().switch_ids().next().expect("a switch");
        (sonic::export(&plan, switch), plan.nodes().switch(switch).sharing.clone())
    };
    let (own, sharing) = tables(&[
        "switch.buffering=InputVoq",
        "switch.memory=None",
        "switch.buffer=512 KiB",
        "switch.sharing=Static",
    ]);
    assert_eq!(sharing, SharingPlan::Own);
    assert!(matches!(own, Err(ExportError::MemoryNotShared { .. })), "{own:?}");
    for (field, tables_of) in [("link", "(strict: [0])"), ("switch", "[(tables: (strict: [0]))]")] {
        let (lanes, _) = tables(&[&format!("{field}.vl_arbitration={tables_of}")]);
        let named = lanes.expect("it is shared").account.into_iter().map(|entry| entry.field);
        let arbitration: Vec<_> = named.filter(|name| name.ends_with("vl_arbitration")).collect();
        assert_eq!(arbitration, [format!("{field}.vl_arbitration")]);
    }
    let (complete, _) = tables(&["switch.sharing=Complete(guaranteed: \"8 KiB\")"]);
    let Exported { text, account } = complete.expect("it is shared");
    assert!(text.contains("\"dynamic_th\": \"7\""), "{text}");
    let said: Vec<_> = account.iter().map(ToString::to_string).collect();
    let words = "rounded: switch.sharing.alpha: Complete, without a threshold wanted, 128 written: ";
    assert!(said.iter().any(|said| said.starts_with(words)), "{said:#?}");
}
