//! The greatest set of outputs that block each other.
//!
//! Invariant: outputs, seals and lasting use only become fewer from round to round, so the search ends.
//!
//! An output lets no contender go while a contender that can be read is too long. So a short packet waits behind a
//! long packet of another input, as long as no other output reads that input. The output is *sealed* if the input of
//! a packet that is too long is *pinned*.

use std::collections::{BTreeMap, BTreeSet};

use link_layer::LastingUse;
use packet::{Lane, NodeId, PortId, VoqId};
use units::Bytes;

use super::motion::Motion;
use super::waits::{Wait, Waits};
use crate::state::world::Node;

/// Room for any packet.
const UNLIMITED: Bytes = Bytes::new(u64::MAX);

/// The lasting use of switches' memory, by port and lane.
type LastingUses = BTreeMap<NodeId, Vec<LastingUse>>;

impl Waits<'_> {
    /// Drops all outputs that may ever send again.
    pub(super) fn prove(&mut self, motion: &Motion) {
        loop {
            let uses = self.lasting_uses(motion);
            // Uses are found once a round, not for each dropped output: that walks every buffer of the switches
            // concerned.
            let left: Vec<_> = self.waits.iter().filter_map(|at| self.renewed(at, &uses, motion)).collect();
            if left == self.waits {
                return;
            }
            // Each dropped output ends lasting use of its memory, which may free the next output.
            self.waits = left;
        }
    }

    /// Returns the lasting use of every switch that an output waits at or waits for.
    fn lasting_uses(&self, motion: &Motion) -> LastingUses {
        let nodes: BTreeSet<_> = self.waits.iter().flat_map(|at| [at.from, at.to]).collect();
        nodes.into_iter().map(|node| (node, self.lasting_use(node, motion))).collect()
    }

    fn lasting_use(&self, node: NodeId, motion: &Motion) -> Vec<LastingUse> {
        let switch = self.switch(node);
        let mut uses = vec![LastingUse::default(); switch.radix() * switch.lanes()];
        // The head of the queue waits for `output`. Packets behind it in a FIFO may be bound elsewhere, and yet stay
        // with the head.
        switch.visit_buffers(self.pool(node), &mut |packet, output| {
            let VoqId { input, lane, .. } = packet.voq();
            if self.stays(node, VoqId { input, output, lane }) {
                uses[self.number(node, input, packet.arrived_on())].hold(packet.wire_bytes());
            }
        });
        for input in (0..switch.radix() as u16).map(PortId) {
            for lane in (0..switch.lanes() as u8).map(Lane) {
                // Only after every hold is known, since memory that ports share is divided by all of them.
                let closed = self.is_closed((node, input, lane), &uses, motion);
                uses[self.number(node, input, lane)].closed = closed;
            }
        }
        uses
    }

    /// Returns true if no packet will ever arrive at a port and lane again.
    fn is_closed(
        &self,
        (node, input, lane): (NodeId, PortId, Lane),
        uses: &[LastingUse],
        motion: &Motion,
    ) -> bool {
        let (from, output) = self.world.peer(node, input);
        let silent = || match self.world.node(from) {
            Node::Adapter(_) => self.far_room((from, output, lane), uses, motion) == Bytes::ZERO,
            Node::Switch(switch) => self.at(from, output, lane).is_some_and(|at| {
                // The queue behind a crossbar is served in order.
                at.sealed || switch.view().output_queue(output, lane).is_some()
            }),
        };
        // A packet on the wire needs no output any more, and arrives whatever its sender may do.
        motion.is_still() || !motion.arrives(node, input, lane) && silent()
    }

    /// Returns the wait of an output under this lasting use; `None` if its packet may find room.
    fn renewed(&self, at: &Wait, uses: &LastingUses, motion: &Motion) -> Option<Wait> {
        let Wait { from, output, lane, to, .. } = *at;
        let (switch, pool) = (self.switch(from), self.pool(from));
        let room = self.far_room((from, output, lane), &uses[&to], motion);
        switch.longest_head(output, lane, pool).filter(|head| *head > room)?;
        // Behind a crossbar a packet may leave its buffer for the output's queue, although the wire is blocked.
        let longest = switch.room_behind_crossbar(output, lane, pool).unwrap_or(room);
        let holds_up = |input| {
            let head = switch.contender(VoqId { input, output, lane }, pool);
            head.is_some_and(|head| head > longest) && self.is_pinned((from, input), &uses[&from])
        };
        let inputs = || (0..switch.radix() as u16).map(PortId);
        // A seal is never restored, so that the rounds end; see the invariant.
        let sealed = at.sealed && (longest == Bytes::ZERO || inputs().any(holds_up));
        Some(Wait { longest, sealed, ..*at })
    }

    /// Returns true if the buffers of an input are never read again, so that its packets contend in every round.
    fn is_pinned(&self, (node, input): (NodeId, PortId), uses: &[LastingUse]) -> bool {
        let switch = self.switch(node);
        let outputs = || (0..switch.radix() as u16).map(PortId);
        let waits = |lane| {
            let stays = |output| {
                let voq = VoqId { input, output, lane };
                !switch.is_head(voq) || self.stays(node, voq)
            };
            uses[self.number(node, input, lane)].closed && outputs().all(stays)
        };
        let mut lanes = (0..switch.lanes() as u8).map(Lane);
        // While its buffer is read, an input may be unable to contend, and a short packet of another input may pass.
        !switch.limits_reads() || !switch.is_read(input) && lanes.all(waits)
    }

    /// Returns the most bytes that an output and lane of any node may ever send, under this lasting use at the far
    /// end. Under PFC room is limited only while a pause is in effect and no RESUME is on its way. Such a pause
    /// lasts: it is repeated before it expires (checked when the link is resolved).
    fn far_room(
        &self,
        (from, output, lane): (NodeId, PortId, Lane),
        uses: &[LastingUse],
        motion: &Motion,
    ) -> Bytes {
        let link = self.world.port(from, output);
        if !link.is_lossless() && !link.is_paused(lane) || motion.resumes(from, output, lane) {
            // Without a pause, or with a RESUME on its way, a sender under PFC does not know of the far room.
            return UNLIMITED;
        }
        let (to, input) = self.world.peer(from, output);
        self.switch(to).most_room(input, lane, uses)
    }

    /// Returns the number of a port and lane of a switch.
    fn number(&self, node: NodeId, port: PortId, lane: Lane) -> usize {
        port.index() * self.switch(node).lanes() + lane.index()
    }
}
