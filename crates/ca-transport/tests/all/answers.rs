//! Packets of the tests' wires, and the answers of an adapter to requests.
//!
//! Invariant: they answer as the adapter does.

use ca_transport::AnyEndpoint;
use ca_transport::endpoint::{EndpointRule, OutgoingPacket, ReceiveVerdict};
use packet::header::Syndrome;
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, Psn, QpNumber, ServiceLevel, TransportService,
};

/// Returns a packet of RC without payload.
pub(crate) fn bare(opcode: Opcode, psn: Psn, flags: BthFlags) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
    let bth = Bth { destination_qp: QpNumber(0), psn, opcode, transport: TransportService::Rc, flags };
    Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0)
}

/// Returns a packet that an endpoint sends.
pub(crate) fn packet(out: &OutgoingPacket) -> Packet {
    let flags = if out.ack_request { BthFlags::ACK_REQUEST } else { BthFlags::empty() };
    let mut packet = bare(out.segment.opcode, out.psn, flags);
    (packet.payload, packet.dma_length) = (out.segment.payload, out.dma_length);
    packet
}

/// Returns the answer to a request that an endpoint has judged, if there is one.
pub(crate) fn answer(
    endpoint: &AnyEndpoint,
    asked: &Packet,
    verdict: ReceiveVerdict,
    rule: &EndpointRule,
) -> Option<Packet> {
    let progress = endpoint.progress();
    let of = |syndrome, distance: u32| {
        let psn = match syndrome {
            Syndrome::Ack => progress.accepted(),
            Syndrome::SequenceError => progress.expected(),
        };
        let mut answer = bare(Opcode::Acknowledge, psn, BthFlags::empty());
        (answer.syndrome, answer.msn) = (syndrome, progress.msn());
        answer.set_selective(distance as u16);
        Some(answer)
    };
    let asks = asked.has(BthFlags::ACK_REQUEST);
    match (verdict, rule.repeats.any_order) {
        (ReceiveVerdict::Gap { nak_due: true }, _) => of(Syndrome::SequenceError, 0),
        (ReceiveVerdict::Accept | ReceiveVerdict::Duplicate, None) if asks => of(Syndrome::Ack, 0),
        (ReceiveVerdict::Placed { answer }, Some(any_order)) if answer || asks => {
            selective(any_order.nak_after, progress.distance(asked.bth.psn), of)
        }
        (ReceiveVerdict::Duplicate, Some(any_order)) if asks => {
            selective(any_order.nak_after, progress.distance(asked.bth.psn), of)
        }
        _ => None,
    }
}

fn selective(
    nak_after: Option<core::num::NonZeroU32>,
    distance: u32,
    of: impl Fn(Syndrome, u32) -> Option<Packet>,
) -> Option<Packet> {
    let lost = nak_after.is_some_and(|after| distance >= after.get());
    of(if lost { Syndrome::SequenceError } else { Syndrome::Ack }, distance)
}
