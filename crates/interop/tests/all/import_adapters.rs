//! Parameters of ConnectX adapters in the forms in which tools print and set them. The same parameters have the same
//! meaning in each form, and another experiment is named.

use interop::import::{ImportedSettings, KeyFate, SourceText, mlx5};
use units::Bytes;

/// The output of `mlxconfig query` for an adapter with two ports.
const QUERY: &str = include_str!("../../../../fixtures/import/mlxconfig.txt");
const PLAIN: &str = include_str!("../../../../fixtures/import/mlx5.txt");

fn read(text: &str) -> ImportedSettings {
    mlx5::read(SourceText { name: "file", text }, None).unwrap_or_else(|said| panic!("{said}\n{text}"))
}

fn said(text: &str) -> String {
    mlx5::read(SourceText { name: "file", text }, None).expect_err(text).to_string()
}

fn response(settings: &ImportedSettings) -> &str {
    &settings.settings.iter().find(|(path, _)| path == "congestion_control.response").expect("a response").1
}

fn fate<'a>(settings: &'a ImportedSettings, key: &str) -> (KeyFate, &'a str, &'a str) {
    let entry = settings.account.iter().find(|entry| entry.key == key);
    let entry = entry.unwrap_or_else(|| panic!("no `{key}` in {:#?}", settings.account));
    (entry.fate, &entry.given, &entry.what)
}

fn changes(settings: &ImportedSettings) -> Vec<&str> {
    let changed = settings.account.iter().filter(|entry| entry.fate == KeyFate::Changed);
    changed.map(|entry| entry.key.as_str()).collect()
}

/// Rows of the query with other columns: each gives the values in place of the single one.
fn with_columns(titles: &str, values: impl Fn(&str, &str) -> String) -> String {
    let line = |line: &str| match line.trim().split_once("  ") {
        _ if line.starts_with("Configurations:") => format!("Configurations:      {titles}\n"),
        Some((name, value)) if line.starts_with("    ") => {
            format!("        {name:<44}{}\n", values(name, value.trim()))
        }
        _ => format!("{line}\n"),
    };
    QUERY.lines().map(line).collect()
}

#[test]
fn a_query_is_read_as_it_is_printed() {
    let settings = read(QUERY);
    assert_eq!(settings.settings, read(PLAIN).settings);
    assert_eq!(changes(&settings), [""; 0]);
    for line in PLAIN.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.split_once(' ').expect("a name and a value");
        assert!(fate(&settings, name).1.starts_with(value.trim()), "{name}");
    }
    assert_eq!(fate(&settings, "(ports)").1, "2");
    // Seven parameters that are none of DCQCN's, and a list.
    let (others, count, _) = fate(&settings, "(other parameters)");
    assert_eq!((others, count), (KeyFate::NotUsed, "8"));
    assert_eq!(fate(&settings, "(next boot)").0, KeyFate::Used);
    assert_eq!(fate(&settings, "roce_cc_prio_mask").0, KeyFate::Used);
    // Windows ends lines with two characters, and `grep` takes out the head.
    assert_eq!(read(&QUERY.replace('\n', "\r\n")).settings, settings.settings);
    let rows: String =
        QUERY.lines().filter(|line| line.contains("_P1")).map(|line| format!("{line}\n")).collect();
    assert_eq!(read(&rows).settings, settings.settings);
}

/// Of three columns `Current` holds; a star marks a row that the next restart changes.
#[test]
fn the_present_value_is_used_and_never_the_default() {
    let three = "Default         Current         Next Boot";
    let all = with_columns(three, |name, value| {
        let (default, next) =
            if name == "RPG_AI_RATE_P1" || name == "RPG_AI_RATE_P2" { ("7", "9") } else { (value, value) };
        format!("{default:<15} {value:<15} {next}")
    });
    let starred = all.replace("        RPG_AI_RATE_P1", "*       RPG_AI_RATE_P1")
        + "The '*' shows parameters with next value different from default/current value.\n";
    for text in [&all, &starred] {
        let settings = read(text);
        assert_eq!(response(&settings), response(&read(QUERY)));
        let (fate, next, what) = fate(&settings, "(next boot)");
        assert!(fate == KeyFate::NotUsed && next == "9" && what.contains("rpg_ai_rate"), "{next}: {what}");
    }
    // Without the head three columns are the tool's; two could be either pair.
    let rows = |text: &str| {
        text.lines().filter(|line| line.contains("_P1")).map(|line| format!("{line}\n")).collect::<String>()
    };
    assert_eq!(response(&read(&rows(&starred))), response(&read(QUERY)));
    let two = with_columns("Next Boot       New", |_, value| format!("1   {value}"));
    assert_eq!(response(&read(&two)), response(&read(QUERY)));
    assert!(said(&rows(&two)).contains("the columns of these values are not known"));
    assert!(said(&with_columns("Default", |_, value| value.to_owned())).contains("no column has the values"));
    assert!(
        said(&with_columns(three, |_, value| value.to_owned())).contains("1 values stand below 3 columns")
    );
}

#[test]
fn commands_and_scripts_set_the_same_parameters() {
    let rows =
        PLAIN.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once(' ').expect("two"));
    let rows: Vec<(String, &str)> = rows.map(|(name, value)| (name.to_uppercase(), value.trim())).collect();
    let set = |port: &str, between: &str| {
        let words: Vec<String> = rows.iter().map(|(name, value)| format!("{name}_{port}={value}")).collect();
        words.join(between)
    };
    let one = format!("mlxconfig -d /dev/mst/mt4125_pciconf0 -y set {} {}\n", set("P1", " "), set("P2", " "));
    let several = format!("#!/bin/sh\nsudo mstconfig -d 0000:5e:00.0 set \\\n  {}\n", set("P1", " \\\n  "));
    for text in [one, several] {
        let settings = read(&text);
        assert_eq!(settings.settings, read(PLAIN).settings, "{text}");
        assert_eq!(fate(&settings, "(next boot)").0, KeyFate::Used);
    }
    let folder = |name: &str| {
        if ["min_time_between_cnps", "cnp_dscp", "cnp_802p_prio"].contains(&name) {
            "roce_np"
        } else {
            "roce_rp"
        }
    };
    let path = |name: &str| format!("/sys/class/net/ens1f0np0/ecn/{}/{name}", folder(name));
    let lower: Vec<(String, &str)> = rows.iter().map(|(name, value)| (name.to_lowercase(), *value)).collect();
    let by_grep: String = lower.iter().map(|(name, value)| format!("{}:{value}\n", path(name))).collect();
    let by_echo: String =
        lower.iter().map(|(name, value)| format!("echo {value} > {}\n", path(name))).collect();
    let by_tee: String =
        lower.iter().map(|(name, value)| format!("echo {value} | sudo tee {}\n", path(name))).collect();
    for text in [by_grep, by_echo, by_tee] {
        assert_eq!(read(&text).settings, read(PLAIN).settings, "{text}");
    }
}

/// Two devices of a host may differ, and a scenario has adapters of one kind.
#[test]
fn points_that_differ_between_devices_are_refused() {
    let line = |device: &str, on: u8| format!("/sys/class/net/{device}/ecn/roce_rp/enable/3:{on}\n");
    let rate = "/sys/class/net/eth0/ecn/roce_rp/rpg_ai_rate:5\n";
    assert!(
        mlx5::Mlx5Parameters::read(SourceText {
            name: "a",
            text: &(rate.to_owned() + &line("eth0", 1) + &line("eth1", 1))
        })
        .is_ok()
    );
    let refused = said(&(rate.to_owned() + &line("eth0", 1) + &line("eth1", 0)));
    assert!(refused.contains("roce_rp/enable/3 has a second value"), "{refused}");
}

/// The points are switched on and off by priority.
#[test]
fn priorities_without_dcqcn_are_named() {
    let enabled = |point: &str, on: &[u8]| -> String {
        let line = |at: u8| {
            let on = u8::from(on.contains(&at));
            format!("/sys/class/net/eth0/ecn/{point}/enable/{at}:{on}\n")
        };
        (0..8).map(line).collect()
    };
    let of =
        |rp: &[u8], np: &[u8]| read(&format!("{PLAIN}{}{}", enabled("roce_rp", rp), enabled("roce_np", np)));
    let all: Vec<u8> = (0..8).collect();
    let settings = of(&all, &[3]);
    assert_eq!(
        fate(&settings, "roce_rp/enable"),
        (KeyFate::Used, "0,1,2,3,4,5,6,7", "at every priority of the file")
    );
    let (fate_of_np, on, _) = fate(&settings, "roce_np/enable");
    assert_eq!((fate_of_np, on), (KeyFate::Approximated, "3"));
    assert_eq!(changes(&of(&[], &all)), ["roce_rp/enable"]);
    assert_eq!(changes(&of(&all, &[])), ["roce_np/enable"]);
    assert!(said(&format!("{PLAIN}roce_rp/enable/8:1\n")).contains("`8` is not a priority"));
    assert!(said(&format!("{PLAIN}enable/3:1\n")).contains("neither `roce_rp` nor `roce_np`"));
}

/// An adapter that runs another algorithm, or none, does not obey these parameters.
#[test]
fn another_algorithm_than_dcqcn_is_a_change() {
    for (row, key) in [
        ("ROCE_CC_PRIO_MASK_P1 0", "roce_cc_prio_mask"),
        ("ROCE_CC_ALGORITHM_P1 QCN(1)", "roce_cc_algorithm"),
        ("ROCE_CC_LEGACY_DCQCN False(0)", "roce_cc_legacy_dcqcn"),
        ("USER_PROGRAMMABLE_CC True(1)", "user_programmable_cc"),
    ] {
        assert_eq!(changes(&read(&format!("{PLAIN}{row}\n"))), [key], "{row}");
    }
    for row in ["ROCE_CC_PRIO_MASK_P1 8", "ROCE_CC_ALGORITHM_P1 ECN(0)", "ROCE_CC_LEGACY_DCQCN True(1)"] {
        let settings = read(&format!("{PLAIN}{row}\n"));
        assert_eq!(changes(&settings), [""; 0], "{row}");
    }
}

/// The unit is assumed, which the account says with its effect, or the user's.
#[test]
fn the_unit_of_the_byte_counter_is_said() {
    let text = "rpg_time_reset 300\nrpg_byte_reset 32767\n";
    let settings = read(text);
    assert!(response(&settings).contains("byte_counter: \"2097088 B\""));
    let (found, given, what) = fate(&settings, "rpg_byte_reset");
    assert_eq!((found, given), (KeyFate::Approximated, "32767"));
    // 2,097,088 bytes in 300 us are 55.9 Gb/s.
    for words in [
        "2,097,088 B",
        "64 B is assumed",
        "Above 55.9 Gb/s",
        "1 B above 0.87 Gb/s",
        "1000 B above 874 Gb/s",
        "--byte-reset-unit",
    ] {
        assert!(what.contains(words), "no `{words}` in {what}");
    }
    for (unit, bytes) in [(1, "32767"), (1000, "32767000")] {
        let source = SourceText { name: "file", text };
        let settings = mlx5::read(source, Some(Bytes::new(unit))).expect("it is right");
        assert!(response(&settings).contains(&format!("byte_counter: \"{bytes} B\"")));
        assert_eq!(fate(&settings, "rpg_byte_reset").0, KeyFate::Used);
    }
}

#[test]
fn wrong_lines_have_their_places() {
    for (text, words) in [
        ("rpg_ai_rate 5 Mb/s\n", "file:1:15: `Mb/s` stands behind the value"),
        ("rpg_ai_rate 5 # Mb/s\nrpg_gd\n", "file:2:1: this is not a parameter and its value"),
        ("RPG_AI_RATE_P1 5\nRPG_AI_RATE_P2 6\n", "file:2:16: rpg_ai_rate has a second value, 6, and 5 above"),
        ("RPG_AI_RATEE_P1 5\n", "file:1:1: `RPG_AI_RATEE_P1` is not a parameter of DCQCN"),
        ("rpg_byte_reset 32768\n", "file:1:16: `32768` is not a value of rpg_byte_reset"),
        ("CLAMP_TGT_RATE_P1 Maybe(2)\n", "file:1:19: `Maybe(2)` is not a value of clamp_tgt_rate"),
        ("Configurations:   Next Week\n", "file:1:19: `Next` is not a column of `mlxconfig`"),
        ("mlxconfig -d x set RPG_AI_RATE_P1\n", "file:1:20: `RPG_AI_RATE_P1` is no assignment"),
        ("mlxconfig -d x set\n", "file:1:1: the command sets nothing"),
        ("mlxconfig -d x reset\n", "file:1:1: the command of `mlxconfig` neither queries nor sets"),
        ("echo 5\n", "file:1:1: this command sets no parameter"),
        ("IP_VER IPv4(0)\n", "file: the file has no parameter of DCQCN"),
    ] {
        let said = said(text);
        assert!(said.starts_with(&format!("error: {words}")), "{text}: {said}");
        assert!(said.contains("help: "), "{said}");
    }
}
