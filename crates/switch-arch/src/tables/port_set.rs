//! Sets of ports as bit masks, for contenders and for outputs that are due.
//!
//! Invariant: a switch has at most 254 external ports (IBA numbers them 1 to 254), so four words hold any set. Most
//! switches have at most 64 ports and need a single word. The next port in turn is a mask and a count of trailing
//! zeros.

use packet::PortId;

/// A set of ports of a node, which has at most 64 ports for each word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortSet<const WORDS: usize = 4>([u64; WORDS]);

state_codec::value!([const WORDS: usize] PortSet<WORDS> { 0 });

impl<const WORDS: usize> PortSet<WORDS> {
    /// Largest number of ports in a set.
    pub const CAPACITY: usize = 64 * WORDS;
    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Returns the word that has the port's bit. A set of a single word holds ports 0 to 63, which [`Self::CAPACITY`]
    /// says.
    const fn word(port: PortId) -> usize {
        debug_assert!(port.index() < Self::CAPACITY, "a port beyond the set's capacity");
        if WORDS == 1 { 0 } else { port.index() / 64 }
    }

    /// Inserts a port.
    pub fn insert(&mut self, port: PortId) {
        self.0[Self::word(port)] |= 1 << (port.0 % 64);
    }

    /// Removes a port.
    pub fn remove(&mut self, port: PortId) {
        self.0[Self::word(port)] &= !(1 << (port.0 % 64));
    }

    /// Inserts a port if `within`, else removes it.
    pub fn set(&mut self, port: PortId, within: bool) {
        let word = &mut self.0[Self::word(port)];
        let bit = port.0 % 64;
        *word = *word & !(1 << bit) | u64::from(within) << bit;
    }

    /// Returns true if the set contains the port.
    #[must_use]
    pub const fn contains(&self, port: PortId) -> bool {
        self.0[Self::word(port)] >> (port.0 % 64) & 1 == 1
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Returns the number of ports.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Inserts all ports of another set.
    pub fn insert_all(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
    }

    /// Returns the intersection with another set.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Returns the ports that are not in the other set.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Returns the first port after `last`, cyclically: the next in turn.
    #[must_use]
    pub fn next_after(&self, last: PortId) -> Option<PortId> {
        let (word, bit) = (last.index() / 64, u32::from(last.0) % 64);
        // Two shifts, since a single shift by 64, after port 63, would overflow.
        let above = self.0[word] & (u64::MAX << bit) << 1;
        if above != 0 {
            return Some(Self::port(word, above));
        }
        (1..=WORDS).map(|step| (word + step) % WORDS).find_map(|word| {
            let bits = self.0[word];
            (bits != 0).then(|| Self::port(word, bits))
        })
    }

    /// Removes and returns the port with the lowest number.
    pub fn pop(&mut self) -> Option<PortId> {
        let word = self.0.iter().position(|bits| *bits != 0)?;
        let port = Self::port(word, self.0[word]);
        self.0[word] &= self.0[word] - 1;
        Some(port)
    }

    fn port(word: usize, bits: u64) -> PortId {
        PortId((word * 64) as u16 + bits.trailing_zeros() as u16)
    }
}

/// The empty set.
impl<const WORDS: usize> Default for PortSet<WORDS> {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Removes and yields the ports, lowest first.
impl<const WORDS: usize> Iterator for PortSet<WORDS> {
    type Item = PortId;
    fn next(&mut self) -> Option<PortId> {
        self.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn is_a_set<const WORDS: usize>(members: &BTreeSet<u16>, last: u16) -> Result<(), TestCaseError> {
        let mut set = PortSet::<WORDS>::EMPTY;
        for port in members {
            set.insert(PortId(*port));
        }
        let expected = members.range(last + 1..).chain(members.range(..=last)).next().copied();
        prop_assert_eq!(set.next_after(PortId(last)).map(|port| port.0), expected);
        prop_assert_eq!(set.len() as usize, members.len());
        prop_assert_eq!(set.is_empty(), members.is_empty());
        prop_assert_eq!(set.map(|port| port.0).collect::<BTreeSet<_>>(), members.clone());
        prop_assert_eq!(set.and(&PortSet::EMPTY), PortSet::EMPTY);
        for port in members {
            prop_assert!(set.contains(PortId(*port)));
            let mut others = set;
            others.set(PortId(*port), false);
            prop_assert!(!others.contains(PortId(*port)) && set.without(&others).eq([PortId(*port)]));
            prop_assert_eq!((set.and(&others), others.and(&set)), (others, others));
            others.set(PortId(*port), true);
            prop_assert_eq!(others, set);
            set.remove(PortId(*port));
        }
        prop_assert!(set.is_empty());
        Ok(())
    }

    /// Words of equal bits do not cancel each other.
    #[test]
    fn a_set_with_the_same_port_in_two_words_is_not_empty() {
        let mut set = PortSet::<4>::EMPTY;
        [3, 67].into_iter().for_each(|port| set.insert(PortId(port)));
        assert!(!set.is_empty() && set.len() == 2);
    }

    proptest! {
        #[test]
        fn it_is_a_set_and_turns_go_round(members in prop::collection::btree_set(0..256u16, 0..40), last in 0..256u16) {
            is_a_set::<4>(&members, last)?;
            is_a_set::<1>(&members.into_iter().filter(|port| *port < 64).collect(), last % 64)?;
        }
    }
}
