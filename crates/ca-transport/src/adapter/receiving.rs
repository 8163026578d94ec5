//! Packets are received.
//!
//! Invariant: a packet is handled once, when its tail has arrived. It occupies the receive buffer until it is released.

use cc_policies::policy::Echo;
use link_layer::NodeContext;
use packet::header::Syndrome;
use packet::{BthFlags, Packet, PacketId, TransportService};
use units::{Bytes, Time};

use super::Adapter;
use super::queue_pair::{MessageSource, QueuePair};
use super::setup::AdapterTimer;
use crate::endpoint::{Endpoint, ReceiveVerdict};

impl Adapter {
    /// Handles a request: a SEND, an RDMA WRITE, or a request for an RDMA READ.
    pub(super) fn request(
        &mut self,
        id: PacketId,
        packet: &Packet,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let number = packet.bth.destination_qp;
        let endpoint = self.queue_pairs[number.index()].endpoint;
        let verdict = self.endpoints[endpoint as usize].endpoint.on_data(packet, &self.config.rule);
        // After a gap, an acknowledgement would repeat the last accepted number. The sequence error says more.
        let mut acknowledge =
            packet.has(BthFlags::ACK_REQUEST) && !matches!(verdict, ReceiveVerdict::Gap { .. });
        let mut flags = BthFlags::empty();
        if self.answer_mark(number, packet, context) {
            acknowledge = true;
            flags = BthFlags::BECN;
        }
        // Without a value nobody listens to the mark.
        if packet.has(BthFlags::FECN) && packet.entropy() != 0 {
            flags |= BthFlags::ECHO;
        }
        // The negative acknowledgement carries BECN, so the answer to the mark needs no packet of its own.
        if let ReceiveVerdict::Gap { nak_due: true } = verdict {
            self.acknowledge(number, Syndrome::SequenceError, (flags, packet.entropy()), context);
            self.tally.naks += 1;
            acknowledge = false;
        }
        if matches!(verdict, ReceiveVerdict::ReadRequested) {
            self.offer(endpoint, context.now());
        }
        self.dispose(id, packet, verdict, context);
        if acknowledge || matches!(verdict, ReceiveVerdict::Placed { answer: true }) {
            if self.takes_any_order(number) {
                self.acknowledge_any_order(number, packet.bth.psn, (flags, packet.entropy()), context);
            } else {
                self.acknowledge(number, Syndrome::Ack, (flags, packet.entropy()), context);
            }
        }
    }

    /// Handles a response to an RDMA READ.
    pub(super) fn response(
        &mut self,
        id: PacketId,
        packet: &Packet,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let now = context.now();
        let number = packet.bth.destination_qp;
        self.answer_mark(number, packet, context);
        let endpoint = self.queue_pairs[number.index()].endpoint;
        let replied = self.endpoints[endpoint as usize].endpoint.on_reply(packet, &mut self.messages, now);
        // The last response to a READ acknowledges its request: one packet, however many responses there were.
        if replied.completed.messages > 0 {
            self.notify_acknowledged(endpoint, &replied, false, now);
        }
        self.completed(replied.completed, now);
        self.offer(endpoint, now);
        self.dispose(id, packet, replied.verdict, context);
    }

    /// Hands a packet's payload to the host, or releases the packet. Reports missing packets on a lossless link.
    fn dispose(
        &mut self,
        id: PacketId,
        packet: &Packet,
        verdict: ReceiveVerdict,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        if !matches!(verdict, ReceiveVerdict::Accept) {
            self.note_disorder(packet, verdict, context);
        }
        if matches!(verdict, ReceiveVerdict::Resume | ReceiveVerdict::Drop { first: true }) {
            self.tally.gaps += 1;
        }
        match verdict {
            ReceiveVerdict::Accept | ReceiveVerdict::Resume => self.accept(id, packet, context),
            ReceiveVerdict::Placed { .. } => self.accept_placed(id, packet, context),
            ReceiveVerdict::Duplicate
            | ReceiveVerdict::ReadRequested
            | ReceiveVerdict::Gap { .. }
            | ReceiveVerdict::Drop { .. } => {
                self.release(id, packet, context);
            }
        }
    }

    pub(super) fn accept(
        &mut self,
        id: PacketId,
        packet: &Packet,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let now = context.now();
        if self.drain.is_unlimited() {
            return self.consume(id, packet, context);
        }
        // Packets without payload take no time.
        match self.drain.accept(id, context.packets(), now) {
            Some(consumed) if consumed == now => self.on_consumed(context),
            Some(consumed) => context.set_timer(consumed, AdapterTimer::HostConsumed),
            None => {}
        }
    }

    /// Handles the end of the host's work on a packet.
    pub(super) fn on_consumed(&mut self, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        let (id, next) = self.drain.consumed(context.packets(), now);
        if let Some(next) = next {
            context.set_timer(next, AdapterTimer::HostConsumed);
        }
        let packet = context.packets()[id];
        self.consume(id, &packet, context);
    }

    /// Counts a packet's payload as consumed by the host, and releases the packet.
    fn consume(&mut self, id: PacketId, packet: &Packet, context: &mut impl NodeContext<AdapterTimer>) {
        let now = context.now();
        let QueuePair { reception, end, .. } = &self.queue_pairs[packet.bth.destination_qp.index()];
        let payload = Bytes::new(u64::from(packet.payload));
        let reception = &mut self.receptions[*reception as usize];
        reception.tally.consume(packet, now);
        if let Some(reason) = packet.marked() {
            reception.count_mark(reason, &mut self.marks);
        }
        if self.config.rule.repeats.any_order.is_some() && end.transport == TransportService::Rc {
            let finite = end.finite;
            self.end_placed(packet, finite, now);
        } else if packet.bth.opcode.ends_message() {
            self.finite.delivered += u64::from(end.finite);
            if let Some(log) = &mut self.log {
                log.consumed.push((packet.bth.destination_qp, now));
            }
            if packet.bth.opcode.has_immediate() {
                self.arrived(packet, now);
            }
        }
        self.consumed += payload;
        self.release(id, packet, context);
    }

    /// Releases a packet from the receive buffer and from the pool.
    pub(super) fn release(
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

    pub(super) fn acknowledged(&mut self, packet: &Packet, now: Time) {
        let (endpoint, marked) = self.count_becn(packet);
        if let Some(source) = self.entropies.as_mut().and_then(|all| all.of(endpoint)) {
            source.on_echo(packet.entropy(), packet.has(BthFlags::ECHO));
        }
        let replied = self.endpoints[endpoint as usize].endpoint.on_reply(packet, &mut self.messages, now);
        self.notify_acknowledged(endpoint, &replied, marked, now);
        self.completed(replied.completed, now);
        // A message that the acknowledgement has brought is slowed down by its mark.
        self.tally.late_becns += u64::from(marked && !self.sends_on(packet, now));
        self.offer(endpoint, now);
    }

    /// Handles a congestion notification packet.
    pub(super) fn notified(&mut self, packet: &Packet, now: Time) {
        let (endpoint, marked) = self.count_becn(packet);
        self.tally.late_becns += u64::from(marked && !self.sends_on(packet, now));
        let named = self.config.echo.names_packets().then_some(packet.bth.psn);
        let reached_trigger = self.notify_marked(endpoint, named, now);
        self.tally.trigger_events += u64::from(reached_trigger);
    }

    /// Returns true if the queue pair that a reply is for has packets left to send, or a schedule that will bring some.
    fn sends_on(&self, reply: &Packet, now: Time) -> bool {
        let queue_pair = &self.queue_pairs[reply.bth.destination_qp.index()];
        let brings_more = match queue_pair.origin {
            MessageSource::Generator(generator) => self.generators[generator as usize].posts_more(now),
            // Host traffic posts to other queue pairs as well: the next message is seldom for this one.
            MessageSource::HostTraffic(_)
            | MessageSource::JobLink(_)
            | MessageSource::JobSink(_)
            | MessageSource::Peer => false,
        };
        brings_more || self.endpoints[queue_pair.endpoint as usize].endpoint.has_more(&self.config.rule)
    }

    /// Returns the endpoint that a reply is for, and true if the reply carries BECN, which is counted.
    fn count_becn(&mut self, packet: &Packet) -> (u32, bool) {
        let queue_pair = &mut self.queue_pairs[packet.bth.destination_qp.index()];
        let marked = packet.has(BthFlags::BECN);
        if marked {
            queue_pair.becns += 1;
            self.tally.becns += 1;
        }
        (queue_pair.endpoint, marked)
    }
}
