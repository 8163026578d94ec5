//! Entries of `switches` and `adapters`: the settings of nodes that differ, by name or pattern.
//!
//! Invariant: one entry holds for a node. A name has precedence over a pattern that matches it (and inherits from it:
//! `format::inherit`); the check refuses a node that two patterns match, and an entry that matches no node.

use std::collections::BTreeMap;

use settings::{FieldPath, glob};
use topology::Graph;

use crate::format::Scenario;
use crate::text::Faults;
use settings::nearest;

/// Returns the entry that holds for a node of this name.
pub(super) fn entry_of<'a, S>(entries: &'a BTreeMap<String, S>, name: &str) -> Option<(&'a str, &'a S)> {
    let own = entries.get_key_value(name);
    let entry = own.or_else(|| entries.iter().find(|(entry, _)| matches(entry, name)));
    entry.map(|(entry, settings)| (entry.as_str(), settings))
}

/// Returns the settings that hold for a node of this name, and their path: those of its entry in the field `entries`, or else
/// `others`.
pub(crate) fn settings_of<'a, S>(
    (field, entries): (&str, &'a BTreeMap<String, S>),
    (other, others): (&str, &'a S),
    name: &str,
) -> (FieldPath, &'a S) {
    match entry_of(entries, name) {
        Some((entry, own)) => (FieldPath::from(field).name(entry), own),
        None => (FieldPath::from(other), others),
    }
}

fn matches(entry: &str, name: &str) -> bool {
    glob::is_wild(entry) && glob::matches(entry, name)
}

/// Nodes of one kind, in words.
#[derive(Clone, Copy)]
struct Kind {
    field: &'static str,
    one: &'static str,
    all: &'static str,
}

const SWITCHES: Kind = Kind { field: "switches", one: "switch", all: "switches" };
const HOSTS: Kind = Kind { field: "adapters", one: "host", all: "hosts" };

/// Checks that every entry matches a node, and that no two patterns match the same.
pub(super) fn check(scenario: &Scenario, graph: &Graph, faults: &mut Faults<'_>) {
    if scenario.switches.is_empty() && scenario.adapters.is_empty() {
        return;
    }
    let all: Vec<&str> = graph.names().collect();
    let (hosts, switches) = all.split_at(graph.hosts());
    let of_switches: Vec<&str> = scenario.switches.keys().map(String::as_str).collect();
    check_entries(&of_switches, (SWITCHES, switches), (HOSTS, hosts), faults);
    let of_adapters: Vec<&str> = scenario.adapters.keys().map(String::as_str).collect();
    check_entries(&of_adapters, (HOSTS, hosts), (SWITCHES, switches), faults);
}

fn check_entries(
    entries: &[&str],
    (kind, right): (Kind, &[&str]),
    (other, wrong): (Kind, &[&str]),
    faults: &mut Faults<'_>,
) {
    for (i, entry) in entries.iter().enumerate() {
        let path = FieldPath::from(kind.field).name(entry);
        let is_meant = |name: &&&str| *entry == **name || matches(entry, name);
        let found: Vec<&str> = right.iter().filter(is_meant).copied().collect();
        if found.is_empty() {
            let is_other = wrong.iter().any(|name| is_meant(&name));
            unknown(&path, entry, kind, is_other.then_some(other), right, faults);
        } else if glob::is_wild(entry) {
            let double = |earlier: &&&str| found.iter().any(|name| matches(earlier, name));
            if let Some(earlier) = entries[..i].iter().find(double) {
                let name = found.iter().find(|name| matches(earlier, name)).unwrap_or(earlier);
                let message = format!("`{earlier}` matches {} `{name}` too", kind.one);
                faults.add_name(&path, message, "write patterns of which one matches each name; an entry of a name's own inherits from it");
            }
        }
    }
}

/// Reports an entry that holds for no node of its kind.
fn unknown(
    path: &FieldPath,
    entry: &str,
    kind: Kind,
    other: Option<Kind>,
    right: &[&str],
    faults: &mut Faults<'_>,
) {
    let Kind { one, all, .. } = kind;
    let (message, help) = match (other, glob::is_wild(entry)) {
        (Some(other), true) => (
            format!("`{entry}` matches {}, and no {one}", other.all),
            format!("write it in `{}`", other.field),
        ),
        (Some(other), false) => {
            (format!("`{entry}` is a {}, not a {one}", other.one), format!("write it in `{}`", other.field))
        }
        (None, true) => (format!("no {one} matches `{entry}`"), nearest::help(entry, right, all)),
        (None, false) => (format!("there is no {one} `{entry}`"), nearest::help(entry, right, all)),
    };
    faults.add_name(path, message, help);
}
