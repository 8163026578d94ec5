//! What waits where, and for whom: for instruments that look between two instants.
//!
//! Invariant: looking changes nothing, and costs nothing while nobody looks: all is read off the queues themselves.

use cc_policies::{Margin, Marker};
use link_layer::PauseTally;
use packet::{Lane, Packet, PacketPool, PortId, VoqId};
use units::{Bytes, Rate, Time};

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

    pub(crate) fn pauses(&self, port: PortId, lane: Lane, now: Time) -> Option<PauseTally> {
        self.ports[port.index()].link.pauses(lane, now)
    }

    pub(crate) fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        self.marker.margins(output, lane)
    }

    pub(crate) fn output_of(&self, packet: &Packet) -> Option<PortId> {
        self.forwarding.output(packet.lrh.destination, || packet.flow_key())
    }

    pub(crate) fn is_blocked(&self, output: PortId, lane: Lane, room: Bytes, pool: &PacketPool) -> bool {
        let link = &self.ports[output.index()].link;
        // Under PFC a packet may start until the PAUSE of the far end takes effect, whatever room there is.
        let lacks_room = |length: Bytes| length > room && !link.may_start(lane, length);
        if let Some(staging) = &self.staging {
            return staging.waiting(output).contains(lane)
                && lacks_room(pool[staging.head(output, lane)].wire_bytes());
        }
        let mut contenders = self.ledger.contenders(output, lane);
        contenders.any(|input| {
            let head = self.buffering.head(VoqId { input, output, lane }, &self.ledger);
            lacks_room(pool[head].wire_bytes())
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
        self.ports[input.index()].link.room(lane)
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
