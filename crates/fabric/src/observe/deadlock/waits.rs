//! Outputs that wait for room at another switch, and the cycle among them.
//!
//! Invariant: outputs are sorted by node, port and lane.

use packet::{Lane, NodeId, PacketPool, PortId, VoqId};
use switch_arch::SwitchView;
use units::Bytes;

use crate::state::world::World;
use crate::state::world::observed::Blocked;

/// An output and lane of a switch that waits for room at another switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) from: NodeId,
    pub(super) output: PortId,
    pub(super) lane: Lane,
    pub(super) to: NodeId,
    pub(super) input: PortId,
    /// The longest packet that may ever leave a buffer of `from` by this output: to the wire, or over the crossbar.
    pub(super) longest: Bytes,
    /// True if no packet ever leaves a buffer by this output. Otherwise short packets may pass packets that are too
    /// long.
    pub(super) sealed: bool,
}

/// The outputs that wait, except outputs that the search has dropped.
pub(super) struct Waits<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) waits: Vec<Wait>,
}

impl<'a> Waits<'a> {
    /// Returns the outputs that are blocked at present. A packet that is next to leave is longer than the room in the
    /// far buffer, as the receiver counts it. Under PFC a pause is in effect too. Each output is taken to be sealed.
    pub(super) fn present(world: &'a World<'a>) -> Self {
        let mut waits = Vec::new();
        let add = |blocked: Blocked| {
            let Blocked { from, output, lane, head, queue, room } = blocked;
            let (to, input) = world.peer(from, output);
            // The room at the receiver counts, not the sender's credits: an output that awaits credits on the wire is
            // late, not blocked.
            let room = room.unwrap_or_else(|| world.room((to, input, lane)));
            if head > room {
                let longest = queue.unwrap_or(room);
                waits.push(Wait { from, output, lane, to, input, longest, sealed: true });
            }
        };
        world.visit_blocked(add);
        // Outputs of other processes come last, whatever their numbers. The look-up by place needs order.
        waits.sort_unstable_by_key(|at| (at.from, at.output, at.lane));
        Self { world, waits }
    }

    /// Drops all outputs that feed a buffer without a packet for another waiting output. This quick look ends nearly
    /// all searches.
    pub(super) fn drop_open_ends(&mut self) {
        loop {
            let left: Vec<_> =
                self.waits.iter().copied().filter(|at| self.heads(at).next().is_some()).collect();
            if left.len() == self.waits.len() {
                return;
            }
            self.waits = left;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waits.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.waits.len()
    }

    /// Follows outputs until an output repeats. Each leads to an output that keeps a packet in the buffer which the
    /// former feeds. Returns the cycle.
    pub(super) fn cycle(&self) -> Option<Vec<Wait>> {
        let mut path = vec![*self.waits.first()?];
        loop {
            let last = path[path.len() - 1];
            let stays = |next: &Wait| {
                self.stays(last.to, VoqId { input: last.input, output: next.output, lane: next.lane })
            };
            let next = self.heads(&last).find(stays)?;
            // The path may lead into the cycle from outside. Its first outputs only wait for the cycle.
            if let Some(start) = path.iter().position(|at| *at == next) {
                return Some(path.split_off(start));
            }
            path.push(next);
        }
    }

    /// Returns the waiting outputs to which packets of the buffer fed by `at` go, the first to leave each queue.
    fn heads(&self, at: &Wait) -> impl Iterator<Item = Wait> {
        let Wait { to, input, lane: arrived_on, .. } = *at;
        let (radix, lanes) = (self.world.radix(to), self.world.lanes);
        let lanes = move |output| (0..lanes as u8).map(move |lane| VoqId { input, output, lane: Lane(lane) });
        let voqs = (0..radix as u16).map(PortId).flat_map(lanes);
        let voqs = voqs.filter_map(move |voq| self.at(to, voq.output, voq.lane).map(|wait| (voq, wait)));
        let of_buffer = move |voq| self.world.is_fed(to, voq, arrived_on);
        voqs.filter(move |(voq, _)| of_buffer(*voq)).map(|(_, wait)| *wait)
    }

    /// Returns true if the packets of a switch's queue never leave their buffer. Their head waits for `voq.output`,
    /// and is too long, or nothing leaves by that output.
    pub(super) fn stays(&self, node: NodeId, voq: VoqId) -> bool {
        self.at(node, voq.output, voq.lane).is_some_and(|at| {
            at.sealed
                || self.switch(node).contender(voq, self.pool(node)).is_some_and(|head| head > at.longest)
        })
    }

    /// Returns the wait of an output and lane.
    pub(super) fn at(&self, from: NodeId, output: PortId, lane: Lane) -> Option<&Wait> {
        let key = (from, output, lane);
        let place = self.waits.binary_search_by_key(&key, |at| (at.from, at.output, at.lane));
        place.ok().map(|place| &self.waits[place])
    }

    pub(super) fn switch(&self, node: NodeId) -> &'a dyn SwitchView {
        self.world.switch(node).view()
    }

    pub(super) fn pool(&self, node: NodeId) -> &'a PacketPool {
        self.world.pool(node)
    }
}
