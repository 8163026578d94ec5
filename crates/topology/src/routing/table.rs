//! The forwarding table of a switch: the output port for each host.
//!
//! Invariant: a packet's output follows from its destination and, among equally good ports, from its flow. Packets of
//! a flow therefore never overtake each other on different paths. An entry is a byte; only tables with choices need
//! two more bytes an entry.

use std::sync::Arc;

use event_kernel::finalise;
use packet::{Lid, PortId};

/// Entry of a host that no port leads to. External ports are counted from 0 to 253.
pub(super) const NOWHERE: u8 = u8::MAX;
/// Entry of a host that several ports lead to.
const SEVERAL: u8 = u8::MAX - 1;

/// Output ports by LID: a linear table as in IBA 14.2.5.10, or a table with several ports an entry. Switches that
/// hash a packet's flow have the latter. Copies share their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardingTable {
    /// Entries by LID, from 0 to the number of hosts.
    entries: Arc<[u8]>,
    choices: Option<Arc<PortChoices>>,
}

/// Equally good ports, among which a flow's key chooses.
#[derive(Debug, PartialEq, Eq)]
struct PortChoices {
    /// Makes the same key choose independently at different switches.
    salt: u64,
    /// Index of a set of ports, by LID; used for entries with several ports.
    places: Box<[u16]>,
    sets: Arc<PortSets>,
}

/// Sets of ports, each in order.
pub(super) type PortSets = Vec<Box<[u8]>>;

impl ForwardingTable {
    /// Makes a linear table from its entries.
    pub(super) fn linear(entries: Arc<[u8]>) -> Self {
        Self { entries, choices: None }
    }

    /// Makes the table of a switch from the indices of sets, by LID. `salt` is the switch's own.
    pub(super) fn multipath(salt: u64, places: &[u16], sets: &Arc<PortSets>) -> Self {
        let entry = |place: &u16| match *sets[usize::from(*place)] {
            [] => NOWHERE,
            [port] => port,
            _ => SEVERAL,
        };
        let entries: Arc<[u8]> = places.iter().map(entry).collect();
        let choices = entries
            .contains(&SEVERAL)
            .then(|| Arc::new(PortChoices { salt, places: places.into(), sets: Arc::clone(sets) }));
        Self { entries, choices }
    }

    /// Returns the port by which a packet to this address leaves; [`None`] if no port leads there. `key` is called
    /// only for an entry with several ports. The same key makes independent choices at different switches.
    #[must_use]
    #[inline]
    pub fn output(&self, to: Lid, key: impl FnOnce() -> u64) -> Option<PortId> {
        match *self.entries.get(to.index())? {
            NOWHERE => None,
            SEVERAL => self.chosen(to, key()),
            port => Some(PortId(port.into())),
        }
    }

    /// Prefetches the entry of an address.
    #[inline]
    pub fn prefetch(&self, to: Lid) {
        if let Some(entry) = self.entries.get(to.index()) {
            prefetch::prefetch(entry);
        }
    }

    /// Returns the port that the key chooses among several.
    fn chosen(&self, to: Lid, key: u64) -> Option<PortId> {
        let choices = self.choices.as_ref()?;
        let set = &choices.sets[usize::from(choices.places[to.index()])];
        // Multiply-shift of a word that depends on every bit of the key and the salt: no division, and no bias
        // that matters at 254 ports.
        let place = (u128::from(finalise(key ^ choices.salt)) * set.len() as u128) >> 64;
        Some(PortId(set[usize::try_from(place as u64).expect("a place in the set")].into()))
    }

    /// Returns every port by which a packet to this address may leave, in order.
    pub fn ports(&self, to: Lid) -> impl Iterator<Item = PortId> {
        let entry = self.entries.get(to.index()).copied().unwrap_or(NOWHERE);
        let single = Some(entry).filter(|entry| *entry < SEVERAL);
        let several = self.choices.as_ref().filter(|_| entry == SEVERAL);
        let several = several.map(|choices| &choices.sets[usize::from(choices.places[to.index()])]);
        single.into_iter().chain(several.into_iter().flatten().copied()).map(|port| PortId(port.into()))
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
