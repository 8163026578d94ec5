//! Shared memory of a SONiC switch: its pool, and the profiles of its priority groups.
//!
//! Invariant: the shared part of a scenario's memory is the size of the pool, on a switch with the ports of the file.

use std::collections::{BTreeMap, BTreeSet};

use units::{Bytes, Rate};

use super::config::place;
use super::{Draft, LARGEST};
use crate::import::account::KeyFate;
use crate::import::source::decimal;
use scenario::Diagnostic;

/// Fewest ports for which memory is divided, so that a part of a configuration will do.
const LEAST_PORTS: usize = 32;
/// The profile of a priority group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Profile {
    xoff: u64,
    guaranteed: u64,
    /// `dynamic_th`; `None` for a fixed threshold.
    dynamic: Option<i8>,
    resume_offset: Option<u64>,
}

impl Draft<'_> {
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
            // Ports without a cable have the largest headroom.
            let largest = all.iter().map(|profile| profile.xoff).max().unwrap_or(0);
            read.extend(all.first().map(|profile| (*speed, Profile { xoff: largest, ..*profile })));
        }
        Ok(read)
    }

    /// Sets memory, headroom and thresholds of PFC.
    pub(super) fn memory(&mut self, speeds: &BTreeMap<String, Rate>, lanes: usize) -> Result<(), Diagnostic> {
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

    /// Enters the profile of the ports of a speed. `offset` is the `resume_offset` of all ports.
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
