//! Profiles of priority groups, given to ports as the switch gives them.
//!
//! Invariant: a port with a profile of its own in the file keeps it. Others get that of their speed and length, which
//! `buffermgrd` looks up (`cfgmgr/buffermgr.cpp` of sonic-swss) or computes.

use std::collections::{BTreeMap, BTreeSet};

use units::Rate;

use super::config::SonicForm;
use super::printed::speed_and_length;
use super::{Draft, Ports, referred};
use crate::import::account::KeyFate;
use scenario::Diagnostic;

/// Names of profiles by the speed of the ports that have them.
pub(super) type BySpeed = BTreeMap<Option<Rate>, BTreeSet<String>>;

impl Draft<'_> {
    /// Returns true if the profile has headroom.
    pub(super) fn has_headroom(&self, name: &str) -> bool {
        self.config.field("BUFFER_PROFILE", name, "xoff").is_some_and(|xoff| xoff != "0")
    }

    /// Gives each port with priorities with PFC the profile of its speed and length, unless it has one.
    pub(super) fn give_profiles(&mut self, ports: &Ports) -> Result<(), Diagnostic> {
        let lossless = self.lossless()?;
        let with_profile = |(key, fields): (&str, &_)| {
            self.has_headroom(referred(fields, "profile")).then(|| port_of(key).to_owned())
        };
        let known: BTreeSet<String> = self.config.entries("BUFFER_PG").filter_map(with_profile).collect();
        let mut made: BTreeMap<String, usize> = BTreeMap::new();
        let mut without = BTreeSet::new();
        for (port, priorities) in lossless.iter().filter(|(port, _)| !known.contains(*port)) {
            let (Some(speed), Some(length)) = (ports.speeds.get(port), ports.lengths.get(port)) else {
                continue;
            };
            let Some(name) = self.profile_for(speed.get() / 1_000_000, *length) else {
                without.insert(format!("{} Mb/s and {length}m", speed.get() / 1_000_000));
                continue;
            };
            *made.entry(name.clone()).or_default() += 1;
            let entries = self.config.tables.entry("BUFFER_PG".to_owned()).or_default();
            for priority in priorities {
                let profile = BTreeMap::from([("profile".to_owned(), name.clone())]);
                entries.insert(format!("{port}|{priority}"), profile);
            }
        }
        if !made.is_empty() {
            let given = format!("{} ports", made.values().sum::<usize>());
            let names = made.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let what = format!(
                "by speed, CABLE_LENGTH and priorities with PFC, as the switch does at run time: {names}"
            );
            self.note("(profiles of ports)", given, KeyFate::Used, what);
        }
        let has_some = !known.is_empty() || !made.is_empty();
        if has_some && !without.is_empty() {
            let pairs = without.into_iter().collect::<Vec<_>>().join(", ");
            let what = format!("no profile for ports of {pairs}: they have those of others here");
            self.note("CABLE_LENGTH", "", KeyFate::Changed, what);
        }
        Ok(())
    }

    /// Returns the profile for a speed in Mb/s and a length in metres. A row of the switch's table becomes a profile.
    fn profile_for(&mut self, speed: u64, length: u64) -> Option<String> {
        let fits = |name: &&str| speed_and_length(name) == Some((speed, length));
        let own = self.config.entries("BUFFER_PROFILE").map(|(name, _)| name);
        if let Some(name) = own.filter(|name| self.has_headroom(name)).find(fits) {
            return Some(name.to_owned());
        }
        let (_, rows) = self.buffers.as_ref().filter(|(_, rows)| rows.form == SonicForm::Lookup)?;
        let (name, fields) = rows.entries("BUFFER_PROFILE").find(|(name, _)| fits(name))?;
        let (name, mut fields) = (name.to_owned(), fields.clone());
        // The column is the threshold of the pool's mode.
        let pools = self.config.entries("BUFFER_POOL").filter(|(name, _)| name.contains("ingress_lossless"));
        if pools.filter_map(|(_, pool)| pool.get("mode")).any(|mode| mode == "static")
            && let Some(threshold) = fields.remove("dynamic_th")
        {
            fields.insert("static_th".to_owned(), threshold);
        }
        self.config.tables.entry("BUFFER_PROFILE".to_owned()).or_default().insert(name.clone(), fields);
        Some(name)
    }

    /// Returns the profiles with headroom, by the speed of the ports that have them. Without priority groups the
    /// names of profiles tell the speed.
    pub(super) fn profiles(&self, speeds: &BTreeMap<String, Rate>) -> BySpeed {
        let mut profiles = BySpeed::new();
        for (key, fields) in self.config.entries("BUFFER_PG") {
            let name = referred(fields, "profile");
            if self.has_headroom(name) {
                profiles.entry(speeds.get(port_of(key)).copied()).or_default().insert(name.to_owned());
            }
        }
        if profiles.is_empty() {
            let all = self.config.entries("BUFFER_PROFILE").map(|(name, _)| name);
            for name in all.filter(|name| self.has_headroom(name)) {
                let speed = speed_and_length(name).map(|(speed, _)| speed);
                let rate = speed.and_then(|speed| speed.checked_mul(1_000_000)).map(Rate::bps);
                profiles.entry(rate).or_default().insert(name.to_owned());
            }
        }
        profiles
    }
}

/// Returns the port of a key: `Ethernet0|3-4`.
pub(super) fn port_of(key: &str) -> &str {
    key.split('|').next().unwrap_or(key)
}
