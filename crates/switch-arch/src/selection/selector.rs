//! The contract of a selector.
//!
//! Invariant: a selector is told the choice and the loads, and keeps no packet.

use core::ops::Range;

use event_kernel::Stream;
use packet::{Packet, PortId};
use topology::PortGroup;
use units::{Bytes, Time};

/// Chooses a port of a group for a packet.
pub trait Selector {
    /// Returns a port of the group. It is up, if any port of the group is.
    fn choose(&mut self, choice: Choice<'_>, loads: &impl Loads) -> PortId;
}

/// A choice to be made.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// The ports that lead to the packet's destination: two or more.
    pub group: PortGroup<'a>,
    /// Port by which the packet has come.
    pub input: PortId,
    /// The packet.
    pub packet: &'a Packet,
    /// The present instant.
    pub now: Time,
}

/// Loads of outputs, for the packet that chooses: on the lane that it would leave by, and for its length.
pub trait Loads {
    /// Returns the bytes that wait for an output, and those of the packet on its wire that have yet to leave.
    fn backlog(&self, output: PortId) -> Bytes;

    /// Returns true if the far end of an output has no credits for the packet, or has requested a pause.
    fn is_held(&self, output: PortId) -> bool;

    /// Returns false if the link at an output is down, so that packets must leave by another.
    fn is_up(&self, output: PortId) -> bool;
}

/// The parts that a selector is built from.
#[derive(Clone, Debug)]
pub struct SelectorSetup {
    /// Number of the switch's ports.
    pub ports: usize,
    /// Number of the groups of ports in its forwarding table.
    pub groups: usize,
    /// Number of hosts of the fabric.
    pub hosts: usize,
    /// Length of a packet of the MTU.
    pub longest_packet: Bytes,
    /// Random stream of the switch's own.
    pub stream: Stream,
}

impl Choice<'_> {
    /// Returns the places of the group's ports that come first, of which at least one is up: the preferred ports, or
    /// the others. If no port is up, those are the preferred ports.
    #[inline]
    pub(super) fn candidates(&self, loads: &impl Loads) -> Range<usize> {
        let (preferred, all) = (self.group.preferred(), self.group.len());
        let any_up = |mut places: Range<usize>| places.any(|place| loads.is_up(self.group.port(place)));
        if preferred < all && !any_up(0..preferred) && any_up(preferred..all) {
            preferred..all
        } else {
            0..preferred
        }
    }

    /// Returns the places of `candidates` that are up, from the place `first` of them on, and round to the one before.
    #[inline]
    pub(super) fn up_from<'l, L: Loads>(
        &'l self,
        first: usize,
        candidates: Range<usize>,
        loads: &'l L,
    ) -> impl Iterator<Item = usize> + Clone + 'l {
        let places = (first..candidates.end).chain(candidates.start..first);
        places.filter(|place| loads.is_up(self.group.port(*place)))
    }
}

/// Returns a place of `candidates`, drawn at random.
#[inline]
pub(super) fn drawn(stream: &mut Stream, candidates: &Range<usize>) -> usize {
    use rand::Rng;
    // Multiply-shift: a single draw, and no bias that matters at 254 ports.
    let place = (u128::from(stream.next_u64()) * candidates.len() as u128) >> 64;
    candidates.start + usize::try_from(place as u64).expect("a place of a candidate")
}
