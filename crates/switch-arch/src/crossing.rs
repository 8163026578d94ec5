//! The second half of the pipeline of a switch with queues at its outputs too: a packet first crosses from its
//! input's buffer to a queue at its output, and goes on the wire from there.
//!
//! Invariant: within an instant all that can cross starts to before any wire chooses, so a packet that meets an
//! idle output passes at once. What crosses is never slower than the wire that it goes on to. An input's buffer is
//! freed when a packet's tail has crossed; the next hop's credit is asked for at the wire only.
//!
//! ```text
//! waits at input -> [room in the output's queue, input and output not too busy: crosses]
//!                -> waits at output -> [wire free, credit: leaves]
//! crossed -> input's buffer freed, credit back        tail left -> output's queue freed
//! ```

use cc_policies::policy::Marker;
use link_layer::{LaneSet, NodeContext};
use packet::{Lane, PacketId, PortId, VoqId};
use telemetry::LaneInput;
use units::{Bytes, Rate, Time};

use crate::arbiter::{Grant, Request};
use crate::pipeline::{Pipeline, all_fit};
use crate::port_set::PortSet;
use crate::setup::SwitchWake;
use crate::staging::Staging;

impl<const WORDS: usize> Pipeline<WORDS> {
    pub(crate) fn staged(&self, output: PortId, lane: Lane) -> Option<&LaneInput> {
        self.staging.as_ref().map(|staging| staging.observed(output, lane))
    }

    // Out of the way of switches of one stage, whose pipeline is then compiled as if this one were not there.
    /// Everything of this instant has arrived: lets cross what can, then lets go what can.
    #[inline(never)]
    pub(crate) fn decide_in_two_stages(&mut self, outlet: &mut impl NodeContext<SwitchWake>) {
        self.staging_mut().wires = self.pending;
        while !self.pending.is_empty() {
            self.cross_once(outlet);
        }
        for output in core::mem::take(&mut self.staging_mut().wires) {
            self.start_wire(output, outlet);
        }
    }

    fn cross_once(&mut self, outlet: &mut impl NodeContext<SwitchWake>) {
        self.requests.clear();
        for output in core::mem::take(&mut self.pending) {
            self.ask_to_cross(output, outlet);
        }
        self.match_requests(outlet.packets());
        for index in 0..self.grants.len() {
            self.cross(self.grants[index], outlet);
        }
    }

    /// Adds what could cross to `output` now to the requests. An output that can be written no faster asks again
    /// when something has crossed to it, one whose queue is full when a tail has left it.
    fn ask_to_cross(&mut self, output: PortId, outlet: &mut impl NodeContext<SwitchWake>) {
        let rate = self.rate(output);
        if !self.staging().can_write(output, rate) {
            return;
        }
        let (mut ready, mut waits) = (LaneSet::default(), false);
        for lane in self.ledger.lanes(output) {
            let contenders = self.ledger.contenders(output, lane);
            let readable = self.readers.available(contenders, output, || rate);
            let asking = if readable.is_empty() { contenders } else { readable };
            if !self.fit(output, lane, asking, outlet) {
                continue;
            }
            if readable.is_empty() {
                self.readers.claim(output, rate, contenders);
                self.awaiting_reader.insert(output);
                waits = true;
            } else {
                ready.insert(lane);
            }
        }
        if let Some(lane) = self.staging().turn(output, ready) {
            let contenders = self.readable(output, lane);
            self.requests.push(Request { output, lane, contenders });
        } else if !waits && self.readers.release(output) {
            // What came meanwhile does not fit the queue: others need not wait for that.
            self.pending.insert_all(&core::mem::take(&mut self.awaiting_reader));
        }
    }

    /// Whether the queue at an output and lane has room for the packet of each of these inputs.
    fn fit(
        &self,
        output: PortId,
        lane: Lane,
        inputs: PortSet<WORDS>,
        outlet: &mut impl NodeContext<SwitchWake>,
    ) -> bool {
        let admits = |length: Bytes| self.staging().has_room(output, lane, length);
        all_fit(
            (&self.buffering, &self.ledger),
            self.longest_packet,
            (output, lane),
            inputs,
            outlet.packets(),
            admits,
        )
    }

    /// Lets the packet that won start to cross.
    fn cross(&mut self, grant: Grant, outlet: &mut impl NodeContext<SwitchWake>) {
        let Grant { input, output, lane } = grant;
        let (place, now) = (VoqId { input, output, lane }, outlet.now());
        let pool = outlet.packets();
        let taken = self.buffering.take(place, &mut self.ledger, pool);
        let (length, tail) = (pool[taken.packet].wire_bytes(), pool[taken.packet].tail);
        let rate = self.crossing_rate(place, length, tail, now);
        let fast = rate > self.rate(output);
        self.staging_mut().enter((output, lane), taken.packet, rate, now, pool);
        let reason = self.marker.left_input(place);
        let packet = &mut pool[taken.packet];
        packet.marked_here = reason.is_some();
        if let Some(reason) = reason {
            packet.mark(reason);
            self.count_mark(output, lane, reason);
        }
        let crossed = SwitchWake::Crossed { output, input, lane, fast, length: packet.wire };
        outlet.set_timer(now + rate.time_for(length), crossed);
        self.staging_mut().wires.insert(output);
        self.pending.insert(output);
        if let Some(exposed) = taken.exposed {
            self.pending.insert(exposed);
        }
    }

    /// How fast a packet that has been granted the rate of its output's wire crosses: as fast as the crossbar can,
    /// if nothing else crosses from its input or to its output, nobody waits for that input, and the tail will
    /// have come in by then.
    fn crossing_rate(&mut self, place: VoqId, length: Bytes, tail: Time, now: Time) -> Rate {
        let (wire, fast) = (self.rate(place.output), self.fast_rate(place.input, place.output));
        let more = Rate::bps(fast.get() - wire.get());
        if fast > wire
            && now + fast.time_for(length) >= tail
            && self.staging().can_write(place.output, fast)
            && self.readers.can_hasten(place.input, place.output, more)
        {
            self.readers.hasten(place.input, more);
            fast
        } else {
            wire
        }
    }

    /// The most that the crossbar can do between two ports: the speed-up times the slower of their links, since
    /// the input's buffer is read and the output's queue is written so much faster; never slower than the wire.
    fn fast_rate(&self, input: PortId, output: PortId) -> Rate {
        let wire = self.rate(output);
        let crossbar = self.readers.limit(input).min(self.staging().limit(output));
        Rate::bps(crossbar.max(wire.get()))
    }

    /// A packet's tail has crossed.
    #[inline(never)]
    pub(crate) fn crossed(
        &mut self,
        place: VoqId,
        fast: bool,
        length: Bytes,
        outlet: &mut impl NodeContext<SwitchWake>,
    ) {
        let VoqId { input, output, .. } = place;
        let rate = if fast { self.fast_rate(input, output) } else { self.rate(output) };
        self.readers.done(input, rate);
        self.staging_mut().crossed(output, rate);
        self.free_buffer(place, length, outlet);
        self.pending.insert(output);
        self.pending.insert_all(&core::mem::take(&mut self.awaiting_reader));
    }

    /// Starts on the wire of `output` what may go next, or notes what it lacks.
    fn start_wire(&mut self, output: PortId, outlet: &mut impl NodeContext<SwitchWake>) {
        let staging = self.staging.as_mut().expect("a switch of two stages");
        let port = &mut self.ports[output.index()];
        if port.is_sending(outlet.now()) {
            return;
        }
        let mut ready = LaneSet::default();
        for lane in staging.waiting(output) {
            let head = staging.head(output, lane);
            if port.link.may_start(lane, outlet.packets()[head].wire_bytes()) {
                ready.insert(lane);
            } else {
                self.marker.starved(output, lane);
                self.ledger.starved(output, lane, outlet.now());
            }
        }
        let Some(lane) = self.pick_lane(output, ready) else { return };
        let id = self.staging_mut().take(output, lane, outlet.packets());
        let input = PortId(u16::from(outlet.packets()[id].input));
        self.launch_staged(VoqId { input, output, lane }, id, outlet);
    }

    /// Starts a packet on the wire of a switch with queues there, once its turn has come. A reason to mark it that
    /// was given when it crossed is the one that counts.
    fn launch_staged(&mut self, place: VoqId, id: PacketId, outlet: &mut impl NodeContext<SwitchWake>) {
        let now = outlet.now();
        let packet = &mut outlet.packets()[id];
        let view = self.ledger.remove(place, packet.wire, now);
        self.marker.queue_changed(place, view);
        let at_output = self.marker.departing(place, packet.wire_bytes());
        let reason = at_output.filter(|_| !packet.marked_here);
        self.start(place, id, reason, outlet);
    }

    fn staging(&self) -> &Staging<WORDS> {
        self.staging.as_ref().expect("a switch of two stages")
    }

    fn staging_mut(&mut self) -> &mut Staging<WORDS> {
        self.staging.as_mut().expect("a switch of two stages")
    }
}
