//! The HP proposal's state for unacknowledged traffic: its scope, its increases, and the notifications that count.

use crate::own;
use cc_policies::hp::HpResponse;
use cc_policies::hp::spec::{
    HpMarkingSpec, HpResponseSpec, HpScheme, MarkedSet, RateControl, RpiAfterDecrease,
};
use cc_policies::{
    Acknowledgement, Answer, Control, Echo, EchoState, LimitedBy, Notification, Response, SentPacket,
    StateScope, TrafficKind,
};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, Psn, QpNumber, ServiceLevel, TransportService,
};
use units::{Bytes, Rate, Time};

/// Returns a packet of some length, held back by this constraint.
fn sent(limited_by: LimitedBy) -> SentPacket {
    SentPacket { limited_by, length: Bytes::new(2074) }
}

fn response(rate: RateControl) -> HpResponseSpec {
    HpResponseSpec {
        rate: Some(rate),
        rpi_after_decrease: RpiAfterDecrease::Reloaded,
        ..HpResponseSpec::NONE
    }
}

fn control() -> Control {
    Control::from(HpScheme {
        marking: HpMarkingSpec { set: MarkedSet::Naive, ..HpMarkingSpec::PROPOSAL },
        response: response(RateControl::Lipd { max_ipd: 255 }),
    })
}

/// The slides' own table of the state's scope.
#[test]
fn the_state_is_kept_where_the_slides_keep_it() {
    let response = own::response(&control().response, Rate::gbps(16));
    for (transport, sends, scope) in [
        (TransportService::Rc, TrafficKind::Requests, StateScope::QueuePair),
        (TransportService::Rd, TrafficKind::Requests, StateScope::EeContext),
        (TransportService::Uc, TrafficKind::Requests, StateScope::DestinationLevel),
        (TransportService::Ud, TrafficKind::Requests, StateScope::DestinationLevel),
        (TransportService::Rc, TrafficKind::ReadResponses, StateScope::DestinationLevel),
        (TransportService::Rd, TrafficKind::ReadResponses, StateScope::DestinationLevel),
    ] {
        assert_eq!(response.scope(transport, sends), scope, "{transport:?} {sends:?}");
    }
}

/// "Special CN packets are generated when there is no ACK associated with data packet."
#[test]
fn a_mark_is_answered_by_a_cn_packet_where_there_is_no_acknowledgement() {
    let echo = control().echo;
    let answer = |opcode, transport| {
        let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
        let bth =
            Bth { destination_qp: QpNumber(0), psn: Psn::new(7), opcode, transport, flags: BthFlags::FECN };
        echo.answer(&Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0), &mut EchoState::default(), Time::ZERO)
    };
    assert_eq!(answer(Opcode::SendOnly, TransportService::Rc), Some(Answer::Acknowledgement));
    assert_eq!(answer(Opcode::SendOnly, TransportService::Rd), Some(Answer::Acknowledgement));
    assert_eq!(answer(Opcode::SendOnly, TransportService::Uc), Some(Answer::Cnp));
    assert_eq!(answer(Opcode::SendOnly, TransportService::Ud), Some(Answer::Cnp));
    assert_eq!(answer(Opcode::ReadResponseMiddle, TransportService::Rc), Some(Answer::Cnp));
    assert!(echo.names_packets());
}

/// Returns the number of packets until a flow that is marked once is as fast as before. Each packet counts as an
/// unmarked acknowledgement when it is sent.
fn packets_to_recover(response: &HpResponse, start: u8) -> u32 {
    let mut flow = response.at_rest(ServiceLevel(0));
    let mut era = 0;
    let mut mark = |flow: &mut _| {
        let notified = Notification { psn: Some(era), next: era + 1 };
        era += u64::from(response.on_notification(flow, notified, Time::ZERO).decreased);
    };
    while response.ipd(&flow) < start {
        mark(&mut flow);
    }
    mark(&mut flow);
    let mut packets = 0;
    while response.ipd(&flow) > start {
        response.on_sent(&mut flow, sent(LimitedBy::Rate), Time::ZERO);
        packets += 1;
        let silence = Acknowledgement { psn: 0, next: 0, packets: 1, marked: false };
        response.on_acknowledged(&mut flow, silence, Time::ZERO);
    }
    packets
}

/// LIPD recovers from a decrease within a packet time at the lowest rate. That is after 256 / (IPD + 1) packets at the
/// rate that it fell to, rounded up.
#[test]
fn silence_raises_the_rate_within_one_packet_time_at_the_lowest() {
    let response = HpResponse::new(&response(RateControl::Lipd { max_ipd: 255 }));
    for start in [0, 1, 3, 9, 49, 127, 254] {
        assert_eq!(
            packets_to_recover(&response, start),
            256u32.div_ceil(u32::from(start) + 2),
            "from IPD {start}"
        );
    }
}

/// Sending does not raise a rate that did not hold the packet back.
#[test]
fn only_packets_that_the_rate_held_back_count() {
    let response = HpResponse::new(&response(RateControl::Lipd { max_ipd: 255 }));
    let mut flow = response.at_rest(ServiceLevel(0));
    response.on_notification(&mut flow, Notification { psn: Some(0), next: 1 }, Time::ZERO);
    for limited_by in [LimitedBy::Other, LimitedBy::Window] {
        for _ in 0..1000 {
            response.on_sent(&mut flow, sent(limited_by), Time::ZERO);
            let ack = Acknowledgement { psn: 0, next: 1, packets: 1, marked: false };
            response.on_acknowledged(&mut flow, ack, Time::ZERO);
        }
        assert_eq!(response.ipd(&flow), 1, "{limited_by:?}");
    }
}

/// Of the marks of an era only the first counts, and a notification counts by its era.
#[test]
fn one_decrease_an_era() {
    let response = HpResponse::new(&response(RateControl::Lipd { max_ipd: 255 }));
    let mut flow = response.at_rest(ServiceLevel(0));
    let mut notify = |era, next| {
        response.on_notification(&mut flow, Notification { psn: Some(era), next }, Time::ZERO).decreased
    };
    assert!(notify(0, 1));
    assert!(!notify(0, 2), "sent before the decrease");
    assert!(notify(1, 2));
    assert!(!notify(1, 3) && !notify(0, 3));
    assert_eq!(response.ipd(&flow), 2);
}
