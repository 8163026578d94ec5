//! The HP proposal's functions and tables against the slides' properties.

use cc_policies::hp::functions::RateFunction;
use cc_policies::hp::spec::{HpMarkingSpec, HpResponseSpec, MarkedSet, WindowControl};
use cc_policies::{
    Acknowledgement, AnyMarker, AnyResponse, BufferOwner, BufferView, Marker, MarkerSetup, MarkingSpec,
    QueueView, Response, ResponseSpec,
};
use packet::{Lane, PortId, ServiceLevel, VoqId};
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate, Time};

/// At rate r, in units of Rmin, acknowledgements come r times in a packet time at Rmin, and each puts the clock forward
/// by the time until the next one.
#[test]
fn an_acknowledgement_puts_the_clock_forward_by_its_own_time() {
    let highest = 256.0;
    for function in [1.5, 2.0, 3.0, 7.0]
        .into_iter()
        .flat_map(|divisor| [RateFunction::Aimd(divisor), RateFunction::Fimd(divisor)])
        .chain([RateFunction::Lipd])
    {
        assert!(function.clock(1.0, highest).abs() < 1e-12, "{function:?} starts at Rmin");
        for rate in [1.0, 1.7, 4.0, 30.0, 100.0] {
            let next = function.increase(rate, highest);
            if next < highest {
                let forward = function.clock(next, highest) - function.clock(rate, highest);
                assert!((forward * rate - 1.0).abs() < 1e-9, "{function:?} at {rate}: {forward}");
            }
        }
    }
}

#[test]
fn a_window_falls_as_its_table_says() {
    let window = Some(WindowControl::Derived { window_decrease: vec![1, 1, 2, 2, 3, 4] });
    let settings = HpResponseSpec { window, ..HpResponseSpec::NONE };
    let response = AnyResponse::new(&ResponseSpec::Hp(settings), Rate::gbps(40), Pcg64Mcg::new(1));
    let mut flow = response.at_rest(ServiceLevel(0));
    let mut windows = vec![response.window(&flow)];
    for psn in 0..4 {
        let ack = Acknowledgement { psn, next: psn + 1, packets: 1, marked: true };
        response.on_acknowledged(&mut flow, ack, Time::ZERO);
        windows.push(response.window(&flow));
    }
    assert_eq!(windows, [6, 4, 2, 1, 1]);
}

/// A buffer is full if it has no room for the longest packet.
#[test]
fn a_buffer_with_room_for_the_longest_packet_is_not_full() {
    let longest = Bytes::new(1_082);
    let setup = MarkerSetup {
        name: "S".to_owned(),
        radix: 2,
        lanes: 1,
        capacity: Bytes::kib(8),
        longest_packet: longest,
        buffers_of: BufferOwner::Inputs,
        faces_adapter: vec![false; 2],
        rates: vec![Rate::gbps(40); 2],
        stream: Pcg64Mcg::new(5),
    };
    let place = VoqId { input: PortId(0), output: PortId(1), lane: Lane(0) };
    for (room, full) in [(longest, false), (longest - Bytes::new(1), true)] {
        let settings = HpMarkingSpec { set: MarkedSet::Naive, ..HpMarkingSpec::PROPOSAL };
        let mut marker = AnyMarker::new(&MarkingSpec::Hp(settings), &setup);
        for packets in 1..=3 {
            let held = Bytes::new(packets * 1_000);
            let room = if packets == 3 { room } else { Bytes::kib(4) };
            marker.buffer_changed(place.input, place.lane, BufferView { held, room });
            marker.queue_changed(place, QueueView { voq: held, sum: held, inputs: 1, wire_busy: true });
        }
        let left = marker.left_input(place);
        let marked = left.or_else(|| marker.departing(place, Bytes::new(1_000)));
        assert_eq!(marked.is_some(), full, "{room} free");
    }
}
