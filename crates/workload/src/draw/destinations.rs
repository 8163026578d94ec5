//! Destinations of a host's messages.
//!
//! Invariant: a host never sends to itself. Apart from the one permutation that all hosts share, the draws of one host
//! do not depend on those of another.

use rand::{Rng, RngExt};

use crate::chance::derangement;
use crate::error::SyntheticError;
use crate::spec::{BitPermutation, DestinationSpec};

/// A rule for destinations that suits the number of hosts.
#[derive(Debug, PartialEq)]
pub(crate) enum DestinationRule {
    /// Another host, drawn for each message.
    Uniform,
    /// One host for each source; the source itself if it sends nothing.
    Map(Vec<u32>),
    /// The hosts that follow the source, in turn.
    AllToAll,
}

impl DestinationRule {
    /// Creates the rule for so many hosts, at least 2. A permutation draws from `random`.
    pub(crate) fn new(
        spec: DestinationSpec,
        hosts: usize,
        mut random: impl Rng,
    ) -> Result<Self, SyntheticError> {
        let n = hosts as u32;
        let map = match spec {
            DestinationSpec::Uniform => return Ok(Self::Uniform),
            DestinationSpec::AllToAll => return Ok(Self::AllToAll),
            DestinationSpec::Permutation => derangement(hosts, &mut random),
            DestinationSpec::Shift(given) if given == 0 || given >= n => {
                return Err(SyntheticError::ShiftRange { given, hosts });
            }
            DestinationSpec::Shift(by) => {
                (0..n).map(|i| ((u64::from(i) + u64::from(by)) % u64::from(n)) as u32).collect()
            }
            DestinationSpec::Bits(bits) => bit_permutation(bits, n)?,
        };
        if (0..).zip(&map).all(|(from, to)| from == *to) {
            return Err(SyntheticError::NobodySends { hosts });
        }
        Ok(Self::Map(map))
    }

    /// Returns whether a host sends at all.
    pub(crate) fn sends(&self, source: u32) -> bool {
        match self {
            Self::Uniform | Self::AllToAll => true,
            Self::Map(to) => to[source as usize] != source,
        }
    }

    /// Returns the destination of message k (from 0) of a host, of `n` hosts.
    pub(super) fn destination(&self, source: u32, k: u64, n: u32, random: &mut impl Rng) -> u32 {
        match self {
            Self::Uniform => {
                let other = random.random_range(0..n - 1);
                other + u32::from(other >= source)
            }
            Self::Map(to) => to[source as usize],
            Self::AllToAll => ((u64::from(source) + 1 + k % (u64::from(n) - 1)) % u64::from(n)) as u32,
        }
    }
}

/// Returns the destination of each of n hosts.
fn bit_permutation(pattern: BitPermutation, n: u32) -> Result<Vec<u32>, SyntheticError> {
    if !n.is_power_of_two() {
        return Err(SyntheticError::HostsNotPowerOfTwo { hosts: n });
    }
    let b = n.trailing_zeros();
    if pattern == BitPermutation::Transpose && b % 2 == 1 {
        return Err(SyntheticError::TransposeOfOddBits { hosts: n });
    }
    // Rotates b bits to the left by k; b is at least 1, and k at most b.
    let left = |s: u32, k: u32| ((u64::from(s) << k | u64::from(s) >> (b - k)) as u32) & (n - 1);
    let destination = |s: u32| match pattern {
        BitPermutation::Complement => !s & (n - 1),
        BitPermutation::Reverse => s.reverse_bits() >> (32 - b),
        BitPermutation::Rotation => left(s, b - 1),
        BitPermutation::Shuffle => left(s, 1),
        BitPermutation::Transpose => left(s, b / 2),
    };
    Ok((0..n).map(destination).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies the definition bit by bit, as the book's table gives it.
    fn by_definition(pattern: BitPermutation, s: u32, b: u32) -> u32 {
        let bit = |i: u32| s >> (i % b) & 1;
        let d = |i: u32| match pattern {
            BitPermutation::Complement => 1 - bit(i),
            BitPermutation::Reverse => bit(b - 1 - i),
            BitPermutation::Rotation => bit(i + 1),
            BitPermutation::Shuffle => bit(i + b - 1),
            BitPermutation::Transpose => bit(i + b / 2),
        };
        (0..b).map(|i| d(i) << i).sum()
    }

    #[test]
    fn bit_permutations_are_those_of_the_book() {
        let all = BitPermutation::ALL;
        for (pattern, b) in all.into_iter().flat_map(|pattern| (1..=10).map(move |b| (pattern, b))) {
            match bit_permutation(pattern, 1 << b) {
                Ok(map) => {
                    let expected: Vec<u32> = (0..1 << b).map(|s| by_definition(pattern, s, b)).collect();
                    assert_eq!(map, expected, "{pattern:?} of {b} bits");
                }
                Err(error) => {
                    assert!(pattern == BitPermutation::Transpose && b % 2 == 1, "{error}");
                }
            }
        }
        assert_eq!(bit_permutation(BitPermutation::Shuffle, 8), Ok(vec![0, 2, 4, 6, 1, 3, 5, 7]));
        assert_eq!(
            bit_permutation(BitPermutation::Complement, 12),
            Err(SyntheticError::HostsNotPowerOfTwo { hosts: 12 })
        );
    }
}
