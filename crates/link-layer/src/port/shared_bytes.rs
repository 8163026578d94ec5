//! Memory that the ports of a node share under PFC, or without flow control.
//!
//! Invariant: after every release each receiver that requests a pause is compared with its new threshold.

use packet::Lane;
use units::Bytes;

use super::receiver::{ReceiverId, ReceiverNumbering};
use super::{Occupancy, Port};
use crate::context::{LinkTimer, NodeContext};
use crate::flow_control::lasting::LastingUse;
use crate::memory::MemoryPool;

/// Memory of all receivers of a node, in bytes.
#[derive(Debug)]
pub(super) struct SharedBytes {
    pub(super) pool: MemoryPool,
    pub(super) numbering: ReceiverNumbering,
}

state_codec::state!(SharedBytes { pool: part, numbering: plan });

impl SharedBytes {
    /// Admits a packet under the receiver's present threshold. Returns false if the packet is dropped.
    #[inline(never)] // Out of the way of memory that is not shared.
    pub(super) fn admit<W: LinkTimer>(
        &mut self,
        port: &mut Port,
        receiver: ReceiverId,
        length: Bytes,
        context: &mut impl NodeContext<W>,
    ) -> bool {
        let lane = receiver.lane;
        let Some(mut pausing) = port.pausing() else { return port.admit(lane, length, context) };
        let number = self.numbering.number(receiver);
        let limit = self.pool.limit(number, pausing.lane(lane).load());
        let Some(change) = pausing.lane(lane).admit(length.get() as u32, Some(limit)) else {
            return false;
        };
        let limit = self.pool.on_load_change(number, change);
        if let Some(pausing) = pausing.update_pause(lane, Some(limit), context) {
            self.pool.set_pausing(number, pausing);
        }
        true
    }

    /// Releases a packet. The free memory raises the threshold of all receivers: those that request a pause may end it.
    #[inline(never)] // As above.
    pub(super) fn release<W: LinkTimer>(
        &mut self,
        ports: &mut [impl AsMut<Port>],
        receiver: ReceiverId,
        length: Bytes,
        context: &mut impl NodeContext<W>,
    ) {
        let port = ports[receiver.port.index()].as_mut();
        let Some(mut pausing) = port.pausing() else { return port.release(receiver.lane, length, context) };
        let change = pausing.lane(receiver.lane).release(length.get() as u32);
        self.pool.on_load_change(self.numbering.number(receiver), change);
        let mut next = self.pool.pausing_from(0);
        while let Some(number) = next {
            next = self.pool.pausing_from(number + 1);
            let ReceiverId { port, lane } = self.numbering.receiver(number);
            let Some(mut pausing) = ports[port.index()].as_mut().pausing() else { continue };
            let limit = self.pool.limit(number, pausing.lane(lane).load());
            if let Some(pausing) = pausing.update_pause(lane, Some(limit), context) {
                self.pool.set_pausing(number, pausing);
            }
        }
    }

    /// Returns the most bytes that may still arrive at a receiver while the uses in `lasting` last. Returns 0 B if the
    /// pause that it requests never ends. Lasting bytes may lie in the headroom, which is no use of the shared memory:
    /// they count as far as the receiver's load does.
    pub(super) fn most_room(
        &self,
        ports: &[impl AsRef<Port>],
        receiver: ReceiverId,
        lasting: &[LastingUse],
    ) -> Bytes {
        let port = |ReceiverId { port, .. }: ReceiverId| ports[port.index()].as_ref();
        let used = |(other, LastingUse { bytes, .. }): (ReceiverId, LastingUse)| {
            let number = self.numbering.number(other);
            port(other)
                .pause_lane(other.lane)
                .map_or(0, |lane| self.pool.used(number, bytes.min(lane.load())))
        };
        let by_others = self.numbering.others(receiver, lasting).map(used).sum();
        let number = self.numbering.number(receiver);
        let own = lasting[number];
        let limit = self.pool.highest_limit(number, own.bytes, by_others);
        port(receiver).most_room(receiver.lane, own, Some(limit))
    }

    /// Returns the occupied bytes, and the free bytes below the present threshold.
    pub(super) fn occupancy(&self, port: &Port, lane: Lane) -> Occupancy {
        match port.pause_lane(lane) {
            None => port.occupancy(lane),
            Some(pauses) => {
                let number = self.numbering.number(ReceiverId { port: port.id, lane });
                let room = self.pool.limit(number, pauses.load()).saturating_sub(pauses.load());
                Occupancy { held: Bytes::new(u64::from(pauses.held())), room: Bytes::new(u64::from(room)) }
            }
        }
    }
}
