//! The group of ports by which a switch may forward packets for a destination.
//!
//! Invariant: every port of a group leads to the destination. Packets that may not choose take a port that follows
//! from their flow alone, so they never overtake each other.
//!
//! | state | port of a packet |
//! |---|---|
//! | `Static` | the first port |
//! | `Hash` | by a hash of its flow |
//! | `Adaptive` | by the switch's selector, if the packet may be adaptive; else by the hash |
//!
//! Switches of InfiniBand keep these states with each destination of their adaptive-routing table, and know a group of
//! ports by its number. The first ports of a group have priority, as the first of its subgroups there.

use event_kernel::finalise;
use packet::PortId;

/// The rule by which a packet gets a port of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupState {
    /// The first port, for all packets.
    Static,
    /// A hash of the packet's flow.
    Hash,
    /// The selector of the switch.
    Adaptive,
}

/// The ports by which a switch may forward packets for a destination: at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortGroup<'a> {
    pub(super) ports: &'a [u8],
    pub(super) preferred: u8,
    pub(super) state: GroupState,
    /// Number of the group among all groups of the fabric's tables; 0 for a single port.
    pub(super) number: u16,
    /// The switch's own, which makes the same key choose independently at different switches.
    pub(super) salt: u64,
}

impl<'a> PortGroup<'a> {
    /// Number of ports.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a group has a port")]
    pub const fn len(&self) -> usize {
        self.ports.len()
    }

    /// Returns all ports: preferred ports first, else in order.
    pub fn ports(self) -> impl ExactSizeIterator<Item = PortId> + Clone + 'a {
        self.ports.iter().map(|port| PortId((*port).into()))
    }

    /// Returns a port by its place in the group.
    ///
    /// # Panics
    /// If the group has fewer ports.
    #[inline]
    #[must_use]
    pub const fn port(&self, place: usize) -> PortId {
        PortId(self.ports[place] as u16)
    }

    /// Number of ports that have priority over the others; they stand first.
    #[inline]
    #[must_use]
    pub const fn preferred(&self) -> usize {
        self.preferred as usize
    }

    /// Returns the rule by which packets get a port.
    #[inline]
    #[must_use]
    pub const fn state(&self) -> GroupState {
        self.state
    }

    /// Returns the number of the group, below [`ForwardingTable::groups`](super::table::ForwardingTable::groups).
    #[inline]
    #[must_use]
    pub const fn number(&self) -> usize {
        self.number as usize
    }

    /// Returns the port of a packet that may not choose, by the key of its flow.
    #[inline]
    #[must_use]
    pub fn fixed(&self, key: u64) -> PortId {
        match self.state {
            GroupState::Static => self.port(0),
            GroupState::Hash | GroupState::Adaptive => self.port(self.hashed(key, self.len())),
        }
    }

    /// Returns the place that a key chooses among the first `among` ports.
    #[inline]
    #[must_use]
    pub fn hashed(&self, key: u64, among: usize) -> usize {
        // Multiply-shift of a word that depends on every bit of the key and the salt: no division, and no bias
        // that matters at 254 ports.
        let place = (u128::from(finalise(key ^ self.salt)) * among as u128) >> 64;
        usize::try_from(place as u64).expect("a place in the group")
    }
}
