//! Sending of packets. The wire carries a single packet at a time.
//!
//! Invariant: notifications precede all other packets, acknowledgements precede the data of their lane.

use core::cmp::Reverse;

use cc_policies::policy::{LimitedBy, Response, SentPacket};
use link_layer::{LaneSet, NodeContext, Passage};
use packet::{Bth, BthFlags, Lane, Packet, PacketId};
use units::{Bytes, Span, Time};

use super::endpoint_slot::EndpointSlot;
use super::setup::AdapterTimer;
use super::{Adapter, PORT};
use crate::endpoint::{Endpoint, OutgoingPacket, Readiness, TimeoutOutcome};
use crate::message::ages::MessageAges;
use crate::schedule::Selection;

/// A packet that could go next on a lane.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    lane: Lane,
    packet: CandidatePacket,
    /// Length on the wire.
    length: Bytes,
}

#[derive(Clone, Copy, Debug)]
enum CandidatePacket {
    Notification,
    Acknowledgement,
    Data(Selection, OutgoingPacket),
}

/// Returns the age of an endpoint's next packet; 0 if flows take turns.
#[inline]
fn age(ages: Option<&mut MessageAges>, slot: &EndpointSlot) -> u64 {
    ages.map_or(0, |ages| ages.of(slot.endpoint.next_message()))
}

impl Adapter {
    /// Offers an endpoint to the schedule if it may send.
    pub(super) fn offer(&mut self, number: u32, now: Time) {
        let slot = &mut self.endpoints[number as usize];
        match slot.endpoint.readiness(&self.config.rule) {
            Readiness::Ready => {
                let age = age(self.ages.as_mut(), slot);
                self.schedule.offer(slot.flow, number, age, now);
            }
            Readiness::WindowClosed => slot.held_by_window = true,
            Readiness::Idle => {}
        }
    }

    /// Handles the retransmission time-outs that are due.
    pub(super) fn handle_timeouts(&mut self, now: Time) {
        while self.next_timer <= now {
            let Some(Reverse((_, number))) = self.timers.pop() else { break };
            // The timer may be stale: the endpoint itself knows whether there was progress since.
            let slot = &mut self.endpoints[number as usize];
            slot.timer_set = false;
            match slot.endpoint.on_deadline(&self.config.rule, &self.messages, now) {
                TimeoutOutcome::Progress => {}
                TimeoutOutcome::WentBack => {
                    self.tally.timeouts += 1;
                    if let Some(source) = self.entropies.as_mut().and_then(|all| all.of(number)) {
                        source.on_timeout(now);
                    }
                }
                TimeoutOutcome::GaveUp => {
                    self.tally.failed_queue_pairs += 1;
                    self.failures.push((now, number));
                }
            }
            self.next_timer = self.timers.peek().map_or(Time::NEVER, |Reverse((due, _))| *due);
            self.set_timeout(number);
            self.offer(number, now);
        }
    }

    fn set_timeout(&mut self, number: u32) {
        let slot = &mut self.endpoints[number as usize];
        if slot.timer_set {
            return;
        }
        let due = slot.endpoint.deadline(&self.config.rule);
        if due != Time::NEVER {
            slot.timer_set = true;
            self.next_timer = self.next_timer.min(due);
            self.timers.push(Reverse((due, number)));
        }
    }

    /// Sends the next packet, if there is such a packet and the far end has room for it. A notification precedes the
    /// arbitration of lanes, on whatever lane it is.
    pub(super) fn send(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        // A single lane without arbitration tables has nothing to choose, and most adapters have just that.
        if self.lane_count > 1 || !self.lanes.is_plain() {
            return self.send_by_arbitration(context);
        }
        let Some(candidate) = self.candidate(Lane(0), context) else { return };
        if self.port.may_start(Lane(0), candidate.length) {
            self.start(candidate, context);
        } else {
            self.outputs[Lane(0)].stalled(context.now());
        }
    }

    /// Sends the next packet of the lane that is next in turn.
    #[inline(never)] // Most adapters have one lane.
    fn send_by_arbitration(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        let (mut ready, mut found) = (LaneSet::default(), None);
        for lane in (0..self.lane_count as u8).map(Lane) {
            let Some(candidate) = self.candidate_of(lane, context) else { continue };
            if self.port.may_start(lane, candidate.length) {
                if matches!(candidate.packet, CandidatePacket::Notification) {
                    self.start_picked(candidate, context);
                    return;
                }
                ready.insert(lane);
                found = Some(candidate);
            } else {
                self.outputs[lane].stalled(now);
            }
        }
        let Some(last) = found else { return };
        let Some(lane) = self.lanes.pick(ready) else { return };
        // Only the last candidate is at hand. The candidate of another lane is looked up again.
        if lane == last.lane {
            self.start_picked(last, context);
        } else if let Some(candidate) = self.candidate_of(lane, context) {
            self.start_picked(candidate, context);
        }
    }

    #[inline(never)] // Called three times.
    fn start_picked(&mut self, candidate: Candidate, context: &mut impl NodeContext<AdapterTimer>) {
        self.start(candidate, context);
    }

    #[inline(never)] // Called twice.
    fn candidate_of(
        &mut self,
        lane: Lane,
        context: &mut impl NodeContext<AdapterTimer>,
    ) -> Option<Candidate> {
        self.candidate(lane, context)
    }

    /// Returns the packet that would go next on a lane.
    #[inline(always)] // Into the way of adapters with one lane, and once into that of others.
    fn candidate(&mut self, lane: Lane, context: &mut impl NodeContext<AdapterTimer>) -> Option<Candidate> {
        let candidate = |packet, length| Some(Candidate { lane, packet, length });
        if let Some(id) = self.replies[lane].notifications.head() {
            return candidate(CandidatePacket::Notification, context.packets()[id].wire_bytes());
        }
        if let Some(id) = self.replies[lane].acknowledgements.head() {
            return candidate(CandidatePacket::Acknowledgement, context.packets()[id].wire_bytes());
        }
        // Notifications and acknowledgements do not cross the host's bus. Only data waits for it.
        if self.bus_free_at > context.now() {
            return None;
        }
        while let Some(selection) = self.schedule.select(lane) {
            let slot = &mut self.endpoints[selection.endpoint as usize];
            if let Some(out) = slot.endpoint.next(&self.messages, &self.config.rule) {
                let length = self.config.framing.bytes(slot.service, out.segment.opcode, out.segment.payload);
                return candidate(CandidatePacket::Data(selection, out), Bytes::new(u64::from(length)));
            }
            // The window has shrunk since the endpoint was offered.
            slot.held_by_window = slot.endpoint.readiness(&self.config.rule) == Readiness::WindowClosed;
            self.schedule.withdraw(selection, context.now());
        }
        None
    }

    /// Starts the packet that was picked.
    #[inline(always)] // As above.
    fn start(&mut self, candidate: Candidate, context: &mut impl NodeContext<AdapterTimer>) {
        let Candidate { lane, packet, length } = candidate;
        let now = context.now();
        let passage = self.port.start(lane, length, now);
        let id = match packet {
            CandidatePacket::Notification => self.replies[lane].notifications.pop(context.packets()),
            CandidatePacket::Acknowledgement => self.replies[lane].acknowledgements.pop(context.packets()),
            CandidatePacket::Data(selection, out) => {
                Some(self.make_data((selection, out, length), &passage, context))
            }
        };
        let id = id.expect("the candidate is there");
        // An acknowledgement that leaves can no longer be updated.
        if matches!(packet, CandidatePacket::Acknowledgement) {
            let number = context.packets()[id].source_qp;
            let endpoint = self.queue_pairs[number.index()].endpoint;
            self.endpoints[endpoint as usize].open_ack.take_if(|open| *open == id);
        }
        context.packets()[id].injected = passage.starts;
        self.sending_until = passage.left;
        self.lanes.sent(lane, length);
        self.outputs[lane].sent(length, now);
        passage.deliver(PORT, id, context);
    }

    /// Makes the data packet that was selected, and returns its endpoint to the schedule.
    fn make_data(
        &mut self,
        (selection, out, length): (Selection, OutgoingPacket, Bytes),
        passage: &Passage,
        context: &mut impl NodeContext<AdapterTimer>,
    ) -> PacketId {
        let now = context.now();
        let slot = &mut self.endpoints[selection.endpoint as usize];
        let completed = slot.endpoint.sent(&mut self.messages, now);
        self.completed(completed, now);
        let readiness = self.account(selection, &out, length, now);
        let wire_time = passage.left - passage.starts;
        let gap = self.config.response.gap(self.schedule.state(selection.flow), wire_time, now);
        // Without a gap the flow is ready again at once: the wire itself keeps the packets apart.
        let paced_until = if gap == Span::ZERO { Time::ZERO } else { passage.left + gap };
        let slot = &self.endpoints[selection.endpoint as usize];
        let more = (readiness == Readiness::Ready).then(|| age(self.ages.as_mut(), slot));
        self.schedule.sent(selection, more, paced_until, now);
        if let Some(limit) = self.config.injection_limit {
            self.bus_free_at = now + limit.time_for(Bytes::new(u64::from(out.segment.payload)));
        }
        self.set_timeout(selection.endpoint);
        let mut packet = self.new_packet(&out, length);
        if let Some(entropies) = &mut self.entropies {
            packet.set_entropy(entropies.next(selection.endpoint, out.psn, out.again, now));
        }
        context.packets().insert(packet)
    }

    /// Returns a packet of this length with its headers.
    #[inline]
    pub(super) fn new_packet(&self, out: &OutgoingPacket, length: Bytes) -> Packet {
        let end = &self.queue_pairs[out.queue_pair.index()].end;
        let flags = if out.ack_request { BthFlags::ACK_REQUEST } else { BthFlags::empty() };
        let bth = Bth {
            destination_qp: end.peer_qp,
            psn: out.psn,
            opcode: out.segment.opcode,
            transport: end.transport,
            flags,
        };
        let mut packet = Packet::new(self.route(end), bth, out.queue_pair, end.flow, out.segment.payload);
        // The candidate's length includes its framing.
        packet.wire = length.get() as u16;
        packet.dma_length = out.dma_length;
        packet
    }

    /// Counts a data packet that starts, and notifies the response of it and of its limit. Returns the readiness of the
    /// endpoint for another packet.
    fn account(&mut self, selection: Selection, out: &OutgoingPacket, length: Bytes, now: Time) -> Readiness {
        let slot = &mut self.endpoints[selection.endpoint as usize];
        let readiness = slot.endpoint.readiness(&self.config.rule);
        // Both flags still describe the packet that starts now. They are updated for the next packet afterwards.
        let limited_by = if self.schedule.was_paced(selection.flow) {
            LimitedBy::Rate
        } else if slot.held_by_window {
            LimitedBy::Window
        } else {
            LimitedBy::Other
        };
        slot.held_by_window = readiness == Readiness::WindowClosed;
        self.notify_sent(selection.endpoint, out.psn, SentPacket { limited_by, length }, now);
        if out.again {
            self.tally.retransmitted += 1;
            self.repeats_of(out.queue_pair).retransmitted += 1;
        }
        self.injected += 1;
        readiness
    }

    /// Returns the time at which the wire or the host's bus is free for the next packet. A packet that could go now and
    /// does not lacks credit, and credit triggers the next decision.
    #[inline]
    pub(super) fn next_chance(&self, now: Time) -> Time {
        let wire = self.sending_until;
        let bus = wire.max(self.bus_free_at);
        // Answers need the wire only, so they do not wait for the bus.
        if wire > now && self.replies.iter().any(|replies| !replies.is_empty()) {
            return wire;
        }
        if bus > now && self.schedule.has_candidate() { bus } else { Time::NEVER }
    }
}
