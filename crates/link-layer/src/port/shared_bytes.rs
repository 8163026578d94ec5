//! Memory that the ports of a node share under PFC, or without flow control.
//!
//! Invariant: after every release each receiver that requests a pause is compared with its new threshold.

use packet::Lane;
use units::Bytes;

use super::receiver::{ReceiverId, ReceiverNumbering};
use super::{Occupancy, Port};
use crate::context::{LinkTimer, NodeContext};
use crate::memory::MemoryPool;

/// Memory of all receivers of a node, in bytes.
#[derive(Debug)]
pub(super) struct SharedBytes {
    pub(super) pool: MemoryPool,
    pub(super) numbering: ReceiverNumbering,
}

impl SharedBytes {
    /// Admits a packet under the receiver's present threshold. Returns false if the packet is dropped.
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
        self.pool.on_load_change(number, change);
        pausing.update_pause(lane, Some(self.pool.limit(number, change.after)), context);
        self.pool.set_pausing(number, pausing.lane(lane).requests_pause());
        true
    }

    /// Releases a packet. The free memory raises the threshold of all receivers: those that request a pause may end it.
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
            pausing.update_pause(lane, Some(limit), context);
            self.pool.set_pausing(number, pausing.lane(lane).requests_pause());
        }
    }

    /// Returns the occupied bytes, and those below the present threshold.
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
