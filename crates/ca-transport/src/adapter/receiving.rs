//! What an adapter does with what comes in.
//!
//! Invariant: a packet is acted upon once, when its tail is here; it holds its place in the receive
//! buffer until it is let go.

use cc_policies::policy::{Acknowledged, Answer, Echo, Notified, Response};
use link_layer::{Broken, Outlet};
use packet::header::Syndrome;
use packet::{Bth, BthFlags, Lrh, Opcode, Packet, PacketId, Psn, QpNumber};
use units::Bytes;

use super::{Adapter, AdapterWake, FlowEnd, PORT};
use crate::reliable::Verdict;

impl Adapter {
    /// A data packet came in for one of the responders.
    pub(super) fn data(&mut self, id: PacketId, packet: &Packet, outlet: &mut impl Outlet<AdapterWake>) {
        let number = packet.bth.destination_qp;
        let queue_pair = &mut self.queue_pairs[number.index()];
        let verdict = queue_pair.responder.data(packet.bth.psn, packet.bth.opcode.ends_message());
        let mut acknowledge = packet.has(BthFlags::ACK_REQUEST) && !matches!(verdict, Verdict::Gap { .. });
        let mut flags = BthFlags::empty();
        match self.echo.answer(packet) {
            Some(Answer::Cnp) => self.notify(number, outlet),
            Some(Answer::Acknowledgement) => {
                acknowledge = true;
                flags = BthFlags::BECN;
            }
            None => {}
        }
        match verdict {
            Verdict::Accept => self.accept(id, outlet),
            Verdict::Duplicate => self.let_go(id, outlet),
            Verdict::Gap { complain } => {
                outlet.broken(PORT, packet.lrh.lane, Broken::Sequence);
                if complain {
                    self.acknowledge(number, Syndrome::SequenceError, flags, outlet);
                    self.tally.naks += 1;
                    acknowledge = false;
                }
                self.let_go(id, outlet);
            }
        }
        if acknowledge {
            self.acknowledge(number, Syndrome::Ack, flags, outlet);
        }
    }

    /// Hands an accepted packet to the host.
    fn accept(&mut self, id: PacketId, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        match self.drain.accept(id, outlet.packets(), now) {
            Some(taken) if taken == now => self.taken(outlet),
            Some(taken) => outlet.wake(taken, AdapterWake::Taken),
            None => {}
        }
    }

    /// The host has taken a packet's payload.
    pub(super) fn taken(&mut self, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        let (id, next) = self.drain.taken(outlet.packets(), now);
        if let Some(next) = next {
            outlet.wake(next, AdapterWake::Taken);
        }
        let packet = &outlet.packets()[id];
        let queue_pair = &mut self.queue_pairs[packet.bth.destination_qp.index()];
        let payload = Bytes::new(u64::from(packet.payload));
        queue_pair.sink.take(payload, packet.injected, now);
        self.taken += payload;
        self.let_go(id, outlet);
    }

    /// A packet leaves the receive buffer and the world.
    pub(super) fn let_go(&mut self, id: PacketId, outlet: &mut impl Outlet<AdapterWake>) {
        let packet = outlet.packets().remove(id);
        let (lane, length) = (packet.lrh.lane, packet.wire_bytes());
        self.inputs[lane.index()].freed(length, outlet.now());
        self.port.freed(lane, length, outlet, |_, lane| AdapterWake::Credit(lane));
    }

    /// An acknowledgement or a notification came in for one of the requesters.
    pub(super) fn reply(&mut self, packet: &Packet, outlet: &mut impl Outlet<AdapterWake>) {
        let now = outlet.now();
        let number = packet.bth.destination_qp;
        let queue_pair = &mut self.queue_pairs[number.index()];
        let marked = packet.has(BthFlags::BECN);
        queue_pair.becns += u64::from(marked);
        self.tally.becns += u64::from(marked);
        let state = self.schedule.state(queue_pair.flow);
        let requester = &mut queue_pair.requester;
        let reaction = if packet.bth.opcode == Opcode::Acknowledge {
            let (psn, messages) = (packet.bth.psn, &mut self.messages);
            let (named, before) = (requester.number_of(psn), requester.under_way().start);
            let completed = match packet.syndrome {
                Syndrome::Ack => requester.acknowledged(psn, messages, now),
                Syndrome::SequenceError => requester.sequence_error(psn, messages, now),
            };
            let packets = (requester.under_way().start - before) as u32;
            let ack = Acknowledged { psn: named, next: requester.under_way().end, packets, marked };
            let reaction = self.response.on_acknowledged(state, ack, now);
            requester.set_window(self.response.window(state));
            self.completed(number, completed, now);
            self.offer(number, now);
            reaction
        } else {
            let notified = Notified { psn: None, next: requester.under_way().end };
            let reaction = self.response.on_notification(state, notified, now);
            requester.set_window(self.response.window(state));
            reaction
        };
        self.tally.trigger_events += u64::from(reaction.reached_trigger);
    }

    /// Queues a congestion notification packet to the source of the flow that this queue pair receives.
    fn notify(&mut self, number: QpNumber, outlet: &mut impl Outlet<AdapterWake>) {
        let packet = self.answer(number, Opcode::Cnp, Psn::new(0), BthFlags::BECN);
        let id = outlet.packets().insert(packet);
        self.answers[packet.lrh.lane.index()].notifications.push(id, outlet.packets());
        self.tally.cnps += 1;
    }

    /// Queues an acknowledgement of what this queue pair's responder has accepted, or misses. One that still
    /// waits is brought up to date instead of sending a second.
    fn acknowledge(
        &mut self,
        number: QpNumber,
        syndrome: Syndrome,
        flags: BthFlags,
        outlet: &mut impl Outlet<AdapterWake>,
    ) {
        let queue_pair = &self.queue_pairs[number.index()];
        let responder = &queue_pair.responder;
        let (psn, msn) = match syndrome {
            Syndrome::Ack => (responder.accepted(), responder.msn()),
            Syndrome::SequenceError => (responder.expected(), responder.msn()),
        };
        if let (Syndrome::Ack, Some(queued)) = (syndrome, queue_pair.queued_ack) {
            let packet = &mut outlet.packets()[queued];
            (packet.bth.psn, packet.msn) = (psn, msn);
            packet.bth.flags.insert(flags);
            return;
        }
        let mut packet = self.answer(number, Opcode::Acknowledge, psn, flags);
        (packet.syndrome, packet.msn) = (syndrome, msn);
        let id = outlet.packets().insert(packet);
        self.answers[packet.lrh.lane.index()].acknowledgements.push(id, outlet.packets());
        self.tally.acknowledgements += 1;
        if syndrome == Syndrome::Ack {
            self.queue_pairs[number.index()].queued_ack = Some(id);
        }
    }

    /// A packet without payload to the other end of a queue pair.
    fn answer(&mut self, number: QpNumber, opcode: Opcode, psn: Psn, flags: BthFlags) -> Packet {
        self.injected += 1;
        let end = &self.queue_pairs[number.index()].end;
        let bth = Bth { destination_qp: end.peer_qp, psn, opcode, transport: packet::Transport::Rc, flags };
        Packet::new(self.route(end), bth, number, end.flow, 0)
    }

    pub(super) fn route(&self, end: &FlowEnd) -> Lrh {
        Lrh {
            source: self.lid,
            destination: end.peer,
            lane: self.sl_to_vl[usize::from(end.service_level.0)],
            service_level: end.service_level,
        }
    }
}
