//! Marks and data are answered: notifications and acknowledgements are queued.
//!
//! Invariant: each mark that the echo answers leaves in a packet of its own. At most one of an endpoint's queued
//! acknowledgements is open: positive, without a mark, and behind all other positive acknowledgements.

use cc_policies::policy::{Answer, Echo};
use link_layer::NodeContext;
use packet::header::Syndrome;
use packet::{Bth, BthFlags, Lrh, Opcode, Packet, Psn, QpNumber, ServiceLevel};

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
        flags: BthFlags,
        context: &mut impl NodeContext<AdapterTimer>,
    ) {
        let endpoint = self.queue_pairs[number.index()].endpoint as usize;
        let responder = self.endpoints[endpoint].endpoint.responder();
        let (psn, msn) = match syndrome {
            Syndrome::Ack => (responder.accepted(), responder.msn()),
            Syndrome::SequenceError => (responder.expected(), responder.msn()),
        };
        let marked = flags.contains(BthFlags::BECN);
        if let (Syndrome::Ack, Some(open)) = (syndrome, self.endpoints[endpoint].open_ack) {
            let packet = &mut context.packets()[open];
            (packet.bth.psn, packet.msn) = (psn, msn);
            packet.bth.flags.insert(flags);
            self.endpoints[endpoint].open_ack = Some(open).filter(|_| !marked);
            return;
        }
        let mut packet = self.answer(number, Opcode::Acknowledge, psn, flags);
        (packet.syndrome, packet.msn) = (syndrome, msn);
        self.set_service_level(&mut packet, self.config.ack_service_level);
        let id = context.packets().insert(packet);
        self.replies[packet.lrh.lane].acknowledgements.push(id, context.packets());
        self.tally.acknowledgements += 1;
        if syndrome == Syndrome::Ack && !marked {
            self.endpoints[endpoint].open_ack = Some(id);
        }
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
