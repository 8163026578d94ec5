//! Memory that the ports of a node share under credits.
//!
//! Invariant: every receiver that is granted room has an update under way or a timer set within the same instant. So no
//! far end waits for an event of its own.

use packet::Lane;
use units::Bytes;

use super::receiver::{ReceiverId, ReceiverNumbering};
use super::{Occupancy, Port};
use crate::context::{LinkTimer, NodeContext};
use crate::flow_control::credits::{BLOCK, blocks};
use crate::flow_control::lasting::LastingUse;
use crate::memory::{CreditGrant, SharedMemory};

/// Memory of all receivers of a node, in blocks.
#[derive(Debug)]
pub(super) struct SharedBlocks {
    pub(super) memory: SharedMemory,
    pub(super) numbering: ReceiverNumbering,
    pub(super) longest_packet: Bytes,
}

state_codec::state!(SharedBlocks { memory: part, numbering: plan, longest_packet: plan });

impl SharedBlocks {
    /// Admits a packet. The receiver regains its room as far as the memory allows.
    #[inline(never)] // Out of the way of memory that is not shared.
    pub(super) fn admit<W: LinkTimer>(
        &mut self,
        port: &mut Port,
        receiver: ReceiverId,
        length: Bytes,
        context: &mut impl NodeContext<W>,
    ) -> bool {
        let lane = receiver.lane;
        let admitted = port.admit(lane, length, context);
        if let Some(mut credits) = port.credits() {
            let blocks =
                self.memory.on_admission(self.numbering.number(receiver), credits.lanes[lane].share());
            if blocks > 0 {
                credits.lanes[lane].grant(blocks);
                credits.announce(lane, self.longest_packet, context);
            }
        }
        admitted
    }

    /// Releases a packet. Its blocks go back to the receiver as far as they are guaranteed, and to the receivers that
    /// want room.
    #[inline(never)] // As above.
    pub(super) fn release<W: LinkTimer>(
        &mut self,
        ports: &mut [impl AsMut<Port> + AsRef<Port>],
        receiver: ReceiverId,
        length: Bytes,
        context: &mut impl NodeContext<W>,
        mut on_grant: impl FnMut(ReceiverId, Occupancy),
    ) {
        let Some(own) = ports[receiver.port.index()].as_mut().credits() else {
            return ports[receiver.port.index()].as_mut().release(receiver.lane, length, context);
        };
        let (numbering, longest) = (self.numbering, self.longest_packet);
        let credits = &mut own.lanes[receiver.lane];
        credits.release(blocks(length));
        let guaranteed = self.memory.on_release(numbering.number(receiver), credits.share(), blocks(length));
        credits.grant(guaranteed);
        let mut announce = guaranteed > 0;
        while let Some(CreditGrant { receiver: number, blocks }) = self.memory.next_grant(|number| {
            let ReceiverId { port, lane } = numbering.receiver(number);
            ports[port.index()].as_ref().share(lane)
        }) {
            let granted = numbering.receiver(number);
            let Some(mut other) = ports[granted.port.index()].as_mut().credits() else { continue };
            other.lanes[granted.lane].grant(blocks);
            // A single update announces all its blocks after the loop, with the guaranteed blocks.
            if granted == receiver {
                announce = true;
                continue;
            }
            other.announce(granted.lane, longest, context);
            on_grant(granted, self.occupancy(ports[granted.port.index()].as_ref(), granted.lane));
        }
        if announce && let Some(mut own) = ports[receiver.port.index()].as_mut().credits() {
            own.announce(receiver.lane, longest, context);
        }
    }

    /// Returns the most bytes that may still arrive at a receiver while the uses in `lasting` last. The room of a
    /// receiver that no packet reaches any more is in use as well.
    pub(super) fn most_room(
        &self,
        ports: &[impl AsRef<Port>],
        receiver: ReceiverId,
        lasting: &[LastingUse],
    ) -> Bytes {
        let room = |ReceiverId { port, lane }: ReceiverId| ports[port.index()].as_ref().share(lane).room;
        let used = |(other, LastingUse { blocks, closed, .. })| {
            let unused = if closed { u32::from(room(other)) } else { 0 };
            self.memory.used(self.numbering.number(other), blocks + unused)
        };
        let by_others = self.numbering.others(receiver, lasting).map(used).sum();
        let number = self.numbering.number(receiver);
        let most = self.memory.most_room(number, room(receiver), lasting[number].blocks, by_others);
        Bytes::new(u64::from(most) * BLOCK)
    }

    /// Returns the occupied bytes, and the room with the blocks that could be granted now.
    pub(super) fn occupancy(&self, port: &Port, lane: Lane) -> Occupancy {
        let receiver = self.numbering.number(ReceiverId { port: port.id, lane });
        let available = u64::from(self.memory.available(receiver, port.share(lane)));
        let Occupancy { held, room } = port.occupancy(lane);
        Occupancy { held, room: room + Bytes::new(available * BLOCK) }
    }
}
