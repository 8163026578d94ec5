//! Congestion control in an `opensm.conf`.
//!
//! Invariant: a key that begins with `cc_` and is none of OpenSM's is a fault; in a file of the vendor's OpenSM, of
//! which other versions may have other keys, it is a change. Congestion control that the file does not state is none
//! of the scheme's.

use std::collections::BTreeSet;

use super::congestion::{CongestionSettings, PartNames};
use super::known::is_vendors;
use super::options::{OpensmOption, OpensmOptions};
use super::values::{entry, mask, number};
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::source::SourceText;
use scenario::{Diagnostic, help_with_name};

/// Keys of OpenSM (3.3.23) by the part of the settings that they give.
const NAMES: PartNames = PartNames {
    victim_mask: "cc_sw_cong_setting_victim_mask",
    credit_mask: "cc_sw_cong_setting_credit_mask",
    threshold: "cc_sw_cong_setting_threshold",
    packet_size: "cc_sw_cong_setting_packet_size",
    starvation: "cc_sw_cong_setting_credit_starvation_threshold",
    marking_rate: "cc_sw_cong_setting_marking_rate",
    port_control: "cc_ca_cong_setting_port_control",
    control_map: "cc_ca_cong_setting_control_map",
    timer: "cc_ca_cong_setting_ccti_timer",
    table: "cc_cct",
};
pub(super) const ENABLED: &str = "congestion_control";
const SWITCH_MAP: &str = "cc_sw_cong_setting_control_map";
const DELAY: &str = "cc_sw_cong_setting_credit_starvation_return_delay";
const INCREASE: &str = "cc_ca_cong_setting_ccti_increase";
const TRIGGER: &str = "cc_ca_cong_setting_trigger_threshold";
const MIN: &str = "cc_ca_cong_setting_ccti_min";
/// Keys of the manager's own, the last three of the vendor's OpenSM.
const OF_MANAGER: [&str; 5] =
    ["cc_key", "cc_max_outstanding_mads", "cc_key_enable", "cc_key_lease_period", "cc_key_protect_bit"];
/// Most entries of a table, beyond which OpenSM drops them (`OSM_CCT_ENTRY_MAX`).
pub(crate) const MOST_ENTRIES: usize = 128;

/// Returns true for keys of congestion control.
pub(super) fn is_one(key: &str) -> bool {
    key == ENABLED || key.starts_with("cc_")
}

fn known() -> impl Iterator<Item = &'static str> {
    let PartNames { victim_mask, credit_mask, threshold, packet_size, starvation, .. } = NAMES;
    let PartNames { marking_rate, port_control, control_map, timer, table, .. } = NAMES;
    let parts = [victim_mask, credit_mask, threshold, packet_size, starvation, marking_rate, port_control];
    let rest = [control_map, timer, table, ENABLED, SWITCH_MAP, DELAY, INCREASE, TRIGGER, MIN];
    parts.into_iter().chain(rest).chain(OF_MANAGER)
}

/// Reads the keys of congestion control. Returns the scheme of a scenario, if the file states it, and the account.
pub(super) fn scheme(
    source: SourceText<'_>,
    options: &OpensmOptions,
) -> Result<(Option<String>, Vec<KeyAccount>), Diagnostic> {
    let unknown = unknown(source, options)?;
    let settings = read(source, options)?;
    let enabled = options.last(ENABLED).map(|line| flag(source, line)).transpose()?;
    let has = |key: &&str| options.last(key).is_some();
    let of_manager = |key: &str| match key {
        "cc_max_outstanding_mads" => "it concerns the subnet manager alone",
        _ => "it guards the settings, and is none of them",
    };
    let manager = OF_MANAGER
        .into_iter()
        .filter(has)
        .map(|key| KeyAccount::new(key, given(options, key), KeyFate::NotUsed, of_manager(key)));
    if enabled != Some(true) {
        let keys = known().filter(has).filter(|key| !OF_MANAGER.contains(key));
        let entry = |key: &'static str| {
            let what = match enabled {
                _ if key == ENABLED => "`congestion_control: Off`",
                Some(_) => "congestion control is off",
                None => "the file has no `congestion_control`, without which OpenSM configures none",
            };
            let fate = if key == ENABLED { KeyFate::Used } else { KeyFate::NotUsed };
            KeyAccount::new(key, given(options, key), fate, what)
        };
        let account = keys.map(entry).chain(manager).chain(unknown).collect();
        return Ok((enabled.map(|_| "Off".to_owned()), account));
    }
    let (scheme, parts) = settings.scheme(NAMES);
    let mut account = vec![KeyAccount::new(ENABLED, "TRUE", KeyFate::Used, "`congestion_control: Iba`")];
    account.extend(parts);
    let beside = [
        (SWITCH_MAP, KeyFate::Used, "bits of the settings of switches that hold"),
        (DELAY, KeyFate::NotUsed, "it is of credit starvation"),
        (INCREASE, KeyFate::Used, "`response.ccti_increase`"),
        (TRIGGER, KeyFate::Used, "`response.trigger_threshold`"),
        (MIN, KeyFate::Used, "`response.ccti_min`"),
    ];
    let beside = beside.into_iter().filter(|(key, ..)| has(key));
    account.extend(beside.map(|(key, fate, what)| KeyAccount::new(key, given(options, key), fate, what)));
    account.extend(manager.chain(unknown));
    let what = "not in the file: a CNP answers each mark, `hysteresis`, `compare` and `timer_start` have their \
        defaults";
    account.push(KeyAccount::new("(notification, switch's own rules)", "", KeyFate::Approximated, what));
    Ok((Some(scheme), account))
}

/// Returns entries of keys of congestion control that no known version has.
fn unknown(source: SourceText<'_>, options: &OpensmOptions) -> Result<Vec<KeyAccount>, Diagnostic> {
    let lines = options.lines.iter().filter(|line| is_one(&line.key));
    let unknown = lines.filter(|line| !known().any(|key| key == line.key));
    let known: Vec<&str> = known().collect();
    unknown.map(|line| unknown_key(source, options, line, &known)).collect()
}

/// Returns the entry of a key that no known version of OpenSM has; a fault if the file is not the vendor's.
pub(super) fn unknown_key(
    source: SourceText<'_>,
    options: &OpensmOptions,
    line: &OpensmOption,
    known: &[&str],
) -> Result<KeyAccount, Diagnostic> {
    if options.lines.iter().any(|line| is_vendors(&line.key)) {
        let near = super::known::with_near(&line.key);
        let what = format!(
            "{near}: no key of OpenSM 3.3.23, nor of the vendor's 5.21: its meaning is not known here"
        );
        return Ok(KeyAccount::new(line.key.clone(), line.value.clone(), KeyFate::Changed, what));
    }
    let message = format!("OpenSM has no key `{}`", line.key);
    Err(source.wrong(&line.at, message, &help_with_name(&line.key, known.iter().copied(), "keys")))
}

fn given(options: &OpensmOptions, key: &str) -> String {
    options.last(key).map_or(String::new(), |line| line.value.clone())
}

fn read(source: SourceText<'_>, options: &OpensmOptions) -> Result<CongestionSettings, Diagnostic> {
    let mut settings = CongestionSettings::default();
    let whole = |key: &str, most: u64| {
        options.last(key).map_or(Ok(0), |line| number(source, &line.at, &line.value, most))
    };
    let ports =
        |key: &str| options.last(key).map_or(Ok(BTreeSet::new()), |line| mask(source, &line.at, &line.value));
    let switch = &mut settings.switch;
    switch.control_map = whole(SWITCH_MAP, 0xFFFF_FFFF)? as u32;
    switch.victim_mask = ports(NAMES.victim_mask)?;
    switch.credit_mask = ports(NAMES.credit_mask)?;
    switch.threshold = whole(NAMES.threshold, 15)? as u8;
    switch.packet_size = whole(NAMES.packet_size, 255)? as u8;
    switch.starvation_threshold = whole(NAMES.starvation, 15)? as u8;
    switch.marking_rate = whole(NAMES.marking_rate, 0xFFFF)? as u16;
    if let Some(line) = options.last(DELAY) {
        switch.starvation_delay = entry(source, &line.at, &line.value)?;
    }
    let adapter = &mut settings.adapter;
    adapter.port_control = whole(NAMES.port_control, 0xFFFF)? as u16;
    adapter.control_map = whole(NAMES.control_map, 0xFFFF)? as u16;
    for line in &options.lines {
        let most = match line.key.as_str() {
            key if key == NAMES.timer => 0xFFFF,
            INCREASE | TRIGGER | MIN => 0xFF,
            _ => continue,
        };
        let (level, value) = level_and_value(source, line, most)?;
        let level = &mut adapter.levels[level];
        match line.key.as_str() {
            INCREASE => level.increase = value as u8,
            TRIGGER => level.trigger = value as u8,
            MIN => level.min = value as u8,
            _ => level.timer = value,
        }
    }
    settings.table = table(source, options.last(NAMES.table))?;
    Ok(settings)
}

/// Reads `TRUE` or `FALSE`.
pub(super) fn flag(source: SourceText<'_>, line: &OpensmOption) -> Result<bool, Diagnostic> {
    match line.value.to_ascii_uppercase().as_str() {
        "TRUE" => Ok(true),
        "FALSE" => Ok(false),
        _ => {
            let message = format!("`{}` is neither TRUE nor FALSE", line.value);
            Err(source.fault(&line.at, &line.key, message, "write `TRUE` or `FALSE`").into())
        }
    }
}

fn level_and_value(
    source: SourceText<'_>,
    line: &OpensmOption,
    most: u64,
) -> Result<(usize, u16), Diagnostic> {
    let words: Vec<&str> = line.value.split_whitespace().collect();
    let [level, value] = words[..] else {
        let message = format!("`{}` is not a service level and a value", line.value);
        let help = "write the service level first: `0 150` is 150 at level 0";
        return Err(source.fault(&line.at, &line.key, message, help).into());
    };
    let level = number(source, &line.at, level, 15)?;
    Ok((usize::from(level as u8), number(source, &line.at, value, most)? as u16))
}

/// Reads the congestion control table; it is empty if the file has none.
fn table(source: SourceText<'_>, line: Option<&OpensmOption>) -> Result<Vec<(u8, u16)>, Diagnostic> {
    let Some(line) = line.filter(|line| !line.value.is_empty() && line.value != "(null)") else {
        return Ok(Vec::new());
    };
    let mut start = line.at.start;
    let mut entries = Vec::new();
    for text in line.value.split(',') {
        let at = start..start + text.len();
        start = at.end + 1;
        entries.push(entry(source, &at, text)?);
    }
    if entries.len() > MOST_ENTRIES {
        let message = format!(
            "the table has {} entries, of which OpenSM drops those past {MOST_ENTRIES}",
            entries.len()
        );
        return Err(source.fault(&line.at, &line.key, message, "write at most 128").into());
    }
    Ok(entries)
}
