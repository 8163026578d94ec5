//! The program of a rank in a ring, as a formula.
//!
//! Step s of a lane is a send and a receive, which both wait for the receive of step s - 1: operations 2 s and 2 s + 1
//! of the lane.
//!
//! Invariant: the program is that of the collective as a list, operation by operation.

use core::iter;
use core::ops::Range;
use std::sync::Arc;

use super::channel::Channel;
use super::collective::{Collective, LaneOfRing};
use super::groups::Groups;
use super::operation::{Operation, OperationId, SentTo, Work};

/// A rank of a job that is a ring, or rings in groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RingRank {
    collective: Arc<Collective>,
    groups: Groups,
    rank: u32,
    /// Place of the rank in its group.
    place: u32,
    /// Steps of a lane.
    steps: u32,
}

impl RingRank {
    /// Returns the program of a rank; `None` if the collective is no ring, or the rank is in no group.
    pub(super) fn new(collective: &Arc<Collective>, groups: Groups, rank: u32) -> Option<Self> {
        let (place, steps) = (groups.place(rank)?, collective.ring_steps()?);
        Some(Self { collective: Arc::clone(collective), groups, rank, place, steps })
    }

    /// Returns the steps of a lane, each of which waits for the message of the step before.
    pub(super) const fn steps(&self) -> u32 {
        self.steps
    }

    pub(super) fn operations(&self) -> u32 {
        self.collective.lanes() * 2 * self.steps
    }

    pub(super) fn operation(&self, id: OperationId) -> Operation {
        let (lane, step) = (id / (2 * self.steps), id % (2 * self.steps) / 2);
        let LaneOfRing { peer, bytes, tag } =
            self.collective.ring_message((self.place, lane), step, id.is_multiple_of(2));
        let peer = self.groups.member(self.rank, peer);
        if id.is_multiple_of(2) {
            Work::Send { to: peer, bytes, tag }.on_cpu(0)
        } else {
            Work::Receive { from: Some(peer), bytes, tag: Some(tag) }.on_cpu(0)
        }
    }

    pub(super) const fn predecessors(&self, id: OperationId) -> u32 {
        if id % (2 * self.steps) < 2 { 0 } else { 1 }
    }

    /// Returns the operations that wait for the end of another.
    pub(super) const fn after_end(&self, id: OperationId) -> Range<OperationId> {
        let is_last = id % (2 * self.steps) == 2 * self.steps - 1;
        if id.is_multiple_of(2) || is_last { 0..0 } else { id + 1..id + 3 }
    }

    /// Returns the operations of the first steps.
    pub(super) fn roots(&self) -> impl Iterator<Item = OperationId> + use<> {
        let of_lane = 2 * self.steps;
        (0..self.collective.lanes()).flat_map(move |lane| [lane * of_lane, lane * of_lane + 1])
    }

    /// Returns the bytes that lane 0 sends in a step.
    pub(super) fn bytes(&self, step: u32) -> u64 {
        self.collective.ring_message((self.place, 0), step, true).bytes
    }

    /// Returns the peer and tag of each send, or of each receive, in order.
    pub(super) fn channels(&self, sends: bool) -> impl Iterator<Item = Channel> {
        let ids = (u32::from(!sends)..self.operations()).step_by(2);
        ids.filter_map(|id| match self.operation(id).work {
            Work::Send { to: peer, tag, .. } | Work::Receive { from: Some(peer), tag: Some(tag), .. } => {
                Some(Channel { peer, tag })
            }
            Work::Receive { .. } | Work::Compute { .. } => None,
        })
    }

    /// Returns the tags of the messages of each rank, ascending in each lane.
    pub(super) fn tags(&self) -> impl Iterator<Item = u32> {
        let of_lane = |lane| (0..self.steps).map(move |step| (lane, step));
        let steps = (0..self.collective.lanes()).flat_map(of_lane);
        steps.map(|(lane, step)| self.collective.ring_message((self.place, lane), step, true).tag)
    }

    /// Returns true if another rank has the same tags, since it is of the same collective.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.collective, &other.collective)
    }

    /// Returns the rank that each lane sends to, or receives from.
    pub(super) fn neighbours(&self, sends: bool) -> impl Iterator<Item = u32> {
        let peer = move |lane| self.collective.ring_message((self.place, lane), 0, sends).peer;
        (0..self.collective.lanes()).map(move |lane| self.groups.member(self.rank, peer(lane)))
    }

    /// Returns the messages that each lane sends.
    pub(super) fn sent(&self, least: Option<u64>) -> impl Iterator<Item = SentTo> {
        iter::zip(self.neighbours(true), 0..).map(move |(to, lane)| {
            let (bytes, longest) = self.collective.ring_sent(self.place, lane);
            let asks = |least| self.asking(lane, least);
            let asking = least.filter(|least| *least <= longest).map_or(0, asks);
            SentTo { to, messages: u64::from(self.steps), bytes, longest, asking }
        })
    }

    fn asking(&self, lane: u32, least: u64) -> u64 {
        let bytes = |step| self.collective.ring_message((self.place, lane), step, true).bytes;
        (0..self.steps).filter(|step| bytes(*step) >= least).count() as u64
    }
}
