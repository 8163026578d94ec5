//! The forwarding table of a switch: the output port for each host, or the group of ports among which the switch
//! chooses.
//!
//! Invariant: without a selector a packet's output follows from its destination and, among the ports of a group, from
//! its flow. Packets of a flow then never overtake each other on different paths. An entry is a byte; only tables with
//! groups need two more bytes an entry.

use std::sync::Arc;

use packet::{Lid, PortId};

use super::group::{GroupState, PortGroup};

/// Entry of a host that no port leads to. External ports are counted from 0 to 253.
pub(super) const NOWHERE: u8 = u8::MAX;
/// Entry of a host that several ports lead to.
const SEVERAL: u8 = u8::MAX - 1;

/// Output ports by LID: a linear table as in IBA 14.2.5.10, or a table with groups of ports. Switches that choose a
/// port for each flow or packet have the latter. Copies share their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardingTable {
    /// Entries by LID, from 0 to the number of hosts.
    entries: Arc<[u8]>,
    choices: Option<Arc<PortChoices>>,
}

/// The groups of a table.
#[derive(Debug, PartialEq, Eq)]
struct PortChoices {
    /// Makes the same key choose independently at different switches.
    salt: u64,
    /// Number of a group, by LID; used for entries with several ports.
    places: Box<[u16]>,
    groups: Arc<[GroupPorts]>,
}

/// The ports of a group: preferred ports first, else in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GroupPorts {
    pub(super) ports: Box<[u8]>,
    pub(super) preferred: u8,
    pub(super) state: GroupState,
}

impl ForwardingTable {
    /// Makes a linear table from its entries.
    pub(super) fn linear(entries: Arc<[u8]>) -> Self {
        Self { entries, choices: None }
    }

    /// Makes the table of a switch from the numbers of groups, by LID. `salt` is the switch's own.
    pub(super) fn grouped(salt: u64, places: &[u16], groups: &Arc<[GroupPorts]>) -> Self {
        let entry = |place: &u16| match *groups[usize::from(*place)].ports {
            [] => NOWHERE,
            [port] => port,
            _ => SEVERAL,
        };
        let entries: Arc<[u8]> = places.iter().map(entry).collect();
        let choices = entries
            .contains(&SEVERAL)
            .then(|| Arc::new(PortChoices { salt, places: places.into(), groups: Arc::clone(groups) }));
        Self { entries, choices }
    }

    /// Returns the port by which a packet to this address leaves if it may not choose; [`None`] if no port leads there.
    /// `key` is called only for an entry with several ports. The same key makes independent choices at different
    /// switches.
    #[must_use]
    #[inline]
    pub fn output(&self, to: Lid, key: impl FnOnce() -> u64) -> Option<PortId> {
        self.output_by(to, |group| group.fixed(key()))
    }

    /// Returns the port by which a packet to this address leaves; [`None`] if no port leads there. `choose` is called
    /// only for an entry with several ports.
    #[inline]
    pub fn output_by(&self, to: Lid, choose: impl FnOnce(PortGroup<'_>) -> PortId) -> Option<PortId> {
        match *self.entries.get(to.index())? {
            NOWHERE => None,
            SEVERAL => self.several(to).map(choose),
            port => Some(PortId(port.into())),
        }
    }

    /// Returns the port by which every packet to this address leaves; [`None`] if there is none, or a choice.
    #[must_use]
    #[inline]
    pub fn only(&self, to: Lid) -> Option<PortId> {
        self.entries.get(to.index()).filter(|entry| **entry < SEVERAL).map(|port| PortId((*port).into()))
    }

    /// Returns the ports by which packets to this address may leave, also if there is only one; [`None`] if no port
    /// leads there.
    #[must_use]
    pub fn group(&self, to: Lid) -> Option<PortGroup<'_>> {
        let at = to.index();
        match *self.entries.get(at)? {
            NOWHERE => None,
            SEVERAL => self.several(to),
            _ => Some(PortGroup {
                ports: &self.entries[at..=at],
                preferred: 1,
                state: GroupState::Static,
                number: 0,
                salt: 0,
            }),
        }
    }

    /// Returns every port by which a packet to this address may leave, in the order of its group. `key` is the
    /// packet's; `None` for all packets of a flow that differ in theirs, which may take any port of a group that is
    /// hashed. Only a packet that `is_selected` may take any port of an adaptive group.
    pub fn outputs_of(
        &self,
        to: Lid,
        key: Option<u64>,
        is_selected: bool,
    ) -> impl Iterator<Item = PortId> + Clone + '_ {
        let group = self.group(to);
        let (all, one) = match group {
            Some(group) if is_selected && group.state() == GroupState::Adaptive => (Some(group), None),
            Some(group) => match key {
                Some(key) if group.len() > 1 => (None, Some(group.fixed(key))),
                None if group.state() != GroupState::Static => (Some(group), None),
                _ => (None, Some(group.port(0))),
            },
            None => (None, None),
        };
        all.into_iter().flat_map(PortGroup::ports).chain(one)
    }

    /// Returns the number of groups that [`PortGroup::number`] may name in this table; 0 if every entry has at most a
    /// single port.
    #[must_use]
    pub fn groups(&self) -> usize {
        let Some(choices) = &self.choices else { return 0 };
        let several = self.entries.iter().zip(&choices.places).filter(|(entry, _)| **entry == SEVERAL);
        several.map(|(_, place)| usize::from(*place) + 1).max().unwrap_or(0)
    }

    /// Prefetches the entry of an address.
    #[inline]
    pub fn prefetch(&self, to: Lid) {
        if let Some(entry) = self.entries.get(to.index()) {
            prefetch::prefetch(entry);
        }
    }

    /// Returns the group of an entry with several ports.
    #[inline]
    fn several(&self, to: Lid) -> Option<PortGroup<'_>> {
        let choices = self.choices.as_ref()?;
        let number = choices.places[to.index()];
        let GroupPorts { ports, preferred, state } = &choices.groups[usize::from(number)];
        Some(PortGroup { ports, preferred: *preferred, state: *state, number, salt: choices.salt })
    }

    /// Returns every port by which a packet to this address may leave, in the order of its group.
    pub fn ports(&self, to: Lid) -> impl Iterator<Item = PortId> {
        self.group(to).into_iter().flat_map(PortGroup::ports)
    }

    /// Returns the first of [`ports`](Self::ports) by LID, from 0 to the number of hosts.
    pub fn first_ports(&self) -> impl ExactSizeIterator<Item = Option<PortId>> {
        (0..self.entries.len() as u32).map(|lid| self.ports(Lid(lid)).next())
    }

    /// Returns the entries by LID. Tables that share them have the same address.
    pub(super) fn entries(&self) -> &Arc<[u8]> {
        &self.entries
    }
}

/// Makes a linear table from the ports by LID, from LID 0 on.
///
/// # Panics
/// If a port's number is over 253.
impl FromIterator<Option<PortId>> for ForwardingTable {
    fn from_iter<T: IntoIterator<Item = Option<PortId>>>(ports: T) -> Self {
        Self::linear(ports.into_iter().map(|port| port.map_or(NOWHERE, entry)).collect())
    }
}

pub(super) fn entry(port: PortId) -> u8 {
    u8::try_from(port.0).ok().filter(|entry| *entry < SEVERAL).expect("at most 254 ports, from 0 on")
}
