//! Adaptive routing and switching (ARS) of a SONiC switch.
//!
//! Invariant: every table of ARS has an entry in the account. A switch has a single selection here: objects that
//! differ are a change.
//!
//! | table | fields | in a scenario |
//! |---|---|---|
//! | `ARS_OBJECT` | `assign_mode: per_packet_quality` | `routing: Adaptive`, `switch.selection: LeastLoaded` |
//! | | `per_flowlet_quality`, `flowlet_idle_time` in us | `switch.selection: Flowlet` |
//! | `ARS_PROFILE` | `default_ars_object`; measure of load | the object in force; assumed |
//! | `ARS_INTERFACE`, `ARS_NEXTHOP`, `ARS_NEXTHOP_GROUP` | `ars_obj_name`, `ars_name` | the object in force |
//!
//! Sources: `sonic-ars.yang` of sonic-net/sonic-buildimage (revision 2025-10-30), and the design document of adaptive
//! routing and switching in sonic-net/SONiC (1.0, December 2024), from which switches of before that revision have
//! `ARS_NEXTHOP_GROUP`, `ARS_PORTCHANNEL`, `ARS_QUANTIZATION_BANDS` and `per_packet`.

use std::collections::{BTreeMap, BTreeSet};

use super::Draft;
use super::config::Fields;
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::settings;
use scenario::{Diagnostic, help_with_name};

/// Tables of ARS, by the documents.
pub(super) const TABLES: [&str; 7] = [
    OBJECT,
    PROFILE,
    "ARS_INTERFACE",
    "ARS_NEXTHOP",
    "ARS_NEXTHOP_GROUP",
    "ARS_PORTCHANNEL",
    "ARS_QUANTIZATION_BANDS",
];
/// Beginning of the names of such tables.
pub(super) const BEGINNING: &str = "ARS_";
const OBJECT: &str = "ARS_OBJECT";
const PROFILE: &str = "ARS_PROFILE";
/// Tables with entries that name an object, and the field that does.
const USERS: [(&str, &str); 4] = [
    ("ARS_INTERFACE", "ars_obj_name"),
    ("ARS_NEXTHOP", "ars_obj_name"),
    ("ARS_NEXTHOP_GROUP", "ars_name"),
    ("ARS_PORTCHANNEL", "ars_name"),
];
/// Ways in which an object assigns ports, the last by the older document.
const MODES: [&str; 3] = ["per_flowlet_quality", "per_packet_quality", "per_packet"];
/// Longest idle time of a flowlet, in us: the field has 16 bits.
const LONGEST_IDLE: u64 = 0xFFFF;
/// Most flow states of a selector here.
const MOST_FLOWS: u64 = 65_536;

/// The choice of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Choice {
    EachPacket,
    /// A flow may change its port after this time without a packet, in us, and with this number of states.
    Flowlets(u64, Option<u64>),
}

impl Draft<'_> {
    /// Sets the selection by the objects in force.
    pub(super) fn adaptive(&mut self) -> Result<(), Diagnostic> {
        let mut objects = BTreeMap::new();
        let names: Vec<String> = self.config.entries(OBJECT).map(|(name, _)| name.to_owned()).collect();
        for name in names {
            let choice = self.choice(&name)?;
            objects.insert(name, choice);
        }
        let used = self.used(&objects)?;
        if self.is_off() {
            self.all_unused(
                "`ipv4_enable` and `ipv6_enable` are false: packets go by the hash of their flow",
            );
            return Ok(());
        }
        let choices: BTreeSet<&Choice> = used.iter().map(|name| &objects[name]).collect();
        let Some(first) = choices.first() else {
            self.all_unused(
                "no port, next hop or profile names an object: packets go by the hash of their flow",
            );
            return Ok(());
        };
        let selection = match first {
            Choice::EachPacket => "LeastLoaded".to_owned(),
            Choice::Flowlets(idle, flows) => {
                let entries = flows.map_or(String::new(), |flows| format!(", entries: {flows}"));
                format!("Flowlet(gap: \"{idle} us\", then: LeastLoaded{entries})")
            }
        };
        self.settings.extend(settings::adaptive("Adaptive", &selection));
        let several = choices.len() > 1;
        self.enter_objects(&objects, &used, several);
        self.measure_of_load();
        self.enter_users(&used);
        self.account.push(settings::order_of_packets());
        Ok(())
    }

    /// Reads an object.
    fn choice(&self, name: &str) -> Result<Choice, Diagnostic> {
        let mode = self.config.field(OBJECT, name, "assign_mode").unwrap_or_default();
        let idle = self.number(OBJECT, name, "flowlet_idle_time", LONGEST_IDLE)?;
        let flows = self.number(OBJECT, name, "max_flows", MOST_FLOWS)?;
        match (mode, idle) {
            ("per_packet_quality" | "per_packet", _) => Ok(Choice::EachPacket),
            ("per_flowlet_quality", Some(idle @ 1..)) => {
                Ok(Choice::Flowlets(idle, flows.filter(|flows| *flows > 0)))
            }
            ("per_flowlet_quality", _) => {
                let message = "the object has no idle time after which a flow may change its port";
                let help = "write `\"flowlet_idle_time\"` with 2 to 2047 us";
                Err(self.fault(&[OBJECT, name], message, help))
            }
            ("", _) => {
                let message = "the object does not say how ports are assigned";
                let help = "write `\"assign_mode\": \"per_packet_quality\"` or `\"per_flowlet_quality\"`";
                Err(self.fault(&[OBJECT, name], message, help))
            }
            (other, _) => {
                let message = format!("`{other}` is no way to assign ports");
                let help = help_with_name(other, MODES, "ways");
                Err(self.fault(&[OBJECT, name, "assign_mode"], message, &help))
            }
        }
    }

    /// Returns the names of the objects in force.
    fn used(&self, objects: &BTreeMap<String, Choice>) -> Result<BTreeSet<String>, Diagnostic> {
        let mut used = BTreeSet::new();
        let default = self.config.entries(PROFILE).find_map(|(profile, fields)| {
            Some((profile, fields.get("default_ars_object").filter(|name| !name.is_empty())?))
        });
        if let Some((profile, name)) = default {
            self.known(objects, name, &[PROFILE, profile, "default_ars_object"])?;
            let mode = self.config.field(PROFILE, profile, "ars_nhg_path_selector_mode");
            used.extend((mode == Some("global")).then(|| name.clone()));
        }
        for (table, field) in USERS {
            for (key, fields) in self.config.entries(table) {
                // The older document names the object of an interface in the key: `ARS_INTERFACE|object|Ethernet0`.
                let in_key = key
                    .split_once('|')
                    .map(|(first, _)| first.trim())
                    .filter(|name| objects.contains_key(*name));
                let own = fields.get(field).map(String::as_str).filter(|name| !name.is_empty());
                let name = own.or(in_key).or(default.map(|(_, name)| name.as_str()));
                let Some(name) = name else { continue };
                self.known(objects, name, &[table, key, field])?;
                used.insert(name.to_owned());
            }
        }
        Ok(used)
    }

    fn known(&self, objects: &BTreeMap<String, Choice>, name: &str, at: &[&str]) -> Result<(), Diagnostic> {
        if objects.contains_key(name) {
            return Ok(());
        }
        let message = format!("{OBJECT} has no entry `{name}`");
        let help = help_with_name(name, objects.keys().map(String::as_str), "objects");
        Err(self.fault(at, message, &help))
    }

    /// Returns true if the profile lets no packets be selected.
    fn is_off(&self) -> bool {
        self.config.entries(PROFILE).next().is_some_and(|(_, fields)| {
            ["ipv4_enable", "ipv6_enable"]
                .iter()
                .all(|field| fields.get(*field).is_some_and(|text| text == "false"))
        })
    }

    /// Enters the tables if no packet is selected.
    fn all_unused(&mut self, what: &str) {
        for table in TABLES {
            let entries = self.config.entries(table).count();
            if entries > 0 {
                self.note(table, format!("{entries} entries"), KeyFate::NotUsed, what);
            }
        }
    }

    fn enter_objects(&mut self, objects: &BTreeMap<String, Choice>, used: &BTreeSet<String>, several: bool) {
        for name in objects.keys() {
            let key = format!("{OBJECT}.{name}");
            let given = self.config.field(OBJECT, name, "assign_mode").unwrap_or_default().to_owned();
            let (fate, what) = match (used.contains(name), several) {
                (false, _) => (KeyFate::NotUsed, "nothing names the object"),
                (true, false) => (KeyFate::Used, "`routing: Adaptive`, `switch.selection`"),
                (true, true) => {
                    let what = "objects in force differ: the switch has one selection, the finest of them";
                    (KeyFate::Changed, what)
                }
            };
            self.note(&key, given, fate, what);
        }
        let fields = |draft: &Self, field: &str| -> Vec<String> {
            let own = draft.config.entries(OBJECT).filter(|(name, _)| used.contains(*name));
            own.filter_map(|(_, fields)| fields.get(field).cloned()).collect()
        };
        for (field, fate, what) in [
            ("max_flows", KeyFate::Used, "`switch.selection.entries` of `Flowlet`"),
            ("primary_path_threshold", KeyFate::NotUsed, "only alternative paths need it"),
            ("alternative_path_cost", KeyFate::NotUsed, "only alternative paths need it"),
        ] {
            let given = fields(self, field);
            if !given.is_empty() {
                self.account.push(KeyAccount::new(
                    format!("{OBJECT}.*.{field}"),
                    given.join(", "),
                    fate,
                    what,
                ));
            }
        }
    }

    /// Enters the profile: the measure of load.
    fn measure_of_load(&mut self) {
        let Some((name, fields)) = self.config.entries(PROFILE).next() else { return };
        let (name, fields) = (name.to_owned(), fields.clone());
        let what = "the measure of load: here the bytes that wait at the output and lane, then the far end's pauses or \
                    credits; weights, ranges and interval of past and future load have no counterpart";
        self.note(
            &format!("{PROFILE}.{name}"),
            format!("{} fields", fields.len()),
            KeyFate::Approximated,
            what,
        );
        let bands = self.config.entries("ARS_QUANTIZATION_BANDS").count();
        if bands > 0 {
            let what = "bands of load in Mb/s: `switch.selection.levels` are bands of bytes";
            self.note("ARS_QUANTIZATION_BANDS", format!("{bands} entries"), KeyFate::Approximated, what);
        }
        for field in ["ipv4_enable", "ipv6_enable"] {
            if fields.get(field).is_some_and(|text| text == "false") {
                let what = "packets here are of either: all are selected";
                self.note(&format!("{PROFILE}.{name}.{field}"), "false", KeyFate::Approximated, what);
            }
        }
    }

    /// Enters the ports, next hops and groups.
    fn enter_users(&mut self, used: &BTreeSet<String>) {
        for (table, _) in USERS {
            let entries: Vec<Fields> = self.config.entries(table).map(|(_, fields)| fields.clone()).collect();
            if entries.is_empty() {
                continue;
            }
            let given = format!("{} entries", entries.len());
            let is_alternative = |fields: &Fields| {
                fields.get("role").is_some_and(|role| role == "alternative_path")
                    || fields.contains_key("alternative_path_members")
            };
            let (fate, what) = if entries.iter().any(is_alternative) {
                (
                    KeyFate::Changed,
                    "alternative paths, taken at a cost: here all ports of a group are on shortest paths",
                )
            } else if table == "ARS_PORTCHANNEL" {
                let what = "members of a port channel: here cables to one neighbour are ports of the same group as others";
                (KeyFate::Changed, what)
            } else if used.is_empty() {
                (KeyFate::NotUsed, "no object is in force")
            } else {
                (KeyFate::Approximated, "taken for all ports on shortest paths, at every switch")
            };
            self.note(table, given, fate, what);
        }
    }

    /// Enters rules that take packets from the selection.
    pub(super) fn adaptive_rules(&mut self) {
        let is_one = |fields: &Fields| {
            fields.iter().any(|(field, value)| {
                field.eq_ignore_ascii_case("disable_ars_forwarding") && value.eq_ignore_ascii_case("true")
            })
        };
        let rules = self.config.entries("ACL_RULE").filter(|(_, fields)| is_one(fields));
        let names: Vec<String> = rules.map(|(key, _)| key.to_owned()).collect();
        if let Some(first) = names.first() {
            let what = "rules that take packets from the selection: `switch.selected_packets` knows levels, services and sizes";
            self.note(&format!("ACL_RULE.{first}"), format!("{} rules", names.len()), KeyFate::Changed, what);
        }
    }
}
