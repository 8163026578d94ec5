//! Sets of receivers as bit masks.
//!
//! Invariant: receivers are found in ascending order, so the order in which they are served is reproducible.

/// A set of receivers, by number.
#[derive(Clone, Debug)]
pub(super) struct ReceiverSet(Box<[u64]>);

state_codec::value!(ReceiverSet { 0 });

impl ReceiverSet {
    /// The empty set for receivers below this number.
    pub(super) fn new(receivers: usize) -> Self {
        Self(vec![0; receivers.div_ceil(64)].into())
    }

    /// Adds a receiver.
    #[inline]
    pub(super) fn insert(&mut self, receiver: usize) {
        self.0[receiver / 64] |= 1 << (receiver % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, receiver: usize) {
        self.0[receiver / 64] &= !(1 << (receiver % 64));
    }

    /// Returns the first receiver of the set that is `start` or later.
    #[inline]
    pub(super) fn first_from(&self, start: usize) -> Option<usize> {
        let mut word = start / 64;
        let mut bits = self.0.get(word)? & u64::MAX << (start % 64);
        while bits == 0 {
            word += 1;
            bits = *self.0.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Returns the receivers of the set from `start` on, in ascending order.
    pub(super) fn iter_from(&self, start: usize) -> impl Iterator<Item = usize> {
        core::iter::successors(self.first_from(start), |last| self.first_from(last + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_are_found_in_ascending_order() {
        let mut set = ReceiverSet::new(200);
        [3, 64, 199].into_iter().for_each(|receiver| set.insert(receiver));
        assert_eq!(set.iter_from(0).collect::<Vec<_>>(), [3, 64, 199]);
        set.remove(64);
        assert_eq!(set.iter_from(0).collect::<Vec<_>>(), [3, 199]);
        assert_eq!(set.iter_from(4).collect::<Vec<_>>(), [199]);
    }

    #[test]
    fn a_receiver_goes_alone() {
        let all = || {
            let mut set = ReceiverSet::new(130);
            (0..130).for_each(|receiver| set.insert(receiver));
            set
        };
        for gone in 0..130 {
            let mut set = all();
            set.remove(gone);
            assert!(set.iter_from(0).eq((0..130).filter(|receiver| *receiver != gone)), "without {gone}");
        }
    }
}
