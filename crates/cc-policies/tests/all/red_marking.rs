//! RED's thresholds and places.

use cc_policies::dcqcn::RedMarker;
use cc_policies::dcqcn::spec::{MarkedAt, RedMarkingSpec};
use cc_policies::{BufferOwner, Marker, MarkerSetup, QueueView};
use packet::{Lane, PortId, VoqId};
use proptest::prelude::*;
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate};

const RADIX: u16 = 5;
const LANES: u8 = 3;

/// Marks nothing up to 2,000 bytes, and everything above 5,000.
fn marker(at: MarkedAt) -> RedMarker {
    marker_from(2_000, at)
}

/// Marks nothing up to `kmin` bytes, and everything above 5,000.
fn marker_from(kmin: u64, at: MarkedAt) -> RedMarker {
    let settings = RedMarkingSpec {
        kmin: Bytes::new(kmin),
        kmax: Bytes::new(5_000),
        pmax: 1.0,
        by_rate: Vec::new(),
        at,
    };
    let setup = MarkerSetup {
        name: "S".to_owned(),
        radix: RADIX.into(),
        lanes: LANES.into(),
        capacity: Bytes::kib(16),
        longest_packet: Bytes::new(1_082),
        buffers_of: BufferOwner::Inputs,
        numbers: (1..=RADIX).collect(),
        faces_adapter: vec![false; RADIX.into()],
        rates: vec![Rate::gbps(40); RADIX.into()],
        stream: Pcg64Mcg::new(5),
    };
    RedMarker::new(&settings, &setup)
}

fn places() -> impl Iterator<Item = VoqId> {
    let outputs = (0..RADIX).flat_map(|output| (0..LANES).map(move |lane| (PortId(output), Lane(lane))));
    outputs.map(|(output, lane)| VoqId { input: PortId(1), output, lane })
}

fn view(bytes: u64) -> QueueView {
    QueueView { voq: Bytes::new(bytes), sum: Bytes::new(bytes), inputs: 1, wire_busy: false }
}

#[test]
fn a_long_queue_marks_at_its_own_output_and_lane() {
    for long in places() {
        let mut marker = marker(MarkedAt::Departure);
        marker.queue_changed(long, view(6_000));
        for place in places() {
            let marked = marker.departing(place, Bytes::new(1_000)).is_some();
            assert_eq!(marked, place == long, "{place:?}, of {long:?}");
        }
    }
}

/// A threshold is crossed above it, not at it.
#[test]
fn a_queue_at_its_threshold_has_not_crossed_it() {
    for (lengths, crossings) in [
        (&[2_000][..], [0, 0]),
        (&[2_001], [1, 0]),
        (&[5_000], [1, 0]),
        (&[5_001], [1, 1]),
        (&[3_000, 0, 4_000], [2, 0]),
        (&[6_000, 2_000, 5_000, 6_000], [2, 2]),
    ] {
        let mut marker = marker(MarkedAt::Departure);
        let place = places().nth(7).expect("there are fifteen");
        lengths.iter().for_each(|bytes| marker.queue_changed(place, view(*bytes)));
        let margins = marker.margins(place.output, place.lane);
        assert_eq!(margins.map(|margin| margin.expect("RED has two").crossings), crossings, "{lengths:?}");
    }
}

/// Returns the margin of a history of lengths against a limit. It has the longest, the rises above the limit, and the
/// rises over 90 % of it that fell back without a crossing.
fn counted(history: &[u64], limit: u64) -> (u64, u32, u32) {
    let (mut crossings, mut near_misses, mut before) = (0, 0, 0);
    // True since the length was over the limit, until it falls to 90 %.
    let mut has_crossed = false;
    for &length in history {
        crossings += u32::from(length > limit && before <= limit);
        has_crossed |= length > limit;
        if length * 10 <= limit * 9 {
            near_misses += u32::from(before * 10 > limit * 9 && !has_crossed);
            has_crossed = false;
        }
        before = length;
    }
    (*history.iter().max().unwrap_or(&0), crossings, near_misses)
}

proptest! {
    /// Margins are of the whole history, whichever lengths a marker passes over as quiet.
    #[test]
    fn margins_are_those_of_the_whole_history(
        kmin in prop::sample::select(&[1u64, 9, 95, 2_000][..]),
        history in prop::collection::vec(
            prop_oneof![0..7_000u64, 1_750..2_100u64, 4_400..5_100u64, 1..110u64, 1..10u64, Just(0)], 0..60,
        ),
    ) {
        let mut marker = marker_from(kmin, MarkedAt::Departure);
        let place = VoqId { input: PortId(1), output: PortId(2), lane: Lane(0) };
        history.iter().for_each(|length| marker.queue_changed(place, view(*length)));
        for (margin, limit) in marker.margins(place.output, place.lane).into_iter().flatten().zip([kmin, 5_000]) {
            prop_assert_eq!((margin.load, margin.crossings, margin.near_misses), counted(&history, limit));
        }
    }
}
