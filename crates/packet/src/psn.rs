//! The packet sequence number: 24 bits, counting every packet of a queue pair, wrapping to 0.
//!
//! Invariant: two numbers are compared only within half the circle (2^23), as IBA 9.7.1 requires. A requester
//! therefore has at most 2^23 packets outstanding.

/// A packet sequence number (IBA `PSN`), 0 to 2^24 - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Psn(u32);

state_codec::value!(Psn { 0 });

impl Psn {
    /// Highest number, 2^24 - 1. Adding it subtracts 1.
    pub const MASK: u32 = (1 << 24) - 1;
    /// Largest number of outstanding packets: half the circle.
    pub const MAX_OUTSTANDING: u32 = 1 << 23;

    /// Returns the number `n` modulo 2^24.
    #[must_use]
    pub const fn new(n: u32) -> Self {
        Self(n & Self::MASK)
    }

    /// Returns the number, below 2^24.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the number `n` packets later.
    #[must_use]
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n) & Self::MASK)
    }

    /// Returns the distance from `earlier` to `self`, going forward round the circle: 0 to 2^24 - 1.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u32 {
        self.0.wrapping_sub(earlier.0) & Self::MASK
    }

    /// Returns whether `self` precedes `other` within half the circle.
    #[must_use]
    pub const fn precedes(self, other: Self) -> bool {
        let ahead = other.since(self);
        ahead != 0 && ahead < Self::MAX_OUTSTANDING
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_number_wraps() {
        let last = Psn::new(Psn::MASK);
        assert_eq!(last.plus(1), Psn::new(0));
        assert!(last.precedes(Psn::new(0)));
        assert!(!Psn::new(0).precedes(last));
        assert_eq!(Psn::new(5).since(last), 6);
    }

    proptest! {
        #[test]
        fn order_is_that_of_distance(start: u32, ahead in 1..Psn::MAX_OUTSTANDING) {
            let (early, late) = (Psn::new(start), Psn::new(start).plus(ahead));
            prop_assert!(early.precedes(late));
            prop_assert!(!late.precedes(early));
            prop_assert_eq!(late.since(early), ahead);
        }
    }
}
