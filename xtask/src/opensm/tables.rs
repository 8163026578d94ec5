//! Forwarding tables as text, entry by entry.
//!
//! Invariant: this reads `opensm-lfts.dump` by itself, so that a reader of the simulator is not its own judge.

use std::collections::BTreeMap;

/// Ports by GUID of the switch and LID, as they are written.
pub(super) type Entries = BTreeMap<(String, String), String>;

/// Reads the tables of all switches.
pub(super) fn entries(text: &str) -> Entries {
    let mut entries = Entries::new();
    let mut switch = String::new();
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once(" guid ").filter(|_| line.starts_with("Unicast lids")) {
            switch = rest.split_whitespace().next().unwrap_or_default().to_owned();
        } else if line.starts_with("0x") {
            let mut words = line.split_whitespace().map(str::to_owned);
            if let (Some(lid), Some(port)) = (words.next(), words.next()) {
                entries.insert((switch.clone(), lid), port);
            }
        }
    }
    entries
}

/// Returns the LIDs of hosts: those of entries that a comment calls a channel adapter.
pub(super) fn host_lids(text: &str) -> Vec<&str> {
    let hosts = text.lines().filter(|line| line.starts_with("0x") && line.contains("Channel Adapter"));
    let mut lids: Vec<_> = hosts.filter_map(|line| line.split_whitespace().next()).collect();
    lids.sort_unstable();
    lids.dedup();
    lids
}

/// Returns the first entry for a host in which two dumps differ, in words; `None` if there is none. `before` has comments that
/// tell hosts from switches.
pub(super) fn difference(before: &str, after: &str) -> Option<String> {
    let hosts = host_lids(before);
    let of_hosts = |text: &str| -> Entries {
        let all = entries(text).into_iter();
        all.filter(|((_, lid), _)| hosts.binary_search(&lid.as_str()).is_ok()).collect()
    };
    let (one, other) = (of_hosts(before), of_hosts(after));
    if one.is_empty() {
        return Some("no entry for a host".to_owned());
    }
    let all = one.keys().chain(other.keys());
    all.into_iter().find(|place| one.get(*place) != other.get(*place)).map(|place| {
        let port = |entries: &Entries| entries.get(place).map_or("none", String::as_str).to_owned();
        format!("switch {} LID {}: port {} before, {} after", place.0, place.1, port(&one), port(&other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "Unicast lids [0-3] of switch Lid 2 guid 0x0000000000200000 ('a'):\n\
                        0x0001 001 # Channel Adapter portguid 0x1: 'H1'\n0x0002 000 # Switch portguid 0x2: 'a'\n\
                        0x0003 002 # Channel Adapter portguid 0x3: 'H2'\n3 lids dumped\n";

    #[test]
    fn entries_of_hosts_are_compared() {
        assert_eq!(difference(DUMP, DUMP), None);
        assert_eq!(difference(DUMP, &DUMP.replace("0x0002 000", "0x0002 007")), None);
        let other = difference(DUMP, &DUMP.replace("0x0003 002", "0x0003 004")).expect("one differs");
        assert_eq!(other, "switch 0x0000000000200000 LID 0x0003: port 002 before, 004 after");
        let gone = difference(DUMP, &DUMP.replace("0x0003 002", "# 0x0003 002")).expect("one is gone");
        assert!(gone.ends_with("port 002 before, none after"), "{gone}");
        assert!(difference("", "").is_some());
    }
}
