//! Single-stage switching: a packet that wins arbitration goes straight from its buffer to the wire.
//!
//! Invariant: a packet occupies its buffer until its tail has left on the wire.

use cc_policies::policy::Marker;
use link_layer::{LaneSet, NodeContext};
use packet::{PacketPool, PortId, VoqId};
use units::Time;

use super::admission::Charge;
use super::{Pipeline, Stages};
use crate::arbitration::{Grant, Request};
use crate::buffering::{SingleStage, Taken};
use crate::setup::SwitchTimer;

impl<const WORDS: usize> Stages<WORDS> for SingleStage {
    const CROSSES: bool = false;

    #[inline]
    fn decide(pipeline: &mut Pipeline<Self, WORDS>, context: &mut impl NodeContext<SwitchTimer>) {
        // A packet that comes to the head of its queue behind a departing packet may still leave in the same instant.
        while !pipeline.agenda.due.is_empty() {
            pipeline.decide_once(context);
        }
    }

    #[inline]
    fn on_tail_left(
        pipeline: &mut Pipeline<Self, WORDS>,
        charge: Charge,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        let VoqId { input, output, .. } = charge.voq;
        pipeline.arbitration.bandwidth.end(input, pipeline.ports.rate(output));
        pipeline.leave_buffer(charge, context);
    }
}

impl<const WORDS: usize> Pipeline<SingleStage, WORDS> {
    /// Decides about the outputs that are due now.
    fn decide_once(&mut self, context: &mut impl NodeContext<SwitchTimer>) {
        let (mut first, mut rivals) = (None, false);
        for output in core::mem::take(&mut self.agenda.due) {
            let Some(request) = self.ask(output, context) else { continue };
            // A lone request, the usual case, is not put in the list: round robin grants it without a matching.
            let Some(first) = first else {
                first = Some(request);
                continue;
            };
            if !rivals {
                self.arbitration.requests.clear();
                self.arbitration.requests.push(first);
                rivals = true;
            }
            self.arbitration.requests.push(request);
        }
        let Some(first) = first else { return };
        if rivals {
            self.start_matches(context);
        } else if let Some(grant) = self.arbitration.grant_alone(first, &self.ports) {
            self.start_transmission(grant, context);
        } else {
            self.arbitration.requests.clear();
            self.arbitration.requests.push(first);
            self.start_matches(context);
        }
    }

    /// Lets the arbiter decide about the requests, and starts the winners.
    #[inline(never)] // Most instants have one request at most.
    fn start_matches(&mut self, context: &mut impl NodeContext<SwitchTimer>) {
        self.arbitrate(context.packets());
        for index in 0..self.arbitration.grants.len() {
            self.start_transmission(self.arbitration.grants[index], context);
        }
    }

    /// Returns the request of `output`, if it can send now. Otherwise records the resource that it lacks.
    #[inline(always)]
    fn ask(&mut self, output: PortId, context: &mut impl NodeContext<SwitchTimer>) -> Option<Request<WORDS>> {
        let now = context.now();
        if self.ports[output].is_sending(now) {
            return None;
        }
        // `starve` inserts the output again if credit is still short on some lane.
        self.agenda.lacking_credit.remove(output);
        let (mut ready, mut found, mut waits) = (LaneSet::default(), None, false);
        for lane in self.storage.lanes(output) {
            let request = self.request(output, lane);
            if request.contenders.is_empty() {
                waits |= self.await_reader(request, context.packets());
            } else if self.has_credit(&request, context.packets()) {
                ready.insert(lane);
                found = Some(request);
            } else {
                self.starve(&request, now);
            }
        }
        // A reservation is of no use now: a longer packet has come since, for which credit is short.
        if found.is_none() && !waits {
            self.cancel_reservation(output);
        }
        let last = found?;
        let lane = self.ports.pick_lane(output, ready)?;
        // Only the last request was kept. With a single ready lane it need not be computed again.
        Some(if lane == last.lane { last } else { self.request(output, lane) })
    }

    /// Returns true if the far end has room for the packet of every contender.
    #[inline(always)]
    fn has_credit(&self, request: &Request<WORDS>, packets: &PacketPool) -> bool {
        let link = &self.ports[request.output].link;
        self.storage.all_fit(request, packets, |length| link.may_start(request.lane, length))
    }

    /// Records that a request lacks credit.
    fn starve(&mut self, request: &Request<WORDS>, now: Time) {
        self.agenda.lacking_credit.insert(request.output);
        self.marking.marker.stalled(request.output, request.lane);
        self.storage.contention.stalled(request.output, request.lane, now);
    }

    /// Lets an output wait while none of its contenders can be read fast enough. A read is reserved only if there is
    /// credit; returns true if there is.
    fn await_reader(&mut self, request: Request<WORDS>, packets: &PacketPool) -> bool {
        let Request { output, lane, .. } = request;
        let contenders = self.storage.contenders(output, lane);
        let has_credit = self.has_credit(&Request { contenders, ..request }, packets);
        // A reservation without credit would keep the input from outputs that could send now.
        if has_credit {
            self.await_read(output, contenders);
        } else {
            self.agenda.awaiting_read.insert(output);
        }
        has_credit
    }

    /// Starts the packet that won on its output's wire.
    fn start_transmission(&mut self, grant: Grant, context: &mut impl NodeContext<SwitchTimer>) {
        let Grant { input, output, lane } = grant;
        let (voq, now) = (VoqId { input, output, lane }, context.now());
        let pool = context.packets();
        let (Taken { packet: id, exposed }, view) = self.storage.take_for_wire(voq, pool, now);
        if let Some(output) = exposed {
            self.agenda.due.insert(output);
        }
        self.marking.marker.queue_changed(voq, view);
        self.marking.mark_departing(&mut pool[id], voq);
        self.start_on_wire(voq, id, context);
    }
}
