//! `config_db.json` of a SONiC switch: thresholds of ECN, PFC and shared memory.
//!
//! Invariant: every table that concerns queues, buffers and PFC has entries in the account. Values are those of the ports'
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
//! | here | fields of a scenario |
//! | `config` | the tables of the file |

mod config;

use std::collections::{BTreeMap, BTreeSet};

use units::{Bytes, Rate};

pub use self::config::SonicConfig;
use self::config::place;
use super::account::{KeyAccount, KeyFate};
use super::settings::ImportedSettings;
use super::source::{SourceText, decimal};
use crate::diagnostics::Diagnostic;

/// Fewest ports for which memory is divided, so that a part of a configuration will do.
const LEAST_PORTS: usize = 32;
/// Largest memory of a switch in a scenario.
const LARGEST: u64 = 1 << 30;

/// Tables whose fields have entries of their own in the account.
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

/// The profile of a priority group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Profile {
    xoff: u64,
    guaranteed: u64,
    /// `dynamic_th`; `None` for a fixed threshold.
    dynamic: Option<i8>,
    resume_offset: Option<u64>,
}

/// Thresholds of ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ramp {
    kmin: u64,
    kmax: u64,
    percent: u64,
}

/// The settings so far.
struct Draft<'a> {
    source: SourceText<'a>,
    config: &'a SonicConfig,
    /// True if ports of one speed have different headroom.
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

    /// Returns the profiles with headroom, by the speed of the ports that have them.
    fn profiles(
        &self,
        speeds: &BTreeMap<String, Rate>,
    ) -> Result<BTreeMap<Option<Rate>, BTreeSet<String>>, Diagnostic> {
        let mut profiles: BTreeMap<Option<Rate>, BTreeSet<String>> = BTreeMap::new();
        let has_headroom = |name: &str| self.config.field("BUFFER_PROFILE", name, "xoff").is_some();
        for (key, fields) in self.config.entries("BUFFER_PG") {
            let port = key.split('|').next().unwrap_or(key);
            let profile = profile_name(fields);
            if has_headroom(profile) {
                profiles.entry(speeds.get(port).copied()).or_default().insert(profile.to_owned());
            }
        }
        if profiles.is_empty() {
            let all = self.config.entries("BUFFER_PROFILE").map(|(name, _)| name.to_owned());
            let all: BTreeSet<String> = all.filter(|name| has_headroom(name)).collect();
            if !all.is_empty() {
                profiles.insert(None, all);
            }
        }
        Ok(profiles)
    }

    fn profile(&self, name: &str) -> Result<Profile, Diagnostic> {
        let number = |field| self.number("BUFFER_PROFILE", name, field, LARGEST);
        let xoff = number("xoff")?.unwrap_or(0);
        let size = number("size")?.unwrap_or(0);
        let dynamic = self.config.field("BUFFER_PROFILE", name, "dynamic_th").map(|text| {
            text.parse().ok().filter(|power| (-7..=7).contains(power)).ok_or_else(|| {
                let at = place(self.source, &["BUFFER_PROFILE", name, "dynamic_th"]).unwrap_or(0..0);
                let message = format!("`{text}` is not a power of two that alpha can be");
                let path = format!("BUFFER_PROFILE.{name}.dynamic_th");
                Diagnostic::from(self.source.fault(
                    &at,
                    &path,
                    message,
                    "write -7 to 7: alpha is 2 to this power",
                ))
            })
        });
        // Some switches count the headroom as part of the profile's size.
        let xon = number("xon")?.unwrap_or(0);
        let guaranteed = if size >= xoff + xon && xoff > 0 { size - xoff } else { size };
        Ok(Profile { xoff, guaranteed, dynamic: dynamic.transpose()?, resume_offset: number("xon_offset")? })
    }

    /// Reads the profile of each speed, the first of several.
    fn read_profiles(
        &mut self,
        by_speed: &BTreeMap<Option<Rate>, BTreeSet<String>>,
    ) -> Result<BTreeMap<Option<Rate>, Profile>, Diagnostic> {
        let mut read = BTreeMap::new();
        for (speed, names) in by_speed {
            let all: Result<BTreeSet<Profile>, Diagnostic> =
                names.iter().map(|name| self.profile(name)).collect();
            let all = all?;
            let text = names.iter().cloned().collect::<Vec<_>>().join(", ");
            let without_headroom: BTreeSet<Profile> =
                all.iter().map(|profile| Profile { xoff: 0, ..*profile }).collect();
            self.headroom_differs |= all.len() > without_headroom.len();
            if without_headroom.len() > 1 {
                let what = format!("{text}: ports of one speed have several profiles: the first for all");
                self.note("BUFFER_PG", text.clone(), KeyFate::Changed, what);
            }
            // The largest headroom is that of ports without a cable.
            let largest = all.iter().map(|profile| profile.xoff).max().unwrap_or(0);
            read.extend(all.first().map(|profile| (*speed, Profile { xoff: largest, ..*profile })));
        }
        Ok(read)
    }

    /// Sets memory, headroom and thresholds of PFC.
    fn memory(&mut self, speeds: &BTreeMap<String, Rate>, lanes: usize) -> Result<(), Diagnostic> {
        let pools: Vec<&str> = self.config.entries("BUFFER_POOL").map(|(name, _)| name).collect();
        let pool = pools.iter().copied().find(|name| name.contains("ingress_lossless"));
        let by_speed = self.profiles(speeds)?;
        let read = self.read_profiles(&by_speed)?;
        let Some(pool) = pool else {
            if !read.is_empty() {
                self.note(
                    "BUFFER_POOL",
                    "",
                    KeyFate::Changed,
                    "there is no ingress_lossless pool: the scenario's own memory holds",
                );
            }
            return Ok(());
        };
        let size = self.number("BUFFER_POOL", pool, "size", LARGEST)?.unwrap_or(0);
        let Some(usual) = most_common(speeds, &read) else {
            self.note(
                "BUFFER_PROFILE",
                "",
                KeyFate::Changed,
                "no profile has `xoff`: headroom and alpha are the scenario's own",
            );
            return Ok(());
        };
        let ports = speeds.len().max(LEAST_PORTS);
        let largest = read.values().map(|profile| profile.xoff).max().unwrap_or(0);
        let (own, receivers) = self.reserved(speeds)?;
        let others = (ports as u64 * lanes as u64).saturating_sub(receivers);
        let memory = size + own + others * (largest + usual.guaranteed);
        self.set("switch.memory", format!("\"{}\"", Bytes::new(memory)));
        self.set("switch.provisioned", format!("(ports: {}, lanes: {lanes})", ports.min(254)));
        let what = format!(
            "`switch.memory` of {}: this is shared, beside headroom and guarantees of {ports} ports",
            Bytes::new(memory)
        );
        let (fate, what) = if memory > LARGEST {
            (KeyFate::Changed, format!("{what}; more than a scenario's 1 GiB"))
        } else {
            (KeyFate::Used, what)
        };
        self.note(&format!("BUFFER_POOL.{pool}.size"), size.to_string(), fate, what);
        if let Some(shared) = self.config.field("BUFFER_POOL", pool, "xoff").map(str::to_owned) {
            let what = "each port and lane has its headroom alone; there they share this pool";
            self.note(&format!("BUFFER_POOL.{pool}.xoff"), shared, KeyFate::Approximated, what);
        }
        for other in pools.iter().filter(|name| **name != pool) {
            let what = "queues at outputs are not limited: a lane with PFC has room for all that came in";
            self.note(&format!("BUFFER_POOL.{other}"), "", KeyFate::NotUsed, what);
        }
        self.thresholds(&usual, &read, &by_speed);
        Ok(())
    }

    /// Returns the headroom and the guarantees of the ports' own priorities, and the number of these.
    fn reserved(&self, speeds: &BTreeMap<String, Rate>) -> Result<(u64, u64), Diagnostic> {
        let (mut bytes, mut receivers) = (0, 0);
        for (key, fields) in self.config.entries("BUFFER_PG") {
            let (port, priorities) = key.split_once('|').unwrap_or((key, ""));
            let name = profile_name(fields);
            if !speeds.contains_key(port) || self.config.field("BUFFER_PROFILE", name, "xoff").is_none() {
                continue;
            }
            let (first, last) = priorities.split_once('-').unwrap_or((priorities, priorities));
            let (first, last): (Option<u64>, Option<u64>) = (decimal(first), decimal(last));
            let count = last.zip(first).map_or(1, |(last, first)| last.saturating_sub(first).min(7) + 1);
            let Profile { xoff, guaranteed, .. } = self.profile(name)?;
            bytes += count * (xoff + guaranteed);
            receivers += count;
        }
        Ok((bytes, receivers))
    }

    fn thresholds(
        &mut self,
        usual: &Profile,
        read: &BTreeMap<Option<Rate>, Profile>,
        names: &BTreeMap<Option<Rate>, BTreeSet<String>>,
    ) {
        let alpha = |profile: &Profile| profile.dynamic.map_or(1.0, |power| 2f64.powi(power.into()));
        let bytes = |count: u64| format!("\"{}\"", Bytes::new(count));
        self.set(
            "switch.sharing",
            format!("Dynamic(alpha: {:?}, guaranteed: {})", alpha(usual), bytes(usual.guaranteed)),
        );
        let others = read.iter().filter(|(_, profile)| {
            (profile.dynamic, profile.guaranteed) != (usual.dynamic, usual.guaranteed)
        });
        let others = others.filter_map(|(speed, profile)| {
            let speed = (*speed)?;
            Some(format!(
                "(rate: \"{speed}\", alpha: {:?}, guaranteed: {})",
                alpha(profile),
                bytes(profile.guaranteed)
            ))
        });
        let others: Vec<_> = others.collect();
        if !others.is_empty() {
            self.set("switch.shares", format!("[{}]", others.join(", ")));
        }
        let offset = usual.resume_offset.unwrap_or(0);
        self.set("link.flow_control.resume_offset", bytes(offset));
        let one_headroom = !self.headroom_differs && read.values().all(|profile| profile.xoff == usual.xoff);
        if one_headroom {
            self.set("link.flow_control.headroom", bytes(usual.xoff));
        }
        for (speed, profile) in read {
            let name = names.get(speed).and_then(|names| names.first()).cloned().unwrap_or_default();
            let whose = speed.map_or_else(String::new, |speed| format!(" of ports at {speed}"));
            self.note_profile((&name, &whose), profile, (offset, one_headroom));
        }
    }

    /// Enters a profile, that of the ports of one speed. `offset` is the `resume_offset` of all ports.
    fn note_profile(
        &mut self,
        (name, whose): (&str, &str),
        profile: &Profile,
        (offset, one_headroom): (u64, bool),
    ) {
        let key = |field: &str| format!("BUFFER_PROFILE.{name}.{field}");
        let (fate, what) = match profile.dynamic {
            Some(power) => {
                (KeyFate::Used, format!("alpha 2^{power}{whose}: `switch.sharing`, `switch.shares`"))
            }
            None => (KeyFate::Changed, format!("a fixed threshold{whose}: alpha 1 here")),
        };
        let given = profile.dynamic.map_or_else(String::new, |power| power.to_string());
        self.note(
            &key(if profile.dynamic.is_some() { "dynamic_th" } else { "static_th" }),
            given,
            fate,
            what,
        );
        let (fate, what) = if one_headroom {
            (KeyFate::Used, "`link.flow_control.headroom`")
        } else {
            (
                KeyFate::Approximated,
                "ports differ: each has the headroom that its cable needs (`backwater headroom`)",
            )
        };
        self.note(&key("xoff"), profile.xoff.to_string(), fate, what);
        let what = format!("`guaranteed` of {}", Bytes::new(profile.guaranteed));
        self.note(&key("size"), "", KeyFate::Used, what);
        let fate =
            if profile.resume_offset.unwrap_or(0) == offset { KeyFate::Used } else { KeyFate::Changed };
        let given = profile.resume_offset.map_or_else(String::new, |offset| offset.to_string());
        self.note(
            &key("xon_offset"),
            given,
            fate,
            format!("`resume_offset` of {} for all ports", Bytes::new(offset)),
        );
        self.note(
            &key("xon"),
            "",
            KeyFate::Approximated,
            "RESUME is sent below the threshold alone, not at a fixed fill",
        );
    }

    /// Sets the thresholds of ECN.
    fn marking(&mut self, speeds: &BTreeMap<String, Rate>) -> Result<(), Diagnostic> {
        let mut by_speed: BTreeMap<Option<Rate>, BTreeSet<String>> = BTreeMap::new();
        for (key, fields) in self.config.entries("QUEUE") {
            let Some(profile) = fields.get("wred_profile") else { continue };
            let profile = profile.trim_start_matches("[WRED_PROFILE|").trim_end_matches(']').to_owned();
            let port = key.split('|').next().unwrap_or(key);
            by_speed.entry(speeds.get(port).copied()).or_default().insert(profile);
        }
        if by_speed.is_empty() {
            let all: BTreeSet<String> =
                self.config.entries("WRED_PROFILE").map(|(name, _)| name.to_owned()).collect();
            if all.is_empty() {
                return Ok(());
            }
            by_speed.insert(None, all);
        }
        let mut ramps = BTreeMap::new();
        for (speed, names) in &by_speed {
            let name = names.first().cloned().unwrap_or_default();
            if names.len() > 1 {
                let what = format!("queues of one speed have several profiles: `{name}` for all");
                self.note("QUEUE", names.len().to_string(), KeyFate::Changed, what);
            }
            let ramp = self.ramp(&name)?;
            ramps.extend(ramp.map(|ramp| (*speed, ramp)));
        }
        let text = |ramp: &Ramp| {
            let Ramp { kmin, kmax, percent } = ramp;
            let pmax = *percent as f64 / 100.0;
            format!("kmin: \"{}\", kmax: \"{}\", pmax: {pmax:?}", Bytes::new(*kmin), Bytes::new(*kmax))
        };
        let different: BTreeSet<_> = ramps.values().collect();
        match (different.len(), ramps.values().next()) {
            (0, _) | (_, None) => self.set("congestion_control", "Off".to_owned()),
            (1, Some(ramp)) => self.set("congestion_control.marking", format!("({})", text(ramp))),
            _ => {
                let rows = ramps
                    .iter()
                    .filter_map(|(speed, ramp)| Some(format!("(rate: \"{}\", {})", (*speed)?, text(ramp))));
                self.set(
                    "congestion_control.marking",
                    format!("(by_rate: [{}])", rows.collect::<Vec<_>>().join(", ")),
                );
            }
        }
        Ok(())
    }

    /// Reads the thresholds of a profile; `None` if it does not mark.
    fn ramp(&mut self, name: &str) -> Result<Option<Ramp>, Diagnostic> {
        let ecn = self.config.field("WRED_PROFILE", name, "ecn").unwrap_or("ecn_none").to_owned();
        let key = |field: &str| format!("WRED_PROFILE.{name}.{field}");
        if !matches!(ecn.as_str(), "ecn_all" | "ecn_green" | "ecn_green_yellow" | "ecn_green_red") {
            self.note(&key("ecn"), ecn, KeyFate::Used, "`congestion_control: Off`: no packet is marked");
            return Ok(None);
        }
        self.note(&key("ecn"), ecn, KeyFate::Used, "switches mark green packets, which all are here");
        let least = self.number("WRED_PROFILE", name, "green_min_threshold", LARGEST)?;
        let most = self.number("WRED_PROFILE", name, "green_max_threshold", LARGEST)?;
        let percent = self.number("WRED_PROFILE", name, "green_drop_probability", 100)?;
        let (Some(kmin), Some(kmax)) = (least, most) else {
            let help = "write `green_min_threshold` and `green_max_threshold`, in bytes";
            let at = place(self.source, &["WRED_PROFILE", name]).unwrap_or(0..0);
            return Err(self
                .source
                .fault(&at, &format!("WRED_PROFILE.{name}"), "the profile has no thresholds", help)
                .into());
        };
        let percent_or_all = percent.unwrap_or(100);
        let ramp = Ramp { kmin: kmin.max(1), kmax: kmax.max(kmin).max(1), percent: percent_or_all.max(1) };
        self.note(&key("green_min_threshold"), kmin.to_string(), KeyFate::Used, "`marking.kmin`");
        let fate = if kmax >= kmin { KeyFate::Used } else { KeyFate::Changed };
        self.note(&key("green_max_threshold"), kmax.to_string(), fate, "`marking.kmax`, at least `kmin`");
        let fate = if percent == Some(0) { KeyFate::Changed } else { KeyFate::Used };
        self.note(
            &key("green_drop_probability"),
            percent_or_all.to_string(),
            fate,
            "`marking.pmax`, a share of 1, at least 0.01; all are marked above Kmax",
        );
        let colours = self.config.tables["WRED_PROFILE"][name].keys();
        let others = colours.filter(|field| field.starts_with("yellow") || field.starts_with("red")).count();
        if others > 0 {
            self.note(
                &key("yellow, red"),
                others.to_string(),
                KeyFate::NotUsed,
                "packets have no colours here",
            );
        }
        Ok(Some(ramp))
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

/// Returns the name of the profile of a priority group.
fn profile_name(fields: &BTreeMap<String, String>) -> &str {
    let profile = fields.get("profile").map_or("", String::as_str);
    profile.trim_start_matches("[BUFFER_PROFILE|").trim_end_matches(']')
}

/// Returns the profile of the speed that most ports have.
fn most_common(speeds: &BTreeMap<String, Rate>, read: &BTreeMap<Option<Rate>, Profile>) -> Option<Profile> {
    let count = |speed: &Option<Rate>| speeds.values().filter(|own| Some(**own) == *speed).count();
    read.iter().max_by_key(|(speed, _)| count(speed)).map(|(_, profile)| *profile)
}
