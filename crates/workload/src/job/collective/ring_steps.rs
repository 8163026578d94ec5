//! The messages of rings by lane and step, for ranks that keep no list of operations.
//!
//! Invariant: a ring goes through the steps of its phases, one phase after the other.

use super::algorithm::Algorithm;
use super::phase::{At, Content, Schedule, Side};
use super::ring::{ALL_GATHER, REDUCE_SCATTER, Ring};
use super::{Collective, Split};

/// A message of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::job) struct LaneOfRing {
    pub(in crate::job) peer: u32,
    pub(in crate::job) bytes: u64,
    pub(in crate::job) tag: u32,
}

impl Collective {
    /// Returns the steps of a lane, which follow one another; `None` if this is no ring.
    #[must_use]
    pub const fn ring_steps(&self) -> Option<u32> {
        match &self.algorithm {
            Algorithm::Ring(ring) => Some((ring.ranks - 1) * (ring.reduces as u32 + ring.gathers as u32)),
            _ => None,
        }
    }

    /// Returns the message that a rank sends, or receives, in a step of a lane of a ring.
    pub(in crate::job) fn ring_message(
        &self,
        (rank, lane): (u32, u32),
        step: u32,
        sends: bool,
    ) -> LaneOfRing {
        let ring = self.ring();
        let side = if sends { Side::Send } else { Side::Receive };
        let (part, step) = ring.part_of(step);
        let transfer = ring.transfer(At { rank, lane, part, step }, side);
        let tag = lane * ring.labels() + transfer.label;
        LaneOfRing { peer: transfer.peer, bytes: self.content_bytes(transfer.content, lane), tag }
    }

    /// Returns the bytes that a rank sends in a lane of a ring, and the length of its longest message.
    ///
    /// A phase of p - 1 steps sends every block but the one that a further step would send.
    pub(in crate::job) fn ring_sent(&self, rank: u32, lane: u32) -> (u64, u64) {
        let ring = self.ring();
        let phases = [(REDUCE_SCATTER, ring.reduces), (ALL_GATHER, ring.gathers)];
        let (split, block) =
            (Split::new(self.bytes, ring.ranks), |block| Content::Blocks { first: block, count: 1 });
        let whole = split.lane(lane, self.lanes, 0, ring.ranks);
        let (mut bytes, mut longest) = (0, 0);
        for (part, _) in phases.into_iter().filter(|(_, is_there)| *is_there) {
            let step = ring.ranks - 1;
            let left_out = ring.transfer(At { rank, lane, part, step }, Side::Send).content;
            bytes += whole - self.content_bytes(left_out, lane);
            // Longer blocks come first.
            let first_sent = u32::from(left_out == block(0));
            longest = longest.max(self.content_bytes(block(first_sent), lane));
        }
        (bytes, longest)
    }

    fn ring(&self) -> Ring {
        let Algorithm::Ring(ring) = self.algorithm else { unreachable!("steps of rings are asked for") };
        ring
    }
}

impl Ring {
    /// Returns the phase of a step, and the step in its phase.
    const fn part_of(&self, step: u32) -> (u8, u32) {
        let of_phase = self.ranks - 1;
        match (self.reduces, step < of_phase) {
            (true, true) => (REDUCE_SCATTER, step),
            (true, false) => (ALL_GATHER, step - of_phase),
            (false, _) => (ALL_GATHER, step),
        }
    }
}
