//! What waits where, and for whom: for instruments that look between two instants.
//!
//! Invariant: looking changes nothing, and costs nothing while nobody looks: all is read off the queues themselves.

use cc_policies::margin::Margin;
use cc_policies::policy::Place;
use link_layer::credits::BLOCK;
use packet::{Lane, Packet, PacketPool, PortId};
use units::{Bytes, Rate};

use crate::switch::Switch;

impl Switch {
    /// Shows every packet that waits here to `see`: in a buffer, or behind the crossbar at its output. Its fields
    /// `input` and `output` say from where to where.
    pub fn look(&self, pool: &PacketPool, mut see: impl FnMut(&Packet)) {
        self.buffering.look(pool, &mut see);
        if let Some(staging) = &self.staging {
            staging.packets(pool).for_each(see);
        }
    }

    /// What waits here for an output and lane, of all inputs.
    #[must_use]
    pub fn waiting(&self, output: PortId, lane: Lane) -> Bytes {
        self.ledger.waiting(output, lane)
    }

    /// How near what waits for an output and lane came to the threshold above which packets are
    /// marked, and to the one above which all are.
    #[must_use]
    pub fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        self.marker.margins(output, lane)
    }

    /// By which port this packet leaves, or would leave if it came here.
    #[must_use]
    pub fn output_of(&self, packet: &Packet) -> Option<PortId> {
        self.forwarding.output(packet.lrh.destination, || packet.flow_key())
    }

    /// Whether something waits for this output that is longer than `room`, the room at the far end: then nothing
    /// leaves by it on this lane until there is more.
    #[must_use]
    pub fn is_blocked(&self, output: PortId, lane: Lane, room: Bytes, pool: &PacketPool) -> bool {
        let pauses = self.ports[output.index()].link.pauses();
        if pauses.is_some_and(|pauses| pauses.admits(lane)) {
            return false; // What asks for a pause has not been heard yet.
        }
        if let Some(staging) = &self.staging {
            return staging.waiting(output).contains(lane)
                && pool[staging.head(output, lane)].wire_bytes() > room;
        }
        let mut contenders = self.ledger.contenders(output, lane);
        contenders.any(|input| pool[self.buffering.head(Place { input, output, lane })].wire_bytes() > room)
    }

    /// Whether whatever occupies the buffer of an input and lane waits there: nothing is on its way out, or has yet
    /// to become ready. Of memory that is shared it is denied: others can make room for what waits there.
    #[must_use]
    pub fn all_waits(&self, input: PortId, lane: Lane, pool: &PacketPool) -> bool {
        let mut waiting = Bytes::ZERO;
        self.buffering.look(pool, |packet| {
            if u16::from(packet.input) == input.0 && packet.lrh.lane == lane {
                waiting += packet.wire_bytes();
            }
        });
        !self.memory.is_shared() && waiting == self.observed(input, lane).0.held()
    }

    /// What may still come in on a lane of this input, as this switch counts it: nothing while it asks for a pause.
    #[must_use]
    pub fn room(&self, input: PortId, lane: Lane) -> Bytes {
        let link = &self.ports[input.index()].link;
        match link.pauses() {
            None => Bytes::new(u64::from(link.share(lane).room) * BLOCK),
            Some(pauses) if pauses.has_asked(lane) => Bytes::ZERO,
            Some(_) => Bytes::new(u64::from(u32::MAX)),
        }
    }

    /// Number of data lanes.
    #[must_use]
    pub const fn lanes(&self) -> usize {
        self.memory.lanes()
    }

    /// Number of ports.
    #[must_use]
    pub const fn radix(&self) -> usize {
        self.ports.len()
    }

    /// Outputs for which the packets wait that are first to leave the buffer of an input and lane.
    pub fn firsts(&self, input: PortId, lane: Lane) -> impl Iterator<Item = PortId> {
        let outputs = (0..self.ports.len() as u16).map(PortId);
        outputs.filter(move |&output| self.is_first(Place { input, output, lane }))
    }

    /// Whether what is first to leave the buffer of an input and lane, or could be, waits for this output.
    #[must_use]
    pub fn is_first(&self, place: Place) -> bool {
        if self.buffering.reads_at_inputs() {
            self.ledger.contenders(place.output, place.lane).contains(place.input)
        } else {
            self.ledger.waits(place)
        }
    }

    /// The data rate of the link at an output.
    #[must_use]
    pub fn link_rate(&self, output: PortId) -> Rate {
        self.rate(output)
    }

    /// Whether the queue behind the crossbar, where there is one, has room for what is first at `place`.
    #[must_use]
    pub fn can_cross(&self, place: Place, pool: &PacketPool) -> bool {
        let Place { output, lane, .. } = place;
        self.staging.as_ref().is_some_and(|staging| {
            staging.has_room(output, lane, pool[self.buffering.head(place)].wire_bytes())
        })
    }
}
