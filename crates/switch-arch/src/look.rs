//! What waits where, and for whom: for instruments that look between two instants.
//!
//! Invariant: looking changes nothing, and costs nothing while nobody looks: all is read off the queues themselves.

use cc_policies::{Margin, Marker};
use link_layer::credits::BLOCK;
use packet::{Lane, Packet, PacketPool, PortId, VoqId};
use units::{Bytes, Rate};

use crate::pipeline::Pipeline;

impl<const WORDS: usize> Pipeline<WORDS> {
    pub(crate) fn look(&self, pool: &PacketPool, mut see: impl FnMut(&Packet)) {
        self.buffering.look(&self.ledger, pool, &mut see);
        if let Some(staging) = &self.staging {
            staging.packets(pool).for_each(see);
        }
    }

    pub(crate) fn waiting(&self, output: PortId, lane: Lane) -> Bytes {
        self.ledger.waiting(output, lane)
    }

    pub(crate) fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        self.marker.margins(output, lane)
    }

    pub(crate) fn output_of(&self, packet: &Packet) -> Option<PortId> {
        self.forwarding.output(packet.lrh.destination, || packet.flow_key())
    }

    pub(crate) fn is_blocked(&self, output: PortId, lane: Lane, room: Bytes, pool: &PacketPool) -> bool {
        let pauses = self.ports[output.index()].link.pauses();
        if pauses.is_some_and(|pauses| pauses.admits(lane)) {
            return false; // What asks for a pause has not been heard yet.
        }
        if let Some(staging) = &self.staging {
            return staging.waiting(output).contains(lane)
                && pool[staging.head(output, lane)].wire_bytes() > room;
        }
        let mut contenders = self.ledger.contenders(output, lane);
        contenders.any(|input| {
            pool[self.buffering.head(VoqId { input, output, lane }, &self.ledger)].wire_bytes() > room
        })
    }

    pub(crate) fn all_waits(&self, input: PortId, lane: Lane, pool: &PacketPool) -> bool {
        let mut waiting = Bytes::ZERO;
        self.buffering.look(&self.ledger, pool, |packet| {
            if u16::from(packet.input) == input.0 && packet.lrh.lane == lane {
                waiting += packet.wire_bytes();
            }
        });
        !self.memory.is_shared() && waiting == self.observed(input, lane).0.held()
    }

    pub(crate) fn room(&self, input: PortId, lane: Lane) -> Bytes {
        let link = &self.ports[input.index()].link;
        match link.pauses() {
            None => Bytes::new(u64::from(link.share(lane).room) * BLOCK),
            Some(pauses) if pauses.has_asked(lane) => Bytes::ZERO,
            Some(_) => Bytes::new(u64::from(u32::MAX)),
        }
    }

    pub(crate) const fn lanes(&self) -> usize {
        self.memory.lanes()
    }

    pub(crate) const fn radix(&self) -> usize {
        self.ports.len()
    }

    pub(crate) fn is_first(&self, place: VoqId) -> bool {
        if self.buffering.reads_at_inputs() {
            self.ledger.contenders(place.output, place.lane).contains(place.input)
        } else {
            self.ledger.waits(place)
        }
    }

    pub(crate) fn link_rate(&self, output: PortId) -> Rate {
        self.rate(output)
    }

    pub(crate) fn can_cross(&self, place: VoqId, pool: &PacketPool) -> bool {
        let VoqId { output, lane, .. } = place;
        self.staging.as_ref().is_some_and(|staging| {
            staging.has_room(output, lane, pool[self.buffering.head(place, &self.ledger)].wire_bytes())
        })
    }
}
