//! The HP proposal's functions and tables against the slides' properties.

use crate::own;
use cc_policies::hp::functions::RateFunction;
use cc_policies::hp::ladder::{Ladder, ipd_rates, window_rates};
use cc_policies::hp::spec::{HpMarkingSpec, HpResponseSpec, MarkedSet, WindowControl};
use cc_policies::{
    Acknowledgement, BufferOwner, BufferView, Marker, MarkerSetup, MarkingSpec, QueueView, Response,
    ResponseSpec,
};
use packet::{Lane, PortId, ServiceLevel, VoqId};
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate, Time};

/// At rate r, in units of Rmin, acknowledgements come r times in a packet time at Rmin. Each puts the clock forward by
/// the time until the next.
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

/// Returns the entries of a table: the level after an increase, after a decrease, and the acknowledgements until then.
fn entries(ladder: &Ladder) -> Vec<(u16, u16, u32)> {
    ladder.steps().iter().map(|step| (step.increase, step.decrease, step.new_rpi)).collect()
}

/// Windows of 1 to 4 packets, worked out by hand. A halved window is 1, 1, 1 (of 1.5) and 2.
///
/// AIMD passes the windows at times 0, 1, 2 and 3: each takes as many acknowledgements as it has packets. FIMD passes
/// them at 0, 1, 1.58 and 2. A window of 2 waits for two acknowledgements, until time 2, and goes to 4. A window of 3
/// takes two as well, since the first ends at 1.58 + 1/3.
#[test]
fn tables_of_four_windows_are_those_worked_out_by_hand() {
    let of = |function| Ladder::of(function, window_rates(4));
    assert_eq!(entries(&of(RateFunction::Aimd(2.0))), [(1, 0, 1), (2, 0, 2), (3, 0, 3), (3, 1, 1)]);
    assert_eq!(entries(&of(RateFunction::Fimd(2.0))), [(1, 0, 1), (3, 0, 2), (3, 0, 2), (3, 1, 1)]);
}

/// The clock that follows from a decrease. Each recovery takes a unit, and windows that fall to the same window divide
/// the time evenly until the next.
#[test]
fn a_given_decrease_sets_the_clock() {
    let clock = |decrease: &[usize]| {
        let ladder = Ladder::derived(decrease.to_vec(), window_rates(decrease.len() as u16));
        assert_eq!(ladder.rates().len(), decrease.len());
        ladder.clock().to_vec()
    };
    let first = 2.0_f64.ln() / 3.0_f64.ln();
    for (decrease, expected) in [
        (&[0, 0, 1, 1, 2, 3][..], vec![0.0, 1.0, 2.0, 2.5, 3.0, 3.5]),
        (&[0, 0, 0, 1], vec![0.0, first, 1.0, 1.0 + first]),
        (&[0, 0, 1, 1, 1, 2], vec![0.0, 1.0, 2.0, 2.0 + 1.0 / 3.0, 2.0 + 2.0 / 3.0, 3.0]),
    ] {
        let clock = clock(decrease);
        let near = clock.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-12);
        assert!(near, "{clock:?} in place of {expected:?}");
    }
}

/// From the lowest window an acknowledgement leads a window up, however long the function would wait (third property),
/// or as far as the function. No window rises less far than a smaller window.
#[test]
fn increases_lead_up_and_keep_their_order() {
    let divisors = [1.01, 1.1, 1.25, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 7.0, 16.0, 256.0];
    let functions = divisors.into_iter().flat_map(|of| [RateFunction::Aimd(of), RateFunction::Fimd(of)]);
    for function in functions.chain([RateFunction::Lipd]) {
        for rates in [2, 3, 8, 33, 255].into_iter().flat_map(|n| [window_rates(n), ipd_rates(n as u8)]) {
            let ladder = Ladder::of(function, rates);
            let steps = ladder.steps();
            // The function has passed these levels when the acknowledgement of the first packet comes.
            let passed = ladder.clock().iter().filter(|clock| **clock < 1.0 + 1e-9).count() as u16 - 1;
            assert!(steps[0].increase <= passed.max(1), "{function:?}: {steps:?}");
            assert!((1..).zip(&steps).all(|(next, step)| step.increase >= next.min(steps.len() as u16 - 1)));
            assert!(steps.is_sorted_by_key(|step| step.increase), "{function:?}: {steps:?}");
            assert_eq!(steps[0].new_rpi, 1, "{function:?}");
        }
    }
}

/// A single level has nowhere to go.
#[test]
fn one_window_stays() {
    assert_eq!(entries(&Ladder::derived(vec![0], window_rates(1))), [(0, 0, 1)]);
}

#[test]
fn a_window_falls_as_its_table_says() {
    let window = Some(WindowControl::Derived { window_decrease: vec![1, 1, 2, 2, 3, 4] });
    let settings = HpResponseSpec { window, ..HpResponseSpec::NONE };
    let response = own::response(&ResponseSpec::Hp(settings), Rate::gbps(40));
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
        numbers: vec![1, 2],
        faces_adapter: vec![false; 2],
        rates: vec![Rate::gbps(40); 2],
        stream: Pcg64Mcg::new(5),
    };
    let place = VoqId { input: PortId(0), output: PortId(1), lane: Lane(0) };
    for (room, full) in [(longest, false), (longest - Bytes::new(1), true)] {
        let settings = HpMarkingSpec { set: MarkedSet::Naive, ..HpMarkingSpec::PROPOSAL };
        let mut marker = own::marker(&MarkingSpec::Hp(settings), &setup);
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
