//! Combined input and output queueing: a packet that wins arbitration crosses from its buffer to a queue at its output.
//! From there it goes on the wire.
//!
//! Invariant: within an instant all packets that can cross start to cross before any wire chooses. So a packet that
//! meets an idle output passes at once. A packet never crosses slower than the wire that it goes on to. Its input
//! buffer is released when its tail has crossed. Credit of the next hop is asked for at the wire only.
//!
//! ```text
//! waits at input -> [room in the output's queue, input and output not too busy: crosses]
//!                -> waits at output -> [wire free, credit: leaves]
//! crossbar done -> input buffer released, credit back        tail left -> output's queue released
//! ```

use link_layer::{LaneSet, NodeContext};
use packet::{PacketPool, PortId, VoqId};
use units::{Bytes, Rate, Span, Time};

use super::admission::Charge;
use super::{Pipeline, Stages};
use crate::arbitration::{Grant, Request};
use crate::buffering::{CombinedInputOutput, Taken, TwoStage, WriteBandwidth};
use crate::setup::SwitchTimer;
use crate::tables::PortSet;

impl<const WORDS: usize> Stages<WORDS> for CombinedInputOutput {
    const CROSSES: bool = true;

    fn decide(pipeline: &mut Pipeline<Self, WORDS>, context: &mut impl NodeContext<SwitchTimer>) {
        let mut wires = pipeline.agenda.due;
        // A packet that crosses makes its output due again, since further packets may cross to it in the same instant.
        while !pipeline.agenda.due.is_empty() {
            wires.insert_all(&pipeline.cross_once(context));
        }
        // Wires choose last, so that they find every packet that could cross in this instant.
        for output in wires {
            pipeline.start_transmission(output, context);
        }
    }

    fn on_tail_left(
        pipeline: &mut Pipeline<Self, WORDS>,
        Charge { voq, length, .. }: Charge,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        pipeline.leave_output_queue(voq, length, context.now());
    }

    fn on_crossbar_done(
        pipeline: &mut Pipeline<Self, WORDS>,
        charge: Charge,
        fast: bool,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        let VoqId { input, output, .. } = charge.voq;
        let rate = if fast { pipeline.crossbar_rate(input, output) } else { pipeline.ports.rate(output) };
        pipeline.arbitration.bandwidth.end(input, rate);
        pipeline.writers_mut().end(output, rate);
        pipeline.leave_buffer(charge, context);
        // The output's write bandwidth is free again, so another packet may cross to it.
        pipeline.agenda.due.insert(output);
    }
}

impl<const WORDS: usize> Pipeline<CombinedInputOutput, WORDS> {
    /// Lets packets cross to the outputs that are due now. Returns the outputs to which packets cross.
    fn cross_once(&mut self, context: &mut impl NodeContext<SwitchTimer>) -> PortSet<WORDS> {
        let mut crossed_to = PortSet::EMPTY;
        self.arbitration.requests.clear();
        for output in core::mem::take(&mut self.agenda.due) {
            if let Some(request) = self.ask_to_cross(output, context.packets()) {
                self.arbitration.requests.push(request);
            }
        }
        if let [request] = self.arbitration.requests[..]
            && let Some(grant) = self.arbitration.grant_alone(request, &self.ports)
        {
            crossed_to.insert(grant.output);
            self.cross(grant, context);
            return crossed_to;
        }
        self.arbitrate(context.packets());
        for index in 0..self.arbitration.grants.len() {
            let grant = self.arbitration.grants[index];
            crossed_to.insert(grant.output);
            self.cross(grant, context);
        }
        crossed_to
    }

    /// Returns the request of `output`, if a packet can cross to it now. An output that can be written no faster asks
    /// again when a packet has crossed to it. An output with a full queue asks again when a tail has left it.
    #[inline(always)]
    fn ask_to_cross(&mut self, output: PortId, packets: &PacketPool) -> Option<Request<WORDS>> {
        if !self.writers().can_write(output, self.ports.rate(output)) {
            return None;
        }
        let (mut ready, mut found, mut waits) = (LaneSet::default(), None, false);
        for lane in self.storage.lanes(output) {
            let request = self.request(output, lane);
            let contenders = self.storage.contenders(output, lane);
            if !request.contenders.is_empty() {
                if self.has_room(&request, packets) {
                    ready.insert(lane);
                    found = Some(request);
                }
            } else if self.has_room(&Request { contenders, ..request }, packets) {
                self.await_read(output, contenders);
                waits = true;
            }
        }
        // A reservation is of no use now: a longer packet has come since, which does not fit the queue.
        if found.is_none() && !waits {
            self.cancel_reservation(output);
        }
        let last = found?;
        let lane = self.writers().next_lane(output, ready)?;
        // Only the last request was kept. With a single ready lane it need not be computed again.
        Some(if lane == last.lane { last } else { self.request(output, lane) })
    }

    /// Returns true if the output's queue has room for the packet of every contender.
    fn has_room(&self, request: &Request<WORDS>, packets: &PacketPool) -> bool {
        let Request { output, lane, .. } = *request;
        self.storage.all_fit(request, packets, |length| {
            self.storage.buffering.outputs().has_room(output, lane, length)
        })
    }

    /// Lets the packet that won start to cross.
    fn cross(&mut self, grant: Grant, context: &mut impl NodeContext<SwitchTimer>) {
        let Grant { input, output, lane } = grant;
        let (voq, now) = (VoqId { input, output, lane }, context.now());
        let pool = context.packets();
        let Taken { packet: id, exposed } = self.storage.take(voq, pool);
        let (length, tail) = (pool[id].wire_bytes(), pool[id].tail);
        let (rate, time) = self.start_crossing(voq, length, tail, now);
        // The timer carries this, since reads and writes must end at the rate at which they started.
        let fast = rate > self.ports.rate(output);
        self.writers_mut().start(output, lane, rate);
        self.enter_output_queue(voq, id, pool, now);
        let (arrived_on, wire) = (pool[id].arrived_on(), pool[id].wire);
        let done = SwitchTimer::CrossbarDone { output, input, lane, arrived_on, fast, length: wire };
        context.set_timer(now + time, done);
        self.agenda.due.insert(output);
        if let Some(exposed) = exposed {
            self.agenda.due.insert(exposed);
        }
    }

    /// Returns the rate and time of a packet's crossing. Arbitration has granted the rate of the output's wire. The
    /// packet crosses at the crossbar's rate if the bandwidth of both ports allows it beside all other packets and
    /// reservations. Its tail must also have come in by the end.
    fn start_crossing(&mut self, voq: VoqId, length: Bytes, tail: Time, now: Time) -> (Rate, Span) {
        let VoqId { input, output, .. } = voq;
        let (wire, fast) = (self.ports.rate(output), self.crossbar_rate(input, output));
        let more = Rate::bps(fast.get() - wire.get());
        let fast_time = fast.time_for(length);
        if fast > wire
            && now + fast_time >= tail
            && self.writers().can_write(output, fast)
            && self.arbitration.bandwidth.can_speed_up(input, output, more)
        {
            self.arbitration.bandwidth.speed_up(input, more);
            (fast, fast_time)
        } else {
            (wire, wire.time_for(length))
        }
    }

    /// Returns the crossbar's rate between two ports: the speed-up times the rate of the slower link. It is never less
    /// than the rate of the output's wire.
    fn crossbar_rate(&self, input: PortId, output: PortId) -> Rate {
        let wire = self.ports.rate(output);
        let crossbar = self.arbitration.bandwidth.limit(input).min(self.writers().limit(output));
        Rate::bps(crossbar.max(wire.get()))
    }

    const fn writers(&self) -> &WriteBandwidth {
        &self.storage.buffering.writers
    }

    const fn writers_mut(&mut self) -> &mut WriteBandwidth {
        &mut self.storage.buffering.writers
    }
}
