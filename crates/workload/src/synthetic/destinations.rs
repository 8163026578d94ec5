//! To whom a host sends.
//!
//! Invariant: never to itself; what is drawn for one source depends on no other, but for the one
//! permutation that all share.

use rand::{Rng, RngExt};

use crate::builder::Fault;
use crate::error::WorkloadErrorKind as Kind;
use crate::pattern::derangement;
use crate::synthetic::spec::{Bits, Destinations};

/// A rule that suits the number of hosts.
#[derive(Debug, PartialEq)]
pub(super) enum Rule {
    /// Another host, drawn.
    Uniform,
    /// To one host each, by source; the source itself if it sends nothing.
    Map(Vec<u32>),
    /// The hosts that follow, in turn.
    Turns,
}

impl Rule {
    /// The rule for so many hosts, at least 2.
    pub(super) fn new(spec: Destinations, hosts: usize, permutation: impl Rng) -> Result<Self, Fault> {
        let n = hosts as u32;
        let map = match spec {
            Destinations::Uniform => return Ok(Self::Uniform),
            Destinations::AllToAll => return Ok(Self::Turns),
            Destinations::Permutation => {
                let mut random = permutation;
                derangement(hosts, &mut random)
            }
            Destinations::Shift(given) if given == 0 || given >= n => {
                return Err(("destinations", Kind::ShiftRange { given, hosts }));
            }
            Destinations::Shift(by) => {
                (0..n).map(|i| ((u64::from(i) + u64::from(by)) % u64::from(n)) as u32).collect()
            }
            Destinations::Bits(bits) => bit_pattern(bits, n).map_err(|kind| ("destinations", kind))?,
        };
        if (0..).zip(&map).all(|(from, to)| from == *to) {
            return Err(("destinations", Kind::NobodySends { hosts }));
        }
        Ok(Self::Map(map))
    }

    /// Whether a source sends at all.
    pub(super) fn sends(&self, source: u32) -> bool {
        match self {
            Self::Uniform | Self::Turns => true,
            Self::Map(to) => to[source as usize] != source,
        }
    }

    /// Where message k (from 0) of a source goes, of `n` hosts.
    pub(super) fn destination(&self, source: u32, k: u64, n: u32, random: &mut impl Rng) -> u32 {
        match self {
            Self::Uniform => {
                let other = random.random_range(0..n - 1);
                other + u32::from(other >= source)
            }
            Self::Map(to) => to[source as usize],
            Self::Turns => ((u64::from(source) + 1 + k % (u64::from(n) - 1)) % u64::from(n)) as u32,
        }
    }
}

fn bit_pattern(pattern: Bits, n: u32) -> Result<Vec<u32>, Kind> {
    if !n.is_power_of_two() {
        return Err(Kind::HostsNotPowerOfTwo { hosts: n });
    }
    let b = n.trailing_zeros();
    if pattern == Bits::Transpose && b % 2 == 1 {
        return Err(Kind::TransposeOfOddBits { hosts: n });
    }
    // Left by k within b bits: b is at least 1, and k less than b or equal to it.
    let left = |s: u32, k: u32| ((u64::from(s) << k | u64::from(s) >> (b - k)) as u32) & (n - 1);
    let to = |s: u32| match pattern {
        Bits::Complement => !s & (n - 1),
        Bits::Reverse => s.reverse_bits() >> (32 - b),
        Bits::Rotation => left(s, b - 1),
        Bits::Shuffle => left(s, 1),
        Bits::Transpose => left(s, b / 2),
    };
    Ok((0..n).map(to).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, bit by bit, as the table of the book gives it.
    fn by_definition(pattern: Bits, s: u32, b: u32) -> u32 {
        let bit = |i: u32| s >> (i % b) & 1;
        let d = |i: u32| match pattern {
            Bits::Complement => 1 - bit(i),
            Bits::Reverse => bit(b - 1 - i),
            Bits::Rotation => bit(i + 1),
            Bits::Shuffle => bit(i + b - 1),
            Bits::Transpose => bit(i + b / 2),
        };
        (0..b).map(|i| d(i) << i).sum()
    }

    #[test]
    fn bit_patterns_are_those_of_the_book() {
        let all = [Bits::Complement, Bits::Reverse, Bits::Rotation, Bits::Shuffle, Bits::Transpose];
        for (pattern, b) in all.into_iter().flat_map(|pattern| (1..=10).map(move |b| (pattern, b))) {
            match bit_pattern(pattern, 1 << b) {
                Ok(map) => {
                    let expected: Vec<u32> = (0..1 << b).map(|s| by_definition(pattern, s, b)).collect();
                    assert_eq!(map, expected, "{pattern:?} of {b} bits");
                }
                Err(kind) => {
                    assert!(pattern == Bits::Transpose && b % 2 == 1, "{kind}");
                }
            }
        }
        assert_eq!(bit_pattern(Bits::Shuffle, 8), Ok(vec![0, 2, 4, 6, 1, 3, 5, 7]));
        assert_eq!(bit_pattern(Bits::Complement, 12), Err(Kind::HostsNotPowerOfTwo { hosts: 12 }));
    }
}
