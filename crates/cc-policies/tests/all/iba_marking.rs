//! InfiniBand's marking against a reference that keeps every queue by name, and its response at the ends of its table.

use std::collections::BTreeMap;

use crate::own;
use cc_policies::iba::spec::{
    CctSpec, ComparedLoad, IbaMarkingSpec, IbaResponseSpec, PortControl, TimerStart, VictimMask,
};
use cc_policies::{
    AnyMarker, AnyResponse, BufferOwner, Marker, MarkerSetup, MarkingSpec, Notification, QueueView, Response,
    ResponseSpec,
};
use packet::{Lane, PortId, ServiceLevel, VoqId};
use proptest::prelude::*;
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate, Span, Time};

const RADIX: u16 = 3;
/// `Threshold` 12 of 15 on 16 KiB: 4 of 16 parts.
const THRESHOLD: u64 = 4_096;
const HYSTERESIS: u64 = 700;
/// `Packet_Size` of 8 units of 64 bytes.
const SMALLEST: u64 = 512;

fn marker(compare: ComparedLoad) -> AnyMarker {
    let settings = IbaMarkingSpec {
        threshold: 12,
        packet_size: 8,
        marking_rate: 0,
        victim_mask: VictimMask::None,
        compare,
        hysteresis: Bytes::new(HYSTERESIS),
        ports: Vec::new(),
    };
    let setup = MarkerSetup {
        name: "S".to_owned(),
        radix: RADIX.into(),
        lanes: 2,
        capacity: Bytes::kib(16),
        longest_packet: Bytes::new(2_090),
        buffers_of: BufferOwner::Inputs,
        numbers: (1..=RADIX).collect(),
        faces_adapter: vec![false; RADIX.into()],
        rates: vec![Rate::gbps(40); RADIX.into()],
        stream: Pcg64Mcg::new(7),
    };
    own::marker(&MarkingSpec::Iba(settings), &setup)
}

/// Lengths of virtual output queues, and the queues that are in the congestion state, by output, lane and input.
#[derive(Default)]
struct Reference {
    bytes: BTreeMap<(u16, u8, u16), u64>,
    over: BTreeMap<(u16, u8, u16), bool>,
}

impl Reference {
    /// Changes a queue, and tells the marker.
    fn change(&mut self, compare: ComparedLoad, place: VoqId, bytes: u64, marker: &mut AnyMarker) {
        let (output, lane) = (place.output.0, place.lane.0);
        self.bytes.insert((output, lane, place.input.0), bytes);
        let own = self.bytes.range((output, lane, 0)..=(output, lane, u16::MAX)).map(|(_, bytes)| *bytes);
        let (sum, inputs) = (own.clone().sum::<u64>(), own.filter(|bytes| *bytes > 0).count() as u64);
        let (name, load, enter, leave) = match compare {
            ComparedLoad::EachVoq => (place.input.0, bytes, THRESHOLD, THRESHOLD - HYSTERESIS),
            ComparedLoad::Sum => (0, sum, THRESHOLD, THRESHOLD - HYSTERESIS),
            ComparedLoad::SumOverInputs => (0, sum, THRESHOLD * inputs, (THRESHOLD - HYSTERESIS) * inputs),
            ComparedLoad::SumAgainstShare => {
                let share = THRESHOLD / inputs.max(1);
                (0, sum, share, share - HYSTERESIS)
            }
        };
        let over = self.over.entry((output, lane, name)).or_default();
        *over = load > if *over { leave } else { enter };
        let (voq, sum, inputs) = (Bytes::new(bytes), Bytes::new(sum), inputs as u32);
        marker.queue_changed(place, QueueView { voq, sum, inputs, wire_busy: false });
    }

    fn marks(&self, output: u16, lane: u8, length: u64) -> bool {
        let congested = self.over.range((output, lane, 0)..=(output, lane, u16::MAX)).any(|(_, over)| *over);
        congested && length >= SMALLEST
    }
}

proptest! {
    #[test]
    fn each_output_and_lane_has_a_state_of_its_own(
        compare in prop::sample::select(vec![
            ComparedLoad::EachVoq,
            ComparedLoad::Sum,
            ComparedLoad::SumOverInputs,
            ComparedLoad::SumAgainstShare,
        ]),
        changes in prop::collection::vec((0..RADIX, 0..RADIX, 0..2u8, 0..13u64, 0..3u64), 1..120),
    ) {
        let (mut marker, mut reference) = (marker(compare), Reference::default());
        for (input, output, lane, size, near) in changes {
            // Lengths around the levels: multiples of a fraction of the threshold, and a byte beside them.
            let bytes = (size * THRESHOLD / 6 + near).saturating_sub(1);
            let place = VoqId { input: PortId(input), output: PortId(output), lane: Lane(lane) };
            reference.change(compare, place, bytes, &mut marker);
            for (output, lane) in (0..RADIX).flat_map(|output| [(output, 0), (output, 1)]) {
                for length in [SMALLEST - 1, SMALLEST, 2_090] {
                    let place = VoqId { input: PortId(0), output: PortId(output), lane: Lane(lane) };
                    let marked = marker.departing(place, Bytes::new(length)).is_some();
                    prop_assert_eq!(marked, reference.marks(output, lane, length), "{:?}, {} bytes", place, length);
                }
            }
        }
    }
}

/// A load below the threshold of a single input is above the share of each of two, whatever lengths were passed over
/// before.
#[test]
fn a_load_that_one_input_may_have_is_too_much_for_two() {
    let compare = ComparedLoad::SumAgainstShare;
    let (mut marker, mut reference) = (marker(compare), Reference::default());
    let place = |input| VoqId { input: PortId(input), output: PortId(2), lane: Lane(1) };
    for (input, bytes, marks) in
        [(0, THRESHOLD * 5 / 6, false), (0, 0, false), (0, THRESHOLD / 3, false), (1, THRESHOLD / 3, true)]
    {
        reference.change(compare, place(input), bytes, &mut marker);
        assert_eq!(reference.marks(2, 1, SMALLEST), marks, "{bytes} bytes of input {input}");
        let marked = marker.departing(place(0), Bytes::new(SMALLEST)).is_some();
        assert_eq!(marked, marks, "{bytes} bytes of input {input}");
    }
}

fn response(trigger_threshold: u8) -> AnyResponse {
    let settings = IbaResponseSpec {
        port_control: PortControl::QueuePair,
        cct: CctSpec::Linear { entries: 8, shift: 1, step: 3 },
        ccti_limit: 7,
        ccti_increase: 1,
        ccti_min: 0,
        ccti_timer: 150,
        trigger_threshold,
        timer_start: TimerStart::FirstBecn,
        service_levels: vec![],
    };
    own::response(&ResponseSpec::Iba(settings), Rate::gbps(40))
}

/// Entry i of a linear table is i steps, of half a packet time each here.
#[test]
fn a_linear_table_is_linear() {
    let response = response(0);
    let mut flow = response.at_rest(ServiceLevel(0));
    let packet_time = Span::from_ns(200);
    for becns in 0..10u64 {
        let expected = Span::from_ps(packet_time.ps() / 2) * (3 * becns.min(7));
        assert_eq!(response.gap(&mut flow, packet_time, Time::ZERO), expected, "{becns} BECNs");
        response.on_notification(&mut flow, Notification { psn: None, next: 0 }, Time::ZERO);
    }
}

#[test]
fn a_trigger_at_the_limit_is_reached_once() {
    for (trigger, reached) in [(0, 0), (3, 1), (7, 1)] {
        let response = response(trigger);
        let mut flow = response.at_rest(ServiceLevel(0));
        let becn = |_| response.on_notification(&mut flow, Notification { psn: None, next: 0 }, Time::ZERO);
        let times = (0..12).map(becn).filter(|outcome| outcome.reached_trigger).count();
        assert_eq!(times, reached, "Trigger_Threshold {trigger}");
    }
}
