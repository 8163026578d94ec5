//! `config_db.json` of a SONiC switch: thresholds of ECN, PFC and shared memory.
//!
//! Invariant: every table that concerns queues, buffers and PFC has entries in the account. Values come from the ports'
//! own profiles, by the speed of the port.
//!
//! | table | fields | in a scenario |
//! |---|---|---|
//! | `BUFFER_POOL` | `size` of the lossless pool at the ingress | the shared part of `switch.memory` |
//! | `BUFFER_PG`, `BUFFER_PROFILE` | `xoff`, `size`, `dynamic_th`, `xon_offset` of a port's profile | headroom, guarantee, alpha 2^n, `resume_offset` |
//! | `PORT_QOS_MAP` | `pfc_enable` | a lane for each priority with PFC |
//! | `QUEUE`, `WRED_PROFILE` | `green_min_threshold` and others | Kmin, Kmax, Pmax |
//!
//! | module | contents |
//! |---|---|
//! | here | fields of a scenario; ports and priorities |
//! | `memory` | shared memory, headroom and thresholds of PFC |
//! | `marking` | thresholds of ECN |
//! | `config` | the tables of the file |

mod config;
mod marking;
mod memory;

use std::collections::{BTreeMap, BTreeSet};

use units::Rate;

pub use self::config::SonicConfig;
use self::config::place;
use super::account::{KeyAccount, KeyFate};
use super::settings::ImportedSettings;
use super::source::{SourceText, decimal};
use scenario::Diagnostic;

/// Largest memory of a switch in a scenario.
const LARGEST: u64 = 1 << 30;

/// Tables with an entry in the account for each field.
const USED: [&str; 7] =
    ["PORT", "PORT_QOS_MAP", "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "QUEUE", "WRED_PROFILE"];

/// Reads a file. The settings are for a scenario with PFC, central memory and `congestion_control: Dcqcn(...)`.
///
/// # Errors
/// If the file is no JSON, or a value is no number in its range.
pub fn read(source: SourceText<'_>) -> Result<ImportedSettings, Diagnostic> {
    let config = SonicConfig::read(source)?;
    let mut draft =
        Draft { source, config: &config, headroom_differs: false, settings: Vec::new(), account: Vec::new() };
    let speeds = draft.speeds()?;
    let lanes = draft.priorities()?;
    draft.memory(&speeds, lanes)?;
    draft.marking(&speeds)?;
    draft.rest();
    let Draft { settings, account, .. } = draft;
    if settings.is_empty() {
        let help = "write a configuration with BUFFER_POOL, WRED_PROFILE or PORT_QOS_MAP";
        return Err(source.whole("the file has no settings of buffers, PFC or ECN", help));
    }
    Ok(ImportedSettings { settings, account })
}

/// Returns the speed of most ports, and the highest; `None` if the file has no ports.
///
/// # Errors
/// If the file is no JSON, or a speed is no number.
pub fn usual_speeds(source: SourceText<'_>) -> Result<Option<(Rate, Rate)>, Diagnostic> {
    let config = SonicConfig::read(source)?;
    let mut draft =
        Draft { source, config: &config, headroom_differs: false, settings: Vec::new(), account: Vec::new() };
    let mut counts: BTreeMap<Rate, usize> = BTreeMap::new();
    draft.speeds()?.into_values().for_each(|speed| *counts.entry(speed).or_default() += 1);
    let usual = counts.iter().max_by_key(|(_, count)| **count).map(|(speed, _)| *speed);
    Ok(usual.zip(counts.keys().next_back().copied()))
}

/// The settings so far.
struct Draft<'a> {
    source: SourceText<'a>,
    config: &'a SonicConfig,
    /// True if ports of the same speed have different headroom.
    headroom_differs: bool,
    settings: Vec<(String, String)>,
    account: Vec<KeyAccount>,
}

impl Draft<'_> {
    fn note(&mut self, key: &str, given: impl Into<String>, fate: KeyFate, what: impl Into<String>) {
        let mut entry = KeyAccount::new(key, given, fate, what);
        entry.place =
            place(self.source, &key.split('.').collect::<Vec<_>>()).map(|at| self.source.excerpt(&at));
        self.account.push(entry);
    }

    fn set(&mut self, path: &str, value: String) {
        self.settings.push((path.to_owned(), value));
    }

    /// Reads a whole number of a field; `None` if the entry lacks it.
    fn number(&self, table: &str, key: &str, field: &str, most: u64) -> Result<Option<u64>, Diagnostic> {
        let Some(text) = self.config.field(table, key, field) else { return Ok(None) };
        let number = decimal(text).filter(|number| *number <= most);
        number.map(Some).ok_or_else(|| {
            let message = format!("`{text}` is not a number in its range");
            let at = place(self.source, &[table, key, field]).unwrap_or(0..0);
            let path = format!("{table}.{key}.{field}");
            self.source.fault(&at, &path, message, &format!("write a whole number from 0 to {most}")).into()
        })
    }

    /// Returns the speed of each port.
    fn speeds(&mut self) -> Result<BTreeMap<String, Rate>, Diagnostic> {
        let mut speeds = BTreeMap::new();
        for (port, fields) in self.config.entries("PORT") {
            let down = fields.get("admin_status").is_some_and(|status| status == "down");
            let speed = self.number("PORT", port, "speed", 1_600_000)?;
            if let Some(speed) = speed.filter(|speed| *speed > 0 && !down) {
                speeds.insert(port.to_owned(), Rate::bps(speed * 1_000_000));
            }
        }
        if !speeds.is_empty() {
            let rates: BTreeSet<_> = speeds.values().map(ToString::to_string).collect();
            let rates = rates.into_iter().collect::<Vec<_>>().join(", ");
            let what = format!("{rates}: thresholds by the speed of a port; cables are the scenario's own");
            self.note("PORT", format!("{} ports", speeds.len()), KeyFate::Used, what);
        }
        Ok(speeds)
    }

    /// Sets the lanes of priorities with PFC. Returns their number.
    fn priorities(&mut self) -> Result<usize, Diagnostic> {
        let mut sets: BTreeMap<BTreeSet<u8>, usize> = BTreeMap::new();
        for (port, fields) in self.config.entries("PORT_QOS_MAP") {
            let Some(text) = fields.get("pfc_enable").filter(|text| !text.is_empty()) else { continue };
            let priorities =
                text.split(',').map(|word| decimal(word.trim()).filter(|priority| *priority < 8));
            let priorities: Option<BTreeSet<u8>> = priorities.collect();
            let priorities = priorities.ok_or_else(|| {
                let at = place(self.source, &["PORT_QOS_MAP", port, "pfc_enable"]).unwrap_or(0..0);
                let (path, message) = (
                    format!("PORT_QOS_MAP.{port}.pfc_enable"),
                    format!("`{text}` is not a list of priorities"),
                );
                Diagnostic::from(self.source.fault(
                    &at,
                    &path,
                    message,
                    "write priorities from 0 to 7: `3,4`",
                ))
            })?;
            *sets.entry(priorities).or_default() += 1;
        }
        let Some((priorities, _)) = sets.iter().max_by_key(|(_, count)| **count) else { return Ok(1) };
        let priorities: Vec<u8> = priorities.iter().copied().collect();
        let pairs: Vec<_> =
            priorities.iter().enumerate().map(|(lane, priority)| format!("{priority}: {lane}")).collect();
        let lanes = priorities.len();
        self.set("link.data_lanes", lanes.to_string());
        self.set("link.sl_to_vl", format!("{{{}}}", pairs.join(", ")));
        let given = format!("{priorities:?}");
        let what = format!(
            "service levels {given} have lanes 0 to {}, with PFC; traffic of other levels takes them too, by their number modulo the lanes",
            lanes - 1
        );
        if sets.len() > 1 {
            self.note(
                "PORT_QOS_MAP",
                given,
                KeyFate::Changed,
                "ports differ in `pfc_enable`: that of most, for all",
            );
        } else {
            self.note("PORT_QOS_MAP", given, KeyFate::Used, what);
        }
        let what = "priorities without PFC carry nothing here";
        self.note("(other priorities)", "", KeyFate::Approximated, what);
        Ok(lanes)
    }

    /// Enters the other tables.
    fn rest(&mut self) {
        let known = [
            (
                "PFC_WD",
                KeyFate::Approximated,
                "no watchdog: an output that stays paused is not emptied; a deadlock is proved and named",
            ),
            ("SCHEDULER", KeyFate::Approximated, "lanes take turns; `link.vl_arbitration` gives weights"),
            ("CABLE_LENGTH", KeyFate::NotUsed, "cables are the scenario's own"),
            ("BUFFER_QUEUE", KeyFate::NotUsed, "queues at outputs are not limited"),
            ("DSCP_TO_TC_MAP", KeyFate::NotUsed, "a service level stands for a priority"),
            ("TC_TO_QUEUE_MAP", KeyFate::NotUsed, "a service level stands for a priority"),
            ("TC_TO_PRIORITY_GROUP_MAP", KeyFate::NotUsed, "a service level stands for a priority"),
            ("MAP_PFC_PRIORITY_TO_QUEUE", KeyFate::NotUsed, "a service level stands for a priority"),
            ("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", KeyFate::NotUsed, "a service level stands for a priority"),
        ];
        let mut others = Vec::new();
        for (name, entries) in &self.config.tables {
            match known.iter().find(|(known, ..)| known == name) {
                Some((_, fate, what)) => self.note(name, format!("{} entries", entries.len()), *fate, *what),
                None if USED.contains(&name.as_str()) => {}
                None => others.push(format!("`{name}`")),
            }
        }
        if !others.is_empty() {
            let first = others.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
            let what = format!("{first} and others: they concern neither queues nor PFC");
            self.note("(other tables)", others.len().to_string(), KeyFate::NotUsed, what);
        }
    }
}
