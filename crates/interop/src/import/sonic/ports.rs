//! Ports of a SONiC switch: their speeds, their cables' lengths, and their priorities with PFC.

use std::collections::{BTreeMap, BTreeSet};

use units::Rate;

use super::Draft;
use super::printed::{FASTEST, metres};
use crate::import::account::KeyFate;
use crate::import::source::decimal;
use scenario::Diagnostic;

/// Payload and headers of the longest IP packet at a port that states none: SONiC's own.
const USUAL_MTU: u64 = 9100;

/// Ports that are not shut down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ports {
    pub(super) speeds: BTreeMap<String, Rate>,
    /// Lengths of cables, in metres; none for a port that is declared to have no cable.
    pub(super) lengths: BTreeMap<String, u64>,
    /// Longest IP packet.
    pub(super) mtu: u64,
}

impl Draft<'_> {
    /// Reads the ports, and enters their speeds and lengths.
    pub(super) fn ports(&mut self) -> Result<Ports, Diagnostic> {
        let ports = self.read_ports()?;
        if !ports.speeds.is_empty() {
            let rates: BTreeSet<_> = ports.speeds.values().collect();
            let rates = rates.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let what = format!("{rates}: thresholds by the speed of a port; cables are the scenario's own");
            self.note("PORT", format!("{} ports", ports.speeds.len()), KeyFate::Used, what);
        }
        if !ports.lengths.is_empty() {
            let lengths: BTreeSet<_> = ports.lengths.values().collect();
            let lengths =
                lengths.into_iter().map(|length| format!("{length}m")).collect::<Vec<_>>().join(", ");
            let what = format!(
                "{lengths}: choose profiles; compared with the scenario's cables, and those of a draft without `--into`"
            );
            self.note("CABLE_LENGTH", format!("{} ports", ports.lengths.len()), KeyFate::Used, what);
        }
        Ok(ports)
    }

    /// Reads the ports without an entry in the account.
    pub(super) fn read_ports(&self) -> Result<Ports, Diagnostic> {
        let mut ports = Ports { mtu: 0, ..Ports::default() };
        let mut down = BTreeSet::new();
        for (port, fields) in self.config.entries("PORT") {
            let speed = self.number("PORT", port, "speed", FASTEST)?;
            if fields.get("admin_status").is_some_and(|status| status == "down") {
                down.insert(port.to_owned());
            } else if let Some(speed) = speed.filter(|speed| *speed > 0) {
                ports.speeds.insert(port.to_owned(), Rate::bps(speed * 1_000_000));
                ports.mtu = ports.mtu.max(self.number("PORT", port, "mtu", 65_535)?.unwrap_or(0));
            }
        }
        if ports.mtu == 0 {
            ports.mtu = USUAL_MTU;
        }
        // The table has an entry a group of ports, `AZURE` as a rule, with a field a port.
        for (group, fields) in self.config.entries("CABLE_LENGTH") {
            for (port, text) in fields.iter().filter(|(port, _)| !down.contains(*port)) {
                let length = metres(text).ok_or_else(|| {
                    let help = "write metres: `40m`, or `0m` for a port without a cable";
                    self.fault(&["CABLE_LENGTH", group, port], format!("`{text}` is not a length"), help)
                })?;
                if length > 0 {
                    ports.lengths.insert(port.clone(), length);
                }
            }
        }
        Ok(ports)
    }

    /// Returns the priorities with PFC of the ports that have any.
    pub(super) fn lossless(&self) -> Result<BTreeMap<String, BTreeSet<u8>>, Diagnostic> {
        let mut ports = BTreeMap::new();
        for (port, fields) in self.config.entries("PORT_QOS_MAP") {
            let Some(text) = fields.get("pfc_enable").filter(|text| !text.is_empty()) else { continue };
            let words = text.split(',');
            let priorities = words.map(|word| decimal(word.trim()).filter(|priority| *priority < 8));
            let priorities: Option<BTreeSet<u8>> = priorities.collect();
            let priorities = priorities.ok_or_else(|| {
                let message = format!("`{text}` is not a list of priorities");
                let help = "write priorities from 0 to 7: `3,4`";
                self.fault(&["PORT_QOS_MAP", port, "pfc_enable"], message, help)
            })?;
            ports.insert(port.to_owned(), priorities);
        }
        Ok(ports)
    }

    /// Returns the ports that are up and have PFC at no priority; none if no port has a map.
    fn without_pfc(&self) -> Vec<String> {
        let is_port = |port: &&str| {
            port.starts_with("Ethernet") && self.config.field("PORT", port, "admin_status") != Some("down")
        };
        let mapped: BTreeSet<&str> =
            self.config.entries("PORT_QOS_MAP").map(|(port, _)| port).filter(is_port).collect();
        if mapped.is_empty() {
            return Vec::new();
        }
        let listed = self.config.entries("PORT").map(|(port, _)| port).filter(is_port);
        let all: BTreeSet<&str> = mapped.into_iter().chain(listed).collect();
        let has =
            |port: &&str| !self.config.field("PORT_QOS_MAP", port, "pfc_enable").unwrap_or("").is_empty();
        all.into_iter().filter(|port| !has(port)).map(str::to_owned).collect()
    }

    /// Returns the priorities with PFC that most ports have; none if no port has any.
    pub(super) fn usual_priorities(&self) -> Result<Vec<u8>, Diagnostic> {
        let mut sets: BTreeMap<BTreeSet<u8>, usize> = BTreeMap::new();
        for priorities in self.lossless()?.into_values() {
            *sets.entry(priorities).or_default() += 1;
        }
        let most = sets.into_iter().max_by_key(|(_, count)| *count);
        Ok(most.map_or_else(Vec::new, |(priorities, _)| priorities.into_iter().collect()))
    }

    /// Sets the lanes of priorities with PFC. Returns their number.
    pub(super) fn priorities(&mut self) -> Result<usize, Diagnostic> {
        let priorities = self.usual_priorities()?;
        let without = self.without_pfc();
        if !without.is_empty() {
            let what = if priorities.is_empty() {
                "no port has PFC: here lane 0 has it at every port"
            } else {
                "these ports have no PFC, and others do: here all have it"
            };
            let given = format!("{} ports, {} first", without.len(), without[0]);
            self.note("PORT_QOS_MAP.pfc_enable", given, KeyFate::Changed, what);
        }
        if priorities.is_empty() {
            return Ok(1);
        }
        let pairs: Vec<_> =
            priorities.iter().enumerate().map(|(lane, priority)| format!("{priority}: {lane}")).collect();
        let lanes = priorities.len();
        self.set("link.data_lanes", lanes.to_string());
        self.set("link.sl_to_vl", format!("{{{}}}", pairs.join(", ")));
        let given = format!("{priorities:?}");
        let differ = self.lossless()?.into_values().any(|own| !own.iter().eq(&priorities));
        let (fate, what) = if differ {
            (KeyFate::Changed, "ports differ in `pfc_enable`: that of most, for all".to_owned())
        } else {
            let what = format!(
                "service levels {given} have lanes 0 to {}, with PFC; traffic of other levels takes them too, by their number modulo the lanes",
                lanes - 1
            );
            (KeyFate::Used, what)
        };
        self.note("PORT_QOS_MAP", given, fate, what);
        let what = "priorities without PFC carry nothing here";
        self.note("(other priorities)", "", KeyFate::Approximated, what);
        Ok(lanes)
    }
}
