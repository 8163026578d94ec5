//! Destinations of a host's messages.
//!
//! Invariant: a host never sends to itself. Apart from the permutation that all hosts share, the draws of a host do
//! not depend on the draws of others.

use std::collections::BTreeMap;
use std::sync::Arc;

use packet::NodeId;
use rand::{Rng, RngExt};

use crate::chance::assignment;
use crate::environment::Environment;
use crate::error::{HostError, SyntheticError, WorkloadErrorKind};
use crate::spec::{BitPermutation, DestinationSpec, Parties};

/// A rule for destinations that suits the hosts that send and receive.
#[derive(Debug, PartialEq)]
pub(crate) enum DestinationRule {
    /// Any of these hosts, drawn for each message.
    Drawn(Arc<[u32]>),
    /// Any of some hosts, drawn for each message; these hosts are listed for each host of the topology.
    DrawnBySource(Vec<Arc<[u32]>>),
    /// A fixed destination for each host of the topology; the host itself if it sends nothing.
    Map(Vec<u32>),
    /// These hosts in turn, those that follow the source first.
    InTurn(Arc<[u32]>),
}

impl DestinationRule {
    /// Creates the rule for these hosts. A permutation draws from `random`.
    pub(crate) fn new(
        spec: DestinationSpec,
        parties: &Parties,
        environment: &Environment<'_>,
        mut random: impl Rng,
    ) -> Result<Self, WorkloadErrorKind> {
        let rule = match spec {
            DestinationSpec::Uniform => Self::Drawn(parties.receivers()),
            DestinationSpec::AllToAll => Self::InTurn(parties.receivers()),
            DestinationSpec::OtherRacks => Self::DrawnBySource(in_other_racks(parties, environment)),
            DestinationSpec::Permutation => Self::permutation(parties, environment, &mut random)?,
            DestinationSpec::Shift(by) => {
                let hosts = parties.receivers.len();
                if by == 0 || by as usize >= hosts {
                    return Err(SyntheticError::ShiftRange { given: by, hosts }.into());
                }
                Self::map(parties, environment, |i| (i + by as usize) % hosts)
            }
            DestinationSpec::Bits(bits) => {
                parties.check_places()?;
                let to = bit_permutation(bits, parties.receivers.len() as u32)?;
                Self::map(parties, environment, |i| to[i] as usize)
            }
        };
        if parties.senders.iter().all(|sender| rule.targets(sender.0).is_none()) {
            let hosts = parties.receivers.len();
            return Err(match spec {
                DestinationSpec::OtherRacks => HostError::OneRack.into(),
                _ => SyntheticError::NobodySends { hosts }.into(),
            });
        }
        Ok(rule)
    }

    /// Creates the rule of a permutation: every sender has its own receiver, which is never itself.
    pub(crate) fn permutation(
        parties: &Parties,
        environment: &Environment<'_>,
        random: &mut impl Rng,
    ) -> Result<Self, WorkloadErrorKind> {
        // With fewer receivers than senders, the last senders would silently send nothing.
        parties.check_places()?;
        let number = |hosts: &[NodeId]| hosts.iter().map(|host| host.0).collect::<Vec<_>>();
        let (senders, receivers) = (number(&parties.senders), number(&parties.receivers));
        // No permutation of a single host leads elsewhere: the draw would never end.
        if receivers.len() == 1 && receivers == senders {
            return Err(SyntheticError::NobodySends { hosts: 1 }.into());
        }
        let mut map: Vec<u32> = environment.nodes().map(|host| host.0).collect();
        for (sender, to) in senders.iter().zip(assignment(&senders, &receivers, random)) {
            map[*sender as usize] = to;
        }
        Ok(Self::Map(map))
    }

    /// Creates a rule by which the sender at place i sends to the receiver at place `place(i)`.
    fn map(parties: &Parties, environment: &Environment<'_>, place: impl Fn(usize) -> usize) -> Self {
        let mut map: Vec<u32> = environment.nodes().map(|host| host.0).collect();
        for (i, sender) in parties.senders.iter().enumerate() {
            map[sender.index()] = parties.receivers[place(i)].0;
        }
        Self::Map(map)
    }

    /// Returns the destinations of a host; `None` if it sends nothing.
    pub(crate) fn targets(&self, source: u32) -> Option<Targets> {
        match self {
            Self::Drawn(receivers) => Targets::new(receivers, source, true),
            Self::DrawnBySource(receivers) => Targets::new(&receivers[source as usize], source, true),
            Self::Map(to) => Targets::new(&[to[source as usize]].into(), source, false),
            Self::InTurn(receivers) => Targets::new(receivers, source, false),
        }
    }
}

/// Returns the receivers that are attached to another switch, for each host of the topology.
fn in_other_racks(parties: &Parties, environment: &Environment<'_>) -> Vec<Arc<[u32]>> {
    let mut by_switch: BTreeMap<NodeId, Arc<[u32]>> = BTreeMap::new();
    let elsewhere = |switch| {
        let others = parties.receivers.iter().filter(|host| environment.switch(**host) != switch);
        others.map(|host| host.0).collect()
    };
    let of_host = |host| {
        let switch = environment.switch(host);
        Arc::clone(by_switch.entry(switch).or_insert_with(|| elsewhere(switch)))
    };
    environment.nodes().map(of_host).collect()
}

/// The destinations of a host's messages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Targets {
    /// Hosts in ascending order; the source may be among them.
    receivers: Arc<[u32]>,
    /// Place of the first receiver with a higher number than the source.
    start: u32,
    /// Number of receivers other than the source.
    count: u32,
    /// Whether each is drawn, or all come in turn.
    drawn: bool,
}

impl Targets {
    /// Creates the destinations of a source; returns `None` if there is none but the source.
    fn new(receivers: &Arc<[u32]>, source: u32, drawn: bool) -> Option<Self> {
        let start = receivers.partition_point(|receiver| *receiver <= source) as u32;
        let own = receivers.binary_search(&source).is_ok();
        let count = receivers.len() as u32 - u32::from(own);
        (count > 0).then(|| Self { receivers: Arc::clone(receivers), start, count, drawn })
    }

    /// Creates the destinations of a source that draws any of these hosts for each message. The hosts are in
    /// ascending order. Returns `None` if there is none but the source.
    pub(crate) fn drawn(receivers: &Arc<[u32]>, source: NodeId) -> Option<Self> {
        Self::new(receivers, source.0, true)
    }

    /// Returns the destination of message k, from 0.
    pub(super) fn destination(&self, k: u64, random: &mut impl Rng) -> u32 {
        let all = self.receivers.len() as u64;
        let place = if self.drawn {
            // A draw among the others, with the source left out: places from the source on move up by 1.
            let other = random.random_range(0..self.count);
            let own_before = u64::from(self.count) < all && other + 1 >= self.start;
            u64::from(other) + u64::from(own_before)
        } else {
            (u64::from(self.start) + k % u64::from(self.count)) % all
        };
        self.receivers[usize::try_from(place).expect("a place among the receivers")]
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
