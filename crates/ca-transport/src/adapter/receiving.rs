//! What an adapter does with what comes in.
//!
//! Invariant: a packet is acted upon once, when its tail is here; it holds its place in the receive
//! buffer until it is let go.

use cc_policies::policy::{Acknowledgement, Answer, Echo, Response};
use link_layer::{InvariantViolation, NodeContext};
use packet::header::Syndrome;
use packet::{Bth, BthFlags, Lrh, Opcode, Packet, PacketId, Psn, QpNumber};
use units::{Bytes, Time};

use super::{Adapter, AdapterTimer, FlowEnd, PORT};
use crate::transport::{Replied, Transport, Verdict};

impl Adapter {
    /// A request came in: a SEND, an RDMA WRITE, or a request for an RDMA READ.
    pub(super) fn request(
        &mut self,
        id: PacketId,
        packet: &Packet,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let number = packet.bth.destination_qp;
        let half = self.queue_pairs[number.index()].half;
        let verdict = self.halves[half as usize].transport.on_data(packet, &self.kind.rule);
        let mut acknowledge = packet.has(BthFlags::ACK_REQUEST) && !matches!(verdict, Verdict::Gap { .. });
        let mut flags = BthFlags::empty();
        if self.answer_mark(number, packet, context) {
            acknowledge = true;
            flags = BthFlags::BECN;
        }
        if let Verdict::Gap { complain: true } = verdict {
            self.acknowledge(number, Syndrome::SequenceError, flags, context);
            self.tally.naks += 1;
            acknowledge = false;
        }
        if verdict == Verdict::Asked {
            self.offer(half, context.now());
        }
        self.dispose(id, packet, verdict, context);
        if acknowledge {
            self.acknowledge(number, Syndrome::Ack, flags, context);
        }
    }

    /// The response to an RDMA READ came in.
    pub(super) fn response(
        &mut self,
        id: PacketId,
        packet: &Packet,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let now = context.now();
        let number = packet.bth.destination_qp;
        self.answer_mark(number, packet, context);
        let half = self.queue_pairs[number.index()].half;
        let replied = self.halves[half as usize].transport.on_reply(packet, &mut self.messages, now);
        // The response to the whole of a READ acknowledges its request, one packet.
        if replied.completed.messages > 0 {
            let ack = Replied { packets: replied.completed.messages, ..replied };
            self.heard_of(half, &ack, false, now);
        }
        self.completed(replied.completed, now);
        self.offer(half, now);
        self.dispose(id, packet, replied.verdict, context);
    }

    /// Answers a mark by a notification, if one is called for; whether it is to be an acknowledgement instead.
    #[inline]
    fn answer_mark(
        &mut self,
        number: QpNumber,
        packet: &Packet,
        context: &mut impl NodeContext<AdapterTimer>,
    ) -> bool {
        let flow = &mut self.queue_pairs[number.index()].echo;
        match self.kind.echo.answer(packet, flow, context.now()) {
            Some(Answer::Cnp) => self.notify(number, packet.bth.psn, context),
            Some(Answer::CnpAt(due)) => context.set_timer(due, AdapterTimer::Notify(number)),
            Some(Answer::Acknowledgement) => return true,
            None => {}
        }
        false
    }

    /// Hands a packet's payload to the host, or lets go of it.
    fn dispose(
        &mut self,
        id: PacketId,
        packet: &Packet,
        verdict: Verdict,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        if self.port.is_lossless()
            && matches!(verdict, Verdict::Gap { .. } | Verdict::Resume | Verdict::Drop { first: true })
        {
            context.report_violation(PORT, packet.lrh.lane, InvariantViolation::Sequence);
        }
        if matches!(verdict, Verdict::Resume | Verdict::Drop { first: true }) {
            self.tally.gaps += 1;
        }
        match verdict {
            Verdict::Accept | Verdict::Resume => self.accept(id, packet, context),
            Verdict::Duplicate | Verdict::Asked | Verdict::Gap { .. } | Verdict::Drop { .. } => {
                self.let_go(id, packet, context);
            }
        }
    }

    /// Hands an accepted packet to the host.
    fn accept(&mut self, id: PacketId, packet: &Packet, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        if self.drain.is_unlimited() {
            return self.take(id, packet, context);
        }
        // What has no payload takes no time.
        match self.drain.accept(id, context.packets(), now) {
            Some(taken) if taken == now => self.taken(context),
            Some(taken) => context.set_timer(taken, AdapterTimer::HostConsumed),
            None => {}
        }
    }

    /// The host has taken the payload of the packet that it was at.
    pub(super) fn taken(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        let (id, next) = self.drain.taken(context.packets(), now);
        if let Some(next) = next {
            context.set_timer(next, AdapterTimer::HostConsumed);
        }
        let packet = context.packets()[id];
        self.take(id, &packet, context);
    }

    /// The host takes a packet's payload.
    fn take(&mut self, id: PacketId, packet: &Packet, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        let sink = self.queue_pairs[packet.bth.destination_qp.index()].sink;
        let payload = Bytes::new(u64::from(packet.payload));
        self.sinks[sink as usize].take(packet, now);
        if packet.bth.opcode.ends_message()
            && let Some(kept) = &mut self.kept
        {
            kept.taken.push((packet.bth.destination_qp, now));
        }
        self.taken += payload;
        self.let_go(id, packet, context);
    }

    /// A packet leaves the receive buffer and the world.
    pub(super) fn let_go(
        &mut self,
        id: PacketId,
        packet: &Packet,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        context.packets().remove(id);
        let (lane, length) = (packet.lrh.lane, packet.wire_bytes());
        self.inputs[lane].freed(length, context.now());
        self.port.release(lane, length, context);
    }

    /// An acknowledgement came in.
    pub(super) fn acknowledged(&mut self, packet: &Packet, now: Time) {
        let (half, marked) = self.count_becn(packet);
        let replied = self.halves[half as usize].transport.on_reply(packet, &mut self.messages, now);
        self.heard_of(half, &replied, marked, now);
        self.completed(replied.completed, now);
        self.offer(half, now);
    }

    /// The response hears of packets that are acknowledged.
    fn heard_of(&mut self, half: u32, replied: &Replied, marked: bool, now: Time) {
        let half = &mut self.halves[half as usize];
        let state = self.schedule.state(half.flow);
        let Replied { named: psn, next, packets, .. } = *replied;
        let reaction =
            self.kind.response.on_acknowledged(state, Acknowledgement { psn, next, packets, marked }, now);
        half.transport.set_window(self.kind.response.window(state));
        if reaction.reached_trigger {
            self.tally.trigger_events += 1;
        }
    }

    /// A congestion notification packet came in.
    pub(super) fn notified(&mut self, packet: &Packet, now: Time) {
        let (half, _) = self.count_becn(packet);
        let named = self.kind.echo.names_packets().then_some(packet.bth.psn);
        let reached_trigger = self.tell_of_notification(half, named, now);
        self.tally.trigger_events += u64::from(reached_trigger);
    }

    /// The half that a reply is for, and whether it has BECN.
    fn count_becn(&mut self, packet: &Packet) -> (u32, bool) {
        let queue_pair = &mut self.queue_pairs[packet.bth.destination_qp.index()];
        let marked = packet.has(BthFlags::BECN);
        if marked {
            queue_pair.becns += 1;
            self.tally.becns += 1;
        }
        (queue_pair.half, marked)
    }

    /// Queues a congestion notification packet to the source of the flow that this queue pair receives.
    pub(super) fn notify(
        &mut self,
        number: QpNumber,
        marked: Psn,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let psn = if self.kind.echo.names_packets() { marked } else { Psn::new(0) };
        let mut packet = self.answer(number, Opcode::Cnp, psn, BthFlags::BECN);
        if let Some(level) = self.kind.echo.service_level() {
            packet.lrh.service_level = level;
            packet.lrh.lane = self.kind.sl_to_vl[usize::from(level.0)];
        }
        let id = context.packets().insert(packet);
        self.answers[packet.lrh.lane].notifications.push(id, context.packets());
        self.tally.cnps += 1;
    }

    /// Queues an acknowledgement of what this queue pair's responder has accepted, or misses. One that still
    /// waits is brought up to date instead of sending a second.
    fn acknowledge(
        &mut self,
        number: QpNumber,
        syndrome: Syndrome,
        flags: BthFlags,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let half = self.queue_pairs[number.index()].half as usize;
        let responder = self.halves[half].transport.responder();
        let (psn, msn) = match syndrome {
            Syndrome::Ack => (responder.accepted(), responder.msn()),
            Syndrome::SequenceError => (responder.expected(), responder.msn()),
        };
        if let (Syndrome::Ack, Some(queued)) = (syndrome, self.halves[half].queued_ack) {
            let packet = &mut context.packets()[queued];
            (packet.bth.psn, packet.msn) = (psn, msn);
            packet.bth.flags.insert(flags);
            return;
        }
        let mut packet = self.answer(number, Opcode::Acknowledge, psn, flags);
        (packet.syndrome, packet.msn) = (syndrome, msn);
        let id = context.packets().insert(packet);
        self.answers[packet.lrh.lane].acknowledgements.push(id, context.packets());
        self.tally.acknowledgements += 1;
        if syndrome == Syndrome::Ack {
            self.halves[half].queued_ack = Some(id);
        }
    }

    /// A packet without payload to the other end of a queue pair.
    fn answer(&mut self, number: QpNumber, opcode: Opcode, psn: Psn, flags: BthFlags) -> Packet {
        self.injected += 1;
        let end = &self.queue_pairs[number.index()].end;
        let bth = Bth { destination_qp: end.peer_qp, psn, opcode, transport: end.transport, flags };
        Packet::new(self.route(end), bth, number, end.flow, 0).framed(self.kind.framing)
    }

    pub(super) fn route(&self, end: &FlowEnd) -> Lrh {
        Lrh {
            source: self.lid,
            destination: end.peer,
            lane: self.kind.sl_to_vl[usize::from(end.service_level.0)],
            service_level: end.service_level,
        }
    }
}
