//! Entries of forwarding tables: the ports by which a switch leads to a host, one or several.
//!
//! Invariant: a set is kept once, however many entries have it. Ports are counted from 0, as in the scenario, in order
//! and each once.

use std::collections::BTreeMap;

use topology::{GroupState, TableRun, written_table};

/// Port of a scenario; its switches have at most 254.
type Port = u8;

/// Several ports, and the way in which the switch chooses among them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PortSet {
    /// At least two ports.
    pub(super) ports: Vec<Port>,
    /// True if the scenario's selection chooses; false for a hash of the flow.
    pub(super) is_selected: bool,
}

/// The entries of all switches, by switch and host.
pub(super) struct Entries {
    hosts: usize,
    places: Vec<u32>,
    sets: Vec<PortSet>,
    index: BTreeMap<PortSet, u32>,
}

/// Place of an entry without a port. The places behind it are single ports, those from [`FIRST_SET`] on sets.
const NONE: u32 = 0;
const FIRST_SET: u32 = 256;
/// Every port, so that an entry with a single port is a slice as well.
const PORTS: [Port; 255] = {
    let mut ports = [0; 255];
    let mut port = 0;
    while port < 255 {
        ports[port] = port as Port;
        port += 1;
    }
    ports
};

impl Entries {
    /// Makes entries without ports.
    pub(super) fn new(switches: usize, hosts: usize) -> Self {
        Self { hosts, places: vec![NONE; switches * hosts], sets: Vec::new(), index: BTreeMap::new() }
    }

    /// Returns the ports of an entry.
    pub(super) fn ports(&self, switch: usize, host: usize) -> &[Port] {
        self.ports_at(self.places[switch * self.hosts + host])
    }

    fn ports_at(&self, place: u32) -> &[Port] {
        match place {
            NONE => &[],
            place @ ..FIRST_SET => core::slice::from_ref(&PORTS[place as usize - 1]),
            place => &self.sets[(place - FIRST_SET) as usize].ports,
        }
    }

    /// Sets the port of an entry.
    pub(super) fn set(&mut self, switch: usize, host: usize, port: Option<Port>) {
        self.places[switch * self.hosts + host] = port.map_or(NONE, |port| u32::from(port) + 1);
    }

    /// Sets the ports of an entry.
    pub(super) fn set_several(&mut self, switch: usize, host: usize, set: &PortSet) {
        let place = self.index.get(set).copied().unwrap_or_else(|| {
            let place = FIRST_SET + self.sets.len() as u32;
            self.sets.push(set.clone());
            self.index.insert(set.clone(), place);
            place
        });
        self.places[switch * self.hosts + host] = place;
    }

    /// Returns the number of entries with several ports: those by the scenario's selection, and those by hash.
    pub(super) fn several(&self) -> [usize; 2] {
        let sets = self.places.iter().filter_map(|place| self.set_at(*place));
        sets.fold([0, 0], |[selected, hashed], set| {
            let is_selected = usize::from(set.is_selected);
            [selected + is_selected, hashed + 1 - is_selected]
        })
    }

    /// Writes the table of a switch as `Tables` takes it. `numbers` are the numbers of its ports.
    pub(super) fn table(&self, switch: usize, numbers: &[u16]) -> String {
        let places = &self.places[switch * self.hosts..(switch + 1) * self.hosts];
        let number = |port: &Port| numbers[usize::from(*port)];
        written_table(places.chunk_by(|a, b| a == b).map(|run| {
            let set = self.set_at(run[0]);
            let state = match set {
                Some(set) if !set.is_selected => GroupState::Hash,
                _ => GroupState::Adaptive,
            };
            TableRun { ports: self.ports_at(run[0]).iter().map(number).collect(), state, hosts: run.len() }
        }))
    }

    fn set_at(&self, place: u32) -> Option<&PortSet> {
        Some(&self.sets[place.checked_sub(FIRST_SET)? as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_written_as_runs_of_ports() {
        let mut entries = Entries::new(2, 6);
        let set = |ports: &[Port], is_selected| PortSet { ports: ports.to_vec(), is_selected };
        entries.set(1, 0, Some(253));
        entries.set(1, 1, Some(0));
        entries.set_several(1, 3, &set(&[1, 2], true));
        entries.set_several(1, 4, &set(&[1, 2], true));
        entries.set_several(1, 5, &set(&[1, 2], false));
        assert_eq!(
            (entries.ports(1, 0), entries.ports(1, 2), entries.ports(1, 5)),
            (&[253][..], &[][..], &[1, 2][..])
        );
        assert_eq!(entries.several(), [2, 1]);
        let numbers: Vec<u16> = (1..=254).collect();
        assert_eq!(entries.table(1, &numbers), "254 1 - 2/3*2 #2/3");
        assert_eq!(entries.table(0, &numbers), "-*6");
        entries.set(1, 3, None);
        assert!(entries.ports(1, 3).is_empty());
    }
}
