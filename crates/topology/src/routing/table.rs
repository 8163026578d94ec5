//! The forwarding table of one switch: which port leads to which host.
//!
//! Invariant: a packet's output follows from its destination and, where several ports are equally good, its flow:
//! packets of one flow never overtake each other on different ways. An entry is a byte; only tables with choices
//! have two more an entry.

use std::sync::Arc;

use event_kernel::finalise;
use packet::{Lid, PortId};

/// In a table: nothing leads there. External ports are counted from 0 to 253.
pub(super) const NOWHERE: u8 = u8::MAX;
/// In a table: several ports lead there.
const SEVERAL: u8 = u8::MAX - 1;

/// Output ports by LID: linear, as IBA 14.2.5.10 has it, or with several ports an entry, as switches have it that
/// hash a packet's flow. Copies share their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardingTable {
    /// By LID, from 0 to the number of hosts.
    entries: Arc<[u8]>,
    choices: Option<Arc<Choices>>,
}

/// Equally good ports, of which a flow's key chooses one.
#[derive(Debug, PartialEq, Eq)]
struct Choices {
    /// What makes the same key choose independently at different switches.
    salt: u64,
    /// By LID, the place of a set; meant where there are several ports.
    places: Box<[u16]>,
    sets: Arc<Sets>,
}

/// Sets of ports, each in order.
pub(super) type Sets = Vec<Box<[u8]>>;

impl ForwardingTable {
    pub(super) fn linear(entries: Arc<[u8]>) -> Self {
        Self { entries, choices: None }
    }

    /// A table of a switch whose entries are the places of sets. `salt` is the switch's own.
    pub(super) fn multipath(salt: u64, places: &[u16], sets: &Arc<Sets>) -> Self {
        let entry = |place: &u16| match *sets[usize::from(*place)] {
            [] => NOWHERE,
            [port] => port,
            _ => SEVERAL,
        };
        let entries: Arc<[u8]> = places.iter().map(entry).collect();
        let choices = entries
            .contains(&SEVERAL)
            .then(|| Arc::new(Choices { salt, places: places.into(), sets: Arc::clone(sets) }));
        Self { entries, choices }
    }

    /// The port by which a packet to this address leaves, [`None`] if nothing leads there. `key` is asked for only
    /// where several ports lead there: the same key at different switches makes independent choices.
    #[must_use]
    #[inline]
    pub fn output(&self, to: Lid, key: impl FnOnce() -> u64) -> Option<PortId> {
        match *self.entries.get(to.index())? {
            NOWHERE => None,
            SEVERAL => self.chosen(to, key()),
            port => Some(PortId(port.into())),
        }
    }

    fn chosen(&self, to: Lid, key: u64) -> Option<PortId> {
        let choices = self.choices.as_ref()?;
        let set = &choices.sets[usize::from(choices.places[to.index()])];
        // Multiply-shift of a word that every bit of the key and the switch moves: no division, no bias
        // that matters at 254 ports.
        let place = (u128::from(finalise(key ^ choices.salt)) * set.len() as u128) >> 64;
        Some(PortId(set[place as usize].into()))
    }

    /// Every port by which a packet to this address may leave, in order.
    pub fn ports(&self, to: Lid) -> impl Iterator<Item = PortId> {
        let entry = self.entries.get(to.index()).copied().unwrap_or(NOWHERE);
        let single = Some(entry).filter(|entry| *entry < SEVERAL);
        let several = self.choices.as_ref().filter(|_| entry == SEVERAL);
        let several = several.map(|choices| &choices.sets[usize::from(choices.places[to.index()])]);
        single.into_iter().chain(several.into_iter().flatten().copied()).map(|port| PortId(port.into()))
    }

    /// The first of [`ports`](Self::ports) by LID, from 0 to the number of hosts.
    pub fn first_ports(&self) -> impl ExactSizeIterator<Item = Option<PortId>> {
        (0..self.entries.len() as u16).map(|lid| self.ports(Lid(lid)).next())
    }

    /// Where the entries are: equal for tables that share them.
    pub(super) fn entries(&self) -> &Arc<[u8]> {
        &self.entries
    }
}

/// A linear table, by LID from 0 on.
///
/// # Panics
/// If a port's number is over 253.
impl FromIterator<Option<PortId>> for ForwardingTable {
    fn from_iter<T: IntoIterator<Item = Option<PortId>>>(ports: T) -> Self {
        Self::linear(ports.into_iter().map(|port| port.map_or(NOWHERE, entry)).collect())
    }
}

/// A port as an entry.
pub(super) fn entry(port: PortId) -> u8 {
    u8::try_from(port.0).ok().filter(|entry| *entry < SEVERAL).expect("at most 254 ports, from 0 on")
}
