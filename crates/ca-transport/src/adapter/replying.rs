//! Marks and data are answered: notifications and acknowledgements are queued.
//!
//! Invariant: each mark that the echo answers leaves in a packet of its own. At most one of an endpoint's queued
//! acknowledgements is open: positive, without a mark, and behind all other positive acknowledgements.

use cc_policies::policy::{Answer, Echo};
use link_layer::NodeContext;
use packet::header::Syndrome;
use packet::{Bth, BthFlags, Lrh, Opcode, Packet, PacketId, Psn, QpNumber, ServiceLevel};

use super::Adapter;
use super::setup::{AdapterTimer, FlowEnd};

impl Adapter {
    /// Answers a mark by a notification, if the echo demands that. Returns true if it demands an acknowledgement
    /// instead.
    #[inline]
    pub(super) fn answer_mark(
        &mut self,
        number: QpNumber,
        packet: &Packet,
        context: &mut impl NodeContext<AdapterTimer>,
    ) -> bool {
        let reception = self.queue_pairs[number.index()].reception;
        let flow = &mut self.receptions[reception as usize].echo;
        match self.config.echo.answer(packet, flow, context.now()) {
            Some(Answer::Cnp) => self.notify(number, packet.bth.psn, context),
            Some(Answer::CnpAt(due)) => context.set_timer(due, AdapterTimer::Notify(number)),
            Some(Answer::Acknowledgement) => return true,
            None => {}
        }
        false
    }

    /// Queues a congestion notification packet to the source of the flow that this queue pair receives.
    pub(super) fn notify(
        &mut self,
        number: QpNumber,
        marked: Psn,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let psn = if self.config.echo.names_packets() { marked } else { Psn::new(0) };
        let mut packet = self.answer(number, Opcode::Cnp, psn, BthFlags::BECN);
        self.set_service_level(&mut packet, self.config.echo.service_level());
        let id = context.packets().insert(packet);
        self.replies[packet.lrh.lane].notifications.push(id, context.packets());
        self.tally.cnps += 1;
    }

    /// Queues an acknowledgement of the packets that this queue pair's responder has accepted, or a negative
    /// acknowledgement of the missing packet. A positive acknowledgement that still waits without a mark is updated
    /// instead. An acknowledgement with a mark keeps the number of the marked packet, by which the source dates the
    /// mark (HP proposal: "if PSN >= APSN").
    pub(super) fn acknowledge(
        &mut self,
        number: QpNumber,
        syndrome: Syndrome,
        (flags, entropy): (BthFlags, u16),
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let endpoint = self.queue_pairs[number.index()].endpoint as usize;
        let marked = flags.contains(BthFlags::BECN);
        if let (Syndrome::Ack, Some(open)) = (syndrome, self.endpoints[endpoint].open_ack) {
            let progress = self.endpoints[endpoint].endpoint.progress();
            let packet = &mut context.packets()[open];
            (packet.bth.psn, packet.msn) = (progress.accepted(), progress.msn());
            // It repeats the last packet's value, with the mark of that packet.
            packet.bth.flags.remove(BthFlags::ECHO);
            packet.bth.flags.insert(flags);
            packet.set_entropy(entropy);
            self.endpoints[endpoint].open_ack = Some(open).filter(|_| !marked);
            return;
        }
        let id = self.queue_acknowledgement(number, syndrome, (flags, entropy, 0), context);
        if syndrome == Syndrome::Ack && !marked {
            self.endpoints[endpoint].open_ack = Some(id);
        }
    }

    /// Queues an acknowledgement of a packet that an endpoint has taken in any order. It names the packet if another is
    /// missing before it, and is negative if the missing one counts as lost. Only an acknowledgement of no such packet
    /// may be updated later.
    pub(super) fn acknowledge_any_order(
        &mut self,
        number: QpNumber,
        answered: Psn,
        (flags, entropy): (BthFlags, u16),
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let endpoint = self.queue_pairs[number.index()].endpoint as usize;
        let distance = self.endpoints[endpoint].endpoint.progress().distance(answered);
        if distance == 0 {
            return self.acknowledge(number, Syndrome::Ack, (flags, entropy), context);
        }
        let nak_after = self.config.rule.repeats.any_order.and_then(|rule| rule.nak_after);
        let lost = nak_after.is_some_and(|after| distance >= after.get());
        let syndrome = if lost { Syndrome::SequenceError } else { Syndrome::Ack };
        self.tally.naks += u64::from(lost);
        self.endpoints[endpoint].open_ack = None;
        self.queue_acknowledgement(number, syndrome, (flags, entropy, distance as u16), context);
    }

    /// Queues an acknowledgement of a responder's progress, and of the packet at this distance from the first missing
    /// packet.
    fn queue_acknowledgement(
        &mut self,
        number: QpNumber,
        syndrome: Syndrome,
        (flags, entropy, distance): (BthFlags, u16, u16),
        context: &mut impl NodeContext<AdapterTimer>,
    ) -> PacketId {
        let endpoint = self.queue_pairs[number.index()].endpoint as usize;
        let progress = self.endpoints[endpoint].endpoint.progress();
        let psn = match syndrome {
            Syndrome::Ack => progress.accepted(),
            Syndrome::SequenceError => progress.expected(),
        };
        let mut packet = self.answer(number, Opcode::Acknowledge, psn, flags);
        (packet.syndrome, packet.msn) = (syndrome, progress.msn());
        packet.set_selective(distance);
        packet.set_entropy(entropy);
        self.set_service_level(&mut packet, self.config.ack_service_level);
        let id = context.packets().insert(packet);
        self.replies[packet.lrh.lane].acknowledgements.push(id, context.packets());
        self.tally.acknowledgements += 1;
        id
    }

    /// Moves an answer to its own service level, if that is set, and to that level's lane.
    fn set_service_level(&self, packet: &mut Packet, own: Option<ServiceLevel>) {
        if let Some(level) = own {
            packet.lrh = packet.lrh.with_service_level(level);
            packet.lrh.lane = self.config.sl_to_vl[usize::from(level.0)];
        }
    }

    /// Returns a packet without payload to the other end of a queue pair.
    fn answer(&mut self, number: QpNumber, opcode: Opcode, psn: Psn, flags: BthFlags) -> Packet {
        self.injected += 1;
        let end = &self.queue_pairs[number.index()].end;
        let bth = Bth { destination_qp: end.peer_qp, psn, opcode, transport: end.transport, flags };
        Packet::new(self.route(end), bth, number, end.flow, 0).framed(self.config.framing)
    }

    /// Returns the header by which packets reach the other end of a queue pair.
    pub(super) fn route(&self, end: &FlowEnd) -> Lrh {
        end.route(self.lid, &self.config.sl_to_vl)
    }
}
