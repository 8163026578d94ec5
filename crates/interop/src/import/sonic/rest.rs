//! Tables of a SONiC switch that set no field of a scenario.
//!
//! Invariant: a table that could change what happens to packets is a change, unless its content says otherwise.

use std::collections::BTreeSet;

use super::config::Fields;
use super::tables::{CONCERNED, WITHOUT_EFFECT, is_known};
use super::{Draft, adaptive, referred};
use crate::import::account::KeyFate;

impl Draft<'_> {
    /// Enters the other tables.
    pub(super) fn rest(&mut self) {
        self.watchdog();
        self.schedulers();
        self.link_retry();
        self.asymmetric_pauses();
        self.adaptive_rules();
        let mut others = Vec::new();
        let names: Vec<(String, usize)> =
            self.config.tables.iter().map(|(name, entries)| (name.clone(), entries.len())).collect();
        for (name, entries) in names {
            let given = format!("{entries} entries");
            if let Some((_, what)) = WITHOUT_EFFECT.iter().find(|(known, _)| *known == name) {
                self.note(&name, given, KeyFate::NotUsed, *what);
            } else if is_known(&name) {
                // These have entries of their own.
            } else if name.starts_with(adaptive::BEGINNING) && entries > 0 {
                let what = "no table of the documents of adaptive routing and switching (ARS)";
                self.note(&name, given, KeyFate::Changed, what);
            } else if CONCERNED.iter().any(|part| name.contains(part)) && entries > 0 {
                let what =
                    "this reader does not know the table, which by its name concerns queues, buffers or PFC";
                self.note(&name, given, KeyFate::Changed, what);
            } else {
                others.push(format!("`{name}`"));
            }
        }
        if !others.is_empty() {
            let first = others.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
            let what = format!("{first} and others: they concern neither queues nor PFC");
            self.note("(other tables)", others.len().to_string(), KeyFate::NotUsed, what);
        }
    }

    /// Enters the watchdog of PFC, which acts by `drop` unless its entry says otherwise.
    fn watchdog(&mut self) {
        let ports: Vec<&Fields> = self
            .config
            .entries("PFC_WD")
            .filter(|(key, _)| *key != "GLOBAL")
            .map(|(_, fields)| fields)
            .collect();
        let action = |fields: &&&Fields| fields.get("action").map_or("drop", String::as_str) != "alert";
        let (count, acting) = (ports.len(), ports.iter().filter(action).count());
        let times: BTreeSet<String> =
            ports.iter().filter_map(|fields| fields.get("detection_time").cloned()).collect();
        if !self.config.tables.contains_key("PFC_WD") {
            return;
        }
        let given = format!("{count} ports");
        if acting == 0 {
            self.note("PFC_WD", given, KeyFate::NotUsed, "the watchdog only reports");
            return;
        }
        let after = if times.is_empty() {
            String::new()
        } else {
            format!(" after {} ms", times.into_iter().collect::<Vec<_>>().join(", "))
        };
        let what = format!(
            "no watchdog: there an output that stays paused is emptied{after}; here it waits, and a deadlock is proved and named"
        );
        self.note("PFC_WD", given, KeyFate::Changed, what);
    }

    /// Enters the schedulers of the queues of lanes. Equal weights are turns.
    fn schedulers(&mut self) {
        let Some(all) = self.config.tables.get("SCHEDULER") else { return };
        let given = format!("{} entries", all.len());
        let priorities = self.usual_priorities().unwrap_or_default();
        let is_lane = |key: &str| {
            let queues = key.rsplit('|').next().unwrap_or_default();
            let (first, last) = queues.split_once('-').unwrap_or((queues, queues));
            let range = first.parse::<u8>().ok().zip(last.parse::<u8>().ok());
            priorities.is_empty()
                || range
                    .is_some_and(|(first, last)| priorities.iter().any(|own| (first..=last).contains(own)))
        };
        let queues = self.config.entries("QUEUE").filter(|(key, _)| is_lane(key));
        let names: BTreeSet<&str> =
            queues.map(|(_, fields)| referred(fields, "scheduler")).filter(|name| !name.is_empty()).collect();
        let own: BTreeSet<Option<&Fields>> = names.iter().map(|name| all.get(*name)).collect();
        let is_turn = |fields: &Option<&Fields>| {
            let kind = fields.and_then(|fields| fields.get("type")).map(String::as_str);
            matches!(kind, Some("DWRR" | "WRR"))
        };
        let limits = own
            .iter()
            .flatten()
            .any(|fields| fields.keys().any(|key| key.contains("ir") || key.contains("bs")));
        let (fate, what) = if names.is_empty() {
            (KeyFate::NotUsed, "no queue of a lane names one")
        } else if own.len() == 1 && own.iter().all(is_turn) && !limits {
            (KeyFate::Used, "queues of lanes have one weight: lanes take turns")
        } else {
            (
                KeyFate::Changed,
                "queues of lanes have other weights, strict priority or limits of rate: here lanes take turns, and `link.vl_arbitration` gives weights",
            )
        };
        self.note("SCHEDULER", given, fate, what);
    }

    /// Enters the retry of damaged frames by links.
    fn link_retry(&mut self) {
        let tables: Vec<(String, usize)> = self
            .config
            .tables
            .iter()
            .filter(|(name, _)| name.starts_with("LLR_"))
            .map(|(name, entries)| (name.clone(), entries.len()))
            .collect();
        let is_on = |fields: &Fields| {
            ["llr_local", "llr_remote"]
                .iter()
                .any(|end| fields.get(*end).is_some_and(|text| text == "enabled"))
        };
        let ports: Vec<&Fields> = self.config.entries("LLR_PORT").map(|(_, fields)| fields).collect();
        let off = !ports.is_empty() && !ports.into_iter().any(is_on);
        for (name, entries) in tables {
            let (fate, what) = if off {
                (KeyFate::NotUsed, "no port has link layer retry enabled")
            } else {
                (
                    KeyFate::Changed,
                    "no link layer retry: links damage no frames here, and have no replay buffer that could fill",
                )
            };
            self.note(&name, format!("{entries} entries"), fate, what);
        }
    }

    /// Enters ports that obey pauses of all priorities, and request those of their own.
    fn asymmetric_pauses(&mut self) {
        let on = |(_, fields): &(&str, &Fields)| fields.get("pfc_asym").is_some_and(|text| text == "on");
        let ports: Vec<String> =
            self.config.entries("PORT").filter(on).map(|(port, _)| port.to_owned()).collect();
        if let Some(first) = ports.first() {
            let what =
                format!("{} ports obey pauses of all priorities; here of those with PFC alone", ports.len());
            self.note(&format!("PORT.{first}.pfc_asym"), "on", KeyFate::Changed, what);
        }
    }
}
